# survey.R TABLE: means of high cholesterol with standard errors and 95 % intervals, as CSV: of the design with its
# strata and areas, and of rows taken as independent.
suppressPackageStartupMessages(library(survey))
table <- read.csv(commandArgs(TRUE)[1])
table$HI_CHOL <- as.numeric(table$HI_CHOL)
table$all <- "all"
table$race <- c("Hispanic", "white", "black", "other")[table$race]
table$RIAGENDR <- c("male", "female")[table$RIAGENDR]
areas <- svydesign(ids = ~SDMVPSU, strata = ~SDMVSTRA, weights = ~WTMEC2YR, nest = TRUE, data = table)
rows <- svydesign(ids = ~1, weights = ~WTMEC2YR, data = table)
out <- NULL
for (by in c("all", "race", "RIAGENDR")) {
  of <- function(design) svyby(~HI_CHOL, reformulate(by), design, svymean, na.rm = TRUE)
  clustered <- of(areas)
  flat <- of(rows)
  plain <- tapply(table$HI_CHOL, table[[by]], mean, na.rm = TRUE)
  ends <- confint(clustered, df = degf(areas))
  even <- confint(flat, df = degf(rows))
  out <- rbind(out, data.frame(by = by, level = clustered[[by]], unweighted = as.vector(plain[clustered[[by]]]),
    estimate = clustered$HI_CHOL, se = SE(clustered), width = ends[, 2] - ends[, 1], se_rows = SE(flat),
    width_rows = even[, 2] - even[, 1]))
}
write.csv(out, row.names = FALSE)
