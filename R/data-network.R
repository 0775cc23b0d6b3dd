# Networks, directed and undirected: which cells of a table of actors are data, checks of actors and of
# direction, and tables that are symmetric.

# --- which cells are data -------------------------------------------------------------------------

# Which cells of a table are data: of a directed network those off the diagonal, of an undirected
# one those above it.
NETWORKS <- c("none", "directed", "undirected")

is_data <- function(cells, network) {
  switch(network,
    none = rep(TRUE, nrow(cells)),
    directed = cells[, 1] != cells[, 2],
    undirected = cells[, 1] < cells[, 2]
  )
}

# How many cells of each row are not data.
n_other <- function(rows, network) {
  switch(network, none = numeric(rows), directed = rep(1, rows), undirected = as.double(seq_len(rows)))
}

# The network with zeros where it has no data; what looks like a mistake is warned of.
only_data <- function(counts, network, alpha = numeric(nrow(counts))) {
  diagonal <- diagonal_cells(nrow(counts))
  warn_if(has_loops(counts[diagonal], alpha),
    "Messages of actors to themselves (the diagonal) are not data; left out.", "ldpcounts_self_loops"
  )
  if (network == "undirected") {
    return(above_diagonal(counts))
  }
  counts[diagonal] <- 0L
  warn_if(any(counts != 0, na.rm = TRUE) && is_symmetric(counts), c(
    "The network is symmetric, and is analysed as directed.",
    i = "If every pair stands twice, what the counts say is taken twice: {.code directed = FALSE}."
  ), "ldpcounts_symmetric")
  counts
}

diagonal_cells <- function(n) cbind(seq_len(n), seq_len(n))

# Does a diagonal hold more than noise?
has_loops <- function(diagonal, alpha) {
  seen <- !is.na(diagonal)
  noised <- seen & alpha > 0
  any(diagonal[seen & !noised] > 0) ||
    noise_above_zero(sum(pmax(diagonal[noised], 0)), alpha[noised]) < DOUBT
}

# An upper bound (Chernoff's) of the probability that the noises of these alpha, those below zero set to zero,
# add up to at least `total`: E[exp(u max(tau, 0))] = (1 + (1 - alpha) r / (1 - r)) / (1 + alpha) with
# r = alpha exp(u).
noise_above_zero <- function(total, alpha) {
  log_bound <- function(u) {
    r <- alpha * exp(u)
    sum(log1p((1 - alpha) * r / (1 - r)) - log1p(alpha)) - u * total
  }
  if (total == 0) 1 else exp(min(0, stats::optimize(log_bound, c(0, -log(max(alpha))))$objective))
}

n_observed <- function(counts, network) {
  n_cells(counts) - n_missing(counts) - sum(n_other(nrow(counts), network))
}

# The observed cells, column after column: an index matrix.
observed_cells <- function(counts, network) {
  cells <- which(!is.na(as_dense(counts, "data", NULL)), arr.ind = TRUE, useNames = FALSE)
  cells[is_data(cells, network), , drop = FALSE]
}

# --- checks of actors and of direction ------------------------------------------------------------

# `noised`: zeros in the place of actors that are missing would be no data.
check_network <- function(counts, arg, call, noised = FALSE) {
  if (labels_differ(counts)) abort_other_actors(counts, arg, call, noised)
  check_that(nrow(counts) == ncol(counts), c(
    "{.arg {arg}} must be a network: as many rows as columns.",
    x = "It is {nrow(counts)} x {ncol(counts)}."
  ), call)
  check_that(nrow(counts) >= 2, "{.arg {arg}} must be a network of at least two actors.", call)
}

abort_other_actors <- function(counts, arg, call, noised) {
  same <- "{.arg {arg}} must be a network: rows and columns are the same actors, in the same order."
  twice <- vapply(dimnames(counts), anyDuplicated, 0L) > 0
  check_that(!any(twice), c(same,
    x = "Labels of {c('rows', 'columns')[twice]} come more than once.",
    i = "Give each actor a label of its own, the same in rows and columns: {.fn make.unique}."
  ), call)
  senders <- length(setdiff(colnames(counts), rownames(counts)))
  recipients <- length(setdiff(rownames(counts), colnames(counts)))
  square <- nrow(counts) == ncol(counts)
  ldp_abort(c(same,
    x = if (!square) "It is {nrow(counts)} x {ncol(counts)}.",
    if (square && senders == 0 && recipients == 0) {
      c(
        x = "Rows and columns have the same labels in another order.",
        i = "{.code {arg}[colnames({arg}), ]} has the rows in the order of the columns."
      )
    } else if (recipients == nrow(counts)) {
      c(x = "Rows and columns have no label in common.")
    } else {
      c(
        x = if (senders > 0) {
          "{senders} sender{?s} {?is/are} missing: {?a label/labels} of the columns that no row has."
        },
        x = if (recipients > 0) {
          "{recipients} recipient{?s} {?is/are} missing: {?a label/labels} of the rows that no column has."
        },
        add_actors(noised)
      )
    },
    i = if (!noised) "In a data frame of cells both columns must be factors with the same levels."
  ), call = call)
}

