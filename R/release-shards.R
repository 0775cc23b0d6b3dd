# Release files as data: their heads are read, and then their cells, in batches of rows.

#' Release files as data that do not fit in memory
#'
#' Names files of released counts as data for [topic_model()]. The rows of all files together are the rows of
#' the data. With `inference = "svi"` they are read in batches. With a `cluster`, each worker reads some of
#' them ([large-data]). This session never has all counts in memory.
#'
#' @param files Names of files in the format of [write_release()], which may be compressed. All must have the
#'   same columns (names of columns are compared if files have them), and all or none must be clamped. Each
#'   file must list its cells in ascending order of rows. `write_release()` writes them in this order.
#' @param x A `release_shards`.
#' @param ... Must be empty.
#' @return An object of class `release_shards`, which contains the names of the files, the noise levels of the
#'   rows, and the labels of rows and columns. It has methods for `print()`, `dim()` and `dimnames()`, and
#'   [privacy()] returns its noise level.
#' @details `release_shards()` reads only the keys and labels at the beginning of each file. The cells are
#' checked while they are read, with the same rules as in [read_release()]. The keys `cells_below` and
#' `size_below` of clamped releases are not used.
#'
#' Stochastic variational inference needs batches that are alike. If the rows of the data are in a systematic
#' order, for example by year, write them to the files in random order.
#' @section Errors: An error of class `ldpcounts_error` is thrown if a file does not exist, is not a release
#'   of rows and columns, or does not go with the first file. The message names the file. If the cells of a
#'   file are not in ascending order of rows, an error is thrown when these cells are read; `read_release()`
#'   and `write_release()` sort them.
#' @seealso [topic_model()], [write_release()], [large-data]
#' @examples
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:40], epsilon = 2)
#' files <- file.path(tempdir(), c("first.txt", "second.txt.gz"))
#' write_release(released[1:30, ], files[1])
#' write_release(released[31:60, ], files[2])
#' shards <- release_shards(files)
#' shards
#' topic_model(shards, k = 3, inference = "svi")
#' @export
release_shards <- function(files, ...) {
  check_no_dots(...)
  check_shard_names(files)
  call <- rlang::current_env()
  heads <- lapply(files, read_shard_head, call)
  releases <- lapply(heads, `[[`, "release")
  check_same_columns(files, releases, call)
  rows <- vapply(releases, nrow, 0L)
  message <- "The files must have at least one row and one column."
  check_that(sum(rows) > 0 && ncol(releases[[1]]) > 0, message)
  check_that(sum(rows) < 2^31, "The files must have fewer than 2^31 rows.")
  structure(
    list(
      files = normalizePath(files), stamps = lapply(files, new_stamp), rows = rows, cells = vapply(heads, `[[`, 0, "cells"),
      release = do.call(rbind, share_columns(releases)), version = 1L
    ),
    class = "release_shards"
  )
}

check_shard_names <- function(files, call = rlang::caller_env()) {
  check_given(missing(files), "files", call)
  if (!is.character(files) || length(files) == 0 || anyNA(files)) {
    abort_argument(files, "files", "the names of one or more files", call)
  }
  there <- file.exists(files) & !dir.exists(files)
  folder <- dir.exists(files)[!there][1]
  check_that(all(there), c(
    if (isTRUE(folder)) "{.file {files[!there][1]}} is a folder.",
    if (!isTRUE(folder)) "There is no file {.file {files[!there][1]}}.",
    i = if (isTRUE(folder)) "{.code list.files(\"{files[!there][1]}\", full.names = TRUE)} lists its files."
  ), call, class = "ldpcounts_file_error")
  twice <- files[duplicated(normalizePath(files))]
  message <- "{.arg files} must be different files, but {.file {twice[1]}} is listed twice."
  check_that(length(twice) == 0, message, call)
}

# By which a change of a file is recognised: the digest is compared only if size or time of change differ.
new_stamp <- function(file) {
  list(size = file.size(file), time = as.double(file.mtime(file)), digest = unname(tools::md5sum(file)))
}

is_unchanged <- function(file, stamp) {
  same <- identical(list(file.size(file), as.double(file.mtime(file))), unname(stamp[c("size", "time")]))
  same || identical(unname(tools::md5sum(file)), stamp$digest)
}

