# What is refused: by which class, with which fields; no value of a table is said, and no budget is touched.
source("shared/table.R")

# with_budget evaluates in a folder with a budget, which stays as it is.
with_budget <- function(expr) in_folder({
  pb_budget("b.budget", SCHEMA, epsilon = 1)
  before <- readLines("b.budget")
  force(expr)
  stopifnot(identical(list.files(".", all.files = TRUE, no.. = TRUE), "b.budget"),
            identical(readLines("b.budget"), before),
            pb_budget("b.budget")$left == "\u03b5 = 1")
})

refused <- function(class, data, schema = SCHEMA, formula = answer ~ ., say = "", column = NULL, ...) {
  options <- list(...)
  if (is.null(options$epsilon)) options$epsilon <- 1
  e <- NULL
  with_budget(e <- caught(do.call(pb_release, c(list(formula, data, schema, keep = "r.json", budget = "b.budget"),
                                                options)),
                          class, say))
  if (!is.null(column)) stopifnot(identical(e$column, column))
  invisible(e)
}

bad <- function(column, value) {
  table <- survey()
  table[[column]][400] <- value
  table
}

# Values: a level that the schema does not know, one outside, and a missing one.
levels <- transform(survey(), answer = factor(ifelse(is.na(answer), SECRET, answer)))
refused("pb_bad_input", levels, column = "answer", say = "does not fit")
refused("pb_bad_input", bad("age", 1000L), column = "age")
e <- refused("pb_bad_input", bad("answer", "yess"), column = "answer", say = "want one of \"yes\", \"no\".")
stopifnot(!grepl("mean", e$want)) # what was meant is nearly the value
refused("pb_bad_input", bad("wage", -5.5), column = "wage")
refused("pb_bad_input", bad("wage", Inf), column = "wage")
refused("pb_bad_input", bad("age", NaN), column = "age")
refused("pb_bad_input", bad("smokes", NA), column = "smokes", say = "Missing values fit where")
e <- refused("pb_bad_input", bad("age", SECRET), column = "age", say = "does not fit")
stopifnot(is.null(e$value), grepl("want", conditionMessage(e)))
other <- SCHEMA
other$columns[[1]]$categories <- c("yes", "never")
refused("pb_bad_input", survey(), other, column = "answer")

# Kinds of columns.
kinds <- list(I(as.list(rep(SECRET, 400))), matrix(1:800, 400), complex(400), as.raw(rep(1, 400)),
              structure(rep(1, 400), class = "integer64"), structure(rep(1, 400), class = "difftime", units = "secs"))
for (kind in kinds) {
  table <- survey()
  table$age <- NULL
  table$age <- kind
  refused("pb_bad_input", table, column = "age", say = "want text, numbers, truth values, a factor or dates")
}
bytes <- paste0(SECRET, "\xff")
Encoding(bytes) <- "bytes"
refused("pb_bad_input", bad("answer", bytes), column = "answer")
Encoding(bytes) <- "UTF-8"
refused("pb_bad_input", bad("answer", bytes), column = "answer", say = "UTF-8")
short <- unclass(survey())
short$age <- 1:3
refused("pb_bad_input", structure(short, class = "data.frame"), column = "age", say = "3 values; want 400")

# Names of columns.
refused("pb_bad_input", survey()[-2], column = "age", say = "not in the table")
refused("pb_bad_input", setNames(cbind(survey(), 1), c("wage", "age", "answer", "smokes", "age")), column = "age",
        say = "in the table more than once")
texts <- data.frame(answer = c(SECRET, "yes"))
for (data in list(3, NULL, "none.csv", list(1), as.matrix(survey()[1:2]), as.matrix(texts), as.matrix(texts[1, ]),
                  texts$answer, character(), NA_character_)) refused("pb_bad_input", data)

# Schemas.
for (schema in list(list(), texts, list(columns = 3), list(columns = list(list(name = "a"))), 3, "none.json",
                    NA_character_, c("a", "b")))
  refused("pb_bad_input", survey(), schema)
upside_down <- SCHEMA
upside_down$columns[[3]]$edges <- c(30, 0)
e <- refused("pb_bad_input", survey(), upside_down, column = "age", say = "edges is 30 before 0")
stopifnot(identical(e$step, "schema"), !grepl("pb_check", conditionMessage(e)))
refused("pb_usage", survey(), NULL, say = "a table needs a schema")

