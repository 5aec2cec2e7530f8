# What the documents promise, as a person does it, and what the program says of itself.
source("shared/table.R")

# A first release: it is drawn and charged once.
in_folder({
  budget <- pb_budget("votes.budget", data = "votes", epsilon = 2)
  make <- function(keep = "votes.release.json", epsilon = 1)
    pb_release(Class ~ ., "votes", keep = keep, epsilon = epsilon, budget = budget, split = "0.7,1")
  first <- make()
  again <- make()
  stopifnot(!first$loaded, again$loaded, identical(first$id, again$id), first$guarantee$epsilon == 1,
            pb_budget("votes.budget")$left == "\u03b5 = 1", nrow(pb_budget("votes.budget")$charges) == 1,
            identical(pb_load("votes.release.json")$id, first$id))
  caught(make("other.json", 1.5), "pb_refused")
  stopifnot(identical(sort(list.files(".")), c("votes.budget", "votes.release.json")))
  share <- pb_intervals(first, ask = c("P(Class=democrat)", "P(V3=y | Class=democrat)"))
  stopifnot(all(share$lower < share$mean & share$mean < share$upper), length(unique(share$of)) == 2)
  ends <- confint(first, level = 0.5)
  stopifnot(all(ends[, 1] <= ends[, 2]), identical(colnames(ends), c("25 %", "75 %")),
            identical(rownames(ends), names(coef(first))),
            all(confint(first)[, 1] <= ends[, 1] + 1e-9), nrow(confint(first, "Class: democrat")) == 1,
            nrow(as.data.frame(first)) > nrow(ends))
  about_rows <- confint(first, "Class: democrat", about = "rows")
  stopifnot(diff(about_rows[1, ]) < diff(confint(first, "Class: democrat")[1, ]))
  stopifnot(any(grepl("democrat", capture.output(print(first)))),
            any(grepl("Guarantee: epsilon = 1", capture.output(print(summary(first))))),
            any(grepl("left", capture.output(print(budget)))))
  scores <- pb_report(first, "votes")
  stopifnot(inherits(scores, "pb_private"), !inherits(pb_report(first), "pb_private"), isTRUE(pb_verify(first)$ok))
  pdf("plot.pdf")
  shown <- plot(first)
  dev.off()
  stopifnot(nrow(shown) == nrow(ends), file.size("plot.pdf") > 1000)
})

# A table of one's own.
in_folder({
  filled <- pb_skeleton(names(survey()), dataset = "survey")
  stopifnot(identical(vapply(filled$columns, `[[`, "", "name"), names(survey())))
  caught(pb_release(answer ~ ., survey(), filled, keep = "r.json", epsilon = 1), "pb_bad_input")
  stopifnot(pb_check(survey(), SCHEMA)$violations == 0, any(grepl("answer", capture.output(print(pb_schema(SCHEMA))))))
  writeLines(pb_schema(SCHEMA)$text, "s.json", useBytes = TRUE)
  stopifnot(identical(pb_schema("s.json")$fields, pb_schema(SCHEMA)$fields))
  r <- pb_release(answer ~ ., survey(), "s.json", keep = "r.json", epsilon = 1)
  some <- survey(5, seed = 8)
  guess <- predict(r, some)
  stopifnot(identical(guess, predict(r, some[names(some) != "answer"])), nrow(guess) == 5,
            all(guess$answer %in% c("yes", "no", "missing", NA)),
            all(abs(rowSums(guess[-1]) - 1) < 1e-9), nrow(predict(r, some[0, ])) == 0)
  quantiles <- pb_release(wage ~ 1, survey(), SCHEMA, keep = "q.json", model = "quantiles", at = c(0.25, 0.5),
                          epsilon = 1)
  stopifnot(length(summary(quantiles)$tables) > 0)
  one <- pb_release(smokes ~ 1, survey(), SCHEMA, keep = "one.json", epsilon = 1)
  stopifnot(identical(names(coef(one)), c("smokes: true", "smokes: false")))
  crossed <- pb_release(~ answer + smokes, survey(), SCHEMA, keep = "t.json", epsilon = 1)
  stopifnot(length(summary(crossed)$tables) > 0)
  line <- pb_release(wage ~ age, survey(), SCHEMA, keep = "line.json", model = "linear-regression",
                     mechanism = "moments",
                     epsilon = 1, delta = 1e-6)
  stopifnot(identical(names(coef(line)), c("intercept", "age")),
            identical(names(predict(line, data.frame(age = c(20, 80)))), c("wage", "standard deviation")))
  draws <- pb_draws(line)
  stopifnot(identical(names(draws)[1:4], c(".chain", ".iteration", "intercept", "age")),
            abs(mean(draws$age) - coef(line)[["age"]]) < 1e-6,
            !anyDuplicated(draws[1:2]))
  synthetic <- suppressWarnings(simulate(r, seed = 3, rows = 20))
  stopifnot(nrow(synthetic) == 20, is.numeric(synthetic$age), identical(synthetic, suppressWarnings(pb_synthesize(r, 20,
      seed = 3))))
  stopifnot(identical(dim(simulate(r, 2, rows = 30)[[2]]), c(30L, 4L)))
  caught(simulate(r, 2, seed = 1), "pb_usage", "no seed")
  files <- pb_sets(r, "sets", sets = 3, rows = 200)
  shares <- vapply(files, function(f) mean(read.csv(f)$smokes == "true"), 0)
  combined <- pb_combine("sets", shares, shares * (1 - shares) / 200)
  stopifnot(length(files) == 3, all(file.exists(files)), is.numeric(combined$value) || is.numeric(combined$estimate))
  caught(pb_combine("sets", 1:2, 1), "pb_usage")
  caught(pb_combine("sets", 1:2, 1:2), "pb_bad_input", "what was given: want a list of 3")
  learned <- pb_learn(survey(), SCHEMA, keep = "net.json", epsilon = 3, algorithm = "tree", always = TRUE)
  stopifnot(length(summary(learned)$graph) > 0)
})

