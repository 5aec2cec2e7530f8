# What is public about a table: its columns, categories and bounds; and the budget of a data set.

pb_schema <- function(x) {
  if (inherits(x, "pb_schema")) return(x)
  if (is.list(x) && !is.data.frame(x)) {
    lists <- c("categories", "edges", "missing", "date_edges")
    if (length(x$columns)) x$columns <- lapply(x$columns, function(c) { # also one category is a list in JSON
      if (!is.list(c)) return(c)
      c[names(c) %in% lists] <- lapply(c[names(c) %in% lists], as.list)
      c
    })
    text <- as.character(jsonlite::toJSON(x, auto_unbox = TRUE, digits = NA, null = "null"))
  } else {
    if (!is.character(x) || length(x) != 1 || is.na(x))
      bad_input("a schema cannot be a %s; want a list, or the path of a file", class(x)[1])
    text <- if (startsWith(trimws(x), "{")) trimws(enc2utf8(x))
    else tryCatch(suppressWarnings(readChar(x, file.size(x), useBytes = TRUE)), error = function(e) NULL)
    if (is.null(text)) bad_input("%s cannot be read; want the path of a schema file", x)
    Encoding(text) <- "UTF-8"
  }
  fields <- tryCatch(parse_json(text), error = function(e) NULL)
  if (is.list(fields$tables)) fields$columns <- do.call(c, lapply(fields$tables, function(t) t$columns))
  fits <- is.list(fields) && is.list(fields$columns) && all(vapply(fields$columns, function(c)
    is.list(c) && is.character(c$name) && is.character(c$kind), NA))
  if (!fits) bad_input("this is no schema; want JSON with a list \"columns\", each with \"name\" and \"kind\"")
  structure(list(text = text, fields = fields), class = "pb_schema")
}

print.pb_schema <- function(x, ...) {
  rows <- lapply(x$fields$columns, function(c) list(column = c$name, kind = c$kind, public_domain = paste(unlist(
    Filter(length, c(c[c("categories", "edges", "date_edges")], list(c[c("min", "max")])))[[1]]), collapse = ", ")))
  print(frame(rows), right = FALSE, row.names = FALSE)
  invisible(x)
}

# schema_columns are those that a table must have, with the key of units; NULL where the schema does not list them all.
schema_columns <- function(schema) {
  columns <- schema$fields$columns
  if (length(schema$fields$tables) || any(vapply(columns, `[[`, "", "kind") == "sequence")) return(NULL)
  unique(c(vapply(columns, `[[`, "", "name"), schema$fields$unit_key))
}

schema_missing <- function(schema) by_column(schema, function(c) if (length(c$missing)) c$missing[[1]])

schema_layouts <- function(schema) by_column(schema, function(c) c$date)

by_column <- function(schema, of) {
  columns <- schema$fields$columns
  setNames(lapply(columns, of), vapply(columns, `[[`, "", "name"))
}

# with_schema calls a function with the value of --schema. A long schema is a file for that time: it is public.
with_schema <- function(schema, call) {
  if (is.null(schema)) return(call(NULL))
  if (nchar(schema$text, "bytes") <= 100000 && startsWith(schema$text, "{")) return(call(schema$text))
  path <- tempfile("privbayes-", fileext = ".json")
  on.exit(unlink(path))
  writeBin(charToRaw(schema$text), path)
  call(path)
}

pb_skeleton <- function(columns, dataset = "table") {
  if (!is.character(columns)) usage("the columns are a %s; want their names, such as names(data)", class(columns)[1])
  path <- tempfile("privbayes-", fileext = ".csv") # names alone
  on.exit(unlink(path))
  writeLines(paste(quoted(enc2utf8(columns), FALSE), collapse = ","), path, useBytes = TRUE)
  run("schema", path, list(dataset = dataset))
}

pb_budget <- function(path, schema = NULL, ...) {
  state <- with_schema(if (!is.null(schema)) pb_schema(schema), function(text)
    run("budget", path, c(list(schema = text), list(...))))
  charges <- table_of(lapply(state$charges, function(c) {
    level <- jsonlite::toJSON(c$level, auto_unbox = TRUE, digits = NA)
    list(c$id, c$what, c$info$time, as.character(level))
  }), c("id", "what", "time", "level"))
  structure(c(list(path = expanded(path)), state[c("dataset", "limit", "spent", "left")], list(charges = charges)),
            class = "pb_budget")
}

print.pb_budget <- function(x, ...) {
  cat(run("budget", x$path, text = TRUE))
  invisible(x)
}
