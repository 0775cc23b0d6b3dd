# The loop over sweeps, for Gibbs sampling of all models: all chains advance together, one block of sweeps at
# a time (R/run-blocks.R).

# The complete state of a run between blocks, which a checkpoint contains. Variational inference
# (R/infer-cavi.R) has its starts as `chains`, and no draws.
#
#   chains         of new_chain() or new_start(); during a race, the leading starts so far
#   sweep          sweeps (iterations) done, the same for all chains
#   draws          arrays of the factors as stored, one slice per draw, chain after chain
#   log_density    of the release, with one row per kept draw and one column per chain
#   kept           draws kept so far, per chain
#   race           the competition between random starts, of new_race(); NULL when it is over
#   seconds        time spent so far
new_state <- function(chains, sweep = 0L, draws = NULL, log_density = NULL, race = NULL, seconds = 0) {
  list(
    sweep = sweep, chains = chains, draws = draws, log_density = log_density, kept = 0L, race = race,
    seconds = seconds
  )
}

# A state before the first sweep, with room for the draws of a run.
state_with_room <- function(sampler, run, chains, race = NULL) {
  shapes <- kept_shapes(sampler)
  here <- setdiff(names(shapes), sampler$shards$of_rows)
  new_state(chains, race = race,
    draws = lapply(shapes[here], function(shape) array(0, c(shape, run$kept * run$chains))),
    log_density = matrix(NA_real_, run$kept, run$chains)
  )
}

# `starts`: of check_init(); not used if the chains compete for their starts.
begin_gibbs <- function(sampler, run, starts, seed) {
  streams <- chain_streams(run$chains, seed)
  race <- if (!is.null(run$race)) start_race(sampler, run$race, streams)
  chains <- if (is.null(race)) Map(begin_chain, list(sampler), starts, streams) else leaders(race)
  state_with_room(sampler, run, chains, race)
}

# Runs the remaining sweeps and returns list(run, state, interrupted): the run and the state as far as they came.
run_sweeps <- function(sampler, run, state, progress, saved, goal = NULL, what = "log density") {
  shards <- sampler$shards
  plan <- run$race # of the race, whose progress is state$race
  kept_of <- function(state, n) {
    sweeps <- state$sweep + seq_len(n)
    which(sweeps > run$warmup & (sweeps - run$warmup) %% run$thin == 0)
  }
  if (!is.null(shards)) state <- spread_state(state, shards, run)
  all <- run$iter + raced_sweeps(plan)
  ended <- run_blocks(state, all, progress, saved,
    whole = if (is.null(shards)) identity else function(state) whole_state(state, shards, run),
    seconds = if (is.null(shards)) BLOCK_SECONDS else SHARD_SECONDS,
    left = function(state) {
      race <- state$race
      if (!is.null(race)) {
        plan$legs[race$leg] - race$sweep
      } else if (!is.null(goal) && state$sweep >= goal$least && state$kept > 0 && now() >= goal$ends) {
        0
      } else {
        run$iter - state$sweep
      }
    },
    advance = function(state, n) {
      if (!is.null(shards)) shards$keys$held <- unique(keys_of(c(state$chains, state$race$racers)))
      race <- state$race
      if (is.null(race)) {
        advance_chains(state$chains, sampler, n, kept_of(state, n), watch = progress)
      } else {
        advance_racers(race$racers, sampler, n, race$sweep, plan$legs[race$leg])
      }
    },
    absorb = function(state, results, n) {
      if (is.null(state$race)) {
        absorb_sweeps(state, results, n, kept_of(state, n), run)
      } else {
        absorb_race(state, results, n, run)
      }
    },
    shown = function(state, results) unlist(lapply(results, `[[`, "log_density_now")),
    position = function(state) state$sweep + raced_sweeps(plan, state$race),
    what = what
  )
  if (ended$interrupted) tell_interrupted(run, ended$state, saved, goal)
  done <- list(run = run, state = ended$state)
  if (ended$state$sweep < run$iter) done <- cut_short(run, ended$state, goal)
  c(done, interrupted = ended$interrupted)
}

# The state after n sweeps of all chains, with the draws that were kept.
absorb_sweeps <- function(state, results, n, keep, run) {
  store_draws_in_place(state, lapply(results, `[[`, "draws"), run)
  rows <- state$kept + seq_along(keep)
  state$log_density[rows, ] <- vapply(results, `[[`, numeric(length(keep)), "log_density")
  state$chains <- lapply(results, `[[`, "chain")
  state$sweep <- state$sweep + n
  state$kept <- state$kept + length(keep)
  state
}

# The state after n sweeps of all racers.
absorb_race <- function(state, racers, n, run) {
  race <- continue_race(state$race, racers, n, run$race)
  state$chains <- leaders(race)
  state["race"] <- list(if (race$leg <= length(run$race$legs)) race)
  state
}

# Writes the next draws of each chain into the arrays of `state`, after the state$kept draws that are there;
# state$kept is raised afterwards. The arrays are changed in place, because R would otherwise copy them, and they
# may take most of the memory. This is safe because nothing else refers to these arrays before the run ends.
store_draws_in_place <- function(state, draws, run) {
  for (chain in seq_along(draws)) {
    for (name in names(state$draws)) {
      before <- (chain - 1) * run$kept + state$kept
      .Call(C_rc_store, state$draws[[name]], draws[[chain]][[name]], as.double(before))
    }
  }
}

# A warning or an error says how far an interrupted run got.
tell_interrupted <- function(run, state, saved, goal = NULL) {
  beyond <- !is.null(goal) && state$sweep >= goal$least
  how_far <- if (!is.null(state$race)) {
    paste("Interrupted during the search for starts, before the first of", run$iter, "sweeps.")
  } else if (beyond) {
    paste("Interrupted after", state$sweep, "sweeps, before it was known that they are enough.")
  } else {
    paste("Interrupted after", state$sweep, "of", run$iter, "sweeps.")
  }
  has <- if (state$kept > 0) {
    paste("The fit contains the", count_of(state$kept * run$chains, "draw"), "kept so far.")
  } else {
    "No draw had been kept: the fit contains only the last state of each chain."
  }
  more <- if (beyond) paste("until =", goal$ess) else paste("iter =", run$iter - state$sweep)
  say_interrupted(how_far, has, more, saved)
}

# The run and the state up to an interrupt, or when the time is over. If no draw was kept, the draws are the
# last state of each chain.
cut_short <- function(run, state, goal = NULL) {
  kept <- max(1L, state$kept)
  places <- in_each_chain(seq_len(kept), run$kept, seq_len(run$chains))
  for (name in names(state$draws)) {
    state$draws[[name]] <- state$draws[[name]][, , places, drop = FALSE]
    if (state$kept == 0) {
      state$draws[[name]][] <- unlist(lapply(state$chains, function(chain) chain$factors[[name]]))
    }
  }
  state$log_density <- state$log_density[seq_len(kept), , drop = FALSE]
  run <- new_run(state$sweep, run$chains, kept, run$warmup, run$thin, run$race,
    wanted = if (is.null(goal) || state$sweep < goal$least) run$iter, provisional = if (state$kept == 0) TRUE
  )
  list(run = run, state = state)
}
