test_that("both samplers agree with integration on a grid", {
  y_tilde <- matrix(c(3, -1, 0, 4, 2, -2), 2)
  prior <- gamma_prior(0.8, 0.5)
  for (alpha in list(0.4, c(0.2, 0.6))) {
    truth <- grid_posterior(y_tilde, rep_len(alpha, 2), prior)
    for (scheme in some_of(c("collapsed", "bessel"), 2, length(alpha))) {
      set.seed(4)
      fit <- paper_topics(private_counts(y_tilde, alpha = alpha), 1,
        prior = prior, scheme = scheme, iter = 4e5, warmup = 1000, thin = 10
      )
      expect_grid_posterior(fit, truth)
    }
  }
})

test_that("the prediction of a masked cell agrees with integration on a grid", {
  y_tilde <- matrix(c(3, NA, 0, 4, 2, -2), 2)
  prior <- gamma_prior(1, 0.5)
  truth <- grid_posterior(y_tilde, c(0.4, 0.4), prior)
  set.seed(52)
  fit <- paper_topics(private_counts(y_tilde, alpha = 0.4), 1,
    prior = prior, iter = 4e5, warmup = 1000, thin = 10
  )
  expect_grid_posterior(fit, truth)
})

test_that("without noise the model is ordinary Poisson factorization", {
  y <- matrix(c(3, 0, 1, 4, 2, 0), 2)
  prior <- gamma_prior(1, 1)
  truth <- grid_posterior(y, c(0, 0), prior)
  set.seed(53)
  plain <- paper_topics(y, 1, prior = prior, iter = 2e5, warmup = 1000, thin = 20)
  expect_lt(max(abs(fitted(plain) / truth - 1)), 0.02)
  # the naive analysis of a release is the same computation on its clamped counts
  y_tilde <- y
  y_tilde[2, 1] <- -3
  draw <- function(...) {
    set.seed(54)
    fitted(paper_topics(..., k = 2, iter = 50))
  }
  expect_identical(draw(private_counts(y_tilde, alpha = 0.5), noise = "ignore"), draw(y))
  expect_identical(draw(Matrix::Matrix(y, sparse = TRUE)), draw(y))
  expect_identical(draw(private_counts(y, alpha = 0), scheme = "bessel"), draw(y))
})

compare_samplers <- function(x, k, seed, ...) {
  run <- function(scheme) {
    paper_topics(x, k,
      scheme = scheme, iter = 6000, warmup = 1000, thin = 5, chains = 2, ...
    )
  }
  set.seed(seed)
  expect_same_posterior(run("collapsed"), run("bessel"))
}

test_that("collapsed and Bessel chains agree cell by cell", {
  extended_only()
  set.seed(55)
  mu <- matrix(rgamma(30 * 3, 0.5), 30) %*% matrix(rgamma(3 * 20, 0.5), 3)
  y <- matrix(rpois(600, 2 * mu), 30)
  prior <- gamma_prior(0.5, 0.5)
  rows <- plain_release(y, rep(c(0.1, 0.4, 0.7), 10))
  is.na(rows) <- matrix(runif(600) < 0.15, 30)
  rows[4, 1:17] <- NA # a row that is mostly missing
  rows[, 9] <- NA # a column that is missing altogether
  compare_samplers(rows, 3, 57, prior = prior)
  compare_samplers(plain_release(y, 0.4), 3, 56, prior = prior)
})

test_that("with every cell masked the draws are those of the prior", {
  x <- private_counts(matrix(NA_real_, 3, 4), alpha = 0.5)
  prior <- list(theta = gamma_prior(0.7, 2), phi = gamma_prior(2, 0.5))
  set.seed(58)
  draws <- as.matrix(paper_topics(x, 2, prior = prior, iter = 100 + (if (EXTENDED) 20000 else 5000), warmup = 100))
  is_theta <- startsWith(colnames(draws), "theta")
  uniform <- cbind(pgamma(draws[, is_theta], 0.7, 2), pgamma(draws[, !is_theta], 2, 0.5))
  for (parameter in seq_len(ncol(uniform))) {
    expect_law(floor(50 * uniform[, parameter]), rep(1 / 50, 50))
  }
})

