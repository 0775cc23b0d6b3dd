# Batches of rows, from counts in memory or from release files. A batch is a list of
#
#   rows     the numbers of its rows in the data
#   cells    its cells as the kernels read them (R/model-data.R), by rows only
#   below    for each row, the number of cells at or below zero and the sum of their absolute values
#
# A source of batches has
#
#   dim, alpha, clamped     of all rows, as in the input of a model
#   begin()                 begins to read all rows, in an order drawn from R's generator, and returns
#                           take(n), the batch of the next n rows, and close()

memory_source <- function(input) {
  cells <- make_cells(input$counts, input$alpha, by_columns = FALSE)
  below <- below_zero(input$counts)
  begin <- function() {
    left <- sample.int(input$dim[1])
    take <- function(n) {
      rows <- utils::head(left, n)
      left <<- left[-seq_along(rows)]
      list(rows = rows, cells = cells_of_rows(cells, rows), below = lapply(below, `[`, rows))
    }
    list(take = take, close = function() NULL)
  }
  c(input[c("dim", "alpha", "clamped")], list(begin = begin))
}

# A function that frees the memory of former batches before the next one is read; R would wait until many are
# in memory. What outlives the first of these short collections is freed only by a full one, which takes
# longer.
batch_collector <- function() {
  taken <- 0
  function() {
    gc(full = taken %% BATCHES_PER_COLLECTION == 0)
    taken <<- taken + 1
  }
}

BATCHES_PER_COLLECTION <- 16

# `noise`: as in topic_model().
shards_source <- function(shards, noise, call = rlang::caller_env()) {
  dim <- dim(shards)
  private <- noise == "model"
  alpha <- if (private) rep_len(privacy(shards)$alpha, dim[1]) else numeric(dim[1])
  begin <- function() {
    cursor <- shard_cursor(shards, sample.int(length(shards$files)), call)
    free <- batch_collector()
    take <- function(n) {
      free()
      batch_of_entries(cursor$take(n), dim[2], alpha)
    }
    list(take = take, close = cursor$close)
  }
  list(dim = dim, alpha = alpha, clamped = private && privacy(shards)$clamped, begin = begin)
}

# `part`: as shard_cursor() returns it.
batch_of_entries <- function(part, columns, alpha) {
  n <- length(part$rows)
  masked <- is.na(part$count)
  lists <- function(row, column) {
    list(start = c(0, cumsum(as.double(tabulate(row, n)))), index = column - 1L)
  }
  own <- alpha[part$rows]
  listed <- tabulate(part$row, n)
  missing <- lists(part$row[masked], part$column[masked])
  entry <- c("row", "column", "count")
  if (any(masked)) part[entry] <- lapply(part[entry], `[`, !masked)
  cells <- list(
    dim = c(n, columns), active = lists(part$row, part$column), y_tilde = part$count, active_t = NULL,
    missing = missing, missing_t = NULL, alpha = own
  )
  below <- list(cells = as.double(columns - listed), size = ifelse(own > 0, part$size_below, 0))
  list(rows = part$rows, cells = cells, below = below)
}

# The cells of some rows, by rows only.
cells_of_rows <- function(cells, rows) {
  chosen <- function(lists) {
    n <- diff(lists$start)[rows]
    list(start = c(0, cumsum(n)), at = sequence(n, lists$start[rows] + 1))
  }
  part <- function(lists, found) list(start = found$start, index = lists$index[found$at])
  active <- chosen(cells$active)
  list(
    dim = c(length(rows), cells$dim[2]), active = part(cells$active, active),
    y_tilde = cells$y_tilde[active$at], active_t = NULL,
    missing = part(cells$missing, chosen(cells$missing)), missing_t = NULL, alpha = cells$alpha[rows]
  )
}

batch_rows <- function(batch, chosen) {
  list(
    rows = batch$rows[chosen], cells = cells_of_rows(batch$cells, chosen),
    below = lapply(batch$below, `[`, chosen)
  )
}

# A sparse matrix of the cells that carry information: positive and masked ones.
counts_of_batch <- function(batch) {
  cells <- batch$cells
  rows <- function(lists) rep.int(seq_len(cells$dim[1]), diff(lists$start))
  sparse_counts(
    cbind(c(rows(cells$active), rows(cells$missing)), c(cells$active$index, cells$missing$index) + 1L),
    c(cells$y_tilde, rep(NA_real_, length(cells$missing$index))), cells$dim, NULL
  )
}

