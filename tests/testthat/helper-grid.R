# The model mu_dv = theta_d phi_v (K = 1, two documents) by integration on a grid of log theta, with
# the words integrated one by one: the plain-R truth for both samplers. A list of theta on the grid,
# the log density of a release and a pair of them, but for a constant of the shape of the data, and the
# mean of each phi_v given both.
grid_laws <- function(y_tilde, alpha, prior) {
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
  list(theta = exp(log_grid), log_total = log_total, phi_mean = phi_mean)
}

# The posterior mean of mu.
grid_posterior <- function(y_tilde, alpha, prior) {
  laws <- grid_laws(y_tilde, alpha, prior)
  weight <- exp(laws$log_total - max(laws$log_total))
  weight <- weight / sum(weight)
  vapply(laws$phi_mean, function(mean) {
    c(sum(weight * mean * laws$theta), sum(weight * t(t(mean) * laws$theta)))
  }, c(0, 0))
}

# The log density of the release, but for a constant of the shape of the data.
log_evidence <- function(y_tilde, alpha, prior) {
  log_total <- grid_laws(y_tilde, alpha, prior)$log_total
  max(log_total) + log(sum(exp(log_total - max(log_total))))
}

# Posterior means of mu within Monte Carlo error of what integration gives, and that below 1 %.
expect_grid_posterior <- function(fit, truth) {
  raw <- as.matrix(fit) # K = 1: theta[1,1], theta[2,1], phi[1,1], ...
  draws <- do.call(cbind, lapply(seq_len(ncol(truth)), function(v) raw[, 1:2] * raw[, 2 + v]))
  error <- apply(draws, 2, posterior::mcse_mean)
  testthat::expect_lt(max(abs(colMeans(draws) - truth) / error), normal_bound(length(truth)))
  testthat::expect_lt(max(error / as.vector(truth)), 0.01)
}
