# Plans and releases. Their options are the flags of the command line, with _ for -, and the program checks them.

# model_of are the flags that a formula stands for: y ~ . and y ~ a + b name the column that is modelled and the
# features, y ~ 1 one column, ~ a + b a contingency table. Other terms are those of --formula, as are all terms of its
# models.
model_of <- function(command, formula, schema, options) {
  if (is.null(formula) || is.character(formula)) return(list(formula = formula))
  if (!inherits(formula, "formula"))
    usage("the formula is a %s; want one such as y ~ a + b, or NULL", class(formula)[1])
  right <- formula[[length(formula)]]
  features <- plain_terms(right)
  if (length(formula) == 2) {
    if (!length(features) || "." %in% features)
      usage("a formula without a response is a contingency table; want columns, such as ~ a + b")
    return(list(table = parts(features)))
  }
  response <- formula[[2]]
  of_formula <- !is.null(options$model) && options$model %in% unlist(flags_of(command)$formula$models)
  if (is.symbol(response) && !is.null(features) && !of_formula) {
    target <- list(target = as.character(response))
    if (!length(features)) return(c(target, if (is.null(options$model)) list(model = "categorical")))
    return(c(target, if (!identical(features, ".")) list(features = parts(features))))
  }
  if ("." %in% all.names(right)) {
    others <- if (!is.null(schema)) setdiff(vapply(schema$fields$columns, `[[`, "", "name"), all.vars(response))
    if (!length(others)) usage("the formula has a \".\", and no schema says which columns these are; want their names")
    all <- Reduce(function(a, b) call("+", a, b), lapply(others, as.name))
    formula[[3]] <- do.call(substitute, list(right, list(. = all)))
  }
  list(formula = paste(trimws(deparse(formula, width.cutoff = 500L)), collapse = " "))
}

# plain_terms are the names of a sum of columns, none of 1; NULL of anything else.
plain_terms <- function(e) {
  if (is.symbol(e)) return(as.character(e))
  if (identical(e, 1)) return(character())
  if (!is.call(e) || !(identical(e[[1]], as.name("+")) || identical(e[[1]], as.name("(")))) return(NULL)
  parts <- lapply(as.list(e)[-1], plain_terms)
  if (any(vapply(parts, is.null, NA))) NULL else unlist(parts)
}

# asked runs a command that reads no rows.
asked <- function(command, formula, schema, options, text = FALSE) {
  schema <- if (!is.null(schema)) pb_schema(schema)
  options <- c(model_of(command, formula, schema, options), options)
  with_schema(schema, function(value) run(command, list(), c(list(schema = value), options), text = text))
}

pb_plan <- function(formula = NULL, schema = NULL, ...) {
  plan <- asked("plan", formula, schema, list(...))
  structure(plan, class = "pb_plan", asked = list("plan", formula, schema, list(...), text = TRUE))
}

print.pb_plan <- function(x, ...) {
  cat(do.call(asked, attr(x, "asked")))
  invisible(x)
}

pb_advise <- function(formula = NULL, schema = NULL, ...) {
  advice <- asked("advise", formula, schema, list(...))
  rows <- frame(advice$rows)
  attr(rows, "recommended") <- unlist(advice$recommended)
  attr(rows, "left_out") <- unlist(advice$left_out)
  rows
}

pb_release <- function(formula = NULL, data, schema = NULL, keep, ...)
  made("release", formula, data, schema, keep, list(...))

pb_learn <- function(data, schema = NULL, keep, ...) made("learn", NULL, data, schema, keep, list(...))

pb_publish <- function(wishes, data, schema = NULL, keep, ...) {
  p <- with_file(wishes, function(path) made("publish", NULL, data, schema, keep, list(...), list(path)), "items")
  structure(p, class = c("pb_publication", class(p)))
}

pb_accept <- function(rules, data, schema = NULL, keep, ...)
  with_file(rules, function(path)
    made("accept", NULL, data, schema, keep, c(list(rules = path), list(...))), "criteria")

pb_discover <- function(data, schema, keep, ...) made("discover", NULL, data, schema, keep, list(...))

pb_totals <- function(data, schema, keep, ...) made("totals", NULL, data, schema, keep, list(...))

