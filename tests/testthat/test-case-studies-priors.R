# What vignettes/articles/studies.Rmd says of priors and of inference, on the stored numbers.

study <- stored_study("priors")

# the mean over repetitions, by rate, shape and budget
score <- function(column, inference) {
  here <- study$results[study$results$inference == inference, ]
  tapply(here[[column]], here[c("rate", "shape", "budget")], mean)
}
kl <- score("kl", "gibbs")
default <- with(study$results, inference == "gibbs" & rate == "one" & shape == 0.1)

test_that("with little noise all priors are useful, and with much noise the prior determines the result", {
  constant <- mean(study$results$kl_mean)
  expect_lt(max(kl[, , "2"]), constant / 5)
  expect_lt(max(kl[, , "2"]) / min(kl[, , "2"]), 2.5)
  expect_gt(max(kl[, , "0.3"]) / min(kl[, , "0.3"]), 5)
})

test_that("with much noise the default prior is no better than a constant", {
  noisy <- study$results[default & study$results$budget == 0.3, ]
  expect_gt(mean(noisy$kl - noisy$kl_mean), 0)
  expect_identical(sum(noisy$kl > noisy$kl_mean), 7L)
  expect_lt(score("level", "gibbs")["one", "0.1", "0.3"], 0.6)
})

# one column per shape, one row per repetition
by_repetition <- function(rate, budget) {
  here <- study$results[study$results$inference == "gibbs", ]
  here <- here[here$rate == rate & here$budget == budget, ]
  tapply(here$kl, here[c("repetition", "shape")], mean)
}

test_that("an estimated rate is at least as good at every shape, up to one standard error", {
  for (budget in c(0.3, 2)) {
    ratio <- log(by_repetition("learned", budget) / by_repetition("one", budget))
    error <- apply(ratio, 2, standard_error)
    expect_true(all(colMeans(ratio) < error))
    if (budget == 2) expect_identical(sum(colMeans(ratio) < -2 * error), 1L)
  }
  expect_lt(max(kl["learned", c("0.03", "0.1"), "0.3"] / kl["one", c("0.03", "0.1"), "0.3"]), 0.7)
  expect_gt(kl["learned", "0.03", "0.3"], mean(study$results$kl_mean))
})

test_that("the best shape is larger with more noise", {
  best <- function(rate, budget) names(which.min(kl[rate, , budget]))
  for (rate in c("one", "learned")) {
    expect_identical(best(rate, "0.3"), "1")
    expect_identical(best(rate, "2"), "0.3")
    # by more than two standard errors of the difference from any other shape
    for (budget in c(0.3, 2)) {
      each <- by_repetition(rate, budget)
      first <- best(rate, as.character(budget))
      less <- (each - each[, first])[, colnames(each) != first]
      expect_true(all(colMeans(less) > 2 * apply(less, 2, standard_error)))
    }
  }
})

test_that("variational estimates are worse, and their intervals too narrow, above all with much noise", {
  by_shape <- function(column, inference) score(column, inference)[, "0.1", ]
  ratio <- by_shape("kl", "cavi") / by_shape("kl", "gibbs")
  expect_gt(min(ratio), 1.5)
  expect_true(all(ratio[, "0.3"] > 3))
  expect_true(all(by_shape("covered", "cavi") < by_shape("covered", "gibbs") - 0.2))
  expect_lt(max(by_shape("covered", "cavi")[, "0.3"]), 0.25)
})
