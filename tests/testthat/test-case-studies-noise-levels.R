# What vignette("paper") says of Poisson KL against alpha, on the stored numbers.

study <- stored_study("noise-levels")
priors <- c("true", "learned", "default")

# the mean over repetitions, one row per size of counts and one column per noise level
score <- function(column, noise, prior) {
  here <- study$results[study$results$noise == noise & study$results$prior == prior, ]
  tapply(here[[column]], here[c("scale", "alpha")], mean)
}
kl_ratio <- function(prior) score("kl", "model", prior) / score("kl", "ignore", prior)

# every private analysis beside the naive one of the same release with the same prior
pairs <- function(prior) {
  by <- c("repetition", "alpha", "scale")
  of <- function(noise) {
    study$results[study$results$noise == noise & study$results$prior == prior, c(by, "kl", "mae")]
  }
  merge(of("model"), of("ignore"), by = by, suffixes = c("_private", "_naive"))
}

test_that("private is below naive in MAE everywhere, whatever the prior", {
  for (prior in priors) {
    expect_identical(dim(kl_ratio(prior)), c(3L, 9L))
    both <- pairs(prior)
    expect_identical(nrow(both), 81L)
    expect_true(all(both$mae_private < both$mae_naive))
  }
})

test_that("with the prior that generated the data, private is below naive in KL everywhere", {
  both <- pairs("true")
  expect_true(all(both$kl_private < both$kl_naive))
  # and at most as bad as the best constant, but where counts are small and noise is largest
  worse <- score("kl", "model", "true") > score("kl", "mean", "none")[, 1]
  expect_identical(which(worse), which(row(worse) == 1 & col(worse) == 9))
})

test_that("with an estimated rate, private is below naive in KL in the mean over repetitions", {
  expect_true(all(kl_ratio("learned") < 1))
})

test_that("with the default prior, private is not below naive in KL at four of 27 points, two of them ties", {
  ratio <- kl_ratio("default")
  expect_identical(which(ratio >= 1), which(row(ratio) > 1 & col(ratio) %in% c(1, 9)))
  expect_lt(max(ratio[, 1]), 1.01)
  # where the prior is left in charge
  expect_lt(score("level", "model", "default")["1", "0.9"], 0.1)
})

test_that("the naive error exceeds that of the best constant at alpha 0.3 if counts are small", {
  worse <- score("kl", "ignore", "true")["0.2", ] > score("kl", "mean", "none")["0.2", ]
  expect_identical(unname(worse), rep(c(FALSE, TRUE), c(2, 7)))
})

test_that("at one of these four points private is above naive by more than a standard error", {
  here <- study$results[study$results$prior == "default", ]
  pairs <- merge(here[here$noise == "model", ], here[here$noise == "ignore", ],
    by = c("scale", "alpha", "repetition"))
  margins <- tapply(log(pairs$kl.x / pairs$kl.y), pairs[c("alpha", "scale")], function(x) {
    mean(x) / standard_error(x)
  })
  expect_identical(which(margins > 1), which(row(margins) == 9 & col(margins) == 3))
})
