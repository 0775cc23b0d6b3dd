# Release files: the format of ?write_release, which programs in other languages can write and read too.
# There is one writer and one reader, which trusts nothing in a file.

#' Write releases to files and read them
#'
#' `write_release()` writes released counts and their mechanism to a text file that people and other
#' programs can read. `read_release()` reads these files, which may also have been written by another program.
#'
#' @param x A [private_counts()].
#' @param file The name of a file. If it ends in `.gz`, the file is compressed.
#' @param ... Must be empty.
#' @param overwrite If `TRUE`, `write_release()` replaces an existing file, after it has written everything.
#'   If `FALSE`, it stops with an error if the file exists.
#' @return `write_release()`: `x`, invisibly. `read_release()`: a `private_counts`, identical to the one that
#'   was written. (A [private_vector] is written as a matrix with one column.)
#' @section The format, version 1: The file is text in UTF-8. The first line is `ldpcounts-release 1`, where
#' the number is the version. It is followed by lines `key: value` in any order. Lines that begin with `#`
#' are comments, and ignored. For optional keys, the default is given in brackets.
#'
#' \describe{
#'   \item{`mechanism`}{`two-sided geometric`, or another mechanism: see below}
#'   \item{`rows`, `columns`}{the numbers of rows and columns}
#'   \item{`alpha`}{the ratio of the geometric distribution of the noise, in `[0, 1)`}
#'   \item{`precision`}{the largest difference between two records that is protected at `epsilon`, a positive
#'     number (see [privatize()]) \[1\]}
#'   \item{`epsilon`}{for human readers: `-precision * log(alpha)`, or `inf` if alpha is 0. If it is given,
#'     it must agree with `alpha` to one part in a million \[computed from `alpha`\]}
#'   \item{`s`, `t`}{whole numbers from 1 to 2^31. The noise was drawn with exactly `-log(alpha) = s / t`.
#'     The `alpha` in the file is a rounded value, for which `-log(alpha)` may differ from `s / t` by at most
#'     one part in a million \[`NA`, not known\]}
#'   \item{`rng`}{where the noise came from: `secure`, `R`, `external` or `mixed` \[`external`\]}
#'   \item{`clamped`}{`yes` if negative counts were set to zero, otherwise `no` \[`no`\]}
#'   \item{`directed`}{`no` for counts of pairs of actors, with the same actors in rows and columns. Then only
#'     cells with row < column are listed, and only these are counted in `cells_below` and `size_below`;
#'     `alpha`, `epsilon`, `precision`, `s` and `t` are one number each \[`yes`\]}
#'   \item{`cells_below`, `size_below`}{for a clamped release, one number per row: how many cells
#'     were at or below zero, and the sum of their absolute values \[`NA`, not known\]. For rows
#'     with masked cells, these two numbers are ignored and read as `NA`}
#'   \item{`storage`}{how R stores the counts: `dense integer`, `dense double` or `sparse double`
#'     \[`sparse double` if clamped, otherwise dense\]}
#'   \item{`row_title`, `column_title`}{names of the two modes, such as `sender` \[none\]}
#' }
#'
#' `alpha`, `precision`, `epsilon`, `s` and `t` are one number, or one per row, separated by blanks. Numbers
#' are written in decimal notation as in C, with enough digits to be exact.
#'
#' Labels are optional. They come after the keys `rows` and `columns`. The line `row_labels:` is followed by
#' one line per row, which holds its label. The line `column_labels:` is followed by one such line per column.
#' In labels and titles a backslash, a line feed, a carriage return and a tab are written `\\`, `\n`, `\r` and
#' `\t`, and a missing label is written `\N`. Other backslashes are read as they are.
#'
#' After all keys comes the line `cells: n`, where `n` is the number of cells that are listed. It is followed
#' by one line per cell with its row, column and count, separated by blanks. The order of these lines does not
#' matter for `read_release()`. For [release_shards()], rows must be in ascending order, as `write_release()`
#' writes them. Comments are not allowed from here on. Rows and columns are numbered from 1, and no cell is
#' listed twice. The count is a whole number, or `NA` for a masked cell (see below for other mechanisms). A
#' cell that is not listed is 0. The
#' last line of the file is `end`.
#'
#' If counts have more than two modes, the rows are the first mode, and the columns are all combinations of
#' the others. Such a file has these further keys; `extents` comes after `columns`:
#'
#' \describe{
#'   \item{`extents`}{the extents of the modes from the second on, separated by blanks; `columns` is their
#'     product. Cell `i, j, l, m, ...` is in row `i` and in column
#'     `1 + (j - 1) + J (l - 1) + J L (m - 1) + ...`, where `J` and `L` are the first two extents}
#'   \item{`mode2_title`, `mode3_title` ...}{titles of the modes, instead of `column_title`}
#' }
#'
#' The lines `mode2_labels:`, `mode3_labels:` and so on replace the line `column_labels:`. They come after
#' `extents`, and each is followed by one label per index of the mode.
#' @section Other mechanisms: The key `mechanism` may also be `discrete Gaussian`, `Skellam`, `Laplace`,
#' `Gaussian`, `random rounding`, `rounding`, `suppression`, `classes`, `thinning` or `withheld` (see
#' [mechanisms]). A file of withheld counts also has the key `noise`, which is one of the mechanisms of noise.
#' The parameters are keys with the names of the arguments: `sd`, `scale`, `variance`, `base`, `from` and
#' `to`, `breaks`, `prob`, `below`; `alpha` and `precision` of withheld geometric noise. Each is one number,
#' one per row, or one per cell, column by column. Other keys of geometric noise are not allowed: `epsilon`,
#' `s`, `t`, `cells_below` and `size_below`.
#'
#' The `storage` is `dense double`. A hidden count is written `hidden`. A count is a decimal number after
#' Laplace or Gaussian noise, otherwise a whole number that the mechanism can release.
#'
#' Releases of a [custom_mechanism()] cannot be written to files. [release_shards()] reads only geometric
#' noise.
#' @section Errors: These functions stop with an error of class `ldpcounts_error` if an argument is wrong, or
#'   if they cannot write or read a file. It is also of class `ldpcounts_file_error` if the cause is in the
#'   file: a later version of the format, a truncated or damaged file, or entries that contradict one another.
#'   The message says which line is wrong and why, and never quotes a count.
#' @seealso [collection_page()], whose participants download such files; [read_releases()] for the files of
#'   many people; `rbind()` combines releases, as in the example.
#' @examples
#' file <- tempfile(fileext = ".txt")
#' y <- matrix(c(3, 0, 1, 0, 0, 2), 2, dimnames = list(NULL, c("work", "family", "sport")))
#' write_release(privatize(y, epsilon = c(1, 2)), file)
#' writeLines(readLines(file))
#' # releases of several people, each with their own noise level
#' files <- c(file, file)
#' do.call(rbind, lapply(files, read_release))
#' @export
#' @order 1
write_release <- function(x, file, ..., overwrite = FALSE) {
  check_no_dots(...)
  x <- check_release(x)
  check_flag(overwrite, "overwrite")
  check_new_file(file, overwrite, paste(
    "A release cannot be made again: noise added to the same counts a second time spends epsilon a second",
    "time."
  ))
  fields <- fields_of(x)
  check_that(!identical(fields$mechanism$kind, "custom"), c(
    "A release of a {.fn custom_mechanism} cannot be written to such a file.",
    x = "Its probabilities are R code, and what {.fn read_release} reads must not be run.",
    i = "{.fn saveRDS} writes it for your own use."
  ))
  labels <- dimnames(x)
  texts <- as.character(c(unlist(labels), titles_of(fields)))
  check_that(!any(Encoding(texts) == "bytes") && all(validUTF8(enc2utf8(texts))),
    "The labels of {.arg x} must be valid text that can be converted to UTF-8."
  )
  write_whole_file(file, function(connection) {
    put <- function(...) writeLines(enc2utf8(paste0(...)), connection, useBytes = TRUE)
    put(c(RELEASE_FIRST_LINE, release_head(x)))
    for (mode in which(!vapply(labels, is.null, TRUE))) {
      put(c(paste0(modes_in_file(length(labels))[mode], "_labels:"), escape(labels[[mode]])))
    }
    put_cells(connection, if (fields$directed) fields$counts else above_diagonal(fields$counts))
    put("end")
  })
  invisible(x)
}

