# Chains of a fit: kept, dropped, added, and without their early draws.

chained <- function(chains = 3, iter = 40, ...) {
  set.seed(911)
  y <- private_counts(matrix(rpois(60, 2), 10) - 1L, alpha = 0.3)
  topic_model(y, 2, iter = iter, chains = chains, progress = FALSE, ...)
}

test_that("chains are kept in the given order, by name or position, with their draws", {
  fit <- chained()
  expect_identical(names(fit$chains), c("1", "2", "3"))
  some <- subset(fit, chains = c("3", "1"))
  expect_identical(some$log_density, fit$log_density[, c(3, 1)])
  expect_identical(some$chains, fit$chains[c("3", "1")])
  expect_identical(some$draws$phi, fit$draws$phi[, , c(41:60, 1:20)])
  expect_identical(subset(some, chains = "1"), subset(some, chains = 2))
  expect_identical(n_draws(some), 40L)
  expect_equal(some$run$dropped, 1)
  expect_equal(subset(some, chains = 1)$run$dropped, 2)
  # each goes on as it would have among the others
  longer <- update(fit, iter = 10)
  expect_identical(update(some, iter = 10)$log_density, longer$log_density[, c(3, 1)])
  for (chains in list("4", 0, 4, c(1, 1), NA, character(), TRUE, 1.5, list(1))) {
    expect_refused(subset(fit, chains = chains), "`chains` must be different chains", "\"1\", \"2\", \"3\"")
  }
  expect_error(subset(fit), "chains")
  expect_refused(subset(chained(inference = "cavi"), chains = 1), "variational inference has no chains")
})

test_that("added chains have the same length, and draw one random number", {
  fit <- chained(iter = 30)
  set.seed(912)
  more <- update(fit, chains = 2)
  after <- runif(1)
  set.seed(912)
  runif(1)
  expect_identical(after, runif(1))
  expect_identical(names(more$chains), as.character(1:5))
  expect_identical(said(subset(more, chains = 1:3))$draws, fit$draws)
  expect_identical(more$run$chains, 5L)
  expect_identical(dim(more$log_density), c(15L, 5L))
  expect_identical(anyDuplicated(more$log_density[1, ]), 0L)
  # they are what a fit of the same seed and length would have
  set.seed(912)
  alone <- topic_model(fit$data, 2, iter = 30, chains = 2)
  expect_identical(more$log_density[, 4:5], alone$log_density)
  # names are not used twice
  expect_identical(names(update(subset(more, chains = "5"), chains = 1)$chains), c("5", "6"))
  # with further sweeps they are as long as the others have become
  both <- update(fit, iter = 10, chains = 1)
  expect_identical(both$run[c("iter", "kept", "chains")], list(iter = 40L, kept = 25L, chains = 4L))
})

test_that("early draws are dropped in whole steps of thin", {
  fit <- chained(iter = 60, warmup = 20, thin = 3)
  expect_identical(fit$run$kept, 13L)
  less <- update(fit, warmup = 30)
  expect_identical(less$run[c("warmup", "kept")], list(warmup = 32L, kept = 9L))
  expect_identical(less$log_density, fit$log_density[5:13, ])
  expect_identical(less$draws$theta[, , 10:18], fit$draws$theta[, , 13 + 5:13])
  expect_identical(said(update(fit, warmup = 20)), said(fit))
  # and the run goes on as a longer one of that warmup would
  expect_identical(update(less, iter = 9)$log_density, update(fit, iter = 9)$log_density[5:16, ])
  expect_identical(said(update(fit, iter = 9, warmup = 32)), said(update(less, iter = 9)))
  # also all that the fit has drawn, as the verdict advises
  last <- update(fit, iter = 60, warmup = 60)
  expect_identical(last$run[c("iter", "warmup", "kept")], list(iter = 120L, warmup = 62L, kept = 19L))
  expect_identical(last$log_density, update(fit, iter = 60)$log_density[15:33, ])
  expect_refused(update(fit, iter = 60, warmup = 120), "`warmup` must be from 20")
  expect_refused(update(fit, warmup = 10), "`warmup` must be from 20")
  expect_refused(update(fit, warmup = 59), "so that draws are left")
})

test_that("invalid calls throw errors before any computation", {
  fit <- chained()
  expect_refused(update(fit, chains = 0), "`chains` must be one whole number")
  expect_refused(update(fit, warmup = -1), "`warmup`")
  file <- tempfile()
  expect_refused(update(fit, iter = 1, chains = 1, checkpoint = file), "exactly one of `iter`, `chains` and `until`")
  expect_refused(update(fit, warmup = 30, checkpoint = file), "exactly one of `iter`, `chains` and `until`")
  expect_false(file.exists(file))
  expect_refused(update(chained(inference = "cavi"), chains = 1), "variational inference has no chains")
  expect_refused(update(chained(inference = "cavi"), warmup = 1), "variational inference has no chains")
})

test_that("added chains continue from a checkpoint", {
  fit <- chained(iter = 30)
  file <- tempfile(fileext = ".rds")
  set.seed(913)
  whole <- update(fit, chains = 2, checkpoint = file)
  set.seed(914) # the seed comes from the file
  expect_identical(said(update(fit, chains = 2, checkpoint = file)), said(whole))
})
