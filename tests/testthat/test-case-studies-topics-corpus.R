# What vignette("topics-from-private-documents") says of a real corpus, on the stored numbers.

study <- stored_study("topics-corpus")
# the values of a metric, a row a release, a column a method
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

test_that("counts in bursts have the larger density, whatever the method and the level", {
  here <- study$results[study$results$metric == "held_out_density", ]
  here <- here[here$method != "zero", ]
  of <- function(family) here[here$family == family, c("method", "epsilon", "value")]
  expect_identical(of("nbinom1")[1:2], of("poisson")[1:2], ignore_attr = TRUE)
  expect_true(all(of("nbinom1")$value > of("poisson")$value))
  # and the naive analysis of them is below the mean predictor, but for the least noise
  naive <- here[here$family == "nbinom1" & here$method == "naive", ]
  below <- naive$value < without_level("held_out_density", "mean")[["nbinom1"]]
  expect_identical(below, naive$epsilon < 3)
})

test_that("private is above naive in NPMI everywhere", {
  npmi <- by_release("npmi")
  expect_true(all(npmi[, "private"] > npmi[, "naive"]))
  # at epsilon 3 even above non-private
  for (family in c("poisson", "nbinom1")) {
    here <- startsWith(rownames(npmi), paste(family, 3))
    expect_gt(mean(npmi[here, "private"]), without_level("npmi", "non-private")[[family]])
  }
})

test_that("in coherence it is not, with Poisson counts and the least noise", {
  coherence <- by_release("coherence")
  worse <- rownames(coherence)[coherence[, "private"] < coherence[, "naive"]]
  expect_identical(worse, "poisson 3 1")
  plain <- without_level("coherence", "non-private")[["poisson"]]
  expect_lt(plain, coherence["poisson 3 1", "naive"])
})

test_that("private is below non-private in MAE and above it in Poisson KL", {
  for (family in c("poisson", "nbinom1")) {
    mae <- by_release("mae")
    here <- startsWith(rownames(mae), family)
    expect_true(all(mae[here, "private"] < without_level("mae", "non-private")[[family]]))
    kl <- by_release("poisson_kl")[here, "private"]
    expect_true(all(kl > without_level("poisson_kl", "non-private")[[family]]))
    # naive at epsilon 1 is above the mean predictor
    naive <- by_release("poisson_kl")[paste(family, 1, 1), "naive"]
    expect_gt(naive, without_level("poisson_kl", "mean")[[family]])
  }
})

test_that("the runs were too short to have settled", {
  rhat <- study$results$value[study$results$metric == "rhat"]
  expect_gt(min(rhat), 1.05)
})
