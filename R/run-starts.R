# Chains and their starts.
#
# A single start is given, or random, or random and improved by a search (settled_start()). A chain seldom
# leaves the first mode that it reaches, and many modes are poor. So each chain of most models begins as the
# winner of a race between random starts. The race has several legs (stages). After each leg, the half of the
# starts with the higher log density over the second half of the leg continues, until one is left (successive
# halving, Jamieson and Talwalkar 2016). The races of different chains are independent, so that agreement
# between chains is evidence of convergence. The numbers of starts and the lengths, by model, are from
# bench/MOVES.md.

# The state of a chain between two sweeps.
#
#   factors    as stored, with `rate` if a prior has a random rate, `excess` if counts are negative binomial,
#              `pool` if there is one per column, `shape` if shapes are estimated, and `groups` if rows have groups
#   noise      latent parts of the noise (Bessel augmentation), list(g1 =, g2 =), or NULL
#   stream     the chain's stream of random numbers, a .Random.seed
#   key        of a chain on workers: under what name they have its other parts (R/run-shards.R)
new_chain <- function(factors, noise, stream, key = NULL) {
  c(list(factors = factors, noise = noise, stream = stream), if (!is.null(key)) list(key = key))
}

# Runs n sweeps of some chains. `keep`: the sweeps whose draws are kept. `watch`: also return the log density
# after the last sweep. Returns, for each chain, list(chain, draws, log_density, log_density_now). A kernel is given
# the seeds of its sweeps, and `stream` is where the chain's stream stands after them. A model without one draws from
# `stream`, and returns where it stands then.
advance_chains <- function(chains, sampler, n, keep, watch) {
  kernel <- has_kernel(sampler$model)
  given <- lapply(chains, function(chain) {
    drawn <- with_stream(chain$stream, if (kernel) sweep_seeds(n))
    list(
      factors = chain$factors, noise = chain$noise, key = chain$key, seeds = drawn$value, stream = drawn$stream
    )
  })
  ran <- if (is.null(sampler$shards)) {
    sampler$model$gibbs(sampler$cells, given, sampler$prior, n, keep, watch, sampler$reflect)
  } else {
    advance_shards(sampler$shards, given, sampler$prior, n, keep, watch, sampler$reflect)
  }
  Map(function(given, ran) {
    stream <- if (kernel) given$stream else ran$stream
    list(
      chain = new_chain(ran$factors, ran$noise, stream, ran$key), draws = ran$draws,
      log_density = ran$log_density + sampler$log_constant,
      log_density_now = ran$log_density_now + sampler$log_constant
    )
  }, given, ran)
}

advance_chain <- function(chain, ...) advance_chains(list(chain), ...)[[1]]

# --- a start --------------------------------------------------------------------------------------

# `start`: of check_init().
begin_chain <- function(sampler, start, stream) {
  if (is.list(start)) {
    start_chain(sampler, start, stream)
  } else if (identical(start, "random")) {
    start_chain(sampler, NULL, stream)
  } else {
    settled_start(sampler, stream)
  }
}

# `start`: factors as stored, or NULL for random ones.
start_chain <- function(sampler, start, stream) {
  made <- with_stream(stream, {
    if (is.null(start)) sampler$model$start(sampler$dim, sampler$k, sampler$mean_count) else start
  })
  priors <- sampler$prior[sampler$model$factors]
  groups <- sampler$prior$groups
  n <- n_excess(sampler$family, sampler$dim)
  factors <- c(
    made$value, hyper_starts(priors),
    if (n > 0 && is.null(made$value$excess)) list(excess = matrix(start_excess(sampler$family, n))),
    if (is_by_column(sampler$family)) start_pool(sampler$family),
    if (!is.null(groups)) list(groups = matrix(1, sampler$k, n_levels(groups)))
  )
  new_chain(factors, no_noise_yet(sampler), made$stream)
}

# The noise of the Bessel augmentation before the first sweep.
no_noise_yet <- function(sampler) {
  if (sampler$bessel) list(g1 = numeric(sampler$n_active), g2 = numeric(sampler$n_active))
}

# A random start, improved by a search for models with `search_rounds`. In each round its components are
# redrawn one by one, the smallest first, and a new component is kept if the log density is higher after some
# sweeps. This helps because a chain seldom leaves a mode in which two components share the counts of one true
# component, and another is missing; a redrawn component can find the missing one (bench/tensors.R).
settled_start <- function(sampler, stream) {
  chain <- start_chain(sampler, NULL, stream)
  rounds <- seq_len(max(sampler$model$search_rounds, 0))
  if (sampler$k == 1 || length(rounds) == 0) {
    return(chain)
  }
  best <- settle(chain, sampler)
  for (round in rounds) {
    for (component in utils::head(order(component_sizes(best$chain, sampler)), MOST_REDRAWN)) {
      tried <- settle(redraw_component(best$chain, component, sampler), sampler)
      if (tried$log_density_now > best$log_density_now) {
        best <- tried
      } else {
        best$chain$stream <- tried$chain$stream
      }
    }
  }
  best$chain
}

