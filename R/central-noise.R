# Noise for statistics that are real numbers (src/ldp_perturb.h), and the ledger of what it costs.

# Releases the numbers `x` with noise that spends `budget` (see central-budget.R), as list(value =, sigma =,
# spent =), where `spent` is a row of a ledger. The sensitivity is in the Euclidean norm; for Laplace noise,
# in the sum of absolute values. `mechanism`: list(noise =, rng =, call =).
release_numbers <- function(x, edge, quantity, sensitivity, budget, mechanism) {
  if (budget == Inf) {
    return(list(value = x, sigma = 0, spent = NULL))
  }
  sigma <- noise_scale(sensitivity, budget, length(x), mechanism)
  list(
    value = perturbed(x, sigma, mechanism), sigma = sigma,
    spent = ledger_row(edge, quantity, budget * sigma, budget, sigma, mechanism$noise)
  )
}

ledger_row <- function(edge, quantity, sensitivity, mu, sigma, noise) {
  list(edge = edge, quantity = quantity, sensitivity = sensitivity, mu = mu, sigma = sigma, noise = noise)
}

# A data frame of rows, of which some may be NULL.
as_ledger <- function(rows) {
  columns <- ledger_row(character(), character(), numeric(), numeric(), numeric(), character())
  do.call(rbind, lapply(c(list(columns), Filter(Negate(is.null), rows)), as.data.frame))
}

# Discrete noise is on a grid of sigma / DISCRETE_STEPS. Rounding to the grid moves two neighbouring data sets
# apart by up to one more step in each number; another step allows for rounding errors in x.
DISCRETE_STEPS <- 2^20

noise_scale <- function(sensitivity, budget, n, mechanism) {
  rounding <- if (mechanism$noise == "discrete") 2 * sqrt(n) / DISCRETE_STEPS else 0
  check_that(budget > rounding, c(
    "{.arg epsilon} is too small for discrete noise of {format_number(n)} numbers.",
    i = "Rounding to the grid of discrete noise alone would need a larger epsilon."
  ), mechanism$call)
  sensitivity / (budget - rounding)
}

perturbed <- function(x, scale, mechanism) {
  as_release_error(
    .Call(C_rc_perturb, as.double(x), as.double(scale), mechanism$noise, mechanism$rng), mechanism$call
  )
}