RELEASE_FIRST_LINE <- "ldpcounts-release 1"
MECHANISM <- "two-sided geometric"

# The names of mechanisms in a file, by their kinds; noise comes first.
FILE_NAMES <- c(
  geometric = MECHANISM, discrete_gaussian = "discrete Gaussian", skellam = "Skellam", laplace = "Laplace",
  gaussian = "Gaussian", random_rounding = "random rounding", rounding = "rounding",
  suppression = "suppression", classes = "classes", thinning = "thinning", withheld = "withheld"
)

# The comments and keys of a file. The comments explain its privacy to human readers.
release_head <- function(x) {
  fields <- fields_of(x)
  mechanism <- fields$mechanism
  level <- if (is.null(mechanism)) {
    c(fields["alpha"], list(epsilon = epsilon_of(fields)), fields[c("precision", "s", "t")])
  } else {
    c(mechanism$parameters, mechanism$noise$parameters)
  }
  numbers_if_any <- function(x) if (!is.null(x)) write_numbers(x)
  yes_no <- function(flag) if (flag) "yes" else "no"
  storage <- if (is_sparse(fields$counts)) "sparse" else "dense"
  titles <- titles_of(fields)
  if (!is.null(titles)) names(titles) <- paste0(modes_in_file(length(titles)), "_title")
  keys <- c(
    mechanism = if (is.null(mechanism)) MECHANISM else FILE_NAMES[[mechanism$kind]],
    noise = if (!is.null(mechanism$noise)) FILE_NAMES[[mechanism$noise$kind]],
    rows = nrow(fields$counts), columns = ncol(fields$counts),
    extents = numbers_if_any(fields$columns$dim), vapply(level, write_numbers, ""),
    rng = fields$rng, clamped = yes_no(!is.null(fields$below)), directed = yes_no(fields$directed),
    cells_below = numbers_if_any(fields$below$cells), size_below = numbers_if_any(fields$below$size),
    storage = paste(storage, typeof(stored_values(fields$counts))),
    if (!is.null(titles)) escape(titles)
  )
  comments <- c(
    paste(if (is.null(mechanism)) "Counts with noise, and their noise level." else "Protected counts.",
      "Lines like this one are for human readers."
    ),
    format_level(x), if (is.null(mechanism) || fields$rng == "R") rng_sentence(fields$rng),
    if (!is.null(mechanism)) {
      protection_by(mechanism)
    } else if (length(x) > 0 && all(is.finite(level$epsilon))) {
      protection(x)
    }
  )
  c(paste("#", comments), paste0(names(keys), ": ", keys))
}

