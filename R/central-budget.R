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
      excess <- function(log_mu) log(max(gaussian_delta(epsilon, exp(log_mu)), 1e-320)) - log(delta)
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

# --- random batches -------------------------------------------------------------------------------

# Each of J releases takes every record with probability `rate`, independently, and adds noise of standard
# deviation z times what one record can add. Records are added or removed, not replaced. The Renyi
# divergence of integer order a is at most J times
#
#   log( sum_j binom(a, j) (1 - rate)^(a - j) rate^j exp(j (j - 1)/(2 z^2)) ) / (a - 1)
#
# (Mironov, Talwar and Zhang 2019, section 3.3) and turns into (epsilon, delta) by
#
#   simple    epsilon = R + log(1/delta)/(a - 1)                                     (Mironov 2017, prop. 3)
#   improved  epsilon = R + log((a - 1)/a) - (log(delta) + log(a))/(a - 1)
#             (Canonne, Kamath and Steinke 2020, prop. 12)
#
# of which the order with the least epsilon is taken.
ORDERS <- round(c(2:64, 64 * 2^(1:32 / 4)))

sampled_divergence <- function(order, rate, z) {
  j <- 0:order
  terms <- lchoose(order, j) + log_power(1 - rate, order - j) + log_power(rate, j) + j * (j - 1) / (2 * z^2)
  most <- max(terms)
  (most + log(sum(exp(terms - most)))) / (order - 1)
}

# log(x^n), with 0^0 = 1
log_power <- function(x, n) ifelse(n == 0, 0, n * log(x))

# of each order
sampled_price <- function(delta, conversion) {
  switch(conversion,
    simple = -log(delta) / (ORDERS - 1),
    improved = log1p(-1 / ORDERS) - (log(delta) + log(ORDERS)) / (ORDERS - 1)
  )
}

sampled_epsilon <- function(rate, z, iter, delta, conversion = "improved") {
  divergence <- iter * vapply(ORDERS, sampled_divergence, 0, rate, z)
  max(0, min(divergence + sampled_price(delta, conversion)))
}

# The least z that is (epsilon, delta)-DP; Inf where no noise is enough for these orders.
sampled_noise <- function(epsilon, delta, rate, iter, conversion = "improved") {
  if (epsilon == Inf) {
    return(0)
  }
  if (min(sampled_price(delta, conversion)) >= epsilon) {
    return(Inf)
  }
  excess <- function(log_z) sampled_epsilon(rate, exp(log_z), iter, delta, conversion) - epsilon
  root <- stats::uniroot(excess, log(c(0.1, 1e4)), tol = 1e-10, extendInt = "downX")$root
  exp(root + 1e-9) # on the side of more noise
}