test_that("simulated topics are recovered better than by ignoring the noise", {
  set.seed(59)
  theta <- matrix(rgamma(150 * 3, 0.3), 150)
  phi <- matrix(rgamma(3 * 60, 0.3), 3)
  y <- matrix(rpois(150 * 60, 3 * theta %*% phi), 150)
  x <- plain_release(y, 0.5)
  private <- paper_topics(x, 3, iter = 600)
  naive <- paper_topics(x, 3, iter = 600, noise = "ignore")
  truth <- 3 * theta %*% phi
  # over five seeds the ratio was 0.34 to 0.58, and 0.37 to 0.55
  expect_lt(poisson_kl(fitted(private), truth), 0.75 * poisson_kl(fitted(naive), truth))
  expect_lt(mae(fitted(private), truth), 0.75 * mae(fitted(naive), truth))
})

test_that("extreme counts and noise levels leave finite, positive factors", {
  y <- matrix(c(0, 2e9, 5, 0, 1, 0, 3e5, 0, 0), 3)
  for (alpha in c(1e-12, 0.5, 0.99999)) {
    set.seed(60)
    x <- private_counts(y, alpha = alpha)
    for (scheme in c("collapsed", "bessel")) {
      draws <- as.matrix(quietly(paper_topics(x, 2, scheme = scheme, iter = 200)))
      expect_true(all(is.finite(draws) & draws > 0))
    }
  }
  set.seed(61)
  sparse <- as.matrix(paper_topics(y, 3, prior = gamma_prior(0.003, 1e-6), iter = 200))
  expect_true(all(is.finite(sparse) & sparse > 0))
  zeros <- fitted(paper_topics(matrix(0L, 4, 5), 2, iter = 200))
  expect_true(all(zeros < 1))
})

test_that("a clamped release has the posterior of the release without clamping", {
  set.seed(95)
  y <- matrix(rpois(15 * 10, 1), 15)
  set.seed(96)
  full <- privatize(y, rep_len(c(0.7, 1.5), 15), rng = "R")
  set.seed(96)
  clamped <- privatize(y, rep_len(c(0.7, 1.5), 15), rng = "R", clamp = TRUE)
  is.na(full) <- is.na(clamped) <- cbind(c(1, 4), c(3, 3))
  fit <- function(data, ...) {
    set.seed(97)
    paper_topics(data, k = 2, ..., progress = FALSE)
  }
  start <- list(theta = matrix(1, 15, 2), phi = matrix(1:20 / 10, 2))
  expect_identical(
    as.matrix(fit(full, iter = 50, init = start)), as.matrix(fit(clamped, iter = 50, init = start))
  )
  expect_identical(
    as.matrix(fit(full, iter = 50, noise = "ignore")),
    as.matrix(fit(clamped, iter = 50, noise = "ignore"))
  )
  iter <- if (EXTENDED) 6000 else 2000
  expect_same_posterior(
    fit(full, iter = iter, scheme = "bessel"), fit(clamped, iter = iter, scheme = "bessel")
  )
})

test_that("a clamped network is treated as a network", {
  x <- privatize(enron_network[1:20, 1:20], 1, clamp = TRUE)
  set.seed(98)
  fit <- paper_blocks(x, k = 2, iter = 20)
  expect_identical(dimnames(fitted(fit)), dimnames(x))
})

test_that("collapsed and augmented posteriors agree on real data", {
  extended_only()
  set.seed(99)
  x <- privatize(poliblog[1:200, 1:300], epsilon = 1, rng = "R")
  # both from one place: which mode a chain is in is another question
  start <- paper_topics(x, 2, iter = 3000)
  run <- function(scheme) {
    paper_topics(x, 2, iter = 7000, warmup = 1000, thin = 10, init = start, scheme = scheme)
  }
  at <- spread_cells(dim(x), 200, "none")
  mu <- lapply(c("collapsed", "bessel"), function(scheme) {
    fit <- run(scheme)
    t(vapply(seq_len(n_draws(fit)), function(s) {
      c(topics_model$cell_mean(draw_factors(fit, s), at), fit$log_density[s])
    }, numeric(201)))
  })
  error <- lapply(mu, function(draws) apply(draws, 2, posterior::mcse_mean))
  z <- (colMeans(mu[[1]]) - colMeans(mu[[2]])) / sqrt(error[[1]]^2 + error[[2]]^2)
  expect_lt(max(abs(z)), normal_bound(length(z)))
})
