# Spectral LDA: the quantities that are released with noise, and the configurations, which say where noise is added.
# Each returns the topics, computed from what was released and from nothing else about the documents.

bounds_of <- function(task) moment_bounds(ncol(task$documents$counts), task$alpha0)

# The share of the budget that an edge has, as list(epsilon =, delta =), cut into so many equal parts.
part_of <- function(task, edge, parts = 1) {
  list(epsilon = task$epsilon * task$weights[edge] / parts, delta = task$delta * task$weights[edge] / parts)
}

part_budget <- function(part, task) largest_gdp_mu(part$epsilon, part$delta, task$calibration)

# A second moment with noise, as list(value =, matrix =, sigma =, size =, cost =): `value` is packed by its
# norm, `size` is about the largest eigenvalue of the noise. Without noise there is no `value`.
release_pairs <- function(task, alpha0, edge, quantity, sensitivity, budget) {
  if (budget == Inf) {
    return(list(matrix = second_matrix(task$documents, alpha0), size = 0))
  }
  n <- nrow(task$documents$counts)
  check_pairs_memory(n, task$call)
  laplace <- task$noise == "laplace"
  scales <- if (laplace) pair_scales(n) else 1
  x <- packed_second(task$documents, alpha0) / scales
  released <- release_numbers(x, edge, quantity, sensitivity, budget, task)
  value <- released$value * scales
  # 2 sqrt(n) times the standard deviation off the diagonal
  size <- released$sigma * sqrt(2 * n) * if (laplace) 2 else 1
  list(value = value, matrix = packed_matrix(value, n), size = size, cost = released$cost)
}

release_m2 <- function(task, budget, edge, bound = if (task$noise == "laplace") "M2_unique" else "M2") {
  release_pairs(task, task$alpha0, edge, "M2", bounds_of(task)[[bound]], budget)
}

