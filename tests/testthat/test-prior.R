test_that("a prior is two positive numbers", {
  expect_identical(unclass(gamma_prior()), list(shape = 0.1, rate = 1))
  expect_output(print(gamma_prior(2, 3)), "Gamma(shape = 2, rate = 3)", fixed = TRUE)
  expect_refused(gamma_prior(0), "`shape` must be one positive number", "It is 0")
  expect_refused(gamma_prior(1, -1), "`rate`", "-1")
  expect_refused(gamma_prior(NA), "`shape`")
  expect_refused(gamma_prior(1:2), "`shape`", "length 2")
})

test_that("one prior applies to all factors, and a list names each", {
  one <- check_prior(gamma_prior(2), c("theta", "phi"))
  expect_identical(one, list(theta = gamma_prior(2), phi = gamma_prior(2)))
  two <- list(phi = gamma_prior(1), theta = gamma_prior(2))
  expect_identical(check_prior(two, c("theta", "phi")), two[c("theta", "phi")])
  expect_refused(check_prior(list(1, 2), c("theta", "phi")), "`prior`", "theta = , phi =")
  expect_refused(check_prior(list(theta = 1, phi = 2), c("theta", "phi")), "`prior`")
  expect_refused(check_prior(list(theta = one$theta, pi = one$phi), c("theta", "phi")), "`prior`")
})

test_that("a rate may have a prior, and its draws are kept", {
  prior <- gamma_prior(0.5, rate = gamma_prior(2, 3))
  expect_output(print(prior), "Gamma(shape = 0.5, rate ~ Gamma(shape = 2, rate = 3))", fixed = TRUE)
  expect_refused(
    gamma_prior(1, rate = prior), "`rate`", "must be a positive number, NULL, or a gamma_prior() of numbers"
  )
  expect_refused(gamma_prior(1, rate = "2"), "`rate`")
  set.seed(61)
  y <- matrix(rpois(60, 3), 10)
  fit <- paper_topics(y, 2, prior = list(theta = prior, phi = gamma_prior()), iter = 40, chains = 2)
  draws <- as.matrix(fit)
  expect_identical(ncol(draws), 2L * 16L + 1L)
  expect_true(all(draws[, "rate[theta]"] > 0))
  expect_gt(sd(draws[, "rate[theta]"]), 0)
  expect_identical(unique(fit$draws$rate[2, 1, ]), 1)
  set.seed(61)
  y <- matrix(rpois(60, 3), 10)
  part <- paper_topics(y, 2,
    prior = list(theta = prior, phi = gamma_prior()), iter = 30, warmup = 20, chains = 2
  )
  expect_identical(update(part, iter = 10)$draws, fit$draws)
  fit <- paper_blocks(matrix(rpois(25, 3), 5) * (1 - diag(5)), 2, prior = prior, iter = 20)
  expect_true(all(c("rate[theta]", "rate[pi]") %in% colnames(as.matrix(fit))))
  expect_s3_class(posterior::as_draws_array(fit), "draws_array")
})
