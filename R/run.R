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
#   race          while random starts compete for where the chains begin, see R/race.R; else NULL
#   seconds       spent so far
#
# A block that is interrupted is as if it had never begun: draws do not depend on how sweeps are cut
# into blocks.

# --- random numbers ---------------------------------------------------------------------------

# One L'Ecuyer stream per chain, all made from a single number of the caller's own stream.
#' @srrstats {BS2.9} each chain has its own stream of L'Ecuyer's generator.
chain_streams <- function(chains, seed) {
  force(seed) # the caller's number, before the generator is borrowed
  state <- with_stream(NULL, {
    set.seed(floor(seed * 2^31), "L'Ecuyer-CMRG", "Inversion", "Rejection")
  })$stream
  Reduce(function(stream, i) parallel::nextRNGStream(stream), seq_len(chains), state,
    accumulate = TRUE
  )[-1]
}

# Evaluates `code` on a stream of its own and leaves the caller's as it was. Returns the value
# and the stream after it.
with_stream <- function(stream, code) {
  global <- globalenv()
  callers <- get0(".Random.seed", global, inherits = FALSE)
  kind <- RNGkind()
  on.exit(if (is.null(callers)) {
    suppressWarnings(do.call(RNGkind, as.list(kind))) # of a sample.kind that is out of fashion
    rm(".Random.seed", envir = global)
  } else {
    assign(".Random.seed", callers, envir = global)
  })
  if (!is.null(stream)) {
    assign(".Random.seed", stream, envir = global)
  }
  value <- force(code)
  list(value = value, stream = get(".Random.seed", global, inherits = FALSE))
}

# --- state ------------------------------------------------------------------------------------

start_state <- function(task, run, starts, level, seed) {
  streams <- chain_streams(run$chains, seed)
  if (!is.null(run$race)) {
    race <- start_race(task, run$race, level, streams)
    return(fresh_state(task, run, lapply(best_of_each(race$racers, 1L), `[`, CHAIN_PARTS), race))
  }
  fresh_state(task, run, Map(function(start, stream) {
    if (is.null(start)) settled_start(task, level, stream) else start_chain(task, level, start, stream)
  }, starts, streams))
}

fresh_state <- function(task, run, chains, race = NULL) {
  list(
    sweep = 0L, chains = chains,
    draws = allocate_draws(task, run), log_density = matrix(NA_real_, run$kept, run$chains),
    kept = 0L, race = race, seconds = 0
  )
}

start_chain <- function(task, level, start, stream) {
  made <- with_stream(stream, {
    if (is.list(start)) start else task$model$start(task$dim, task$k, level)
  })
  n <- length(task$cells$y_tilde)
  priors <- task$prior[task$model$factors]
  rates <- if (random_rates(task)) list(rate = matrix(vapply(priors, rate_mean, 0)))
  n_excess <- n_excess(task$family, task$dim[1])
  excess <- if (n_excess > 0 && is.null(made$value$excess)) {
    list(excess = matrix(start_excess(task$family, n_excess)))
  }
  list(
    factors = c(made$value, rates, excess), noise = if (task$bessel) list(g1 = numeric(n), g2 = numeric(n)),
    stream = made$stream
  )
}

# A random start, searched from where a model wants that: round by round its components, the smallest
# first, are drawn anew, one at a time, and stay so where the log density ends higher after some sweeps. A
# chain seldom leaves a mode where two components share what one explains, and another is missed; one that
# is drawn anew finds it (bench/tensors.R).
settled_start <- function(task, level, stream) {
  chain <- start_chain(task, level, NULL, stream)
  if (task$k == 1 || task$model$search_rounds == 0) {
    return(chain)
  }
  chain <- settle(chain, task)
  for (round in seq_len(task$model$search_rounds)) {
    for (component in utils::head(order(component_sizes(chain, task)), MOST_REDRAWN)) {
      tried <- settle(redraw_component(chain, component, task, level), task)
      if (tried$log_density_now <= chain$log_density_now) tried <- replace(chain, "stream", tried["stream"])
      chain <- tried
    }
  }
  chain[CHAIN_PARTS]
}

MOST_REDRAWN <- 8L # in a round

# Some sweeps, the first of them under priors of a larger shape, whose weights are spread more evenly: of
# a small shape components take sides at once.
settle <- function(chain, task) {
  spread <- task
  for (name in task$model$factors) {
    spread$prior[[name]]$shape <- max(task$prior[[name]]$shape, SETTLE_SHAPE)
  }
  chain <- advance_chain(chain, spread, SETTLE_SWEEPS[["spread"]], integer(), FALSE)$chain
  ran <- advance_chain(chain, task, SETTLE_SWEEPS[["own"]], integer(), TRUE)
  c(ran$chain, ran["log_density_now"])
}

SETTLE_SWEEPS <- c(spread = 20L, own = 10L)
SETTLE_SHAPE <- 3

redraw_component <- function(chain, component, task, level) {
  fresh <- start_chain(task, level, NULL, chain$stream)
  for (name in task$model$factors) {
    chain$factors[[name]][component, ] <- fresh$factors[[name]][component, ]
  }
  replace(chain, "stream", fresh["stream"])
}

