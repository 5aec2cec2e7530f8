# Answers of m synthetic sets, combined by rule T_f.
# q: the estimate in each set; u: its squared standard error; records: of the private table; rows: of each set.
combine <- function(q, u, records, rows, level = 0.95) {
  m <- length(q)
  stopifnot(m >= 2, length(u) == m, all(is.finite(q)), all(is.finite(u)))
  b <- var(q)
  within <- mean(u)
  total <- (1 + 1 / m) * b - within
  if (total > 0) {
    nu <- (m - 1) * (1 - within / ((1 + 1 / m) * b))^2
    width <- qt(1 - (1 - level) / 2, nu)
  } else {
    total <- rows / records * within
    nu <- Inf
    width <- qnorm(1 - (1 - level) / 2)
  }
  c(value = mean(q), se = sqrt(total), lower = mean(q) - width * sqrt(total),
    upper = mean(q) + width * sqrt(total), df = nu)
}
