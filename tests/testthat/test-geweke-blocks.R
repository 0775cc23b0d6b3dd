# Every sampler leaves the joint distribution of factors and data as it is. Extended: about a minute. With
# twice as many actors as communities a scale move would not miss its Jacobian: hence five.

priors <- list(theta = gamma_prior(1.5, 1.5), pi = gamma_prior(1.2, 1))
none <- matrix(FALSE, 5, 5)

for (scheme in c("collapsed", "bessel")) {
  test_that(paste("blocks,", scheme), {
    extended_only()
    expect_joint_law(blocks_model, c(5, 5), 2, priors, 0.5, none, scheme, 113)
    expect_joint_law(
      blocks_model, c(5, 5), 2, priors, c(0.1, 0.4, 0.7, 0.6, 0.3), some_missing(c(5, 5)),
      scheme, 114
    )
  })
}

test_that("blocks, without noise", {
  extended_only()
  expect_joint_law(blocks_model, c(5, 5), 2, priors, 0, none, "collapsed", 116)
})

test_that("blocks, with rates of their own", {
  extended_only()
  random <- list(
    theta = gamma_prior(1.2, gamma_prior(9, 8)), pi = gamma_prior(0.8, gamma_prior(8, 9))
  )
  expect_joint_law(blocks_model, c(5, 5), 2, random, 0.5, some_missing(c(5, 5)), "collapsed", 127)
  random$theta <- gamma_prior(1.2, 1)
  expect_joint_law(blocks_model, c(5, 5), 2, random, 0.5, some_missing(c(5, 5)), "bessel", 127)
})

test_that("undirected blocks", {
  extended_only()
  for (scheme in c("collapsed", "bessel")) {
    expect_joint_law(
      undirected_model, c(5, 5), 2, priors, 0.5, some_missing(c(5, 5)), scheme, 118
    )
  }
  random <- list(
    theta = gamma_prior(1.2, gamma_prior(9, 8)), pi = gamma_prior(0.8, gamma_prior(8, 9))
  )
  expect_joint_law(undirected_model, c(5, 5), 2, random, 0.5, none, "collapsed", 119)
})

test_that("blocks of both kinds, with shapes and rates of their own", {
  extended_only()
  random <- list(theta = gamma_prior(gamma_prior(9, 8), gamma_prior(9, 8)), pi = gamma_prior(gamma_prior(10, 12), 1))
  expect_joint_law(blocks_model, c(5, 5), 2, random, 0.5, some_missing(c(5, 5)), "collapsed", 129)
  expect_joint_law(undirected_model, c(5, 5), 2, random, 0.5, none, "collapsed", 130)
})
