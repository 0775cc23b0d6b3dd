# Moments of documents for spectral LDA: how they are estimated (src/ldp_moments.h), how much one document
# can change them, and how topics are recovered from them.
#
# Documents are list(counts =, first =): a dgCMatrix with one document per column, without stored zeros; and
# the first moments, which all others need. `alpha0` is NULL for the raw moments E2 and E3 (the means of the
# indicators of pairs and of triples of words of one document); otherwise it is that of the U-statistics M2
# and M3.
#
# Symmetric tensors of k x k x k numbers, packed (src/ldp_packed.h), and their decomposition.

third_seen_through <- function(documents, W, alpha0 = NULL) {
  .Call(C_rc_moments_whitened, documents$counts, documents$first, alpha0, t(W))
}

# The places (a, b, c) of the entries, a <= b <= c.
triples_of <- function(k) {
  all <- arrayInd(seq_len(k^3), c(k, k, k))
  all[all[, 1] <= all[, 2] & all[, 2] <= all[, 3], , drop = FALSE]
}

# How many entries of the tensor each of them stands for.
triple_counts <- function(places) {
  c(1, 3, 6)[1 + (places[, 1] < places[, 2]) + (places[, 2] < places[, 3])]
}

# Packed entries times these have the Euclidean norm of the whole tensor.
triple_scales <- function(places) sqrt(triple_counts(places))

unpack_triples <- function(x, k) {
  all <- array(0, c(k, k, k))
  places <- triples_of(k)
  for (order in list(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), 3:1)) {
    all[places[, order, drop = FALSE]] <- x
  }
  all
}

# sum of the three A_ab b_c, packed, and b_a b_b b_c.
triple_product <- function(A, b, places) {
  entry <- function(x, y, z) A[places[, c(x, y), drop = FALSE]] * b[places[, z]]
  entry(1, 2, 3) + entry(1, 3, 2) + entry(2, 3, 1)
}
triple_cube <- function(b, places) b[places[, 1]] * b[places[, 2]] * b[places[, 3]]

# lambda_i and orthonormal z_i of a tensor T that is nearly sum_i lambda_i z_i^3, as list(values =, vectors =,
# converged =), in decreasing order of the values. If all lambda_i are equal, the first start, the trace of T,
# does not depend on the z_i; the other starts, T in a random direction, do. As Z is orthonormal, the squared
# distance of T from its decomposition is |T|^2 - sum lambda_i^2, so the best start has the largest sum.
decompose_tensor <- function(packed, k, starts = 10, maxit = 200, tol = 1e-10) {
  all <- matrix(unpack_triples(packed, k), k * k)
  trace <- drop(matrix(all, k) %*% as.vector(diag(k)))
  directions <- cbind(trace, matrix(stats::rnorm(k * starts), k))
  best <- NULL
  for (start in seq_len(ncol(directions))) {
    seen <- eigen(matrix(all %*% directions[, start], k), symmetric = TRUE)
    basis <- seen$vectors[, order(-abs(seen$values)), drop = FALSE]
    found <- .Call(C_rc_tensor_power, packed, basis, maxit, tol)
    if (is.null(best) || sum(found$values^2) > sum(best$values^2)) best <- found
  }
  falling <- order(-best$values)
  vectors <- best$vectors[, falling, drop = FALSE]
  list(values = best$values[falling], vectors = vectors, converged = best$change < tol)
}

# --- second moments -------------------------------------------------------------------------------

# A symmetric matrix is list(size =, times = function(x), dense = function()), so that a large one need not be
# stored. Packed by its norm (src/ldp_packed.h): entries above the diagonal are multiplied by sqrt(2).
unpack_pairs <- function(x, n) {
  upper <- matrix(0, n, n)
  upper[upper.tri(upper, diag = TRUE)] <- x / sqrt(2)
  all <- upper + t(upper)
  diag(all) <- diag(all) / sqrt(2)
  all
}

packed_matrix <- function(x, n) {
  list(
    size = n, times = function(v) .Call(C_rc_packed_times, x, as.double(v)),
    dense = function() unpack_pairs(x, n)
  )
}

packed_second <- function(documents, alpha0 = NULL) {
  .Call(C_rc_moments_pairs, documents$counts, documents$first, alpha0)
}

second_matrix <- function(documents, alpha0 = NULL) {
  n <- nrow(documents$counts)
  list(
    size = n,
    times = function(v) .Call(C_rc_moments_times, documents$counts, documents$first, alpha0, as.double(v)),
    dense = function() unpack_pairs(packed_second(documents, alpha0), n)
  )
}

