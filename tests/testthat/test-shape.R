# Priors whose shape is estimated.

release <- function() {
  set.seed(91)
  simulated <- simulate_topics(D = 30, V = 12, k = 2, words = 30)
  privatize(simulated$y, 1, rng = "R")
}

fit_shape <- function(..., prior = gamma_prior(NULL, NULL), chains = 2) {
  set.seed(92)
  suppressWarnings(topic_model(release(), 2, prior = prior, iter = 60, chains = chains, progress = FALSE, ...))
}

test_that("estimated shapes and rates have columns, and a format that says so", {
  fit <- fit_shape()
  columns <- colnames(as.matrix(fit))
  for (name in c("shape[theta]", "shape[phi]", "rate[theta]", "rate[phi]")) expect_true(all(name %in% columns))
  expect_true(all(as.matrix(fit)[, "shape[phi]"] > 0))
  expect_match(format(gamma_prior(NULL, 2)), "Gamma(shape ~ Gamma(shape = 1, rate = 1), rate = 2)", fixed = TRUE)
  only_phi <- fit_shape(prior = list(theta = gamma_prior(0.3, 1), phi = gamma_prior(gamma_prior(2, 3), 1)))
  columns <- colnames(as.matrix(only_phi))
  expect_true(all("shape[phi]" %in% columns))
  expect_false(any(c("shape[theta]", "rate[phi]") %in% columns))
  expect_identical(unique(as.vector(only_phi$draws$shape[1, 1, ])), 0.3)
})

test_that("draws of shapes do not depend on threads, and updates continue them", {
  two <- function(...) as.matrix(fit_shape(...))
  one <- two()
  before <- ldp_threads(2)
  on.exit(ldp_threads(before))
  expect_identical(two(), one)
  set.seed(92)
  short <- suppressWarnings(topic_model(
    release(), 2, prior = gamma_prior(NULL, NULL), iter = 40, warmup = 30, chains = 2, progress = FALSE
  ))
  expect_identical(as.matrix(suppressWarnings(update(short, iter = 20))), one)
})

test_that("every model and groups can have estimated shapes, and predict from them", {
  expect_identical(dim(predict(fit_shape(), release()[1:3, ])), c(3L, 12L))
  grouped <- fit_shape(groups = rep(c("a", "b"), 15))
  expect_true(all(is.finite(group_effects(grouped)$estimate)))
  set.seed(93)
  network <- privatize(simulate_blocks(V = 10, k = 2)$y, 1, rng = "R")
  blocks <- suppressWarnings(
    block_model(network, 2, prior = gamma_prior(NULL, NULL), iter = 40, chains = 1, progress = FALSE)
  )
  expect_true(all(c("shape[theta]", "shape[pi]") %in% colnames(as.matrix(blocks))))
  tensor <- privatize(simulate_tensor(dims = c(5, 4, 3), k = 2)$y, 1, rng = "R")
  tensor <- suppressWarnings(
    tensor_model(tensor, 2, prior = gamma_prior(NULL, 1), iter = 40, chains = 1, progress = FALSE)
  )
  expect_true(all(paste0("shape[theta", 1:3, "]") %in% colnames(as.matrix(tensor))))
})

test_that("rows of the fit are predicted as by the fit", {
  set.seed(94)
  release <- privatize(matrix(rnbinom(300, size = 2, mu = rgamma(100, 1) * 10), 100), epsilon = 2, rng = "R")
  fit <- topic_model(release, 1, family = "poisson", prior = gamma_prior(NULL, 1), iter = 1000, chains = 1)
  mu <- predict(fit, release, draws = 200, sweeps = 20)
  expect_lt(mean(abs(mu - fitted(fit))) / mean(fitted(fit)), 0.03) # 0.15 if weights were only reflected
})

test_that("the default estimates shapes and rates by Gibbs sampling, and rates by variational inference", {
  gibbs <- fit_shape(prior = NULL)
  expect_identical(as.matrix(gibbs), as.matrix(fit_shape()))
  set.seed(92)
  cavi <- suppressWarnings(topic_model(release(), 2, inference = "cavi"))
  expect_identical(unique(lapply(cavi$prior[c("theta", "phi")], unclass)), list(unclass(gamma_prior(0.3, NULL))))
})

test_that("shapes that cannot be estimated are errors", {
  expect_refused(gamma_prior(gamma_prior(NULL, 1), 1), "`shape` must be a positive number, NULL")
  expect_refused(gamma_prior(0), "`shape`")
})
