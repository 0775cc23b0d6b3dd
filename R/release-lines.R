# Releases of one row as one line of text, for survey platforms. The collection page writes such lines
# (inst/collection/page.js):
#
#   "ldp1:S/T:PRECISION:ITEMS:COUNTS:LABEL:CHECK"
#
# S/T is the exact rate of the noise, ITEMS the check sum of the names of the items, COUNTS the released
# counts with points between them (NA for a masked one), LABEL the label of the row with all bytes but letters
# and digits as %XX (often empty), and CHECK the check sum of all before its colon. Blanks, commas, semicolons
# and quotes do not occur, because survey platforms and spreadsheets may change them.

#' Read releases that were pasted into a survey
#'
#' A [collection_page()] can show a participant's release as one line of text, to be pasted into the text
#' field of any survey. `read_release_lines()` reads a column of such answers.
#'
#' @param x A character vector (or a factor): the answers, one per participant. Blanks, line breaks and quotes
#'   that a survey platform has added are ignored. If `x` has names, they become the labels of the rows.
#'   Otherwise the labels are those that the participants entered in the page, if it asked for them.
#' @param items The names of the items, as they were given to [collection_page()], in the same order.
#' @param ... Must be empty.
#' @return A [private_counts()] with one row per answer that could be read, and one column per item. Each row
#'   keeps the noise level of its line. Attribute `"problems"` is a data frame with one row per answer that
#'   was set aside: its number in `x` (`line`), and what is wrong with it (`problem`).
#' @details Each line contains a check sum of itself and one of the names of the items. So an answer that was
#' changed or cut, or that comes from a page with other items, is detected. Such answers, and blank ones, are
#' set aside and do not affect the others. One message of class `ldpcounts_set_aside` lists them. The check
#' sums detect mistakes. They do not detect answers that were invented on purpose.
#' @section The line: It has seven fields, separated by colons: `ldp1`, where the digit is the version of the
#'   form; `s/t`, two whole numbers with `-log(alpha) = s / t`; the precision; the check sum of the names of
#'   the items, which are separated by line feeds (escaped as described in [write_release()]); the
#'   released counts, separated by points, `NA` for a masked one; the label of the row, in which all bytes
#'   except the letters and digits of ASCII are written as `%XX`; and the check sum of all characters before
#'   the last colon. A check sum is the CRC-32 of the text in UTF-8 (as in gzip), in eight hexadecimal digits.
#' @section Errors: An error of class `ldpcounts_error` is thrown if an argument is wrong, or if none of the
#'   answers can be read.
#' @seealso [read_release()] for files.
#' @examples
#' answers <- c(
#'   "ldp1:1/1:1:68cb2ca2:4.-1.0::c98cf878", "", "\"ldp1:1/1:1:68cb2ca2:2.7.1::5cbad944\n\""
#' )
#' x <- read_release_lines(answers, items = c("calls", "mails", "visits"))
#' x
#' attr(x, "problems")
#' @export
read_release_lines <- function(x, items, ...) {
  check_no_dots(...)
  check_given(missing(x), "x")
  check_given(missing(items), "items")
  if (is.factor(x)) x <- stats::setNames(as.character(x), names(x))
  if (!is.character(x) || !is.null(dim(x))) abort_argument(x, "x", "a character vector", rlang::current_env())
  items <- check_names(items, "items")
  lines <- unname(find_lines(x))
  fields <- strsplit(lines, ":", fixed = TRUE)
  problem <- line_problems(x, lines, fields, items)
  good <- which(is.na(problem))
  problems <- data.frame(line = which(!is.na(problem)), problem = problem[!is.na(problem)])
  check_that(length(good) > 0, c(
    "{.arg x} must hold at least one release that can be read.",
    x = if (length(x) > 0) "The first answer {problem[1]}.", x = if (length(x) == 0) "It is empty."
  ))
  labels <- if (is.null(names(x))) labels_of_lines(fields[good]) else names(x)[good]
  release <- release_of_lines(fields[good], labels, items)
  tell_problems(problems, length(x))
  structure(release, problems = problems)
}

LINE_VERSION <- "ldp1"

LINE_PATTERN <- paste0(
  LINE_VERSION, ":[0-9]{1,10}/[0-9]{1,10}:[0-9.e+-]{1,30}:[0-9a-f]{8}:",
  "(?:-?[0-9]{1,16}|NA)(?:\\.(?:-?[0-9]{1,16}|NA))*+:(?:[A-Za-z0-9]|%(?!00)[0-9A-F]{2})*:[0-9a-f]{8}"
)

# What survey platforms, word processors and phones may add, and the dashes they may write for a minus.
ADDED <- "[\\s\\p{Z}\\p{Cf}\"'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]+"
DASHES <- "[\u2010\u2011\u2012\u2013\u2014\u2212]"

# The release in each answer; NA if there is none. An answer that contains the same line twice has one
# release.
find_lines <- function(x) {
  text <- iconv(enc2utf8(unname(x)), "UTF-8", "UTF-8", sub = "?")
  text <- gsub(DASHES, "-", gsub(ADDED, "", text, perl = TRUE), perl = TRUE)
  found <- regmatches(text, gregexpr(LINE_PATTERN, text, perl = TRUE))
  found[is.na(text)] <- list(character())
  vapply(found, function(each) {
    each <- unique(each)
    if (length(each) == 0) NA_character_ else if (length(each) > 1) "several" else each
  }, "")
}

