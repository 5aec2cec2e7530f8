# run.R FOLDER NAME...: draws from the program in FOLDER, and the named parameters of the draws in its draws.csv.
suppressMessages(library(rstan))
if (!nzchar(system.file("include", package = "BH"))) rstan_options(boost_lib = "/usr/include") # Debian's BH is its Boost
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
data <- jsonlite::fromJSON(file.path(folder, "data.json"))
program <- stan_model(file.path(folder, "model.stan"))
# a vector of one number is no number
declared <- readLines(file.path(folder, "model.stan"))
for (name in names(data)) {
  if (any(grepl(paste0("^  vector\\[[^]]*\\] ", name, ";"), declared))) data[[name]] <- as.array(data[[name]])
}
data <- Filter(is.numeric, data)
draws <- sampling(program, data = data, chains = 1, warmup = 700, iter = 2700, seed = 7, refresh = 0)
write.table(as.matrix(draws, pars = arguments[-1]), file.path(folder, "draws.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
