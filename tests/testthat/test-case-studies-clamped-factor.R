# What vignette("paper") says of the clamped factor, on the stored numbers.

study <- stored_study("clamped-factor")
# by size of counts, privacy and way, the mean over repetitions at a sweep
at_sweep <- function(column, sweep) {
  here <- study$results[study$results$sweep == sweep, ]
  tapply(here[[column]], here[c("scale", "epsilon", "way")], mean)
}
total <- at_sweep("mean_total", study$settings$sweeps)
private <- c("bessel", "collapsed")

test_that("samplers that model the noise have the right mean", {
  expect_lt(max(abs(total["3", , private] - 1)), 0.02)
  expect_lt(max(abs(total["0.3", c("1", "2"), private] - 1)), 0.1)
  # not a claim that holds throughout: with the most noise and small counts the prior pulls
  expect_gt(min(1 - total["0.3", "0.5", private]), 0.1)
  expect_lt(max(1 - total["0.3", "0.5", private]), 0.25)
})

test_that("the naive sampler is biased, and the bias grows with the noise", {
  naive <- total[, , "naive"]
  for (way in private) expect_true(all(abs(total[, , way] - 1) < naive - 1))
  expect_gt(min(naive["0.3", ]), 1.4)
  expect_gt(max(naive["0.3", ]), 4)
  expect_true(all(apply(naive, 1, diff) < 0)) # columns: epsilon of 0.5, 1, 2
  expect_lt(max(abs(naive / at_sweep("mean_total", 50)[, , "naive"] - 1)), 0.02)
})

test_that("errors of single weights are smaller, except for a tie with hardly any noise", {
  error <- at_sweep("mean_error", study$settings$sweeps)
  better <- apply(error[, , private], 1:2, max) < error[, , "naive"]
  expect_identical(which(!better), which(row(better) == 2 & col(better) == 3)) # mean 3, epsilon 2
  expect_lt(max(error["3", "2", private] / error["3", "2", "naive"]), 1.05)
})

test_that("private chains that start ten times too high are close within thirty sweeps", {
  expect_true(all(at_sweep("total", 0) > 9))
  expect_lt(max(at_sweep("total", 30)[, , private]), 1.25)
})

test_that("three repetitions distinguish collapsed and naive errors in four of six settings", {
  last <- study$results[study$results$sweep == study$settings$sweeps, ]
  pairs <- merge(last[last$way == "collapsed", ], last[last$way == "naive", ],
    by = c("scale", "epsilon", "repetition"))
  t <- tapply(pairs$mean_error.x - pairs$mean_error.y, pairs[c("scale", "epsilon")], function(x) {
    mean(x) / standard_error(x)
  })
  decided <- rbind("0.3" = c(TRUE, TRUE, TRUE), "3" = c(TRUE, FALSE, FALSE)) # epsilon of 0.5, 1, 2
  expect_true(all(t[decided] < -3))
  expect_true(all(t[!decided] > -2 & t[!decided] < 0))
})