# Several results under one guarantee: drawn and charged once, read item by item, with a page for all.
in_folder({
  wishes <- list(publication = "survey", items = list(
    list(model = list(kind = "categorical", target = "answer"), within = "5pp"),
    list(model = list(kind = "table", target = "answer", features = list("smokes")), name = "two"),
    list(model = list(kind = "mean", target = "wage"), within = "5%")))
  budget <- pb_budget("b.budget", SCHEMA, epsilon = 2)
  first <- pb_publish(wishes, survey(), SCHEMA, keep = "p.json", epsilon = 1, budget = budget)
  again <- pb_publish(wishes, survey(), SCHEMA, keep = "p.json", epsilon = 1, budget = budget)
  stopifnot(!first$loaded, again$loaded, identical(first$id, again$id), nrow(pb_budget("b.budget")$charges) == 1,
            inherits(pb_load("p.json"), "pb_publication"), isTRUE(pb_verify(first)$ok))
  all <- as.data.frame(first)
  stopifnot(identical(unique(all$item), c("answer", "two", "mean of wage")),
            abs(sum(all$estimate[all$item == "answer"]) - 1) < 1e-9, all(all$rows_lower <= all$rows_upper),
            length(summary(first)$tables) == 4, any(grepl("survey", capture.output(print(summary(first))))))
  item <- pb_item(first, "answer", keep = "answer.json")
  stopifnot(inherits(item, "pb_release"), nrow(confint(item)) == 3, item$guarantee$epsilon < 1)
  caught(pb_item(first, "wage", keep = "wage.json"), "pb_bad_input", "one of")
  caught(pb_item(first, "answer"), "pb_usage", "keep")
  page <- pb_report(first, budget = budget)
  stopifnot(page$numbers$guarantee$epsilon == first$guarantee$epsilon, identical(page$release$kind, "publication"))
  writeLines(as.character(jsonlite::toJSON(wishes, auto_unbox = TRUE)), "w.json")
  stopifnot(pb_publish("w.json", survey(), SCHEMA, keep = "p.json", epsilon = 1, budget = budget)$loaded)
})

# The first of several candidates whose synthetic rows meet criteria, or none: drawn and charged once.
in_folder({
  rules <- list(level = list(epsilon = 4), model = list(kind = "naive-bayes", target = "answer"),
                criteria = list(means = list(list(of = "wage", within = 1e6))), test = list(epsilon = 0.5, wrong = 0.1),
                stop = list(one_in = 10, most = 3), report = 0.3)
  budget <- pb_budget("b.budget", SCHEMA, epsilon = 5)
  first <- pb_accept(rules, survey(), SCHEMA, keep = "s.json", budget = budget)
  again <- pb_accept(rules, survey(), SCHEMA, keep = "s.json", budget = budget)
  stopifnot(!first$loaded, again$loaded, identical(first$id, again$id), first$guarantee$epsilon > 3.99,
            nrow(pb_budget("b.budget")$charges) == 1, isTRUE(pb_verify(first)$ok), isTRUE(first$accepted),
            nrow(pb_synthesize(first)) == nrow(survey()), nrow(pb_synthesize(first, 7)) == 7,
            nrow(predict(first, survey(9))) == 9)
  rules$criteria <- list(matched = 1)
  none <- pb_accept(rules, survey(), SCHEMA, keep = "n.json")
  stopifnot(!none$accepted)
  caught(pb_synthesize(none), "pb_refused", "no candidate was accepted")
})

