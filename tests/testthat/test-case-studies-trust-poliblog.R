# What vignettes/articles/studies.Rmd says of poliblog, on the stored numbers.

study <- stored_study("trust-poliblog")

# Scores less those without topics, of the same held-out documents: one row per fit.
above_none <- function(metric, method, precision = 1) {
  here <- study$results[study$results$metric == metric & study$results$precision == precision, ]
  none <- here[here$method == "no topics", ]
  of <- here[here$method == method, ]
  data.frame(epsilon = of$epsilon, margin = of$value - none$value[match(of$repetition, none$repetition)])
}

test_that("local topics with precision 1 beat none, and from epsilon 10 are as good as without noise", {
  local <- above_none("log_lik", "local")
  expect_identical(nrow(local), 9L)
  expect_gt(min(local$margin), 0)
  expect_gt(min(above_none("npmi", "local")$margin), 0)
  free <- above_none("log_lik", "local, no noise")$margin
  expect_lt(max(abs(tapply(local$margin, local$epsilon, mean)[c("10", "100")] - mean(free))), 0.02)
})

test_that("local topics with whole documents protected are worse than none, even at epsilon 100", {
  local <- above_none("log_lik", "local", 1932)
  expect_identical(local$epsilon, c(1, 10, 100))
  expect_lt(max(local$margin), 0)
})

test_that("the spectral method is worse than none at each level, and better without noise", {
  spectral <- above_none("log_lik", "spectral")
  expect_identical(nrow(spectral), 9L)
  expect_lt(max(spectral$margin), 0)
  expect_gt(min(above_none("log_lik", "spectral, no noise")$margin), 0)
})

test_that("the variational method is worse than none at epsilon 1, and better from 10", {
  variational <- above_none("log_lik", "variational")
  expect_lt(max(variational$margin[variational$epsilon == 1]), 0)
  expect_gt(min(variational$margin[variational$epsilon >= 10]), 0)
  free <- mean(above_none("log_lik", "variational, no noise")$margin)
  expect_true(all(tapply(variational$margin, variational$epsilon, mean) < free))
})

test_that("coherence is largest without topics, and NPMI is not", {
  here <- study$results[study$results$precision == 1, ]
  best <- function(metric) {
    means <- with(here[here$metric == metric, ], tapply(value, method, mean))
    names(means)[which.max(means)]
  }
  expect_identical(best("coherence"), "no topics")
  expect_false(best("npmi") == "no topics")
})
