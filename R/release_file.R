# Releases as text files. The format is documented in ?write_release, for collectors in other
# languages; this file writes it, reads it, and refuses what is not it.

#' Releases as files
#'
#' `write_release()` writes released counts, with what protects them, to a text file that people and
#' other programs can read; `read_release()` reads it, or a file that another program wrote.
#'
#' @param x A [private_counts()].
#' @param file The name of a file; one that ends in `.gz` is compressed. `write_release()` replaces
#'   a file only when all has been written.
#' @return `write_release()`: `x`, invisibly. `read_release()`: a `private_counts`, identical to
#'   what was written.
#' @section The format, versions 1 and 2:
#' Lines of text in UTF-8. The first is `ldpcounts-release 1`; its number is the version. It is 2 where
#' counts have more than two modes (see below), and only then is a file written so. Then, in
#' any order, lines `key: value`; lines that begin with `#` are for people, and skipped. Keys that
#' may be left out have their default in brackets.
#'
#' \describe{
#'   \item{`mechanism`}{`two-sided geometric`}
#'   \item{`rows`, `columns`}{how many there are}
#'   \item{`alpha`}{the ratio of the law of the noise, in `[0, 1)`}
#'   \item{`precision`}{the distance between records that `epsilon` speaks of, a positive number \[1\]}
#'   \item{`epsilon`}{`-precision * log(alpha)`, `inf` where alpha is 0 \[that\]}
#'   \item{`s`, `t`}{whole numbers from 1 to 2^31 whose ratio is `epsilon / precision` exactly
#'     \[`NA`, not known\]}
#'   \item{`rng`}{where the noise came from: `secure`, `R`, `external` or `mixed` \[`external`\]}
#'   \item{`clamped`}{were negative counts set to zero, `yes` or `no` \[`no`\]}
#'   \item{`directed`}{`no` for counts of pairs of actors, the same in rows and columns: only cells with
#'     row < column are listed, and counted by `cells_below` and `size_below`; `alpha`, `epsilon` and
#'     the rest are one number \[`yes`\]}
#'   \item{`cells_below`, `size_below`}{of a clamped release, one number per row: how many cells
#'     were at or below zero, and the sum of their absolute values \[`NA`, not known\]; rows with
#'     masked cells are read as `NA`}
#'   \item{`storage`}{how R keeps the counts: `dense integer`, `dense double` or `sparse double`
#'     \[`sparse double` if clamped, else dense\]}
#'   \item{`row_title`, `column_title`}{what rows and columns are, such as `sender` \[none\]}
#' }
#'
#' `alpha`, `precision`, `epsilon`, `s` and `t` are one number, or one per row with blanks between
#' them. Numbers are decimals as in C, with enough digits to be exact.
#'
#' Among the keys, after `rows` and `columns`, may stand a line `row_labels:` and a line
#' `column_labels:`, each followed by one label a line, as many as there are rows or columns; in
#' labels and titles a backslash, a line feed, a carriage return and a tab are written `\\`, `\n`,
#' `\r` and `\t`, and a label that is missing is `\N`; other backslashes have no meaning. After all
#' keys, and without comments from there on, comes `cells: n`, followed by `n` lines `row column
#' count`, blanks between them, rows and columns counted from 1, in any order, none twice; `count`
#' is a whole number, or `NA` for a masked cell. A cell that is not listed is 0. The last line of
#' the file is `end`.
#'
#' In version 2 the rows are the first mode, and the columns all others. One more key, after `columns`,
#' says which column is which:
#'
#' \describe{
#'   \item{`extents`}{the extents of the modes from the second on, with blanks between them: `columns` is
#'     their product. Cell `i, j, l, ...` is in row `i` and in column `1 + (j - 1) + J (l - 1) + J L ...`,
#'     `J`, `L`, ... the extents}
#'   \item{`mode2_title`, `mode3_title` ...}{in the place of `column_title`}
#' }
#'
#' and lines `mode2_labels:`, `mode3_labels:` and so on, each followed by as many labels as the mode has
#' indices, stand in the place of `column_labels:`.
#' @section Errors: of class `ldpcounts_error`, and `ldpcounts_file_error` where it is the file's
#'   fault: one of a later version, a truncated or a damaged one, one that contradicts itself. The
#'   message says what was wrong in which line, and never quotes a count.
#' @seealso `rbind()` puts the files of many people together: see the example.
#' @examples
#' file <- tempfile(fileext = ".txt")
#' y <- matrix(c(3, 0, 1, 0, 0, 2), 2, dimnames = list(NULL, c("work", "family", "sport")))
#' write_release(privatize(y, epsilon = c(1, 2)), file)
#' writeLines(readLines(file))
#' # what many people sent, each with a level of their own
#' files <- c(file, file)
#' do.call(rbind, lapply(files, read_release))
#' @export
write_release <- function(x, file) {
  if (!inherits(x, "private_counts")) {
    abort_argument(x, "x", "a private_counts", rlang::current_env())
  }
  check_file_name(file)
  check_folder(file, "written")
  counts <- fields_of(x)$counts
  if (!privacy(x)$directed) counts <- above_diagonal(counts)
  check_labels(c(unlist(dimnames(x)), titles_of(fields_of(x))))
  head <- c(paste("#", release_words(x)), release_head(x))
  write_whole_file(file, function(connection) {
    put <- function(...) writeLines(enc2utf8(paste0(...)), connection, useBytes = TRUE)
    put(RELEASE_FIRST_LINE, " ", if (length(dim(x)) > 2) 2 else 1)
    put(head)
    labels <- dimnames(x)
    for (mode in seq_along(labels)) {
      put_labels(put, paste0(release_margins(dim(x))[mode], "_labels"), labels[[mode]])
    }
    put_cells(put, counts)
    put("end")
  })
  invisible(x)
}