# The names of the modes in the keys of the file.
modes_in_file <- function(n) if (n == 2) c("row", "column") else c("row", paste0("mode", 2:n))

# 17 significant digits represent doubles exactly.
write_numbers <- function(x) {
  paste(ifelse(is.na(x), "NA", ifelse(is.infinite(x), "inf", sprintf("%.17g", x))), collapse = " ")
}

# The backslash must be escaped first, so that the backslashes of other escapes are not doubled.
ESCAPES <- c("\\" = "\\\\", "\n" = "\\n", "\r" = "\\r", "\t" = "\\t")

escape <- function(labels) {
  escaped <- enc2utf8(labels)
  for (character in names(ESCAPES)) escaped <- gsub(character, ESCAPES[[character]], escaped, fixed = TRUE)
  escaped[is.na(labels)] <- "\\N"
  escaped
}

unescape <- function(text) {
  escaped <- grepl("\\", text, fixed = TRUE)
  if (!any(escaped)) {
    return(text)
  }
  missing <- text == "\\N"
  found <- gregexpr("\\\\[\\\\nrt]", text[escaped], perl = TRUE)
  regmatches(text[escaped], found) <- lapply(regmatches(text[escaped], found), function(each) {
    names(ESCAPES)[match(each, ESCAPES)]
  })
  text[missing] <- NA
  text
}

CELLS_PER_WRITE <- 1e5

