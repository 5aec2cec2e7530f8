analyse <- function(path) {  # the share of records at a level
  set <- read.csv(path, check.names = FALSE, colClasses = "character", na.strings = character(0), encoding = "UTF-8")
  p <- mean(set[["<<OUTCOME>>"]] == "<<OUTCOME_LEVEL>>")
  c(q = p, u = p * (1 - p) / nrow(set))
}
