# data.table's side of bench/sources.sh: Rscript table.R FILE SPEC WHAT, where WHAT is "load" or "tables". It prints processor time in ns a row
# and the peak of memory in MB as JSON; for tables the counts too.
suppressPackageStartupMessages(library(data.table))
args <- commandArgs(TRUE)
setDTthreads(1)
spec <- readRDS(args[2])
start <- proc.time()
d <- fread(args[1], showProgress = FALSE, nThread = 1, na.strings = NULL, stringsAsFactors = TRUE,
           colClasses = list(factor = "education-num"))
n <- nrow(d)
if (args[3] == "tables") {
  y <- as.integer(d$income)
  classes <- levels(d$income)
  out <- lapply(names(spec), function(column) {
    v <- d[[column]]
    labels <- if (is.factor(v)) levels(v) else 0:length(spec[[column]])
    v <- if (is.factor(v)) as.integer(v) else findInterval(v, spec[[column]]) + 1L
    n <- tabulate((v - 1L) * length(classes) + y, length(labels) * length(classes))
    data.frame(v = rep(labels, each = length(classes)), y = classes, N = n)[n > 0, ]
  })
}
used <- proc.time() - start
peak <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
counts <- ""
if (args[3] == "tables") {
  counts <- paste0(', "counts": {', paste(sapply(seq_along(out), function(i)
    sprintf('"%s": {%s}', names(spec)[i], paste(sprintf('"%s|%s": %d', out[[i]]$v, out[[i]]$y, out[[i]]$N), collapse = ", "))), collapse = ", "), "}")
}
cat(sprintf('{"cpu": %.1f, "mb": %.0f, "rows": %d, "version": "R %s.%s, data.table %s"%s}\n', (used[["user.self"]] + used[["sys.self"]]) * 1e9 / n,
            peak, n, R.version$major, R.version$minor, packageVersion("data.table"), counts))
