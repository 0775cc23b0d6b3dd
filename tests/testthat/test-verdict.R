# A run that took a second per 100 sweeps.
run <- function(kept, chains, ...) {
  length <- list(iter = 4L * kept, warmup = 2L * kept, kept = kept, chains = chains, thin = 2L, ...)
  list(run = length, seconds = length$iter / 100, log_density = matrix(0, kept, chains), private = FALSE)
}

with_modes_of <- function(fit, of, shares) {
  fit$modes <- list(of = of, share = tabulate(of) / length(of), shares = shares)
  fit
}

traces <- function(...) convergence_table(list("log density" = list(...)))

n_sentences <- function(text) length(strsplit(text, "[.] (?=[A-Z]|update|modes)", perl = TRUE)[[1]])

test_that("no problem is found if chains agree, with a reservation for a single chain", {
  set.seed(221)
  good <- matrix(rnorm(4000), 1000)
  said <- gibbs_verdict(traces(good), run(1000, 4))
  expect_match(said, "^No problem was found in this run: the 4 chains agree .R-hat at most 1")
  expect_match(gibbs_verdict(traces(good), run(1000, 4, dropped = 2)), "2 others were dropped")
  alone <- gibbs_verdict(traces(good[, 1, drop = FALSE]), run(1000, 1))
  expect_match(alone, "^No problem was found in this run: the chain has converged .*update\\(fit, chains = 3\\)")
  # both criteria are named, and whether the stricter one is met
  stricter <- "Vehtari et al. .2021., R-hat of 1.01 and 400 draws, are met too.$"
  expect_match(said, paste0("at most 1.05 and 100 effective draws.*", stricter))
  few <- gibbs_verdict(traces(good[1:60, ]), run(60, 4))
  advice <- "For 400 effective draws, use update.fit, until = 400."
  expect_match(few, paste0("^No problem was found.*400 draws, are not met. ", advice))
  expect_identical(vapply(c(said, alone, few), n_sentences, 1L, USE.NAMES = FALSE), c(2L, 3L, 3L))
})

test_that("problems are found if chains disagree or have not converged, and the verdict says what to do", {
  set.seed(222)
  apart <- matrix(rnorm(2000), 1000) + rep(c(0, 9), each = 1000)
  text <- gibbs_verdict(traces(apart), run(1000, 2))
  problem <- "the chains disagree .R-hat of 1.[5-9].* for log density.[.]"
  expect_match(text, paste0("^Problems were found: ", problem, " The criteria are "))
  remedy <- "update(fit, iter = 4000, warmup = 4000) continues the run and drops the draws so far"
  expect_match(text, remedy, fixed = TRUE)
  expect_match(text, '(about 4,000 more sweeps, 40 seconds), see vignette("gibbs-or-variational").', fixed = TRUE)
  expect_identical(n_sentences(text), 3L)
  moving <- matrix(rnorm(1000) + 1:1000 / 50, 1000)
  expect_match(gibbs_verdict(traces(moving), run(1000, 1)), "has not converged")
})

test_that("the verdict names modes whatever their shares come from", {
  set.seed(227)
  good <- traces(matrix(rnorm(2000), 1000))
  of <- rep(1:3, c(900, 600, 500))
  text <- gibbs_verdict(good, with_modes_of(run(1000, 2), of, "visits"))
  expect_match(text, "^This run found 3 modes .* move .they have 45 %, 30 %, 25 % of the draws.*modes\\(fit\\)")
  text <- gibbs_verdict(good, with_modes_of(run(1000, 2), of, "stacking"))
  expect_match(text, "^This run found 3 modes .* seldom move .the criteria are for the 1 chain ")
  expect_identical(n_sentences(text), 3L)
  # what the release shows comes first
  text <- gibbs_verdict(good, with_modes_of(run(1000, 2), of, "stacking"), list(new_problem("a is b", "do c")))
  expect_match(text, "^Problems were found: a is b, and there are 3 modes of the posterior[.] .*[.] Do c[.]$")
  few <- traces(replicate(2, sample(qnorm(ppoints(20)))))
  text <- gibbs_verdict(few, with_modes_of(run(20, 2), rep(1:2, 20), "visits"))
  expect_match(text, "move .they.*, and there are only [0-9]+ effective draws.*but first: update.fit, until = 100.")
})

