# The data of a model: counts, extents and noise levels; the cells that the kernels read; what sweeps need;
# and counts in files, which are read in batches of rows.

# The input of a model.
#
#   counts     a table (R/data-table.R); NULL for counts in files
#   dim        the extents of all modes
#   alpha      one number per row, 0 if counts are (or are treated as) true counts; NA with another mechanism
#   private    are they a release?
#   clamped    is it clamped?
#   mechanism  another mechanism than geometric noise, or NULL
new_input <- function(counts, dim, alpha, private, clamped, mechanism = NULL) {
  list(counts = counts, dim = dim, alpha = alpha, private = private, clamped = clamped, mechanism = mechanism)
}

# Checks counts with this number of modes (NULL: any number), and returns list(counts =, dim =): their table
# and the extents of all modes. For a network it does not check direction or diagonal.
counts_of <- function(data, n_modes = 2, arg = "data", call = rlang::caller_env()) {
  check_given(missing(data), arg, call)
  private <- is_release(data)
  table <- table_of(given_counts(data, arg, call = call))
  dim <- table_dim(table)
  check_modes(dim, n_modes, arg, call)
  other <- private && !is.null(table$mechanism) # hidden or real counts, which fields_of() has checked
  counts <- if (other) table$counts else check_counts(table$counts, arg, call, signed = private)
  least <- if (length(dim) == 2) "at least one row and one column" else "an extent of at least 1 in each mode"
  message <- c("{.arg {arg}} must have {least}.", x = "It is {paste(dim, collapse = ' x ')}.")
  check_that(all(dim > 0), message, call)
  list(counts = counts, dim = dim)
}

# The input for data in memory. `arg`: the name of the data in error messages.
model_data <- function(data, network = "none", n_modes = 2, arg = "data", call = rlang::caller_env()) {
  checked <- counts_of(data, n_modes, arg, call)
  counts <- checked$counts
  private <- is_release(data)
  fields <- if (private) validate_private_counts(fields_of(data), COUNT_RULES, call)
  alpha <- if (private) rep_len(fields$alpha, nrow(counts)) else numeric(nrow(counts))
  if (network != "none") {
    check_network(counts, arg, call, private)
    check_direction(counts, network, fields$directed, call)
    counts <- only_data(counts, network, noised = is.na(alpha) | alpha > 0)
  } else if (private && !fields$directed) {
    abort_undirected(arg, call)
  }
  new_input(counts, checked$dim, alpha, private, clamped = !is.null(fields$below), fields$mechanism)
}

# The same, with the noise modelled or ignored, as the argument `noise` says. The naive analysis sets negative
# released counts to zero, and treats the result as true counts.
model_input <- function(model, data, noise, arg = "data", call = rlang::caller_env()) {
  input <- model_data(data, model$network, model$n_modes, arg, call = call)
  if (noise == "model" || !input$private) {
    return(input)
  }
  check_that(is.null(input$mechanism), c(
    "{.code noise = \"ignore\"} is only for geometric noise.",
    i = "For a naive analysis, give the counts as a matrix: {.code as.matrix({arg})}."
  ), call)
  counts <- input$counts
  counts[cells_where(counts, function(x) !is.na(x) & x < 0)] <- 0L
  new_input(counts, input$dim, numeric(nrow(counts)), private = TRUE, clamped = FALSE)
}

check_modes <- function(dim, n_modes, arg, call) {
  two <- identical(as.double(n_modes), 2)
  wanted <- if (two) "be a matrix of counts, with two modes" else "have {n_modes} modes"
  check_that(is.null(n_modes) || length(dim) == n_modes, c(
    paste0("{.arg {arg}} must ", wanted, "."),
    x = "It has {length(dim)} modes, {paste(dim, collapse = ' x ')}.",
    i = if (two && sum(dim[-1] > 1) < 2) "{.code {arg}[, , 1, drop = TRUE]} has two modes.",
    i = if (two) "{.fn tensor_model} accepts data with any number of modes.",
    i = if (two) "For a single column of counts in a data frame, use {.code cbind(df$count)}."
  ), call)
}

