# What vignettes/articles/studies.Rmd says of intervals, on the stored numbers.

study <- stored_study("calibration")

# Means over repetitions: one row per data set, one column per level.
covered <- function(quantity, noise, nominal, column = "covered") {
  here <- study$results
  here <- here[here$quantity == quantity & here$noise == noise & here$level == nominal, ]
  tapply(here[[column]], here[c("data", "epsilon")], mean)
}

test_that("private intervals of means have about the stated coverage", {
  half <- covered("mean", "model", 0.5)
  most <- covered("mean", "model", 0.9)
  expect_identical(dim(half), c(3L, 4L))
  expect_true(all(half > 0.44 & half < 0.62))
  expect_true(all(most > 0.8 & most < 0.95))
  expect_lt(abs(mean(half) - 0.5), 0.03)
  expect_lt(abs(mean(most) - 0.9), 0.03)
})

test_that("naive intervals of means have too low coverage, most of all with much noise", {
  most <- covered("mean", "ignore", 0.9)
  expect_true(all(most < 0.9))
  expect_true(all(most[c("blocks", "tensor"), "0.2"] < 0.2))
  expect_true(all(most < covered("mean", "model", 0.9)))
  # though they are about as narrow
  width <- covered("mean", "ignore", 0.9, "width") / covered("mean", "model", 0.9, "width")
  expect_true(all(width > 0.5 & width < 2))
})

test_that("private intervals of counts have at least the stated coverage", {
  for (nominal in c(0.5, 0.9)) {
    for (quantity in c("count", "hidden count")) {
      expect_identical(dim(covered(quantity, "model", nominal)), c(5L, 4L))
      expect_gt(min(covered(quantity, "model", nominal)), nominal - 0.01)
    }
  }
})

test_that("naive intervals of observed counts are single numbers, and those of hidden ones are wider", {
  expect_true(all(covered("count", "ignore", 0.9, "width") == 0))
  expect_lt(max(covered("count", "ignore", 0.9)[, c("0.2", "0.5", "1")]), 0.7)
  ratio <- covered("hidden count", "ignore", 0.9, "width") / covered("hidden count", "model", 0.9, "width")
  expect_gt(min(ratio[, c("0.2", "0.5", "1")]), 1)
})
