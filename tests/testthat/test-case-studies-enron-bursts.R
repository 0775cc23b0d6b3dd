# What vignettes/articles/studies.Rmd says of classes of cells, on the stored numbers.

study <- stored_study("enron-bursts")
private <- c("3", "1", "0.5")

# of a family, one row per class of true counts, one column per analysis
by_class <- function(column, family) {
  here <- study$results[study$results$family == family, ]
  here$analysis <- ifelse(here$noise == "model", here$epsilon, here$noise)
  means <- tapply(here[[column]], here[c("class", "analysis")], mean)
  means[names(study$settings$from), c("none", private, "ignore")]
}
columns <- c("fitted", "total", "mae", "density")
poisson <- lapply(setNames(columns, columns), by_class, "poisson")

test_that("the Poisson model explains large counts by improbable noise, and nbinom1 does not", {
  expect_true(all(by_class("never_made", "poisson")[1, private] > 50))
  expect_true(all(by_class("never_made", "poisson")[1, c("1", "0.5")] > 200))
  expect_true(all(by_class("never_made", "nbinom1")[1, private] == 0))
})

test_that("Poisson estimates are too small for all but the largest counts, and smaller with more noise", {
  for (class in c("0", "1 to 10", "11 to 100")) {
    expect_true(all(poisson$fitted[class, private] < poisson$fitted[class, "none"]))
  }
  share <- (poisson$fitted / poisson$total)["11 to 100", ]
  expect_gt(share[["none"]], 0.75)
  expect_lt(share[["1"]], 0.6)
  expect_lt(share[["0.5"]], 0.5)
  # the largest are too many to be taken for noise
  expect_lt(max(abs(poisson$fitted["over 100", private] / poisson$fitted["over 100", "none"] - 1)), 0.1)
})

test_that("most of the gain of Poisson fits in MAE is in cells without messages", {
  for (level in c("1", "0.5")) {
    gain <- poisson$mae[, "none"] - poisson$mae[, level]
    expect_gt(gain[["0"]] / sum(gain), 2 / 3)
    expect_gt(sum(gain), 1)
  }
})

test_that("Poisson fits lose at least as much log density in cells with messages", {
  for (level in c("1", "0.5")) {
    gain <- poisson$density[, level] - poisson$density[, "none"]
    expect_gt(gain[["0"]], 0)
    expect_lt(max(gain[-1]), 0)
    expect_lt(sum(gain), -2)
  }
})

test_that("nbinom1 loses little to the noise", {
  density <- colSums(by_class("density", "nbinom1"))
  expect_lt(max(density[["none"]] - density[private]), 0.05)
  expect_gt(density[["1"]] - density[["ignore"]], 0.1)
})
