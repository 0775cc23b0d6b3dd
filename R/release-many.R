# Releases of many participants: files, or lines of text. What cannot be used is set aside, with the reason.

#' Read the release files of many participants
#'
#' Puts many release files together, each with the counts of one participant or a few. Columns are aligned by
#' their names (the items), rows keep their noise levels, and files that cannot be used are set aside and
#' reported in one message.
#'
#' @param files Names of files in the format of [write_release()], or one folder. All files of a folder are
#'   read, in alphabetical order, except hidden ones and those in folders inside it.
#' @param ... Must be empty.
#' @param items The items of the study, in the order of the columns. If `NULL`, they are the items of most
#'   files, in the order of the first of these files.
#' @param participants Labels of all who were asked. If given, the result has only participants in this list.
#'   Those who are missing are reported, and so are files of people who are not in the list.
#' @param complete If `TRUE`, the result has one row per element of `participants`, in this order. The rows of
#'   missing participants are masked. If `FALSE`, it has only the rows that were read, in the order of the
#'   files.
#' @param network If `TRUE`, the items are the actors of a network, and the rows are put into the order of the
#'   columns. The rows of missing senders are masked.
#' @return A [private_counts()] with one row per participant and one column per item; `as.data.frame(x, wide =
#'   TRUE)` makes a data frame of it, to which answers to other questions can be merged. It has two further
#'   attributes. `attr(x, "problems")` is a data frame with one row per file that was set aside, and the
#'   columns `file` and `problem` (what is wrong with it). `attr(x, "missing")` has the labels of missing
#'   participants (`NULL` if `participants` were not given).
#' @details The label of a participant is the row name in the file. If a file has none, the label is the name
#' of the file without its extension (if it has several rows, followed by `-1`, `-2` and so on).
#'
#' *Items.* A file may list the items in any order. Items that it does not have are masked (`NA`). A file with
#' an item that is not in the study is set aside: counts of other items may come from another study, or from
#' another version of the questionnaire. To use such files too, give all items in `items`. If no file has
#' names of items, all must have the same number of columns, and `items` may name them.
#'
#' *Mechanisms.* All files must have geometric noise, of any level, or all the same other mechanism ([mechanisms])
#' with one number per parameter. Files with another mechanism than most are set aside.
#'
#' *Participants with several files.* The first file is used, and the others are set aside. Do not choose
#' between them by their counts, and do not average them. Each further release of the same counts reveals more
#' about the participant: the privacy losses add up ([privacy_loss()]), so a mean of two releases at
#' `epsilon = 1` has the loss `epsilon = 2`. The noise of a mean is not geometric, either.
#'
#' *Networks.* With `network = TRUE`, the file of a sender may or may not have a count for the sender. This
#' cell is on the diagonal, which is not data: [block_model()] leaves it out. If `items` is `NULL`, the actors
#' are the items of a file and its sender.
#'
#' The noise level of a masked row has no effect on any result. It is that of the first row that was read.
#' @section Messages and errors: `read_releases()` reports files that are set aside, missing participants and
#'   masked items in one message of class `ldpcounts_set_aside`. It stops with an error of class
#'   `ldpcounts_error` if an argument is wrong, and of class `ldpcounts_file_error` if no file can be used.
#' @seealso [read_release()] for one file, [release_shards()] for files that do not fit in memory.
#' @examples
#' folder <- file.path(tempdir(), "releases")
#' dir.create(folder)
#' calls <- data.frame(person = "ann", work = 3, family = 0)
#' write_release(privatize(calls, epsilon = 1, id = "person"), file.path(folder, "ann.txt"))
#' x <- read_releases(folder, participants = c("ann", "bob"))
#' as.data.frame(x, wide = TRUE)
#' @export
read_releases <- function(files, ..., items = NULL, participants = NULL, complete = FALSE, network = FALSE) {
  check_no_dots(...)
  files <- check_many_files(files)
  complete <- check_flag(complete, "complete")
  network <- check_flag(network, "network")
  if (!is.null(items)) items <- check_names(items, "items")
  if (!is.null(participants)) participants <- check_names(participants, "participants")
  check_that(!complete || !is.null(participants), "{.code complete = TRUE} needs {.arg participants}.")
  check_that(!network || is.null(participants), c(
    "With {.code network = TRUE}, {.arg participants} must not be given.",
    i = "The participants are the actors in the columns; {.arg items} can name them."
  ))
  call <- rlang::current_env()
  releases <- lapply(files, release_or_problem)
  files <- printable(files)
  problems <- rep(NA_character_, length(files)) # of each file; the kind of the problem comes first
  set_aside <- function(kind, found) {
    new <- !is.na(found)
    problems[new] <<- paste0(kind, ": ", found[new])
    releases[new] <<- list(NULL)
    check_any_left(releases, files, problems, call)
  }
  set_aside("damaged", vapply(releases, function(x) if (is.character(x)) x else unusual(x), ""))
  set_aside("damaged", other_mechanism(releases))
  releases <- Map(add_row_labels, releases, files)
  study <- study_items(releases, items, network)
  set_aside("other items", other_items(releases, study$items, !is.null(items)))
  wanted <- if (network) study$items else participants
  used <- rows_to_use(releases, files, wanted)
  problems <- ifelse(is.na(used$problems), problems, used$problems)
  releases <- used$releases
  check_any_left(releases, files, problems, call)
  good <- Filter(Negate(is.null), releases)
  n_items <- lengths(lapply(good, function(x) colnames(unclass(x)$counts)))
  lacking <- sum(n_items > 0 & n_items < length(study$items))
  x <- do.call(rbind, lapply(good, align_items, study$items))
  missing <- if (!is.null(wanted)) setdiff(wanted, rownames(x))
  if (complete || network) x <- complete_rows(x, missing, wanted)
  tell_set_aside(files, problems, c(
    paste0(
      length(good), " of ", count_of(length(files), "file"), " were used: ", count_of(nrow(x), "row"), ", ",
      count_of(ncol(x), "item"), "."),
    i = if (isTRUE(study$files < study$of)) {
      names <- listed(study$items, 10)
      paste0("The items are those of ", study$files, " of ", study$of, " files: ", names, ".")
    },
    i = if (lacking > 0 && !network) {
      paste(count_of(lacking, "file does", "files do"), "not have all items. The missing ones are masked.")
    },
    i = if (length(missing) > 0) {
      paste0(count_of(length(missing), "participant is", "participants are"), " missing",
        if (complete || network) " and masked", ": ", listed(missing), ".")
    }
  ))
  found <- !is.na(problems)
  structure(x, problems = data.frame(file = files[found], problem = problems[found]), missing = missing)
}