RELEASE_FIRST_LINE <- "ldpcounts-release"
RELEASE_VERSION <- 2L
MECHANISM <- "two-sided geometric"

check_file_name <- function(file, call = rlang::caller_env()) {
  check_given(missing(file), "file", call)
  if (!is_file_name(file)) {
    abort_argument(file, "file", "the name of a file", call)
  }
}

check_folder <- function(file, done, call = rlang::caller_env()) {
  if (!dir.exists(dirname(file))) {
    ldp_abort(c("{.file {file}} could not be {done}.", x = "There is no folder {.file {dirname(file)}}."),
      class = "ldpcounts_file_error", call = call
    )
  }
}

check_labels <- function(labels, call = rlang::caller_env()) {
  labels <- c(character(), labels)
  if (any(Encoding(labels) == "bytes") || !all(validUTF8(enc2utf8(labels)))) {
    ldp_abort("The labels of {.arg x} must be text that UTF-8 can hold.",
      class = "ldpcounts_argument_error", call = call
    )
  }
}

# Writes beside the file and then takes its place: an interrupt or a full disk leaves what was
# there.
write_whole_file <- function(file, write, arrived = bytes_in, call = rlang::caller_env()) {
  file <- normalizePath(file, mustWork = FALSE) # a link stays one
  unfinished <- tempfile("unfinished-", dirname(file))
  on.exit(unlink(unfinished))
  tryCatch(
    {
      zipped <- endsWith(file, ".gz")
      connection <- if (zipped) gzfile(unfinished, "wb") else file(unfinished, "wb")
      tryCatch(
        {
          write(connection)
          written <- seek(connection, rw = "write")
        },
        finally = close(connection)
      )
      # what is left in a buffer is written on closing, which tells of no failure
      if (arrived(unfinished, zipped) != written) stop("the disk may be full")
      if (!file.rename(unfinished, file)) stop("it can't be replaced")
    },
    error = function(failure) abort_not_written(file, failure, call),
    warning = function(failure) abort_not_written(file, failure, call)
  )
}

bytes_in <- function(file, zipped) {
  if (!zipped) {
    return(file.size(file))
  }
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  total <- 0
  repeat {
    n <- length(readBin(connection, "raw", 1e6))
    if (n == 0) {
      return(total)
    }
    total <- total + n
  }
}

abort_not_written <- function(file, failure, call) {
  ldp_abort(c("{.file {file}} could not be written.", x = "{conditionMessage(failure)}."),
    class = "ldpcounts_file_error", call = call
  )
}