test_that("the verdict on too few effective draws says how many more sweeps would do", {
  set.seed(223)
  few <- replicate(3, sample(qnorm(ppoints(20)))) # the same values in every chain
  text <- gibbs_verdict(traces(few), run(20, 3))
  expect_match(text, "^Problems were found: there are only [0-9]+ effective draws .for log density.[.] The criteria")
  ess <- as.numeric(sub(".*only ([0-9]+) .*", "\\1", text))
  more <- signif(ceiling(40 * (100 / ess - 1)), 2)
  expect_match(text, paste0("update(fit, until = 100) (about ", more, " more sweeps, 1 second)."), fixed = TRUE)
  expect_identical(n_sentences(text), 3L)
  few <- gibbs_verdict(traces(few[1:5, ]), run(5, 3))
  expect_match(few, "^Problems were found: 5 draws per chain are too few.*update\\(fit, until = 100\\) adds draws")
})

test_that("times are in seconds, minutes or hours, without the search for starts", {
  took <- function(seconds, ...) describe_sweeps(1000, list(run = list(iter = 1000, ...), seconds = seconds))
  expect_identical(took(40), "about 1,000 more sweeps, 40 seconds")
  expect_identical(took(600), "about 1,000 more sweeps, 10 minutes")
  expect_identical(took(36000), "about 1,000 more sweeps, 10 hours")
  expect_identical(took(40, race = list(starts = 4L, legs = c(250L))), "about 1,000 more sweeps, 20 seconds")
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
  together <- rowSums(shares[pairs[, 1], ] * shares[pairs[, 2], ])
  expect_equal(togetherness(model_of(fit), draw_factors(fit, 1), pairs), together)
  fit$draws$theta[, , 1] <- fit$draws$theta[2:1, , 1]
  fit$draws$phi[, , 1] <- fit$draws$phi[2:1, , 1]
  expect_equal(togetherness(model_of(fit), draw_factors(fit, 1), pairs), together)
})

test_that("the advice in the verdict on a fit that contradicts its release works", {
  set.seed(226)
  d <- simulate_topics(D = 20, V = 15, k = 2, words = 60)
  y <- privatize(d$y, epsilon = 0.2, rng = "R")
  fit <- paper_topics(y, 2, family = "poisson", prior = gamma_prior(0.1, 1), iter = 600, chains = 2)
  said <- summary(fit)$verdict
  expect_match(said, "^Problems were found: the fit puts [0-9,]+ fewer counts into the whole table than ")
  expect_match(said, "prior = gamma_prior\\(NULL, NULL\\)[.]$")
  covered <- function(fit) {
    truth <- augment(fit, level = 0.9, draws = if (EXTENDED) 400 else 100)
    mean(truth$lower <= d$y & d$y <= truth$upper)
  }
  expect_lt(covered(fit), 0.5)
  again <- paper_topics(y, 2, prior = gamma_prior(NULL, NULL), iter = if (EXTENDED) 2000 else 1000, chains = 2)
  expect_gt(covered(again), 0.8)
  expect_no_match(summary(again)$verdict, "fewer")
  spread <- paper_topics(y, 2, family = "nbinom1", iter = 50, chains = 2)
  advice <- "prior = gamma_prior(NULL, NULL), dispersion_by = \"column\""
  expect_match(suggest_remedy(spread, TRUE), advice, fixed = TRUE)
  expect_no_match(suggest_remedy(again, TRUE), "the prior may")
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
  fit <- paper_topics(y, 1, iter = if (EXTENDED) 2000 else 1000, chains = 2)
  said <- summary(fit)
  expect_match(said$verdict, "^No problem was found")
  expect_output(print(said), "Convergence of label-invariant quantities.*No problem was found")
  rows <- c("log density", "total of mu", "mu of cells", "totals of rows")
  expect_identical(rownames(said$convergence), rows)
})
