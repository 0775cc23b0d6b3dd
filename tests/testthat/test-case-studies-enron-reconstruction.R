# What vignette("paper") and vignettes/articles/studies.Rmd say of the whole Enron network, on the stored numbers.

study <- stored_study("enron-reconstruction")

# private less another method on the same data, by number of communities and level
margins <- function(metric, than, family, summary = mean) {
  both <- score_margins(study, metric, than)
  both <- both[both$family == family, ]
  tapply(both$margin, both[c("k", "epsilon")], summary)
}
t_value <- function(x) mean(x) / standard_error(x)
mean_mae <- function(method, family, k) {
  of <- study$results$method == method & study$results$family == family & study$results$k == k
  mean(study$results$value[of & study$results$metric == "mae"])
}

test_that("results for the whole matrix have three methods, three levels and both families", {
  expect_identical(study$settings$epsilon, c(3, 1, 0.5))
  expect_setequal(study$results$metric, c("mae", "poisson_kl", "rhat"))
  expect_true(all(table(study$units$family, study$units$k) == 3))
})

test_that("Poisson: private is below naive and below non-private in MAE in every setting, as in the paper", {
  for (than in c("naive", "non-private")) {
    expect_lt(max(margins("mae", than, "poisson")), 0)
    # and decidedly so but for an epsilon of 3
    expect_lt(max(margins("mae", than, "poisson", t_value)[, c("0.5", "1")]), -2)
  }
})

test_that("zero has a smaller absolute error than the non-private fit with five communities", {
  expect_lt(mean_mae("zero", "poisson", 5), mean_mae("non-private", "poisson", 5))
  # by the divergence the private Poisson fits are worse than the naive ones
  expect_gt(min(margins("poisson_kl", "naive", "poisson")), 0)
  expect_gt(min(margins("poisson_kl", "naive", "poisson")[, c("0.5", "1")]), 2)
})

test_that("nbinom1: private is below naive by both measures, clearly so in all settings but one", {
  for (metric in c("mae", "poisson_kl")) {
    expect_lt(max(margins(metric, "naive", "nbinom1")), 0)
    t <- margins(metric, "naive", "nbinom1", t_value)
    expect_lt(max(replace(t, row(t) == 1 & col(t) == 3, -Inf)), -2) # five communities, epsilon of 3
    if (metric == "poisson_kl") expect_gt(t["5", "3"], -2)
  }
})
