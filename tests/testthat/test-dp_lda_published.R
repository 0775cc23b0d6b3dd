# Documents of three words, 16 f of them: the two largest eigenvalues of M2 lie near one another.
tied_corpus <- function(f, changed = FALSE) {
  y <- rbind(c(4, 0, 0), c(0, 4, 0), c(2, 2, 0))[rep(1:3, c(5, 5, 6) * f), ]
  if (changed) y[1, ] <- c(0, 4, 0)
  y
}

# How far T moves, in the best order of its coordinates and with the best signs.
tensor_distance <- function(one, other) {
  one <- unpack_triples(one, 2)
  other <- unpack_triples(other, 2)
  min(vapply(0:7, function(i) {
    signs <- c(1, -1)[1 + bitwAnd(i %/% c(1, 2), 1)]
    order <- if (i < 4) 1:2 else 2:1
    turned <- other[order, order, order] * (signs %o% signs %o% signs)
    sqrt(sum((one - turned)^2))
  }, 0))
}

test_that("the published sensitivity of T is wrong", {
  for (case in list(c(10, 1.6), c(100, 0.115), c(1000, 0.0113))) {
    one <- exact_whitening(spectral_task(tied_corpus(case[1]), 2, 1))
    other <- exact_whitening(spectral_task(tied_corpus(case[1], TRUE), 2, 1))
    published <- published_tensor(spectral_task(tied_corpus(case[1]), 2, 1), one$s[2])
    expect_equal(published, case[2], tolerance = 0.03)
    expect_gt(tensor_distance(one$tensor, other$tensor), 1.9)
  }
})

test_that("published configurations run, and are marked as not private", {
  set.seed(1)
  mu <- random_topics(12, 2, 0.5)
  y <- lda_corpus(2000, mu, c(.7, .3), 10:30)
  for (config in paste0("pub", 1:4)) {
    fit <- dp_lda_spectral(y, 2, 1, 1e8, 1e-6, config = config, calibration = "zcdp", rng = "R")
    expect_false(fit$refused)
    expect_false(fit$private)
    expect_lt(topics_error(fit$mu, mu), 0.2)
    expect_output(print(fit), "Not private: published configuration")
    expect_within(fit$ledger$sensitivity / fit$ledger$sigma, fit$ledger$mu, TOL_EXACT)
  }
  quantities <- function(config) {
    fit <- dp_lda_spectral(y, 2, 1, 1e8, 1e-6, config = config, calibration = "zcdp", rng = "R")
    fit$ledger[c("edge", "quantity")]
  }
  expect_identical(quantities("pub1")$edge, c("e3", "e4", "e8"))
  expect_identical(quantities("pub2")$quantity, c("sigma_k", "T", "M2"))
  expect_identical(quantities("pub3")$quantity, c("sigma_k", "gamma_s", "lambda", "v", "M2"))
  expect_identical(quantities("pub4")$quantity, c("sigma_1", "sigma_k", "gamma_s", "mu", "alpha"))
})

test_that("published configurations give no topics if their bounds do not hold", {
  set.seed(2)
  y <- lda_corpus(50, random_topics(12, 2, 0.5), c(.5, .5), 10:30)
  for (config in paste0("pub", 2:4)) {
    expect_true(dp_lda_spectral(y, 2, 1, 0.1, 1e-6, config = config, rng = "R")$refused)
  }
})
