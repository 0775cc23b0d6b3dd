# What vignettes/articles/studies.Rmd says of the eigenvalues of M2, on the stored numbers.

study <- stored_study("trust-eigenvalues")
drawn <- study$results[study$results$data == "drawn", ]
# the mean over repetitions, one row per number of topics and one column per concentration
score <- function(column) tapply(drawn[[column]], drawn[c("k", "alpha0")], mean)

test_that("the k-th eigenvalue falls with k, more than a hundredfold from 2 to 8", {
  value <- score("value")
  expect_false(anyNA(value))
  expect_true(all(diff(value) < 0))
  expect_gt(min(value[1, ] / value[7, ]), 100)
})

test_that("the k-th eigenvalue falls with alpha0 as 1 / (alpha0 + 1), and rises if scaled as in the paper", {
  value <- score("value")
  expect_true(all(apply(value, 1, diff) < 0))
  ratio <- value[, "0.1"] / value[, "10"]
  expect_true(all(ratio > 8.5 & ratio < 10.5))
  expect_true(all(apply(score("scaled"), 1, diff) > 0))
})

test_that("the noise at epsilon 1 exceeds it from five topics at alpha0 = 1, and from seven at any alpha0", {
  ratio <- score("value") / score("noise")
  expect_identical(unname(ratio[, "1"] < 1), c(FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, TRUE))
  expect_true(all(ratio[c("7", "8"), ] < 1))
  expect_false(all(ratio["6", ] < 1))
})

test_that("poliblog: the noise is over 180 times the first eigenvalue, and over 3000 times the tenth", {
  poliblog <- study$results[study$results$data == "poliblog", ]
  share <- poliblog$noise / poliblog$value
  expect_gt(min(share), 180)
  expect_gt(min(share[poliblog$which == 10]), 3000)
})