# How to complete a network whose rows and columns share some actors. Counts of a release that are missing are
# not known to be zero.
add_actors <- function(noised) {
  c(
    i = if (noised) {
      "Add them with missing counts, if all rows have one noise level:"
    } else {
      "Add them with counts of zero. For a matrix:"
    },
    " " = "{.code actors <- union(rownames({arg}), colnames({arg}))}",
    " " = "{.code full <- array({if (noised) NA else 0}, rep(length(actors), 2), list(actors, actors))}",
    " " = "{.code full[rownames({arg}), colnames({arg})] <- as.matrix({arg})}",
    if (noised) {
      c(
        " " = paste(
          "{.code {arg} <- private_counts(full, alpha = privacy({arg})$alpha,",
          "clamped = privacy({arg})$clamped)}"
        ),
        i = "Or take only the actors that are in both:",
        " " = "{.code both <- intersect(rownames({arg}), colnames({arg}))}",
        " " = "{.code {arg} <- {arg}[both, both]}"
      )
    } else {
      c(" " = "{.code {arg} <- full}")
    }
  )
}

# Do both margins have labels, and not the same?
labels_differ <- function(counts) {
  labels <- dimnames(counts)
  !is.null(labels[[1]]) && !is.null(labels[[2]]) && !identical(labels[[1]], labels[[2]])
}

# An undirected network is one whose noise is that of pairs; true counts are, where they are
# symmetric.
check_direction <- function(counts, network, directed, call) {
  pairs <- network == "undirected"
  check_that(!pairs || !is.null(directed) || is_symmetric(counts), c(
    "{.arg data} must be symmetric with {.code directed = FALSE}.",
    x = "It is not."
  ), call)
  check_that(!pairs || !isTRUE(directed), c(
    "{.arg data} must be an undirected release with {.code directed = FALSE}.",
    x = "Each of its counts has its own noise.",
    i = "{.code privatize(directed = FALSE)} makes such a release."
  ), call)
  use <- c(paste("{.arg data}", IS_UNDIRECTED), i = "Use {.code directed = FALSE}.")
  check_that(pairs || !isFALSE(directed), use, call)
}

IS_UNDIRECTED <- "is an undirected network, in which the two cells of a pair hold the same noised count."

# A table that is no network would take every pair twice.
abort_undirected <- function(arg, call) {
  ldp_abort(c(
    paste("{.arg {arg}}", IS_UNDIRECTED),
    i = "{.fn block_model} takes it, with {.code directed = FALSE}.",
    i = "For other models make it a table in which each pair is counted once:",
    " " = "{.code m <- as.matrix(x); m[lower.tri(m)] <- NA; private_counts(m, alpha = privacy(x)$alpha)}"
  ), call = call)
}

# --- symmetric tables -----------------------------------------------------------------------------

above_diagonal <- function(counts) {
  if (is_sparse(counts)) {
    return(bare_sparse(as_sparse(Matrix::triu(counts, 1))))
  }
  counts[lower.tri(counts, diag = TRUE)] <- 0L
  counts
}

# To the last digit, and whatever the names of rows and columns are.
is_symmetric <- function(counts) {
  if (!is_sparse(counts)) {
    counts <- unname(counts)
    return(identical(counts, t(counts)))
  }
  counts <- Matrix::drop0(counts)
  turned <- Matrix::t(counts)
  all(mapply(identical, list(counts@i, counts@p, counts@x), list(turned@i, turned@p, turned@x)))
}

# What stands above the diagonal below it too, and on it NA: pairs of different actors are data.
mirrored <- function(counts) {
  if (is_sparse(counts)) {
    labels <- dimnames(counts)
    counts <- bare_sparse(as_sparse(Matrix::forceSymmetric(counts, "U")))
    dimnames(counts) <- labels
    Matrix::diag(counts) <- NA_real_
    return(bare_sparse(as_sparse(counts)))
  }
  below <- lower.tri(counts)
  counts[below] <- t(counts)[below]
  diag(counts) <- NA
  counts
}
