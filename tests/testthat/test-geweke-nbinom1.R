# The negative binomial family leaves the joint distribution of factors, dispersion and data as it is.
# Extended: about three minutes. 1 - 1/dispersion has mean 3/8, near the alphas.

priors <- list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7))
blocks_priors <- list(theta = gamma_prior(1.1, 1), pi = gamma_prior(0.9, 0.8))
estimated <- function(by) list(name = "nbinom1", prior = beta_prior(3, 5), by = by)
fixed <- function(dispersion) list(name = "nbinom1", dispersion = dispersion)
SWEEPS <- 1e5
none <- matrix(FALSE, 4, 3)

test_that("topics, one dispersion", {
  extended_only()
  expect_joint_law(topics_model, c(4, 3), 2, priors, 0.4, none, "collapsed", 311,
    sweeps = SWEEPS, family = estimated("all")
  )
  expect_joint_law(
    topics_model, c(4, 3), 2, priors, c(0.1, 0.35, 0.7, 0.4), some_missing(c(4, 3)), "collapsed", 312,
    sweeps = SWEEPS, family = estimated("all")
  )
})

test_that("topics, a dispersion for each document", {
  extended_only()
  expect_joint_law(
    topics_model, c(4, 3), 2, priors, c(0.1, 0.35, 0.7, 0.4), some_missing(c(4, 3)), "collapsed", 313,
    sweeps = SWEEPS, family = estimated("row")
  )
})

test_that("topics, without noise, and a fixed dispersion with p = alpha", {
  extended_only()
  expect_joint_law(topics_model, c(4, 3), 2, priors, 0, none, "collapsed", 314,
    sweeps = SWEEPS, family = estimated("all")
  )
  expect_joint_law(topics_model, c(4, 3), 2, priors, 0.4, none, "collapsed", 315,
    sweeps = SWEEPS, family = fixed(1 / (1 - 0.4))
  )
})

test_that("topics, near Poisson, with random rates", {
  extended_only()
  random <- list(
    theta = gamma_prior(1.2, gamma_prior(9, 8)), phi = gamma_prior(0.8, gamma_prior(8, 9))
  )
  expect_joint_law(topics_model, c(4, 3), 2, random, 0.5, some_missing(c(4, 3)), "collapsed", 316,
    sweeps = SWEEPS, family = list(name = "nbinom1", prior = beta_prior(1, 40), by = "all")
  )
})

test_that("blocks, one dispersion and one for each sender", {
  extended_only()
  alpha <- c(0.1, 0.35, 0.7, 0.4)
  for (by in c("all", "row")) {
    expect_joint_law(
      blocks_model, c(4, 4), 2, blocks_priors, alpha, some_missing(c(4, 4)), "collapsed", 317,
      sweeps = SWEEPS, family = estimated(by)
    )
  }
})

test_that("undirected blocks, one dispersion", {
  extended_only()
  expect_joint_law(
    undirected_model, c(4, 4), 2, blocks_priors, 0.4, some_missing(c(4, 4)), "collapsed", 318,
    sweeps = SWEEPS, family = estimated("all")
  )
})
