# One table is one release, byte for byte, in whatever form R has it.
source("shared/table.R")

table <- survey()
want <- fixed(table)
text <- transform(table, wage = privbayes:::number(wage), smokes = ifelse(smokes, "true", "false"))
path <- tempfile(fileext = ".csv")
write.csv(text, path, row.names = FALSE, quote = FALSE)
stopifnot(identical(fixed(path), want))
forms <- list(
  factors = transform(table, answer = factor(answer, c("no", "never", "yes")),
                      smokes = factor(smokes, labels = c("false", "true"))),
  doubles = transform(table, age = as.double(age)),
  text = text,
  more = cbind(other = I(lapply(seq_len(400), function(i) SECRET)), table[4:1]),
  as_is = transform(table, answer = I(answer)),
  other_class = structure(table, class = c("tbl_df", "tbl", "data.frame")),
  named_rows = structure(table, row.names = paste0("row", 1:400)))
for (name in names(forms)) if (!identical(fixed(forms[[name]]), want)) stop(name)
stopifnot(!identical(fixed(survey(seed = 8)), want)) # the test tells tables apart

stopifnot(identical(fixed(table, formula = NULL, target = "answer"), want))

# Dates stand in the layout of the schema.
days <- as.Date("2020-02-03") + 0:399 %% 300
for (layout in list(c("2006-01-02", "%Y-%m-%d"), c("02.01.2006", "%d.%m.%Y"), c("2006-02-01", "%Y-%d-%m"),
                    c("2006-002", "%Y-%j"), c("02_01_2006", "%d_%m_%Y"),
                    c("2006-01-02T15:04:05Z07:00", "%Y-%m-%dT00:00:00Z"))) {
  other <- SCHEMA
  other$columns[[5]] <- list(name = "day", kind = "integer", date = layout[1],
                             date_edges = format(as.Date(c("2020-01-01", "2020-07-01", "2020-12-31")), layout[2]))
  as_text <- fixed(cbind(table, day = format(days, layout[2])), other)
  stopifnot(identical(fixed(cbind(table, day = days), other), as_text),
            identical(fixed(cbind(table, day = as.POSIXct(format(days), tz = "UTC")), other), as_text))
}
stopifnot(identical(
  privbayes:::dated(as.POSIXct("2024-02-03 04:05:06", tz = "UTC") + c(0, NA), "_2 January 06")[1],
  " 3 February 24 04:05:06"),
  privbayes:::dated(as.Date("2024-02-03"), "Jan 2, 2006 15:04") == "Feb 3, 2024 00:00")

stopifnot(identical(fixed(table, schema = pb_schema(SCHEMA)$text), want))

# Numbers: the shortest text that reads back as the same.
numbers <- c(0, -0, 1, 100000, 1e6, 123456789012, 0.1, 1 / 3, 1e-6, 2^53, 1e15, 1e22, 1.5e300, pi, -2.5, 5e-324)
stopifnot(identical(as.double(privbayes:::number(numbers)), numbers + 0),
          identical(privbayes:::number(c(0.1, 100000, -0, 1e-6, 7L)), c("0.1", "100000", "0", "1e-06", "7")))

# What goes through the pipe: quotes, marks of missing values, empty lines, blocks, dates.
sent <- function(data, ...) {
  rows <- privbayes:::rows_of(data, ...)
  out <- raw()
  while (!is.null(bytes <- rows())) out <- c(out, bytes)
  stopifnot(is.null(rows()))
  out <- rawToChar(out)
  Encoding(out) <- "UTF-8"
  out
}
odd <- data.frame(`a,b` = c("x\"y", "line\nbreak", NA, "\u00e9"), day = as.Date("2024-02-03") + 0:3,
                  time = as.POSIXct("2024-02-03 04:05:06", tz = "UTC") + 0:3, check.names = FALSE)
stopifnot(identical(sent(odd, missing = list(`a,b` = "n,a")), paste0(
  "\"a,b\",day,time\n\"x\"\"y\",2024-02-03,2024-02-03 04:05:06\n\"line\nbreak\",2024-02-04,2024-02-03 04:05:07\n",
  "\"n,a\",2024-02-05,2024-02-03 04:05:08\n\u00e9,2024-02-06,2024-02-03 04:05:09\n\u0004\n")))
