run <- function(kept, chains, ...) {
  list(iter = 2L * kept, warmup = kept, kept = kept, chains = chains, thin = 2L, ...)
}

traces <- function(...) convergence_table(list("log density" = list(...)))

test_that("no problem is found if chains agree, with a reservation for a single chain", {
  set.seed(221)
  good <- matrix(rnorm(4000), 1000)
  said <- gibbs_verdict(traces(good), run(1000, 4))
  expect_match(said, "^No problem was found in this run: the 4 chains agree .R-hat at most 1")
  expect_match(gibbs_verdict(traces(good), run(1000, 4, dropped = 2)), "2 others were dropped")
  alone <- gibbs_verdict(traces(good[, 1, drop = FALSE]), run(1000, 1))
  expect_match(alone, "^No problem was found in this run: the chain has converged .*update\\(fit, chains = 3\\)")
  # both criteria are named, and whether the stricter one is met
  expect_match(said, "at most 1.05 and 100 effective draws.*Vehtari et al. .2021., 1.01 and 400, are met too.$")
  expect_match(gibbs_verdict(traces(good[1:60, ]), run(60, 4)), "^No problem was found.*1.01 and 400, are not met.$")
})

test_that("problems are found if chains disagree or have not converged, and the verdict says what to do", {
  set.seed(222)
  apart <- matrix(rnorm(2000), 1000) + rep(c(0, 9), each = 1000)
  text <- gibbs_verdict(traces(apart), run(1000, 2))
  expect_match(text, "^Problems were found: the chains disagree .R-hat of 1.[5-9].* for log density, but at most 1.05 ")
  expect_match(text, "update(fit, iter = 2000, warmup = 2000) continues the run", fixed = TRUE)
  expect_match(text, 'far. See vignette("gibbs-or-variational").', fixed = TRUE)
  moving <- matrix(rnorm(1000) + 1:1000 / 50, 1000)
  expect_match(gibbs_verdict(traces(moving), run(1000, 1)), "has not converged")
  # what the text says can be done
  expect_match(gibbs_verdict(traces(apart), run(1000, 2), modes = 2), "found 2 modes.*modes\\(fit\\)")
})

test_that("the verdict on too few effective draws says how many more sweeps are needed", {
  set.seed(223)
  few <- replicate(3, sample(qnorm(ppoints(20)))) # the same values in every chain
  text <- gibbs_verdict(traces(few), run(20, 3))
  expect_match(text, "^Problems were found: there are only [0-9]+ effective draws .for log density.")
  more <- as.numeric(sub(".*iter = ([0-9]+).*", "\\1", text))
  ess <- as.numeric(sub(".*only ([0-9]+) .*", "\\1", text))
  expect_equal(more, 100 * ceiling(40 * (100 / ess - 1) / 100))
  few <- gibbs_verdict(traces(few[1:5, ]), run(5, 3))
  expect_match(few, "^Problems were found: 5 draws per chain are too few.*update\\(fit, iter = 1000\\)")
})

test_that("the table agrees with package posterior, with 90 % quantiles for sets of quantities", {
  set.seed(224)
  a <- matrix(rnorm(200), 100)
  many <- lapply(1:20, function(i) matrix(rnorm(200), 100) + rep(c(0, i / 20), each = 100))
  table <- convergence_table(list(one = list(a), several = many, none = NULL))
  expect_identical(rownames(table), c("one", "several"))
  expect_identical(table["one", "rhat"], posterior::rhat(a))
  rhat <- vapply(many, posterior::rhat, 0)
  expect_true(sum(rhat <= table["several", "rhat"]) == 18)
  ess <- vapply(many, posterior::ess_tail, 0)
  expect_true(sum(ess >= table["several", "ess_tail"]) == 18)
  still <- matrix(1, 100, 2) # says nothing of the chains
  with_still <- convergence_table(list(several = c(list(still), many)))
  expect_identical(with_still[["rhat"]], table["several", "rhat"])
})

