# What vignette("whom-must-you-trust") says of the number of documents, on the stored numbers.

study <- stored_study("trust-documents")

# the mean over repetitions, for each number of documents
error <- function(scored, precision = 1, noised = TRUE) {
  here <- study$results
  here <- here[here$scored == scored & here$precision == precision & is.na(here$epsilon) != noised, ]
  tapply(here$l1, here$N, mean)
}
none <- error("no topics", noised = FALSE)

test_that("with a thousand documents noise for words alone leaves anything", {
  expect_lt(error("local")[["1000"]], none[["1000"]] / 2)
  expect_gt(error("variational")[["1000"]], 0.8 * none[["1000"]])
  expect_gt(error("spectral")[["1000"]], none[["1000"]])
})

test_that("with ten thousand the variational method has overtaken it, and then the spectral one", {
  expect_lt(error("variational")[["10000"]], error("local")[["10000"]])
  expect_gt(error("spectral")[["10000"]], error("local")[["10000"]])
  expect_lt(error("variational")[["1e+05"]], error("local")[["1e+05"]])
  expect_lt(error("spectral")[["1e+05"]], error("local")[["1e+05"]])
})

test_that("noise for whole documents on each side is no choice", {
  expect_true(all(error("local", 60) > none[c("1000", "10000")]))
})

test_that("without noise topic_model() is further from the truth, and more documents do not help it", {
  local <- error("local, no noise", noised = FALSE)
  expect_true(all(local > error("spectral, no noise", noised = FALSE)))
  expect_false(local[["1e+05"]] < local[["1000"]])
})
