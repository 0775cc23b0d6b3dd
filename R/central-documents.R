# The documents of the functions with central differential privacy: checked true counts of words.

# Checked true counts of at least one document and one word. With `secret`, the labels of words become public,
# so they must not come from the counts.
central_counts <- function(counts, secret = TRUE, call = rlang::caller_env()) {
  check_that(!inherits(counts, "private_counts"), c(
    "{.arg counts} must hold true counts, but is a release of noised counts.",
    i = "For noised counts use {.fn topic_model}, which does not increase the privacy loss."
  ), call)
  role <- if (secret) "secret" else "truth"
  table <- given_counts(counts, "counts", directed = TRUE, role = role, call = call)
  check_modes(dim(table), 2, "counts", call)
  counts <- check_counts(table$counts, "counts", call)
  check_complete(counts, "counts", call = call)
  check_that(all(dim(counts) > 0), "{.arg counts} must have at least one document and one word.", call)
  as_sparse(counts)
}

# Three random words are drawn for each document, which takes as many of them as it lacks. So the words that
# other documents get do not depend on how many this one takes.
pad_documents <- function(counts, lacks) {
  stored <- matrix(sample.int(ncol(counts), 3 * nrow(counts), replace = TRUE), nrow(counts))
  taken <- which(col(stored) <= lacks, arr.ind = TRUE)
  as_sparse(counts + Matrix::sparseMatrix(taken[, 1], stored[taken], x = 1, dims = dim(counts)))
}

# From a dgCMatrix with one document per row.
new_documents <- function(counts) {
  turned <- Matrix::drop0(Matrix::t(counts))
  counts <- methods::new("dgCMatrix", i = turned@i, p = turned@p, x = turned@x, Dim = turned@Dim)
  list(counts = counts, first = .Call(C_rc_moments_first, counts))
}

# Documents as the kernel reads them, with at most `lmax` tokens each, chosen at random.
document_cells <- function(counts, lmax = Inf) {
  cells <- make_cells(counts, numeric(nrow(counts)), by_columns = FALSE)
  if (lmax < Inf) cells$y_tilde <- .Call(C_rc_lda_shorten, cells, as.double(lmax))
  cells
}
