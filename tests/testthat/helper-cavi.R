# The bound of variational inference in plain R, from its formulas: every cell on its own, every sum
# over true counts by brute force. The truth for the kernels, which share nothing with it.

# E and G of gamma distributions.
plain_mean <- function(law) law$shape / law$rate
plain_geo <- function(law) exp(digamma(law$shape)) / law$rate

# KL(Gamma(a, b) || Gamma(a0, b0)); `log_b0`: E log b0 where the rate is random, b0 then its mean.
plain_kl <- function(a, b, a0, b0, log_b0 = log(b0)) {
  sum((a - a0) * digamma(a) - lgamma(a) + lgamma(a0) + a0 * (log(b) - log_b0) + a * (b0 - b) / b)
}

log_sum_exp <- function(x) max(x) + log(sum(exp(x - max(x))))

# log sum_y (s)_y/y! x^y alpha^|k - y|, and with s = r/x the limit x -> 0, sum_y r^y/y! alpha^|k - y|.
plain_log_z <- function(k, r, alpha, s = NULL, x = NULL, most = 3000) {
  y <- 0:most
  noise <- if (alpha > 0) abs(k - y) * log(alpha) else ifelse(y == k, 0, -Inf)
  counts <- if (is.null(s)) y * log(r) else lgamma(s + y) - lgamma(s) + y * log(x)
  log_sum_exp(counts - lgamma(y + 1) + noise)
}

# What q says of the dispersion: E log p, E log q, E G(alpha) and KL(q || prior).
plain_dispersion <- function(law, column, prior) {
  t <- law$points[, column]
  w <- law$weights[, column]
  p <- stats::plogis(t)
  q <- -stats::plogis(t, lower.tail = FALSE, log.p = TRUE)
  list(
    log_p = sum(w * stats::plogis(t, log.p = TRUE)), log_q = sum(w * log(q)),
    pgf = function(alpha) sum(w * -log1p(-alpha * p) / q),
    kl = if (is.null(prior)) {
      0
    } else {
      log_prior <- prior$shape1 * stats::plogis(t, log.p = TRUE) - prior$shape2 * q -
        lbeta(prior$shape1, prior$shape2)
      used <- w > 0
      sum((w * (log(w) - log(t[2] - t[1]) - log_prior))[used])
    }
  )
}

# One cell, collapsed; `mu` is E of its mean.
plain_cell <- function(k, r, mu, alpha, clamped, dispersion = NULL) {
  pgf <- if (is.null(dispersion)) alpha else dispersion$pgf(alpha)
  log_scale <- log(1 - alpha) - log(1 + alpha)
  if (k > 0) {
    log_z <- if (is.null(dispersion)) {
      plain_log_z(k, r, alpha)
    } else {
      plain_log_z(k, r, alpha, r * exp(-dispersion$log_q), exp(dispersion$log_p))
    }
    return(log_scale + log_z - mu)
  }
  constant <- if (clamped) -log(1 + alpha) else log_scale + if (k < 0) -k * log(alpha) else 0
  constant - (1 - pgf) * mu
}

# One cell, augmented, with shapes of its noise.
plain_cell_bessel <- function(k, r, mu, alpha, clamped, s1, s2) {
  s <- alpha * exp(digamma(s1)) + r
  g <- alpha * exp(digamma(s2))
  a <- 2 * sqrt(s * g)
  kl <- plain_kl(c(s1, s2), 1 / alpha, 1, (1 - alpha) / alpha)
  bound <- k / 2 * log(s / g) + log(besselI(a, abs(k), TRUE)) + a - alpha * (s1 + s2) - mu - kl
  if (clamped && k == 0) bound - log(1 - alpha) else bound
}

# G of something with this mean and variance, to second order.
plain_delta <- function(mean, variance) mean * exp(-variance / (2 * mean^2))

# The local step of the first version of the paper, of one cell: its E[y], E[g1] and E[g2].
plain_delta_step <- function(k, mu, var_mu, alpha, g1, g2) {
  lambda1 <- list(geo = alpha * exp(digamma(1 + g1)), mean = alpha * (1 + g1), variance = alpha^2 * (1 + g1))
  a <- 2 * sqrt(alpha * exp(digamma(1 + g2)) * plain_delta(mu + lambda1$mean, var_mu + lambda1$variance))
  m <- a / 2 * besselI(a, abs(k) + 1, TRUE) / besselI(a, abs(k), TRUE)
  share <- plain_delta(mu, var_mu) / (plain_delta(mu, var_mu) + lambda1$geo)
  c(y = (m + max(k, 0)) * share, g1 = (m + max(k, 0)) * (1 - share), g2 = m + max(-k, 0))
}

# E[x x'] of independent gamma weights.
plain_second <- function(law, at) {
  mean <- plain_mean(law)[, at]
  outer(mean, mean) + diag(mean / law$rate[, at], length(mean))
}

