# A user's own model under private_gibbs(): coefficients of a Poisson regression from their prior, a
# release with an alpha per row and a masked row, and ranks. Extended: a minute.

test_that("a private Poisson regression is calibrated", {
  extended_only()
  set.seed(236)
  n <- 12
  x <- seq(-1, 1, length.out = n)
  alpha <- rep(c(0.3, 0.6, 0.8), n / 3)
  step <- regression_step(x, width = 1)
  draws <- 39
  thin <- 10
  ranks <- t(replicate(800, {
    beta <- stats::rnorm(2)
    mu <- exp(beta[1] + beta[2] * x)
    y_tilde <- stats::rpois(n, mu) + stats::rgeom(n, 1 - alpha) - stats::rgeom(n, 1 - alpha)
    y_tilde[5] <- NA
    fit <- private_gibbs(private_counts(cbind(y_tilde), alpha = alpha), step,
      list(state = c(0, 0), mu = rep(1, n)), iter = (draws + 8) * thin, warmup = 8 * thin, thin = thin
    )
    quantities <- function(beta) {
      mu <- exp(beta[1] + beta[2] * x)
      c(beta, sum(mu), mu[5], sum(dprivpois(y_tilde, mu, alpha, log = TRUE), na.rm = TRUE))
    }
    true_value <- quantities(beta)
    rowSums(apply(as.matrix(fit), 1, quantities) < true_value)
  }))
  expect_uniform_ranks(ranks, 8)
})
