# What vignettes/articles/studies.Rmd says of the number of documents, on the stored numbers.

study <- stored_study("trust-documents")

# the mean over repetitions, for each number of documents
error <- function(scored, precision = 1, noised = TRUE) {
  here <- study$results
  here <- here[here$scored == scored & here$precision == precision & is.na(here$epsilon) != noised, ]
  tapply(here$l1, here$N, mean)
}
none <- error("no topics", noised = FALSE)

test_that("with a thousand documents only local noise for words allows useful topics", {
  expect_lt(error("local")[["1000"]], none[["1000"]] / 2)
  expect_gt(error("variational")[["1000"]], 0.8 * none[["1000"]])
  expect_gt(error("spectral")[["1000"]], none[["1000"]])
})

test_that("the variational method is better with ten thousand documents, the spectral one with more", {
  expect_lt(error("variational")[["10000"]], error("local")[["10000"]])
  expect_gt(error("spectral")[["10000"]], error("local")[["10000"]])
  expect_lt(error("variational")[["1e+05"]], error("local")[["1e+05"]])
  expect_lt(error("spectral")[["1e+05"]], error("local")[["1e+05"]])
})

test_that("local noise for whole documents gives no useful topics", {
  expect_true(all(error("local", 60) > none[c("1000", "10000")]))
})

test_that("without noise topic_model() has a larger error, and more documents do not reduce it", {
  local <- error("local, no noise", noised = FALSE)
  expect_true(all(local > error("spectral, no noise", noised = FALSE)))
  expect_false(local[["1e+05"]] < local[["1000"]])
})