stopifnot(identical(sent(data.frame(a = c("", NA, "x"))), "a\n\"\"\n\"\"\nx\n\004\n"),
          identical(sent(data.frame(a = integer())), "a\n\004\n"))
for (n in privbayes:::block_rows * (1:2) + c(-1, 0)) {
  lines <- strsplit(sent(data.frame(a = seq_len(n))), "\n")[[1]]
  stopifnot(identical(lines, c("a", as.character(seq_len(n)), "\004")))
}
latin <- "\xe9"
Encoding(latin) <- "latin1"
stopifnot(identical(sent(data.frame(a = latin)), "a\n\u00e9\n\u0004\n"))

# Other marks than those of R's files, and long schemas: one is longer than a path may be, and one is a file for the time
# of a call.
for (length in c(9000, 150000)) in_folder({
  other <- c(SCHEMA, list(format = list(separator = ";", decimal = ",", encoding = "latin-1", thousands = ".")))
  other$columns[[1]]$description <- strrep("x", length)
  r <- pb_release(answer ~ ., table, other, keep = "r.json", epsilon = 1, seed = 1)
  stopifnot(identical(list.files("."), "r.json"), summary(r)$n == 400)
})

# Columns whose names have commas and quotes, by formula and by vector.
names <- c("a,b", "5\" nails", "c")
odd <- list(dataset = "d", unit = "row", columns = lapply(names, function(name)
  list(name = name, kind = "categorical", categories = list("x", "y"))))
features <- function(plan) unlist(plan$spec$model[c("target", "features")], use.names = FALSE)
stopifnot(
  identical(features(pb_plan(~ `a,b` + `5" nails` + c, odd, n = 50, epsilon = 1)), names),
  identical(features(pb_plan(c ~ `a,b`, odd, n = 50, epsilon = 1)), names[c(3, 1)]),
  identical(features(pb_plan(NULL, odd, n = 50, epsilon = 1, target = "c", features = names[1:2])), names[c(3, 1, 2)]))

# A path that the locale of R cannot write.
in_folder({
  before <- Sys.getlocale("LC_CTYPE")
  Sys.setlocale("LC_CTYPE", "C")
  r <- pb_release(answer ~ ., table, SCHEMA, keep = "r\u00f6.json", epsilon = 1)
  there <- identical(r$path, "r\u00f6.json") && isTRUE(pb_verify(r)$ok) && identical(pb_load(pb_load(r))$id, r$id)
  Sys.setlocale("LC_CTYPE", before)
  stopifnot(there)
})

# Many rows.
in_folder({
  many <- survey(2e5)
  r <- pb_release(answer ~ ., many, SCHEMA, keep = "r.json", epsilon = 1)
  stopifnot(summary(r)$n == 2e5, abs(coef(r)[["answer: yes"]] - 0.5) < 0.01)
})

# Two linked tables are the paths of both. Each unit has a prediction, with its key, in the order of the parents.
in_folder({
  town <- list(dataset = "town", unit = "household", tables = list(
    list(name = "homes", key = "hid", columns = list(
      list(name = "side", kind = "categorical", categories = list("north", "south")))),
    list(name = "persons", of = "homes", key = "hid", at_most = 2L, columns = list(
      list(name = "age", kind = "integer", edges = list(0, 5, 100))),
      per_unit = list(list(name = "infant", is = "any", of = "age", where = list("[0, 5)"))))))
  key <- 59:0
  write.csv(data.frame(hid = key, side = c("north", "south")[1 + key %% 2]), "h.csv", row.names = FALSE, quote = FALSE)
  write.csv(data.frame(hid = key, age = (key * 7) %% 90), "p.csv", row.names = FALSE, quote = FALSE)
  both <- c("h.csv", "p.csv")
  found <- predict(pb_release(data = both, schema = town, keep = "r.json", target = "side", epsilon = 1), both)
  stopifnot(identical(found$hid, as.character(key)), identical(names(found), c("hid", "side", "P(north)", "P(south)")),
            all(abs(rowSums(found[3:4]) - 1) < 1e-6))
})
