# With groups, every sampler leaves the joint distribution of factors, relative rates, dispersion and data as it
# is. Extended: about five minutes. The shape of relative rates is such that all moments that are compared,
# and their errors, exist.

priors <- list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7))
random <- list(theta = gamma_prior(1.2, gamma_prior(9, 8)), phi = gamma_prior(0.8, gamma_prior(8, 9)))
blocks_priors <- list(theta = gamma_prior(1.1, gamma_prior(10, 9)), pi = gamma_prior(0.9, 0.8))
tensor_priors <- list(
  theta1 = gamma_prior(1.2, gamma_prior(9, 8)), theta2 = gamma_prior(0.8, 0.7), theta3 = gamma_prior(1, 0.9)
)
per_row <- c(0.1, 0.35, 0.7, 0.4)
extents <- c(4, 2, 3)
estimated <- function(by) list(name = "nbinom1", prior = beta_prior(3, 5), by = by)
SWEEPS <- 4e4

grouped <- function(...) {
  columns <- data.frame(...)
  utils::modifyList(check_groups(columns, nrow(columns)), list(shape = 12))
}
one <- grouped(g = c("a", "b", "b", "a"))
two <- grouped(g = c("a", "b", "b", "a"), h = c("x", "x", "y", "z"))

for (groups in list(one, two)) {
  n <- length(groups$levels)
  for (scheme in c("collapsed", "bessel")) {
    test_that(paste("topics,", scheme, n), {
      extended_only()
      expect_joint_law(
        topics_model, c(4, 3), 2, if (n == 1) priors else random, per_row, some_missing(c(4, 3)),
        scheme, 511, SWEEPS, groups = groups
      )
    })
  }

  test_that(paste("topics, overdispersed", n), {
    extended_only()
    for (by in c("all", "row")) {
      expect_joint_law(
        topics_model, c(4, 3), 2, if (by == "all") random else priors, per_row, some_missing(c(4, 3)),
        "collapsed", 512, SWEEPS, estimated(by), groups
      )
    }
  })

  test_that(paste("blocks of both kinds", n), {
    extended_only()
    expect_joint_law(
      blocks_model, c(4, 4), 2, blocks_priors, per_row, some_missing(c(4, 4)), "collapsed", 513, SWEEPS,
      groups = groups
    )
    expect_joint_law(
      undirected_model, c(4, 4), 2, blocks_priors, 0.4, some_missing(c(4, 4)), "collapsed", 514, SWEEPS,
      estimated("all"), groups
    )
  })

  test_that(paste("tensors", n), {
    extended_only()
    for (family in list(poisson_family, estimated("all"))) {
      expect_joint_law(
        tensor_of(3), extents, 2, tensor_priors, per_row, some_missing(extents), "collapsed", 515, SWEEPS,
        family, groups
      )
    }
  })
}

test_that("shapes of their own, with groups, overdispersed", {
  extended_only()
  of_shape <- gamma_prior(gamma_prior(9, 8), gamma_prior(9, 8))
  expect_joint_law(
    topics_model, c(4, 3), 2, list(theta = of_shape, phi = of_shape), per_row, some_missing(c(4, 3)), "collapsed", 516,
    SWEEPS, estimated("all"), one
  )
  expect_joint_law(
    blocks_model, c(4, 4), 2, list(theta = of_shape, pi = of_shape), per_row, some_missing(c(4, 4)), "collapsed", 517,
    SWEEPS, estimated("all"), one
  )
})
