# How chains choose their starts. A chain seldom leaves the first mode that it reaches, and many modes are
# poor. So each chain begins as the winner of a race between random starts. The race has several legs
# (stages). After each leg, the half of the starts with the higher log density over the second half of the
# leg continues, until one is left (successive halving, Jamieson and Talwalkar 2016). The races of different
# chains are independent, so that agreement between chains is evidence of convergence. The numbers of starts
# and the lengths, by model, are from bench/MOVES.md.
#
# During a race, the state (R/run-chains.R) contains it, and its chains are the leading starts so far:
#
#   race          list(leg, sweep, racers): the current leg, the sweeps done in it, and for each start that is
#                 still in the race the number of its chain (`of`), its state, in the form of a chain, and
#                 the log densities that decide (`score`)

start_state <- function(task, run, starts, level, seed) {
  streams <- chain_streams(run$chains, seed)
  if (!is.null(run$race)) {
    race <- start_race(task, run$race, level, streams)
    return(fresh_state(task, run, lapply(best_of_each(race$racers, 1L), chain_parts), race))
  }
  fresh_state(task, run, Map(function(start, stream) {
    if (is.null(start)) settled_start(task, level, stream) else start_chain(task, level, start, stream)
  }, starts, streams))
}

# Plans the race of each chain from `race` in R/model-interface.R and the warmup. If the first leg would be
# too short to distinguish starts, the number of starts is halved, and the first two legs are merged; NULL if
# even a single leg would be too short.
plan_race <- function(model, k, warmup) {
  starts <- model$race$starts
  legs <- min(warmup, LONGEST_RACE) * model$race$legs
  while (length(legs) > 1 && legs[1] < SHORTEST_LEG) {
    starts <- starts / 2
    legs <- c(legs[1] + legs[2], legs[-(1:2)])
  }
  if (k > 1 && length(legs) > 0 && legs[1] >= SHORTEST_LEG) {
    list(starts = as.integer(starts), legs = as.integer(floor(legs)))
  }
}

SHORTEST_LEG <- 30
# For warmups above this, legs are not made longer, because starts can be distinguished well enough.
LONGEST_RACE <- 2000

# The number of starts per chain in each leg.
in_leg <- function(plan, leg = seq_along(plan$legs)) as.integer(plan$starts %/% 2^(leg - 1))

# The cost of a race: the number of sweeps of all starts of a chain.
race_sweeps <- function(plan) sum(in_leg(plan) * plan$legs)

# The part of this that is done.
raced_sweeps <- function(plan, race) {
  if (is.null(plan) || is.null(race)) {
    return(race_sweeps(plan))
  }
  before <- seq_len(race$leg - 1L)
  sum((in_leg(plan) * plan$legs)[before]) + in_leg(plan, race$leg) * race$sweep
}

left_of_leg <- function(plan, race) plan$legs[race$leg] - race$sweep

# --- a race ---------------------------------------------------------------------------------------

start_race <- function(task, plan, level, streams) {
  racers <- Map(function(stream, chain) {
    next_stream <- function(stream, i) parallel::nextRNGSubStream(stream)
    each <- Reduce(next_stream, seq_len(plan$starts - 1L), stream, accumulate = TRUE)
    lapply(each, function(stream) {
      c(start_chain(task, level, NULL, stream), list(of = chain, score = numeric()))
    })
  }, streams, seq_along(streams))
  list(leg = 1L, sweep = 0L, racers = unlist(racers, recursive = FALSE))
}

# Runs n further sweeps of starts that have done `before` sweeps of the `leg`.
advance_racers <- function(racers, task, n, before, leg) {
  marks <- seq(ceiling(leg / 2 / SCORED_EVERY), leg %/% SCORED_EVERY) * SCORED_EVERY
  ends <- c(marks[marks > before & marks <= before + n], before + n)
  for (end in unique(ends)) {
    scored <- end %in% marks
    ran <- advance_chains(racers, task, end - before, integer(), scored)
    racers <- Map(function(racer, ran) {
      racer[names(ran$chain)] <- ran$chain
      if (scored) racer$score <- c(racer$score, ran$log_density_now)
      racer
    }, racers, ran)
    before <- end
  }
  racers
}

SCORED_EVERY <- 5L

# The state after n sweeps of all racers. At the end of a leg half of them are dropped; the last leg ends the
# race.
absorb_race <- function(state, racers, n, plan) {
  race <- list(leg = state$race$leg, sweep = state$race$sweep + n, racers = racers)
  if (left_of_leg(plan, race) == 0L) {
    better <- best_of_each(racers, in_leg(plan, race$leg) %/% 2L)
    race <- list(leg = race$leg + 1L, sweep = 0L, racers = lapply(better, replace, "score", list(numeric())))
  }
  state$chains <- lapply(best_of_each(race$racers, 1L), chain_parts)
  state$race <- if (race$leg <= length(plan$legs)) race
  state
}

# The n best starts of each chain, best first. One without a finite log density is last.
best_of_each <- function(racers, n) {
  of <- vapply(racers, `[[`, 0L, "of")
  score <- vapply(racers, function(racer) mean(racer$score), 0)
  score[!is.finite(score)] <- -Inf
  kept <- lapply(split(seq_along(racers), of), function(mine) {
    utils::head(mine[order(score[mine], decreasing = TRUE)], n)
  })
  racers[unlist(kept, use.names = FALSE)]
}
