# Joint distribution test (Geweke 2004, Getting it right, JASA 99): alternate a sweep of the
# sampler with a fresh draw of the data given the factors. If both are right, the factors go on
# having their prior distribution, whose moments are known; a wrong kernel moves them.

geweke_z <- function(model, dim, k, alpha, missing, scheme, sweeps, priors, family,
                     groups = NULL) {
  bessel <- scheme == "bessel"
  alpha <- rep_len(alpha, dim[1])
  truth <- prior_draw(model, dim, k, priors, groups)
  factors <- lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, truth[[f]]))
  factors$groups <- attr(truth, "relative")
  if (any(vapply(priors, has_random_rate, TRUE))) {
    factors$rate <- matrix(attr(truth, "rates"))
  }
  factors$excess <- prior_excess(family, dim[1])
  if (is_estimated(family)) priors$dispersion <- family$prior
  priors$groups <- groups
  as_seen <- function(factors) {
    lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, factors[[f]]))
  }
  values_of <- function(factors) {
    p <- if (is_estimated(family)) list(1 - 1 / (1 + factors$excess))
    relative <- if (!is.null(groups)) list(factors$groups)
    unlist(lapply(c(as_seen(factors), p, relative), geweke_summary), use.names = FALSE)
  }
  values <- matrix(0, sweeps, length(values_of(factors)))
  for (i in seq_len(sweeps)) {
    mu <- matrix(model$mean(as_seen(factors)), dim[1]) # of a tensor its table
    data <- geweke_data(mu, alpha, missing, bessel, factors$excess)
    cells <- make_cells(data$y_tilde, alpha, bessel, model$network, model$by_columns)
    noise <- if (bessel) lapply(data$noise, geweke_at_cells, cells = cells)
    factors <- one_chain(model, cells, factors, noise, priors, 1L)$factors
    values[i, ] <- values_of(factors)
  }
  expected <- lapply(priors, geweke_moments)
  if (!is.null(groups)) expected[[1]] <- geweke_of_groups(expected[[1]], groups)
  expected <- unlist(expected)
  error <- apply(values, 2, function(x) posterior::mcse_mean(matrix(x)))
  (colMeans(values) - expected) / error
}

# Factors from their prior, and the rates that they had, relative ones of groups included.
prior_draw <- function(model, dim, k, priors, groups = NULL) {
  rates <- vapply(priors, function(prior) {
    if (has_random_rate(prior)) stats::rgamma(1, prior$rate$shape, prior$rate$rate) else prior$rate
  }, 0)
  factors <- Map(
    function(shape, prior, rate) matrix(stats::rgamma(prod(shape), prior$shape, rate), shape[1]),
    model$factor_dim(dim, k), priors, rates
  )
  relative <- NULL
  if (!is.null(groups)) {
    n <- n_levels(groups)
    relative <- matrix(stats::rgamma(k * n, groups$shape, groups$shape), k, n)
    factors[[1]] <- factors[[1]] / t(relative_rates(relative, groups))
  }
  for (name in model$symmetric) {
    below <- lower.tri(factors[[name]])
    factors[[name]][below] <- t(factors[[name]])[below]
  }
  structure(factors, rates = rates, relative = relative)
}

# The relative rate of each component and row, in plain R.
relative_rates <- function(relative, groups) {
  rows <- lapply(seq_along(groups$levels), function(f) groups$level[f, groups$combination + 1L] + 1L)
  Reduce(`*`, lapply(rows, function(level) relative[, level, drop = FALSE]))
}

# dispersion - 1 from its prior, as samplers have it; NULL for Poisson counts.
prior_excess <- function(family, n_row) {
  n <- n_excess(family, n_row)
  if (n == 0) {
    return(NULL)
  }
  if (!is_estimated(family)) {
    return(matrix(start_excess(family, n)))
  }
  p <- stats::rbeta(n, family$prior$shape1, family$prior$shape2)
  matrix(p / (1 - p))
}

# Counts of so many Poisson events in the mean, each a count if there is no excess of dispersion.
counts_of_events <- function(lambda, excess) {
  y <- if (is.null(excess)) {
    stats::rpois(length(lambda), lambda)
  } else {
    excess <- rep_len(excess, nrow(lambda)) # of the row
    stats::rpois(length(lambda), stats::rgamma(length(lambda), lambda / log1p(excess), scale = excess))
  }
  matrix(y, nrow(lambda))
}

# A release of counts with these means; the two parts of its noise where they are wanted.
geweke_data <- function(mu, alpha, missing, bessel, excess = NULL) {
  n <- length(mu)
  mu[is.na(mu)] <- 0 # the diagonal of a network
  noise <- list(
    g1 = matrix(stats::rgeom(n, 1 - alpha), nrow(mu)),
    g2 = matrix(stats::rgeom(n, 1 - alpha), nrow(mu))
  )
  y_tilde <- counts_of_events(mu, excess) + noise$g1 - noise$g2
  y_tilde[missing] <- NA
  list(y_tilde = y_tilde, noise = noise)
}

# The entries of a matrix at the active cells, in the order of the cells.
geweke_at_cells <- function(x, cells) {
  row <- rep(seq_len(cells$dim[1]), diff(cells$active$start))
  as.double(x[cbind(row, cells$active$index + 1L)])
}

geweke_summary <- function(x) c(mean(x), mean(x^2), mean(log(x)), mean(x[1, ]))

# Moments of weights with groups: E[1/rho], E[1/rho^2] and E[log rho] once per factor of the rows.
geweke_of_groups <- function(expected, groups) {
  a <- groups$shape
  n <- length(groups$levels)
  by <- c(a / (a - 1), a^2 / ((a - 1) * (a - 2)), 1, a / (a - 1))^n
  expected * by - c(0, 0, n * (digamma(a) - log(a)), 0)
}

geweke_moments <- function(prior) {
  if (!is.null(prior$levels)) { # relative rates of groups
    return(geweke_moments(gamma_prior(prior$shape, prior$shape)))
  }
  if (inherits(prior, "beta_prior")) {
    a <- prior$shape1
    n <- a + prior$shape2
    return(c(a / n, a * (a + 1) / (n * (n + 1)), digamma(a) - digamma(n), a / n))
  }
  a <- prior$shape
  if (has_random_rate(prior)) {
    s <- prior$rate$shape # E[1/rate], E[1/rate^2], E[log rate] of a gamma distribution
    r <- prior$rate$rate
    return(c(
      a * r / (s - 1), a * (a + 1) * r^2 / ((s - 1) * (s - 2)), digamma(a) - digamma(s) + log(r),
      a * r / (s - 1)
    ))
  }
  b <- prior$rate
  c(a / b, a * (a + 1) / b^2, digamma(a) - log(b), a / b)
}

expect_joint_law <- function(model, dim, k, priors, alpha, missing, scheme, seed,
                             sweeps = 2e5, family = poisson_family, groups = NULL) {
  set.seed(seed)
  z <- geweke_z(model, dim, k, alpha, missing, scheme, sweeps, priors, family, groups)
  testthat::expect_lt(max(abs(z)), normal_bound(length(z)))
}

# A cell, and a whole row, of the table that data of these extents are.
some_missing <- function(dim) {
  missing <- matrix(FALSE, dim[1], prod(dim[-1]))
  missing[1, 2] <- missing[2, ] <- TRUE
  missing
}
