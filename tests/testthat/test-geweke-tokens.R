# With scheme = "tokens" every sampler leaves the joint distribution of factors, relative rates, dispersion
# and data as it is. Extended: about five minutes. The means are such that rows are drawn by tokens, and at low
# noise cell by cell.

priors <- list(theta = gamma_prior(1.2, 2), phi = gamma_prior(0.8, 1))
blocks_priors <- list(theta = gamma_prior(1.5, 2), pi = gamma_prior(1.2, 1.5))
tensor_priors <- list(
  theta1 = gamma_prior(1.2, 1), theta2 = gamma_prior(0.8, 0.8), theta3 = gamma_prior(1, 1.2)
)
of_shape <- gamma_prior(gamma_prior(9, 8), gamma_prior(12, 8))
extents <- c(3, 2, 3)
per_row <- c(0.1, 0.4, 0.7, 0.6)
estimated <- function(by) list(name = "nbinom1", prior = beta_prior(3, 5), by = by)
groups <- utils::modifyList(check_groups(data.frame(g = c("a", "b", "b", "a")), 4), list(shape = 12))
SWEEPS <- 5e4

expect_tokens_joint_law <- function(model, dim, priors, alpha, seed, ..., missing = some_missing(dim)) {
  expect_joint_law(model, dim, 2, priors, alpha, missing, "tokens", seed, SWEEPS, ...)
}

test_that("topics by tokens", {
  extended_only()
  expect_tokens_joint_law(topics_model, c(4, 3), priors, 0.5, 611, missing = matrix(FALSE, 4, 3))
  expect_tokens_joint_law(topics_model, c(4, 3), priors, per_row, 612, groups = groups)
  expect_tokens_joint_law(topics_model, c(4, 3), list(theta = of_shape, phi = priors$phi), per_row, 613)
})

test_that("overdispersed topics by tokens", {
  extended_only()
  expect_tokens_joint_law(topics_model, c(4, 3), priors, per_row, 614, family = estimated("all"))
  expect_tokens_joint_law(topics_model, c(4, 3), priors, per_row, 615, family = estimated("row"))
  for (dispersion in c(1 / (1 - 0.5), 1.2, 8)) {
    fixed <- list(name = "nbinom1", dispersion = dispersion)
    expect_tokens_joint_law(topics_model, c(4, 3), priors, 0.5, 616, family = fixed)
  }
})

test_that("blocks by tokens", {
  extended_only()
  alpha <- c(per_row, 0.3)
  for (family in list(poisson_family, estimated("all"), estimated("row"))) {
    expect_tokens_joint_law(blocks_model, c(5, 5), blocks_priors, alpha, 617, family = family)
  }
  for (family in list(poisson_family, estimated("all"))) {
    expect_tokens_joint_law(undirected_model, c(5, 5), blocks_priors, 0.5, 618, family = family)
  }
})

test_that("tensors by tokens", {
  extended_only()
  for (family in list(poisson_family, estimated("all"), estimated("row"))) {
    expect_tokens_joint_law(tensor_of(3), extents, tensor_priors, per_row[1:3], 619, family = family)
  }
  expect_tokens_joint_law(tensor_of(2), c(4, 3), stats::setNames(priors, c("theta1", "theta2")), 0.5, 620)
})
