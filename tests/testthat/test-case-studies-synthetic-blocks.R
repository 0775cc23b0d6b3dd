# What vignette("paper") and vignettes/articles/studies.Rmd say of simulated networks, on the stored numbers.

study <- stored_study("synthetic-blocks")
study$results$kind <- with(study$results, paste(network, precision, prior))

# private less another method on the same networks, summed up by kind of network and level
margins <- function(metric, than, summary, method = "private") {
  here <- study$results[study$results$metric == metric, ]
  by <- c("kind", "repetition", if (grepl("naive", than)) "epsilon")
  pairs <- merge(here[here$method == method, c(union(by, "epsilon"), "value")],
    here[here$method == than, c(by, "value")], by = by)
  tapply(pairs$value.x - pairs$value.y, pairs[c("kind", "epsilon")], summary)
}
below <- function(metric, than) margins(metric, than, function(x) sum(x < 0))
t_value <- function(metric, than) margins(metric, than, function(x) mean(x) / standard_error(x))
mean_count <- function(network) {
  of <- study$results$metric == "N" & study$results$network == network
  study$results$value[of]
}

test_that("the settings are the paper's, and the busy networks have a mean count of about 2 or more", {
  expect_identical(study$settings$epsilon, c(2.5, 1, 0.75))
  expect_identical(study$settings$shape[["busy"]], 0.01)
  expect_identical(unlist(study$settings[c("V", "k", "rate")]), c(V = 20, k = 5, rate = 0.5))
  expect_identical(max(study$units$repetition), 20L)
  expect_gt(min(mean_count("busy")), 1.9)
  expect_lt(max(mean_count("sparse")), 0.3)
})

test_that("private is closer than naive in every busy network, by both measures, with both priors", {
  for (metric in c("mae", "poisson_kl")) {
    expect_true(all(below(metric, "naive")[c("busy mean default", "busy mean own"), ] == 20))
  }
})

test_that("in visible networks the direction is the same, by more than two standard errors", {
  for (metric in c("mae", "poisson_kl")) {
    expect_lt(max(t_value(metric, "naive")["visible mean default", ]), -2)
    expect_gte(min(below(metric, "naive")["visible mean default", ]), 16)
  }
})

test_that("in sparse networks the paper's rule gives hardly any noise, and precision = 1 much", {
  for (metric in c("mae", "poisson_kl")) {
    expect_lt(max(abs(t_value(metric, "naive")["sparse mean default", ])), 2)
    expect_true(all(below(metric, "naive")["sparse one default", ] == 20))
  }
  changed <- 380 * 2 / (exp(1 / median(mean_count("sparse"))) + 1)
  expect_lt(changed, 0.02)
})

test_that("in sparse networks with precision 1, zero is close in MAE and infinitely far in KL", {
  margin <- margins("mae", "zero", mean)["sparse one default", ]
  expect_true(all(margin < 0 & margin > -0.07))
  infinite <- study$results$value[study$results$method == "zero" & study$results$metric == "poisson_kl"]
  expect_true(all(infinite == Inf))
})

test_that("a chain that starts at random may stay at a network without messages", {
  near_zero <- function(method) {
    here <- study$results[study$results$metric == "mae", ]
    pairs <- merge(here[here$method == method, ], here[here$method == "zero", ], by = c("kind", "repetition"))
    rowSums(tapply(pairs$value.x >= 0.98 * pairs$value.y, pairs[c("kind", "epsilon.x")], sum))
  }
  random <- near_zero("private, random start")
  expect_gt(random[["busy mean own"]], 20)
  expect_identical(random[["busy mean default"]], 1)
  naive <- near_zero("private")
  expect_true(all(naive[setdiff(names(naive), "sparse one default")] == 0))
  # where little is left of the data, from both starts
  expect_gt(min(naive[["sparse one default"]], random[["sparse one default"]]), 10)
})
