analyse <- function(path) {  # the log odds ratio of one level and another
  set <- read.csv(path, check.names = FALSE, colClasses = "character", na.strings = character(0), encoding = "UTF-8")
  fit <- glm((set[["<<OUTCOME>>"]] == "<<OUTCOME_LEVEL>>") ~ (set[["<<EXPOSURE>>"]] == "<<EXPOSURE_LEVEL>>"), family = binomial)
  c(q = unname(coef(fit)[2]), u = vcov(fit)[2, 2])
}
