# Spectral LDA: the quantities that are released with noise, and the two configurations, which say where noise
# is added. T and the whitening are computed from what was released and from nothing else about the documents.

bounds_of <- function(task) moment_bounds(ncol(task$documents$counts), task$alpha0)

# A second moment with noise, as list(value =, matrix =, size =, cost =): `value` is packed by its norm,
# `size` is about the largest eigenvalue of the noise. Without noise there is no `value`.
release_pairs <- function(task, alpha0, edge, quantity, sensitivity, budget) {
  if (budget == Inf) {
    return(list(matrix = second_matrix(task$documents, alpha0), size = 0))
  }
  n <- nrow(task$documents$counts)
  needed <- 8 * n * (n + 1) # for the packed moment, and for the moment with its noise
  if (!is_affordable(needed)) check_free_memory(needed, "The noised moment", NULL, task$call)
  x <- packed_second(task$documents, alpha0)
  released <- release_numbers(x, edge, quantity, sensitivity, budget, task)
  # 2 sqrt(n) times the standard deviation off the diagonal
  size <- released$sigma * sqrt(2 * n)
  list(value = released$value, matrix = packed_matrix(released$value, n), size = size, cost = released$cost)
}

release_m2 <- function(task, budget, edge) {
  release_pairs(task, task$alpha0, edge, "M2", bounds_of(task)$M2, budget)
}

# Eigenvalues that noise has made negative or too small are replaced by a quarter of the largest eigenvalue of
# the noise.
whiten <- function(M2, task) {
  found <- top_eigen(M2$matrix, task$k, task$call)
  check_that(M2$size > 0 || found$values[task$k] > 0, c(
    "{.arg counts} must have at least {task$k} topics.",
    x = "Fewer than {task$k} eigenvalues of their second moment are positive.",
    i = "Use a smaller {.arg k}, or more documents."
  ), task$call)
  c(whitening(found, M2$size / 4), list(weak = found$values[task$k] < M2$size, cost = M2$cost))
}

# T, packed, with noise. In config 1 it is the noise of all of M3, as T shows it, which is
# noise on M3(U, U, U) with the eigenvectors U, as W = U s^(-1/2). In config 2, for the raw moment E3, it is
# either such noise, or noise of the same size in all numbers, whichever is smaller in total; W decides that,
# and is released already. Entries of T are scaled so that the sum of their squares is that of all k^3.
release_third <- function(x, w, budget, task) {
  if (budget == Inf) {
    return(list(value = x))
  }
  bounds <- bounds_of(task)
  raw <- task$config == "2"
  places <- triples_of(task$k)
  seen <- bounds$E3_seen * longest_row(w$W)^3
  shaped <- !raw || bounds$raw^2 * sum(1 / w$s)^3 < seen^2 * task$k^3
  scales <- triple_scales(places) * if (shaped) triple_cube(sqrt(w$s), places) else 1
  sensitivity <- if (!raw) bounds$M3 else if (shaped) bounds$raw else seen
  quantity <- if (!raw) "M3" else if (shaped) "E3(U, U, U)" else "E3(W, W, W)"
  released <- release_numbers(x * scales, if (raw) "e6" else "e3", quantity, sensitivity, budget, task)
  list(value = released$value / scales, cost = released$cost)
}

# T with its noise, the whitening, the costs, and in `released` all that was released, as the mechanism gives
# it (for audits).
release_unbiased <- function(task) {
  M2 <- release_m2(task, task$budget[1], "e4, e8")
  w <- whiten(M2, task)
  x <- third_seen_through(task$documents, w$W, task$alpha0)
  third <- release_third(x, w, task$budget[2], task)
  list(
    tensor = third$value, w = w, cost = list(M2$cost, third$cost),
    released = list(M2 = M2$value, tensor = third$value, W = w$W)
  )
}

release_raw <- function(task) {
  budget <- task$budget
  bounds <- bounds_of(task)
  M1 <- release_numbers(task$documents$first$M1, "e4, e5, e8", "M1", bounds$raw, budget[1], task)
  E2 <- release_pairs(task, NULL, "e4, e5, e8", "E2", bounds$raw, budget[2])
  share <- dirichlet_shares(task$alpha0)
  M2 <- list(matrix = less_outer(E2$matrix, share[1], M1$value, M1$sigma^2), size = E2$size)
  w <- whiten(M2, task)
  E3 <- release_third(third_seen_through(task$documents, w$W), w, budget[3], task)
  places <- triples_of(task$k)
  first <- drop(crossprod(w$W, M1$value))
  second <- crossprod(w$W, apply(w$W, 2, E2$matrix$times))
  list(
    tensor = E3$value - share[2] * triple_product(second, first, places) +
      share[3] * triple_cube(first, places),
    w = w, cost = list(M1$cost, E2$cost, E3$cost),
    released = list(M1 = M1$value, E2 = E2$value, E3 = E3$value, W = w$W)
  )
}