# What the file says to people about privacy.
release_words <- function(x) {
  p <- privacy(x)
  c(
    "Counts with noise, and what protects them. Lines like this one are for people.",
    format_level(x), rng_sentence(p$rng),
    if (length(x) > 0 && all(is.finite(p$epsilon))) protection(x)
  )
}

release_head <- function(x) {
  fields <- fields_of(x)
  keys <- c(
    mechanism = MECHANISM, rows = nrow(fields$counts), columns = ncol(fields$counts),
    extents = if (!is.null(fields$columns)) write_numbers(fields$columns$dim),
    vapply(fields[LEVEL_FIELDS], write_numbers, ""),
    rng = fields$rng, clamped = yes_no(fields$clamped), directed = yes_no(fields$directed),
    cells_below = if (fields$clamped) write_numbers(fields$below$cells),
    size_below = if (fields$clamped) write_numbers(fields$below$size),
    storage = storage_of(fields$counts)
  )
  titles <- titles_of(fields)
  if (!is.null(titles)) {
    named <- stats::setNames(escape(titles), paste0(release_margins(dim(x)), "_title"))
    keys <- c(keys, named)
  }
  paste0(names(keys), ": ", keys)
}

# What its modes are called, or NULL; also where they have no labels.
titles_of <- function(fields) {
  if (is.null(fields$columns)) names(dimnames(fields$counts)) else fields$columns$titles
}

# What the file calls the modes.
release_margins <- function(dim) {
  if (length(dim) == 2) c("row", "column") else c("row", paste0("mode", seq_along(dim)[-1]))
}

yes_no <- function(flag) if (flag) "yes" else "no"

# 17 digits are exact.
write_numbers <- function(x) {
  paste(ifelse(is.na(x), "NA", ifelse(is.infinite(x), "inf", sprintf("%.17g", x))), collapse = " ")
}

storage_of <- function(counts) {
  paste(if (is_sparse(counts)) "sparse" else "dense", typeof(stored_values(counts)))
}

# The backslash itself comes first: those that the others bring are not doubled.
ESCAPES <- c("\\" = "\\\\", "\n" = "\\n", "\r" = "\\r", "\t" = "\\t")

escape <- function(labels) {
  labels <- enc2utf8(labels)
  for (character in names(ESCAPES)) {
    labels <- gsub(character, ESCAPES[[character]], labels, fixed = TRUE)
  }
  ifelse(is.na(labels), "\\N", labels)
}

unescape <- function(text) {
  escaped <- grepl("\\", text, fixed = TRUE)
  text[escaped] <- unescape_each(text[escaped])
  text
}

unescape_each <- function(text) {
  if (length(text) == 0) {
    return(text)
  }
  missing <- text == "\\N"
  pieces <- strsplit(paste0(text, " "), "\\\\", fixed = TRUE) # the blank keeps a last empty piece
  text <- vapply(pieces, function(piece) {
    for (character in names(ESCAPES)[-1]) {
      piece <- gsub(ESCAPES[[character]], character, piece, fixed = TRUE)
    }
    paste(piece, collapse = "\\")
  }, "")
  text <- substr(text, 1, nchar(text) - 1)
  text[missing] <- NA
  text
}

put_labels <- function(put, section, labels) {
  if (!is.null(labels)) {
    put(section, ":")
    if (length(labels) > 0) put(escape(labels))
  }
}

CELLS_PER_WRITE <- 1e5

put_cells <- function(put, counts) {
  wanted <- function(x) is.na(x) | x != 0
  cells <- cells_where(counts, wanted)
  values <- as.double(values_where(counts, wanted))
  n <- nrow(cells)
  put("cells: ", sprintf("%.0f", n))
  for (first in seq(1, length.out = ceiling(n / CELLS_PER_WRITE), by = CELLS_PER_WRITE)) {
    block <- first:min(n, first + CELLS_PER_WRITE - 1)
    put(sprintf("%d %d %.0f", cells[block, 1], cells[block, 2], values[block]))
  }
}

# --- reading ------------------------------------------------------------------------------------

