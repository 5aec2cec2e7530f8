# What the tests share: a table of a survey, its schema, and a look at all that a condition says.
library(privbayes)
if (!nzchar(Sys.getenv("PRIVBAYES_ENGINE")) && !nzchar(Sys.which("privbayes"))) {
  cat("the program privbayes is not here: no test was run\n")
  quit("no")
}

SECRET <- "SECRET-4711"

SCHEMA <- list(dataset = "survey", columns = list(
  list(name = "answer", kind = "categorical", categories = c("yes", "no"), missing = "NA", on_missing = "category"),
  list(name = "smokes", kind = "categorical", categories = c("true", "false")),
  list(name = "age", kind = "integer", edges = c(0, 30, 60, 100)),
  list(name = "wage", kind = "real", min = 0, max = 100, edges = c(0, 10.5, 50, 100))))

# survey is a table in another order than the schema's.
survey <- function(rows = 400, seed = 7) {
  set.seed(seed)
  data.frame(wage = round(runif(rows, 0, 100), 2), age = sample(0:99, rows, TRUE),
             answer = sample(c("yes", "yes", "no", NA), rows, TRUE), smokes = runif(rows) < 0.3)
}

# in_folder evaluates in an empty folder, and checks that nothing was left in R's folder for the session.
in_folder <- function(expr) {
  folder <- tempfile("folder-")
  dir.create(folder)
  before <- setwd(folder)
  on.exit({
    setwd(before)
    unlink(folder, recursive = TRUE)
  })
  there <- list.files(tempdir())
  force(expr)
  stopifnot(identical(list.files(tempdir()), there))
}

# fixed is the file of a release with a fixed seed.
fixed <- function(data, schema = SCHEMA, formula = answer ~ ., ...) {
  path <- tempfile()
  on.exit(unlink(path))
  pb_release(formula, data, schema, keep = path, epsilon = 1, seed = 1, ...)
  readChar(path, file.size(path), useBytes = TRUE)
}

# caught is the error of an expression, of a class, whose text has a part. It has no value of a table.
caught <- function(expr, class, say = "") {
  e <- tryCatch({
    expr
    NULL
  }, error = identity)
  all <- paste(c(conditionMessage(e), capture.output(str(unclass(e))), capture.output(print(e)), deparse(e)),
               collapse = "\n")
  if (!inherits(e, class) || !inherits(e, "pb_error") || !grepl(say, conditionMessage(e), fixed = TRUE) ||
      grepl(SECRET, all, fixed = TRUE) || !is.null(conditionCall(e)))
    stop("want a ", class, " that says '", say, "', without a value; got a ", paste(class(e), collapse = "/"), ": ",
         all)
  invisible(e)
}
