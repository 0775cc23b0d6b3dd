# What vignettes/articles/studies.Rmd says of the error against epsilon, on the stored numbers.

study <- stored_study("trust-errors")
results <- study$results
all_levels <- study$settings$epsilon

# the mean over repetitions, one row per kind of documents (short, long) and one column per level
error <- function(method, levels = all_levels) {
  here <- results[results$method == method & results$epsilon %in% levels, ]
  tapply(here$l1, list(here$from, here$epsilon), mean)
}
uniform <- error("uniform", Inf)[, 1]

test_that("the length of documents hardly matters for the spectral method", {
  for (method in c("spectral 1", "spectral 2")) {
    ratio <- error(method)["1e+05", ] / error(method)["50", ]
    expect_true(all(ratio > 1 / 1.5 & ratio < 1.5))
  }
})

# the error of a spectral method less that of the variational one, over its standard error
paired <- function(method, summary) {
  pairs <- merge(results[results$method == method, ], results[results$method == "variational", ],
    by = c("from", "epsilon", "repetition"))
  tapply(pairs$l1.x - pairs$l1.y, pairs[c("from", "epsilon")], summary)
}

test_that("the variational method is better at epsilon 0.1 and 0.3, and not clearly so from 1 to 10", {
  variational <- error("variational")
  expect_identical(dim(variational), c(2L, 5L))
  for (method in c("spectral 1", "spectral 2")) {
    expect_true(all(paired(method, function(x) sum(x > 0))[, c("0.1", "0.3")] == 3))
    t <- paired(method, function(x) mean(x) / standard_error(x))
    expect_gt(min(t[, c("0.1", "0.3")]), 2)
    expect_lt(max(abs(t[, c("1", "3", "10")])), 2)
    expect_true(all(t[, c("1", "3")] > 0 & t[, "10"] < 0))
  }
  # where there is no noise too
  expect_true(all(error("variational", Inf) > error("spectral 1", Inf)))
  # more noise is better: it is the start that matters
  expect_true(all(variational[, "10"] > variational[, "3"]))
})

test_that("local noise for words leaves useful topics, local noise for documents none at epsilon 1", {
  expect_true(all(error("local", c(0.1, 1, 10)) < uniform / 2))
  document <- error("local document", c(1, 10))
  expect_true(all(document[, "1"] > 0.8 * uniform))
  expect_lt(document["50", "10"], 0.6 * uniform[["50"]])
  expect_gt(document["1e+05", "10"], 0.9 * uniform[["1e+05"]])
})
