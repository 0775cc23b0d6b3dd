# What Gaussian noise costs under central differential privacy, and how one budget is shared out.
#
# A release of a statistic of Euclidean sensitivity D with noise of standard deviation sigma is mu-GDP, with
# mu = D/sigma (Dong, Roth and Su 2022). Releases j with mu_j fixed beforehand compose exactly, even when
# each is chosen by what the earlier ones gave: mu^2 = sum_j mu_j^2. mu-GDP is (epsilon, delta)-DP with
#
#   delta = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2)          (Balle and Wang 2018)
#
# and for no smaller delta.

gaussian_delta <- function(epsilon, mu) {
  far <- epsilon + stats::pnorm(-epsilon / mu - mu / 2, log.p = TRUE)
  stats::pnorm(-epsilon / mu + mu / 2) - exp(far)
}

# The largest mu that is (epsilon, delta)-DP; delta rises with mu.
#
#   analytic   exactly that mu
#   classical  by Dwork and Roth (2014), theorem A.1, for epsilon below 1
#   zcdp       by concentrated differential privacy, rho = mu^2/2 (Bun and Steinke 2016, proposition 1.3),
#              which holds for discrete Gaussian noise too
gaussian_mu <- function(epsilon, delta, calibration = "analytic") {
  switch(calibration,
    analytic = {
      excess <- function(log_mu) log(gaussian_delta(epsilon, exp(log_mu))) - log(delta)
      # below: noise that no delta above 1e-300 needs; above: no noise to speak of
      exp(stats::uniroot(excess, log(c(epsilon / 40, 100)), tol = 1e-13, extendInt = "upX")$root)
    },
    classical = epsilon / sqrt(2 * log(1.25 / delta)),
    zcdp = sqrt(2) * epsilon / (sqrt(epsilon + log(1 / delta)) + sqrt(log(1 / delta)))
  )
}

# The mu of each of several releases that together are (epsilon, delta)-DP, in shares `weights`, which sum
# to 1: of mu^2 ("gdp"), or of epsilon and of delta, which add up ("basic").
share_budget <- function(epsilon, delta, weights, calibration = "analytic", composition = "gdp") {
  if (epsilon == Inf) {
    return(0 * weights + Inf)
  }
  if (composition == "gdp") {
    return(gaussian_mu(epsilon, delta, calibration) * sqrt(weights))
  }
  vapply(weights, function(share) gaussian_mu(share * epsilon, share * delta, calibration), 0)
}