released_at <- function(data, cells) counts_at(table_of(data)$counts, cells)

# --- cells ----------------------------------------------------------------------------------------

# The cells as the kernels read them (rc_decode_cells() in src/rc_decode.c). Lists are list(start =, index =):
# the indices of line i are index[start[i] + 1], ..., index[start[i + 1]], counted from 0.
#
#   dim          the numbers of rows and columns
#   active       for each row, its active cells: those with a latent count
#   y_tilde      their released counts
#   missing      for each row, its missing cells
#   alpha        of each row
#   active_t, missing_t    the same lists for each column, if the kernel needs them
#   shard        of a shard: the number of rows before it, and of all rows
#   quick        of a shard: the number of rows of series, the same in all shards (src/ldp_quick.h)
#   mechanism    of protected_cells()
#   code         for scheme = "tokens": a byte per cell (src/ldp_codes.h); only large releases are `active`
new_cells <- function(dim, active, y_tilde, missing, alpha, active_t = NULL, missing_t = NULL, shard = NULL) {
  list(
    dim = as.integer(dim), active = active, y_tilde = y_tilde, active_t = active_t, missing = missing,
    missing_t = missing_t, alpha = alpha, shard = shard, quick = NULL, code = NULL
  )
}

# The cells of counts in memory; src/rc_cells.c makes the same list. `scheme`: with "bessel" every observed
# cell has a latent count, not only the positive ones. `by_columns`: are cells also needed by column?
make_cells <- function(counts, alpha, scheme = "collapsed", network = "none", by_columns = TRUE) {
  all_active <- scheme == "bessel"
  if (all_active) counts <- as.matrix(counts)
  network_code <- match(network, NETWORKS) - 1L
  tokens <- scheme == "tokens"
  listed_by_columns <- by_columns && !tokens
  cells <- .Call(C_rc_make_cells, counts, as.double(alpha), all_active, network_code, listed_by_columns)
  if (tokens) code_cells(cells, network, by_columns) else cells
}

# The same cells for scheme = "tokens": releases are bytes.
code_cells <- function(cells, network, by_columns) {
  coded <- .Call(C_rc_code_cells, cells, match(network, NETWORKS) - 1L, by_columns)
  replace(coded, "shard", cells["shard"])
}

# Cells at or below zero have log density |k| log(alpha) + log((1 - alpha)/(1 + alpha)) - (1 - alpha) mu, and
# clamped ones -log(1 + alpha) - (1 - alpha) mu. This is the sum over these cells, without the terms in mu.
log_constant <- function(input, network) {
  below <- below_zero(input$counts)
  below$cells <- below$cells - n_other(nrow(input$counts), network)
  log_constant_of(below, input$alpha, input$clamped)
}

# The same, given for each row the number of these cells and the sum of their absolute values.
log_constant_of <- function(below, alpha, clamped) {
  if (clamped) {
    return(-sum(below$cells * log1p(alpha)))
  }
  sum(below$cells * (log1p(-alpha) - log1p(alpha))) + sum((below$size * log(alpha))[below$size > 0])
}

# The approximate mean of true counts, given the sum of released counts and their number, at least `least`.
# Noise has mean zero, or alpha/(1 - alpha^2) if it is clamped.
mean_count <- function(total, n, input, least = 0.01) {
  mean_noise <- if (input$clamped) mean(input$alpha / (1 - input$alpha^2)) else 0
  max(total / max(1, n) - mean_noise, least)
}

# --- what sweeps need -----------------------------------------------------------------------------

# The probability that a weight is updated by over-relaxation, that is, reflected within its conditional
# distribution instead of drawn from it. Reflections mix faster if it is uncertain which component a count
# belongs to. Ordinary draws are needed as well, to leave a bad start and to change the distance from the
# mean. Without noise over-relaxation is not used, because it gains little and tails would mix worse. See
# bench/MOVES.md.
REFLECT <- 0.75