# Row by row, because release_shards() reads files in batches of rows.
put_cells <- function(connection, counts) {
  wanted <- function(x) is.na(x) | x != 0
  cells <- cells_where(counts, wanted) # column by column
  by_row <- order(cells[, 1], method = "radix")
  rows <- cells[by_row, 1]
  columns <- cells[by_row, 2]
  values <- as.double(values_where(counts, wanted))[by_row]
  n <- length(values)
  writeLines(sprintf("cells: %.0f", n), connection)
  for (first in seq(1, length.out = ceiling(n / CELLS_PER_WRITE), by = CELLS_PER_WRITE)) {
    block <- first:min(n, first + CELLS_PER_WRITE - 1)
    writeBin(.Call(C_rc_write_entries, rows[block], columns[block], values[block]), connection)
  }
}

# --- reading --------------------------------------------------------------------------------------

#' @rdname write_release
#' @export
read_release <- function(file, ...) {
  check_no_dots(...)
  check_given(missing(file), "file")
  hint <- "{.fn read_releases} reads several files, or all files of a folder."
  if (!is_file_name(file)) abort_argument(file, "file", "the name of one file", rlang::current_env(), hint)
  check_existing(file, hint)
  release_in_file(file, rlang::current_env())
}

check_existing <- function(files, hint, call = rlang::caller_env()) {
  folder <- files[dir.exists(files)]
  absent <- files[!file.exists(files)]
  check_that(length(c(folder, absent)) == 0, c(
    if (length(folder) > 0) "{.file {folder[1]}} is a folder." else "There is no file {.file {absent[1]}}.",
    i = if (length(folder) > 0 || any(grepl("[*?]", absent))) hint
  ), call, class = "ldpcounts_file_error")
}

release_in_file <- function(file, call) {
  source <- open_file(file, call)
  on.exit(close(source$connection))
  head <- read_head(source)
  cells <- read_all_cells(source, head)
  check_end(source)
  new_release_from(head, cells, source)
}

# Limits of what a file of a given size on the disk, in bytes, can announce: a file that somebody sent must
# not take more memory or time than its size justifies. Each is far above what write_release() writes.
most_rows <- function(size) 1e5 + 1000 * size # rows, or columns
most_dense <- function(size) 1e7 + 1000 * size # cells that are stored densely
MOST_LINES <- 10000 # before the labels

# --- the head: keys and labels --------------------------------------------------------------------

# The values of a key: the words that are allowed, or the largest whole number, or any numbers (NULL).
KEYS <- list(
  mechanism = FILE_NAMES, noise = FILE_NAMES[1:5], rows = 2^31 - 1, columns = 2^31 - 1, extents = 2^31 - 1,
  alpha = NULL,
  epsilon = NULL, precision = NULL, s = NULL, t = NULL, rng = c("external", "secure", "R", "mixed"),
  clamped = c("no", "yes"),
  directed = c("yes", "no"), cells_below = NULL, size_below = NULL,
  storage = c("sparse double", "dense double", "dense integer"), cells = 1e15, sd = NULL, scale = NULL,
  variance = NULL, base = NULL, from = NULL, to = NULL, breaks = NULL, prob = NULL, below = NULL
)

# The kind of the mechanism of a file, and of its noise if it is withheld.
kinds_of_head <- function(head) {
  noise <- if (identical(head$mechanism, "withheld")) head$noise
  names(FILE_NAMES)[match(c(head$mechanism, noise), FILE_NAMES)]
}

# The keys of their parameters.
parameters_in_head <- function(head) {
  unlist(lapply(MECHANISMS[kinds_of_head(head)], `[[`, "parameters"), use.names = FALSE)
}

SECTION <- "^(row|column|mode([2-9]|1[0-2]))_(labels|title)$"

