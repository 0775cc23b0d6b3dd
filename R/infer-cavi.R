# Variational inference: coordinate ascent (CAVI) from one or several starts. The best result is kept. The
# state of a run is a list, as in R/run-chains.R:
#
#   sweep         iterations done by the starts that have not converged, which advance together
#   chains        for each start: q, the stream of random numbers, the bound after each iteration (elbo),
#                 whether it has converged, and what it started from
#   seconds       time spent so far
#
# q is the variational posterior as src/rc_cavi.c reads it: for each factor the shapes and the rates of its
# gamma distributions, in the same layout as the factors of the sampler, and the results of the last local
# step.

# A start has converged if an iteration changes its bound by less than this share of the bound, and by less
# than this number of log units. The share alone would be too loose for a large bound.
#' @srrstats {BS4.4} iterations stop when the bound's relative and absolute changes are below these.
ELBO_TOLERANCE <- c(relative = 1e-6, absolute = 1e-3)

# The number of draws from q that a fit keeps: `most`, or fewer if these would take more than this number of
# bytes, but not fewer than `least`.
CAVI_DRAWS <- c(least = 20, most = 200)
CAVI_DRAWS_BYTES <- 2e8

first_state <- function(starts, seed) {
  chains <- Map(function(start, stream) list(start = start, stream = stream),
    starts, chain_streams(length(starts), seed)
  )
  list(sweep = 0L, chains = chains, seconds = 0)
}

# The run of cavi(), for data of this shape.
cavi_run <- function(inference, task, dim) {
  list(
    iter = inference$iter, warmup = 0L, thin = 1L, chains = inference$chains, kept = n_cavi_draws(task, dim)
  )
}

n_cavi_draws <- function(task, dim) {
  affordable <- floor(CAVI_DRAWS_BYTES / (8 * n_weights(task, dim)))
  as.integer(min(CAVI_DRAWS[["most"]], max(CAVI_DRAWS[["least"]], affordable)))
}

run_passes <- function(task, input, run, state, progress, saved) {
  workers <- uses_workers(run$chains)
  needed <- task[c("model", "cells", "prior", "family", "k", "bessel", "scheme", "log_constant")]
  if (!workers) needed <- open_cells(needed)
  ran <- run_blocks(state, run$iter, progress, saved, workers,
    begin = function(state) {
      if (state$sweep == 0) state$chains <- start_all(state$chains, task, input, workers)
      state
    },
    left = function(state) if (all(has_converged(state$chains))) 0 else run$iter - state$sweep,
    advance = function(state, n) {
      open <- !has_converged(state$chains)
      over_chains(state$chains[open], each, advance_start, needed, n, workers = workers)
    },
    absorb = function(state, ran, n) {
      state$chains[!has_converged(state$chains)] <- ran
      state$sweep <- max(passes_of(state$chains))
      state
    },
    shown = function(state, ran) vapply(state$chains, last_elbo, 0), what = "ELBO"
  )
  state <- ran$state
  if (ran$interrupted) {
    state$chains <- lapply(state$chains, at_least_started, task, input)
    say_interrupted(
      paste("Interrupted after", state$sweep, "of at most", run$iter, "iterations."),
      "The fit is the state of the best start so far. It has not converged.", run$iter - state$sweep, saved
    )
    run$wanted <- run$iter
  }
  new_cavi_fit(task, run, state)
}

# Runs n iterations of one start, or fewer if it converges.
advance_start <- function(start, task, n) {
  last <- if (length(start$elbo) > 0) last_elbo(start) else NA_real_
  ran <- task$model$cavi(
    task$cells, start$q, task$prior, task$scheme == "delta", n, ELBO_TOLERANCE, last,
    task$log_constant
  )
  start[c("q", "elbo", "converged")] <- list(ran$q, c(start$elbo, ran$elbo), ran$converged)
  start
}

# --- fit ------------------------------------------------------------------------------------------

# In a fit, `run$chains` and `run$kept` describe its draws, because all methods read them in this way.
new_cavi_fit <- function(task, run, state) {
  bounds <- vapply(state$chains, last_elbo, 0)
  check_that(state$sweep == 0 || any(bounds > -Inf), c(
    "No start led to finite parameters.",
    i = "Try other starts ({.arg init}), a prior with a larger shape, or {.code inference = \"gibbs\"}."
  ), NULL, class = "ldpcounts_cavi_error")
  best <- which.max(bounds)
  start <- state$chains[[best]]
  drawn <- with_stream(start$stream, draw_from_q(task$model, start$q, task, run$kept))$value
  run <- utils::modifyList(run, list(starts = run$chains, chains = 1L, passes = length(start$elbo)))
  new_fit(task, run, list(draws = drawn, chains = state$chains, best = best, seconds = state$seconds))
}

# n draws from q of everything that a Gibbs sampler keeps, with these of its factors, as arrays of the
# factors as stored.
draw_from_q <- function(model, q, task, n, factors = model$factors) {
  draws <- lapply(stats::setNames(nm = factors), function(name) {
    law <- q[[name]]
    draws <- stats::rgamma(n * length(law$shape), law$shape, law$rate)
    draws <- array(pmax(draws, .Machine$double.xmin), c(dim(law$shape), n))
    # (c, d) and (d, c) are the same weight
    if (name %in% model$symmetric) array(apply(draws, 3, upper_twice), dim(draws)) else draws
  })
  if (random_rates(task)) {
    priors <- task$prior[model$factors]
    fixed <- !vapply(priors, has_random_rate, TRUE)
    rates <- stats::rgamma(n * length(priors), q$rates[1, ], q$rates[2, ])
    draws$rate <- array(rates, c(length(priors), 1, n))
    draws$rate[fixed, , ] <- vapply(priors, hyper_start, 0, "rate")[fixed]
  }
  if (!is.null(q$groups)) {
    relative <- stats::rgamma(n * length(q$groups$shape), q$groups$shape, q$groups$rate)
    draws$groups <- array(pmax(relative, .Machine$double.xmin), c(dim(q$groups$shape), n))
  }
  if (!is.null(q$excess)) draws$excess <- draw_excess_from_q(q$excess, n)
  draws
}

# Draws from the distribution on the grid, which is treated as uniform around each point.
draw_excess_from_q <- function(law, n) {
  drawn <- vapply(seq_len(ncol(law$points)), function(i) {
    points <- law$points[, i]
    step <- points[2] - points[1]
    at <- sample.int(length(points), n, TRUE, law$weights[, i])
    exp(points[at] + step * (stats::runif(n) - 0.5))
  }, numeric(n))
  array(t(matrix(drawn, n)), c(ncol(law$points), 1, n))
}

