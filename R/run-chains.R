# The loop over sweeps, once for all models. All chains go forward together, a block of sweeps at a
# time, on this process or on the workers of a future plan. Between blocks everything there is to
# know of a run is an ordinary list, its state:
#
#   sweep         sweeps done, the same for all chains
#   chains        of each chain: factors as stored, with `rate` where a prior has a random one and
#                 `excess` where counts are negative binomial; the noise of the Bessel augmentation;
#                 the stream of random numbers (a .Random.seed)
#   draws         arrays of the factors as stored, one slice per kept draw, chain after chain
#   log_density   of the release, a row per kept draw, a column per chain
#   kept          draws kept so far, per chain
#   race          while random starts compete for where the chains begin, see R/run-race.R; else NULL
#   seconds       spent so far
#
# A block that is interrupted is as if it had never begun: draws do not depend on how sweeps are cut
# into blocks.

# How many sweeps come next, after a block of n of them that took so many seconds.
next_block <- function(block, n, took, wanted) {
  as.integer(max(1, min(2 * block, n * wanted / max(took, 1e-6), 1e4)))
}

# Whatever a run does in blocks, until nothing is left or the user interrupts: list(state, interrupted).
# An interrupt loses the block at hand, and no state is half changed.
#
#   left         function(state): how many sweeps, or passes, may come in one block now; 0 at the end
#   begin        function(state): the state that the first block goes on from
#   advance      function(state, n): what n further sweeps, or passes, of all chains come to
#   absorb       function(state, ran, n): the state with that in it
#   shown        function(state, ran): for the bar, one number per chain; `what`: what it is
#   position     function(state): for the bar, how far it is, of `total`
run_blocks <- function(state, total, progress, saved, workers, left, advance, absorb, shown,
                       position = function(state) state$sweep, begin = identity, what = "log density") {
  began <- proc.time()[["elapsed"]] - state$seconds
  interrupted <- FALSE
  block <- 1L
  bar <- start_bar(progress, total, position(state), what)
  on.exit(bar$done())
  tryCatch(
    {
      state <- begin(state)
      while ((most <- left(state)) > 0) {
        n <- min(block, most)
        started <- proc.time()[["elapsed"]]
        ran <- advance(state, n)
        took <- proc.time()[["elapsed"]] - started
        suspendInterrupts({
          state <- absorb(state, ran, n)
          state$seconds <- proc.time()[["elapsed"]] - began
        })
        bar$update(position(state), shown(state, ran))
        saved <- save_checkpoint(saved, state)
        block <- next_block(block, n, took, block_seconds(workers))
      }
    },
    interrupt = function(condition) interrupted <<- TRUE
  )
  bar$done()
  save_checkpoint(saved, state, last = TRUE)
  list(state = state, interrupted = interrupted)
}

# The sweeps that are left: list(run, state), the run as far as it came.
run_sweeps <- function(task, run, state, progress, saved) {
  # workers do not have what a user's own function may need
  workers <- is.null(task$model$cells) && uses_workers(run$chains)
  needed <- task[c("model", "cells", "prior", "reflect", "log_constant")]
  plan <- run$race
  kept_of <- function(state, n) {
    sweeps <- state$sweep + seq_len(n)
    which(sweeps > run$warmup & (sweeps - run$warmup) %% run$thin == 0)
  }
  ran <- run_blocks(state, run$iter + race_sweeps(plan), progress, saved, workers,
    left = function(state) {
      if (is.null(state$race)) run$iter - state$sweep else left_of_leg(plan, state$race)
    },
    advance = function(state, n) {
      race <- state$race
      if (is.null(race)) {
        over_chains(state$chains, advance_chains, needed, n, kept_of(state, n), progress, workers = workers)
      } else {
        leg <- plan$legs[race$leg]
        over_chains(race$racers, advance_racers, needed, n, race$sweep, leg, workers = workers)
      }
    },
    absorb = function(state, ran, n) {
      if (is.null(state$race)) {
        absorb_sweeps(state, ran, n, kept_of(state, n), run)
      } else {
        absorb_race(state, ran, n, plan)
      }
    },
    shown = function(state, ran) unlist(lapply(ran, `[[`, "log_density_now")),
    position = function(state) state$sweep + raced_sweeps(plan, state$race)
  )
  if (!ran$interrupted) {
    return(list(run = run, state = ran$state))
  }
  run <- cut_short(run, ran$state, saved)
  list(run = run, state = only_kept(task, ran$state, run))
}

# The state after n sweeps of all chains, with the draws that are kept of them.
absorb_sweeps <- function(state, ran, n, keep, run) {
  store_draws(state, lapply(ran, `[[`, "draws"), run)
  rows <- state$kept + seq_along(keep)
  state$log_density[rows, ] <- vapply(ran, `[[`, numeric(length(keep)), "log_density")
  state$chains <- lapply(ran, `[[`, "chain")
  state$sweep <- state$sweep + n
  state$kept <- state$kept + length(keep)
  state
}

# The run as far as it came; says how far.
cut_short <- function(run, state, saved) {
  how_far <- if (is.null(state$race)) {
    paste("Interrupted after", state$sweep, "of", run$iter, "sweeps.")
  } else {
    paste("Interrupted before the first of", run$iter, "sweeps, while random starts competed.")
  }
  has <- if (state$kept > 0) {
    paste("The fit has the", count_of(state$kept * run$chains, "draw"), "kept so far.")
  } else {
    "No draw had been kept: the fit has only the last state of each chain, from which it can go on."
  }
  say_interrupted(how_far, has, run$iter - state$sweep, saved)
  run[c("wanted", "planned")] <- run[c("iter", "kept")]
  run$iter <- state$sweep
  run$kept <- max(1L, state$kept)
  run$provisional <- state$kept == 0
  run
}

# At the console a warning, and the fit as far as it came. A script would continue with that fit, so it is
# stopped.
say_interrupted <- function(how_far, has, left, saved) {
  class <- "ldpcounts_interrupted"
  if (rlang::is_interactive()) {
    continue <- "{.code update(fit, iter = {left})} continues the run."
    return(cli::cli_warn(c("{how_far}", i = "{has}", i = continue), class = class))
  }
  ldp_abort(c("{how_far}", i = if (is.null(saved)) {
    "Nothing was saved. Model functions save their runs to a {.arg checkpoint}."
  } else {
    "The run so far is in {.file {saved$file}}. The same call continues it."
  }), class, call = NULL)
}
