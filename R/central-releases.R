# The quantities that spectral LDA releases with noise (second and third moments, the whitening, bounds), and
# the topics that are computed from them.

bounds_of <- function(task) moment_bounds(ncol(task$documents$counts), task$alpha0)

# The share of the budget that an edge has, as list(epsilon =, delta =), cut into so many equal parts.
part_of <- function(task, edge, parts = 1) {
  list(epsilon = task$epsilon * task$weights[edge] / parts, delta = task$delta * task$weights[edge] / parts)
}

part_budget <- function(part, task) largest_gdp_mu(part$epsilon, part$delta, task$calibration)

# A second moment with noise, as list(value =, matrix =, sigma =, size =, spent =): `value` is packed by its
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
  list(value = value, matrix = packed_matrix(value, n), size = size, spent = released$spent)
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
  c(whitening(found, M2$size / 4), list(weak = found$values[task$k] < M2$size, spent = M2$spent))
}

# T, packed, with noise. `whole` says what T is made of. "M3": the noise of all of M3, as T shows it, which is
# noise on M3(U, U, U) with the eigenvectors U, as W = U s^(-1/2). "T" and "E3": either such noise, or noise
# of the same size in all numbers, whichever is smaller in total; W decides that, and is released already.
# Entries of T are scaled so that the sum of their squares is that of all k^3.
release_third <- function(x, w, budget, task, whole) {
  edge <- if (whole == "M3") "e3" else "e6"
  bounds <- bounds_of(task)
  if (budget == Inf) {
    return(list(value = x))
  }
  if (task$noise == "laplace") {
    return(release_third_laplace(x, w, budget, task, bounds$M3_unique))
  }
  places <- triples_of(task$k)
  scales <- triple_scales(places)
  seen <- (if (whole == "E3") bounds$E3_seen else bounds$M3_seen) * longest_row(w$W)^3
  all <- if (whole == "E3") bounds$raw else bounds$M3
  shaped <- whole == "M3" || all^2 * sum(1 / w$s)^3 < seen^2 * task$k^3
  if (shaped) scales <- scales * triple_cube(sqrt(w$s), places)
  quantity <- paste0(whole, if (whole != "M3") if (shaped) "(U, U, U)" else "(W, W, W)")
  released <- release_numbers(x * scales, edge, quantity, if (shaped) all else seen, budget, task)
  list(value = released$value / scales, spent = released$spent)
}

# Each entry of M3 gets its own noise, one after the other.
release_third_laplace <- function(x, w, budget, task, sensitivity) {
  scale <- sensitivity / budget
  value <- as_release_error(
    .Call(C_rc_perturb_whitened, x, t(w$W), scale, task$noise, task$rng), task$call
  )
  list(value = value, spent = ledger_row("e3", "M3", sensitivity, budget, scale, task$noise))
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
# `spent`: rows of the ledger.
spectral_result <- function(found, w, spent, task) {
  topics <- recover_topics(found$values, found$vectors, w$back, task$alpha0, task$project)
  list(
    topics = topics, lambda = found$values, converged = found$converged, s = w$values, weak = w$weak,
    spent = spent
  )
}

refused_result <- function(w, spent) list(s = w$values, weak = w$weak, refused = TRUE, spent = spent)
