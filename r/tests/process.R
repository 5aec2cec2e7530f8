# The program as a process: where it is found, and what is left when it or R is ended half way.
source("shared/table.R")

program <- function(path, text) {
  writeLines(c("#!/bin/sh", text), path)
  Sys.chmod(path, "755")
  normalizePath(path)
}

plan <- function() pb_plan(Class ~ ., data = "votes", epsilon = 1)

# with_engine evaluates with an option, PRIVBAYES_ENGINE and PATH.
with_engine <- function(expr, option = NULL, env = "", path = Sys.getenv("PATH")) {
  before <- Sys.getenv(c("PRIVBAYES_ENGINE", "PATH"))
  options(privbayes.engine = option)
  Sys.setenv(PRIVBAYES_ENGINE = env, PATH = path)
  on.exit({
    options(privbayes.engine = NULL)
    do.call(Sys.setenv, as.list(before))
  })
  expr
}

engine <- pb_engine()
in_folder({
  right <- "echo '{\"version\": \"x\", \"protocol\": 1}'"
  dir.create("a")
  by_option <- program("o", right)
  by_env <- program("e", right)
  by_path <- program("a/privbayes", right)
  path <- paste0(getwd(), "/a:", Sys.getenv("PATH"))
  stopifnot(with_engine(pb_engine(), by_option, by_env, path) == by_option,
            with_engine(pb_engine(), NULL, by_env, path) == by_env,
            with_engine(pb_engine(), NULL, "", path) == by_path, with_engine(pb_version(), by_option) == "x")
  with_engine(caught(plan(), "pb_engine", "not on PATH"), path = "/none")
  other <- program("p2", "echo '{\"version\": \"9\", \"protocol\": 2}'")
  with_engine(caught(plan(), "pb_engine", "speaks protocol 2"), other)
  with_engine(caught(plan(), "pb_engine", "is not the program"), program("p3", "echo hello"))
  with_engine(caught(plan(), "pb_engine", "is not the program"), program("p4", "exit 3"))
  for (missing in c("/none/privbayes", getwd())) with_engine(caught(plan(), "pb_engine", "is not the program"), missing)

  # A fault of the program, and one that says more than a pipe holds before it reads its input.
  speaks <- sprintf("case $1 in version | flags) exec %s \"$@\" ;; esac", engine)
  fault <- program("p5", c(speaks, "echo '{\"error\":{\"kind\":\"internal\",\"text\":\"a fault\"}}' >&2", "exit 70"))
  e <- with_engine(caught(pb_release(answer ~ ., survey(), SCHEMA, keep = "r.json", epsilon = 1), "pb_engine",
                          "a fault"), fault)
  stopifnot(identical(e$kind, "internal"))
  loud <- program("p6", c(speaks, "head -c 300000 /dev/zero | tr '\\0' ' '",
                          "head -c 300000 /dev/zero | tr '\\0' 'x' >&2",
                          "cat | wc -l"))
  said <- with_engine(suppressWarnings(privbayes:::run("release", rows = privbayes:::rows_of(survey(1e5)),
                                                       text = TRUE)), loud)
  stopifnot(as.integer(said) == 1e5 + 2)
})

# after evaluates in a folder with a budget, which is whole afterwards, and alone there.
after <- function(expr) in_folder({
  pb_budget("b.budget", SCHEMA, epsilon = 1)
  force(expr)
  stopifnot(identical(list.files(".", all.files = TRUE, no.. = TRUE), "b.budget"),
            pb_budget("b.budget")$left == "\u03b5 = 1")
})

some <- charToRaw(paste0("answer,smokes,age,wage\n", strrep("yes,true,3,4\n", 1000)))
release <- function(rows) privbayes:::run("release", list(),
                                          list(data = "-", schema = privbayes::pb_schema(SCHEMA)$text, out = "r.json",
                                          budget = "b.budget", target = "answer", epsilon = 1), rows)

# A writer that fails half way, and a table without its end.
fed <- 0
writer <- function(then) {
  fed <<- 0
  function() {
    fed <<- fed + 1
    if (fed == 1) some else then()
  }
}
after(caught(release(writer(function() stop(SECRET))), "pb_bad_input", "writing the table failed"))
after(caught(release(writer(function() NULL)), "pb_bad_input", "does not end with its mark"))

# A program that is killed, and the same call again.
children <- function() {
  stats <- Filter(file.exists, file.path("/proc", grep("^[0-9]+$", list.files("/proc"), value = TRUE), "stat"))
  fields <- lapply(stats, function(f) strsplit(sub(".*\\) ", "", tryCatch(suppressWarnings(readLines(f)),
      error = function(e) "? ) ? 0")), " ")[[1]])
  pids <- as.integer(basename(dirname(stats)))
  data.frame(pid = pids, parent = as.integer(vapply(fields, `[`, "", 2)), state = vapply(fields, `[`, "", 1))
}
if (dir.exists("/proc/self")) {
  killed <- writer(function() {
    all <- children()
    tools::pskill(all$pid[all$parent == Sys.getpid()], tools::SIGKILL)
    Sys.sleep(0.2)
    some
  })
  after(caught(release(function() if (fed < 3) killed()), "pb_engine", "ended by signal 9"))
}

# R that is interrupted, or dies, while it writes: the program ends, without a release.
feeding <- function() {
  code <- c(sprintf(".libPaths(c(%s))", paste(shQuote(.libPaths(), "cmd"), collapse = ", ")), "library(privbayes)",
            "fed <- 0",
            "rows <- function() {", "fed <<- fed + 1", "if (fed == 1) return(some)",
            "cat(Sys.getpid(), file = 'fed')", "Sys.sleep(60)", "}",
            "release(rows)")
  path <- tempfile(fileext = ".R")
  dump(c("SCHEMA", "some", "release"), path)
  cat(code, file = path, sep = "\n", append = TRUE)
  Sys.unsetenv("R_TESTS") # R CMD check names a file by it that is not in this folder
  system2(file.path(R.home("bin"), "Rscript"), shQuote(path), wait = FALSE, stdout = FALSE, stderr = FALSE)
  path
}
wait_for <- function(test) {
  for (i in 1:600) if (isTRUE(test())) return(invisible()) else Sys.sleep(0.05)
  stop("it did not happen in 30 seconds")
}
if (dir.exists("/proc/self")) for (signal in c(tools::SIGINT, tools::SIGKILL)) after({
  path <- feeding()
  wait_for(function() file.exists("fed") && file.size("fed") > 0)
  pid <- scan("fed", quiet = TRUE)
  all <- children()
  program <- all$pid[all$parent == pid]
  stopifnot(length(program) == 1)
  tools::pskill(pid, signal)
  wait_for(function() {
    all <- children()
    !any(all$pid %in% c(pid, program) & all$state != "Z")
  })
  unlink(c(path, "fed"))
})