# What each component adds to the total of mu, but for the diagonal of a network.
component_sizes <- function(chain, task) {
  Reduce(`*`, lapply(chain$factors[task$model$factors], rowSums))
}

# The places of these draws of some chains, which have `each` draws, one chain after the other.
in_each_chain <- function(draws, each, chains) as.vector(outer(draws, (chains - 1L) * each, `+`))

allocate_draws <- function(task, run) {
  lapply(kept_shapes(task, task$dim), function(shape) array(0, c(shape, run$kept * run$chains)))
}

# The shapes, as stored, of all that is kept of a sweep.
kept_shapes <- function(task, dim) {
  model <- task$model
  shapes <- model$factor_dim(dim, task$k)
  factors <- lapply(stats::setNames(nm = model$factors), function(name) {
    turn_shape(model, name, shapes[[name]])
  })
  further <- c(
    rate = if (random_rates(task)) length(model$factors), excess = n_excess(task$family, dim[1])
  )
  c(factors, lapply(further[further > 0], function(n) c(n, 1)))
}

# Is the rate of a prior random? Then the rates of all priors are kept beside the factors, as
# `rate`.
random_rates <- function(task) any(vapply(task$prior, has_random_rate, TRUE))

# A factor, or its shape, as stored, as users see it, and the way back.
turn <- function(model, name, x) if (model$transposed[[name]]) t(x) else x
turn_shape <- function(model, name, shape) if (model$transposed[[name]]) rev(shape) else shape

# Puts the next draws of each chain into their places, in the arrays themselves: R would copy what
# may be most of the memory. The arrays belong to the run, and to nobody else before it ends.
store_draws <- function(state, draws, run) {
  for (chain in seq_along(draws)) {
    for (name in names(state$draws)) {
      before <- (chain - 1) * run$kept + state$kept
      .Call(C_rc_store, state$draws[[name]], draws[[chain]][[name]], as.double(before))
    }
  }
}

# --- blocks of sweeps -----------------------------------------------------------------------------

# Runs n sweeps of one chain; `keep`: which of them are kept. `watch`: the log density after the
# last one too. A worker gets this function with what it needs and nothing else.
advance_chain <- function(chain, task, n, keep, watch) {
  ran <- with_stream(chain$stream, {
    task$model$gibbs(
      task$cells, chain$factors, chain$noise, task$prior, n, keep, watch, task$reflect
    )
  })
  list(
    chain = list(factors = ran$value$factors, noise = ran$value$noise, stream = ran$stream),
    draws = ran$value$draws, log_density = ran$value$log_density + task$log_constant,
    log_density_now = ran$value$log_density_now + task$log_constant
  )
}

# On the workers of the plan that is set with future::plan(), if there is one and chains are
# several.
uses_workers <- function(chains) {
  chains > 1 && requireNamespace("future.apply", quietly = TRUE) &&
    !inherits(future::plan(), "sequential")
}

# f(chain, ...) of every chain.
over_chains <- function(chains, f, ..., workers) {
  if (!workers) {
    return(lapply(chains, f, ...))
  }
  # the streams are ours: future's own care for random numbers is not wanted
  future.apply::future_lapply(chains, f, ...,
    future.seed = NULL, future.globals = FALSE, future.packages = "ldpcounts"
  )
}

# Often enough for progress and interrupts, rarely enough to cost nothing; with workers, each block
# carries cells and factors there and back.
SECONDS_PER_BLOCK <- 0.2
SECONDS_PER_BLOCK_OF_WORKERS <- 10

block_seconds <- function(workers) {
  if (workers) SECONDS_PER_BLOCK_OF_WORKERS else SECONDS_PER_BLOCK
}

# How many sweeps come next, after a block of n of them that took so many seconds.
next_block <- function(block, n, took, wanted) {
  as.integer(max(1, min(2 * block, n * wanted / max(took, 1e-6), 1e4)))
}

# The whole of a run: what it takes is checked and told, then it goes on from its checkpoint, or from
# begin(task, seed). `from`: what the chains start from, which a checkpoint must share. `seed` is a
# promise: a run that is refused draws no number, and any other draws it. `go`: makes the fit.
run_task <- function(task, input, run, progress, checkpoint, from, begin, seed = NULL,
                     go = run_chains, call) {
  memory <- check_memory(task, input, run, call = call)
  if (progress) {
    announce(task, input, run, memory)
  }
  task <- add_cells(task, input)
  saved <- open_checkpoint(checkpoint, fingerprint(task, input, run, from), call = call,
    is_valid = function(state) is_state(state, task, run)
  )
  force(seed)
  state <- saved$state
  go(task, run, if (is.null(state)) begin(task, seed) else state, progress, saved)
}

run_chains <- function(task, run, state, progress, saved) {
  ran <- run_sweeps(task, run, state, progress, saved)
  made <- ran$state[c("draws", "log_density", "chains", "race", "seconds")]
  if (is.null(names(made$chains))) names(made$chains) <- seq_len(run$chains)
  fit <- new_fit(task, ran$run, made[lengths(made) > 0])
  fit$modes <- find_modes(fit)
  fit
}

