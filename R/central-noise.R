# Noise for statistics that are real numbers (src/ldp_perturb.h), and the ledger of what it costs.

# Numbers `x` of this sensitivity, released with noise that spends `mu` (R/central-budget.R; of Laplace noise
# mu is the epsilon), as list(value =, sigma =, spent =), the last a row of a ledger. The sensitivity is
# Euclidean, of Laplace noise that of the sum of absolute values. `mechanism`: list(noise =, rng =, call =).
release_numbers <- function(x, edge, quantity, sensitivity, mu, mechanism) {
  if (mu == Inf) {
    return(list(value = x, sigma = 0, spent = NULL))
  }
  sigma <- noise_scale(sensitivity, mu, length(x), mechanism)
  list(
    value = perturbed(x, sigma, mechanism), sigma = sigma,
    spent = ledger_row(edge, quantity, mu * sigma, mu, sigma, mechanism$noise)
  )
}

ledger_row <- function(edge, quantity, sensitivity, mu, sigma, noise) {
  list(
    edge = edge, quantity = quantity, sensitivity = sensitivity, mu = mu, sigma = sigma, noise = noise
  )
}

# A data frame of rows, of which some may be NULL.
as_ledger <- function(rows) {
  columns <- ledger_row(character(), character(), numeric(), numeric(), numeric(), character())
  do.call(rbind, lapply(c(list(columns), Filter(Negate(is.null), rows)), as.data.frame))
}

# sigma / DISCRETE_STEPS is the distance of the grid of discrete noise. On it two neighbours are up to one
# step further apart in each number, by rounding; another step allows for the arithmetic that made x.
DISCRETE_STEPS <- 2^20

noise_scale <- function(sensitivity, mu, n, mechanism) {
  rounding <- if (mechanism$noise == "discrete") 2 * sqrt(n) / DISCRETE_STEPS else 0
  if (mu <= rounding) {
    ldp_abort(c(
      "{.arg epsilon} is too small for discrete noise of {format_number(n)} numbers.",
      i = "Their rounding alone spends more."
    ), class = "ldpcounts_argument_error", call = mechanism$call)
  }
  sensitivity / (mu - rounding)
}

perturbed <- function(x, scale, mechanism) {
  as_release_error(
    .Call(C_rc_perturb, as.double(x), as.double(scale), mechanism$noise, mechanism$rng), mechanism$call
  )
}