# Options and formulas.
refused("pb_usage", survey(), epsilonn = 1, say = "did you mean epsilon?")
refused("pb_usage", survey(), formula = anwser ~ .)
refused("pb_usage", survey(), model = "no-model")
refused("pb_usage", survey(), epsilon = -1, say = "epsilon = -1; want")
refused("pb_usage", survey(), rho = 1, say = "epsilon")
refused("pb_usage", survey(), epsilon = c(1, 2), say = "epsilon has 2 values; want one")
refused("pb_usage", survey(), epsilon = NA_real_, say = "epsilon is NA; want a number")
refused("pb_usage", survey(), epsilon = TRUE, say = "epsilon is TRUE; want a number")
refused("pb_usage", survey(), mechanism = TRUE, say = "mechanism is TRUE; want text")
refused("pb_usage", survey(), mechanism = texts, say = "mechanism is a data.frame; want text")
refused("pb_usage", survey(), mechanism = factor(SECRET), say = "mechanism is a factor; want text")
refused("pb_usage", survey(), mechanism = list(answer = SECRET), say = "mechanism is a list; want text")
refused("pb_usage", survey(), target = "answer", say = "target is given twice")
refused("pb_usage", survey(), split = survey, say = "want text")
refused("pb_usage", survey(), formula = log(wage) ~ age)
refused("pb_usage", survey(), formula = wage ~ exp(age))
refused("pb_usage", survey(), formula = ~ 1, say = "contingency table")
refused("pb_usage", survey(), formula = 3)
with_budget(caught(pb_release(answer ~ ., survey(), SCHEMA, epsilon = 1), "pb_usage", "keep is missing"))
for (keep in list(3, NULL, NA_character_, c("a", "b"), TRUE, texts))
  with_budget(caught(pb_release(answer ~ ., survey(), SCHEMA, keep = keep, epsilon = 1, budget = "b.budget"),
                     "pb_usage", "want the path of the file that keeps the release"))
for (wishes in list(texts, unclass(texts), list(1))) {
  caught(pb_publish(wishes, survey(), SCHEMA, keep = "r.json", epsilon = 1), "pb_bad_input", "is in place of items")
  caught(pb_accept(wishes, survey(), SCHEMA, keep = "r.json", epsilon = 1), "pb_bad_input", "is in place of criteria")
}
for (release in list(NULL, 3, texts, c("a", "b"), NA_character_))
  caught(pb_verify(release), "pb_usage", "want the path of a file")
caught(pb_combine(".", c(1, NA), 1:2), "pb_usage", "finite")
with_budget(caught(pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", 1), "pb_usage", "an option has no name"))
with_budget(caught(pb_plan(wage ~ . + age:smokes, data = "cps1988", epsilon = 1), "pb_usage", "no schema"))

# The budget, another plan, and places that cannot be written.
e <- refused("pb_refused", survey(), epsilon = 1.5)
stopifnot(e$left == "\u03b5 = 1", e$limit$epsilon == 1)
with_budget(caught(pb_budget("b.budget", SCHEMA, epsilon = 3), "pb_error"))
with_budget(caught(pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", epsilon = 1, budget = "none.budget"),
                   "pb_usage"))
closed <- tempfile("closed-")
dir.create(closed, mode = "500")
places <- c("none/r.json", "b.budget/r.json", ".", if (file.access(closed, 2) != 0) file.path(closed, "r.json"))
for (place in places)
  with_budget(caught(pb_release(answer ~ ., survey(), SCHEMA, keep = place, epsilon = 1, budget = "b.budget"),
                     "pb_error"))
unlink(closed, recursive = TRUE)
in_folder({
  b <- pb_budget("b.budget", SCHEMA, epsilon = 1)
  pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", epsilon = 0.5, budget = b)
  caught(pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", epsilon = 0.25, budget = b), "pb_refused")
  stopifnot(pb_budget("b.budget")$left == "\u03b5 = 0.5")
})

# A release that was edited, and what is none.
in_folder({
  pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", epsilon = 1)
  text <- readLines("r.json", encoding = "UTF-8")
  edited <- sub("\"num\": 1", "\"num\": 2", text, fixed = TRUE)
  stopifnot(!identical(edited, text))
  writeLines(edited, "edited.json", useBytes = TRUE)
  caught(pb_verify("edited.json"), c("pb_unverified", "pb_bad_input"))
  caught(pb_load("none.json"), "pb_bad_input")
  caught(predict(pb_load("r.json")), "pb_usage", "newdata")
  writeLines(paste0("answer,smokes,age,wage\nyes,true,3,4\n", SECRET, ",true,3,4"), "t.csv")
  caught(pb_release(answer ~ ., "t.csv", SCHEMA, keep = "other.json", epsilon = 1), "pb_bad_input", "line 3")
})

# pb_check lists what does not fit, for the owner of the table, and a schema that does not fit is an error.
caught(pb_check(survey(), upside_down), "pb_bad_input")
caught(pb_check("none.csv", SCHEMA), "pb_bad_input", "no such file")
listed <- pb_check(bad("answer", SECRET), SCHEMA)
shown <- capture.output(print(listed))
stopifnot(listed$violations == 1, listed$rows == 400, grepl("do not publish", shown[1]), any(grepl(SECRET, shown)))
