# What vignette("regression") says of brms, on the stored numbers: brms and mgcv have the same likelihood. So
# the posterior means of brms are computed again from the likelihood at draws around the estimates of mgcv,
# weighted by importance sampling.

skip_if_not_installed("mgcv")

study <- stored_study("quine-brms")
script <- new.env()
sys.source(case_study_file("quine-brms.R"), script)

# Proposals have this many degrees of freedom, and scales of mgcv's standard errors times this factor.
PROPOSAL_DF <- 7
PROPOSAL_SCALE <- 1.1

# Posterior means of the coefficients and the dispersion under the priors of the study, with their Monte Carlo
# standard errors, from draws of a t distribution around the fit of gam().
weigh_draws <- function(y_tilde, alpha, n_draws = if (EXTENDED) 4000 else 1500) {
  quine <- data.frame(MASS::quine, y_tilde)
  fit <- mgcv::gam(y_tilde ~ Eth + Sex + Age + Lrn, family = private_nbinom1(alpha), data = quine)
  X <- model.matrix(fit)
  # brms has the prior of the intercept at the means of the covariates
  centred <- c(sum(colMeans(X) * coef(fit)), coef(fit)[-1])
  to_centred <- rbind(colMeans(X), cbind(0, diag(ncol(X) - 1)))
  sd_excess <- 0.25
  root <- t(chol(to_centred %*% vcov(fit) %*% t(to_centred)))
  scale <- PROPOSAL_SCALE * rbind(cbind(root, 0), c(0 * centred, sd_excess))
  centre <- c(centred, log(fit$family$getTheta(TRUE) - 1))
  d <- length(centre)
  z <- matrix(rnorm(n_draws * d), d) / rep(sqrt(rchisq(n_draws, PROPOSAL_DF) / PROPOSAL_DF), each = d)
  draws <- centre + scale %*% z
  design <- cbind(1, sweep(X[, -1], 2, colMeans(X)[-1]))
  log_weight <- apply(rbind(draws, colSums(z^2)), 2, function(draw) {
    beta <- draw[seq_len(d - 1)]
    excess <- exp(draw[d])
    mu <- exp(as.vector(design %*% beta))
    sum(dprivnbinom(y_tilde, mu, alpha, 1 + excess, log = TRUE)) +
      dnorm(beta[1], 2, 2, TRUE) + sum(dnorm(beta[-1], 0, 2, TRUE)) + dgamma(1 + excess, 2, 0.1, log = TRUE) +
      draw[d] + (PROPOSAL_DF + d) / 2 * log1p(draw[d + 1] / PROPOSAL_DF)
  })
  weight <- exp(log_weight - max(log_weight))
  slopes <- draws[2:(d - 1), ]
  values <- rbind(draws[1, ] - colSums(colMeans(X)[-1] * slopes), slopes, 1 + exp(draws[d, ]))
  means <- as.vector(values %*% weight) / sum(weight)
  mc <- sqrt(as.vector((values - means)^2 %*% weight^2)) / sum(weight)
  data.frame(term = c("Intercept", colnames(X)[-1], "dispersion"), mean = means, mc = mc)
}

expect_same_means <- function(y_tilde, alpha, method, epsilon) {
  stored <- study$results[study$results$family == "nbinom1" & study$results$method == method &
    study$results$epsilon == epsilon, ]
  found <- merge(stored, weigh_draws(y_tilde, alpha), by = "term", suffixes = c("", "_weighed"))
  expect_identical(nrow(found), 8L)
  error <- sqrt((found$sd / sqrt(found$ess))^2 + found$mc^2)
  expect_lt(max(abs(found$mean - found$mean_weighed) / error), normal_bound(16))
}

test_that("posterior means of brms are those of the likelihood of mgcv, within Monte Carlo error", {
  set.seed(71)
  expect_same_means(MASS::quine$Days, 0, "non-private", Inf)
  set.seed(study$settings$seed + 1)
  released <- script$release_days(study$settings)
  expect_same_means(as.numeric(released[["1"]]), geometric_alpha(1, study$settings$precision), "private", 1)
})

test_that("chains have converged", {
  expect_lt(max(study$results$rhat), 1.01)
  expect_gt(min(study$results$ess), 400)
})
