# The negative binomial family of the models.

released <- function() {
  set.seed(301)
  y <- matrix(rnbinom(48, size = 1, mu = 2), 8, dimnames = list(letters[1:8], LETTERS[1:6]))
  private_counts(y + rgeom(48, 0.7) - rgeom(48, 0.7), alpha = 0.3)
}

fit_of <- function(..., model = paper_topics, data = released()) {
  force(data)
  set.seed(302)
  model(data, 2, family = "nbinom1", ...)
}

network <- function() released()[1:6, ]

# One document and two words, K = 1: the posterior mean of mu and of p = 1 - 1/dispersion, by
# integration on grids of log theta, logit p and log phi.
grid_of_bursts <- function(y_tilde, alpha, prior, beta) {
  t <- seq(-12, 4, length.out = 80)
  logit <- seq(-9, 7, length.out = 60)
  f <- seq(-14, 5, length.out = 100)
  p <- stats::plogis(logit)
  dispersion <- 1 / (1 - p)
  on_log <- function(x) stats::dgamma(exp(x), prior$shape, prior$rate) * exp(x)
  at <- expand.grid(theta = exp(t), p = seq_along(p), phi = exp(f))
  size <- (dispersion - 1) / log(dispersion) # an event, in the mean
  mu <- at$theta * at$phi * size[at$p]
  phi_weight <- rep(on_log(f), each = length(t) * length(p))
  one_word <- lapply(y_tilde, function(k) {
    density <- dprivnbinom(k, mu, alpha, dispersion[at$p]) * phi_weight
    list(
      mass = rowSums(matrix(density, length(t) * length(p))),
      first = rowSums(matrix(density * mu, length(t) * length(p)))
    )
  })
  base <- outer(on_log(t), stats::dbeta(p, beta$shape1, beta$shape2) * p * (1 - p))
  weight <- as.vector(base) * one_word[[1]]$mass * one_word[[2]]$mass
  c(
    sum(as.vector(base) * one_word[[1]]$first * one_word[[2]]$mass),
    sum(as.vector(base) * one_word[[1]]$mass * one_word[[2]]$first),
    sum(weight * rep(p, each = length(t)))
  ) / sum(weight)
}

test_that("the posterior agrees with integration on a grid", {
  y_tilde <- c(6, -1)
  prior <- gamma_prior(1.5, 1)
  truth <- grid_of_bursts(y_tilde, 0.4, prior, beta_prior(2, 3))
  for (by in some_of(c("all", "row"), 2)) {
    set.seed(303)
    fit <- paper_topics(private_counts(matrix(y_tilde, 1), alpha = 0.4), 1,
      family = "nbinom1", dispersion_prior = beta_prior(2, 3), dispersion_by = by, prior = prior,
      iter = 1.5e5, warmup = 1000, thin = 10
    )
    draws <- cbind(mu_draws(fit), 1 - 1 / dispersion_draws(fit)[, 1])
    error <- apply(draws, 2, function(x) posterior::mcse_mean(matrix(x)))
    expect_lt(max(abs(colMeans(draws) - truth) / error), normal_bound(3))
    expect_lt(max(error / truth), 0.01)
  }
})

test_that("mu agrees with its events, with the dispersion of each draw", {
  for (by in c("all", "row")) {
    fit <- fit_of(iter = 60, dispersion_by = by)
    raw <- as.matrix(fit)
    n <- if (by == "row") 8 else 1
    expect_identical(ncol(raw), as.integer(8 * 2 + 2 * 6 + n))
    mu <- 0
    for (s in seq_len(30)) {
      theta <- matrix(raw[s, grep("theta", colnames(raw))], 8)
      phi <- matrix(raw[s, grep("phi", colnames(raw))], 2)
      d <- raw[s, grep("dispersion", colnames(raw))]
      p <- 1 - 1 / d
      mu <- mu + theta %*% phi * (p / (-log(1 - p) * (1 - p))) / 30 # design: lambda p/(q (1-p))
    }
    expect_within(unname(fitted(fit)), mu, TOL_SERIES)
    expect_within(fitted(fit, cells = cbind(3, 5)), mu[3, 5], TOL_SERIES)
    of_draws <- colMeans(raw[, grep("disp", colnames(raw)), drop = FALSE])
    expect_equal(unname(coef(fit)$dispersion), unname(of_draws))
  }
  expect_identical(names(coef(fit)$dispersion), letters[1:8])
  expect_identical(grep("dispersion", colnames(raw), value = TRUE), paste0("dispersion[", 1:8, "]"))
})

test_that("40 sweeps and 20 more give the same draws as 60", {
  for (by in c("all", "row")) {
    whole <- fit_of(iter = 60, warmup = 20, thin = 3, chains = 2, dispersion_by = by)
    part <- fit_of(iter = 40, warmup = 20, thin = 3, chains = 2, dispersion_by = by)
    expect_identical(said(update(part, iter = 20)), said(whole))
  }
  alone <- fit_of(iter = 60, warmup = 20, thin = 3, dispersion_by = "row")
  expect_identical(as.matrix(alone), as.matrix(whole)[1:13, ])
  whole <- fit_of(iter = 30, warmup = 5, model = paper_blocks, data = unname_counts(network()))
  part <- fit_of(iter = 10, warmup = 5, model = paper_blocks, data = unname_counts(network()))
  expect_identical(said(update(part, iter = 20)), said(whole))
})