# The values of the keys, as a list.
read_head <- function(source) {
  first <- sub("^\ufeff", "", paste(read_lines(source, 1), collapse = ""))
  version <- sub("^ldpcounts-release ([1-9][0-9]*)$", "\\1", first)
  source$line <- 1
  check_line(version != first, source, paste0("should be {.code ", RELEASE_FIRST_LINE, "}"), paste(
    "For a table of released counts, such as a csv file, read the table and use {.fn private_counts} with",
    "its {.arg epsilon} or {.arg alpha}."
  ))
  check_line(version == 1, source, paste0("has format ", version, ", but this version reads only format 1"))
  head <- list()
  while (is.null(head[["cells"]])) { # $cells might be cells_below
    before <- source$line
    lines <- read_lines(source, MOST_LINES, to_section = TRUE)
    colon <- regexpr(":", lines, fixed = TRUE)
    keys <- substr(lines, 1, colon - 1)
    values <- sub("^ ", "", substring(lines, colon + 1), perl = TRUE)
    has_value <- keys %in% names(KEYS)
    for (i in which(!startsWith(lines, "#"))) {
      key <- keys[i]
      source$line <- before + i
      check_line(has_value[i] || grepl(SECTION, key), source, "is not a {.code key: value} of this format")
      check_line(is.null(head[[key]]), source, paste0("gives {.field ", key, "} a second time"))
      head[[key]] <- if (has_value[i]) {
        read_value(key, values[i], source)
      } else if (endsWith(key, "_title")) {
        unescape(values[i])
      } else {
        read_labels(source, head, sub("_labels", "", key))
      }
    }
    check_line(length(lines) < MOST_LINES, source, "is not followed by the cells: too many comments")
    check_line(length(lines) > 0, source, "is the last: the file is truncated")
  }
  needed <- c("mechanism", "rows", "columns", if (identical(head$mechanism, "withheld")) "noise")
  absent <- setdiff(c(needed, setdiff(parameters_in_head(head), "precision")), names(head))
  check_line(length(absent) == 0, source, paste0("ends the keys, but {.field ", absent[1], "} is missing"))
  extents <- head$extents
  possible <- length(extents) %in% 2:(MOST_MODES - 1) && identical(prod(extents), head$columns)
  check_file(is.null(extents) || possible, source,
    "must have {.field extents} of two or more modes, whose product is {.field columns}"
  )
  sections <- grep(SECTION, names(head), value = TRUE)
  other <- sections[!sub("_.*", "", sections) %in% modes_of_head(head)]
  check_file(length(other) == 0, source, paste0("has {.field ", other[1], "}, which belongs to no mode"))
  check_file(max(head$rows, head$columns) <= most_rows(source$size), source,
    "announces far more rows and columns than a file of its size can have"
  )
  head
}

read_value <- function(key, value, source) {
  allowed <- KEYS[[key]]
  refuse <- function(how) check_line(FALSE, source, paste0("must give {.field ", key, "} as ", how))
  value <- gsub("^[ \t]+|[ \t]+$", "", value, perl = TRUE)
  if (is.character(allowed)) {
    if (!value %in% allowed) refuse(paste(allowed, collapse = " or "))
    return(value)
  }
  text <- strsplit(value, "[ \t]+", perl = TRUE)[[1]]
  numbers <- suppressWarnings(as.double(text))
  if (is.null(allowed)) {
    if (any(is.na(numbers) & text != "NA")) refuse("numbers")
  } else if (!all(grepl("^[0-9]{1,15}$", text, perl = TRUE)) || any(numbers > allowed)) {
    refuse(paste("a whole number up to", format(allowed, scientific = FALSE)))
  } else if (length(text) != 1 && key != "extents") {
    refuse("one whole number")
  }
  numbers
}

read_labels <- function(source, head, mode) {
  n <- switch(mode,
    row = head[["rows"]], column = head[["columns"]], head[["extents"]][as.numeric(sub("mode", "", mode)) - 1]
  )
  check_line(is_number(n), source, "must come after {.field rows}, {.field columns} and {.field extents}")
  labels <- read_lines(source, n)
  check_line(length(labels) == n, source, "ends the labels too early: the file is truncated")
  unescape(labels)
}

# --- the cells ------------------------------------------------------------------------------------

# What is wrong with the line of a cell: see src/ldp_entries.h.
LINE_PROBLEMS <- c(
  "does not have the form {.code row column count}", "is not in a row of this release",
  "is not in a column of this release", "has a count that is not a whole number"
)

