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
#' @section Errors: `release_shards()` stops with an error of class `ldpcounts_error` if a file does not
#'   exist, is not a release of rows and columns, or does not go with the first file. The message names the
#'   file. If the cells of a file are not in ascending order of rows, the model function stops when it reads
#'   them; `read_release()` and `write_release()` sort them.
#' @seealso [topic_model()], [write_release()], [large-data]
#' @examples
#' released <- privatize(poliblog[1:60, 1:40], epsilon = 2)
#' files <- file.path(tempdir(), c("first.txt", "second.txt.gz"))
#' write_release(released[1:30, ], files[1])
#' write_release(released[31:60, ], files[2])
#' shards <- release_shards(files)
#' topic_model(shards, k = 3, inference = "svi")
#' @export
release_shards <- function(files, ...) {
  check_no_dots(...)
  check_given(missing(files), "files")
  call <- rlang::current_env()
  if (!is.character(files) || length(files) == 0 || anyNA(files)) {
    abort_argument(files, "files", "the names of one or more files", call)
  }
  check_existing(files, "{.fn list.files} lists the files of a folder, with {.code full.names = TRUE}.")
  twice <- files[duplicated(normalizePath(files))]
  check_that(length(twice) == 0, "{.arg files} must not list a file twice, such as {.file {twice[1]}}.")
  heads <- lapply(files, function(file) {
    source <- open_file(file, call)
    on.exit(close(source$connection))
    read_shard_head(source)
  })
  releases <- same_columns(files, lapply(heads, `[[`, "release"), call)
  rows <- vapply(releases, nrow, 0L)
  check_that(sum(rows) > 0 && ncol(releases[[1]]) > 0, "The files must have at least one row and one column.")
  structure(list(
    files = normalizePath(files),
    stamps = lapply(files, new_stamp),
    rows = rows, # per file, as the next
    cells = vapply(heads, `[[`, 0, "cells"), # that are listed
    release = do.call(rbind, releases), # without counts: labels and noise levels of all rows
    version = 1L
  ), class = "release_shards")
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
  valid <- is.character(parts$files) && all(lengths(parts[c("stamps", "rows", "cells")]) == n) &&
    is.integer(parts$rows) && is.double(parts$cells) && is_release(parts$release) &&
    sum(parts$rows) == nrow(parts$release)
  check_that(valid, c(
    "This is not a valid {.cls release_shards}: it has been edited or damaged.",
    i = "Make it again with {.fn release_shards}."
  ), call, class = "ldpcounts_file_error")
}

# The keys and labels of a file, as list(release =, cells =): a release without counts, and the number of
# cells that the file lists.
read_shard_head <- function(source) {
  head <- read_head(source)
  check_file(head$mechanism == MECHANISM, source, "has another mechanism than two-sided geometric noise")
  check_file(is.null(head$extents), source, "has more than two modes, but must have rows and columns")
  check_file(!identical(head$directed, "no"), source, "has counts of pairs of actors ({.code directed: no})")
  head[c(BELOW_KEYS, "storage")] <- NULL
  head$storage <- "sparse double"
  list(release = new_release_from(head, NO_CELLS, source), cells = head[["cells"]])
}

# The releases, with the same names of columns; an error if they do not go together.
same_columns <- function(files, releases, call) {
  fields <- lapply(releases, unclass)
  labels <- lapply(fields, function(x) dimnames(x$counts))
  columns <- Find(Negate(is.null), lapply(labels, `[[`, 2))
  titles <- Find(Negate(is.null), lapply(labels, names))
  clamped <- vapply(fields, function(x) !is.null(x$below), TRUE)
  for (i in seq_along(files)) {
    own <- labels[[i]][[2]]
    same <- ncol(fields[[i]]$counts) == ncol(fields[[1]]$counts) && clamped[i] == clamped[1] &&
      (is.null(own) || identical(own, columns))
    check_that(same, c(
      "{.file {files[i]}} does not go with the files before it.",
      x = "It has other columns, or only one of them is clamped at zero."
    ), call, class = "ldpcounts_file_error")
  }
  lapply(releases, function(x) {
    counts <- unclass(x)$counts
    dimnames(counts) <- stats::setNames(list(rownames(counts), columns), titles)
    with_counts(x, counts)
  })
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
    c(list(rows = as.integer(rows)), join_each(parts, c(CELL_PARTS, "size_below")))
  }
  list(take = take, close = close_file)
}

# The rows of file i. `take(n)` returns what shard_cursor() does for the next n rows of the file, with their
# numbers in the file, of which `first` is the first.
shard_rows <- function(shards, i, call) {
  source <- open_file(shards$files[i], call)
  usable <- FALSE
  on.exit(if (!usable) close(source$connection))
  head <- read_head(source)
  size <- c(shards$rows[i], ncol(shards$release))
  unread <- shards$cells[i]
  same <- head$rows == size[1] && head$columns == size[2] && head[["cells"]] == unread
  check_file(same && is_unchanged(shards$files[i], shards$stamps[[i]]), source,
    "has changed since {.fn release_shards} read it"
  )
  usable <- TRUE
  noised <- rep_len(head$alpha, size[1]) > 0 & !privacy(shards)$clamped
  done <- 0L # rows that have been taken
  last <- c(0L, 0L) # the row and the column of the last cell that was read
  kept <- NO_CELLS # cells of rows that were not taken
  size_below <- numeric(size[1])
  take <- function(n) {
    first <- done + 1L
    done <<- done + n
    blocks <- list(kept)
    sorted <- TRUE
    while (unread > 0 && last[1] <= done) {
      block <- read_cells(source, size, unread, size_below, last)
      check_file(block$order < 2, source, "does not list its cells in ascending order of rows",
        hint = "Read it with {.fn read_release} and write it again with {.fn write_release}."
      )
      unread <<- unread - block$n
      last <<- block$last
      sorted <- sorted && block$order == 0
      blocks[[length(blocks) + 1]] <- block
    }
    cells <- join_each(blocks, CELL_PARTS)
    if (!sorted) {
      place <- (as.double(cells$row) - 1) * size[2] + cells$column
      check_file(anyDuplicated(place) == 0, source, "lists a cell twice")
      cells <- lapply(cells, `[`, order(place))
    }
    below <- size_below[first:done]
    check_file(all(noised[first:done] | below == 0), source,
      "has negative counts, but is clamped at zero or has {.field alpha} = 0 in these rows"
    )
    inside <- cells$row <= done
    kept <<- lapply(cells, `[`, !inside)
    c(if (all(inside)) cells else lapply(cells, `[`, inside), list(first = first, size_below = below))
  }
  list(
    connection = source$connection, take = take, finish = function() check_end(source),
    left = function() size[1] - done
  )
}
