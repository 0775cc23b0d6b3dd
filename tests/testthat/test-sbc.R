# Draws are from the posterior, for data as the model makes them. Extended: three minutes.

topics_priors <- list(theta = gamma_prior(0.8, 1), phi = gamma_prior(0.7, 0.5))
blocks_priors <- list(theta = gamma_prior(0.9, 1), pi = gamma_prior(0.8, 0.7))

for (scheme in c("collapsed", "bessel")) {
  test_that(paste("topics are calibrated,", scheme), {
    extended_only()
    expect_calibrated(
      topics_model, c(4, 5), 2, topics_priors, c(0.2, 0.4, 0.7, 0.5), some_missing(c(4, 5)),
      scheme, 231
    )
  })
  test_that(paste("blocks are calibrated,", scheme), {
    extended_only()
    expect_calibrated(
      blocks_model, c(5, 5), 2, blocks_priors, c(0.2, 0.4, 0.7, 0.5, 0.3), some_missing(c(5, 5)),
      scheme, 232
    )
  })
}

test_that("topics with a random rate are calibrated", {
  extended_only()
  random <- list(theta = gamma_prior(0.8, gamma_prior(3, 3)), phi = gamma_prior(0.7, 0.5))
  expect_calibrated(topics_model, c(4, 5), 2, random, 0.4, some_missing(c(4, 5)), "collapsed", 233)
})

test_that("topics and blocks with estimated shapes, and levels by row, are calibrated", {
  extended_only()
  hyper <- gamma_prior(8, 10)
  expect_calibrated(
    topics_model, c(4, 5), 2, list(theta = gamma_prior(hyper, gamma_prior(3, 3)), phi = gamma_prior(hyper, 0.5)),
    c(0.2, 0.4, 0.7, 0.5), some_missing(c(4, 5)), "collapsed", 237
  )
  expect_calibrated(
    blocks_model, c(5, 5), 2, list(theta = gamma_prior(hyper, 1), pi = gamma_prior(hyper, gamma_prior(3, 3))),
    c(0.2, 0.4, 0.7, 0.5, 0.3), some_missing(c(5, 5)), "collapsed", 238
  )
})

test_that("topics with groups, by one factor and by two, are calibrated", {
  extended_only()
  random <- list(theta = gamma_prior(0.8, gamma_prior(3, 3)), phi = gamma_prior(0.7, 0.5))
  one <- c("a", "b", "b", "a", "b", "a")
  for (groups in list(one, data.frame(one, other = c("x", "y", "y", "x", "x", "y")))) {
    expect_calibrated(
      topics_model, c(6, 5), 2, random, 0.4, some_missing(c(6, 5)), "collapsed", 234,
      replicates = 400, groups = groups
    )
  }
})

test_that("overdispersed topics with groups are calibrated", {
  extended_only()
  expect_calibrated(
    topics_model, c(6, 5), 2, topics_priors, 0.4, some_missing(c(6, 5)), "collapsed", 235,
    replicates = 400, family = list(name = "nbinom1", prior = beta_prior(3, 5), by = "all"),
    groups = c("a", "b", "b", "a", "b", "a")
  )
})

test_that("topics of counts that were noised and withheld, and blocks of rounded counts, are calibrated", {
  extended_only()
  expect_calibrated(topics_model, c(4, 5), 2, topics_priors, 0, matrix(FALSE, 4, 5), "auto", 239,
    family = list(name = "nbinom1", prior = beta_prior(3, 5), by = "all"),
    mechanism = withheld(discrete_gaussian_noise(1), 2)
  )
  expect_calibrated(blocks_model, c(5, 5), 2, blocks_priors, 0, some_missing(c(5, 5)), "auto", 240,
    mechanism = random_rounding(3)
  )
})
