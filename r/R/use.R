# What is done with a release. All of it is as public as the release, but what has rows for an argument.

pb_intervals <- function(release, ...) {
  said <- run("intervals", release, list(...))
  rows <- frame(said$rows)
  if (is.null(rows$label)) rows$label <- rep(NA_character_, nrow(rows))
  attr(rows, "notes") <- unlist(said$notes)
  rows
}

pb_draws <- function(release) {
  said <- run("draws", release)
  values <- table_of(said$values, unlist(said$names))
  each <- max(1, nrow(values) / max(1, said$chains))
  at <- seq_len(nrow(values)) - 1
  cbind(.chain = as.integer(at %/% each + 1), .iteration = as.integer(at %% each + 1), values)
}

pb_synthesize <- function(release, rows = NULL, ...) {
  said <- run("synthesize", release, c(list(rows = rows), list(...)))
  if (!is.null(said$tables)) return(said$tables)
  typed(table_of(said$rows, unlist(said$columns)), release_schema(release))
}

# typed is a data frame whose columns of categories are factors and whose columns of dates are dates, as a schema has
# them. Dates of another layout, such as names of months in another language, stay text.
typed <- function(rows, schema) {
  formats <- c(`2006` = "%Y", `06` = "%y", January = "%B", Jan = "%b", `01` = "%m", `1` = "%m", `02` = "%d",
               `_2` = "%d", `2` = "%d", `002` = "%j", `__2` = "%j", `_2006` = "_%Y", zones)
  for (c in schema$fields$columns) {
    text <- rows[[c$name]]
    if (is.null(text)) next
    if (length(c$categories)) rows[[c$name]] <- factor(text, unlist(c$categories))
    if (is.null(c$date)) next
    layout <- c$date
    at <- gregexpr(layout_parts, layout)
    parts <- formats[regmatches(layout, at)[[1]]]
    if (anyNA(parts)) next
    regmatches(layout, at) <- list(unname(parts))
    day <- as.Date(as.character(text), layout)
    if (!anyNA(day[!is.na(text)])) rows[[c$name]] <- day
  }
  rows
}

pb_sets <- function(release, folder, ...) {
  said <- run("sets", release, c(list(out = folder), list(...)))
  structure(file.path(expanded(folder), grep("\\.csv$", unlist(said$files), value = TRUE)), said = said)
}

pb_combine <- function(folder, value, variance, ...) {
  if (!is.numeric(value) || !is.numeric(variance) || length(value) != length(variance))
    usage("value and variance: want two numbers for each set")
  if (!all(is.finite(c(value, variance)))) usage("value and variance: one is NA or infinite; want finite numbers")
  estimates <- Map(function(value, variance) list(value = value, variance = variance), value, variance)
  with_file(unname(estimates), function(path) run("combine", folder, c(list(estimates = path), list(...))))
}

pb_export <- function(release, to, out, ...)
  invisible(run("export", release, c(list(to = to, out = out), list(...)))$out)

pb_verify <- function(release, ...) run("verify", release, list(...))

pb_report <- function(release, data = NULL, ...) {
  if (is.null(data)) return(run("report", release, c(list(public = TRUE), list(...))))
  schema <- release_schema(release)
  structure(with_data("report", list(release), data, schema, schema_columns(schema), list(...)), class = "pb_private")
}

# release_schema is the public schema that a release was made under.
release_schema <- function(release) {
  path <- expanded(if (is.list(release)) release$path else release)
  file <- tryCatch(jsonlite::read_json(path), error = function(e) NULL)
  if (is.list(file[["release"]])) file <- file[["release"]] # that a selection accepted
  fields <- tryCatch(file$plan$shape$schema, error = function(e) NULL)
  if (is.null(fields)) bad_input("%s is no release of one model that can be read", path)
  pb_schema(fields)
}

print.pb_release <- function(x, ...) {
  cat(run("show", x$path, text = TRUE))
  invisible(x)
}

summary.pb_release <- function(object, ...) {
  said <- run("show", object$path)
  tables <- lapply(said$tables, function(t) {
    names <- unlist(t$columns)
    table_of(t$rows, ifelse(nzchar(names), names, "of"))
  })
  said$tables <- setNames(tables, vapply(said$tables, function(t) t$title, ""))
  structure(said[setdiff(names(said), "html")], class = "summary.pb_release")
}