# Memory for the packed moment, and for the moment with its noise.
check_pairs_memory <- function(n, call, free = memory_free()) {
  needed <- 8 * n * (n + 1)
  if (!is_affordable(needed, free)) check_free_memory(needed, "The noised moment", NULL, free, call)
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

# T, packed, with noise. `whole` says what T is made of. "M3": the noise of all of M3, as T shows it, which is
# noise on M3(U, U, U) with the eigenvectors U, as W = U s^(-1/2). "T" and "E3": either such noise, or noise
# of the same size in all numbers, whichever is smaller in total; W decides that, and is released already.
# Entries of T are scaled so that the sum of their squares is that of all k^3. With Laplace noise each entry of M3
# gets its own noise, one after the other.
release_third <- function(x, w, budget, task, whole) {
  edge <- if (whole == "M3") "e3" else "e6"
  bounds <- bounds_of(task)
  if (budget == Inf) {
    return(list(value = x))
  }
  if (task$noise == "laplace") {
    scale <- bounds$M3_unique / budget
    noised <- as_release_error(.Call(C_rc_perturb_whitened, x, t(w$W), scale, task$noise, task$rng), task$call)
    return(list(value = noised, cost = ledger_row("e3", "M3", bounds$M3_unique, budget, scale, task$noise)))
  }
  places <- triples_of(task$k)
  scales <- triple_scales(places)
  seen <- (if (whole == "E3") bounds$E3_seen else bounds$M3_seen) * longest_row(w$W)^3
  all <- if (whole == "E3") bounds$raw else bounds$M3
  shaped <- whole == "M3" || all^2 * sum(1 / w$s)^3 < seen^2 * task$k^3
  if (shaped) scales <- scales * triple_cube(sqrt(w$s), places)
  quantity <- paste0(whole, if (whole != "M3") if (shaped) "(U, U, U)" else "(W, W, W)")
  released <- release_numbers(x * scales, edge, quantity, if (shaped) all else seen, budget, task)
  list(value = released$value / scales, cost = released$cost)
}

# A number that is below x with probability 1 - delta (above it, if `sign` is -1), by Laplace noise. `part` is
# the share of the budget; see part_of().
bounded_below <- function(x, edge, quantity, sensitivity, part, task, sign = 1) {
  laplace <- list(noise = "laplace", rng = task$rng, call = task$call)
  released <- release_numbers(x, edge, quantity, sensitivity, part$epsilon, laplace)
  released$value <- released$value - sign * released$sigma * log(1 / (2 * part$delta))
  released
}

# --- results --------------------------------------------------------------------------------------

decompose <- function(tensor, task) decompose_tensor(tensor, task$k, task$starts, task$maxit, task$tol)

# `found`: components of T, as decompose_tensor() gives them; `w`: the whitening, whose `back` reverses it;
# `cost`: rows of the ledger.
spectral_result <- function(found, w, cost, task) {
  topics <- recover_topics(found$values, found$vectors, w$back, task$alpha0, task$project)
  list(
    topics = topics, lambda = found$values, converged = found$converged, s = w$values, weak = w$weak,
    cost = cost
  )
}

refused_result <- function(w, cost) list(s = w$values, weak = w$weak, refused = TRUE, cost = cost)

# --- the fit --------------------------------------------------------------------------------------

spectral_fit <- function(task) {
  switch(if (task$epsilon < Inf) task$config else "none",
    `3strict` = strict_fit(task), pub1 = published_1(task), pub2 = published_2(task), pub3 = published_3(task),
    pub4 = published_4(task),
    {
      noised <- release_noised(task)
      spectral_result(decompose(noised$tensor, task), noised$w, noised$cost, task)
    }
  )
}

# T with its noise, the whitening, and in `released` all that was released, as the mechanism gives it (for
# audits).
release_noised <- function(task) {
  if (task$config == "2" && task$variant == "raw") release_raw(task) else release_unbiased(task)
}

release_unbiased <- function(task) {
  budget <- task$budget
  once <- task$share_m2
  M2 <- release_m2(task, budget[1], if (once) "e4, e8" else "e4")
  w <- whiten(M2, task)
  again <- if (!once) release_m2(task, budget[2], "e8")
  x <- third_seen_through(task$documents, w$W, task$alpha0)
  third <- release_third(x, w, budget[length(budget)], task, if (task$config == "2") "T" else "M3")
  if (!once) w$back <- whiten(again, task)$back
  list(
    tensor = third$value, w = w, cost = list(M2$cost, again$cost, third$cost),
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
  E3 <- release_third(third_seen_through(task$documents, w$W), w, budget[3], task, "E3")
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

# --- config 3strict -------------------------------------------------------------------------------

# Given W, the matrix A = T(I, I, z) for a known z moves by at most D, and so do its eigenvalues. If these are
# more than g > D apart, the eigenvectors move by no more than this, signs apart (Davis and Kahan).
vectors_bound <- function(D, g) sqrt(2) * D / (g - D)

# The signs of the eigenvectors are drawn at random. The test releases a g that is below the smallest gap,
# except with probability delta.
strict_fit <- function(task) {
  k <- task$k
  w <- whiten(release_m2(task, part_budget(part_of(task, 1), task), "e4, e8"), task)
  bounds <- bounds_of(task)
  D <- min(bounds$M3_seen * longest_row(w$W)^3, bounds$M3 * min(w$s)^-1.5)
  z <- stats::rnorm(k)
  z <- z / sqrt(sum(z^2))
  tensor <- unpack_triples(third_seen_through(task$documents, w$W, task$alpha0), k)
  seen <- eigen(matrix(matrix(tensor, k * k) %*% z, k), symmetric = TRUE)
  gap <- bounded_below(min(-diff(seen$values)), "e7", "gap", 2 * D, part_of(task, 2), task)
  if (gap$value <= D) {
    return(refused_result(w, list(w$cost, gap$cost)))
  }
  budget <- part_budget(part_of(task, 3), task) / sqrt(2)
  values <- release_numbers(seen$values, "e7", "values", D, budget, task)
  signed <- seen$vectors * rep(sign(perturbed(numeric(k), 1, task)), each = k)
  vectors <- release_numbers(signed, "e7", "vectors", vectors_bound(D, gap$value), budget, task)
  polar <- svd(matrix(vectors$value, k))
  v <- tcrossprod(polar$u, polar$v) # the nearest that are orthonormal
  lambda <- values$value / drop(crossprod(v, z))
  found <- list(values = abs(lambda), vectors = v * rep(sign(lambda), each = k))
  spectral_result(found, w, list(w$cost, gap$cost, values$cost, vectors$cost), task)
}

# --- published configurations ---------------------------------------------------------------------

# The configurations of DeCarolis et al. (2020) as they were published, for comparison: noise that is
# calibrated to bounds which depend on the corpus, and which are themselves released from below. Their proofs
# have gaps. Theorem 5 takes the third power of a bound on the change of W where the first power is needed; it
# compares with a W' that depends on both corpora; and where eigenvalues of M2 are close together, T moves by
# much more than it says (test-dp_lda_published.R has an example). So nothing here is private.
#
# Formulas that the paper does not print are reconstructed from its orders of magnitude and procedures.

exact_whitening <- function(task) {
  w <- whiten(list(matrix = second_matrix(task$documents, task$alpha0), size = 0), task)
  w$tensor <- third_seen_through(task$documents, w$W, task$alpha0)
  w
}

# From a release of M2 of its own, which has this share of the budget.
published_whitening <- function(task, share, edge) {
  whiten(release_m2(task, part_budget(part_of(task, share), task), edge, "M2_sum"), task)
}

# Edges e3, e4, e8: M3, and M2 twice.
published_1 <- function(task) {
  w <- published_whitening(task, 2, "e4")
  places <- triples_of(task$k)
  scales <- triple_scales(places) * triple_cube(sqrt(w$s), places)
  x <- third_seen_through(task$documents, w$W, task$alpha0)
  budget <- part_budget(part_of(task, 1), task)
  tensor <- release_numbers(x * scales, "e3", "M3", bounds_of(task)$M3_sum, budget, task)
  back <- published_whitening(task, 3, "e8")
  found <- decompose(tensor$value / scales, task)
  spectral_result(found, back, list(tensor$cost, w$cost, back$cost), task)
}

# Theorem 5, if the k-th eigenvalue is at least `s`.
published_tensor <- function(task, s) {
  n <- ncol(task$documents$counts)
  share <- dirichlet_shares(task$alpha0)
  bounds <- bounds_of(task)
  whole <- 1 + 6 * share[2] * n / (n - 1) + 3 * share[3] * n^2 / ((n - 1) * (n - 2))
  left <- s - bounds$M2_sum
  whole * (sqrt(2 * task$k) * bounds$M2_sum / (s * sqrt(left)))^3 + bounds$M3_sum * (task$k / left)^1.5
}

# sigma_k from below, for the edge that has this part of the budget.
published_least <- function(task, w, part, edge) {
  bounds <- bounds_of(task)
  least <- bounded_below(w$s[task$k], edge, "sigma_k", bounds$M2_largest, part, task)
  c(least, far = least$value > bounds$M2_sum)
}

# Edges e6, e8: T, and M2 for the way back.
published_2 <- function(task) {
  part <- part_of(task, 1, 2)
  w <- exact_whitening(task)
  least <- published_least(task, w, part, "e6")
  back <- published_whitening(task, 2, "e8")
  if (!least$far) {
    return(refused_result(back, list(least$cost, back$cost)))
  }
  scales <- triple_scales(triples_of(task$k))
  sensitivity <- published_tensor(task, least$value)
  tensor <- release_numbers(w$tensor * scales, "e6", "T", sensitivity, part_budget(part, task), task)
  found <- decompose(tensor$value / scales, task)
  spectral_result(found, back, list(least$cost, tensor$cost, back$cost), task)
}

# Theorem 6, with sigma_k from below, and with a quarter of the smallest gap of lambda from below, which moves
# by half of what M3 does.
published_vectors <- function(task, w, found, part, edge) {
  least <- published_least(task, w, part, edge)
  gap <- if (task$k > 1) min(-diff(found$values)) / 4 else Inf
  gap <- bounded_below(gap, edge, "gamma_s", bounds_of(task)$M3_sum / 2, part, task)
  list(
    far = least$far && gap$value > 0, sigma_k = least$value, cost = list(least$cost, gap$cost),
    v = if (least$far) 2 * sqrt(task$k) * published_tensor(task, least$value) / gap$value
  )
}

# Edges e7, e8: the components of T, and M2 for the way back.
published_3 <- function(task) {
  part <- part_of(task, 1, 3)
  w <- exact_whitening(task)
  found <- decompose(w$tensor, task)
  bound <- published_vectors(task, w, found, part, "e7")
  back <- published_whitening(task, 2, "e8")
  if (!bound$far) {
    return(refused_result(back, c(bound$cost, list(back$cost))))
  }
  budget <- part_budget(part, task)
  values <- release_numbers(found$values, "e7", "lambda", bound$v, budget, task)
  vectors <- release_numbers(found$vectors, "e7", "v", bound$v, budget, task)
  found$values <- values$value
  found$vectors[] <- vectors$value
  spectral_result(found, back, c(bound$cost, list(values$cost, vectors$cost, back$cost)), task)
}

# Edge e9: the topics. Theorem 7; the Dirichlet parameters have the noise of the topics.
published_4 <- function(task) {
  part <- part_of(task, 1, 4)
  w <- exact_whitening(task)
  found <- decompose(w$tensor, task)
  bounds <- bounds_of(task)
  most <- bounded_below(w$s[1], "e9", "sigma_1", bounds$M2_largest, part, task, sign = -1)
  bound <- published_vectors(task, w, found, part, "e9")
  cost <- c(list(most$cost), bound$cost)
  if (!bound$far) {
    return(refused_result(w, cost))
  }
  sensitivity <- (task$alpha0 + 2) / 2 * (
    sqrt(most$value) * bound$v + found$values[1] * sqrt(most$value) * bounds$M2_sum / bound$sigma_k +
      found$values[1] * sqrt(most$value + bounds$M2_sum) * bound$v
  )
  exact <- recover_topics(found$values, found$vectors, w$back, task$alpha0, "none")
  budget <- part_budget(part, task)
  phi <- release_numbers(exact$phi, "e9", "mu", sensitivity, budget, task)
  concentration <- release_numbers(exact$concentration, "e9", "alpha", sensitivity, budget, task)
  result <- spectral_result(found, w, c(cost, list(phi$cost, concentration$cost)), task)
  exact$phi[] <- phi$value
  result$topics <- list(phi = project_topics(exact$phi, task$project), concentration = concentration$value)
  result
}
