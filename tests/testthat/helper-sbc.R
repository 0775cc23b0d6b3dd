# Simulation-based calibration (Talts and others 2018): factors from the prior, a release from the
# factors, a fit to the release. The rank of the truth among well thinned draws is uniform if the
# sampler draws from the posterior, for every quantity; here for some without labels.

# `excess`: dispersion - 1, one, one per row, one per cell, or none. `mechanism`: NULL for geometric noise.
sbc_quantities <- function(model, factors, y_tilde, alpha, excess, mechanism) {
  mu <- model$mean(factors) * event_size(excess)
  seen <- !is.na(mu) & !is.na(y_tilde)
  alpha <- matrix(alpha, nrow(mu), ncol(mu))
  density <- if (!is.null(mechanism)) {
    dispersion <- if (length(excess) == 0) 1 else matrix(1 + excess, nrow(mu), ncol(mu))[seen]
    dprivcount(y_tilde[seen], mu[seen], mechanism, dispersion, log = TRUE)
  } else if (length(excess) == 0) {
    dprivpois(y_tilde[seen], mu[seen], alpha[seen], log = TRUE)
  } else {
    dispersion <- matrix(1 + excess, nrow(mu), ncol(mu))
    dprivnbinom(y_tilde[seen], mu[seen], alpha[seen], dispersion[seen], log = TRUE)
  }
  c(
    size = sum(factors$theta), first = mu[2], last = mu[length(mu) - 1], total = sum(mu[!is.na(mu)]),
    log_density = sum(density), if (length(excess) > 0) c(excess = excess[1], all = sum(excess))
  )
}

# Of relative rates, without labels: the mean over components of each group, and of the ratio of the first two.
sbc_of_groups <- function(relative) {
  if (!is.null(relative)) {
    c(group = colMeans(relative), ratio = mean(relative[, 2] / relative[, 1]))
  }
}

# One row of ranks, 0 to draws, per replicate.
sbc_ranks <- function(model, dim, k, priors, alpha, missing, scheme, replicates, family,
                      draws = 39, thin = 25, groups = NULL, mechanism = NULL) {
  fit_model <- get(model$name, asNamespace("ldpcounts"))
  alpha <- rep_len(alpha, dim[1])
  random <- vapply(priors, has_random_rate, TRUE)
  random_shape <- vapply(priors, function(prior) "shape" %in% estimated_in(prior), TRUE)
  of_family <- c(family = family$name, if (family$name != "poisson") {
    list(dispersion_prior = family$prior, dispersion_by = family$by)
  })
  of_cells <- function(excess) if (is_by_column(family)) rep(excess, each = dim[1]) else excess
  t(replicate(replicates, {
    numbered <- check_groups(groups, dim[1])
    truth <- prior_draw(model, dim, k, priors, numbered)
    pool <- if (is_by_column(family)) prior_pool(family)
    excess <- of_cells(prior_excess(family, dim, pool))
    y_tilde <- geweke_data(model$mean(truth), alpha, missing, FALSE, excess)$y_tilde
    if (model$network != "none") diag(y_tilde) <- 0
    if (!is.null(mechanism)) y_tilde <- stats::simulate(mechanism, y = y_tilde)
    released <- if (is.null(mechanism)) list(alpha = alpha) else list(mechanism = mechanism)
    fit <- do.call(fit_model, c(list(do.call(private_counts, c(list(y_tilde), released)), k,
      prior = priors, scheme = scheme, iter = (draws + 8) * thin, warmup = 8 * thin,
      thin = thin, groups = groups, chains = 1
    ), of_family))
    true_value <- c(
      sbc_quantities(model, truth, y_tilde, alpha, as.vector(excess), mechanism), rate = attr(truth, "rates")[random],
      shape = attr(truth, "shapes")[random_shape], pool = pool,
      sbc_of_groups(attr(truth, "relative"))
    )
    drawn <- vapply(seq_len(draws), function(s) {
      c(
        sbc_quantities(model, raw_factors(fit, s), y_tilde, alpha, of_cells(draw_excess(fit, s)), mechanism),
        rate = fit$draws$rate[random, 1, s], shape = fit$draws$shape[random_shape, 1, s], pool = fit$draws$pool[, 1, s],
        sbc_of_groups(fit$draws$groups[, , s])
      )
    }, true_value)
    rowSums(drawn < true_value)
  }))
}

expect_calibrated <- function(model, dim, k, priors, alpha, missing, scheme, seed,
                              replicates = 800, bins = 8, family = poisson_family, groups = NULL,
                              mechanism = NULL) {
  set.seed(seed)
  ranks <- suppressWarnings(
    sbc_ranks(model, dim, k, priors, alpha, missing, scheme, replicates, family,
      groups = groups, mechanism = mechanism
    )
  )
  expect_uniform_ranks(ranks, bins)
}

# Ranks of 0 to 39, a column per quantity.
expect_uniform_ranks <- function(ranks, bins) {
  p <- apply(ranks, 2, function(rank) {
    stats::chisq.test(tabulate(rank %/% 5 + 1, bins))$p.value
  })
  testthat::expect_gt(min(p), ERROR_RATE / length(p))
}
