# What vignette("paper") and vignettes/articles/studies.Rmd say of the Enron network, on the stored numbers.

study <- stored_study("enron-methods")

# private less another method, in the mean over repetitions: one row per setting
margins <- function(metric, than, family = c("poisson", "nbinom1")) {
  both <- score_margins(study, metric, than)
  both <- both[both$family %in% family, ]
  aggregate(margin ~ held_out + family + k + epsilon, both, mean)
}
every_margin <- function(metric, than, family) {
  both <- score_margins(study, metric, than)
  both$margin[both$family == family]
}
families <- c("poisson", "nbinom1")

test_that("results have three methods at three levels, for both families and all repetitions", {
  expect_setequal(study$results$method, c("private", "naive", "non-private", "mean", "zero"))
  expect_setequal(study$results$epsilon[study$results$method == "private"], c(3, 1, 0.5))
  fits <- study$units[study$units$held_out == "active", ]
  expect_true(all(table(fits$family, fits$k) == length(unique(fits$repetition))))
  expect_setequal(fits$k, c(5, 10, 20))
  expect_gt(max(fits$repetition), 1)
})

test_that("private is below naive in MAE of seen cells everywhere", {
  expect_lt(max(margins("mae", "naive")$margin), 0)
  # and in every repetition where there is noise to speak of
  both <- score_margins(study, "mae", "naive")
  expect_lt(max(both$margin[both$epsilon < 3]), 0)
})

test_that("private is below naive in MAE of held-out cells, except for Poisson fits in one random tenth", {
  margin <- margins("held_out_mae", "naive")
  above <- margin[margin$margin >= 0, ]
  expect_identical(paste(above$held_out, above$family, above$epsilon), "random poisson 1")
  # it is one repetition in which that fit expects far too much of some cells
  each <- score_margins(study, "held_out_mae", "naive")
  each <- each$margin[each$held_out == "random" & each$family == "poisson" & each$epsilon == 1]
  expect_identical(sum(each > 0), 1L)
  expect_gt(max(each), 10)
})

test_that("Poisson: private is at or below non-private in MAE with 5 and 10 communities", {
  margin <- margins("mae", "non-private", "poisson")
  few <- margin$k < 20
  expect_lt(max(margin$margin[few]), 0)
  # not a claim that holds throughout
  most_noise <- margin$k == 20 & margin$epsilon == 0.5
  expect_gt(margin$margin[most_noise], 0.05)
  expect_lt(max(margin$margin[!few & !most_noise]), 0.02)
})

test_that("nbinom1: private and non-private MAE are close, with differences of both signs", {
  both <- score_margins(study, "mae", "non-private")
  both <- both[both$family == "nbinom1", ]
  both$relative <- both$margin / both$value_other
  relative <- aggregate(relative ~ held_out + k + epsilon, both, mean)$relative
  expect_lt(max(abs(relative)), 0.2)
  expect_gt(sum(relative > 0), 0)
  expect_gt(sum(relative < 0), 0)
})

test_that("nbinom1: private is above naive on held-out log density everywhere, in every repetition", {
  expect_gt(min(every_margin("held_out_density", "naive", "nbinom1")), 0)
  expect_lt(max(margins("poisson_kl", "naive", "nbinom1")$margin), 0)
})

test_that("Poisson: private is worse than naive by both proper scores, except for one tie", {
  expect_gt(min(margins("poisson_kl", "naive", "poisson")$margin), 0)
  margin <- margins("held_out_density", "naive", "poisson")
  above <- margin[margin$margin >= 0, ]
  expect_identical(paste(above$held_out, above$k, above$epsilon), "active 10 3")
  expect_lt(above$margin, 0.1)
})

test_that("the zero predictor is good by MAE, and bad by proper scores", {
  of_zero <- study$results[study$results$method == "zero", ]
  zero <- function(metric) unique(of_zero$value[of_zero$metric == metric])
  expect_identical(zero("poisson_kl"), Inf)
  expect_identical(zero("held_out_density"), -Inf)
  # no analysis predicts held-out links with a smaller absolute error
  for (family in families) expect_gt(min(every_margin("held_out_mae", "zero", family)), 0)
})

test_that("an overdispersed constant predicts the most active actors as well, and the others worse", {
  margin <- margins("held_out_density", "mean", "nbinom1")
  expect_lt(max(abs(margin$margin[margin$held_out == "active"])), 0.05)
  expect_gt(min(margin$margin[margin$held_out == "random"]), 0.1)
})

test_that("nbinom1 predicts held-out counts far better than Poisson", {
  density <- study$results[study$results$metric == "held_out_density", ]
  density <- density[density$held_out == "active", ]
  fits <- density$method %in% c("private", "naive", "non-private")
  worst <- min(density$value[density$family == "nbinom1" & density$method == "private"])
  expect_gt(worst - max(density$value[density$family == "poisson" & fits]), 9)
})

test_that("Poisson fits to the true counts are closer to the counts than nbinom1 fits", {
  here <- study$results[study$results$metric == "poisson_kl" & study$results$method == "non-private", ]
  kl <- tapply(here$value, here[c("held_out", "k", "family")], mean)
  expect_true(all(kl[, , "poisson"] < kl[, , "nbinom1"], na.rm = TRUE))
})
