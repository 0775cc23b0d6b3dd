# Log densities of released counts as regressions need them: derivatives with respect to the mean `mu` of the
# true count and to `theta`, the log of `excess` = dispersion - 1. Poisson counts have an `excess` of 0.

# As in ldp_derivative (src/ldp_derivatives.h): the first two, six or eleven are those of level 0, 1 and 2.
DERIVATIVES <- c(
  "mu", "mu2", "theta", "mu_theta", "mu3", "mu2_theta", "mu4", "theta2", "mu_theta2", "mu2_theta2",
  "mu3_theta"
)

# The power of mu by which src/ldp_derivatives.c multiplies each of them.
POWERS <- c(1, 2, 0, 1, 3, 2, 4, 0, 1, 2, 3)

# A list of vectors, one element per cell; those by mu are multiplied by the power of mu that is their order.
scaled_derivatives <- function(y_tilde, mu, excess, alpha, level) {
  d <- .Call(C_rc_derivatives, as.double(y_tilde), as.double(mu), excess, alpha, as.integer(level), n_threads())
  stats::setNames(d, DERIVATIVES[seq_along(d)])
}

# The largest log density of each released count over all means.
saturated_density <- function(y_tilde, excess, alpha) {
  .Call(C_rc_saturated, as.double(y_tilde), excess, alpha, n_threads())
}

# The Fisher information of each cell about log(mu). If many cells have the same noise level, it is computed
# for some means and interpolated; its relative error is then below 1e-3.
fisher_information <- function(mu, excess, alpha) {
  exact <- function(mu, alpha) .Call(C_rc_information, as.double(mu), excess, alpha, n_threads())
  if (length(alpha) == 1) {
    return(interpolate_information(mu, function(mu) exact(mu, alpha)))
  }
  levels <- unique(alpha)
  if (length(levels) > length(mu) / 200) {
    return(exact(mu, alpha))
  }
  value <- numeric(length(mu))
  for (level in levels) {
    rows <- which(alpha == level)
    value[rows] <- interpolate_information(mu[rows], function(mu) exact(mu, level))
  }
  value
}

# Natural logarithms of means in the table are this far apart.
TABLE_STEP <- 0.1

interpolate_information <- function(mu, exact) {
  inside <- is.finite(mu) & mu > 0
  if (!all(inside)) {
    value <- rep(NaN, length(mu))
    if (any(inside)) value[inside] <- interpolate_information(mu[inside], exact)
    return(value)
  }
  eta <- log(mu)
  ends <- range(eta)
  n_means <- ceiling(diff(ends) / TABLE_STEP) + 3
  if (n_means > length(mu) / 4) {
    return(exact(mu))
  }
  at <- ends[1] + TABLE_STEP * (seq_len(n_means) - 2) # from below the least to above the largest
  exp(stats::splinefun(at, log(exact(exp(at))))(eta))
}
