# What vignette("paper") says of time and accuracy of the schemes, on the stored numbers.

study <- stored_study("schemes")
path <- study$results[study$results$scheme != "reference", ]
accuracy <- with(study$results[study$results$scheme == "reference", ], tapply(error, data, max))
last <- path[path$sweep == ave(path$sweep, path$scheme, path$data, FUN = max), ]
# seconds per sweep, the mean of the repetitions; and each repetition's error at the end
cost <- tapply(last$seconds / last$sweep, last[c("scheme", "data")], mean)
end <- tapply(last$error, last[c("data", "scheme", "repetition")], mean)
errors <- function(data, scheme, sweeps) {
  path$error[path$data == data & path$scheme == scheme & path$sweep %in% sweeps]
}

test_that("a Bessel sweep takes about 6 and 17 times as long as a collapsed one", {
  expect_identical(round(cost["bessel", ] / cost["collapsed", ]), c(enron_network = 6, poliblog = 17))
})

test_that("the collapsed sampler has the smallest error at the end, and no error is below the reference's", {
  others <- setdiff(dimnames(end)$scheme, "collapsed")
  expect_true(all(apply(end[, others, ], c(1, 3), min) > end[, "collapsed", ]))
  least <- tapply(path$error, path$data, min)
  expect_true(all(least > accuracy[names(least)]))
})

test_that("network: CAVI is the first to reach a rough answer, and does not improve it", {
  early <- path[path$data == "enron_network" & path$seconds <= 0.035, ]
  expect_true(all(tapply(early$error, early$repetition, min) == end["enron_network", "CAVI, collapsed", ]))
  expect_setequal(round(end["enron_network", "CAVI, collapsed", ], 2), 0.02)
  expect_setequal(round(end["enron_network", "CAVI, bessel", ], 2), c(0.04, 0.05))
  expect_setequal(round(end["enron_network", "CAVI, delta", ], 2), c(0.03, 0.04))
  for (scheme in c("CAVI, bessel", "CAVI, delta")) {
    expect_true(all(end["enron_network", scheme, ] > errors("enron_network", scheme, 100)))
  }
  later <- path[path$data == "enron_network" & path$scheme == "collapsed" & path$sweep == 500, ]
  expect_lt(max(later$error), 0.012)
  expect_identical(round(later$seconds, 1), c(0.6, 0.6))
})

test_that("modes save little time, and have another mean", {
  saved <- 1 - cost["R, modes", ] / cost["R, draws", ]
  expect_true(saved[["enron_network"]] > 0 && saved[["enron_network"]] < 0.1)
  expect_equal(saved[["poliblog"]], 1 / 7, tolerance = 0.05)
  modes <- errors("enron_network", "R, modes", c(50, 100, 200))
  expect_setequal(round(modes, 2), c(0.07, 0.08, 0.09))
  expect_setequal(round(end["enron_network", "R, draws", ], 2), 0.02)
  expect_true(all(diff(errors("enron_network", "R, draws", c(50, 100, 200))[1:3]) < 0))
})

test_that("a schedule saves time per sweep, but is not closer to the reference in the same time", {
  saved <- 1 - cost["R, schedule", ] / cost["R, draws", ]
  expect_equal(saved[["enron_network"]], 0.25, tolerance = 0.15)
  expect_true(saved[["poliblog"]] > 0.6 && saved[["poliblog"]] < 0.65)
  # twice the sweeps, in more time than draws need for 100
  expect_gt(min(end["enron_network", "R, schedule", ]) / max(errors("enron_network", "R, draws", 100)), 1.5)
  # in less time than 50 sweeps with draws: within a tenth
  difference <- end["poliblog", "R, schedule", ] / end["poliblog", "R, draws", ] - 1
  expect_lt(max(abs(difference)), 0.1)
})

test_that("poliblog: no scheme is close to the reference, which is itself accurate to 10 % at best", {
  expect_equal(accuracy[["poliblog"]], 0.1, tolerance = 0.05)
  expect_gt(min(path$error[path$data == "poliblog"]), 2 * accuracy[["poliblog"]])
  before <- path[path$data == "poliblog" & path$seconds < 10, ]
  before <- before[before$scheme == "collapsed", ]
  expect_lt(max(tapply(before$error, before$repetition, min)), 0.3)
  expect_setequal(round(end["poliblog", "bessel", ], 1), 0.6)
  for (scheme in c("CAVI, collapsed", "CAVI, bessel", "CAVI, delta", "R, modes")) {
    for (repetition in 1:2) {
      here <- path[path$data == "poliblog" & path$scheme == scheme & path$repetition == repetition, ]
      expect_gt(diff(utils::tail(here$error, 2)), 0)
    }
  }
  expect_lt(abs(mean(poliblog) - 0.1), 0.01)
})