#' @rdname write_release
#' @export
read_release <- function(file) {
  check_given(missing(file), "file")
  check_one_file(file)
  check_file_name(file)
  check_folder(file, "read")
  if (!file.exists(file)) {
    ldp_abort("There is no {.file {file}}.", class = "ldpcounts_file_error")
  }
  reader <- new_reader(file, rlang::current_env())
  on.exit(close(reader$connection))
  version <- check_first_line(reader)
  head <- read_head(reader, version)
  cells <- read_cells(reader, head)
  if (!identical(reader$take(), "end")) {
    reader$complain("should be {.code end}: the file is truncated or damaged")
  }
  while (length(after <- reader$take()) > 0) {
    if (nzchar(trimws(after))) reader$complain("comes after {.code end}")
  }
  make_release(head, cells, reader)
}

check_one_file <- function(file, call = rlang::caller_env()) {
  recipe <- function(names) {
    paste0("{.code do.call(rbind, lapply(", names, ", read_release))} binds the rows of several releases.")
  }
  if (is.character(file) && length(file) > 1) {
    ldp_abort(c("{.arg file} must be the name of one file.", x = "It has {length(file)}.",
      i = recipe("file")
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (is_file_name(file) && dir.exists(file)) {
    ldp_abort(c("{.file {file}} is a folder, and {.arg file} must be the name of one file.",
      i = "{.code files <- list.files(\"{file}\", full.names = TRUE)} lists its files.", i = recipe("files")
    ), class = "ldpcounts_file_error", call = call)
  }
}

# Lines, one or more at a time, and an error that tells where it was.
new_reader <- function(file, call) {
  line <- 0
  complain <- function(problem, where = paste("Line", format(line, scientific = FALSE))) {
    ldp_abort(c(
      "{.file {file}} can't be read as a release.", x = paste0(where, " ", problem, ".")
    ), class = "ldpcounts_file_error", call = call)
  }
  # the words of the system say less, and come as a warning as often as an error
  try_reading <- function(code, problem) {
    told <- function(failure) complain(problem, "It")
    tryCatch(code, error = told, warning = told)
  }
  connection <- try_reading(file(file, "rt", encoding = "native.enc"), "can't be opened")
  list(
    connection = connection, complain = complain,
    inconsistent = function(problem) complain(problem, "It contradicts itself:"),
    skip = function(n) line <<- line + n,
    take = function(n = 1) {
      text <- try_reading(
        readLines(connection, n, warn = FALSE, encoding = "UTF-8", skipNul = TRUE),
        "is damaged, and can't be uncompressed"
      )
      line <<- line + max(1, length(text))
      if (!all(validUTF8(text))) complain("is no text in UTF-8")
      text
    }
  )
}

check_first_line <- function(reader) {
  first <- sub("^\ufeff", "", reader$take())
  version <- sub(paste0("^", RELEASE_FIRST_LINE, " ([0-9]+)$"), "\\1", first)
  if (length(first) == 0 || version == first || as.numeric(version) < 1) {
    reader$complain(paste0("should be {.code ", RELEASE_FIRST_LINE, " 1}"))
  }
  if (as.numeric(version) > RELEASE_VERSION) {
    reader$complain(paste0(
      "says format ", version, "; this version of ldpcounts knows formats up to ", RELEASE_VERSION
    ))
  }
  as.numeric(version)
}

RELEASE_KEYS <- c(
  "mechanism", "rows", "columns", LEVEL_FIELDS, "rng", "clamped", "directed", "cells_below",
  "size_below", "storage"
)

# The modes that a file of this version may name; in version 2 as far as it has told.
known_margins <- function(head, version) {
  if (is.null(head$extents)) c("row", if (version == 1) "column") else release_margins(c(0, head$extents))
}

# How many labels the section of a mode has; NULL before the file told.
labels_of_margin <- function(head, margin) {
  switch(margin,
    row = head$rows,
    column = head$columns,
    head$extents[as.numeric(sub("mode", "", margin)) - 1]
  )
}

# A list of the keys, of the labels of all modes, and of the number of cells, which comes last.
read_head <- function(reader, version) {
  head <- list()
  while (is.null(head[["cells"]])) { # $cells might be cells_below
    text <- reader$take()
    if (length(text) == 0) {
      reader$complain("is missing: the file is truncated")
    }
    if (startsWith(text, "#")) {
      next
    }
    key <- sub(":.*$", "", text)
    value <- sub("^[^:]*: ?", "", text)
    margins <- known_margins(head, version)
    titles <- paste0(margins, "_title")
    sections <- paste0(margins, "_labels")
    if (!key %in% titles) {
      value <- trimws(value, whitespace = "[ \t]")
    }
    known <- c(RELEASE_KEYS, if (version > 1) "extents", titles, sections, "cells")
    if (key == text || !key %in% known) {
      reader$complain("is no {.code key: value} of this format")
    }
    if (!is.null(head[[key]])) {
      reader$complain(paste0("is a second {.field ", key, "}"))
    }
    head[[key]] <- if (key %in% sections) {
      read_labels(reader, labels_of_margin(head, sub("_labels", "", key)))
    } else if (key == "extents") {
      read_extents(reader, head, value)
    } else if (key %in% c("rows", "columns", "cells")) {
      read_extent(reader, key, value)
    } else {
      value
    }
  }
  required <- c("mechanism", "rows", "columns", if (version > 1) "extents", "alpha")
  missing <- setdiff(required, names(head))
  if (length(missing) > 0) {
    reader$complain(paste0("ends the head, which has no {.field ", missing[1], "}"))
  }
  head
}

read_extent <- function(reader, key, value) {
  if (!grepl("^[0-9]{1,15}$", value) || (key != "cells" && as.numeric(value) >= 2^31)) {
    reader$complain(paste0("must give {.field ", key, "} as a whole number"))
  }
  as.numeric(value)
}

# Of the modes from the second on.
read_extents <- function(reader, head, value) {
  text <- strsplit(value, "[ \t]+")[[1]]
  extents <- if (all(grepl("^[0-9]{1,10}$", text))) as.numeric(text)
  known <- length(extents) >= 2 && length(extents) < MOST_MODES && max(extents) < 2^31
  if (!known || !identical(prod(extents), head$columns)) {
    reader$complain(paste(
      "must give {.field extents} as whole numbers whose product is {.field columns}, which comes before"
    ))
  }
  extents
}

read_labels <- function(reader, n) {
  if (is.null(n)) {
    reader$complain("must come after {.field rows} and {.field columns}")
  }
  labels <- reader$take(n)
  if (length(labels) < n) {
    reader$complain("ends the labels too early: the file is truncated")
  }
  unescape(labels)
}

# Three columns of numbers, checked.
read_cells <- function(reader, head) {
  n <- head[["cells"]]
  if (n == 0) {
    return(matrix(0, 0, 3))
  }
  complain <- function(failure) { # whose message would quote a count
    reader$complain("must be lines of {.code row column count}, and one is not", "The cells")
  }
  cells <- tryCatch(
    scan(reader$connection, list(0, 0, 0), nlines = n, quiet = TRUE, multi.line = FALSE),
    error = complain, warning = complain
  )
  reader$skip(n)
  cells <- do.call(cbind, cells)
  if (nrow(cells) != n) {
    reader$complain("are not as many as announced, one a line: is the file truncated?", "The cells")
  }
  check_read_cells(cells, head, reader)
}

check_read_cells <- function(cells, head, reader) {
  bad <- function(ok, problem) {
    if (!all(ok)) reader$complain(problem, paste("Of the cells, number", which(!ok)[1]))
  }
  whole <- function(x) trunc(x) == x
  inside <- function(x, n) !is.na(x) & x >= 1 & x <= n & whole(x)
  counts <- cells[, 3]
  bad(inside(cells[, 1], head$rows), "is in no row of this release")
  bad(inside(cells[, 2], head$columns), "is in no column of this release")
  bad(!is.nan(counts), "has no whole number as its count")
  bad(is.na(counts) | (abs(counts) <= 2^53 & whole(counts)), "has no whole number as its count")
  sorted <- order(cells[, 2], cells[, 1])
  again <- diff(cells[sorted, 2]) == 0 & diff(cells[sorted, 1]) == 0
  bad(replace(rep(TRUE, nrow(cells)), sorted[-1][again], FALSE), "was listed before")
  cells
}

# --- from what was read to a release -----------------------------------------------------------

make_release <- function(head, cells, reader) {
  if (!fits_in_memory(c(head$rows, head$columns))) {
    reader$complain("has more rows and columns than this memory holds", "It")
  }
  if (head$mechanism != MECHANISM) {
    reader$complain("has another mechanism than this package knows", "It")
  }
  level <- read_level(head, reader)
  clamped <- read_choice(head, "clamped", c(no = FALSE, yes = TRUE), reader)
  directed <- read_choice(head, "directed", c(yes = TRUE, no = FALSE), reader)
  if (!directed) check_read_pairs(head, cells, level, reader)
  rng <- read_choice(head, "rng", c(
    external = "external", secure = "secure", R = "R", mixed = "mixed"
  ), reader)
  if (!clamped && any(c("cells_below", "size_below") %in% names(head))) {
    reader$inconsistent("it is not clamped, and has cells_below or size_below")
  }
  below <- if (clamped) read_below(head, cells, directed, reader)
  negative <- !is.na(cells[, 3]) & cells[, 3] < 0
  if (clamped && any(negative)) {
    reader$inconsistent("it is clamped, and has negative counts")
  }
  if (any(is.infinite(rep_len(level$epsilon, head$rows))[cells[negative, 1]])) {
    reader$inconsistent("a row without noise (alpha = 0) has negative counts")
  }
  counts <- tryCatch(
    read_storage(head, cells, clamped, reader),
    error = function(failure) {
      if (inherits(failure, "ldpcounts_error")) stop(failure)
      reader$complain("is larger than this memory or R's matrices", "It")
    }
  )
  new_private_counts(if (directed) counts else mirrored(counts),
    level$alpha, level$epsilon, level$precision,
    rng = rng, s = level$s, t = level$t, below = below, directed = directed,
    columns = columns_of(head)
  )
}

check_read_pairs <- function(head, cells, level, reader) {
  one_actor <- identical(head$row_labels, head$column_labels) && is.null(head$extents)
  if (head$rows != head$columns || head$rows < 2 || !one_actor) {
    reader$inconsistent("it is undirected, and its rows are not its columns")
  }
  if (any(lengths(level) > 1)) {
    reader$inconsistent("it is undirected, and its rows differ in their noise")
  }
  if (any(cells[, 1] >= cells[, 2])) {
    reader$inconsistent("it is undirected, and not all cells have row < column")
  }
}

# How columns fold up, in version 2.
columns_of <- function(head) {
  if (!is.null(head$extents)) {
    modes <- release_margins(c(0, head$extents))
    labels <- lapply(paste0(modes[-1], "_labels"), function(key) head[[key]])
    new_columns(head$extents, labels, read_titles(head, modes))
  }
}

# NULL where the file has none.
read_titles <- function(head, margins) {
  titles <- lapply(paste0(margins, "_title"), function(key) head[[key]])
  if (!all(vapply(titles, is.null, TRUE))) {
    vapply(titles, function(title) if (is.null(title)) "" else unescape(title), "")
  }
}

# One of the names of `choices`; the first where the key is left out.
read_choice <- function(head, key, choices, reader) {
  value <- head[[key]]
  if (is.null(value)) {
    return(choices[[1]])
  }
  if (!value %in% names(choices)) {
    known <- paste(names(choices), collapse = " or ")
    reader$complain(paste0("must have {.field ", key, "} as ", known), "It")
  }
  choices[[value]]
}

# Numbers with blanks between them, NULL where the key is left out; `lengths`: how many there may
# be.
read_numbers <- function(head, key, lengths, reader) {
  if (is.null(head[[key]])) {
    return(NULL)
  }
  text <- strsplit(head[[key]], "[ \t]+")[[1]]
  values <- suppressWarnings(as.double(text))
  if (any(is.na(values) & text != "NA") || !length(values) %in% lengths) {
    reader$complain(paste0(
      "must have {.field ", key, "} as numbers, ", paste(unique(lengths), collapse = " or "), " of them"
    ), "It")
  }
  values
}

read_level <- function(head, reader) {
  level <- lapply(stats::setNames(nm = LEVEL_FIELDS), read_numbers,
    head = head, lengths = c(1, head$rows), reader = reader
  )
  fill <- function(value, default) if (is.null(value)) default else value
  level$precision <- fill(level$precision, 1)
  level$epsilon <- fill(level$epsilon, -log(level$alpha) * level$precision)
  level$s <- fill(level$s, NA_real_)
  level$t <- fill(level$t, NA_real_)
  require_all <- function(ok, what) {
    if (!isTRUE(all(ok))) reader$complain(paste("must have", what), "It")
  }
  require_all(level$alpha >= 0 & level$alpha < 1, "{.field alpha} in [0, 1)")
  require_all(is.finite(level$precision) & level$precision > 0, "a positive {.field precision}")
  require_all(level$epsilon > 0, "{.field epsilon} above 0")
  n <- if (head$rows > 0) max(lengths(level)) else 0 # of no rows, nothing to compare
  gamma <- rep_len(level$epsilon / level$precision, n)
  from_alpha <- rep_len(-log(level$alpha), n)
  # where alpha is 0, there is no noise, or so little that doubles do not hold it
  near <- ifelse(is.infinite(from_alpha), gamma > 700, abs(gamma - from_alpha) <= 1e-6 * from_alpha)
  if (!all(near)) {
    reader$inconsistent("alpha is not exp(-epsilon / precision)")
  }
  s <- rep_len(level$s, n)
  t <- rep_len(level$t, n)
  whole <- function(x) x >= 1 & x <= RATE_MAX & trunc(x) == x
  known <- !is.na(s) & !is.na(t)
  require_all((is.na(s) & is.na(t)) | (known & whole(s) & whole(t)),
    "{.field s} and {.field t}, if any, both, and whole numbers up to 2^31")
  if (!all(abs(s / t - gamma)[known] <= 1e-9 * gamma[known])) {
    reader$inconsistent("s / t is not epsilon / precision")
  }
  level
}

read_below <- function(head, cells, directed, reader) {
  rows <- head$rows
  below <- nothing_known_below(rows)
  for (kept in names(below)) {
    given <- read_numbers(head, paste0(kept, "_below"), rows, reader)
    if (!is.null(given)) below[[kept]] <- given
  }
  masked <- unique(cells[is.na(cells[, 3]), 1]) # whose sums a release does not keep
  below <- lapply(below, replace, masked, NA)
  positive <- tabulate(cells[is.na(cells[, 3]) | cells[, 3] > 0, 1], rows)
  n <- head$columns - n_other(rows, if (directed) "none" else "undirected")
  wrong <- below$cells != n - positive | below$size < 0 |
    is.infinite(below$size) | trunc(below$size) != below$size |
    (below$cells == 0 & below$size > 0) | is.na(below$cells) != is.na(below$size)
  if (any(wrong, na.rm = TRUE)) {
    reader$inconsistent("cells_below and size_below do not go with the cells")
  }
  below
}

read_storage <- function(head, cells, clamped, reader) {
  labels <- list(head$row_labels, head$column_labels)
  if (is.null(head$extents)) {
    names(labels) <- read_titles(head, c("row", "column"))
  }
  named <- length(unlist(labels)) > 0 || !is.null(names(labels)) # no labels of nothing
  fits <- all(abs(cells[, 3]) <= .Machine$integer.max, na.rm = TRUE)
  storage <- head$storage
  if (is.null(storage)) {
    storage <- if (clamped) "sparse double" else if (fits) "dense integer" else "dense double"
  }
  known <- c("sparse double", if (!clamped) "dense double", if (!clamped && fits) "dense integer")
  if (!storage %in% known) {
    reader$complain(paste("must have {.field storage} as", paste(known, collapse = " or ")), "It")
  }
  size <- c(head$rows, head$columns)
  if (storage == "sparse double") {
    cells <- cells[is.na(cells[, 3]) | abs(cells[, 3]) > 0, , drop = FALSE]
    return(sparse_counts(cells, cells[, 3], size, if (named) labels))
  }
  if (!is_affordable(8 * prod(size))) reader$complain("is larger than this memory", "It")
  counts <- matrix(if (storage == "dense integer") 0L else 0, size[1], size[2])
  counts[cells[, 1:2, drop = FALSE]] <- methods::as(cells[, 3], typeof(counts))
  if (named) dimnames(counts) <- labels
  counts
}