# Whatever a run does in blocks, until nothing is left or the user interrupts: list(state, interrupted).
# An interrupt loses the block at hand, and no state is half changed.
#
#   left         function(state): how many sweeps, or passes, may come in one block now; 0 at the end
#   begin        function(state): the state that the first block goes on from
#   advance      function(state, n): what n further sweeps, or passes, of all chains come to
#   absorb       function(state, ran, n): the state with that in it
#   shown        function(state, ran): for the bar, a number a chain; `what`: what it is
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

# The sweeps that are left: list(run, state), the run as far as it came. `task$alone`: not on workers,
# which do not have what a user's own function may need.
run_sweeps <- function(task, run, state, progress, saved) {
  workers <- !isTRUE(task$alone) && uses_workers(run$chains)
  needed <- task[c("model", "cells", "prior", "reflect", "log_constant")]
  kept_of <- function(state, n) {
    sweeps <- state$sweep + seq_len(n)
    which(sweeps > run$warmup & (sweeps - run$warmup) %% run$thin == 0)
  }
  plan <- run$race
  ran <- run_blocks(state, run$iter + race_sweeps(plan), progress, saved, workers,
    left = function(state) {
      if (is.null(state$race)) run$iter - state$sweep else left_of_leg(plan, state$race)
    },
    advance = function(state, n) {
      race <- state$race
      if (is.null(race)) {
        over_chains(state$chains, advance_chain, needed, n, kept_of(state, n), progress, workers = workers)
      } else {
        over_chains(race$racers, advance_racer, needed, n, race$sweep, plan$legs[race$leg], workers = workers)
      }
    },
    absorb = function(state, ran, n) {
      if (!is.null(state$race)) {
        return(absorb_race(state, ran, n, plan))
      }
      keep <- kept_of(state, n)
      store_draws(state, lapply(ran, `[[`, "draws"), run)
      rows <- state$kept + seq_along(keep)
      state$log_density[rows, ] <- vapply(ran, `[[`, numeric(length(keep)), "log_density")
      state$chains <- lapply(ran, `[[`, "chain")
      state$sweep <- state$sweep + n
      state$kept <- state$kept + length(keep)
      state
    },
    shown = function(state, ran) unlist(lapply(ran, `[[`, "log_density_now")),
    position = function(state) state$sweep + raced_sweeps(plan, state$race)
  )
  state <- ran$state
  if (ran$interrupted) {
    run <- cut_short(run, state, saved)
    state <- only_kept(task, state, run)
  }
  list(run = run, state = state)
}

# --- interrupted ----------------------------------------------------------------------------------

# The run as far as it came; says how far.
cut_short <- function(run, state, saved) {
  left <- run$iter - state$sweep
  say_interrupted(
    if (is.null(state$race)) {
      paste("Interrupted after", state$sweep, "of", run$iter, "sweeps.")
    } else {
      paste("Interrupted before the first of", run$iter, "sweeps, while random starts competed.")
    },
    if (state$kept > 0) {
      paste("The fit has the", count_of(state$kept * run$chains, "draw"), "kept so far.")
    } else {
      "No draw had been kept: the fit has only the last state of each chain, from which it can go on."
    },
    left, saved
  )
  run$wanted <- run$iter
  run$iter <- state$sweep
  run$planned <- run$kept
  run$kept <- max(1L, state$kept)
  run$provisional <- state$kept == 0
  run
}

# At the console a warning, and the fit as far as it came. A script would continue with that fit, so it is
# stopped.
say_interrupted <- function(how_far, has, left, saved) {
  if (rlang::is_interactive()) {
    return(cli::cli_warn(c(
      "{how_far}",
      i = "{has}", i = "{.code update(fit, iter = {left})} continues the run."
    ), class = "ldpcounts_interrupted"))
  }
  ldp_abort(c("{how_far}", i = if (is.null(saved)) {
    "Nothing was saved. Model functions save their runs to a {.arg checkpoint}."
  } else {
    "The run so far is in {.file {saved$file}}. The same call continues it."
  }), class = "ldpcounts_interrupted", call = NULL)
}

# The draws without the places that were left empty; where there is none, the state of each chain.
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

# --- fit -------------------------------------------------------------------------------------

# `made`: what the inference has come to.
#' @srrstats {BS5.1} the data, as released, are in the fit.
#' @srrstats {BS5.2} so is the prior,
#' @srrstats {UL4.2} and what controlled the run.
new_fit <- function(task, run, made) {
  structure(
    c(
      task[c("data", "k", "family", "noise", "augmentation", "private", "prior")],
      list(
        directed = task$model$network != "undirected", run = run[setdiff(names(run), "planned")]
      ),
      made, list(version = FIT_VERSION)
    ),
    class = c(task$model$name, "ldp_fit")
  )
}

# The task that a fit came of, but for what add_cells() adds.
task_of_fit <- function(fit) {
  parts <- c("data", "k", "noise", "augmentation", "prior", "private", "inference")
  c(list(model = model_of(fit), family = family_of(fit)), unclass(fit)[intersect(parts, names(fit))])
}
