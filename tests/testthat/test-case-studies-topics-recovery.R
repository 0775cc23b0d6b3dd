# What vignette("paper") says of known topics, on the stored numbers.

study <- stored_study("topics-recovery")
errors <- c("phi_mae", "mu_mae", "mu_kl")
# the results of a method, in the order of the units
of_method <- function(method) study$results[study$results$method == method, ]
private <- of_method("private")
naive <- of_method("naive")
# in how many sets, by length of documents and mean noise level, the private error is below the naive
wins <- function(error, prior) {
  better <- private[[error]] < naive[[error]]
  here <- private$prior == prior
  tapply(better[here], private[here, c("words", "alpha_mean")], sum)
}
by_row <- function(...) matrix(c(...), 2, byrow = TRUE)

test_that("every release has its three analyses", {
  expect_identical(nrow(private), nrow(study$units))
  expect_identical(private[names(study$units)], naive[names(study$units)], ignore_attr = TRUE)
  expect_equal(nrow(study$results), 3 * nrow(study$units))
})

test_that("private topics are closer in short documents and with the most noise", {
  # not a claim that holds throughout: long documents with little noise
  expect_equal(wins("phi_mae", "default"), by_row(5, 5, 5, 1, 3, 5), ignore_attr = TRUE)
  expect_equal(wins("phi_mae", "even"), by_row(5, 5, 5, 4, 5, 5), ignore_attr = TRUE)
})

test_that("private is below naive in MAE of the means, except for 3 of 60 releases", {
  expect_equal(wins("mu_mae", "default"), by_row(5, 5, 5, 3, 5, 5), ignore_attr = TRUE)
  expect_equal(wins("mu_mae", "even"), by_row(5, 5, 5, 4, 5, 5), ignore_attr = TRUE)
})

test_that("private is below naive in Poisson KL only with the most noise or with the even prior", {
  expect_equal(wins("mu_kl", "default"), by_row(2, 1, 5, 1, 1, 5), ignore_attr = TRUE)
  expect_equal(wins("mu_kl", "even"), by_row(3, 5, 5, 4, 4, 5), ignore_attr = TRUE)
})

test_that("two private runs stayed in a poor mode, and all others have far smaller errors", {
  quiet <- private[private$words == 100 & private$alpha_mean == 0.5, ]
  poor <- quiet$phi_mae > 0.04
  expect_identical(sum(poor), 2L)
  expect_lt(max(quiet$phi_mae[!poor]), 0.01)
})

test_that("with the most noise naive topics are about as bad as uniform ones", {
  own <- 5
  flat <- (own * abs(0.9 / own - 1 / 15) + 10 * abs(0.1 / 10 - 1 / 15)) / 15
  loud <- naive$alpha_mean == 0.9
  expect_gt(min(naive$phi_mae[loud]), 0.75 * flat)
  expect_lt(max(private$phi_mae[loud & naive$words == 100]), 0.5 * flat)
})
