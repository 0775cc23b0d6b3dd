# The loop over sweeps, for all models. All chains advance together, one block of sweeps at a time, in this
# process or on the workers of a future plan. Between blocks, the complete state of a run is a list:
#
#   sweep         sweeps done, the same for all chains
#   chains        for each chain: factors as stored, with `rate` if a prior has a random rate, and `excess`
#                 if counts are negative binomial; the noise of the Bessel augmentation; the stream of
#                 random numbers (a .Random.seed)
#   draws         arrays of the factors as stored, one slice per kept draw, chain after chain
#   log_density   of the release, with one row per kept draw and one column per chain
#   kept          draws kept so far, per chain
#   race          the state of the competition between random starts (R/run-race.R); NULL when it is over
#   seconds       time spent so far
#
# If a block is interrupted, it is discarded. Draws do not depend on how sweeps are divided into blocks.

# The number of sweeps in the next block, given that a block of n sweeps took this number of seconds.
next_block <- function(block, n, took, wanted) {
  as.integer(max(1, min(2 * block, n * wanted / max(took, 1e-6), 1e4)))
}

# Runs blocks until the end or until an interrupt, and returns list(state, interrupted). After an interrupt,
# the state is that before the interrupted block.
#
#   left         function(state): the largest number of sweeps (iterations) of the next block; 0 at the end
#   begin        function(state): the state from which the first block continues
#   advance      function(state, n): the results of n further sweeps (iterations) of all chains
#   absorb       function(state, ran, n): the state with these results added
#   shown        function(state, ran): one number per chain for the progress bar; `what` is its name
#   position     function(state): the position of the progress bar, out of `total`
#   whole        function(state): the state to save, with what is on workers
#   agree        function(x): the same x in all processes that run this (R/run-processes.R)
run_blocks <- function(state, total, progress, saved, workers, left, advance, absorb, shown,
                       position = function(state) state$sweep, begin = identity, whole = identity,
                       agree = identity, what = "log density") {
  began <- proc.time()[["elapsed"]] - state$seconds
  interrupted <- FALSE
  block <- 1L
  bar <- start_bar(progress, total, position(state), what)
  on.exit(bar$done())
  tryCatch(
    {
      state <- begin(state)
      while ((most <- left(state)) > 0) {
        n <- agree(min(block, most))
        started <- proc.time()[["elapsed"]]
        ran <- advance(state, n)
        took <- proc.time()[["elapsed"]] - started
        suspendInterrupts({
          state <- absorb(state, ran, n)
          state$seconds <- proc.time()[["elapsed"]] - began
        })
        bar$update(position(state), shown(state, ran))
        if (agree(is_due(saved))) {
          complete <- whole(state) # of all processes, also of those that do not save it
          saved <- save_checkpoint(saved, complete)
        }
        block <- next_block(block, n, took, block_seconds(workers))
      }
    },
    interrupt = function(condition) interrupted <<- TRUE
  )
  bar$done()
  state <- whole(state)
  save_checkpoint(saved, state)
  list(state = state, interrupted = interrupted)
}

# Runs the remaining sweeps and returns list(run, state), also if it was interrupted.
run_sweeps <- function(task, run, state, progress, saved) {
  # a user's own function may need objects that workers do not have
  shards <- task$shards
  workers <- is.null(task$model$cells) && is.null(shards) && uses_workers(run$chains)
  needed <- task[c("model", "cells", "prior", "reflect", "log_constant", "shards")]
  if (!workers && is.null(shards)) needed <- open_cells(needed)
  plan <- run$race
  kept_of <- function(state, n) {
    sweeps <- state$sweep + seq_len(n)
    which(sweeps > run$warmup & (sweeps - run$warmup) %% run$thin == 0)
  }
  if (!is.null(shards)) state <- spread_state(state, task, run)
  ran <- run_blocks(state, run$iter + race_sweeps(plan), progress, saved, workers || !is.null(shards),
    whole = if (is.null(shards)) identity else function(state) whole_state(state, task, run),
    agree = if (is.null(shards)) identity else shards$agree,
    left = function(state) {
      if (is.null(state$race)) run$iter - state$sweep else left_of_leg(plan, state$race)
    },
    advance = function(state, n) {
      if (!is.null(shards)) hold_keys(state, shards)
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

# The state after n sweeps of all chains, with the draws that were kept.
absorb_sweeps <- function(state, ran, n, keep, run) {
  store_draws(state, lapply(ran, `[[`, "draws"), run)
  rows <- state$kept + seq_along(keep)
  state$log_density[rows, ] <- vapply(ran, `[[`, numeric(length(keep)), "log_density")
  state$chains <- lapply(ran, `[[`, "chain")
  state$sweep <- state$sweep + n
  state$kept <- state$kept + length(keep)
  state
}

# The run up to the interrupt; a warning or an error says how far it got.
cut_short <- function(run, state, saved) {
  how_far <- if (is.null(state$race)) {
    paste("Interrupted after", state$sweep, "of", run$iter, "sweeps.")
  } else {
    paste("Interrupted during the search for starts, before the first of", run$iter, "sweeps.")
  }
  has <- if (state$kept > 0) {
    paste("The fit contains the", count_of(state$kept * run$chains, "draw"), "kept so far.")
  } else {
    "No draw had been kept: the fit contains only the last state of each chain."
  }
  say_interrupted(how_far, has, run$iter - state$sweep, saved)
  run[c("wanted", "planned")] <- run[c("iter", "kept")]
  run$iter <- state$sweep
  run$kept <- max(1L, state$kept)
  run$provisional <- state$kept == 0
  run
}

# At the console, issues a warning, and the incomplete fit is returned. In a script, throws an error, because
# the script would otherwise continue with an incomplete fit.
say_interrupted <- function(how_far, has, left, saved) {
  class <- "ldpcounts_interrupted"
  if (rlang::is_interactive()) {
    continue <- "{.code update(fit, iter = {left})} continues the run."
    return(cli::cli_warn(c("{how_far}", i = "{has}", i = continue), class = class))
  }
  ldp_abort(c("{how_far}", i = if (is.null(saved)) {
    "Nothing was saved. To save runs, use the argument {.arg checkpoint} of the model functions."
  } else {
    "The run so far is saved in {.file {saved$file}}. Repeat the same call to continue it."
  }), class, call = NULL)
}