# Rows of units are predicted, too.
in_folder({
  keyed <- c(SCHEMA, list(unit = "person", unit_key = "id", rows_per_unit = 2))
  table <- cbind(survey(), id = 1:400 %/% 2L)
  r <- pb_release(answer ~ ., table, keyed, keep = "r.json", epsilon = 1, adjacency = "add-remove")
  stopifnot(nrow(predict(r, table)) == 400)
  caught(predict(r, survey()), "pb_bad_input", "column \"id\" is not in the table")
})

# Synthetic rows have the kinds of the table.
for (layout in list(c("02.01.2006", "%d.%m.%Y"), c("02012006", "%d%m%Y"), c("2006-002", "%Y-%j"))) in_folder({
  other <- SCHEMA
  days <- as.Date(c("2020-01-15", "2020-07-15", "2020-12-15"))
  other$columns[[5]] <- list(name = "day", kind = "integer", date = layout[1], missing = "NA", on_missing = "category",
                             date_edges = format(days, layout[2]))
  r <- pb_release(answer ~ ., cbind(survey(), day = rep(c(days, NA), 100)), other, keep = "r.json", epsilon = 50)
  for (made in c(list(pb_synthesize(r, 200)), simulate(r, 2, rows = 200)))
    stopifnot(identical(levels(made$answer), c("yes", "no")), identical(levels(made$smokes), c("true", "false")),
              !anyNA(made$smokes), anyNA(made$answer), inherits(made$day, "Date"), anyNA(made$day),
              all(made$day >= days[1], na.rm = TRUE), pb_check(made, other)$violations == 0)
})

# Categories that nobody lists beforehand, and running totals.
in_folder({
  open <- SCHEMA
  open$columns[[1]] <- list(name = "answer", kind = "open")
  table <- survey()
  table$answer[is.na(table$answer)] <- "no"
  budget <- pb_budget("b.budget", open, epsilon = 9, delta = 1e-5)
  for (loaded in c(FALSE, TRUE)) {
    found <- pb_discover(table, open, keep = "c.json", column = "answer", epsilon = 8, delta = 1e-6, into = "s.json",
                         budget = budget)
    stopifnot(found$loaded == loaded, nrow(pb_budget("b.budget")$charges) == 1, isTRUE(pb_verify(found)$ok),
              "yes" %in% unlist(pb_schema("s.json")$fields$columns[[1]]$categories))
  }
  months <- list(dataset = "d", columns = list(list(name = "month", kind = "categorical", categories = c("1", "2"))))
  budget <- pb_budget("t.budget", months, rho = 1)
  first <- pb_totals(data.frame(month = rep("1", 50)), months, keep = "t1.json", period = "month", rho = 1,
                     budget = budget)
  second <- pb_totals(data.frame(month = rep(c("1", "2"), c(50, 9))), months, keep = "t2.json", after = first,
                      budget = budget)
  stopifnot(isTRUE(pb_verify(first)$ok), isTRUE(pb_verify(second)$ok), pb_budget("t.budget")$left == "\u03c1 = 0")
})