# For an object that may have been edited.
check_shards <- function(x, call = rlang::caller_env()) {
  parts <- unclass(x)
  check_version(if (is.list(parts)) parts$version, "a release_shards", 1L)
  n <- length(parts$files)
  valid <- is.character(parts$files) && length(parts$stamps) == n && is.integer(parts$rows) && is.double(parts$cells) &&
    length(parts$rows) == n && length(parts$cells) == n && is_release(parts$release) &&
    sum(parts$rows) == nrow(fields_of(parts$release)$counts)
  check_that(valid, c(
    "This is not a valid {.cls release_shards}: it has been edited or damaged.",
    i = "Make it again with {.fn release_shards}."
  ), call, class = "ldpcounts_file_error")
}

# The keys and labels of a file, as list(release =, cells =): a release without counts, and the number of
# cells that the file lists.
read_shard_head <- function(file, call) {
  opened <- open_shard(file, call)
  close(opened$reader$connection)
  head <- opened$head
  opened$reader$check(is.null(head$extents), "has more than two modes, but must have rows and columns", "It")
  opened$reader$check(!isFALSE(head$directed), "has counts of pairs of actors ({.code directed: no})", "It")
  head[BELOW_KEYS] <- NULL
  head$storage <- "sparse double" # whatever it is, because there are no cells yet
  release <- parse_release(head, matrix(0, 0, 3), opened$reader)
  problem <- broken_rule(c(unclass(release), head["epsilon"]), c(FIELD_RULES[-1], FILE_RULES))
  opened$reader$check(is.null(problem), problem, "It")
  fields <- unclass(release)
  fields$counts <- sparse_counts(matrix(0, 0, 2), numeric(), dim(release), dimnames(release))
  list(release = structure(fields, class = class(release)), cells = head[["cells"]])
}

open_shard <- function(file, call) {
  reader <- new_reader(file, call)
  head <- tryCatch(
    {
      check_first_line(reader)
      read_head(reader)
    },
    error = function(failure) {
      close(reader$connection)
      stop(failure)
    }
  )
  list(reader = reader, head = head)
}

check_same_columns <- function(files, releases, call) {
  first <- releases[[1]]
  named <- Find(function(x) !is.null(colnames(x)), releases)
  is_clamped <- function(x) privacy(x)$clamped
  for (i in seq_along(files)) {
    x <- releases[[i]]
    same_names <- is.null(colnames(x)) || identical(colnames(x), colnames(named))
    problem <- if (ncol(x) != ncol(first)) {
      "It has {ncol(x)} columns, and {.file {files[1]}} has {ncol(first)}."
    } else if (!same_names) {
      "The names of its columns differ from those of files before it."
    } else if (is_clamped(x) != is_clamped(first)) {
      paste("It is", if (is_clamped(x)) "clamped, and {.file {files[1]}} is not." else
        "not clamped, and {.file {files[1]}} is.")
    }
    check_that(is.null(problem), c("{.file {files[i]}} does not go with the files before it.", x = problem),
      call, class = "ldpcounts_file_error"
    )
  }
}

# Gives the names of columns, and the titles, of the first release that has them to all.
share_columns <- function(releases) {
  labels <- lapply(releases, function(x) dimnames(x$counts))
  columns <- Find(Negate(is.null), lapply(labels, `[[`, 2))
  titles <- Find(Negate(is.null), lapply(labels, names))
  Map(function(x, of_x) {
    dimnames(x$counts) <- stats::setNames(list(of_x[[1]], columns), titles)
    structure(x, class = "private_counts")
  }, lapply(releases, unclass), labels)
}

#' @export
dim.release_shards <- function(x) dim(unclass(x)[["release"]])

#' @export
dimnames.release_shards <- function(x) dimnames(unclass(x)[["release"]])

#' @rdname release_shards
#' @export
print.release_shards <- function(x, ...) {
  check_no_dots(...)
  check_shards(x)
  cat_wrapped(paste0(
    "Private counts in ", count_of(length(x$files), "file"), ": ", paste(dim(x), collapse = " x "),
    ", two-sided geometric noise", if (privacy(x)$clamped) ", clamped at zero"
  ))
  cat_wrapped(format_level(x))
  cat_wrapped(rng_sentence(privacy(x)$rng))
  invisible(x)
}

# --- reading ---------------------------------------------------------------------------------------------