# At most `most` of the next cells of a release with these extents, and at least one, as list(row, column,
# count, n), where n is how many were read. With `size_below` and `last`: see src/rc_entries.c.
read_cells <- function(source, dim, most, size_below = NULL, last = NULL, whole = TRUE) {
  repeat {
    found <- .Call(C_rc_read_entries, source$text, source$skip, dim, as.double(most), size_below, last, whole)
    source$skip <- found$used
    source$line <- source$line + found$n
    too_long <- found$n == 0 && length(source$text) - source$skip > BYTES_PER_READ
    if (found$problem > 0 || too_long) {
      source$line <- source$line + 1
      check_line(FALSE, source, LINE_PROBLEMS[max(1, found$problem)])
    }
    if (found$n > 0) {
      return(found)
    }
    check_file(read_more(source), source, "has fewer cells than announced: is the file truncated?")
  }
}

# Joins the vectors of these names in a list of lists.
join_each <- function(parts, names) {
  if (length(parts) == 1) {
    return(parts[[1]][names])
  }
  lapply(stats::setNames(nm = names), function(name) unlist(lapply(parts, `[[`, name)))
}

CELL_PARTS <- c("row", "column", "count")
NO_CELLS <- list(row = integer(), column = integer(), count = numeric())

read_all_cells <- function(source, head) {
  before <- source$line
  blocks <- list()
  left <- head[["cells"]]
  size <- as.integer(c(head$rows, head$columns))
  while (left > 0) {
    block <- read_cells(source, size, left, whole = head$mechanism == MECHANISM)
    blocks[[length(blocks) + 1]] <- block
    left <- left - block$n
  }
  cells <- join_each(if (length(blocks) == 0) list(NO_CELLS) else blocks, CELL_PARTS)
  place <- (as.double(cells$row) - 1) * head$columns + cells$column
  again <- if (is.unsorted(place, strictly = TRUE)) anyDuplicated(place) else 0
  if (again > 0) source$line <- before + again
  check_line(again == 0, source, "has a cell that was listed before")
  cells
}

# --- from what was read to a release --------------------------------------------------------------

DEFAULTS <- list(
  precision = 1, s = NA_real_, t = NA_real_, rng = "external", clamped = "no", directed = "yes"
)

# Rules for values in a file that are not fields of a release.
FILE_RULES <- list(
  "must have {.field epsilon} above 0, one number or one per row" = function(x) {
    is.null(x$epsilon) || is_per_row(x, "epsilon", function(epsilon) !is.na(epsilon) & epsilon > 0)
  },
  "contradicts itself: {.field alpha} is not exp(-epsilon / precision)" = function(x) {
    is_rate_of(x$epsilon / x$precision, x$alpha)
  }
)

BELOW_KEYS <- c(cells = "cells_below", size = "size_below")

new_release_from <- function(head, cells, source) {
  mechanism <- mechanism_of_head(head, source)
  head <- c(head, DEFAULTS[setdiff(names(DEFAULTS), names(head))])
  check_file(fits_in_memory(c(head$rows, head$columns)), source,
    "has too many rows and columns for the memory of this computer"
  )
  directed <- head$directed == "yes"
  square <- head$rows == head$columns && head$rows >= 2
  check_file(directed || square, source, "is undirected, but rows and columns differ in number or labels")
  check_file(directed || all(cells$row < cells$column), source,
    "is undirected, but not all cells have row < column"
  )
  check_file(head$clamped == "yes" || !any(BELOW_KEYS %in% names(head)), source,
    "is not clamped, but has cells_below or size_below"
  )
  masked <- unique(cells$row[is.na(cells$count)])
  below <- lapply(if (head$clamped == "yes") BELOW_KEYS, function(key) {
    replace(if (is.null(head[[key]])) rep(NA_real_, head$rows) else head[[key]], masked, NA)
  })
  labels <- labels_of_head(head)
  columns <- if (!is.null(head$extents)) new_columns(head$extents, labels[-1], names(labels))
  if (!is.null(columns)) labels <- list(labels[[1]], NULL)
  counts <- explain_failure(counts_in_cells(head, cells, labels, source), function(failure) {
    check_file(FALSE, source, "is too large for this computer's memory or an R matrix")
  })
  if (!directed) counts <- mirrored(counts)
  wrong <- if (!is.null(mechanism)) impossible_releases(mechanism, as.vector(counts))
  check_file(!any(wrong$bad), source, paste("contradicts its mechanism: a cell is", wrong$why))
  if (!is.null(mechanism)) head[c("alpha", "precision")] <- list(NA_real_, 1)
  release <- new_private_counts(counts, head$alpha, head$precision,
    rng = head$rng, s = head[["s"]], t = head[["t"]], below = if (length(below) > 0) below,
    directed = directed, columns = columns, mechanism = mechanism
  )
  problem <- broken_rule(c(unclass(release), head["epsilon"]), c(FIELD_RULES[-1], FILE_RULES, COUNT_RULES))
  check_file(is.null(problem), source, problem)
  release
}

