# The program: where it is, what it takes, and how one command of it is run.

protocol <- 1L

known <- new.env() # what a program said of itself, by its path and age

pb_engine <- function() {
  found <- c(getOption("privbayes.engine"), Sys.getenv("PRIVBAYES_ENGINE"))
  found <- found[nzchar(found)]
  if (!length(found)) { # Sys.which starts a process
    found <- file.path(strsplit(Sys.getenv("PATH"), .Platform$path.sep, fixed = TRUE)[[1]], "privbayes")
    found <- found[file.access(found, 1) == 0 & !dir.exists(found)]
  }
  if (!length(found))
    pb_stop("pb_engine", paste("the program privbayes is not on PATH: install it, or name it by",
                               "options(privbayes.engine = \"/path/to/privbayes\") or PRIVBAYES_ENGINE"))
  found <- suppressWarnings(normalizePath(found[1]))
  speaks(found)
  found
}

pb_version <- function() speaks(pb_engine())$version

# speaks is what a program says of itself: its version, and its commands by name. It must speak this protocol.
speaks <- function(path) {
  key <- paste(path, file.mtime(path))
  if (!is.null(known[[key]])) return(known[[key]])
  asked <- function(...) tryCatch(parse_json(talk(c(path, ..., "--json"))$out), pb_error = function(e) NULL,
                                  error = function(e) NULL)
  version <- asked("version")
  if (!is.list(version) || is.null(version$protocol))
    pb_stop("pb_engine", sprintf("%s is not the program privbayes, or does not run here: install it again", path))
  if (!identical(as.integer(version$protocol), protocol))
    pb_stop("pb_engine", sprintf("%s speaks protocol %s, and this package %d: install one version of both", path,
                                 version$protocol, protocol))
  commands <- Filter(is.list, asked("flags"))
  known[[key]] <- list(version = version$version,
                       commands = setNames(commands, vapply(commands, function(c) c$command, "")))
  known[[key]]
}

# flags_of are the flags of a command, by name; none of a command that there is not, which the program says.
flags_of <- function(command, engine = pb_engine()) {
  flags <- as.list(speaks(engine)$commands[[command]]$flags)
  setNames(flags, vapply(flags, function(f) f$name, ""))
}

pb_options <- function(command) {
  flags <- flags_of(command)
  if (!length(flags)) usage("the program has no command \"%s\" with flags", command)
  text <- function(field) vapply(flags, function(f) paste(unlist(f[[field]]), collapse = " "), "")
  data.frame(name = gsub("-", "_", names(flags)), type = text("type"), default = text("default"), words = text("words"),
             choices = text("choices"), row.names = NULL)
}

# arguments are those of a command line, of the flags that a command has. NULL and FALSE are left out; lists go as the
# flag takes them.
arguments <- function(command, options, flags) {
  if (length(options) && (is.null(names(options)) || !all(nzchar(names(options)))))
    usage("%s: an option has no name; want the name of a flag, such as epsilon = 1", command)
  twice <- names(options)[duplicated(names(options))]
  if (length(twice)) usage("%s: %s is given twice; want it once", command, twice[1], flag = twice[1])
  line <- character()
  for (name in names(options)) {
    value <- options[[name]]
    name <- gsub("_", "-", name)
    flag <- flags[[name]]
    if (is.null(value) || isFALSE(value)) next
    if (inherits(value, c("pb_budget", "pb_release"))) value <- value$path
    if (is.list(value) && !is.object(value) && name == "spec") # another may be a table
      value <- jsonlite::toJSON(value, auto_unbox = TRUE, digits = NA, null = "null")
    if (isTRUE(value) && (is.null(flag) || flag$type == "bool")) {
      line <- c(line, paste0("--", name))
      next
    }
    if (!(is.numeric(value) || is.character(value)) || !length(value) || anyNA(value))
      usage("%s: %s is %s; want %s", command, name, said_of(value), kind_of(flag), flag = paste0("--", name))
    many <- isTRUE(flag$repeats)
    if (length(value) > 1 && !many && !is.null(flag) && flag$type != "list")
      usage("%s: %s has %d values; want one", command, name, length(value), flag = paste0("--", name))
    text <- if (is.numeric(value)) number(value) else expanded(value)
    line <- c(line, paste0("--", name, "=", if (many || length(text) == 1) text else parts(text)))
  }
  line
}