# What is wrong with each answer; NA if it can be read.
line_problems <- function(x, lines, fields, items) {
  known <- !is.na(lines) & lines != "several"
  problem <- rep(NA_character_, length(x))
  problem[is.na(lines)] <- "does not contain a complete line of a release"
  problem[is.na(x) | !grepl("[^\\s\\p{Z}]", x, perl = TRUE, useBytes = FALSE)] <- "is blank"
  problem[lines %in% "several"] <- "contains several releases"
  part <- function(j) vapply(fields[known], `[[`, "", j)
  body <- sub(":[0-9a-f]{8}$", "", lines[known])
  level <- line_levels(fields[known])
  n_counts <- lengths(strsplit(part(5), ".", fixed = TRUE))
  problem[known] <- ifelse(
    checksum(body) != part(7), "is damaged: its check sum is wrong",
    ifelse(part(4) != items_sum(items), "belongs to a page with other items",
      ifelse(level$valid & n_counts == length(items), NA, "has an impossible noise level or number of counts")
    )
  )
  problem
}

# s, t and precision of each line, and whether they are possible.
line_levels <- function(fields) {
  part <- function(j) vapply(fields, `[[`, "", j)
  s <- as.double(sub("/.*", "", part(2)))
  t <- as.double(sub(".*/", "", part(2)))
  precision <- suppressWarnings(as.double(part(3)))
  inside <- function(n) n >= 1 & n <= RATE_MAX
  valid <- inside(s) & inside(t) & is.finite(precision) & precision > 0
  list(s = s, t = t, precision = precision, valid = valid & !is.na(valid))
}

# Labels that participants entered; NULL if there are none.
labels_of_lines <- function(fields) {
  labels <- vapply(fields, function(each) utils::URLdecode(each[[6]]), "")
  Encoding(labels) <- "UTF-8"
  if (any(nzchar(labels))) ifelse(nzchar(labels) & validUTF8(labels), labels, NA)
}

release_of_lines <- function(fields, labels, items) {
  level <- line_levels(fields)
  counts <- suppressWarnings(as.double(unlist(strsplit(vapply(fields, `[[`, "", 5), ".", fixed = TRUE))))
  if (all(abs(counts) <= .Machine$integer.max, na.rm = TRUE)) counts <- as.integer(counts)
  counts <- matrix(counts, ncol = length(items), byrow = TRUE, dimnames = list(labels, items))
  release <- new_private_counts(counts, collapse(alpha_of_rate(level$s / level$t)), collapse(level$precision),
    rng = "secure", s = collapse(level$s), t = collapse(level$t)
  )
  validate_private_counts(unclass(release), c(FIELD_RULES, COUNT_RULES))
  release
}

tell_problems <- function(problems, n) {
  by_problem <- split(problems$line, problems$problem)
  set_aside <- "{nrow(problems)} of {n} answer{?s} {?was/were} set aside."
  bullets <- vapply(names(by_problem), function(problem) {
    at <- by_problem[[problem]]
    cli::format_inline("{length(at)} {problem}: {cli::qty(length(at))}line{?s} {at}.")
  }, "")
  tell_if(nrow(problems) > 0, c(set_aside, stats::setNames(bullets, rep("*", length(bullets)))),
    "ldpcounts_set_aside"
  )
}

# The beginning of the line of a release, up to the counts.
line_head <- function(level, items) {
  rate <- paste0(write_numbers(level$s), "/", write_numbers(level$t))
  paste(LINE_VERSION, rate, write_numbers(level$precision), items_sum(items), sep = ":")
}

items_sum <- function(items) checksum(paste(escape(items), collapse = "\n"))

# --- check sums -----------------------------------------------------------------------------------

# CRC-32 of the bytes of each text, in hexadecimal digits. Bits are those of a signed integer.
CRC_TABLE <- vapply(0:255, function(byte) {
  for (k in 1:8) {
    rest <- as.integer(bitwShiftR(byte, 1L))
    byte <- if (bitwAnd(byte, 1L) == 1L) bitwXor(rest, -306674912L) else rest
  }
  byte
}, 0L)

LINES_PER_BLOCK <- 1000 # the bytes of this many lines are in memory as integers

checksum <- function(text) {
  block <- (seq_along(text) - 1) %/% LINES_PER_BLOCK
  as.character(unlist(lapply(unname(split(enc2utf8(text), block)), checksum_block)))
}

checksum_block <- function(text) {
  n <- nchar(text, "bytes")
  bytes <- vapply(text, function(one) c(as.integer(charToRaw(one)), integer(max(n) - nchar(one, "bytes"))),
    integer(max(n))
  )
  dim(bytes) <- c(max(n), length(text))
  crc <- rep(-1L, length(text))
  for (j in seq_len(max(n))) {
    on <- n >= j
    low <- bitwAnd(bitwXor(crc[on], bytes[j, on]), 255L)
    crc[on] <- bitwXor(CRC_TABLE[low + 1], as.integer(bitwShiftR(crc[on], 8L)))
  }
  sprintf("%08x", bitwNot(crc))
}
