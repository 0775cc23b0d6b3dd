# True counts of words, checked, as the functions with central differential privacy read them.

# Checked true counts, of at least one document and one word; see document_counts().
central_counts <- function(counts, call) {
  counts <- document_counts(counts, secret = TRUE, call)
  if (any(dim(counts) == 0)) {
    ldp_abort("{.arg counts} must have at least one document and one word.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  counts
}

# Checked true counts. `secret`: the labels of words become public, and must not come from the counts.
document_counts <- function(counts, secret, call = rlang::caller_env()) {
  if (inherits(counts, "private_counts")) {
    ldp_abort(c("{.arg counts} must be true counts, and is private already.",
      i = "{.fn topic_model} finds topics in noised counts, and spends no more privacy."
    ), class = "ldpcounts_argument_error", call = call)
  }
  role <- if (secret) "secret" else "truth"
  table <- given_counts(counts, "counts", directed = TRUE, role = role, call = call)
  check_modes(dim(table), 2, "counts", call)
  counts <- check_counts(table$counts, "counts", call)
  check_complete(counts, "counts", call = call)
  as_sparse(counts)
}

# Each document has three random words in store, of which it takes what it lacks: how many are drawn, and
# which the others get, tells nothing of it.
pad_documents <- function(counts, lacks) {
  stored <- matrix(sample.int(ncol(counts), 3 * nrow(counts), replace = TRUE), nrow(counts))
  taken <- which(col(stored) <= lacks, arr.ind = TRUE)
  as_sparse(counts + Matrix::sparseMatrix(taken[, 1], stored[taken], x = 1, dims = dim(counts)))
}

# From a dgCMatrix with a document in each row.
new_documents <- function(counts) {
  turned <- Matrix::drop0(Matrix::t(counts))
  counts <- methods::new("dgCMatrix", i = turned@i, p = turned@p, x = turned@x, Dim = turned@Dim)
  list(counts = counts, first = .Call(C_rc_moments_first, counts))
}

# Documents as the kernel reads them, with the tokens that are used.
document_cells <- function(counts, lmax = Inf) {
  cells <- make_cells(counts, numeric(nrow(counts)), by_columns = FALSE)
  if (lmax < Inf) cells$y_tilde <- .Call(C_rc_lda_shorten, cells, as.double(lmax))
  cells
}