# with_file calls f with a file, or with a temporary one of a list: what stands in it is public.
with_file <- function(content, f, needs = NULL) {
  if (!is.list(content)) return(f(content))
  if (!is.null(needs) && (is.object(content) || is.null(content[[needs]]))) # a table in its place is in no file
    bad_input("a %s without \"%s\" is in place of %s; want a list that has them, or the path of a file",
              class(content)[1], needs, needs)
  path <- tempfile("privbayes-", fileext = ".json")
  on.exit(unlink(path))
  text <- jsonlite::toJSON(content, auto_unbox = TRUE, digits = NA, null = "null")
  writeLines(as.character(text), path, useBytes = TRUE)
  tryCatch(f(path), pb_error = function(e) {
    e$message <- sub(path, "what was given", conditionMessage(e), fixed = TRUE)
    e$file <- NULL
    stop(e)
  })
}

pb_item <- function(publication, name, keep) {
  if (missing(keep)) usage("keep is missing; want the new file that keeps the item as a release")
  run("show", publication, list(item = name, out = keep))
  pb_load(keep)
}

as.data.frame.pb_publication <- function(x, row.names = NULL, optional = FALSE, ...) {
  said <- run("export", x, list(to = "csv"))
  columns <- unique(unlist(lapply(said$items, function(i) i$estimates$columns)))
  do.call(rbind, lapply(said$items, function(i) {
    rows <- table_of(i$estimates$rows, unlist(i$estimates$columns))
    rows[setdiff(columns, names(rows))] <- NA_real_
    cbind(item = rep(i$name, nrow(rows)), rows[columns])
  }))
}

made <- function(command, formula, data, schema, keep, options, words = list()) {
  if (missing(keep)) usage("keep is missing; want the file that keeps the release, so that it is drawn once")
  if (!is.character(keep) || length(keep) != 1 || is.na(keep)) # before anything is drawn
    usage("keep is %s; want the path of the file that keeps the release, so that it is drawn once",
          if (is.character(keep) && length(keep) > 1) "several paths" else said_of(keep), flag = "--out")
  schema <- if (!is.null(schema)) pb_schema(schema)
  if (is.null(schema) && !is.character(data))
    usage("a table needs a schema: what is public about its columns", flag = "--schema")
  options <- c(model_of(command, formula, schema, options), options, list(out = keep))
  said <- with_schema(schema, function(value)
    with_data(command, words, data, schema, if (!is.null(schema)) schema_columns(schema),
              c(list(schema = value), options)))
  structure(c(list(path = expanded(keep)), said[setdiff(names(said), "file")]), class = "pb_release")
}

# with_data runs a command on a table: a data frame goes through a pipe, and text is the path of a file, or paths, or the
# name of an embedded data set. A column or a matrix of text is refused here: its values would be on a command line.
with_data <- function(command, words, data, schema, columns, options, accept = integer()) {
  if (is.character(data) && (!is.null(dim(data)) || !length(data) || anyNA(data) ||
                             length(data) > 1 && !all(file.exists(data))))
    bad_input("a table cannot be a matrix or a column of text; want a data frame, or the path of a file")
  if (is.character(data)) return(run(command, words, c(list(data = data), options), accept = accept))
  known <- !is.null(schema)
  rows <- rows_of(data, columns, if (known) schema_missing(schema), if (known) schema_layouts(schema))
  run(command, words, c(list(data = "-"), options), rows, accept)
}

pb_load <- function(path) {
  said <- run("show", list(path))
  if (is.list(path)) path <- path$path
  structure(c(list(path = expanded(path), loaded = TRUE), said[c("id", "mechanism", "guarantee", "warnings")]),
            class = c(if (!is.null(said$items)) "pb_publication", "pb_release"))
}

pb_check <- function(data, schema, ...) {
  schema <- pb_schema(schema)
  said <- with_schema(schema, function(value)
    with_data("check", list(), data, schema, schema_columns(schema), c(list(schema = value), list(...)), accept = 3L))
  structure(said, class = "pb_private")
}

print.pb_private <- function(x, ...) {
  cat("Computed from private rows: do not publish.\n")
  print(unclass(x), ...)
  invisible(x)
}

# frame is a list of records as a data frame.
frame <- function(records) {
  columns <- unique(unlist(lapply(records, names)))
  out <- lapply(columns, function(name) column_of(lapply(records, `[[`, name)))
  structure(setNames(out, columns), row.names = seq_along(records), class = "data.frame")
}

column_of <- function(values) {
  if (!length(values)) return(logical())
  values[vapply(values, is.null, NA)] <- NA
  if (all(lengths(values) == 1) && !any(vapply(values, is.list, NA))) unlist(values) else I(values)
}

# table_of is a list of rows, each with a value for every name, as a data frame.
table_of <- function(rows, names) {
  out <- lapply(seq_along(names), function(j) column_of(lapply(rows, `[[`, j)))
  structure(setNames(out, names), row.names = seq_along(rows), class = "data.frame")
}
