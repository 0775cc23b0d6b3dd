# Runs that go on until there are enough effective draws.

few_words <- function(seed = 41) {
  set.seed(seed)
  d <- simulate_topics(D = 12, V = 9, k = 2, words = 80)
  privatize(d$y, epsilon = 3, rng = "R")
}

# One component mixes fast: what is tested is when a run ends, and what it is then.
one_topic <- function(y, ..., chains = 2) topic_model(y, 1, family = "poisson", chains = chains, ...)

same_draws <- function(a, b) {
  expect_identical(a$draws, b$draws)
  expect_identical(a$log_density, b$log_density)
  expect_identical(lapply(a$chains, `[[`, "stream"), lapply(b$chains, `[[`, "stream"))
  expect_identical(a$run, b$run)
  expect_identical(a$modes, b$modes)
}

worst_of <- function(fit) worst_convergence(leading_convergence(fit), fit$run$kept)

# A table whose chains agree after a few hundred sweeps; in the extended tests one that takes more than a thousand.
test_that("a run goes on until the criteria hold, and is one long run", {
  y <- few_words(if (EXTENDED) 41 else 45)
  chains <- if (EXTENDED) 4 else 2
  set.seed(1)
  fit <- topic_model(y, 2, iter = 100, until = 40, chains = chains)
  expect_gt(fit$run$iter, 100)
  expect_gte(worst_of(fit)$ess, 40)
  expect_lte(worst_of(fit)$rhat, RHAT_TRUSTED)
  expect_identical(fit$run$warmup, 50L)
  set.seed(1)
  once <- topic_model(y, 2, iter = fit$run$iter, warmup = 50, chains = chains)
  same_draws(fit, once)
  # R's generator is where a run of fixed length leaves it
  now <- runif(1)
  set.seed(1)
  topic_model(y, 2, iter = 20, chains = chains)
  expect_identical(runif(1), now)
  # update() goes the same way
  set.seed(1)
  short <- topic_model(y, 2, iter = 100, chains = chains)
  same_draws(update(short, until = 40), fit)
  expect_identical(update(fit, until = 40), fit)
  expect_identical(update(fit, until = 10), fit)
  thinned <- one_topic(y, iter = 155, warmup = 50, thin = 10, until = 20)
  expect_gte(worst_of(thinned)$ess, 20)
  expect_identical((thinned$run$iter - 50L) %% 10L, 0L)
})

test_that("a very long run is judged by some of its draws, and by more if more are wanted", {
  set.seed(4)
  fit <- one_topic(few_words(), iter = 4600, warmup = 500, chains = 1)
  of_some <- function(most) leading_convergence(thinner(fit, most))
  expect_equal(leading_convergence(fit), of_some(1600))
  expect_lt(max(leading_convergence(fit)$ess_bulk), 2 * 1600)
  expect_equal(leading_convergence(fit, 1000), convergence_table(label_free_traces(thinner(fit, 4000))))
})

test_that("chains and sweeps can be added before a run goes on", {
  y <- few_words()
  set.seed(2)
  fit <- one_topic(y, iter = 60)
  longer <- update(fit, iter = 40, chains = 1, warmup = 40, until = 60)
  expect_identical(longer$run$chains, 3L)
  expect_gte(longer$run$iter, 100L)
  expect_identical(longer$run$warmup, 40L)
  expect_gte(worst_of(longer)$ess, 60)
})

test_that("a run ends when the time is over, with the draws so far, and update() goes on", {
  y <- few_words()
  set.seed(3)
  expect_message(fit <- one_topic(y, iter = 60, until = 1e6, minutes = 0.002), class = "ldpcounts_until")
  expect_gte(fit$run$iter, 60)
  expect_null(fit$run$wanted)
  expect_identical(dim(fit$log_density), c(fit$run$kept, 2L))
  expect_false(anyNA(fit$log_density))
  set.seed(3)
  same_draws(fit, one_topic(y, iter = fit$run$iter, warmup = 30))
  expect_message(longer <- update(fit, until = 1e6, minutes = 0.002), "update(fit, until = 1000000)", fixed = TRUE)
  set.seed(3)
  same_draws(longer, one_topic(y, iter = longer$run$iter, warmup = 30))
})