# Var mu of a cell of a network, by all pairs of its terms.
plain_network_variance <- function(q, from, to, symmetric) {
  sender <- plain_second(q$theta, from)
  receiver <- plain_second(q$theta, to)
  pi <- plain_mean(q$pi)
  C <- nrow(pi)
  total <- 0
  for (i in seq_len(C^2)) {
    for (j in seq_len(C^2)) {
      at <- arrayInd(c(i, j), c(C, C))
      same <- i == j || symmetric && all(at[1, ] == at[2, 2:1])
      second <- pi[i] * pi[j] + if (same) pi[i] / q$pi$rate[i] else 0
      total <- total + sender[at[1, 1], at[2, 1]] * second * receiver[at[1, 2], at[2, 2]]
    }
  }
  total - plain_products(q)$mu[from, to]^2
}

# Var mu of all cells; of other models the variances of independent components.
plain_variances <- function(q, kind) {
  if (is.null(q$pi)) {
    return(plain_parts(q, function(law) plain_mean(law) * (1 + law$shape) / law$rate) -
      plain_parts(q, function(law) plain_mean(law)^2))
  }
  actors <- seq_len(ncol(q$theta$shape))
  outer(actors, actors, Vectorize(function(i, j) plain_network_variance(q, i, j, kind == "undirected")))
}

# r and E mu of all cells; of a tensor as its table.
plain_products <- function(q) list(r = plain_parts(q, plain_geo), mu = plain_parts(q, plain_mean))

plain_parts <- function(q, of) {
  if (!is.null(q$theta1)) {
    return(plain_tensor(lapply(q[plain_factors(q)], of)))
  }
  theta <- t(of(q$theta))
  if (is.null(q$phi)) theta %*% of(q$pi) %*% t(theta) else theta %*% of(q$phi)
}

# Factors as stored, components in rows.
plain_tensor <- function(factors) {
  components <- lapply(seq_len(nrow(factors[[1]])), function(k) {
    Reduce(outer, lapply(factors, function(x) x[k, ]))
  })
  matrix(Reduce(`+`, components), ncol(factors[[1]]))
}

plain_factors <- function(q) setdiff(names(q), c("hyper", "excess", "noise", "groups"))

# Products over the factors of groups of E rho, and sums of E log rho: one row per component, one column per row
# of the data.
plain_relative <- function(q, groups) {
  if (is.null(groups)) {
    return(list(mean = 1, log = 0))
  }
  law <- q$groups
  of_rows <- function(x, f) x[, groups$level[f, groups$combination + 1L] + 1L, drop = FALSE]
  each <- function(x, combine) {
    Reduce(combine, lapply(seq_along(groups$levels), function(f) of_rows(x, f)))
  }
  list(mean = each(plain_mean(law), `*`), log = each(digamma(law$shape) - log(law$rate), `+`))
}

plain_factor_kl <- function(q, prior, network) {
  names <- plain_factors(q)
  of_groups <- if (!is.null(prior$groups)) {
    plain_kl(q$groups$shape, q$groups$rate, prior$groups$shape, prior$groups$shape)
  } else {
    0
  }
  of_groups + sum(vapply(seq_along(names), function(i) {
    of <- prior[[names[i]]]
    law <- q[[names[i]]]
    relative <- plain_relative(q, if (i == 1) prior$groups)
    if (network == "undirected" && names[i] == "pi") { # pi_cd and pi_dc are one weight
      law <- lapply(law[c("shape", "rate")], function(x) x[upper.tri(x, TRUE)])
    }
    shape <- of$shape
    of_shape <- 0
    if (inherits(shape, "gamma_prior")) { # minus the log density of the log of the estimate
      shape <- q$hyper[3, i]
      of_shape <- -stats::dgamma(shape, of$shape$shape, of$shape$rate, log = TRUE) - log(shape)
    }
    if (!inherits(of$rate, "gamma_prior")) {
      return(of_shape +
        plain_kl(law$shape, law$rate, shape, of$rate * relative$mean, log(of$rate) + relative$log))
    }
    a <- q$hyper[1, i]
    b <- q$hyper[2, i]
    of_shape +
      plain_kl(law$shape, law$rate, shape, a / b * relative$mean, digamma(a) - log(b) + relative$log) +
      plain_kl(a, b, of$rate$shape, of$rate$rate)
  }, 0))
}