MOST_REDRAWN <- 8L # per round

# Runs some sweeps. The first use priors with a larger shape, which spread weights more evenly: with a small
# shape, each count would be assigned to a single component too early.
settle <- function(chain, sampler) {
  spread <- sampler
  for (name in sampler$model$factors) {
    spread$prior[[name]]$shape <- max(hyper_start(sampler$prior[[name]], "shape"), SETTLE_SHAPE)
  }
  chain <- advance_chain(chain, spread, SETTLE_SWEEPS[["spread"]], integer(), FALSE)$chain
  advance_chain(chain, sampler, SETTLE_SWEEPS[["own"]], integer(), TRUE)
}

SETTLE_SWEEPS <- c(spread = 20L, own = 10L)
SETTLE_SHAPE <- 3

redraw_component <- function(chain, component, sampler) {
  fresh <- start_chain(sampler, NULL, chain$stream)
  for (name in sampler$model$factors) {
    chain$factors[[name]][component, ] <- fresh$factors[[name]][component, ]
  }
  replace(chain, "stream", fresh["stream"])
}

# The total of mu per component, including the diagonal of a network.
component_sizes <- function(chain, sampler) {
  Reduce(`*`, lapply(chain$factors[sampler$model$factors], rowSums))
}

# --- a race ---------------------------------------------------------------------------------------

# The state of all races of a run.
#
#   leg       the current leg
#   sweep     the sweeps done in it
#   racers    the starts that are still in a race, of new_racer()
new_race <- function(leg, sweep, racers) {
  list(leg = leg, sweep = sweep, racers = racers)
}

# A start in a race: a chain; `of`, the number of the chain that it is for; and `score`, its log densities in
# this leg so far, which decide.
new_racer <- function(chain, of, score = numeric()) c(chain, list(of = of, score = score))

chain_of <- function(racer) new_chain(racer$factors, racer$noise, racer$stream, racer$key)

start_race <- function(sampler, plan, streams) {
  racers <- Map(function(stream, chain) {
    next_stream <- function(stream, i) parallel::nextRNGSubStream(stream)
    each <- Reduce(next_stream, seq_len(plan$starts - 1L), stream, accumulate = TRUE)
    lapply(each, function(stream) new_racer(start_chain(sampler, NULL, stream), chain))
  }, streams, seq_along(streams))
  new_race(leg = 1L, sweep = 0L, racers = unlist(racers, recursive = FALSE))
}

# Runs n further sweeps of starts that have done `before` sweeps of a leg of this length.
advance_racers <- function(racers, sampler, n, before, length) {
  marks <- seq(ceiling(length / 2 / SCORED_EVERY), length %/% SCORED_EVERY) * SCORED_EVERY
  ends <- c(marks[marks > before & marks <= before + n], before + n)
  for (end in unique(ends)) {
    scored <- end %in% marks
    ran <- advance_chains(lapply(racers, chain_of), sampler, end - before, integer(), scored)
    racers <- Map(function(racer, ran) {
      new_racer(ran$chain, racer$of, c(racer$score, if (scored) ran$log_density_now))
    }, racers, ran)
    before <- end
  }
  racers
}

SCORED_EVERY <- 5L

# The race after n sweeps of all racers. At the end of a leg half of them are dropped; the last leg ends the
# race.
continue_race <- function(race, racers, n, plan) {
  if (race$sweep + n < plan$legs[race$leg]) {
    return(new_race(race$leg, race$sweep + n, racers))
  }
  better <- best_of_each(racers, in_leg(plan, race$leg) %/% 2L)
  new_race(race$leg + 1L, 0L, lapply(better, function(racer) new_racer(chain_of(racer), racer$of)))
}

# The n best starts of each chain, best first. One without a finite log density is last. Without scores
# (before the first sweep of a leg) the order stays, which is that of the leg before.
best_of_each <- function(racers, n) {
  of <- vapply(racers, `[[`, 0L, "of")
  score <- vapply(racers, function(racer) mean(racer$score), 0)
  score[!is.finite(score)] <- -Inf
  kept <- lapply(split(seq_along(racers), of), function(mine) {
    utils::head(mine[order(score[mine], decreasing = TRUE)], n)
  })
  racers[unlist(kept, use.names = FALSE)]
}

# The best start of each chain, as a chain.
leaders <- function(race) lapply(best_of_each(race$racers, 1L), chain_of)

# The number of starts per chain in each leg.
in_leg <- function(plan, leg = seq_along(plan$legs)) as.integer(plan$starts %/% 2^(leg - 1))

# The sweeps of all starts of a chain that are done: of all legs, if there is no race any more; 0 without a plan.
raced_sweeps <- function(plan, race = NULL) {
  if (is.null(plan)) {
    return(0)
  }
  sweeps <- in_leg(plan) * plan$legs
  if (is.null(race)) {
    return(sum(sweeps))
  }
  sum(sweeps[seq_len(race$leg - 1L)]) + in_leg(plan, race$leg) * race$sweep
}