# What sweeps and iterations need. Workers receive it, so it has no other data than the cells.
#
#   model, dim, k, family, prior
#                   of the task; `dim` of the input
#   cells           of new_cells(), opened by open_cells(), or those of the model; NULL if only workers have
#                   them
#   n_active        the number of cells listed as active (with scheme = "tokens", only those of large releases)
#   log_constant    the part of the log density of the release that does not depend on the factors
#   n_observed      the number of observed cells
#   mean_count      approximately, for starting values
#   bessel          are latent parts of the noise of every cell drawn, and not only the counts of active
#                   cells?
#   delta           is the scheme "delta", of variational inference?
#   reflect         the probability of over-relaxation
#   shards          of data on the workers of a cluster, see new_shards()
new_sampler <- function(task, input, cells, n_active, log_constant, n_observed, mean_count,
                        bessel = FALSE, shards = NULL) {
  list(
    model = task$model, dim = input$dim, k = task$k, family = task$family, prior = task$prior, cells = cells,
    n_active = n_active, log_constant = log_constant, n_observed = n_observed, mean_count = mean_count,
    bessel = bessel, delta = task$scheme == "delta", reflect = if (is_noised(input)) REFLECT else 0, shards = shards
  )
}

# Are true counts unknown?
is_noised <- function(input) !is.null(input$mechanism) || any(input$alpha > 0)

# For data in memory.
sampler_of <- function(task, input, scheme = scheme_of_cells(task, input)) {
  model <- task$model
  protected <- !is.null(input$mechanism)
  cells <- if (protected) {
    protected_cells(input, model$network, model$by_columns)
  } else if (has_kernel(model)) {
    make_cells(input$counts, input$alpha, scheme, model$network, model$by_columns)
  } else {
    model$cells(input)
  }
  n <- n_observed(input$counts, model$network)
  rough <- if (protected) rough_counts(input$mechanism, input$counts) else input$counts
  new_sampler(task, input, cells,
    n_active = length(cells$y_tilde), n_observed = n,
    log_constant = if (has_kernel(model) && !protected) log_constant(input, model$network) else 0,
    mean_count = mean_count(sum(stored_values(rough), na.rm = TRUE), n, input), bessel = scheme == "bessel"
  )
}

# The scheme by which the cells of counts with geometric noise are laid out. Without noise all schemes are the same;
# for another mechanism see protected_cells().
scheme_of_cells <- function(task, input) {
  if (!is.null(input$mechanism) || all(input$alpha == 0)) {
    "collapsed"
  } else if (task$scheme == "delta") {
    "bessel"
  } else {
    task$scheme
  }
}

# Cells under another mechanism: every observed one has a latent count, and its own parameters.
protected_cells <- function(input, network = "none", by_columns = TRUE) {
  dim <- dim(input$counts)
  cells <- make_cells(input$counts, numeric(dim[1]), "bessel", network, by_columns) # which has all observed cells
  rows <- rep.int(seq_len(dim[1]), diff(cells$active$start))
  at <- rows + dim[1] * as.double(cells$active$index)
  c(cells, list(mechanism = mechanism_code(mechanism_at(input$mechanism, at, prod(dim)), cells$y_tilde)))
}

# The sampler for use in this process only: the kernels check its cells now, and not again in each block.
open_cells <- function(sampler) {
  if (has_kernel(sampler$model)) sampler$cells <- .Call(C_rc_open_cells, sampler$cells)
  sampler
}

# --- batches of rows ------------------------------------------------------------------------------

# Some rows of the data.
#
#   rows     their numbers in the data
#   cells    of new_cells(), by rows only
#   below    for each row, the number of its cells at or below zero (`cells`), and the sum of their sizes
#            (`size`)
new_batch <- function(rows, cells, below) {
  list(rows = rows, cells = cells, below = below)
}

# Rows of another batch.
batch_rows <- function(batch, chosen) {
  new_batch(batch$rows[chosen], cells_of_rows(batch$cells, chosen), lapply(batch$below, `[`, chosen))
}

