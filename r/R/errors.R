# What the program refuses, as classed conditions. No text of one, nor what led to it, has a value of a table.

# pb_stop raises an error of a class. It has no call: a call may hold the rows.
pb_stop <- function(class, text, fields = list()) {
  keep <- c("kind", "step", "flag", "file", "line", "column", "want", "left", "limit")
  stop(structure(class = c(class, "pb_error", "error", "condition"),
                 c(list(message = text, call = NULL), fields[intersect(keep, names(fields))])))
}

bad_input <- function(..., column = NULL) pb_stop("pb_bad_input", sprintf(...), list(kind = "input", column = column))

usage <- function(..., flag = NULL) pb_stop("pb_usage", sprintf(...), list(kind = "usage", flag = flag))

# quietly is the value of an expression on rows. An error of R may quote them, so that only its place is told.
quietly <- function(expr, ...) {
  failed <- FALSE
  value <- tryCatch(suppressWarnings(expr), pb_error = identity, error = function(e) failed <<- TRUE)
  if (failed) bad_input(...)
  if (inherits(value, "pb_error")) stop(value)
  value
}

# renamed is what the program says, with options as they are named here: epsilon for --epsilon, split_by = 2 for
# --split-by 2. What stands in quotes, and --help, stay.
renamed <- function(text) {
  text <- enc2utf8(text)
  found <- gregexpr("\"[^\"]*\"|--help|--[a-z]+(-[a-z]+)*( (?=[-+]?[.\\d]))?", text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), function(f)
    ifelse(startsWith(f, "\"") | f == "--help", f, sub(" $", " = ", gsub("-", "_", substring(f, 3)))))
  text
}

# from_exit raises the error of an exit code. What does not fit in a table is told by place and by what is wanted.
from_exit <- function(code, fault, said) {
  if (code < 0)
    pb_stop("pb_engine", sprintf("the program was ended by signal %d. Its files are whole: run the same call again",
                                 -code))
  text <- c(fault$text, if (length(said)) paste(said, collapse = "\n"),
            sprintf("the program ended with exit code %d", code))[1]
  if (identical(fault$kind, "input") && !is.null(fault$column) && !identical(fault$step, "schema")) { # which is public
    place <- c(fault$file, if (!is.null(fault$line)) paste("line", fault$line), sprintf("column \"%s\"", fault$column))
    text <- paste0(paste(place, collapse = ", "), " does not fit",
                   if (!is.null(fault$want)) paste0("; want ", fault$want),
                   if (grepl("^(one of|a (whole )?number|a date) (?!.*missing)", c(fault$want, "")[1], perl = TRUE))
                     ". Missing values fit where the schema has \"on_missing\" of the column",
                   ". pb_check lists what does not fit, for the owner of the table")
  }
  classes <- c("pb_refused", "pb_usage", "pb_bad_input", "pb_unverified")
  pb_stop(if (code <= length(classes)) classes[[code]] else "pb_engine", renamed(text), fault)
}