# Reads the rows of all files, one file after another, in this order of the files. Returns
#
#   take(n)    the next n rows (fewer at the end): list(rows, row, column, count, size_below), where `rows`
#              has their numbers among all rows. The cells are those that are positive or masked, in ascending
#              order of row (1 to n) and column; `size_below` has the sums of the absolute values of negative
#              counts
#   close()    closes the file that is open
#
# Only the cells of these rows are in memory, and one block of the file.
shard_cursor <- function(shards, order = seq_along(shards$files), call = rlang::caller_env()) {
  above <- cumsum(c(0, shards$rows))
  at <- 0L # the position in `order` of the open file
  file <- NULL
  close_file <- function() {
    if (!is.null(file)) close(file$connection)
    file <<- NULL
  }
  next_file <- function() {
    close_file()
    at <<- at + 1L
    if (at <= length(order)) file <<- shard_rows(shards, order[at], call)
    !is.null(file)
  }
  take <- function(n) {
    parts <- list()
    rows <- integer()
    while (n > length(rows) && (!is.null(file) || next_file())) {
      size <- min(n - length(rows), file$left())
      if (size > 0) {
        part <- file$take(size)
        part$row <- part$row - part$first + 1L + length(rows)
        parts <- c(parts, list(part))
        rows <- c(rows, above[order[at]] + part$first - 1L + seq_len(size))
      }
      if (file$left() == 0) {
        file$finish()
        close_file()
      }
    }
    c(list(rows = as.integer(rows)), join_each(parts, c("row", "column", "count", "size_below")))
  }
  list(take = take, close = close_file)
}

# Joins the vectors of these names in a list of lists.
join_each <- function(parts, names) {
  if (length(parts) == 1) {
    return(parts[[1]][names])
  }
  lapply(stats::setNames(nm = names), function(name) unlist(lapply(parts, `[[`, name)))
}

# The rows of file i. `take(n)` returns what shard_cursor() does for the next n rows of the file, with their
# numbers in the file, of which `first` is the first.
shard_rows <- function(shards, i, call) {
  opened <- open_shard(shards$files[i], call)
  reader <- opened$reader
  usable <- FALSE
  on.exit(if (!usable) close(reader$connection))
  size <- c(shards$rows[i], ncol(shards$release))
  unread <- shards$cells[i]
  same <- opened$head$rows == size[1] && opened$head$columns == size[2] && opened$head[["cells"]] == unread
  unchanged <- same && is_unchanged(shards$files[i], shards$stamps[[i]])
  reader$check(unchanged, "has changed since {.fn release_shards} read it", "It")
  usable <- TRUE
  noised <- rep_len(opened$head$alpha, size[1]) > 0 & !privacy(shards)$clamped
  done <- 0L # rows that have been taken
  last <- c(0L, 0L) # the row and the column of the last cell that was read
  kept <- list(row = integer(), column = integer(), count = numeric()) # cells of rows that were not taken
  size_below <- numeric(size[1])
  read_block <- function() {
    block <- reader$cells(size, unread, size_below, last)
    reader$check(block$n > 0, "are fewer than announced: is the file truncated?", "The cells")
    reader$check(block$order < 2, "does not list its cells in ascending order of rows", "It",
      hint = "Read it with {.fn read_release} and write it again with {.fn write_release}."
    )
    unread <<- unread - block$n
    last <<- block$last
    block
  }
  take <- function(n) {
    first <- done + 1L
    done <<- done + n
    blocks <- list(kept)
    while (unread > 0 && last[1] <= done) blocks <- c(blocks, list(read_block()))
    cells <- join_each(blocks, names(kept))
    if (any(unlist(lapply(blocks, `[[`, "order")) > 0)) cells <- sorted_cells(cells, size[2], reader)
    below <- size_below[first:done]
    reader$check(all(noised[first:done] | below == 0), paste(
      "has negative counts, but is clamped at zero or has {.field alpha} = 0 in these rows"
    ), "It")
    inside <- cells$row <= done
    kept <<- lapply(cells, `[`, !inside)
    c(if (all(inside)) cells else lapply(cells, `[`, inside), list(first = first, size_below = below))
  }
  list(connection = reader$connection, take = take, finish = reader$finish, left = function() size[1] - done)
}

# Cells in ascending order of row and column, each listed once.
sorted_cells <- function(cells, columns, reader) {
  place <- (as.double(cells$row) - 1) * columns + cells$column
  reader$check(anyDuplicated(place) == 0, "lists a cell twice", "It")
  lapply(cells, `[`, order(place))
}
