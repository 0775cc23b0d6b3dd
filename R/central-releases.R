# What spectral LDA releases with noise: second and third moments, the whitening, and bounds.

bounds_of <- function(task) moment_bounds(ncol(task$documents$counts), task$alpha0)

# A second moment with noise, as list(value =, matrix =, sigma =, size =, spent =): packed by its norm,
# `size` what the largest eigenvalue of the noise is about. Of no noise there is no value.
release_pairs <- function(task, alpha0, edge, quantity, sensitivity, mu) {
  if (mu == Inf) {
    return(list(matrix = second_matrix(task$documents, alpha0), size = 0))
  }
  n <- nrow(task$documents$counts)
  check_pairs_memory(n, task$call)
  x <- packed_second(task$documents, alpha0)
  laplace <- task$noise == "laplace"
  if (laplace) x <- x / pair_scales(n)
  released <- release_numbers(x, edge, quantity, sensitivity, mu, task)
  value <- if (laplace) released$value * pair_scales(n) else released$value
  # 2 sqrt(n) times the standard deviation off the diagonal
  size <- released$sigma * sqrt(2 * n) * if (laplace) 2 else 1
  list(value = value, matrix = packed_matrix(value, n), size = size, spent = released$spent)
}

release_m2 <- function(task, mu, edge, sensitivity = NULL) {
  bounds <- bounds_of(task)
  if (is.null(sensitivity)) sensitivity <- if (task$noise == "laplace") bounds$M2_unique else bounds$M2
  release_pairs(task, task$alpha0, edge, "M2", sensitivity, mu)
}

# The packed moment, and that with its noise.
check_pairs_memory <- function(n, call, free = memory_free()) {
  needed <- 8 * n * (n + 1)
  if (!is_affordable(needed, free)) {
    ldp_abort(
      "The noised moment would take {format_bytes(needed)} of memory, and {format_bytes(free)} are free.",
      class = "ldpcounts_memory_error", call = call
    )
  }
}

# Eigenvalues that noise has made too small, or negative, are taken for a quarter of what its own are.
whiten <- function(M2, task) {
  found <- top_eigen(M2$matrix, task$k, task$call)
  if (M2$size == 0 && found$values[task$k] <= 0) {
    ldp_abort(c(
      "{.arg counts} must have at least {task$k} topics.",
      x = "Not so many eigenvalues of their second moment are positive.",
      i = "A smaller {.arg k}, or more documents."
    ), class = "ldpcounts_argument_error", call = task$call)
  }
  w <- whitening(found, M2$size / 4)
  w$weak <- found$values[task$k] < M2$size
  w
}

# T, packed, with noise. `whole`: "M3" has the noise of all of it, as T sees it; that is noise on M3(U, U, U)
# with the eigenvectors U, as W = U s^(-1/2). "T" and "E3" have it, or noise of the same size in all numbers,
# whichever adds up to less; what decides is W, which is known. Entries of T are scaled so that the sum of
# their squares is that of all k^3.
release_third <- function(x, w, mu, task, whole) {
  edge <- if (whole == "M3") "e3" else "e6"
  bounds <- bounds_of(task)
  if (mu == Inf) {
    return(list(value = x))
  }
  if (task$noise == "laplace") {
    return(release_third_laplace(x, w, mu, task, bounds$M3_unique))
  }
  places <- triples_of(task$k)
  scales <- sqrt(triple_counts(places))
  seen <- (if (whole == "E3") bounds$E3_seen else bounds$M3_seen) * longest_row(w$W)^3
  all <- if (whole == "E3") bounds$raw else bounds$M3
  shaped <- whole == "M3" || all^2 * sum(1 / w$s)^3 < seen^2 * task$k^3
  if (shaped) scales <- scales * triple_cube(sqrt(w$s), places)
  quantity <- paste0(whole, if (whole != "M3") if (shaped) "(U, U, U)" else "(W, W, W)")
  released <- release_numbers(x * scales, edge, quantity, if (shaped) all else seen, mu, task)
  list(value = released$value / scales, spent = released$spent)
}

# Each entry of M3 has its noise, one after the other.
release_third_laplace <- function(x, w, mu, task, sensitivity) {
  scale <- sensitivity / mu
  value <- as_release_error(
    .Call(C_rc_perturb_whitened, x, t(w$W), scale, task$noise, task$rng), task$call
  )
  list(value = value, spent = ledger_row("e3", "M3", sensitivity, mu, scale, task$noise))
}

# A number that is below x with probability 1 - delta (above it, where `sign` is -1), by Laplace noise.
bounded_below <- function(x, edge, quantity, sensitivity, epsilon, delta, task, sign = 1) {
  laplace <- list(noise = "laplace", rng = task$rng, call = task$call)
  released <- release_numbers(x, edge, quantity, sensitivity, epsilon, laplace)
  released$value <- released$value - sign * released$sigma * log(1 / (2 * delta))
  released
}
