# Data frames as CSV on the program's standard input, in blocks of rows, ended by a mark. No row is ever in a file.

mark <- "\004\n"

block_rows <- 20000L

# rows_of is what talk takes for some columns of a data frame, all of them if columns is NULL. missing is how CSV
# marks a missing value, by column.
rows_of <- function(data, columns = NULL, missing = list()) {
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
    cells_of(name, x, n, quoted(c(missing[[name]], "")[1], length(columns) == 1), length(columns) == 1)
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
cells_of <- function(name, x, n, missing, alone) {
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