print.summary.pb_release <- function(x, ...) {
  g <- x$guarantee
  level <- unlist(g[intersect(c("epsilon", "delta", "rho", "lambda", "omega"), names(g))])
  cat(sprintf("%s\nGuarantee: %s, %s, of one %s\n", if (is.null(x$mechanism)) x$name else x$mechanism,
              paste(names(level), "=", number(level), collapse = ", "),
              g$adjacency, g$unit))
  for (title in names(x$tables)) {
    cat("\n", title, "\n", sep = "")
    print(x$tables[[title]], right = FALSE, row.names = FALSE)
  }
  invisible(x)
}

as.data.frame.pb_release <- function(x, row.names = NULL, optional = FALSE, ...) pb_intervals(x, ...)

# named_intervals are the intervals about the population or the rows, each with a name.
named_intervals <- function(release, level, about) {
  rows <- pb_intervals(release, level = level)
  if (!is.null(rows$about) && any(rows$about == about)) rows <- rows[rows$about == about, ]
  rownames(rows) <- make.unique(ifelse(is.na(rows$label), rows$of, paste0(rows$of, ": ", rows$label)))
  rows
}

coef.pb_release <- function(object, ...) {
  rows <- named_intervals(object, 0.95, "population")
  setNames(rows$mean, rownames(rows))
}

confint.pb_release <- function(object, parm, level = 0.95, about = c("population", "rows"), ...) {
  rows <- named_intervals(object, level, match.arg(about))
  ends <- cbind(rows$lower, rows$upper)
  dimnames(ends) <- list(rownames(rows), paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) ends else ends[parm, , drop = FALSE]
}

predict.pb_release <- function(object, newdata, ...) {
  if (missing(newdata)) usage("newdata is missing: a release has no rows; want a data frame, or the path of a file")
  columns <- vapply(run("show", object$path)$columns, `[[`, "", "name")
  if (is.data.frame(newdata) && !(columns[1] %in% names(newdata))) columns <- columns[-1]
  schema <- release_schema(object)
  columns <- unique(c(columns, schema$fields$unit_key))
  said <- with_data("predict", list(object), newdata, schema, columns, list(...))
  names <- c(said$target, if (is.null(said$levels)) "standard deviation" else sprintf("P(%s)", unlist(said$levels)))
  rows <- if (is.null(said$levels)) Map(list, said$mean, said$sd) else Map(c, lapply(said$class, list), said$p)
  if (is.null(said$key)) return(table_of(rows, names))
  table_of(Map(c, lapply(said$units, list), rows), c(said$key, names)) # of two linked tables
}

simulate.pb_release <- function(object, nsim = 1, seed = NULL, rows = NULL, ...) {
  if (nsim == 1) return(pb_synthesize(object, if (is.null(rows)) 1000 else rows, seed = seed, ...))
  if (!is.null(seed)) usage("several sets are the same each time; want no seed", flag = "--seed")
  folder <- tempfile("privbayes-sets-") # as public as the release
  on.exit(unlink(folder, recursive = TRUE))
  schema <- release_schema(object)
  text <- vapply(schema$fields$columns, function(c) if (length(c$categories) || !is.null(c$date)) c$name else "", "")
  kinds <- setNames(rep("character", sum(nzchar(text))), text[nzchar(text)])
  lapply(pb_sets(object, folder, sets = nsim, rows = rows, ...), function(file)
    typed(read.csv(file, check.names = FALSE, encoding = "UTF-8", colClasses = kinds), schema))
}

plot.pb_release <- function(x, level = 0.95, about = c("population", "rows"), xlab = NULL, ...) {
  rows <- named_intervals(x, level, match.arg(about))
  at <- rev(seq_len(nrow(rows)))
  if (is.null(xlab)) xlab <- sprintf("estimate and %s %% interval, noise included", format(100 * level))
  before <- par(mar = c(4, min(20, 2 + 0.5 * max(nchar(rownames(rows)))), 1, 1))
  on.exit(par(before))
  plot.default(range(rows$lower, rows$upper), range(at) + c(-0.5, 0.5), type = "n", yaxt = "n", ylab = "",
               xlab = xlab, ...)
  abline(h = at, col = "grey90")
  segments(rows$lower, at, rows$upper, at, lwd = 2)
  points(rows$mean, at, pch = 19)
  axis(2, at, rownames(rows), las = 1, tick = FALSE, cex.axis = 0.8)
  invisible(rows)
}
