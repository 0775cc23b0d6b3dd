# What vignette("communities-in-a-private-network") says of simulated networks, on the stored numbers.

study <- stored_study("synthetic-blocks")

# how many of the twenty networks have a private score below that of another method: a row a kind of
# network, a column a privacy level
below <- function(metric, than) {
  both <- score_margins(study, metric, than)
  tapply(both$margin < 0, both[c("network", "epsilon")], sum)
}
mean_margin <- function(metric, than) {
  both <- score_margins(study, metric, than)
  tapply(both$margin, both[c("network", "epsilon")], mean)
}

test_that("private is below naive in MAE in every network, but where there is hardly any noise", {
  expect_identical(max(study$units$repetition), 20L)
  count <- below("mae", "naive")
  expect_true(all(count["paper", ] == 20))
  expect_true(all(count["visible", c("0.5", "1")] == 20))
  # the exception: a tie, in the mean just below
  expect_identical(count[["visible", "3"]], 12L)
  expect_true(all(mean_margin("mae", "naive") < 0))
  expect_gt(mean_margin("mae", "naive")["visible", "3"], -0.01)
})

test_that("private is below naive in divergence in the mean, with the same exception", {
  margin <- mean_margin("poisson_kl", "naive")
  expect_true(all(margin["paper", ] < 0))
  expect_true(all(margin["visible", c("0.5", "1")] < 0))
  expect_gt(margin["visible", "3"], 0)
  expect_lt(margin["visible", "3"], 0.01)
  expect_true(all(below("poisson_kl", "naive")["paper", ] == 20))
})

test_that("the zero predictor flatters: in the paper's networks it is often below private in MAE", {
  count <- below("mae", "zero")
  expect_identical(count[["paper", "0.5"]], 6L)
  expect_true(all(count["visible", ] == 20))
  infinite <- study$results$value[study$results$method == "zero" & study$results$metric == "poisson_kl"]
  expect_true(all(infinite == Inf))
})

test_that("the mean predictor has larger divergence than private, but for much noise", {
  count <- below("poisson_kl", "mean")
  expect_true(all(count[, c("1", "3")] == 20))
  expect_identical(as.vector(count[, "0.5"]), c(12L, 17L))
})
