# What vignette("paper") says of a real corpus, on the stored numbers.

study <- stored_study("topics-corpus")
# the values of a metric, one row per release, one column per method
by_release <- function(metric) {
  here <- study$results[study$results$metric == metric & !is.na(study$results$epsilon), ]
  tapply(here$value, list(paste(here$family, here$epsilon, here$repetition), here$method), identity)
}
# those of methods without a privacy level
without_level <- function(metric, method) {
  here <- study$results$metric == metric & study$results$method == method
  tapply(study$results$value[here], study$results$family[here], mean)
}

test_that("every release has its analyses", {
  n <- nrow(study$units) * length(study$settings$epsilon)
  for (metric in c("mae", "poisson_kl", "held_out_density", "npmi", "coherence")) {
    expect_identical(dim(by_release(metric)), c(n, 2L))
    expect_false(anyNA(by_release(metric)))
  }
})

test_that("private is below naive in MAE and in Poisson KL, everywhere", {
  for (metric in c("mae", "held_out_mae", "poisson_kl")) {
    expect_true(all(by_release(metric)[, "private"] < by_release(metric)[, "naive"]))
  }
})

test_that("zero has a smaller MAE than any analysis, and an infinite divergence", {
  mae <- study$results[study$results$metric == "mae" & study$results$method != "zero", ]
  expect_gt(min(mae$value), max(without_level("mae", "zero")))
  expect_true(all(without_level("poisson_kl", "zero") == Inf))
})

test_that("private is above naive in held-out log density, everywhere", {
  density <- by_release("held_out_density")
  expect_true(all(density[, "private"] > density[, "naive"]))
})

test_that("nbinom1 has a larger held-out density than Poisson, for all methods and levels", {
  here <- study$results[study$results$metric == "held_out_density", ]
  here <- here[here$method != "zero", ]
  of <- function(family) here[here$family == family, c("method", "epsilon", "value")]
  expect_identical(of("nbinom1")[1:2], of("poisson")[1:2], ignore_attr = TRUE)
  expect_true(all(of("nbinom1")$value > of("poisson")$value))
  # and the naive analysis is below the mean predictor from epsilon 2 on, that of Poisson counts at 1
  for (family in c("poisson", "nbinom1")) {
    naive <- here[here$family == family & here$method == "naive", ]
    below <- naive$value < without_level("held_out_density", "mean")[[family]]
    expect_identical(below, naive$epsilon < if (family == "poisson") 2 else 3)
  }
})

test_that("private topics are better than naive ones only with much noise", {
  wins <- function(metric) {
    values <- by_release(metric)
    level <- vapply(strsplit(rownames(values), " "), `[[`, "", 2)
    c(tapply(values[, "private"] > values[, "naive"], level, sum))
  }
  expect_identical(wins("npmi"), c(`1` = 10L, `2` = 5L, `3` = 2L))
  expect_identical(wins("coherence"), c(`1` = 10L, `2` = 6L, `3` = 7L))
  # five releases do not tell at 2 and 3: one of eight differences is above two standard errors
  t <- sapply(c("npmi", "coherence"), function(metric) {
    both <- score_margins(study, metric, "naive")
    tapply(both$margin, both[c("family", "epsilon")], function(x) mean(x) / standard_error(x))
  }, simplify = "array")
  expect_gt(min(t[, "1", ]), 4)
  expect_identical(sum(abs(t[, c("2", "3"), ]) > 2), 1L)
})

test_that("private is below non-private in MAE and above it in Poisson KL", {
  for (family in c("poisson", "nbinom1")) {
    mae <- by_release("mae")
    here <- startsWith(rownames(mae), family)
    expect_true(all(mae[here, "private"] < without_level("mae", "non-private")[[family]]))
    kl <- by_release("poisson_kl")[here, "private"]
    expect_true(all(kl > without_level("poisson_kl", "non-private")[[family]]))
    # naive at epsilon 1 is above the mean predictor
    naive <- by_release("poisson_kl")[paste(family, 1, 1:5), "naive"]
    expect_gt(min(naive), without_level("poisson_kl", "mean")[[family]])
  }
})

test_that("half of the private fits have converged, and no naive one", {
  rhat <- study$results[study$results$metric == "rhat", ]
  settled <- c(tapply(rhat$value <= 1.05, rhat$method, sum))
  expect_identical(
    settled[c("private", "naive", "non-private")], c(private = 16L, naive = 0L, `non-private` = 4L)
  )
})
