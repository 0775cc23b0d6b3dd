# Writes releases to text files, which R/release-read.R reads. The format is documented in ?write_release, so
# that programs in other languages can write it too.

#' Write releases to files and read them
#'
#' `write_release()` writes released counts and their noise level to a text file that people and other
#' programs can read. `read_release()` reads these files, which may also have been written by another program.
#'
#' @param x A [private_counts()].
#' @param file The name of a file. If it ends in `.gz`, the file is compressed.
#' @param ... Must be empty.
#' @param overwrite If `TRUE`, an existing file is replaced, after everything has been written. If `FALSE`, an
#'   error is thrown if the file exists.
#' @return `write_release()`: `x`, invisibly. `read_release()`: a `private_counts`, identical to the one that
#'   was written.
#' @section The format, version 1: The file is text in UTF-8. The first line is `ldpcounts-release 1`, where
#' the number is the version. It is followed by lines `key: value` in any order. Lines that begin with `#`
#' are comments, and ignored. For optional keys, the default is given in brackets.
#'
#' \describe{
#'   \item{`mechanism`}{`two-sided geometric`}
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
#' listed twice. The count is a whole number, or `NA` for a masked cell. A cell that is not listed is 0. The
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
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is wrong, or if a file cannot
#'   be written or read. It is also of class `ldpcounts_file_error` if the cause is in the file: a later
#'   version of the format, a truncated or damaged file, or entries that contradict one another. The message
#'   says which line is wrong and why, and never quotes a count.
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
  check_release(x)
  check_flag(overwrite, "overwrite")
  check_new_file(file, overwrite, paste(
    "A release cannot be made again: noise added to the same counts a second time spends epsilon a second time."
  ))
  counts <- fields_of(x)$counts
  if (!privacy(x)$directed) counts <- above_diagonal(counts)
  check_labels(c(unlist(dimnames(x)), titles_of(fields_of(x))))
  head <- c(paste("#", release_words(x)), release_head(x))
  write_whole_file(file, function(connection) {
    put <- function(...) writeLines(enc2utf8(paste0(...)), connection, useBytes = TRUE)
    put(RELEASE_FIRST_LINE)
    put(head)
    labels <- dimnames(x)
    for (mode in seq_along(labels)) {
      if (!is.null(labels[[mode]])) put(release_margins(dim(x))[mode], "_labels:")
      if (length(labels[[mode]]) > 0) put(escape(labels[[mode]]))
    }
    put_cells(put, counts)
    put("end")
  })
  invisible(x)
}

RELEASE_FIRST_LINE <- "ldpcounts-release 1"
MECHANISM <- "two-sided geometric"

check_labels <- function(labels, call = rlang::caller_env()) {
  labels <- c(character(), labels)
  is_text <- !any(Encoding(labels) == "bytes") && all(validUTF8(enc2utf8(labels)))
  check_that(is_text, "The labels of {.arg x} must be valid text that can be converted to UTF-8.", call)
}

# Comments in the file that explain its privacy to human readers.
release_words <- function(x) {
  p <- privacy(x)
  c(
    "Counts with noise, and their noise level. Lines like this one are for human readers.",
    format_level(x), rng_sentence(p$rng),
    if (length(x) > 0 && all(is.finite(p$epsilon))) protection(x)
  )
}

release_head <- function(x) {
  fields <- fields_of(x)
  level <- c(fields["alpha"], list(epsilon = epsilon_of(fields)), fields[c("precision", "s", "t")])
  if_any <- function(x) if (!is.null(x)) write_numbers(x)
  titles <- titles_of(fields)
  keys <- c(
    mechanism = MECHANISM, rows = nrow(fields$counts), columns = ncol(fields$counts),
    extents = if_any(fields$columns$dim), vapply(level, write_numbers, ""),
    rng = fields$rng, clamped = yes_no(!is.null(fields$below)), directed = yes_no(fields$directed),
    cells_below = if_any(fields$below$cells), size_below = if_any(fields$below$size),
    storage = storage_of(fields$counts),
    if (!is.null(titles)) stats::setNames(escape(titles), paste0(release_margins(dim(x)), "_title"))
  )
  paste0(names(keys), ": ", keys)
}

# The names of the modes in the keys of the file.
release_margins <- function(dim) {
  if (length(dim) == 2) c("row", "column") else c("row", paste0("mode", seq_along(dim)[-1]))
}

yes_no <- function(flag) if (flag) "yes" else "no"

# 17 significant digits represent doubles exactly.
write_numbers <- function(x) {
  paste(ifelse(is.na(x), "NA", ifelse(is.infinite(x), "inf", sprintf("%.17g", x))), collapse = " ")
}

storage_of <- function(counts) {
  paste(if (is_sparse(counts)) "sparse" else "dense", typeof(stored_values(counts)))
}

# The backslash must be escaped first, so that the backslashes of other escapes are not doubled.
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
put_cells <- function(put, counts) {
  wanted <- function(x) is.na(x) | x != 0
  cells <- cells_where(counts, wanted)
  values <- as.double(values_where(counts, wanted))
  by_row <- order(cells[, 1], cells[, 2])
  cells <- cells[by_row, , drop = FALSE]
  values <- values[by_row]
  n <- nrow(cells)
  put("cells: ", sprintf("%.0f", n))
  for (first in seq(1, length.out = ceiling(n / CELLS_PER_WRITE), by = CELLS_PER_WRITE)) {
    block <- first:min(n, first + CELLS_PER_WRITE - 1)
    put(sprintf("%d %d %.0f", cells[block, 1], cells[block, 2], values[block]))
  }
}
