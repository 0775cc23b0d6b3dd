# Counts in two modes are either a base matrix (integer or double) or a dgCMatrix, NA where masked. The
# functions here check them and work on both. For a sparse matrix, their memory does not grow with the cells
# that are not stored.

is_sparse <- function(counts) methods::is(counts, "sparseMatrix")

# Converts any Matrix or matrix to a dgCMatrix.
as_sparse <- function(x) {
  methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

# A dgCMatrix without further attributes and cached factorizations.
bare_sparse <- function(x) {
  methods::new("dgCMatrix", i = x@i, p = x@p, x = x@x, Dim = x@Dim, Dimnames = x@Dimnames)
}

# A dgCMatrix with these values in these cells, and zero elsewhere; values in the same cell are added up.
sparse_counts <- function(cells, values, dim, dimnames) {
  Matrix::sparseMatrix(
    i = cells[, 1], j = cells[, 2], x = as.double(values), dims = dim,
    dimnames = if (is.null(dimnames)) list(NULL, NULL) else dimnames
  )
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

# The counts in the cells that cells_where() finds, without looking up cells of a dgCMatrix, which is slow.
values_where <- function(counts, predicate) {
  if (is_sparse(counts)) counts@x[which(predicate(counts@x))] else counts[which(predicate(counts))]
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

# The cells that a release clamped at zero stores: the positive and the masked ones.
clamp_counts <- function(counts) {
  wanted <- function(x) is.na(x) | x > 0
  sparse_counts(cells_where(counts, wanted), values_where(counts, wanted), dim(counts), dimnames(counts))
}

# Sums of numbers, or of the rows of a matrix, by line; `lines` has the line of each, from 1 to n.
sum_by_line <- function(values, lines, n) {
  sums <- matrix(0, n, NCOL(values))
  found <- rowsum(values + 0, lines)
  sums[as.integer(rownames(found)), ] <- found
  if (is.matrix(values)) sums else as.vector(sums)
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

# Binds matrices with the same number of columns by rows; the result is sparse if one of them is.
bind_rows <- function(parts) {
  sparse <- any(vapply(parts, is_sparse, TRUE))
  if (sparse) parts <- lapply(parts, function(part) Matrix::drop0(as_sparse(part)))
  bound <- do.call(rbind, parts)
  names(dimnames(bound)) <- names(dimnames(parts[[1]]))
  bound
}

# --- checks ---------------------------------------------------------------------------------------

# Whole numbers and NA only; not below zero unless `signed`, as released counts are.
check_counts <- function(x, arg, call = rlang::caller_env(), signed = FALSE) {
  values <- stored_values(x)
  refuse <- function(bad, problem, hint = NULL) {
    refuse_cells(x, bad, paste0("hold counts, but has ", problem), arg, hint, call)
  }
  if (is.double(values)) {
    refuse(is.infinite(values) | is.nan(values), "infinite values or NaN")
    refuse(!is_whole(values), "values that are not whole numbers")
    values <- round(values)
    if (is_sparse(x)) x@x <- values else x[] <- values
  }
  if (signed) { # doubles are exact up to this value
    refuse(abs(values) > 2^53, "values beyond 2^53")
  } else {
    refuse(values < 0, "negative values", paste(
      "If these are noised counts, declare them with {.fn private_counts}.",
      "If they are codes of missing answers, as in surveys, replace them by {.code NA} first."
    ))
    refuse(values > .Machine$integer.max, "values above 2^31 - 1")
  }
  x
}

# An error if some cells are `bad`; it names their columns.
refuse_cells <- function(counts, bad, problem, arg, hint, call) {
  if (any(bad, na.rm = TRUE)) {
    columns <- if (is_sparse(counts)) sparse_columns(counts) else if (is.matrix(counts)) col(counts)
    found <- colnames(counts)[unique(columns[which(bad)])]
    where <- if (!is.null(found)) "{cli::qty(found)}Column{?s} {.val {found}} {?has/have} such values."
    ldp_abort(c(paste0("{.arg {arg}} must ", problem, "."), x = where, i = hint), call = call)
  }
}

check_complete <- function(counts, arg, hint = NULL, call = rlang::caller_env()) {
  refuse_cells(counts, is.na(stored_values(counts)), "have no missing counts", arg, hint, call)
}

# A dgCMatrix of the counts of listed cells. True counts of the same cell are added up; the sum of two noised
# counts would have more noise than was declared.
added_counts <- function(cells, values, dim, labels, arg, role, call) {
  check_sums(cells, values, arg, role, call)
  sparse_counts(cells, values, dim, if (length(unlist(labels)) > 0) labels)
}

check_sums <- function(cells, values, arg, role, call) {
  again <- anyDuplicated(cells) > 0
  check_that(role != "release" || !again, c(
    "{.arg {arg}} must not list a cell more than once.",
    i = "Noised counts cannot be added up: their sum has more noise than was declared."
  ), call)
  if (again) check_counts(values, arg, call)
}

# Objects of a class may have been edited by hand, or damaged. The kernels, and the compiled code of other
# packages, read them without checking, so they are checked before anything else is done with them.
abort_invalid <- function(x, arg, call) {
  ldp_abort("{.arg {arg}} is not a valid {.cls {class(x)[1]}}: it has been edited or damaged.", call = call)
}

# TRUE, or what is wrong. If the slots of a Matrix contradict each other, package Matrix may read outside
# its memory.
slots_agree <- function(x) tryCatch(methods::validObject(x, test = TRUE), error = conditionMessage)

check_valid_matrix <- function(x, arg, call) {
  if (!isTRUE(slots_agree(x))) abort_invalid(x, arg, call)
  check_extent_memory(dim(x), arg, call)
}

is_numeric_matrix <- function(x) is.matrix(x) && is.numeric(x) && !is.object(x)
