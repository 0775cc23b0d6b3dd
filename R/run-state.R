# The state of a run (see R/run-chains.R): creating it, running sweeps, and storing draws.

fresh_state <- function(task, run, chains, race = NULL) {
  room <- function(shape) array(0, c(shape, run$kept * run$chains))
  shapes <- kept_shapes(task, task$dim)
  list(
    sweep = 0L, chains = chains, draws = lapply(shapes[setdiff(names(shapes), task$shards$of_rows)], room),
    log_density = matrix(NA_real_, run$kept, run$chains), kept = 0L, race = race, seconds = 0
  )
}

# Writes the next draws of each chain into the arrays in place, because R would otherwise copy the arrays,
# which may take most of the memory. This is safe because nothing else refers to these arrays before the run
# ends.
store_draws <- function(state, draws, run) {
  for (chain in seq_along(draws)) {
    for (name in names(state$draws)) {
      before <- (chain - 1) * run$kept + state$kept
      .Call(C_rc_store, state$draws[[name]], draws[[chain]][[name]], as.double(before))
    }
  }
}

# Runs n sweeps of some chains. `keep`: the sweeps whose draws are kept. `watch`: also return the log density
# after the last sweep. Workers receive this function with the objects that it needs, and nothing else.
advance_chains <- function(chains, task, n, keep, watch) {
  if (is.null(task$model$cells)) chains <- lapply(chains, give_seeds, n)
  made <- if (is.null(task$shards)) {
    task$model$gibbs(task$cells, chains, task$prior, n, keep, watch, task$reflect)
  } else {
    advance_shards(task, chains, n, keep, watch)
  }
  Map(function(chain, made) {
    stream <- if (is.null(made$stream)) chain$stream else made$stream
    after <- list(factors = made$factors, noise = made$noise, stream = stream)
    list(
      chain = c(after, key = made$key), draws = made$draws,
      log_density = made$log_density + task$log_constant,
      log_density_now = made$log_density_now + task$log_constant
    )
  }, chains, made)
}

give_seeds <- function(chain, n) {
  seeds <- with_stream(chain$stream, sweep_seeds(n))
  given <- list(factors = chain$factors, noise = chain$noise, seeds = seeds$value, stream = seeds$stream)
  c(given, key = chain$key)
}

advance_chain <- function(chain, ...) advance_chains(list(chain), ...)[[1]]

# The draws without unused slices; if no draw was kept, the current state of each chain.
only_kept <- function(task, state, run) {
  places <- in_each_chain(seq_len(run$kept), run$planned, seq_len(run$chains))
  for (name in names(state$draws)) {
    state$draws[[name]] <- state$draws[[name]][, , places, drop = FALSE]
    if (run$provisional) {
      state$draws[[name]][] <- unlist(lapply(state$chains, function(chain) chain$factors[[name]]))
    }
  }
  state$log_density <- state$log_density[seq_len(run$kept), , drop = FALSE]
  state
}

CHAIN_PARTS <- c("factors", "noise", "stream")

# What continues a racer or a chain: these parts, and the key of a chain on workers.
chain_parts <- function(chain) chain[intersect(names(chain), c(CHAIN_PARTS, "key"))]