# The names of the files, in the order in which they are read.
check_many_files <- function(files, call = rlang::caller_env()) {
  check_given(missing(files), "files", call)
  if (!is.character(files) || length(files) == 0 || anyNA(files)) {
    abort_argument(files, "files", "names of files, or the name of one folder", call)
  }
  if (length(files) > 1 || !dir.exists(files)) {
    return(as.character(files))
  }
  inside <- sort_text(list.files(files, full.names = TRUE))
  inside <- inside[!dir.exists(inside)]
  check_that(length(inside) > 0, "There are no files in the folder {.file {files}}.", call,
    class = "ldpcounts_file_error"
  )
  inside
}

check_any_left <- function(releases, files, problems, call) {
  check_that(!all(vapply(releases, is.null, TRUE)), c(
    "None of the {length(files)} file{?s} can be used.",
    x = "The first, {.file {files[1]}}, has this problem: {Find(Negate(is.na), problems)}."
  ), call, class = "ldpcounts_file_error")
}

# The release in a file, or the reason why it cannot be read, as text.
release_or_problem <- function(file) {
  if (!file.exists(file)) {
    return("there is no such file")
  }
  tryCatch(release_in_file(file, NULL), error = function(failure) {
    reason <- failure$body["x"]
    if (is.null(failure$body) || is.na(reason)) reason <- conditionMessage(failure)
    sub("^It ", "", sub("[.]$", "", cli::ansi_strip(unname(reason))))
  })
}

