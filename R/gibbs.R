# The engine: one loop for all models. A model (R/topics.R, R/blocks.R) is a list of
#
#   name, label     its class, and what print() calls it
#   component       what one of its k components is called
#   indices         what the two margins of each factor are: row, column or component
#   network         is its data a square table without a diagonal?
#   factors         names of its factors, in the order of its priors
#   gibbs           function(cells, factors, noise, prior, n, keep): runs n sweeps in C
#   start           function(dim, k, level): factors to start from, with mean about `level`
#   factor_dim      function(dim, k): list of the dimensions of each factor, as users see it
#   transposed      which factors are stored as the transpose of what users see
#   mean            function(factors): mu from factors as users see them
#   cell_mean       function(factors, cells): the same at the rows of an index matrix
#   total           function(factors): the sum of mu, a quantity that has no labels to switch
#   normalise       function(factors): the same model with the scale put where it belongs
#   permute         function(factors, order): the components in another order
#   signature       function(factors): k rows that tell the components apart
#   size            function(factors): how much each component carries
#
# Factors are stored as the kernels want them: the components of one row side by side.

SECONDS_PER_BLOCK <- 0.2

fit_gibbs <- function(model, data, k, noise, augmentation, prior, iter, warmup, thin, chains,
                      init, progress, call = rlang::caller_env()) {
  if (missing(k)) {
    ldp_abort("{.arg k}, the number of components, must be given.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  k <- check_whole(k, "k", 1, 10000, call = call)
  noise <- check_choice(noise, "noise", c("model", "ignore"), call = call)
  augmentation <- check_choice(augmentation, "augmentation", c("collapsed", "bessel"), call = call)
  prior <- check_prior(prior, model$factors, call = call)
  run <- check_run(iter, warmup, thin, chains, call = call)
  progress <- check_flag(progress, "progress", call = call)
  input <- model_data(data, model$network, call = call)
  if (noise == "ignore") {
    input <- take_for_truth(input)
  }
  starts <- check_init(init, model, dim(input$counts), k, run$chains, call = call)
  bessel <- augmentation == "bessel" && any(input$alpha > 0) # without noise the two are one
  cells <- make_cells(input$counts, input$alpha, bessel, model$network)

  level <- level_of(input$counts)

  began <- proc.time()[["elapsed"]]
  if (progress) {
    announce(model, dim(input$counts), k, run)
  }
  draws <- allocate_draws(model, dim(input$counts), k, run)
  streams <- chain_streams(run$chains, seed = stats::runif(1))
  for (chain in seq_len(run$chains)) {
    state <- start_chain(model, cells, k, level, bessel, starts[[chain]], streams[[chain]])
    draws <- run_chain(model, cells, prior, run, state, draws, chain, progress)
  }
  structure(
    list(
      data = data, k = k, noise = noise, augmentation = augmentation,
      private = input$private, prior = prior, run = run, draws = draws, streams = streams,
      seconds = proc.time()[["elapsed"]] - began, version = FIT_VERSION
    ),
    class = c(model$name, "ldp_fit")
  )
}

# The naive analysis: releases cut at zero, as if there were no noise.
take_for_truth <- function(input) {
  if (input$private) {
    input$counts[cells_where(input$counts, function(x) !is.na(x) & x < 0)] <- 0L
    input$alpha[] <- 0
  }
  input
}

check_run <- function(iter, warmup, thin, chains, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  warmup <- check_whole(warmup, "warmup", 0, call = call)
  thin <- check_whole(thin, "thin", 1, call = call)
  chains <- check_whole(chains, "chains", 1, call = call)
  kept <- (iter - warmup) %/% thin
  if (iter <= warmup) {
    ldp_abort(c(
      "{.arg iter} must be above {.arg warmup}: sweeps in all, those thrown away among them.",
      x = "They are {iter} and {warmup}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept < 1) {
    ldp_abort(c(
      "{.arg thin} must leave at least one draw of {iter - warmup} sweeps after the warmup.",
      x = "It is {thin}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  if (kept * as.double(chains) > .Machine$integer.max) {
    ldp_abort(c(
      "{.arg iter}, {.arg thin} and {.arg chains} must keep fewer than 2^31 draws in all.",
      x = "They keep {kept * as.double(chains)}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  list(iter = iter, warmup = warmup, thin = thin, chains = chains, kept = kept)
}

# --- random numbers ---------------------------------------------------------------------------

# One L'Ecuyer stream per chain, all made from a single number of the caller's own stream.
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
  on.exit({
    if (is.null(callers)) {
      rm(".Random.seed", envir = global)
    } else {
      assign(".Random.seed", callers, envir = global)
    }
  })
  if (!is.null(stream)) {
    assign(".Random.seed", stream, envir = global)
  }
  value <- force(code)
  list(value = value, stream = get(".Random.seed", global, inherits = FALSE))
}

# --- start ------------------------------------------------------------------------------------

# The mean count, about: noise has mean zero. Only where to start from; never below a trifle.
level_of <- function(counts) {
  observed <- n_cells(counts) - n_missing(counts)
  max(sum(stored_values(counts), na.rm = TRUE) / max(1, observed), 0.01)
}

# One start per chain: NULL, or factors as stored.
check_init <- function(init, model, dim, k, chains, call) {
  if (is.null(init)) {
    return(vector("list", chains))
  }
  starts <- if (inherits(init, "ldp_fit")) {
    last_draws(init)
  } else if (is.list(init) && all(model$factors %in% names(init))) {
    list(init)
  } else {
    init
  }
  wanted <- model$factor_dim(dim, k)
  right_number <- inherits(init, "ldp_fit") || (is.list(starts) && length(starts) %in% c(1, chains))
  if (!right_number || !all(vapply(starts, is_start, TRUE, wanted = wanted))) {
    abort_start(wanted, call)
  }
  lapply(rep_len(starts, chains), function(start) {
    stats::setNames(lapply(model$factors, function(name) {
      x <- turn(model, name, start[[name]])
      matrix(as.double(x), nrow(x))
    }), model$factors)
  })
}

is_start <- function(start, wanted) {
  is.list(start) && all(vapply(names(wanted), function(name) {
    x <- start[[name]]
    is.matrix(x) && is.numeric(x) && all(dim(x) == wanted[[name]]) &&
      all(is.finite(x) & x > 0 & x < FACTOR_MAX)
  }, TRUE))
}

# Products of three such factors, summed, are still finite.
FACTOR_MAX <- 1e90

abort_start <- function(wanted, call) {
  shapes <- paste0(names(wanted), " (", vapply(wanted, paste, "", collapse = " x "), ")")
  ldp_abort(c(
    "{.arg init} must be NULL, a fit of the same shape, or lists of positive matrices.",
    i = "Wanted: {shapes}; one list, or one per chain."
  ), class = "ldpcounts_argument_error", call = call)
}

# An ordinary list: factors as stored, the augmentation's noise, sweeps done, random stream.
start_chain <- function(model, cells, k, level, bessel, start, stream) {
  made <- with_stream(stream, if (is.null(start)) model$start(cells$dim, k, level) else start)
  n <- length(cells$y_tilde)
  list(
    factors = made$value, noise = if (bessel) list(g1 = numeric(n), g2 = numeric(n)),
    sweep = 0L, stream = made$stream
  )
}

# --- sweeps -----------------------------------------------------------------------------------

# Arrays of the factors as stored, one slice per kept draw, chain after chain.
allocate_draws <- function(model, dim, k, run) {
  shapes <- model$factor_dim(dim, k)
  draws <- lapply(model$factors, function(name) {
    stored <- if (model$transposed[[name]]) rev(shapes[[name]]) else shapes[[name]]
    array(0, c(stored, run$kept * run$chains))
  })
  stats::setNames(draws, model$factors)
}

# A factor as stored, as users see it, and the way back.
turn <- function(model, name, x) if (model$transposed[[name]]) t(x) else x

run_sweeps <- function(model, cells, prior, state, n, keep) {
  ran <- with_stream(state$stream, {
    model$gibbs(cells, state$factors, state$noise, prior, n, keep)
  })
  list(
    state = list(
      factors = ran$value$factors, noise = ran$value$noise, sweep = state$sweep + n,
      stream = ran$stream
    ),
    draws = ran$value$draws
  )
}

# Blocks of sweeps of about a fifth of a second: often enough for progress and interrupts,
# rarely enough to cost nothing.
run_chain <- function(model, cells, prior, run, state, draws, chain, progress) {
  bar <- start_bar(progress, chain, run)
  on.exit(bar(NULL))
  block <- 1L
  place <- (chain - 1L) * run$kept
  while (state$sweep < run$iter) {
    n <- min(block, run$iter - state$sweep)
    sweeps <- state$sweep + seq_len(n)
    keep <- which(sweeps > run$warmup & (sweeps - run$warmup) %% run$thin == 0)
    seconds <- system.time(ran <- run_sweeps(model, cells, prior, state, n, keep),
      gcFirst = FALSE
    )[["elapsed"]]
    for (name in names(draws)) {
      draws[[name]][, , place + seq_along(keep)] <- ran$draws[[name]]
    }
    place <- place + length(keep)
    state <- ran$state
    bar(state$sweep)
    block <- as.integer(max(1, min(2 * block, n * SECONDS_PER_BLOCK / max(seconds, 1e-6), 1e4)))
  }
  draws
}

# A function of the sweeps done; of NULL when done.
start_bar <- function(progress, chain, run) {
  if (!progress) {
    return(function(sweep) invisible())
  }
  id <- cli::cli_progress_bar(
    paste("Chain", chain, "of", run$chains),
    total = run$iter, .auto_close = FALSE
  )
  function(sweep) {
    if (is.null(sweep)) {
      cli::cli_progress_done(id)
    } else {
      cli::cli_progress_update(id = id, set = sweep)
    }
  }
}

# What so many numbers take in memory.
format_doubles <- function(n) {
  format(structure(8 * n, class = "object_size"), units = "auto", standard = "SI")
}

announce <- function(model, dim, k, run) {
  kept <- run$kept * run$chains
  size <- format_doubles(sum(vapply(model$factor_dim(dim, k), prod, 0)) * kept)
  length <- paste(count_of(run$chains, "chain"), "of", count_of(run$iter, "sweep"))
  cli::cli_inform(c(
    i = "{model$label}, {dim[1]} x {dim[2]}, k = {k}: {length}.",
    i = "The {kept} kept draw{?s} of the factors will take {size} of memory."
  ))
}
