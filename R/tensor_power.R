# Symmetric tensors of k x k x k numbers, packed (src/ldp_symmetric.h), and their decomposition.

# The places (a, b, c) of the entries, a <= b <= c.
triples_of <- function(k) {
  c <- rep(seq_len(k), choose(seq_len(k) + 1, 2))
  b <- unlist(lapply(seq_len(k), function(c) rep(seq_len(c), seq_len(c))))
  a <- unlist(lapply(seq_len(k), function(c) sequence(seq_len(c))))
  cbind(a, b, c, deparse.level = 0)
}

# How many entries of the tensor each of them stands for.
triple_counts <- function(places) {
  c(1, 3, 6)[1 + (places[, 1] < places[, 2]) + (places[, 2] < places[, 3])]
}

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

# lambda_i and orthonormal z_i of a tensor that is nearly sum_i lambda_i z_i^3, as list(values =, vectors =,
# converged =), by falling values. Where all lambda_i are equal the first start, the trace of T, says nothing
# of the z_i; the others, T seen in a random direction, do. As Z is orthonormal the squared distance of T
# from what was found is that of T from zero less sum lambda_i^2: so the best start has the largest sum.
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
  list(
    values = best$values[falling], vectors = best$vectors[, falling, drop = FALSE],
    converged = best$change < tol
  )
}