# What a release has that one of participants by items must not have; NA if nothing.
unusual <- function(x) {
  fields <- unclass(x)
  items <- colnames(fields$counts)
  found <- c(
    "has more than two modes" = !is.null(fields$columns),
    "has counts of pairs of actors (`directed: no`)" = !fields$directed,
    "has no rows or no columns" = any(dim(fields$counts) == 0),
    "has an item without a name" = anyNA(items) || !all(nzchar(items)),
    "has two items of the same name" = anyDuplicated(items) > 0,
    "has a mechanism whose parameters are not one number for all" = !is_same_for_all(fields$mechanism)
  )
  names(found)[found][1]
}

# Of each release, "has another mechanism than most files" if so, otherwise NA.
other_mechanism <- function(releases) {
  key <- vapply(releases, function(x) if (is.null(x)) NA_character_ else rlang::hash(unclass(x)$mechanism), "")
  most <- names(which.max(table(factor(key, unique(key[!is.na(key)])))))
  ifelse(is.na(key) | key == most, NA, "has another mechanism than most files")
}

# Labels for rows that have none: the name of the file, without its extension.
add_row_labels <- function(x, file) {
  if (is.null(x)) {
    return(NULL)
  }
  counts <- unclass(x)$counts
  n <- nrow(counts)
  labels <- if (is.null(rownames(counts))) character(n) else rownames(counts)
  without <- is.na(labels) | !nzchar(labels)
  name <- sub("[.][^.]*$", "", sub("[.]gz$", "", file_title(file)))
  labels[without] <- if (n == 1) name else paste0(name, "-", seq_len(n))[without]
  rownames(counts) <- labels
  with_counts(x, counts)
}

# The items of the study, and how many files have just these, of how many. `items` is NULL for releases
# without names of items.
study_items <- function(releases, items, network) {
  each <- Filter(Negate(is.null), lapply(releases, function(x) {
    labels <- dimnames(unclass(x)$counts)
    if (network) union(labels[[2]], if (!is.null(labels[[2]])) labels[[1]]) else labels[[2]]
  }))
  if (length(each) == 0 || !is.null(items)) {
    return(list(items = items))
  }
  own <- vapply(each, paste, "", collapse = "\r")
  sets <- vapply(each[!duplicated(own)], function(x) paste(sort_text(x), collapse = "\r"), "")
  sets <- sets[match(own, unique(own))] # those of files with the same items are equal
  most <- names(which.max(table(factor(sets, unique(sets)))))
  list(items = each[[match(most, sets)]], files = sum(sets == most), of = length(each))
}

# Why the columns of a release do not fit the items, NA if they fit. `given`: did the user name the items?
other_items <- function(releases, items, given) {
  good <- Filter(Negate(is.null), releases)
  named <- any(vapply(good, function(x) !is.null(colnames(unclass(x)$counts)), TRUE))
  n_items <- if (given) length(items) else ncol(unclass(good[[1]])$counts)
  vapply(releases, function(x) {
    counts <- unclass(x)$counts
    unknown <- setdiff(colnames(counts), items)
    if (is.null(x)) {
      NA_character_
    } else if (is.null(colnames(counts)) && named) {
      "has no names of items"
    } else if (!named && ncol(counts) != n_items) {
      paste("has", count_of(ncol(counts), "item"), "without names, another number than expected")
    } else if (named && length(unknown) > 0) {
      names <- listed(dQuote(unknown, FALSE), 3)
      paste0("has ", count_of(length(unknown), "item"), " not in the study: ", names)
    } else {
      NA_character_
    }
  }, "")
}

# A release with all items, in their order.
align_items <- function(x, items) {
  fields <- unclass(x)
  own <- colnames(fields$counts)
  if (is.null(items) || identical(own, items)) {
    return(x)
  }
  if (is.null(own)) {
    colnames(fields$counts) <- items
    return(structure(fields, class = "private_counts"))
  }
  counts <- as_dense(fields$counts, "files", NULL)[, match(items, own), drop = FALSE]
  colnames(counts) <- items
  fields$counts <- if (is_sparse(fields$counts)) as_sparse(counts) else counts
  if (!is.null(fields$below) && !all(items %in% own)) fields$below <- nothing_known_below(nrow(counts))
  structure(fields, class = "private_counts")
}

