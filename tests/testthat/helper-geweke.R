# Joint distribution test (Geweke 2004, Getting it right, JASA 99): alternate a sweep of the
# sampler with a fresh draw of the data given the factors. If both are right, the factors go on
# having their prior distribution, whose moments are known; a wrong kernel moves them.

geweke_z <- function(model, dim, k, alpha, missing, scheme, sweeps, priors, family,
                     groups = NULL, mechanism = NULL) {
  bessel <- scheme == "bessel"
  alpha <- rep_len(alpha, dim[1])
  truth <- prior_draw(model, dim, k, priors, groups)
  factors <- lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, truth[[f]]))
  factors$groups <- attr(truth, "relative")
  estimated <- unique(unlist(lapply(priors, estimated_in)))
  random_shape <- vapply(priors, function(prior) "shape" %in% estimated_in(prior), TRUE)
  for (name in estimated) factors[[name]] <- matrix(attr(truth, paste0(name, "s")))
  if (is_by_column(family)) factors$pool <- prior_pool(family)
  factors$excess <- prior_excess(family, dim, factors$pool)
  if (is_estimated(family)) priors$dispersion <- family$prior
  priors$groups <- groups
  as_seen <- function(factors) {
    lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, factors[[f]]))
  }
  values_of <- function(factors) {
    p <- if (is_estimated(family)) list(1 - 1 / (1 + factors$excess))
    relative <- if (!is.null(groups)) list(factors$groups)
    shapes <- as.list(factors$shape[random_shape])
    of_columns <- if (is_by_column(family)) geweke_columns(p[[1]], factors$pool)
    if (!is.null(of_columns)) p <- NULL
    unlist(c(lapply(as_seen(factors), geweke_summary), of_columns, lapply(c(p, relative), geweke_summary), shapes),
      use.names = FALSE
    )
  }
  values <- matrix(0, sweeps, length(values_of(factors)))
  for (i in seq_len(sweeps)) {
    mu <- matrix(model$mean(as_seen(factors)), dim[1]) # of a tensor its table
    excess <- factors$excess
    if (is_by_column(family)) excess <- rep(excess, each = length(mu) / length(excess))
    data <- geweke_data(mu, alpha, missing, bessel, excess)
    cells <- if (is.null(mechanism)) {
      make_cells(data$y_tilde, alpha, scheme, model$network, model$by_columns)
    } else {
      geweke_protected(data$y_tilde, mechanism, model)
    }
    noise <- if (bessel) lapply(data$noise, geweke_at_cells, cells = cells)
    factors <- one_chain(model, cells, factors, noise, priors, 1L)$factors
    values[i, ] <- values_of(factors)
  }
  expected <- lapply(priors, geweke_moments)
  if (is_by_column(family)) expected$dispersion <- geweke_of_columns(family$prior)
  if (!is.null(groups)) expected[[1]] <- geweke_of_groups(expected[[1]], groups)
  shapes <- lapply(priors[model$factors][random_shape], `[[`, "shape")
  expected <- unlist(c(expected, lapply(shapes, function(prior) prior$shape / prior$rate)))
  error <- apply(values, 2, function(x) posterior::mcse_mean(matrix(x)))
  (colMeans(values) - expected) / error
}

