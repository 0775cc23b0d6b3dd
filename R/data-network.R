# Directed and undirected networks: which cells of a table are data, checks of actors and of direction, and
# symmetric tables.

# --- which cells are data -------------------------------------------------------------------------

# Which cells of a table are data: in a directed network those off the diagonal, in an undirected network
# those above it.
NETWORKS <- c("none", "directed", "undirected")

is_data <- function(cells, network) {
  switch(network,
    none = rep(TRUE, nrow(cells)),
    directed = cells[, 1] != cells[, 2],
    undirected = cells[, 1] < cells[, 2]
  )
}

# The number of cells per row that are not data.
n_other <- function(rows, network) {
  switch(network, none = numeric(rows), directed = rep(1, rows), undirected = as.double(seq_len(rows)))
}

# Sets the cells of a network that are not data to zero, and warns of probable mistakes.
only_data <- function(counts, network, alpha = numeric(nrow(counts))) {
  diagonal <- diagonal_cells(nrow(counts))
  warn_if(has_loops(counts[diagonal], alpha),
    "Messages of actors to themselves (the diagonal) are not data and are left out.", "ldpcounts_self_loops"
  )
  if (network == "undirected") {
    return(above_diagonal(counts))
  }
  counts[diagonal] <- 0L
  warn_if(any(counts != 0, na.rm = TRUE) && is_symmetric(counts), c(
    "The network is symmetric, but is analysed as directed.",
    i = "If its counts belong to pairs, each is used twice: use {.code directed = FALSE} instead."
  ), "ldpcounts_symmetric")
  counts
}

diagonal_cells <- function(n) cbind(seq_len(n), seq_len(n))

# Is there more than noise on the diagonal?
has_loops <- function(diagonal, alpha) {
  seen <- !is.na(diagonal)
  noised <- seen & alpha > 0
  any(diagonal[seen & !noised] > 0) ||
    noise_above_zero(sum(pmax(diagonal[noised], 0)), alpha[noised]) < DOUBT
}

# Chernoff's upper bound of the probability that noise of these alpha, with negative noise set to zero, adds
# up to at least `total`: E[exp(u max(tau, 0))] = (1 + (1 - alpha) r / (1 - r)) / (1 + alpha) with
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

# The observed cells, column by column, as an index matrix.
observed_cells <- function(counts, network) {
  cells <- which(!is.na(as_dense(counts, "data", NULL)), arr.ind = TRUE, useNames = FALSE)
  cells[is_data(cells, network), , drop = FALSE]
}

# --- checks of actors and of direction ------------------------------------------------------------

# `noised`: are these released counts? Then missing actors cannot be added with counts of zero.
check_network <- function(counts, arg, call, noised = FALSE) {
  if (labels_differ(counts)) abort_other_actors(counts, arg, call, noised)
  check_that(nrow(counts) == ncol(counts), c(
    "{.arg {arg}} must be a network, with as many rows as columns.",
    x = "It is {nrow(counts)} x {ncol(counts)}."
  ), call)
  check_that(nrow(counts) >= 2, "{.arg {arg}} must be a network of at least two actors.", call)
}

abort_other_actors <- function(counts, arg, call, noised) {
  same <- "{.arg {arg}} must be a network, with the same actors in rows and columns, in the same order."
  twice <- vapply(dimnames(counts), anyDuplicated, 0L) > 0
  check_that(!any(twice), c(same,
    x = "Some labels of {c('rows', 'columns')[twice]} are duplicated.",
    i = "Give each actor a unique label, the same in rows and columns, for example by {.fn make.unique}."
  ), call)
  senders <- length(setdiff(colnames(counts), rownames(counts)))
  recipients <- length(setdiff(rownames(counts), colnames(counts)))
  square <- nrow(counts) == ncol(counts)
  ldp_abort(c(same,
    x = if (!square) "It is {nrow(counts)} x {ncol(counts)}.",
    if (square && senders == 0 && recipients == 0) {
      c(
        x = "Rows and columns have the same labels in another order.",
        i = "{.code {arg}[colnames({arg}), ]} puts the rows into the order of the columns."
      )
    } else if (recipients == nrow(counts)) {
      c(x = "Rows and columns have no label in common.")
    } else {
      c(
        x = if (senders > 0) {
          "{senders} sender{?s} {?is/are} missing: {?a column label/column labels} without a row."
        },
        x = if (recipients > 0) {
          "{recipients} recipient{?s} {?is/are} missing: {?a row label/row labels} without a column."
        },
        add_actors(noised)
      )
    },
    i = if (!noised) "In a data frame of cells, both columns must be factors with the same levels."
  ), call = call)
}

# How to complete a network in which some actors have only a row or only a column. In a release the missing
# counts are unknown, so they must not be set to zero.
add_actors <- function(noised) {
  c(
    i = if (noised) {
      "Add the missing actors with missing counts, if all rows have the same noise level:"
    } else {
      "Add the missing actors with counts of zero. For a matrix:"
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
        i = "Or keep only the actors that are in both rows and columns:",
        " " = "{.code both <- intersect(rownames({arg}), colnames({arg}))}",
        " " = "{.code {arg} <- {arg}[both, both]}"
      )
    } else {
      c(" " = "{.code {arg} <- full}")
    }
  )
}

# Do both margins have labels, but not the same ones?
labels_differ <- function(counts) {
  labels <- dimnames(counts)
  !is.null(labels[[1]]) && !is.null(labels[[2]]) && !identical(labels[[1]], labels[[2]])
}

# A release must be undirected if and only if `directed = FALSE`; true counts must be symmetric if
# `directed = FALSE`.
check_direction <- function(counts, network, directed, call) {
  pairs <- network == "undirected"
  check_that(!pairs || !is.null(directed) || is_symmetric(counts), c(
    "With {.code directed = FALSE}, {.arg data} must be symmetric.",
    x = "It is not."
  ), call)
  check_that(!pairs || !isTRUE(directed), c(
    "With {.code directed = FALSE}, {.arg data} must be an undirected release.",
    x = "The two cells of a pair have separate noise.",
    i = "To get an undirected release, use {.code privatize(directed = FALSE)}."
  ), call)
  use <- c(paste("{.arg data}", IS_UNDIRECTED), i = "Use {.code directed = FALSE}.")
  check_that(pairs || !isFALSE(directed), use, call)
}

IS_UNDIRECTED <- "is an undirected network, in which the two cells of a pair hold the same noised count."

# An undirected release is an error where a table is expected, because each pair would be counted twice.
abort_undirected <- function(arg, call) {
  ldp_abort(c(
    paste("{.arg {arg}}", IS_UNDIRECTED),
    i = "Use {.fn block_model} with {.code directed = FALSE}.",
    i = "For other models, convert it to a table in which each pair is counted once:",
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

# Exactly symmetric, ignoring the names of rows and columns.
is_symmetric <- function(counts) {
  if (!is_sparse(counts)) {
    counts <- unname(counts)
    return(identical(counts, t(counts)))
  }
  counts <- Matrix::drop0(counts)
  turned <- Matrix::t(counts)
  all(mapply(identical, list(counts@i, counts@p, counts@x), list(turned@i, turned@p, turned@x)))
}

# Copies the counts above the diagonal to below it, and sets the diagonal to NA, because it is not data.
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