# The releases without rows of participants who are not in the list, or who have an earlier row; and the
# problem of each file that has such rows.
rows_to_use <- function(releases, files, wanted) {
  labels <- lapply(releases, function(x) rownames(unclass(x)$counts))
  who <- unlist(labels)
  from <- rep(seq_along(labels), lengths(labels))
  unknown <- !is.null(wanted) & !who %in% wanted
  participant <- paste0("participant \"", who, "\"")
  used <- file_title(files[from[match(who, who)]])
  why <- ifelse(unknown, paste0("not in the list: ", participant, " is not one of the participants"),
    paste0("doubled: ", participant, " is also in ", used, ", which is used")
  )
  aside <- unknown | duplicated(who)
  problems <- rep(NA_character_, length(files))
  for (i in unique(from[aside])) {
    here <- from == i
    left <- which(!aside[here])
    problems[i] <- paste(unique(why[here & aside]), collapse = "; ")
    releases[i] <- list(if (length(left) > 0) releases[[i]][left, ])
  }
  list(releases = releases, problems = problems)
}

# One row per label, in this order; the rows that are missing are masked.
complete_rows <- function(x, missing, labels) {
  fields <- unclass(x)
  if (length(missing) > 0) {
    masked <- matrix(if (is.null(fields$mechanism)) NA_integer_ else NA_real_, length(missing), ncol(x),
      dimnames = list(missing, colnames(x))
    )
    level <- lapply(fields[LEVEL_FIELDS], `[`, 1)
    x <- rbind(x, new_private_counts(masked, level$alpha, level$precision,
      rng = fields$rng, s = level$s, t = level$t,
      below = if (!is.null(fields$below)) nothing_known_below(length(missing)), mechanism = fields$mechanism
    ))
  }
  x[match(labels, rownames(x)), ]
}

# One message about all files that were set aside, and about what is masked or missing. `notes`: how many
# files were used, and what else is to be said.
tell_set_aside <- function(files, problems, notes) {
  kinds <- c(
    damaged = "Damaged or of another kind", `other items` = "Other item names",
    doubled = "Further files of the same participants", `not in the list` = "Participants not in the list"
  )
  by_kind <- split(file_title(files), factor(sub(":.*", "", problems), names(kinds)))
  by_kind <- by_kind[lengths(by_kind) > 0]
  parts <- paste0(kinds[names(by_kind)], " (", lapply(lengths(by_kind), count_of, "file"), "): ",
    lapply(by_kind, listed), ".", recycle0 = TRUE)
  more <- "`attr(x, \"problems\")` says what is wrong with each file that was set aside."
  names(parts) <- rep("x", length(parts))
  texts <- c(notes[1], parts, notes[-1], i = if (length(parts) > 0) more)
  tell_if(length(texts) > 1, stats::setNames(sprintf("{texts[%d]}", seq_along(texts)), names(texts)),
    "ldpcounts_set_aside"
  )
}

# The names, separated by commas, or the first of them if there are many.
listed <- function(names, most = 100) {
  paste0(
    paste(utils::head(names, most), collapse = ", "),
    if (length(names) > most) paste(" and", length(names) - most, "more")
  )
}

# --- lines of text --------------------------------------------------------------------------------

