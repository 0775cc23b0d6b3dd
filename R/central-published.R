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
  spectral_result(found, back, list(tensor$spent, w$spent, back$spent), task)
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
    return(refused_result(back, list(least$spent, back$spent)))
  }
  scales <- triple_scales(triples_of(task$k))
  sensitivity <- published_tensor(task, least$value)
  tensor <- release_numbers(w$tensor * scales, "e6", "T", sensitivity, part_budget(part, task), task)
  found <- decompose(tensor$value / scales, task)
  spectral_result(found, back, list(least$spent, tensor$spent, back$spent), task)
}

# Theorem 6, with sigma_k from below, and with a quarter of the smallest gap of lambda from below, which moves
# by half of what M3 does.
published_v <- function(task, w, found, part, edge) {
  least <- published_least(task, w, part, edge)
  gap <- if (task$k > 1) min(-diff(found$values)) / 4 else Inf
  gap <- bounded_below(gap, edge, "gamma_s", bounds_of(task)$M3_sum / 2, part, task)
  list(
    far = least$far && gap$value > 0, sigma_k = least$value, spent = list(least$spent, gap$spent),
    v = if (least$far) 2 * sqrt(task$k) * published_tensor(task, least$value) / gap$value
  )
}

# Edges e7, e8: the components of T, and M2 for the way back.
published_3 <- function(task) {
  part <- part_of(task, 1, 3)
  w <- exact_whitening(task)
  found <- decompose(w$tensor, task)
  bound <- published_v(task, w, found, part, "e7")
  back <- published_whitening(task, 2, "e8")
  if (!bound$far) {
    return(refused_result(back, c(bound$spent, list(back$spent))))
  }
  budget <- part_budget(part, task)
  values <- release_numbers(found$values, "e7", "lambda", bound$v, budget, task)
  vectors <- release_numbers(found$vectors, "e7", "v", bound$v, budget, task)
  found$values <- values$value
  found$vectors[] <- vectors$value
  spectral_result(found, back, c(bound$spent, list(values$spent, vectors$spent, back$spent)), task)
}

# Edge e9: the topics. Theorem 7; the Dirichlet parameters have the noise of the topics.
published_4 <- function(task) {
  part <- part_of(task, 1, 4)
  w <- exact_whitening(task)
  found <- decompose(w$tensor, task)
  bounds <- bounds_of(task)
  most <- bounded_below(w$s[1], "e9", "sigma_1", bounds$M2_largest, part, task, sign = -1)
  bound <- published_v(task, w, found, part, "e9")
  spent <- c(list(most$spent), bound$spent)
  if (!bound$far) {
    return(refused_result(w, spent))
  }
  sensitivity <- (task$alpha0 + 2) / 2 * (
    sqrt(most$value) * bound$v + found$values[1] * sqrt(most$value) * bounds$M2_sum / bound$sigma_k +
      found$values[1] * sqrt(most$value + bounds$M2_sum) * bound$v
  )
  exact <- recover_topics(found$values, found$vectors, w$back, task$alpha0, "none")
  budget <- part_budget(part, task)
  phi <- release_numbers(exact$phi, "e9", "mu", sensitivity, budget, task)
  concentration <- release_numbers(exact$concentration, "e9", "alpha", sensitivity, budget, task)
  result <- spectral_result(found, w, c(spent, list(phi$spent, concentration$spent)), task)
  exact$phi[] <- phi$value
  result$topics <- list(phi = project_topics(exact$phi, task$project), concentration = concentration$value)
  result
}
