# Data frames as CSV on the program's standard input, in blocks of rows, ended by a mark. No row is ever in a file.

mark <- "\004\n"

block_rows <- 20000L

# rows_of is what talk takes for some columns of a data frame, all of them if columns is NULL. missing is how CSV
# marks a missing value, and layouts how it has dates, by column.
rows_of <- function(data, columns = NULL, missing = list(), layouts = list()) {
  if (!is.data.frame(data))
    bad_input("a table cannot be a %s; want a data frame, or the path of a file", class(data)[1])
  have <- names(data)
  columns <- if (is.null(columns)) have else columns
  for (name in columns)
    if (sum(have == name, na.rm = TRUE) != 1)
      bad_input("column \"%s\" is %s", name, column = name,
                if (name %in% have) "in the table more than once" else "not in the table")
  n <- .row_names_info(data, 2L)
  cells <- lapply(columns, function(name) {
    x <- .subset2(data, match(name, have))
    cells_of(name, x, n, quoted(c(missing[[name]], "")[1], length(columns) == 1), length(columns) == 1,
             layouts[[name]])
  })
  at <- -1L
  function() { # the header, blocks of rows, the mark, and NULL
    at <<- at + 1L
    from <- (at - 1L) * block_rows
    if (at == 0L) text <- paste(quoted(enc2utf8(columns), FALSE), collapse = ",")
    else if (from < n) {
      rows <- seq.int(from + 1L, min(n, from + block_rows))
      text <- paste(do.call(paste, c(lapply(cells, function(f) f(rows)), sep = ",")), collapse = "\n")
    } else if (from - block_rows < n || at == 1L) return(charToRaw(mark))
    else return(NULL)
    charToRaw(paste0(text, "\n"))
  }
}

# cells_of is a function from numbers of rows to the texts of a column. All values of a column are of one kind.
cells_of <- function(name, x, n, missing, alone, layout = NULL) {
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, "AsIs")) class(x) <- setdiff(class(x), "AsIs")
  plain <- !is.object(x) || inherits(x, c("factor", "Date", "POSIXct"))
  if (!plain || !is.null(dim(x)) || !(is.numeric(unclass(x)) || is.character(x) || is.logical(x)))
    bad_input("column \"%s\" is a %s; want text, numbers, truth values, a factor or dates", name, class(x)[1],
              column = name)
  if (length(x) != n)
    bad_input("column \"%s\" has %d values; want %d, as many as there are rows", name, length(x), n, column = name)
  text <- if (is.factor(x)) {
    labels <- quoted(utf8(name, levels(x)), alone)
    x <- unclass(x)
    function(v) labels[v]
  } else if (is.character(x)) function(v) quoted(utf8(name, v), alone)
  else if (is.logical(x)) function(v) ifelse(v, "true", "false")
  else if (is.object(x) && !is.null(layout)) function(v) quoted(dated(v, layout), alone)
  else if (inherits(x, "Date")) function(v) format(v, "%Y-%m-%d")
  else if (inherits(x, "POSIXct")) function(v) sub(" 00:00:00$", "", format(v, "%Y-%m-%d %H:%M:%S"))
  else number
  function(rows) {
    v <- x[rows]
    out <- text(v)
    out[is.na(v)] <- missing
    out
  }
}

# layout_parts are the parts of a layout, as package time of Go takes them apart. Others, such as weekdays, are no part
# of the day, and are read as they stand there; a zone is that of UTC.
layout_parts <- "2006|_2006|January|Jan|__2|_2|002|0[12456]|15|1|2|Z07:00:00|Z07:00|Z070000|Z0700|Z07"

zones <- c(`Z07:00:00` = "Z", `Z07:00` = "Z", `Z070000` = "Z", `Z0700` = "Z", `Z07` = "Z")

# dated are dates in a schema's layout, which writes 2 January 2006. A time of day that it has no place for follows.
dated <- function(v, layout) {
  t <- as.POSIXlt(v)
  two <- function(x) sprintf("%02d", as.integer(x))
  day <- as.character(t$mday)
  parts <- c(zones, list(
    `2006` = sprintf("%04d", as.integer(t$year + 1900)), `06` = two(t$year %% 100),
    January = month.name[t$mon + 1], Jan = month.abb[t$mon + 1], `01` = two(t$mon + 1),
    `1` = as.character(t$mon + 1), `02` = two(t$mday), `_2` = sprintf("%2s", day), `2` = day,
    `15` = two(t$hour), `04` = two(t$min), `05` = two(t$sec), `002` = sprintf("%03d", t$yday + 1L),
    `__2` = sprintf("%3d", t$yday + 1L), `_2006` = sprintf("_%04d", as.integer(t$year + 1900))))
  at <- gregexpr(layout_parts, layout)
  between <- regmatches(layout, at, invert = TRUE)[[1]]
  text <- do.call(paste0, c(rbind(as.list(between), c(parts[regmatches(layout, at)[[1]]], list("")))))
  late <- t$hour + t$min + t$sec != 0 & !grepl("15", layout, fixed = TRUE)
  ifelse(late %in% TRUE, paste(text, format(t, "%H:%M:%S")), text)
}

utf8 <- function(name, text) {
  text <- quietly(enc2utf8(text), "column \"%s\" is not in UTF-8", name, column = name)
  if (!all(validUTF8(text))) bad_input("column \"%s\" is not in UTF-8", name, column = name)
  text
}

# quoted are texts as CSV has them. An empty line would be no row, so that an only column has quotes there.
quoted <- function(text, alone) {
  needs <- grepl("[\",\r\n]", text) | (alone & !is.na(text) & text == "")
  text[needs] <- paste0("\"", gsub("\"", "\"\"", text[needs], fixed = TRUE), "\"")
  text
}

# number are the shortest texts that read back as the same numbers, whole ones without an exponent.
number <- function(x) {
  out <- character(length(x))
  whole <- is.finite(x) & x == round(x) & abs(x) < 1e15
  out[whole] <- sprintf("%.0f", as.double(x[whole]) + 0)
  rest <- as.double(x[!whole])
  text <- sprintf("%.15g", rest)
  more <- is.finite(rest) & as.double(text) != rest
  text[more] <- sprintf("%.17g", rest[more])
  out[!whole] <- text
  out
}