# The collection page writes such lines (inst/collection/page.js):
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
#' @section Errors: `read_release_lines()` stops with an error of class `ldpcounts_error` if an argument is
#'   wrong, or if it can read none of the answers.
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
  found <- lines_in(x)
  lines <- vapply(found, `[`, "", 1)
  one <- lengths(found) == 1
  fields <- matrix(as.character(unlist(strsplit(lines[one], ":", fixed = TRUE))), 7)
  problem <- ifelse(one | lengths(found) == 0, "does not contain a complete line of a release",
    "contains several releases")
  problem[is.na(x) | !grepl("[^\\s\\p{Z}]", x, perl = TRUE)] <- "is blank"
  level <- list(
    s = as.double(sub("/.*", "", fields[2, ])), t = as.double(sub(".*/", "", fields[2, ])),
    precision = suppressWarnings(as.double(fields[3, ]))
  )
  possible <- level$s >= 1 & level$s <= TERM_MAX & level$t >= 1 & level$t <= TERM_MAX &
    is.finite(level$precision) & level$precision > 0
  counts <- strsplit(fields[5, ], ".", fixed = TRUE)
  problem[one] <- ifelse(
    checksums(sub(":[0-9a-f]{8}$", "", lines[one])) != fields[7, ], "is damaged: its check sum is wrong",
    ifelse(fields[4, ] != items_sum(items), "belongs to a page with other items",
      ifelse(possible & lengths(counts) == length(items), NA,
        "has an impossible noise level or number of counts")
    )
  )
  good <- is.na(problem)
  check_that(any(good), c(
    "{.arg x} must hold at least one release that can be read.",
    x = if (length(x) > 0) "The first answer {problem[1]}." else "It is empty."
  ))
  used <- good[one]
  counts <- suppressWarnings(as.double(unlist(counts[used])))
  if (all(abs(counts) <= .Machine$integer.max, na.rm = TRUE)) counts <- as.integer(counts)
  labels <- if (is.null(names(x))) entered_labels(fields[6, used]) else names(x)[good]
  counts <- matrix(counts, ncol = length(items), byrow = TRUE, dimnames = list(labels, items))
  level <- lapply(level, function(each) collapse(each[used]))
  alpha <- alpha_of_rate(level$s / level$t)
  release <- new_private_counts(counts, alpha, level$precision, "secure", level$s, level$t)
  validate_private_counts(unclass(release), c(FIELD_RULES, COUNT_RULES))
  aside <- which(!good)
  by_problem <- split(aside, problem[aside])
  texts <- sprintf("%d %s: line %s.", lengths(by_problem), names(by_problem), vapply(by_problem, listed, ""))
  tell_if(length(aside) > 0, c(
    "{length(aside)} of {length(x)} answer{?s} {?was/were} set aside.",
    stats::setNames(texts, rep("*", length(texts)))
  ), "ldpcounts_set_aside")
  structure(release, problems = data.frame(line = aside, problem = problem[aside]))
}

LINE_VERSION <- "ldp1"

LINE_PATTERN <- paste0(
  LINE_VERSION, ":[0-9]{1,10}/[0-9]{1,10}:[0-9.e+-]{1,30}:[0-9a-f]{8}:",
  "(?:-?[0-9]{1,16}|NA)(?:\\.(?:-?[0-9]{1,16}|NA))*+:(?:[A-Za-z0-9]|%(?!00)[0-9A-F]{2})*:[0-9a-f]{8}"
)

# What survey platforms, word processors and phones may add, and the dashes they may write for a minus.
ADDED <- "[\\s\\p{Z}\\p{Cf}\"'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb]+"
DASHES <- "[\u2010\u2011\u2012\u2013\u2014\u2212]"

# The different lines in each answer.
lines_in <- function(x) {
  text <- iconv(enc2utf8(unname(x)), "UTF-8", "UTF-8", sub = "?")
  text <- gsub(DASHES, "-", gsub(ADDED, "", text, perl = TRUE), perl = TRUE)
  found <- regmatches(text, gregexpr(LINE_PATTERN, text, perl = TRUE))
  found[is.na(text)] <- list(character())
  lapply(found, unique)
}

# Labels that participants entered; NULL if there are none.
entered_labels <- function(escaped) {
  labels <- vapply(escaped, utils::URLdecode, "", USE.NAMES = FALSE)
  Encoding(labels) <- "UTF-8"
  if (any(nzchar(labels))) ifelse(nzchar(labels) & validUTF8(labels), labels, NA)
}

# The beginning of the line of a release, up to the counts.
line_head <- function(fields, items) {
  rate <- paste0(write_numbers(fields$s), "/", write_numbers(fields$t))
  paste(LINE_VERSION, rate, write_numbers(fields$precision), items_sum(items), sep = ":")
}

checksums <- function(text) .Call(C_rc_checksums, enc2utf8(text))

items_sum <- function(items) checksums(paste(escape(items), collapse = "\n"))