# The sizes of batches of about `size` rows that divide n rows.
batch_sizes <- function(n, size) {
  n_batches <- max(1, round(n / size))
  diff(floor(seq(0, n, length.out = n_batches + 1)))
}

# The cells of contiguous rows of files, as make_cells() returns them, and `below` as in a batch. `alpha`: of
# these rows. The files are read twice, first to count the active cells. These may take gigabytes, and if
# their vectors grew while files are read, two copies would be in memory.
read_rows <- function(shards, rows, alpha) {
  dim <- c(length(rows), ncol(shards))
  n_active <- count_active(shards, rows)
  index <- integer(n_active)
  y_tilde <- numeric(n_active)
  n <- 0
  others <- list()
  of_rows <- numeric(nrow(shards))
  of_rows[rows] <- alpha
  cursor <- rows_cursor(shards, rows)
  on.exit(cursor$close())
  while (!is.null(part <- cursor$take())) {
    batch <- batch_of_entries(part, ncol(shards), of_rows)
    cells <- batch$cells
    at <- n + seq_along(cells$y_tilde)
    n <- n + length(at)
    index[at] <- cells$active$index
    y_tilde[at] <- cells$y_tilde
    others <- c(others, list(list(
      active = diff(cells$active$start), missing = cells$missing, below = batch$below
    )))
    part <- batch <- cells <- NULL # so that the memory can be used for the next batch
  }
  gc() # before cells are listed by columns too
  join <- function(part, of = numeric()) c(of, unlist(lapply(others, part)))
  active <- list(start = cumsum(c(0, join(function(of) of$active))), index = index)
  missing <- list(
    start = cumsum(c(0, join(function(of) diff(of$missing$start)))),
    index = join(function(of) of$missing$index, integer())
  )
  turn <- function(lists) .Call(C_rc_transpose_lists, lists, dim[2])
  cells <- list(
    dim = as.integer(dim), active = active, y_tilde = y_tilde, active_t = turn(active),
    missing = missing, missing_t = turn(missing), alpha = alpha
  )
  below <- lapply(c(cells = "cells", size = "size"), function(part) join(function(of) of$below[[part]]))
  list(cells = cells, below = below)
}

count_active <- function(shards, rows) {
  cursor <- rows_cursor(shards, rows)
  on.exit(cursor$close())
  n <- 0
  while (!is.null(part <- cursor$take())) n <- n + sum(!is.na(part$count))
  n
}

CELLS_PER_BATCH <- 1e6

# Reads contiguous rows: `take()` returns the next of them as shard_cursor() does, or NULL after the last.
rows_cursor <- function(shards, rows) {
  if (length(rows) == 0) {
    return(list(take = function() NULL, close = function() NULL))
  }
  above <- cumsum(c(0, shards$rows))
  files <- which(above[-1] >= rows[1] & utils::head(above, -1) < rows[length(rows)])
  cursor <- shard_cursor(shards, files)
  most <- max(1, CELLS_PER_BATCH %/% ncol(shards))
  before <- rows[1] - 1 - above[files[1]]
  while (before > 0) before <- before - length(cursor$take(min(before, most))$rows)
  left <- length(rows)
  free <- batch_collector()
  take <- function() {
    if (left == 0) {
      return(NULL)
    }
    free()
    part <- cursor$take(min(left, most))
    left <<- left - length(part$rows)
    part
  }
  list(take = take, close = cursor$close)
}

# The counts of some cells, which are read from the files: NA if masked, and 0 also if below zero.
counts_in_files <- function(shards, cells) {
  counts <- numeric(nrow(cells))
  above <- cumsum(c(0, shards$rows))
  of_file <- findInterval(cells[, 1] - 1, above)
  for (file in sort(unique(of_file))) {
    mine <- which(of_file == file)
    row <- cells[mine, 1] - above[file]
    counts[mine] <- counts_in_file(shards, file, row, cells[mine, 2])
  }
  counts
}

counts_in_file <- function(shards, file, row, column) {
  cursor <- shard_cursor(shards, file)
  on.exit(cursor$close())
  most <- max(1, CELLS_PER_BATCH %/% ncol(shards))
  counts <- numeric(length(row))
  done <- 0
  while (done < max(row)) {
    part <- cursor$take(min(most, max(row) - done))
    here <- which(row > done & row <= done + length(part$rows))
    place <- function(row, column) (row - 1) * as.double(ncol(shards)) + column
    found <- match(place(row[here] - done, column[here]), place(part$row, part$column))
    counts[here[!is.na(found)]] <- part$count[found[!is.na(found)]]
    done <- done + length(part$rows)
  }
  counts
}
