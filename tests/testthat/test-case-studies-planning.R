# What vignettes/articles/studies.Rmd says of people and privacy, on the stored numbers.

study <- stored_study("planning")

# the mean over repetitions, one row per budget and one column per number of people
score <- function(column, design, method) {
  here <- study$results[study$results$design == design & study$results$method == method, ]
  tapply(here[[column]], here[c("budget", "people")], mean)
}
both <- function(column, design) {
  list(private = score(column, design, "private"), naive = score(column, design, "naive"))
}

# Private less naive on the same releases: the mean over repetitions over its standard error.
paired_t <- function(column, design, margin = `-`, than = "naive",
                     summary = function(x) mean(x) / standard_error(x)) {
  here <- study$results[study$results$design == design, ]
  by <- c("people", "repetition", if (than == "naive") "budget")
  pairs <- merge(here[here$method == "private", c(union(by, "budget"), column)],
    here[here$method == than, c(by, column)], by = by)
  margins <- margin(pairs[[paste0(column, ".x")]], pairs[[paste0(column, ".y")]])
  tapply(margins, pairs[c("budget", "people")], summary)
}
log_ratio <- function(x, y) log(x / y)

test_that("standard errors of the agreement are at most 0.05, to two digits", {
  here <- study$results[study$results$method == "private", ]
  errors <- tapply(here$agreement, here[c("budget", "people", "design")], standard_error)
  expect_lt(max(errors, na.rm = TRUE), 0.055)
})

test_that("counts: groups are no longer found when the budget falls from 1 to 0.3", {
  share <- sweep(score("agreement", "counts", "private"), 2, score("agreement", "counts", "non-private"), `/`)
  expect_gt(min(share[c("1", "2", "4"), ]), 0.9)
  expect_gt(min(share["0.5", ]), 0.49)
  expect_lt(max(share["0.5", ]), 0.8)
  expect_gt(min(share["0.3", ]), 0.07)
  expect_lt(max(share["0.3", ]), 0.37)
  expect_lt(max(abs(share["0.1", ])), 0.01)
})

test_that("counts: more people help if the budget is 0.3 or 0.5", {
  found <- score("agreement", "counts", "private")
  expect_true(all(found[c("0.3", "0.5"), "450"] > found[c("0.3", "0.5"), "50"]))
})

test_that("with much noise the constant is the better estimate", {
  over_constant <- function(design) {
    sweep(score("kl", design, "private"), 2, score("kl", design, "mean")[1, ], `/`)
  }
  counts <- over_constant("counts")
  expect_gt(min(counts["0.1", ]), 3)
  expect_gt(min(counts["0.3", ]), 1)
  network <- over_constant("network")
  expect_lt(max(network["0.3", c("40", "80")]), 0.5)
  expect_lt(max(score("agreement", "network", "private")["0.3", ]), 0.1)
  expect_identical(network["0.1", ] < 1, c("20" = FALSE, "40" = FALSE, "80" = TRUE))
  expect_gt(network["0.1", "80"], 0.6)
  t <- paired_t("kl", "network", log_ratio, than = "mean")
  expect_gt(min(t["0.1", ]), -2)
  expect_gt(t["0.3", "40"], -2)
  expect_lt(t["0.3", "80"], -10)
})

test_that("network: few people are not enough, even without noise", {
  without <- score("agreement", "network", "non-private")
  expect_lt(max(without[, c("20", "40")]), 0.3)
  expect_gt(without[, "80"], 0.4)
  share <- score("agreement", "network", "private")[, "80"] / without[, "80"]
  expect_gt(share[["1"]], 0.55)
  expect_gt(share[["2"]], 0.7)
  expect_gt(share[["4"]], 1)
})

test_that("network: the naive analysis has worse means and finds groups less well", {
  kl <- both("kl", "network")
  expect_identical(length(kl$naive), 18L)
  expect_true(all(kl$naive > kl$private))
  agreement <- both("agreement", "network")
  less <- agreement$naive[, "80"] < agreement$private[, "80"]
  expect_true(all(less[c("1", "2", "4")]))
  t <- paired_t("agreement", "network")[c("1", "2", "4"), "80"]
  expect_true(all(t > 1.5 & t < 3))
})

test_that("counts: naive finds groups about as well, and has better means at eight of 18 points", {
  agreement <- both("agreement", "counts")
  expect_lt(max(abs(agreement$naive - agreement$private)), 0.12)
  difference <- paired_t("agreement", "counts", summary = mean)
  expect_lt(max(abs(paired_t("agreement", "counts")[abs(difference) > 0.01])), 2)
  expect_lt(max(paired_t("kl", "counts", log_ratio)["1", ]), -6)
  kl <- both("kl", "counts")
  better <- kl$naive < kl$private
  expect_identical(rowSums(better), c("0.1" = 0, "0.3" = 2, "0.5" = 1, "1" = 0, "2" = 2, "4" = 3))
  expect_true(all(kl$private["1", ] < kl$naive["1", ]))
  constant <- score("kl", "counts", "mean")[1, ]
  left <- sweep(pmin(kl$private, kl$naive), 2, constant, `/`)[c("0.3", "0.5"), ]
  expect_gt(min(left["0.3", ]), 1)
  expect_gt(min(left[better[c("0.3", "0.5"), ]]), 0.95)
  expect_lt(max((kl$private - kl$naive)[c("2", "4"), ]), 0.01)
})

test_that("the adjusted Rand index agrees with an example worked out by hand", {
  script <- new.env()
  sys.source(case_study_file("planning.R"), script)
  # of 15 pairs 3 are together in the one, 6 in the other, 2 in both; by lot 3 x 6 / 15 = 1.2 are
  expect_equal(script$adjusted_rand(c(1, 1, 2, 2, 3, 3), c(1, 1, 1, 2, 2, 2)), (2 - 1.2) / (4.5 - 1.2))
  expect_equal(script$adjusted_rand(c(1, 1, 2, 2), c(2, 2, 1, 1)), 1)
  expect_equal(script$adjusted_rand(c(1, 1, 1, 1), c(1, 1, 1, 1)), 1)
})
