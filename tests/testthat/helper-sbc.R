# Simulation-based calibration (Talts and others 2018): factors from the prior, a release from the
# factors, a fit to the release. The rank of the truth among well thinned draws is uniform if the
# sampler draws from the posterior, for every quantity; here for some without labels.

sbc_quantities <- function(model, factors, y_tilde, alpha) {
  mu <- model$mean(factors)
  seen <- !is.na(mu) & !is.na(y_tilde)
  alpha <- matrix(alpha, nrow(mu), ncol(mu))
  c(
    size = sum(factors$theta), first = mu[2], last = mu[length(mu) - 1], total = sum(mu[!is.na(mu)]),
    log_density = sum(dprivpois(y_tilde[seen], mu[seen], alpha[seen], log = TRUE))
  )
}

# One row of ranks, 0 to draws, per replicate.
sbc_ranks <- function(model, dim, k, priors, alpha, missing, augmentation, replicates,
                      draws = 39, thin = 25) {
  fit_model <- get(model$name, asNamespace("ldpcounts"))
  alpha <- rep_len(alpha, dim[1])
  t(replicate(replicates, {
    truth <- prior_draw(model, dim, k, priors)
    y_tilde <- geweke_data(model$mean(truth), alpha, missing, FALSE)$y_tilde
    if (model$network) diag(y_tilde) <- 0
    fit <- fit_model(private_counts(y_tilde, alpha = alpha), k,
      prior = priors, augmentation = augmentation, iter = (draws + 8) * thin, warmup = 8 * thin,
      thin = thin
    )
    true_value <- sbc_quantities(model, truth, y_tilde, alpha)
    drawn <- vapply(seq_len(draws), function(s) {
      sbc_quantities(model, draw_factors(fit, s), y_tilde, alpha)
    }, true_value)
    rowSums(drawn < true_value)
  }))
}

expect_calibrated <- function(model, dim, k, priors, alpha, missing, augmentation, seed,
                              replicates = 800, bins = 8) {
  set.seed(seed)
  ranks <- suppressWarnings(
    sbc_ranks(model, dim, k, priors, alpha, missing, augmentation, replicates)
  )
  p <- apply(ranks, 2, function(rank) {
    stats::chisq.test(tabulate(rank %/% 5 + 1, bins))$p.value
  })
  testthat::expect_gt(min(p), ERROR_RATE / length(p))
}
