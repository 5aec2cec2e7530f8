analyse <- function(path) {  # the mean of a column
  set <- read.csv(path, check.names = FALSE, colClasses = "character", na.strings = character(0), encoding = "UTF-8")
  x <- as.numeric(Filter(function(v) !(v %in% c("", "<<MISSING>>")), set[["<<OUTCOME>>"]]))
  c(q = mean(x), u = mean((x - mean(x))^2) / length(x))
}