# Factors from their prior, and the rates that they had, relative ones of groups included.
prior_draw <- function(model, dim, k, priors, groups = NULL) {
  draw_hyper <- function(x) if (is.numeric(x)) x else stats::rgamma(1, x$shape, x$rate)
  rates <- vapply(priors, function(prior) draw_hyper(prior$rate), 0)
  shapes <- vapply(priors, function(prior) draw_hyper(prior$shape), 0)
  factors <- Map(
    function(extent, shape, rate) matrix(stats::rgamma(prod(extent), shape, rate), extent[1]),
    model$factor_dim(dim, k), shapes, rates
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
  structure(factors, rates = rates, shapes = shapes, relative = relative)
}

# The relative rate of each component and row, in plain R.
relative_rates <- function(relative, groups) {
  rows <- lapply(seq_along(groups$levels), function(f) groups$level[f, groups$combination + 1L] + 1L)
  Reduce(`*`, lapply(rows, function(level) relative[, level, drop = FALSE]))
}

# The shapes of the prior of dispersions of columns, from their own prior.
prior_pool <- function(family) {
  m <- stats::rbeta(1, family$prior$shape1, family$prior$shape2)
  matrix(c(m, 1 - m) / stats::runif(1))
}

# dispersion - 1 from its prior, as samplers have it; NULL for Poisson counts.
prior_excess <- function(family, dim, pool = NULL) {
  n <- n_excess(family, dim)
  if (n == 0) {
    return(NULL)
  }
  if (!is_estimated(family)) {
    return(matrix(start_excess(family, n)))
  }
  shapes <- if (is.null(pool)) c(family$prior$shape1, family$prior$shape2) else pool
  p <- stats::rbeta(n, shapes[1], shapes[2])
  matrix(p / (1 - p))
}

# Counts of so many Poisson events in the mean, each a count if there is no excess of dispersion.
counts_of_events <- function(lambda, excess) {
  y <- if (is.null(excess)) {
    stats::rpois(length(lambda), lambda)
  } else {
    if (length(excess) < length(lambda)) excess <- rep_len(excess, nrow(lambda)) # of the row
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

# Counts without noise (alpha is 0), released by another mechanism.
geweke_protected <- function(y, mechanism, model) {
  released <- matrix(draw_release(mechanism, as.vector(y)), nrow(y))
  input <- new_input(released, dim(y), rep(NA_real_, nrow(y)), TRUE, FALSE, mechanism)
  protected_cells(input, model$network, model$by_columns)
}

geweke_summary <- function(x) c(mean(x), mean(x^2), mean(log(x)), mean(x[1, ]))

# Of p = 1 - 1/dispersion of columns, and of m and u = 1/v, where p has the distribution Beta(m v, (1 - m) v); and
# their moments: given m and u, E[p] = m and E[p^2] = m (m + u)/(1 + u).
geweke_columns <- function(p, pool) {
  u <- 1 / sum(pool)
  m <- pool[1] * u
  c(mean(p), mean(p^2), p[1] * p[2], p[1] * u, m, m^2, u, u^2)
}

geweke_of_columns <- function(prior) {
  n <- prior$shape1 + prior$shape2
  m <- prior$shape1 / n
  square <- m * (prior$shape1 + 1) / (n + 1)
  c(m, square * log(2) + m * (1 - log(2)), square, m / 2, m, square, 1 / 2, 1 / 3)
}

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
  a <- geweke_of_shape(prior$shape)
  b <- geweke_of_rate(prior$rate)
  c(a[1] * b[1], a[2] * b[2], a[3] + b[3], a[1] * b[1])
}

# E[a], E[a (a + 1)], E[digamma(a)] of a shape.
geweke_of_shape <- function(a) {
  if (is.numeric(a)) {
    return(c(a, a * (a + 1), digamma(a)))
  }
  mean <- a$shape / a$rate
  logs <- stats::integrate(function(x) digamma(x) * stats::dgamma(x, a$shape, a$rate), 0, Inf, rel.tol = 1e-10)$value
  c(mean, mean^2 + mean / a$rate + mean, logs)
}

# E[1/b], E[1/b^2], E[-log(b)] of a rate.
geweke_of_rate <- function(b) {
  if (is.numeric(b)) {
    return(c(1 / b, 1 / b^2, -log(b)))
  }
  s <- b$shape
  r <- b$rate
  c(r / (s - 1), r^2 / ((s - 1) * (s - 2)), log(r) - digamma(s))
}

expect_joint_law <- function(model, dim, k, priors, alpha, missing, scheme, seed,
                             sweeps = 2e5, family = poisson_family, groups = NULL, mechanism = NULL) {
  set.seed(seed)
  z <- geweke_z(model, dim, k, alpha, missing, scheme, sweeps, priors, family, groups, mechanism)
  testthat::expect_lt(max(abs(z)), normal_bound(length(z)))
}

# A cell, and a whole row, of the table that data of these extents are.
some_missing <- function(dim) {
  missing <- matrix(FALSE, dim[1], prod(dim[-1]))
  missing[1, 2] <- missing[2, ] <- TRUE
  missing
}
