run <- function(kept, chains) list(kept = kept, chains = chains, thin = 2L)

traces <- function(...) convergence_table(list("log density" = list(...)))

test_that("chains that agree are trusted, one alone is not quite", {
  set.seed(221)
  good <- matrix(rnorm(4000), 1000)
  expect_match(verdict(traces(good), run(1000, 4)), "can be trusted: its 4 chains agree .R-hat at most 1")
  expect_match(verdict(traces(good[, 1, drop = FALSE]), run(1000, 1)), "one chain can't tell")
})

test_that("chains in different places, and one on its way, are not trusted", {
  set.seed(222)
  apart <- matrix(rnorm(2000), 1000) + rep(c(0, 9), each = 1000)
  text <- verdict(traces(matrix(rnorm(2000), 1000), apart), run(1000, 2))
  expect_match(text, "Do not trust this run yet: its chains disagree .R-hat of 1.[5-9].* for log density")
  expect_match(text, "different modes")
  moving <- matrix(rnorm(1000) + 1:1000 / 50, 1000)
  expect_match(verdict(traces(moving), run(1000, 1)), "still moving")
})

test_that("too few effective draws are told, with how many more sweeps would do", {
  set.seed(223)
  few <- replicate(3, sample(qnorm(ppoints(20)))) # the same values in every chain
  text <- verdict(traces(few), run(20, 3))
  expect_match(text, "Not enough draws yet: [0-9]+ effective ones .for log density.")
  more <- as.numeric(sub(".*iter = ([0-9]+).*", "\\1", text))
  ess <- as.numeric(sub(".*yet: ([0-9]+) .*", "\\1", text))
  expect_equal(more, 100 * ceiling(40 * (100 / ess - 1) / 100))
  expect_match(verdict(traces(few[1:5, ]), run(5, 3)), "Too few draws to tell")
})

test_that("the table is that of the posterior package, for several cells of the worst", {
  set.seed(224)
  a <- matrix(rnorm(200), 100)
  b <- matrix(rnorm(200), 100) + rep(0:1, each = 100)
  table <- convergence_table(list(one = list(a), several = list(a, b), none = NULL))
  expect_identical(rownames(table), c("one", "several"))
  expect_identical(table["one", "rhat"], posterior::rhat(a))
  expect_identical(table["several", "rhat"], max(posterior::rhat(a), posterior::rhat(b)))
  expect_identical(table["several", "ess_bulk"], min(posterior::ess_bulk(a), posterior::ess_bulk(b)))
})

test_that("the cells that are watched are spread over the data, off the diagonal of networks", {
  cells <- spread_cells(c(40, 30), 100, "none")
  expect_identical(nrow(cells), 100L)
  expect_gt(length(unique(cells[, 1])), 25)
  expect_gt(length(unique(cells[, 2])), 25)
  expect_identical(nrow(spread_cells(c(2, 2), 100, "none")), 4L)
  network <- spread_cells(c(6, 6), 100, "directed")
  expect_false(any(network[, 1] == network[, 2]))
})

test_that("summary says it", {
  set.seed(225)
  y <- matrix(rpois(200, 2), 20)
  fit <- topic_model(y, 1, iter = 2000, chains = 2)
  said <- summary(fit)
  expect_match(said$verdict, "can be trusted")
  expect_output(print(said), "Convergence of what has no labels.*can be trusted")
  expect_identical(rownames(said$convergence), c("log density", "total of mu", "mu, worst cell"))
})