test_that("rows with the same shares of components are co-members, whatever the labels", {
  fit <- paper_topics(matrix(rpois(40, 3), 5), 2, iter = 4)
  fit$draws$theta[, , 1] <- rbind(c(1, 2, 0.5, 1, 1), c(3, 6, 0.5, 1, 2)) # stored by components
  fit$draws$phi[, , 1] <- rep(c(0.1, 0.2), 8)
  pairs <- cbind(c(1, 1, 3), c(2, 3, 4))
  theta <- rbind(c(1, 6), c(2, 12), c(0.5, 1), c(1, 2), c(1, 4)) # times the sizes of the topics
  shares <- theta / rowSums(theta)
  expect_equal(togetherness(model_of(fit), draw_factors(fit, 1), pairs), rowSums(shares[pairs[, 1], ] * shares[pairs[, 2], ]))
  fit$draws$theta[, , 1] <- fit$draws$theta[2:1, , 1]
  fit$draws$phi[, , 1] <- fit$draws$phi[2:1, , 1]
  expect_equal(togetherness(model_of(fit), draw_factors(fit, 1), pairs), rowSums(shares[pairs[, 1], ] * shares[pairs[, 2], ]))
})

test_that("the advice in the verdict on a fit that contradicts its release works", {
  set.seed(226)
  d <- simulate_topics(D = 20, V = 15, k = 2, words = 60)
  y <- privatize(d$y, epsilon = 0.2, rng = "R")
  fit <- paper_topics(y, 2, family = "poisson", prior = gamma_prior(0.1, 1), iter = 600, chains = 2)
  said <- summary(fit)$verdict
  expect_match(said, "^Problems were found: the fit contradicts the release. The fitted total is ")
  expect_match(said, "prior = gamma_prior(1, rate = gamma_prior())", fixed = TRUE)
  covered <- function(fit) {
    truth <- augment(fit, level = 0.9)
    mean(truth$lower <= d$y & d$y <= truth$upper)
  }
  expect_lt(covered(fit), 0.5)
  again <- paper_topics(y, 2, prior = gamma_prior(1, rate = gamma_prior()), iter = 600, chains = 2)
  expect_gt(covered(again), 0.8)
  expect_no_match(summary(again)$verdict, "contradicts")
  # the total, its standard deviation and z, by hand
  found <- compare_totals(fit)
  counts <- as.matrix(y)
  expect_equal(found$released, c(sum(counts), rowSums(counts)))
  draws <- spread_draws(fit, 100)
  mu <- vapply(draws, function(s) draw_row_totals(fit, s), numeric(20))
  noise <- 2 * exp(-0.2) / (1 - exp(-0.2))^2
  expect_equal(found$sd[1]^2, sum(rowMeans(mu)) + 300 * noise + var(colSums(mu)))
  expect_equal(found$z[2], (mean(mu[1, ]) - sum(counts[1, ])) / found$sd[2])
  # the same of a sample of cells, here all of them, as masked and clamped releases need it
  expect_equal(compare_spread_cells(fit)$z, found$z[1], tolerance = 0.02)
  expect_null(location_problem(paper_topics(d$y, 2, family = "poisson", iter = 20)))
})

test_that("monitored cells are spread over the data, without the diagonal of networks", {
  cells <- spread_cells(c(40, 30), 100, "none")
  expect_identical(nrow(cells), 100L)
  expect_gt(length(unique(cells[, 1])), 25)
  expect_gt(length(unique(cells[, 2])), 25)
  expect_identical(nrow(spread_cells(c(2, 2), 100, "none")), 4L)
  network <- spread_cells(c(6, 6), 100, "directed")
  expect_false(any(network[, 1] == network[, 2]))
})

test_that("summary() prints the verdict", {
  set.seed(225)
  y <- matrix(rpois(200, 2), 20)
  fit <- paper_topics(y, 1, iter = 2000, chains = 2)
  said <- summary(fit)
  expect_match(said$verdict, "^No problem was found")
  expect_output(print(said), "Convergence of label-invariant quantities.*No problem was found")
  rows <- c("log density", "total of mu", "mu of cells", "totals of rows")
  expect_identical(rownames(said$convergence), rows)
})