# A - weight (b b' - along I)
less_outer <- function(A, weight, b, along) {
  list(
    size = A$size,
    times = function(v) A$times(v) - weight * (b * sum(b * v) - along * v),
    dense = function() A$dense() - weight * (tcrossprod(b) - diag(along, A$size))
  )
}

# The k algebraically largest eigenvalues (estimates of moments are indefinite). The coordinate of each vector
# that is largest in absolute value is made positive.
MOST_DENSE <- 500

top_eigen <- function(A, k, call = rlang::caller_env()) {
  found <- if (A$size > MOST_DENSE && 2 * k < A$size) {
    check_package("RSpectra", "the largest eigenvalues of large matrices", call)
    # a warning is issued if fewer than k have converged
    suppressWarnings(RSpectra::eigs_sym(function(x, args) A$times(x), k,
      which = "LA", n = A$size, opts = list(ncv = min(A$size, 2 * k + 20))
    ))
  }
  if (length(found$values) < k) found <- eigen(A$dense(), symmetric = TRUE)
  vectors <- found$vectors[, seq_len(k), drop = FALSE]
  largest <- vectors[cbind(max.col(abs(t(vectors)), "first"), seq_len(k))]
  sign <- rep(ifelse(largest < 0, -1, 1), each = nrow(vectors))
  list(values = found$values[seq_len(k)], vectors = vectors * sign)
}

# --- how much one document can change them --------------------------------------------------------

dirichlet_shares <- function(alpha0) {
  c(alpha0 / (alpha0 + 1), alpha0 / (alpha0 + 2), 2 * alpha0^2 / ((alpha0 + 1) * (alpha0 + 2)))
}

# The largest change when one of n documents is replaced by another. The change is affine in the pairs and
# triples of words of either document, so any norm of it is largest for documents of two or three words. Which
# of these words coincide, with one another and with those of other documents, are finitely many cases, which
# were enumerated. The bounds: for M2 and M3, and for the raw moments, the Euclidean norm of all entries. Seen
# through a W whose longest row has length r, the change is at most r^3 times `seen`, as every summand of it
# is a mean of products of three rows.
moment_bounds <- function(n, alpha0) {
  share <- dirichlet_shares(alpha0)
  k1 <- share[1]
  k2 <- share[2]
  k3 <- share[3]
  cases <- c(2 + 6 * k2^2 + 6 * (k3 - k2)^2, 2 + 6 * k2^2 + 3 * k3^2, 2 * (1 - 3 * k2)^2 + 6 * k3^2)
  bounds <- list(
    M2 = sqrt(2 + 4 * k1^2), M3 = sqrt(max(cases)), raw = sqrt(2), E3_seen = 2
  )
  lapply(bounds, `/`, n)
}

# --- topics ---------------------------------------------------------------------------------------

# M2 is nearly U diag(s) U': W = U s^(-1/2) whitens it, and `back` = U s^(1/2) reverses that. `values` are the
# eigenvalues as they were found; s is at least `least`.
whitening <- function(found, least = 0) {
  s <- pmax(found$values, least)
  scaled <- function(by) found$vectors * rep(by, each = nrow(found$vectors))
  list(values = found$values, s = s, W = scaled(1 / sqrt(s)), back = scaled(sqrt(s)))
}

longest_row <- function(W) sqrt(max(rowSums(W^2)))

# `phi` (the topics, words x topics) and `concentration` (the parameters of the Dirichlet distribution), from
# T = sum_i lambda_i v_i^3 and the matrix `back` that reverses the whitening.
recover_topics <- function(lambda, v, back, alpha0) {
  phi <- (alpha0 + 2) / 2 * back %*% (v * rep(lambda, each = nrow(v)))
  phi[] <- apply(phi, 2, onto_simplex)
  # no parameter is above alpha0, and they sum to it
  shares <- 1 / pmax(lambda, 2 * sqrt(alpha0 + 1) / (alpha0 + 2))^2
  list(phi = phi, concentration = alpha0 * shares / sum(shares))
}

# The nearest point whose coordinates are not negative and sum to 1: one number is subtracted from all, and
# negative results are set to 0.
onto_simplex <- function(x) {
  falling <- sort(x, decreasing = TRUE)
  less <- (cumsum(falling) - 1) / seq_along(x)
  pmax(x - less[max(which(falling > less))], 0)
}