# The bound at q of a release (a matrix, NA where masked).
plain_bound <- function(y_tilde, alpha, q, prior, clamped = FALSE, network = "none") {
  alpha <- rep_len(alpha, nrow(y_tilde))
  products <- plain_products(q)
  by_row <- !is.null(q$excess) && ncol(q$excess$points) > 1
  laws <- if (!is.null(q$excess)) lapply(seq_len(ncol(q$excess$points)), function(i) {
    plain_dispersion(q$excess, i, prior$dispersion)
  })
  total <- 0
  active <- 0
  for (d in seq_len(nrow(y_tilde))) {
    for (v in seq_len(ncol(y_tilde))) {
      k <- y_tilde[d, v]
      if (is.na(k) || !is_data(cbind(d, v), network)) next
      r <- products$r[d, v]
      mu <- products$mu[d, v]
      if (is.null(q$noise)) {
        law <- if (!is.null(laws)) laws[[if (by_row) d else 1]]
        total <- total + plain_cell(k, r, mu, alpha[d], clamped, law)
      } else { # parts of the noise stand row after row, observed cells alone
        active <- active + 1
        total <- total + plain_cell_bessel(
          k, r, mu, alpha[d], clamped, 1 + q$noise$g1[active], 1 + q$noise$g2[active]
        )
      }
    }
  }
  total - plain_factor_kl(q, prior, network) - sum(vapply(laws, `[[`, 0, "kl"))
}

# Of a fit, at its q.
plain_bound_of <- function(fit, q = q_of(fit)) {
  input <- input_of(fit)
  counts <- as.matrix(input$counts)
  prior <- fit$prior
  plain_bound(counts, input$alpha, q, prior, input$clamped, model_of(fit)$network)
}

# What random problems are of: matrices, networks of both kinds, and tensors.
KINDS <- c(NETWORKS, "tensor")

random_dim <- function(seed, kind) {
  shapes <- list(c(5, 4, 3), c(4, 3, 2, 2), c(6, 8), c(4, 2, 2, 3, 2))
  switch(kind, none = c(6, 8), tensor = shapes[[1 + (seed %/% 2) %% 4]], c(7, 7))
}

# A random problem: counts of some shape, noise per row or not, masks, clamped or not.
random_release <- function(seed, kind = "none", mean = 1.5) {
  set.seed(seed)
  network <- if (kind == "tensor") "none" else kind
  n <- random_dim(seed, kind)
  y <- array(stats::rnbinom(prod(n), 1, mu = mean), n)
  alpha <- if (network == "undirected") {
    c(0.3, 0.6, 0, 0.1)[1 + seed %% 4]
  } else {
    switch(1 + seed %% 4, 0.3, stats::runif(n[1], 0.1, 0.8), 0, c(0, stats::runif(n[1] - 1, 0, 0.6)))
  }
  row_alpha <- rep_len(alpha, n[1])
  noise <- array(stats::rgeom(prod(n), 1 - row_alpha) - stats::rgeom(prod(n), 1 - row_alpha), n)
  y_tilde <- y + noise
  clamped <- seed %% 3 == 0
  if (clamped) y_tilde <- pmax(y_tilde, 0)
  if (seed %% 2 == 0) y_tilde[sample(length(y_tilde), 5)] <- NA
  if (network != "none") diag(y_tilde) <- 0
  if (network == "undirected") y_tilde[lower.tri(y_tilde)] <- t(y_tilde)[lower.tri(y_tilde)]
  private_counts(y_tilde, alpha = alpha, clamped = clamped, directed = network != "undirected")
}

random_fit <- function(seed, kind, ..., mean = 1.5) {
  release <- random_release(seed, kind, mean)
  priors <- list(
    gamma_prior(), gamma_prior(0.5, rate = gamma_prior(2, 1)), gamma_prior(NULL, NULL),
    gamma_prior(gamma_prior(2, 3), 2), gamma_prior(1, 2)
  )
  fit_kind(release, kind, 1 + seed %% 3, ..., prior = priors[[1 + seed %% 5]])
}

fit_kind <- function(release, kind, k, ...) {
  switch(kind,
    none = paper_topics(release, k, ..., inference = "cavi"),
    tensor = paper_tensor(release, k, ..., inference = "cavi"),
    paper_blocks(release, k, ..., directed = kind == "directed", inference = "cavi")
  )
}

# log P(release) of mu_dv = theta_d phi_v by integration over logarithms of the weights; `density` of a
# release given its mean.
grid_log_evidence <- function(y_tilde, prior, density, n = c(160, 300)) {
  grid <- seq(-16, 4, length.out = n[1])
  phi <- seq(-18, 5, length.out = n[2])
  prior_at <- function(x) {
    stats::dgamma(exp(x), prior$shape, prior$rate, log = TRUE) + x + log(x[2] - x[1])
  }
  total <- outer(prior_at(grid), prior_at(grid), `+`)
  mu <- exp(outer(grid, phi, `+`))
  for (v in seq_len(ncol(y_tilde))) {
    first <- matrix(density(y_tilde[1, v], mu), n[1])
    second <- matrix(density(y_tilde[2, v], mu), n[1])
    total <- total + log(first %*% (exp(prior_at(phi)) * t(second)))
  }
  log_sum_exp(total)
}
