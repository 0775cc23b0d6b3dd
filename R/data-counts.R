# Released counts are either a base matrix (integer or double) or a dgCMatrix, NA where masked. The functions
# here work on both. For a sparse matrix, their memory does not grow with the cells that are not stored.

is_sparse <- function(counts) methods::is(counts, "sparseMatrix")

# Converts any Matrix or matrix to a dgCMatrix.
as_sparse <- function(x) {
  methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

stored_values <- function(counts) if (is_sparse(counts)) counts@x else counts

n_cells <- function(counts) prod(as.double(dim(counts)))

n_missing <- function(counts) sum(is.na(stored_values(counts)))

# The cells for which a predicate holds (it must not hold for 0), as an index matrix.
cells_where <- function(counts, predicate) {
  if (!is_sparse(counts)) {
    return(which(predicate(counts), arr.ind = TRUE, useNames = FALSE))
  }
  found <- which(predicate(counts@x))
  cbind(counts@i[found] + 1L, sparse_columns(counts)[found])
}

# The column of every stored entry.
sparse_columns <- function(counts) rep.int(seq_len(ncol(counts)), diff(counts@p))

# The counts in the cells of an index matrix. (Looking up single cells of a dgCMatrix is slow, so this goes
# column by column.)
counts_at <- function(counts, cells) {
  if (!is_sparse(counts)) {
    return(as.double(counts[cells]))
  }
  values <- numeric(nrow(cells))
  for (at in split(seq_len(nrow(cells)), cells[, 2])) {
    column <- cells[at[1], 2]
    stored <- counts@p[column] + seq_len(counts@p[column + 1] - counts@p[column])
    found <- match(cells[at, 1] - 1, counts@i[stored])
    values[at] <- ifelse(is.na(found), 0, counts@x[stored[found]])
  }
  values
}

# A dgCMatrix with these values in these cells, and zero elsewhere.
sparse_counts <- function(cells, values, dim, dimnames) {
  Matrix::sparseMatrix(
    i = cells[, 1], j = cells[, 2], x = as.double(values), dims = dim,
    dimnames = if (is.null(dimnames)) list(NULL, NULL) else dimnames
  )
}

# The cells that a release clamped at zero stores: the positive and the masked ones.
clamp_counts <- function(counts) {
  wanted <- function(x) is.na(x) | x > 0
  sparse_counts(cells_where(counts, wanted), values_where(counts, wanted), dim(counts), dimnames(counts))
}

# Sums of `values` by line; `lines` has the line of each value, from 1 to n.
sum_by_line <- function(values, lines, n) {
  sums <- numeric(n)
  found <- rowsum(as.double(values), lines)
  sums[as.integer(rownames(found))] <- found
  sums
}

# Per row, the number of cells at or below zero and the sum of their absolute values.
below_zero <- function(counts) {
  rows <- nrow(counts)
  negative <- function(x) !is.na(x) & x < 0
  other <- cells_where(counts, function(x) is.na(x) | x > 0)
  list(
    cells = ncol(counts) - as.double(tabulate(other[, 1], rows)),
    size = sum_by_line(-values_where(counts, negative), cells_where(counts, negative)[, 1], rows)
  )
}

# The counts in the cells that cells_where() finds, without looking up cells of a dgCMatrix, which is slow.
values_where <- function(counts, predicate) {
  if (is_sparse(counts)) counts@x[which(predicate(counts@x))] else counts[which(predicate(counts))]
}

# Binds matrices with the same number of columns by rows; the result is sparse if one of them is.
bind_rows <- function(parts) {
  if (!any(vapply(parts, is_sparse, TRUE))) {
    bound <- do.call(rbind, parts)
    names(dimnames(bound)) <- names(dimnames(parts[[1]]))
    return(bound)
  }
  heights <- vapply(parts, nrow, 0L)
  above <- cumsum(c(0L, heights))[seq_along(parts)]
  cells <- lapply(parts, cells_where, function(x) is.na(x) | x != 0)
  values <- lapply(parts, values_where, function(x) is.na(x) | x != 0)
  cells <- Map(function(at, offset) cbind(at[, 1] + offset, at[, 2]), cells, above)
  labels <- unlist(Map(function(part, n) {
    if (is.null(rownames(part))) character(n) else rownames(part)
  }, parts, heights))
  named <- any(nzchar(labels))
  sparse_counts(
    do.call(rbind, cells), unlist(values), c(sum(heights), ncol(parts[[1]])),
    stats::setNames(list(if (named) labels, colnames(parts[[1]])), names(dimnames(parts[[1]])))
  )
}

# Order statistics of the observed cells (quantiles of type 1), including zeros that are not stored.
count_quantiles <- function(counts, probabilities) {
  values <- sort(stored_values(counts))
  zeros <- n_cells(counts) - n_missing(counts) - length(values)
  negative <- sum(values < 0)
  rank <- pmax(1, ceiling(probabilities * (length(values) + zeros)))
  at <- ifelse(rank <= negative, rank, ifelse(rank > negative + zeros, rank - zeros, NA))
  quantiles <- ifelse(is.na(at), 0, values[at])
  stats::setNames(quantiles, paste0(100 * probabilities, "%"))
}

# Converts to a base matrix, if there is enough memory for it and a copy.
as_dense <- function(x, arg, call) {
  needed <- 2 * 8 * n_cells(x)
  check_that(is_affordable(needed), c(
    "{.arg {arg}} is too large to be held in memory with all its zeros.",
    x = "It is {paste(dim(x), collapse = ' x ')}, and would take {format_bytes(needed)}."
  ), call, class = "ldpcounts_memory_error")
  as.matrix(x)
}
