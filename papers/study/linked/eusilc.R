# Households of the data set eusilc in the codes of this study, a row for each person: of Debian's r-cran-laeken, or of
# the package laeken of CRAN (GPL, so that no file of it is kept here).
#
#   Rscript eusilc.R eusilc.csv && PRIVBAYES_EUSILC=$PWD/eusilc.csv go test . -run TestFull -write
data("eusilc", package = "laeken")
d <- eusilc
first <- match(d$db030, d$db030)
code <- function(x) ifelse(is.na(x), 0, as.integer(as.character(x)))
write.csv(file = commandArgs(TRUE)[1], row.names = FALSE, quote = FALSE, data.frame(
  hid = d$db030,
  region = as.integer(d$db040)[first] - 1,
  income = findInterval(d$eqIncome, c(8000, 14000, 20000, 28000, 40000))[first],
  allowance = as.integer(d$hy050n > 0)[first],
  capital = as.integer(d$hy090n > 0)[first],
  age = findInterval(d$age, c(5, 10, 15, 20, 30, 40, 50, 60, 70, 80)),
  sex = as.integer(d$rb090 == "male"),
  status = code(d$pl030),
  citizen = ifelse(is.na(d$pb220a), 0, as.integer(d$pb220a))))
