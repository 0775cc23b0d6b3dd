# Poisson regression on one covariate, log mu = b1 + b2 x, with N(0, 1) priors: a step for
# private_gibbs(), and the posterior given a release by integration.

# Coefficient by coefficient, a slice each (Neal 2003, by stepping out).
regression_step <- function(x, width = 0.5) {
  function(state, y) {
    seen <- as.vector(y)
    log_posterior <- function(beta) {
      eta <- beta[1] + beta[2] * x
      sum(seen * eta - exp(eta)) - sum(beta^2) / 2
    }
    for (j in 1:2) {
      at <- function(value) log_posterior(replace(state, j, value))
      height <- at(state[j]) - rexp(1)
      left <- state[j] - width * runif(1)
      right <- left + width
      while (at(left) > height) left <- left - width
      while (at(right) > height) right <- right + width
      repeat {
        value <- runif(1, left, right)
        if (at(value) >= height) break
        if (value < state[j]) left <- value else right <- value
      }
      state[j] <- value
    }
    list(state = state, mu = exp(state[1] + state[2] * x))
  }
}

# Means of b1, b2, b1^2, b2^2 and b1 b2.
regression_moments <- function(y_tilde, x, alpha, grid = seq(-3, 3, length.out = 241)) {
  b <- expand.grid(grid, grid)
  log_weight <- -(b[[1]]^2 + b[[2]]^2) / 2
  for (i in which(!is.na(y_tilde))) {
    mu <- exp(b[[1]] + b[[2]] * x[i])
    log_weight <- log_weight + dprivpois(y_tilde[i], mu, alpha[i], log = TRUE)
  }
  weight <- exp(log_weight - max(log_weight))
  colSums(weight * powers(as.matrix(b))) / sum(weight)
}

powers <- function(b) cbind(b, b^2, b[, 1] * b[, 2])
