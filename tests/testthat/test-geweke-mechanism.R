# Releases of other mechanisms than geometric noise leave the joint distribution of factors, dispersion and
# data as it is. Extended: about ten minutes.

topics_priors <- list(theta = gamma_prior(1.2, 1), phi = gamma_prior(0.8, 0.7))
blocks_priors <- list(theta = gamma_prior(1.5, 1.5), pi = gamma_prior(1.2, 1))
tensor_priors <- list(theta1 = gamma_prior(1.2, 1), theta2 = gamma_prior(0.8, 0.7), theta3 = gamma_prior(1, 0.9))
overdispersed <- list(name = "nbinom1", prior = beta_prior(3, 5), by = "all")
SWEEPS <- 5e4

by_name <- list(
  "discrete Gaussian noise" = discrete_gaussian_noise(1.3), "random rounding" = random_rounding(3),
  suppression = suppression(1, 4), "withheld counts" = withheld(discrete_gaussian_noise(1), 2)
)

for (name in names(by_name)) {
  test_that(paste("topics,", name), {
    extended_only()
    expect_joint_law(topics_model, c(4, 3), 2, topics_priors, 0, some_missing(c(4, 3)), "collapsed", 801,
      sweeps = SWEEPS, family = overdispersed, mechanism = by_name[[name]]
    )
    expect_joint_law(topics_model, c(4, 3), 2, topics_priors, 0, matrix(FALSE, 4, 3), "collapsed", 802,
      sweeps = SWEEPS, mechanism = by_name[[name]]
    )
  })

  test_that(paste("blocks,", name), {
    extended_only()
    expect_joint_law(blocks_model, c(5, 5), 2, blocks_priors, 0, some_missing(c(5, 5)), "collapsed", 803,
      sweeps = SWEEPS, family = overdispersed, mechanism = by_name[[name]]
    )
  })

  test_that(paste("tensors,", name), {
    extended_only()
    expect_joint_law(tensor_of(3), c(3, 2, 3), 2, tensor_priors, 0, some_missing(c(3, 2, 3)), "collapsed", 804,
      sweeps = SWEEPS, mechanism = by_name[[name]]
    )
  })
}

test_that("undirected blocks, and parameters per cell", {
  extended_only()
  expect_joint_law(undirected_model, c(5, 5), 2, blocks_priors, 0, matrix(FALSE, 5, 5), "collapsed", 805,
    sweeps = SWEEPS, mechanism = random_rounding(3)
  )
  expect_joint_law(topics_model, c(4, 3), 2, topics_priors, 0, matrix(FALSE, 4, 3), "collapsed", 806,
    sweeps = SWEEPS, mechanism = gaussian_noise(seq(0.5, 1.6, length.out = 12))
  )
})