# said_of is what an option is that no flag takes. It may be a column of a table, whose values are not told.
said_of <- function(value) {
  if (isTRUE(value)) return("TRUE")
  if (is.atomic(value) && !length(value)) return("empty")
  if (is.atomic(value) && anyNA(value)) return("NA")
  paste("a", paste(class(value), collapse = "/"))
}

# parts are the parts of a list as one line of CSV.
parts <- function(text) {
  quoted <- grepl("[,\"\r\n]", text)
  text[quoted] <- paste0("\"", gsub("\"", "\"\"", text[quoted], fixed = TRUE), "\"")
  paste(text, collapse = ",")
}

# expanded is text whose ~ of a home folder is written out. Longer text, such as a schema, path.expand would cut off.
expanded <- function(text) {
  text <- enc2utf8(as.character(text))
  home <- startsWith(text, "~")
  text[home] <- path.expand(text[home])
  text
}

kind_of <- function(flag) {
  switch(c(flag$type, "text")[1], bool = "TRUE or FALSE", float = , int = "a number",
         list = "a vector of text or numbers", "text")
}

pb_run <- function(command, ...) {
  given <- list(...)
  named <- if (is.null(names(given))) rep(FALSE, length(given)) else nzchar(names(given))
  run(command, given[!named], given[named])
}

# run is what one command writes: its JSON, or its text if it has none or text is asked for. words are its arguments,
# such as a release. rows writes a table to the program's standard input.
run <- function(command, words = list(), options = list(), rows = NULL, accept = integer(), text = FALSE) {
  if (!is.list(words) || is.object(words)) words <- list(words)
  words <- vapply(words, function(w) {
    if (is.list(w) && !is.data.frame(w)) w <- w$path
    if (!is.character(w) || length(w) != 1 || is.na(w))
      usage("%s: %s is no path; want the path of a file, or what pb_release or pb_load gave", command, said_of(w))
    expanded(w)
  }, "")
  words <- ifelse(startsWith(words, "-"), paste0("./", words), words)
  engine <- pb_engine()
  flags <- flags_of(command, engine)
  json <- !text && "json" %in% names(flags)
  said <- talk(c(engine, command, words, if (json) "--json", arguments(command, options, flags)), rows)
  fault <- startsWith(said$err, "{\"error\"")
  if (said$code != 0 && (any(fault) || !(said$code %in% accept)))
    from_exit(said$code, if (any(fault)) parse_json(said$err[fault][1])$error else list(), said$err[!fault])
  for (line in renamed(sub("^privbayes: (warning: )?", "", said$err[!fault])))
    warning(structure(class = c("pb_warning", "warning", "condition"), list(message = line, call = NULL)))
  if (json) parse_json(said$out) else said$out
}

parse_json <- function(text) jsonlite::parse_json(text)

# talk runs a command line to its end. rows, if given, is a function that returns the next bytes of a table, and NULL
# after the last. Whatever interrupts it ends the program before its input ends: half a table must not look like a
# whole one. With half a table the program has nothing to finish and is killed; else it is interrupted, which leaves
# its files whole.
talk <- function(line, rows = NULL) {
  bytes <- if (!is.null(rows)) raw()
  handle <- .Call(C_start, enc2utf8(line))
  if (is.integer(handle)) pb_stop("pb_engine", sprintf("%s does not start (error %d of the system)", line[1], handle))
  on.exit(.Call(C_end, handle, if (is.null(bytes)) 1L else 2L))
  heard <- list(list(), list())
  at <- 0
  repeat {
    if (!is.null(bytes) && at >= length(bytes)) {
      bytes <- quietly(rows(), "writing the table failed; nothing was drawn or charged")
      at <- 0
    }
    step <- .Call(C_step, handle, bytes, at)
    at <- step[[1]]
    for (k in 1:2) if (length(step[[k + 1]])) heard[[k]][[length(heard[[k]]) + 1]] <- step[[k + 1]]
    if (step[[4]]) break
    if (!step[[5]]) bytes <- NULL
  }
  while (is.null(code <- .Call(C_end, handle, 0L))) Sys.sleep(2e-4)
  text <- vapply(heard, function(parts) rawToChar(as.raw(unlist(parts))), "")
  Encoding(text) <- "UTF-8"
  list(code = code, out = text[1], err = Filter(nzchar, strsplit(text[2], "\n", fixed = TRUE)[[1]]))
}