# The mechanism, NULL for geometric noise.
mechanism_of_head <- function(head, source) {
  kinds <- kinds_of_head(head)
  own <- parameters_in_head(head)
  own <- c(own, if (kinds[1] == "geometric") c("epsilon", "s", "t"), if (kinds[1] == "withheld") "noise")
  all <- c("epsilon", "s", "t", "noise", unlist(lapply(MECHANISMS, `[[`, "parameters")))
  other <- setdiff(intersect(names(head), all), own)
  check_file(length(other) == 0, source, paste0("has {.field ", other[1], "}, which is no parameter of its mechanism"))
  if (kinds[1] == "geometric") {
    return(NULL)
  }
  check_file(!identical(head$clamped, "yes"), source, "is clamped, but has no geometric noise")
  part <- function(kind, noise = NULL) {
    names <- MECHANISMS[[kind]]$parameters
    make_mechanism(kind, c(head, DEFAULTS["precision"])[names], noise)
  }
  tryCatch({
      mechanism <- part(kinds[1], if (length(kinds) > 1) part(kinds[2]))
      check_lengths(mechanism, head$rows, head$rows * head$columns)
      undirected <- identical(head$directed, "no")
      check_that(!undirected || is_same_for_all(mechanism), "Pairs have several mechanisms.")
      mechanism
    },
    ldpcounts_error = function(failure) {
      check_file(FALSE, source, "has parameters of its mechanism that cannot be right")
    }
  )
}

modes_of_head <- function(head) modes_in_file(max(2, length(head$extents) + 1))

# The labels of all modes, named by the titles if there are any.
labels_of_head <- function(head) {
  each <- function(part) lapply(paste0(modes_of_head(head), part), function(key) head[[key]])
  titles <- each("_title")
  labels <- each("_labels")
  if (length(unlist(titles)) > 0) names(labels) <- ifelse(lengths(titles) > 0, titles, "")
  labels
}

counts_in_cells <- function(head, cells, labels, source) {
  unclamped <- head$clamped == "no"
  geometric <- head$mechanism == MECHANISM
  fits <- geometric && all(abs(cells$count) <= .Machine$integer.max, na.rm = TRUE)
  possible <- c(if (unclamped && fits) "dense integer", if (unclamped) "dense double", if (geometric) "sparse double")
  storage <- c(head$storage, possible)[1]
  check_file(storage %in% possible, source,
    paste("must have {.field storage} as", paste(possible, collapse = " or "))
  )
  if (length(unlist(labels)) == 0 && is.null(names(labels))) labels <- NULL
  if (storage == "sparse double") {
    stored <- is.na(cells$count) | abs(cells$count) > 0
    at <- cbind(cells$row, cells$column)[stored, , drop = FALSE]
    return(sparse_counts(at, cells$count[stored], c(head$rows, head$columns), labels))
  }
  n <- head$rows * head$columns
  check_file(n <= most_dense(source$size) && is_affordable(8 * n), source,
    "has too many cells for its size or for the memory of this computer"
  )
  counts <- matrix(if (storage == "dense integer") 0L else 0, head$rows, head$columns)
  counts[cbind(cells$row, cells$column)] <- `storage.mode<-`(cells$count, typeof(counts))
  dimnames(counts) <- labels
  counts
}
