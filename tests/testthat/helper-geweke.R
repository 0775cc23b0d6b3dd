# Joint distribution test (Geweke 2004, Getting it right, JASA 99): alternate a sweep of the
# sampler with a fresh draw of the data given the factors. If both are right, the factors go on
# having their prior distribution, whose moments are known; a wrong kernel moves them.

geweke_z <- function(model, dim, k, alpha, missing, augmentation, sweeps, priors, family) {
  bessel <- augmentation == "bessel"
  alpha <- rep_len(alpha, dim[1])
  truth <- prior_draw(model, dim, k, priors)
  factors <- lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, truth[[f]]))
  if (any(vapply(priors, has_random_rate, TRUE))) {
    factors$rate <- matrix(attr(truth, "rates"))
  }
  factors$excess <- prior_excess(family, dim[1])
  if (is_estimated(family)) priors$dispersion <- family$prior
  as_seen <- function(factors) {
    lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, factors[[f]]))
  }
  values_of <- function(factors) {
    p <- if (is_estimated(family)) list(1 - 1 / (1 + factors$excess))
    unlist(lapply(c(as_seen(factors), p), geweke_summary), use.names = FALSE)
  }
  values <- matrix(0, sweeps, length(values_of(factors)))
  for (i in seq_len(sweeps)) {
    mu <- matrix(model$mean(as_seen(factors)), dim[1]) # of a tensor its table
    data <- geweke_data(mu, alpha, missing, bessel, factors$excess)
    cells <- make_cells(data$y_tilde, alpha, bessel, model$network, model$by_columns)
    noise <- if (bessel) lapply(data$noise, geweke_at_cells, cells = cells)
    factors <- model$gibbs(cells, factors, noise, priors, 1L, integer(), FALSE, REFLECT)$factors
    values[i, ] <- values_of(factors)
  }
  expected <- unlist(lapply(priors, geweke_moments))
  error <- apply(values, 2, function(x) posterior::mcse_mean(matrix(x)))
  (colMeans(values) - expected) / error
}

# Factors from their prior, and the rates that they had.
prior_draw <- function(model, dim, k, priors) {
  rates <- vapply(priors, function(prior) {
    if (has_random_rate(prior)) stats::rgamma(1, prior$rate$shape, prior$rate$rate) else prior$rate
  }, 0)
  factors <- Map(
    function(shape, prior, rate) matrix(stats::rgamma(prod(shape), prior$shape, rate), shape[1]),
    model$factor_dim(dim, k), priors, rates
  )
  for (name in model$symmetric) {
    below <- lower.tri(factors[[name]])
    factors[[name]][below] <- t(factors[[name]])[below]
  }
  structure(factors, rates = rates)
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

geweke_moments <- function(prior) {
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

expect_joint_law <- function(model, dim, k, priors, alpha, missing, augmentation, seed,
                             sweeps = 2e5, family = poisson_family) {
  set.seed(seed)
  z <- geweke_z(model, dim, k, alpha, missing, augmentation, sweeps, priors, family)
  testthat::expect_lt(max(abs(z)), normal_bound(length(z)))
}

# A cell, and a whole row, of the table that data of these extents are.
some_missing <- function(dim) {
  missing <- matrix(FALSE, dim[1], prod(dim[-1]))
  missing[1, 2] <- missing[2, ] <- TRUE
  missing
}
