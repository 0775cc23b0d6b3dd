# Where chains start: races of random starts.

network <- function() {
  set.seed(901)
  theta <- matrix(rgamma(20 * 3, 0.3), 20)
  y <- matrix(rpois(400, theta %*% (0.1 + 3 * diag(3)) %*% t(theta)), 20)
  privatize(y, epsilon = 2, rng = "R")
}

raced <- function(..., data = network(), iter = 440, warmup = 200) {
  set.seed(902)
  quietly(paper_blocks(data, 3, family = "nbinom1", iter = iter, warmup = warmup, progress = FALSE, ...))
}

task_of_network <- function() {
  data <- network()
  new_task(blocks_model, data, dim(data), 3L, poisson_family, "model", "gibbs", "collapsed", private = TRUE,
    prior = check_prior(gamma_prior(), blocks_model$factors)
  )
}

sampler_of_network <- function(task = task_of_network()) {
  sampler_of(task, quietly(model_input(blocks_model, task$data, "model")))
}

test_that("the length of a race depends on the warmup, and there is none if that is short or k is 1", {
  expect_identical(
    plan_race(blocks_model, 5L, 1000L), list(starts = 64L, legs = c(31L, 31L, 62L, 125L, 250L, 500L))
  )
  # fewer starts where the first leg would be short
  expect_identical(plan_race(blocks_model, 5L, 799L), list(starts = 32L, legs = c(49L, 49L, 99L, 199L, 399L)))
  expect_identical(plan_race(blocks_model, 5L, 60L), list(starts = 4L, legs = c(30L, 30L)))
  expect_identical(plan_race(blocks_model, 5L, 40L), list(starts = 2L, legs = 40L))
  expect_null(plan_race(blocks_model, 5L, 29L))
  expect_null(plan_race(blocks_model, 1L, 1000L))
  plan <- plan_race(blocks_model, 5L, 1000L)
  expect_equal(raced_sweeps(plan), 64 * 31 + 32 * 31 + 16 * 62 + 8 * 125 + 4 * 250 + 2 * 500)
  expect_equal(raced_sweeps(plan, list(leg = 2L, sweep = 10L)), 64 * 31 + 320)
})

test_that("after each leg the better half of the starts of each chain is kept", {
  racer <- function(of, score) new_racer(new_chain(list(), NULL, of), of, score)
  racers <- list(
    racer(1L, -5), racer(1L, c(-1, -2)), racer(2L, -9), racer(2L, NaN), racer(1L, -Inf), racer(2L, -8)
  )
  best <- best_of_each(racers, 1L)
  expect_identical(lapply(best, `[[`, "score"), list(c(-1, -2), -8))
  expect_identical(lapply(best_of_each(racers, 2L), `[[`, "score"), list(c(-1, -2), -5, -8, -9))
  # a race by hand: the chain is the start whose log density was highest
  plan <- list(starts = 2L, legs = 60L)
  sampler <- sampler_of_network()
  race <- start_race(sampler, plan, chain_streams(2, 0.3))
  expect_identical(vapply(race$racers, `[[`, 0L, "of"), c(1L, 1L, 2L, 2L))
  ran <- advance_racers(race$racers, sampler, 60L, 0L, 60L)
  expect_identical(lengths(lapply(ran, `[[`, "score")), rep(7L, 4)) # sweeps 30, 35, .., 60
  state <- absorb_race(new_state(list(), race = race), ran, 60L, new_run(100L, 2L, 1L, race = plan))
  expect_null(state$race)
  score <- vapply(ran, function(racer) mean(racer$score), 0)
  winners <- c(which.max(score[1:2]), 2 + which.max(score[3:4]))
  expect_identical(state$chains, lapply(ran[winners], chain_of))
})

test_that("a race does not depend on how it is cut into blocks, and streams of all starts differ", {
  sampler <- sampler_of_network()
  racers <- start_race(sampler, list(starts = 3L, legs = 60L), chain_streams(2, 0.3))$racers
  whole <- advance_racers(racers, sampler, 60L, 0L, 60L)
  parts <- advance_racers(racers, sampler, 33L, 0L, 60L)
  parts <- advance_racers(parts, sampler, 8L, 33L, 60L)
  parts <- advance_racers(parts, sampler, 19L, 41L, 60L)
  expect_identical(parts, whole)
  racers <- start_race(sampler, list(starts = 8L, legs = 60L), chain_streams(3, 0.3))$racers
  streams <- lapply(racers, `[[`, "stream")
  expect_identical(anyDuplicated(streams), 0L)
})

test_that("races of chains do not depend on each other", {
  two <- raced(chains = 2)
  three <- raced(chains = 3)
  expect_identical(unname(two$chains), unname(three$chains[1:2]))
  expect_identical(two$run$race, list(starts = 8L, legs = c(50L, 50L, 100L)))
  expect_null(two$race)
})

test_that("given or random starts do not race", {
  expect_null(raced(init = "random")$run$race)
  expect_null(raced(init = raced(init = "random", iter = 10, warmup = 5))$run$race)
  expect_null(raced(iter = 100, warmup = 29)$run$race)
})

test_that("further sweeps, checkpoints and interrupts do not change draws, also during the race", {
  rlang::local_interactive()
  whole <- raced(chains = 2)
  expect_identical(said(update(raced(chains = 2, iter = 420), iter = 20)), said(whole))
  task <- task_of_network()
  sampler <- sampler_of_network(task)
  run <- plan_run(440, 200, 1, 2, NULL, task, race = TRUE)
  go <- function(sampler, saved = NULL) {
    state <- if (is.null(saved$state)) begin_gibbs(sampler, run, vector("list", 2), 0.5) else saved$state
    run_gibbs(task, sampler, run, state, FALSE, saved)
  }
  unbroken <- go(sampler)
  all <- 2 * (raced_sweeps(run$race) + 440) # of both chains
  mark <- list(version = "", data = "", call = "")
  for (at in c(0.05, 0.6, 0.9) * all) { # in the first leg, in the last, after the race
    done <- 0
    broken <- sampler
    broken$model$gibbs <- function(cells, chains, prior, n, ...) {
      done <<- done + n * length(chains)
      if (done >= at) rlang::interrupt()
      blocks_model$gibbs(cells, chains, prior, n, ...)
    }
    file <- tempfile(fileext = ".rds")
    expect_warning(
      fit <- go(broken, open_checkpoint(file, mark, NULL)),
      class = "ldpcounts_interrupted"
    )
    expect_identical(is.null(fit$race), at > 0.8 * all)
    expect_lt(fit$run$iter, 440)
    expect_identical(said(update(fit, iter = 440 - fit$run$iter)), said(unbroken))
    expect_identical(said(go(sampler, open_checkpoint(file, mark, NULL))), said(unbroken))
    unlink(file)
  }
})