test_that("bad goals are refused before any work is done", {
  y <- few_words()
  expect_refused(gibbs(until = 0), "`until` must be one whole number from 1 to")
  expect_refused(gibbs(until = "many"), "`until`")
  expect_refused(gibbs(until = 400, minutes = -1), "`minutes` must be one positive number")
  expect_refused(gibbs(minutes = 5), "`minutes` needs `until`")
  expect_refused(gibbs(until = 400, cluster = list()), "`until` cannot be used with a `cluster`")
  expect_refused(topic_model(y, 2, inference = "cavi", until = 400), "`until` is not an argument of `cavi()`")
  expect_refused(topic_model(y, 2, inference = "svi", until = 400), "`until` is not an argument of `svi()`")
  fit <- topic_model(y, 2, iter = 20, chains = 1)
  expect_refused(update(fit, until = NA), "`until`")
  expect_refused(update(fit, minutes = 1), "`minutes` needs `until`")
  expect_refused(update(fit), "`until` must be given")
  expect_refused(update(fit, iter = 10, until = 25, checkpoint = tempfile()), "exactly one of")
  cavi <- topic_model(y, 2, inference = "cavi", chains = 1, iter = 5)
  expect_refused(update(cavi, iter = 1, until = 25), "Gibbs sampling")
})

test_that("all models and a sampler of one's own go on", {
  set.seed(4)
  network <- privatize(matrix(rpois(144, 2), 12) * (1 - diag(12)), epsilon = 1, rng = "R")
  expect_gte(worst_of(block_model(network, 1, iter = 40, chains = 2, until = 60))$ess, 60)
  table <- privatize(array(rpois(120, 2), c(6, 5, 4)), epsilon = 1, rng = "R")
  expect_gte(worst_of(tensor_model(table, 1, iter = 40, chains = 2, until = 60))$ess, 60)
  step <- function(state, y) {
    rate <- rgamma(1, 1 + sum(y), 1 + length(y))
    list(state = c(rate = rate), mu = matrix(rate, 10, 1))
  }
  one <- privatize(matrix(rpois(10, 3), 10), epsilon = 1, rng = "R")
  init <- list(state = c(rate = 1), mu = matrix(1, 10, 1))
  own <- private_gibbs(one, step, init, iter = 40, until = 120)
  expect_gte(worst_of(own)$ess, 120)
})

test_that("a checkpoint of a longer run is continued, and a complete one is returned", {
  y <- few_words()
  file <- tempfile(fileext = ".rds")
  fitted <- function(...) {
    set.seed(5)
    one_topic(y, iter = 20, ..., progress = FALSE)
  }
  whole <- fitted(until = 60)
  # after 6 milliseconds; the second call goes on where the first one stopped
  suppressMessages(first <- fitted(until = 60, minutes = 1e-4, checkpoint = file))
  expect_lt(first$run$iter, whole$run$iter)
  same_draws(fitted(until = 60, checkpoint = file), whole)
  same_draws(fitted(until = 60, checkpoint = file), whole)
  expect_error(fitted(until = 200, checkpoint = file), class = "ldpcounts_checkpoint_error")
  expect_error(fitted(checkpoint = file), class = "ldpcounts_checkpoint_error")
})

test_that("progress shows effective draws beside sweeps", {
  y <- few_words()
  set.seed(6)
  shown <- character()
  real <- start_bar
  bar <- function(progress, total, first, what, ...) {
    shown <<- c(shown, what)
    real(FALSE, total, first, what)
  }
  words <- "20 sweeps or more, until there are 60 effective draws"
  expect_message(with_replaced("start_bar", bar, one_topic(y, iter = 20, until = 60, progress = TRUE)), words)
  expect_identical(shown[1], "log density")
  expect_match(shown[-1], "^[0-9]+ of 60 effective draws, log density$")
})

test_that("a run ends before its draws take too much memory", {
  y <- few_words()
  set.seed(7)
  expect_message(
    fit <- with_replaced("DRAWS_BYTES", 3e5, topic_model(y, 2, iter = 60, thin = 1, until = 1e6)),
    "larger `thin`", class = "ldpcounts_until"
  )
  expect_lte(8 * sum(lengths(fit$draws)), 3e5)
})

test_that("a long run is judged by some of its draws, which are those of a thinner run", {
  y <- few_words()
  set.seed(8)
  fit <- topic_model(y, 2, iter = 100, warmup = 30, chains = 2)
  set.seed(8)
  third <- topic_model(y, 2, iter = 100, warmup = 30, thin = 3, chains = 2)
  some <- thinner(fit, 30)
  expect_identical(some[c("draws", "log_density", "run")], third[c("draws", "log_density", "run")])
  expect_identical(thinner(fit, 70), fit)
  expect_identical(find_modes(some), third$modes)
})
