# Central differential privacy: the checks of epsilon and delta, the cost of Gaussian noise, how one budget is
# shared out, and noise for statistics that are real numbers (src/ldp_perturb.h), with a ledger of what it
# costs.
#
# Gaussian differential privacy has a parameter that the literature calls mu; here it is `gdp_mu`, or `budget`
# (and the column `mu` of a ledger). A release of a statistic of Euclidean sensitivity D with noise of
# standard deviation sigma is gdp_mu-GDP with gdp_mu = D/sigma (Dong, Roth and Su 2022). Releases whose
# gdp_mu_j are fixed beforehand compose exactly, even if each release depends on the earlier ones: gdp_mu^2 =
# sum_j gdp_mu_j^2. This is (epsilon, delta)-DP with
#
#   delta = Phi(-epsilon/gdp_mu + gdp_mu/2) - exp(epsilon) Phi(-epsilon/gdp_mu - gdp_mu/2)
#
# and with no smaller delta (Balle and Wang 2018).

gaussian_delta <- function(epsilon, gdp_mu) {
  far <- epsilon + stats::pnorm(-epsilon / gdp_mu - gdp_mu / 2, log.p = TRUE)
  stats::pnorm(-epsilon / gdp_mu + gdp_mu / 2) - exp(far)
}

# The largest gdp_mu that is (epsilon, delta)-DP; delta increases with gdp_mu. For discrete Gaussian noise, by
# concentrated differential privacy, rho = gdp_mu^2/2 (Bun and Steinke 2016, proposition 1.3); otherwise
# exactly.
largest_gdp_mu <- function(epsilon, delta, noise = "gaussian") {
  if (noise == "discrete") {
    return(sqrt(2) * epsilon / (sqrt(epsilon + log(1 / delta)) + sqrt(log(1 / delta))))
  }
  too_much <- function(log_mu) log(max(gaussian_delta(epsilon, exp(log_mu)), 1e-320)) - log(delta)
  # lower end: more noise than any delta above 1e-300 needs; upper end: nearly no noise
  exp(stats::uniroot(too_much, log(c(epsilon / 40, 100)), tol = 1e-13, extendInt = "upX")$root)
}

# The gdp_mu of each of several releases that together are (epsilon, delta)-DP. `weights` are their shares of
# gdp_mu^2, which sum to 1.
share_budget <- function(epsilon, delta, weights, noise = "gaussian") {
  sqrt(weights) * if (epsilon == Inf) Inf else largest_gdp_mu(epsilon, delta, noise)
}

# --- arguments ------------------------------------------------------------------------------------

# With a smaller epsilon than 1e-50 the noise overflows; with a larger one than 1e15 it is lost in rounding.
check_total_epsilon <- function(x, call = rlang::caller_env()) {
  ok <- is.numeric(x) && is_one(x) && !is.na(x) && x >= 1e-50 && (x <= 1e15 || x == Inf)
  if (!ok) abort_argument(x, "epsilon", "one number from 1e-50 to 1e+15 or Inf", call)
  as.double(x)
}

# Products of three numbers of at most 1e100 are finite.
check_concentration <- function(x, call = rlang::caller_env()) {
  check_number(x, "alpha0", function(x) x > 0 && x <= 1e100, "one positive number, at most 1e+100", call)
}

# Numbers below 1e-300, and shares of them, are below the range of doubles.
check_delta <- function(x, call = rlang::caller_env()) {
  ok <- function(x) x == 0 || (x >= 1e-300 && x < 1)
  check_number(x, "delta", ok, "one number in [0, 1), 0 or at least 1e-300", call)
}

check_budget <- function(epsilon, delta, call = rlang::caller_env()) {
  epsilon <- check_total_epsilon(epsilon, call)
  delta <- check_delta(delta, call)
  gaussian <- "{.arg delta} must be above 0 for a finite {.arg epsilon}: with Gaussian noise, delta cannot be 0."
  check_that(epsilon == Inf || delta > 0, gaussian, call)
}

# --- noise ----------------------------------------------------------------------------------------

# Releases the numbers `x` with noise that spends `budget`, as list(value =, sigma =, cost =), where `cost` is
# a row of a ledger. The sensitivity is in the Euclidean norm. `mechanism`: list(noise =, rng =, call =).
release_numbers <- function(x, edge, quantity, sensitivity, budget, mechanism) {
  if (budget == Inf) {
    return(list(value = x, sigma = 0))
  }
  sigma <- noise_scale(sensitivity, budget, length(x), mechanism)
  cost <- ledger_row(edge, quantity, budget * sigma, budget, sigma, mechanism$noise)
  list(value = perturbed(x, sigma, mechanism), sigma = sigma, cost = cost)
}

ledger_row <- function(edge = character(), quantity = character(), sensitivity = numeric(), mu = numeric(),
                       sigma = numeric(), noise = character()) {
  data.frame(edge, quantity, sensitivity, mu, sigma, noise)
}

# The rows of a ledger may be NULL, or none.
as_ledger <- function(rows) do.call(rbind, c(list(ledger_row()), rows))

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