# Many areas are rows as those of every list of intervals, each with its own estimate beside it. Files for other programs.
# What a slot is for is released once.
in_folder({
  areas <- list(dataset = "areas", columns = list(
    list(name = "region", kind = "categorical", categories = letters[1:6]),
    list(name = "ill", kind = "categorical", categories = c("yes", "no"))))
  rows <- data.frame(region = rep(letters[1:6], 40), ill = rep(c("yes", "no", "no"), 80))
  budget <- pb_budget("b.budget", areas, epsilon = 9)
  wishes <- list(publication = "areas", level = list(epsilon = 8), items = list(
    list(model = list(kind = "table", target = "region", features = list("ill")), name = "rates")),
    reserve = list(list(name = "later", level = list(epsilon = 1))))
  all <- pb_publish(wishes, rows, areas, keep = "p.json", budget = budget)
  rates <- pb_intervals(pb_item(all, "rates", keep = "r.json"), areas = "ill=yes")
  stopifnot(identical(rates$of, letters[1:6]), all(rates$lower < rates$mean & rates$mean < rates$upper),
            all(rates$direct_lower < rates$direct_mean))
  pb_export("r.json", "stan", "r.stan")
  pb_export(all, "csv", "tables")
  stopifnot(length(list.files("r.stan")) > 1, file.exists("tables/publication.json"))
  later <- function(keep) pb_release(ill ~ 1, rows, areas, keep = keep, budget = budget, slot = "p.json#later")
  stopifnot(!later("l.json")$loaded, later("l.json")$loaded)
  caught(later("m.json"), "pb_refused", "not used before")
})

# Plans read no rows. Formulas with interactions, powers and the models of --formula go as they are.
plan <- pb_plan(answer ~ ., SCHEMA, n = 5000, epsilon = 1)
stopifnot(plan$certified$epsilon <= 1, plan$certified$epsilon > 0.999,
          identical(pb_plan(NULL, SCHEMA, n = 5000, spec = plan$spec)$certified, plan$certified),
          any(grepl("Privacy", capture.output(print(plan)))))
of <- function(formula, ...) pb_plan(formula, SCHEMA, n = 5000, epsilon = 1, delta = 1e-6, ...)$spec$model
stopifnot(identical(of(wage ~ age * smokes)$formula, "wage ~ age*smokes"),
          identical(of(wage ~ I(age^2) + C(smokes, ref = "false"))$formula,
                    "wage ~ I(age^2) + C(smokes, ref=\"false\")"),
          identical(of(wage ~ poly(age, 2))$formula, "wage ~ poly(age, 2)"),
          identical(of("wage ~ age:smokes + age + smokes")$kind, "linear"),
          identical(of(wage ~ age, model = "linear")$formula, "wage ~ age"),
          identical(of(wage ~ ., model = "linear")$formula, "wage ~ answer + smokes + age"),
          identical(of(smokes ~ age + wage, model = "logistic", mechanism = "fisher-scoring")$formula,
                    "smokes ~ age + wage"),
          identical(of(wage ~ (age + smokes), model = "linear-regression")$features, list("age", "smokes")))
advice <- pb_advise(answer ~ ., SCHEMA, n = 5000, epsilon = 1, time = "2s")
stopifnot(nrow(advice) > 3, is.numeric(advice$error), length(attr(advice, "recommended")) > 0)

# Flags and models are the program's: no list of them is in R.
flags <- pb_options("release")
stopifnot(all(c("epsilon", "post_process", "seed") %in% flags$name),
          grepl("naive-bayes", flags$choices[flags$name == "model"]),
          flags$type[flags$name == "epsilon"] == "float")
caught(pb_options("no-command"), "pb_usage")
stopifnot(is.character(pb_version()), file.exists(pb_engine()), grepl("release", pb_run("help", "release"))[1])
in_folder({
  pb_release(Class ~ 1, "votes", keep = "-r.json", epsilon = 1)
  stopifnot(file.exists("-r.json"), is.list(pb_run("show", "-r.json")))
})

# The blocks of the page run one after the other, in a folder with a survey.
page <- file.path(Sys.getenv("PRIVBAYES_ROOT"), "docs/howto/r.md")
if (file.exists(page)) in_folder({
  lines <- readLines(page, encoding = "UTF-8")
  shut <- grep("^```$", lines)
  code <- unlist(lapply(grep("^```r$", lines), function(i) lines[(i + 1):(min(shut[shut > i]) - 1)]))
  stopifnot(length(code) > 10)
  data <- transform(survey(), answer = ifelse(is.na(answer), "no", answer), age = ifelse(age > 50, "old", "young"))
  fields <- SCHEMA
  fields$columns[[1]] <- list(name = "answer", kind = "categorical", categories = c("yes", "no"))
  fields$columns[[3]] <- list(name = "age", kind = "categorical", categories = c("young", "old"))
  writeLines(pb_schema(fields)$text, "survey.schema.json", useBytes = TRUE)
  pdf(NULL)
  suppressWarnings(capture.output(source(exprs = parse(text = code), local = TRUE, echo = FALSE)))
  dev.off()
})
