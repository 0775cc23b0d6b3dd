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
# for some means and interpolated; its relative error is then below 1e-3. `tables`: an environment that keeps
# what was computed for the present excess, since the iterations of a fit change the means only a little.
fisher_information <- function(mu, excess, alpha, tables = new.env()) {
  exact <- function(mu, alpha) .Call(C_rc_information, as.double(mu), excess, alpha, n_threads())
  levels <- unique(alpha)
  if (length(levels) > length(mu) / 20) {
    return(exact(mu, alpha))
  }
  if (!identical(tables$excess, excess)) {
    tables$excess <- excess
    tables$of_level <- list()
  }
  value <- rep(NaN, length(mu))
  inside <- is.finite(mu) & mu > 0
  for (level in levels) {
    rows <- which(inside & alpha == level)
    if (length(rows) == 0) next
    table <- tables$of_level[[as.character(level)]]
    if (!covers(table, log(mu[rows]))) table <- new_table(log(mu[rows]), function(mu) exact(mu, level))
    tables$of_level[[as.character(level)]] <- table
    value[rows] <- if (is.null(table)) exact(mu[rows], level) else exp(table$spline(log(mu[rows])))
  }
  value
}

# Natural logarithms of means in a table are this far apart.
TABLE_STEP <- 0.1

covers <- function(table, eta) !is.null(table) && min(eta) >= table$ends[1] && max(eta) <= table$ends[2]

# A spline of the log information; NULL where a table would have as many means as there are cells.
new_table <- function(eta, exact) {
  ends <- TABLE_STEP * (range(eta) %/% TABLE_STEP + c(-1, 2)) # from below the least to above the largest
  at <- seq(ends[1], ends[2], length.out = round(diff(ends) / TABLE_STEP) + 1)
  if (length(at) <= length(eta) / 2) {
    list(ends = ends, spline = stats::splinefun(at, log(exact(exp(at)))))
  }
}