cells_of_rows <- function(cells, rows) {
  chosen <- function(lists) {
    n <- diff(lists$start)[rows]
    list(start = c(0, cumsum(n)), at = sequence(n, lists$start[rows] + 1))
  }
  part <- function(lists, found) list(start = found$start, index = lists$index[found$at])
  active <- chosen(cells$active)
  new_cells(c(length(rows), cells$dim[2]), part(cells$active, active), cells$y_tilde[active$at],
    part(cells$missing, chosen(cells$missing)), cells$alpha[rows]
  )
}

# Where batches come from: the input of a model, and begin(), which begins to read all rows, in an order drawn
# from R's generator, and returns take(n), the batch of the next n rows, and close().
new_source <- function(input, begin) c(input, list(begin = begin))

memory_source <- function(input) {
  cells <- make_cells(input$counts, input$alpha, by_columns = FALSE)
  all <- new_batch(seq_len(input$dim[1]), cells, below_zero(input$counts))
  new_source(new_input(NULL, input$dim, input$alpha, input$private, input$clamped), function() {
    left <- sample.int(input$dim[1])
    take <- function(n) {
      rows <- utils::head(left, n)
      left <<- left[-seq_along(rows)]
      batch_rows(all, rows)
    }
    list(take = take, close = function() NULL)
  })
}