test_that("a checkpoint of another family throws an error", {
  file <- tempfile(fileext = ".rds")
  whole <- fit_of(iter = 30, checkpoint = file)
  expect_identical(said(fit_of(iter = 30, checkpoint = file)), said(whole))
  expect_error(fit_of(iter = 30, checkpoint = file, dispersion_by = "row"),
    class = "ldpcounts_checkpoint_error"
  )
  expect_error(fit_of(iter = 30, checkpoint = file, dispersion = 2),
    class = "ldpcounts_checkpoint_error"
  )
})

test_that("a dispersion of 1 is the Poisson model, draw by draw", {
  fit <- fit_of(iter = 40, dispersion = 1)
  data <- released()
  set.seed(302)
  poisson <- paper_topics(data, 2, iter = 40)
  expect_identical(fitted(fit), fitted(poisson))
  expect_identical(fit$log_density, poisson$log_density)
  expect_identical(unname(as.matrix(fit)[, "dispersion"]), rep(1, 20))
  expect_identical(coef(fit)$dispersion, 1)
})

test_that("a fixed dispersion stays, and chains start from the given values", {
  fit <- fit_of(iter = 40, dispersion = 2.5)
  expect_identical(unname(as.matrix(fit)[, "dispersion"]), rep(2.5, 20))
  set.seed(304)
  start <- list(theta = matrix(1, 8, 2), phi = matrix(1, 2, 6), dispersion = 40)
  one <- fit_of(iter = 1, warmup = 0, init = start)
  other <- fit_of(iter = 1, warmup = 0, init = modifyList(start, list(dispersion = 1.1)))
  expect_false(identical(as.matrix(one), as.matrix(other)))
  expect_s3_class(fit_of(iter = 10, init = fit_of(iter = 20)), "topic_model")
  expect_s3_class(fit_of(iter = 10, init = fit_of(iter = 20), dispersion_by = "row"), "topic_model")
  expect_refused(fit_of(init = modifyList(start, list(dispersion = 1))), "init$dispersion", "above 1")
  # from far out of range they come home
  far <- list(theta = matrix(1e80, 8, 2), phi = matrix(1e80, 2, 6), dispersion = 1e6)
  expect_lt(max(fitted(fit_of(iter = 200, init = far))), 100)
  near <- list(theta = matrix(1e-80, 8, 2), phi = matrix(1e-80, 2, 6), dispersion = 1 + 1e-12)
  expect_gt(max(fitted(fit_of(iter = 200, init = near))), 0.5)
})

test_that("the naive and the non-private analyses are those of the clamped and of the true counts", {
  counts <- as.matrix(released())
  naive <- fit_of(iter = 40, noise = "ignore")
  plain <- fit_of(iter = 40, data = pmax(counts, 0))
  expect_identical(naive$draws, plain$draws)
  expect_identical(naive$log_density, plain$log_density)
  # and their density is the distribution of the counts
  s <- 7
  mu <- draw_mean(naive, s)
  disp <- dispersion_draws(naive)[s, 1]
  expected <- stats::dnbinom(pmax(counts, 0), size = mu / (disp - 1), mu = mu, log = TRUE)
  expect_within(sum(expected), naive$log_density[s], TOL_SERIES)
})

test_that("print() states the family, and errors say what is wrong with a call", {
  fit <- fit_of(iter = 20)
  expect_output(print(fit), "negative binomial counts, dispersion estimated")
  expect_output(print(fit), "Beta\\(1, 1\\) on 1 - 1/dispersion")
  expect_output(print(fit_of(iter = 20, dispersion_by = "row")), "of each row")
  expect_output(print(fit_of(iter = 20, dispersion = 3)), "= 3")
  expect_true("dispersion" %in% rownames(summary(fit)$convergence))
  expect_output(print(beta_prior(2, 3)), "Beta\\(2, 3\\)")
  y <- matrix(1, 3, 3)
  expect_refused(paper_topics(y, 2, family = "gauss"), "`family`", "\"nbinom1\"", "gauss")
  expect_refused(paper_topics(y, 2, dispersion = 2), "`dispersion`", "nbinom1")
  expect_refused(paper_topics(y, 2, dispersion_by = "row"), "`dispersion_by`", "nbinom1")
  expect_refused(fit_of(dispersion = 0.5), "`dispersion`", "at least 1", "0.5")
  expect_refused(fit_of(dispersion = Inf), "`dispersion`")
  expect_refused(fit_of(dispersion = 2, dispersion_by = "row"), "`dispersion_by`", "fixed")
  expect_refused(fit_of(dispersion_by = "columns"), "`dispersion_by`", "columns")
  expect_refused(fit_of(dispersion_prior = gamma_prior()), "`dispersion_prior`", "beta_prior()")
  expect_refused(fit_of(scheme = "bessel"), "`scheme`", "collapsed")
  expect_refused(beta_prior(0, 1), "`shape1`", "positive")
  expect_refused(beta_prior(1, NA), "`shape2`", "positive")
})

# Extended: half a minute.
test_that("for Poisson counts the dispersion is close to 1, and mu agrees with the Poisson family", {
  extended_only()
  set.seed(305)
  mu <- matrix(rgamma(2500, 0.5), 500) %*% matrix(rgamma(2500, 0.5), 5)
  y <- matrix(rpois(length(mu), mu / mean(mu)), 500)
  released <- plain_release(y, exp(-1))
  fit <- function(...) paper_topics(released, 5, iter = 1200, thin = 2, ...)
  bursts <- fit(family = "nbinom1")
  one <- fit()
  other <- fit()
  expect_lt(quantile(dispersion_draws(bursts), 0.975), 1.05)
  between <- function(a, b) mean(abs(fitted(a) - fitted(b)))
  expect_lt(between(bursts, one), 1.2 * between(one, other))
})
