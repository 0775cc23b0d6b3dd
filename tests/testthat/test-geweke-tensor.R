# Every sampler of tensors leaves the joint distribution of factors, dispersion and data as it is. Extended:
# about five minutes.

priors <- list(
  theta1 = gamma_prior(1.2, 1), theta2 = gamma_prior(0.8, 0.7), theta3 = gamma_prior(1, 0.9)
)
extents <- c(3, 2, 3)
none <- matrix(FALSE, 3, 6)
per_row <- c(0.1, 0.35, 0.7)
estimated <- function(by) list(name = "nbinom1", prior = beta_prior(3, 5), by = by)
SWEEPS <- 1e5

# One index of each mode whole, and a single cell.
slices_missing <- function() {
  missing <- array(FALSE, extents)
  missing[2, , ] <- missing[, 1, ] <- missing[, , 3] <- missing[1, 2, 1] <- TRUE
  matrix(missing, extents[1])
}

for (scheme in c("collapsed", "bessel")) {
  test_that(paste("tensors,", scheme), {
    extended_only()
    expect_joint_law(tensor_of(3), extents, 2, priors, 0.5, none, scheme, 411, sweeps = SWEEPS)
    expect_joint_law(
      tensor_of(3), extents, 2, priors, per_row, some_missing(extents), scheme, 412, sweeps = SWEEPS
    )
    expect_joint_law(
      tensor_of(3), extents, 2, priors, per_row, slices_missing(), scheme, 413, sweeps = SWEEPS
    )
  })
}

test_that("tensors, without noise, and with rates of their own", {
  extended_only()
  expect_joint_law(tensor_of(3), extents, 2, priors, 0, none, "collapsed", 414, sweeps = SWEEPS)
  random <- list(
    theta1 = gamma_prior(1.2, gamma_prior(9, 8)), theta2 = gamma_prior(0.8, 1),
    theta3 = gamma_prior(1, gamma_prior(8, 9))
  )
  expect_joint_law(
    tensor_of(3), extents, 2, random, 0.5, some_missing(extents), "collapsed", 415, sweeps = SWEEPS
  )
})

test_that("tensors of five modes and of two", {
  extended_only()
  shapes <- c(1.2, 0.8, 1, 1.1, 0.9)
  five <- stats::setNames(lapply(shapes, gamma_prior, rate = 1), paste0("theta", 1:5))
  dim <- c(2, 2, 1, 2, 2)
  expect_joint_law(
    tensor_of(5), dim, 2, five, c(0.3, 0.6), some_missing(dim), "collapsed", 416, sweeps = SWEEPS
  )
  expect_joint_law(
    tensor_of(2), c(4, 3), 2, priors[1:2], 0.5, some_missing(c(4, 3)), "collapsed", 417, sweeps = SWEEPS
  )
})

test_that("tensors, one dispersion, and one for each index of the first mode", {
  extended_only()
  expect_joint_law(tensor_of(3), extents, 2, priors, 0.4, none, "collapsed", 418,
    sweeps = SWEEPS, family = estimated("all")
  )
  for (by in c("all", "row")) {
    expect_joint_law(
      tensor_of(3), extents, 2, priors, per_row, some_missing(extents), "collapsed", 419,
      sweeps = SWEEPS, family = estimated(by)
    )
  }
})

test_that("tensors, with shapes and rates of their own", {
  extended_only()
  random <- list(
    theta1 = gamma_prior(gamma_prior(9, 8), gamma_prior(9, 8)), theta2 = gamma_prior(gamma_prior(10, 12), 1),
    theta3 = gamma_prior(1, gamma_prior(8, 9))
  )
  expect_joint_law(
    tensor_of(3), extents, 2, random, per_row, some_missing(extents), "collapsed", 431, sweeps = SWEEPS
  )
})