# `noise`: as in topic_model().
shards_source <- function(shards, noise, call = rlang::caller_env()) {
  dim <- dim(shards)
  modelled <- noise == "model"
  alpha <- if (modelled) rep_len(privacy(shards)$alpha, dim[1]) else numeric(dim[1])
  input <- new_input(NULL, dim, alpha, private = TRUE, clamped = modelled && privacy(shards)$clamped)
  new_source(input, function() {
    cursor <- shard_cursor(shards, sample.int(length(shards$files)), call)
    free <- batch_collector()
    take <- function(n) {
      free()
      batch_of_entries(cursor$take(n), dim[2], alpha)
    }
    list(take = take, close = cursor$close)
  })
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

# `part`: as shard_cursor() returns it.
batch_of_entries <- function(part, columns, alpha) {
  n <- length(part$rows)
  masked <- is.na(part$count)
  lists <- function(row, column) {
    list(start = c(0, cumsum(as.double(tabulate(row, n)))), index = column - 1L)
  }
  own <- alpha[part$rows]
  below <- list(
    cells = as.double(columns - tabulate(part$row, n)), size = ifelse(own > 0, part$size_below, 0)
  )
  missing <- lists(part$row[masked], part$column[masked])
  entry <- c("row", "column", "count")
  if (any(masked)) part[entry] <- lapply(part[entry], `[`, !masked)
  cells <- new_cells(c(n, columns), lists(part$row, part$column), part$count, missing, own)
  new_batch(part$rows, cells, below)
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

# --- rows of files --------------------------------------------------------------------------------

# A batch of contiguous rows of files, by rows and by columns. `alpha`: of these rows; `shard`: see
# new_cells(). The files are read twice, first to count the active cells. These may take gigabytes, and if
# their vectors grew while files are read, two copies would be in memory.
read_rows <- function(shards, rows, alpha, shard) {
  n_active <- 0
  each_part(shards, rows, function(part) n_active <<- n_active + sum(!is.na(part$count)))
  index <- integer(n_active)
  y_tilde <- numeric(n_active)
  n <- 0
  others <- list()
  of_rows <- replace(numeric(nrow(shards)), rows, alpha)
  each_part(shards, rows, function(part) {
    batch <- batch_of_entries(part, ncol(shards), of_rows)
    cells <- batch$cells
    at <- n + seq_along(cells$y_tilde)
    n <<- n + length(at)
    index[at] <<- cells$active$index
    y_tilde[at] <<- cells$y_tilde
    other <- list(n = diff(cells$active$start), missing = cells$missing, below = batch$below)
    others <<- c(others, list(other))
  })
  gc() # before cells are listed by columns too
  active <- list(start = cumsum(c(0, unlist(lapply(others, `[[`, "n")))), index = index)
  missing <- join_lists(others, "missing")
  turned <- function(lists) .Call(C_rc_transpose_lists, lists, ncol(shards))
  dim <- c(length(rows), ncol(shards))
  new_batch(rows,
    new_cells(dim, active, y_tilde, missing, alpha, turned(active), turned(missing), shard), join_below(others)
  )
}

# The same rows for scheme = "tokens": releases are bytes, as code_cells() makes them. The files are read once,
# and other lists of cells are made only for a part of the rows at a time. `see` is called with these.
read_codes <- function(shards, rows, alpha, shard, by_columns, see) {
  dim <- c(length(rows), ncol(shards))
  code <- raw(prod(dim))
  n <- 0
  parts <- list()
  of_rows <- replace(numeric(nrow(shards)), rows, alpha)
  each_part(shards, rows, function(part) {
    batch <- batch_of_entries(part, dim[2], of_rows)
    see(batch$cells)
    coded <- code_cells(batch$cells, "none", FALSE)
    code[n + seq_along(coded$code)] <<- coded$code
    n <<- n + length(coded$code)
    parts <<- c(parts, list(c(coded[c("active", "y_tilde", "missing")], list(below = batch$below))))
  })
  missing <- join_lists(parts, "missing")
  cells <- new_cells(dim, join_lists(parts, "active"), c(numeric(), unlist(lapply(parts, `[[`, "y_tilde"))),
    missing, alpha, NULL, if (by_columns) .Call(C_rc_transpose_lists, missing, dim[2]), shard
  )
  cells$code <- code
  new_batch(rows, cells, join_below(parts))
}

# Of parts of the rows, one after another: the lists of this name, and the summaries of the cells below zero.
join_lists <- function(parts, name) {
  list(
    start = cumsum(c(0, unlist(lapply(parts, function(part) diff(part[[name]]$start))))),
    index = c(integer(), unlist(lapply(parts, function(part) part[[name]]$index)))
  )
}

join_below <- function(parts) {
  lapply(c(cells = "cells", size = "size"), function(of) {
    c(numeric(), unlist(lapply(parts, function(part) part$below[[of]])))
  })
}

CELLS_PER_BATCH <- 1e6

# Reads contiguous rows, and calls visit() with each part of them, as shard_cursor() returns it: with an empty one
# if there are no rows.
each_part <- function(shards, rows, visit, free = batch_collector()) {
  if (length(rows) == 0) {
    visit(list(rows = integer(), row = integer(), column = integer(), count = numeric(), size_below = numeric()))
    return()
  }
  above <- cumsum(c(0, shards$rows))
  files <- which(above[-1] >= rows[1] & utils::head(above, -1) < rows[length(rows)])
  cursor <- shard_cursor(shards, files)
  on.exit(cursor$close())
  most <- max(1, CELLS_PER_BATCH %/% ncol(shards))
  before <- rows[1] - 1 - above[files[1]]
  while (before > 0) before <- before - length(cursor$take(min(before, most))$rows)
  left <- length(rows)
  while (left > 0) {
    free()
    n <- min(left, most)
    visit(cursor$take(n))
    left <- left - n
  }
}

# The counts of some cells, which are read from the files: NA if masked, and 0 also if below zero.
counts_in_files <- function(shards, cells) {
  counts <- numeric(nrow(cells))
  above <- cumsum(c(0, shards$rows))
  of_file <- findInterval(cells[, 1] - 1, above)
  place <- function(row, column) (row - 1) * as.double(ncol(shards)) + column
  for (file in sort(unique(of_file))) {
    at <- which(of_file == file)
    wanted <- place(cells[at, 1], cells[at, 2])
    each_part(shards, above[file] + seq_len(max(cells[at, 1]) - above[file]), function(part) {
      found <- match(wanted, place(part$rows[part$row], part$column))
      counts[at[!is.na(found)]] <<- part$count[found[!is.na(found)]]
    }, free = function() NULL)
  }
  counts
}
