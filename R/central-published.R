# The configurations of DeCarolis et al. (2020) as they were published, for comparison: noise that is
# calibrated to bounds which depend on the corpus, themselves released from below. Their proofs have gaps.
# Theorem 5 bounds by the third power of the change of W what is of the first; it compares with a W' that
# depends on both corpora, and where eigenvalues of M2 lie near one another T moves by much more
# (test-dp_lda_spectral.R has their example). So nothing here is private.
#
# Formulas that the paper does not print are reconstructed from its orders and procedures.

published_fit <- function(task) {
  switch(task$config,
    pub1 = published_1(task), pub2 = published_2(task), pub3 = published_3(task), pub4 = published_4(task)
  )
}

# The share of an edge, cut into so many equal parts.
published_part <- function(task, edge, parts = 1) {
  list(epsilon = task$epsilon * task$weights[edge] / parts, delta = task$delta * task$weights[edge] / parts)
}

published_mu <- function(part, task) gaussian_mu(part$epsilon, part$delta, task$calibration)

exact_whitening <- function(task) {
  w <- whiten(list(matrix = second_matrix(task$documents, task$alpha0), size = 0), task)
  w$tensor <- third_seen_through(task$documents, w$W, task$alpha0)
  w
}

# What takes back, from a release of M2 of its own.
published_back <- function(task, edge) {
  bounds <- bounds_of(task)
  M2 <- release_m2(task, published_mu(published_part(task, edge), task), "e8", bounds$M2_sum)
  c(whiten(M2, task), M2["spent"])
}

decompose_for <- function(task, tensor) decompose_tensor(tensor, task$k, task$starts, task$maxit, task$tol)

published_result <- function(task, found, w, spent) {
  topics <- recover_topics(found$values, found$vectors, w$back, task$alpha0, task$project)
  list(
    topics = topics, lambda = found$values, converged = found$converged, s = w$values, weak = w$weak,
    spent = spent
  )
}

published_refusal <- function(task, w, spent) {
  list(s = w$values, weak = w$weak, refused = TRUE, spent = spent)
}

# Edges e3, e4, e8: M3, and M2 twice.
published_1 <- function(task) {
  bounds <- bounds_of(task)
  mu <- lapply(1:3, function(edge) published_mu(published_part(task, edge), task))
  M2 <- release_m2(task, mu[[2]], "e4", bounds$M2_sum)
  w <- whiten(M2, task)
  scales <- sqrt(triple_counts(triples_of(task$k))) * triple_cube(sqrt(w$s), triples_of(task$k))
  x <- third_seen_through(task$documents, w$W, task$alpha0)
  tensor <- release_numbers(x * scales, "e3", "M3", bounds$M3_sum, mu[[1]], task)
  back <- published_back(task, 3)
  found <- decompose_for(task, tensor$value / scales)
  published_result(task, found, back, list(tensor$spent, M2$spent, back$spent))
}

# Theorem 5, for a least eigenvalue that is at least `s`.
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
  bounded_below(
    w$s[task$k], edge, "sigma_k", bounds_of(task)$M2_largest, part$epsilon, part$delta, task
  )
}

is_far <- function(task, least) least$value > bounds_of(task)$M2_sum

# Edges e6, e8: T, and M2 for the way back.
published_2 <- function(task) {
  part <- published_part(task, 1, 2)
  w <- exact_whitening(task)
  least <- published_least(task, w, part, "e6")
  back <- published_back(task, 2)
  if (!is_far(task, least)) {
    return(published_refusal(task, back, list(least$spent, back$spent)))
  }
  scales <- sqrt(triple_counts(triples_of(task$k)))
  tensor <- release_numbers(
    w$tensor * scales, "e6", "T", published_tensor(task, least$value), published_mu(part, task), task
  )
  found <- decompose_for(task, tensor$value / scales)
  published_result(task, found, back, list(least$spent, tensor$spent, back$spent))
}

# Theorem 6, with the least gap of lambda, over 4, from below; that moves by half of what M3 does.
published_v <- function(task, found, part, least, edge) {
  gap <- if (task$k > 1) min(-diff(found$values)) / 4 else Inf
  gap <- bounded_below(gap, edge, "gamma_s", bounds_of(task)$M3_sum / 2, part$epsilon, part$delta, task)
  list(
    far = is_far(task, least) && gap$value > 0, spent = gap$spent,
    v = if (is_far(task, least)) 2 * sqrt(task$k) * published_tensor(task, least$value) / gap$value
  )
}

# Edges e7, e8: the components of T, and M2 for the way back.
published_3 <- function(task) {
  part <- published_part(task, 1, 3)
  w <- exact_whitening(task)
  found <- decompose_for(task, w$tensor)
  least <- published_least(task, w, part, "e7")
  bound <- published_v(task, found, part, least, "e7")
  back <- published_back(task, 2)
  if (!bound$far) {
    return(published_refusal(task, back, list(least$spent, bound$spent, back$spent)))
  }
  mu <- published_mu(part, task)
  values <- release_numbers(found$values, "e7", "lambda", bound$v, mu, task)
  vectors <- release_numbers(found$vectors, "e7", "v", bound$v, mu, task)
  noised <- list(values = values$value, vectors = matrix(vectors$value, task$k), converged = found$converged)
  spent <- list(least$spent, bound$spent, values$spent, vectors$spent, back$spent)
  published_result(task, noised, back, spent)
}

# Edge e9: the topics. Theorem 7; alpha has the noise of mu.
published_4 <- function(task) {
  part <- published_part(task, 1, 4)
  w <- exact_whitening(task)
  found <- decompose_for(task, w$tensor)
  bounds <- bounds_of(task)
  most <- bounded_below(
    w$s[1], "e9", "sigma_1", bounds$M2_largest, part$epsilon, part$delta, task, sign = -1
  )
  least <- published_least(task, w, part, "e9")
  bound <- published_v(task, found, part, least, "e9")
  spent <- list(most$spent, least$spent, bound$spent)
  if (!bound$far) {
    return(published_refusal(task, w, spent))
  }
  sensitivity <- (task$alpha0 + 2) / 2 * (
    sqrt(most$value) * bound$v + found$values[1] * sqrt(most$value) * bounds$M2_sum / least$value +
      found$values[1] * sqrt(most$value + bounds$M2_sum) * bound$v
  )
  exact <- recover_topics(found$values, found$vectors, w$back, task$alpha0, "none")
  mu <- published_mu(part, task)
  topics <- release_numbers(exact$mu, "e9", "mu", sensitivity, mu, task)
  alpha <- release_numbers(exact$alpha, "e9", "alpha", sensitivity, mu, task)
  topics$value <- matrix(topics$value, ncol = task$k)
  if (task$project == "simplex") topics$value[] <- apply(topics$value, 2, onto_simplex)
  result <- published_result(task, found, w, c(spent, list(topics$spent, alpha$spent)))
  result$topics <- list(mu = topics$value, alpha = alpha$value)
  result
}
