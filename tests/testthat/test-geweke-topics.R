# Every sampler leaves the joint distribution of factors and data as it is. Extended: about a minute.

priors <- list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7))
none <- matrix(FALSE, 4, 3)

for (scheme in c("collapsed", "bessel")) {
  test_that(paste("topics,", scheme), {
    extended_only()
    expect_joint_law(topics_model, c(4, 3), 2, priors, 0.5, none, scheme, 111)
    expect_joint_law(
      topics_model, c(4, 3), 2, priors, c(0.1, 0.4, 0.7, 0.6), some_missing(c(4, 3)),
      scheme, 112
    )
  })
}

test_that("topics, without noise", {
  extended_only()
  expect_joint_law(topics_model, c(4, 3), 2, priors, 0, none, "collapsed", 115)
})

test_that("topics, with rates of their own", {
  extended_only()
  random <- list(
    theta = gamma_prior(1.2, gamma_prior(9, 8)), phi = gamma_prior(0.8, gamma_prior(8, 9))
  )
  expect_joint_law(topics_model, c(4, 3), 2, random, 0.5, some_missing(c(4, 3)), "collapsed", 117)
  random$theta <- gamma_prior(1.2, 1)
  expect_joint_law(topics_model, c(4, 3), 2, random, 0.5, some_missing(c(4, 3)), "bessel", 117)
})

test_that("topics, with shapes and rates of their own", {
  extended_only()
  random <- list(
    theta = gamma_prior(gamma_prior(9, 8), gamma_prior(9, 8)), phi = gamma_prior(gamma_prior(10, 12), 1)
  )
  expect_joint_law(topics_model, c(4, 3), 2, random, c(0.1, 0.4, 0.7, 0.6), some_missing(c(4, 3)), "collapsed", 118)
  expect_joint_law(topics_model, c(4, 3), 2, random, 0.5, none, "bessel", 119)
})
