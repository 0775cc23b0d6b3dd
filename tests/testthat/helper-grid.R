# The posterior mean of mu_dv = theta_d phi_v (K = 1, two documents) by integration on a grid of
# log theta, with the words integrated one by one: the plain-R truth for both samplers.
grid_posterior <- function(y_tilde, alpha, prior) {
  log_grid <- seq(-14, 5, length.out = 160)
  step <- log_grid[2] - log_grid[1]
  log_prior <- stats::dgamma(exp(log_grid), prior$shape, prior$rate, log = TRUE) + log_grid
  phi_grid <- seq(-18, 6, length.out = 400)
  phi_prior <- stats::dgamma(exp(phi_grid), prior$shape, prior$rate, log = TRUE) + phi_grid
  # for each word and theta pair: the integral of 1 and of phi over phi
  n <- length(log_grid)
  log_total <- outer(log_prior, log_prior, `+`)
  phi_mean <- vector("list", ncol(y_tilde))
  for (v in seq_len(ncol(y_tilde))) {
    density <- lapply(1:2, function(d) {
      log_mu <- outer(log_grid, phi_grid, `+`)
      if (is.na(y_tilde[d, v])) {
        return(1 + 0 * log_mu)
      }
      value <- dprivpois(y_tilde[d, v], exp(log_mu), alpha[d])
      matrix(value, n)
    })
    weight <- exp(phi_prior)
    mass <- density[[1]] %*% (weight * t(density[[2]]))
    first <- density[[1]] %*% (weight * exp(phi_grid) * t(density[[2]]))
    phi_mean[[v]] <- first / mass
    log_total <- log_total + log(mass)
  }
  weight <- exp(log_total - max(log_total))
  weight <- weight / sum(weight)
  theta <- exp(log_grid)
  vapply(phi_mean, function(mean) {
    c(sum(weight * mean * theta), sum(weight * t(t(mean) * theta)))
  }, c(0, 0))
}

# Posterior means of mu within Monte Carlo error of what integration gives, and that within 2 %.
expect_grid_posterior <- function(fit, truth) {
  raw <- as.matrix(fit) # K = 1: theta[1,1], theta[2,1], phi[1,1], ...
  draws <- do.call(cbind, lapply(seq_len(ncol(truth)), function(v) raw[, 1:2] * raw[, 2 + v]))
  error <- apply(draws, 2, posterior::mcse_mean)
  testthat::expect_lt(max(abs(colMeans(draws) - truth) / error), normal_bound(length(truth)))
  testthat::expect_lt(max(abs(colMeans(draws) / as.vector(truth) - 1)), 0.02)
}
