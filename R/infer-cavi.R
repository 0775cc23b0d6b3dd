# Variational inference: coordinate ascent (CAVI) from one or several starts. The best result is kept. The
# state of a run is that of new_state() (R/run-chains.R), with starts that advance together until they have
# converged.

# One start. q is the variational posterior as src/rc_cavi.c reads it: for each factor the shapes and the
# rates of its gamma distributions, in the same layout as the factors of the sampler, and the results of the
# last local step; see new_q().
#
#   stream       its stream of random numbers
#   from         how it begins: "gibbs" (the default), "random" or "given"
#   given        factors as stored, if they were given; until q exists
#   q            NULL before it begins
#   elbo         the bound after each iteration
#   converged    has the bound converged?
new_start <- function(stream, from, given = NULL, q = NULL, elbo = numeric(), converged = FALSE) {
  start <- list(q = q, stream = stream, elbo = elbo, converged = converged, from = from)
  c(start, if (!is.null(given)) list(given = given))
}

# `start`: as check_init() returns it.
start_of <- function(start, stream) {
  from <- if (is.null(start)) "gibbs" else if (is.list(start)) "given" else "random"
  new_start(stream, from, if (is.list(start)) start)
}

begin_cavi <- function(starts, seed) new_state(Map(start_of, starts, chain_streams(length(starts), seed)))

# A start has converged if an iteration changes its bound by less than this share of the bound, and by less
# than this number of log units. The share alone would be too loose for a large bound.
ELBO_TOLERANCE <- c(relative = 1e-6, absolute = 1e-3)

# The number of draws from q that a fit keeps: `most`, or fewer if these would take more than so many bytes,
# but not fewer than `least`.
CAVI_DRAWS <- c(least = 20, most = 200)
CAVI_DRAWS_BYTES <- 2e8

affordable_draws <- function(bytes_per_draw, bytes) {
  as.integer(min(CAVI_DRAWS[["most"]], max(CAVI_DRAWS[["least"]], floor(bytes / bytes_per_draw))))
}

n_cavi_draws <- function(task) affordable_draws(8 * n_weights(task), CAVI_DRAWS_BYTES)

run_cavi <- function(task, sampler, run, state, progress, saved, input) {
  ended <- run_blocks(state, run$iter, progress, saved,
    begin = function(state) {
      if (state$sweep == 0) state$chains <- begin_starts(state$chains, task, sampler, input)
      state
    },
    left = function(state) if (all(has_converged(state$chains))) 0 else run$iter - state$sweep,
    advance = function(state, n) {
      lapply(state$chains[!has_converged(state$chains)], advance_start, sampler, n)
    },
    absorb = function(state, results, n) {
      state$chains[!has_converged(state$chains)] <- results
      state$sweep <- max(passes_of(state$chains))
      state
    },
    shown = function(state, results) vapply(state$chains, last_elbo, 0), what = "ELBO"
  )
  state <- ended$state
  if (ended$interrupted) {
    # starts that were interrupted before their sweeps begin from random values
    unmade <- vapply(state$chains, function(start) is.null(start$q), TRUE)
    random <- lapply(state$chains[unmade], function(start) new_start(start$stream, "random"))
    state$chains[unmade] <- begin_starts(random, task, sampler, input)
    say_interrupted(
      paste("Interrupted after", state$sweep, "of at most", run$iter, "iterations."),
      "The fit is the state of the best start so far. It has not converged.",
      paste("iter =", run$iter - state$sweep), saved
    )
  }
  bounds <- vapply(state$chains, last_elbo, 0)
  check_that(state$sweep == 0 || any(bounds > -Inf), c(
    "No start led to finite parameters.",
    i = "Try other starts ({.arg init}), a prior with a larger shape, or {.code inference = \"gibbs\"}."
  ), NULL, class = "ldpcounts_cavi_error")
  best <- which.max(bounds)
  start <- state$chains[[best]]
  draws <- with_stream(start$stream, draw_from_q(task, start$q, run$kept))$value
  # `chains` and `kept` of a fit describe its draws, because all methods read them in this way
  run <- new_run(run$iter, chains = 1L, kept = run$kept, starts = run$chains, passes = length(start$elbo),
    wanted = if (ended$interrupted) run$iter
  )
  new_fit(task, run, list(draws = draws, chains = state$chains, best = best, seconds = state$seconds))
}

# Runs n iterations of one start, or fewer if it converges.
advance_start <- function(start, sampler, n) {
  last <- if (length(start$elbo) > 0) last_elbo(start) else NA_real_
  ran <- sampler$model$cavi(
    sampler$cells, start$q, sampler$prior, sampler$delta, n, ELBO_TOLERANCE, last, sampler$log_constant
  )
  new_start(start$stream, start$from, NULL, ran$q, c(start$elbo, ran$elbo), ran$converged)
}

# --- starts ---------------------------------------------------------------------------------------

# The default start begins like a Gibbs chain (settled_start() in R/run-starts.R), runs START_SWEEPS sweeps of
# the collapsed sampler for the same family, and takes the means of the last START_MEANS of them. Longer runs,
# and means over more sweeps, lead to higher bounds and smaller errors, but take more time: see bench/cavi.R.
START_SWEEPS <- 200L
START_MEANS <- 100L

# The shape of the initial gamma distributions, whose means are the factors of a start. They are narrow, so
# that the first local step uses nearly the factors themselves. The first iteration replaces them.
START_SHAPE <- 1e4

# Begins those starts that have no q yet. Their sweeps do not need the augmentation.
begin_starts <- function(starts, task, sampler, input) {
  noise <- no_noise_yet(sampler)
  if (sampler$bessel) sampler <- sampler_of(task, input, "collapsed")
  lapply(starts, begin_start, sampler, noise)
}

# `noise`: of the augmentation, if the iterations need it.
begin_start <- function(start, sampler, noise) {
  if (!is.null(start$q)) {
    return(start)
  }
  chain <- if (start$from == "gibbs") {
    sweep_to_start(settled_start(sampler, start$stream), sampler)
  } else {
    start_chain(sampler, start$given, start$stream)
  }
  new_start(chain$stream, start$from, q = new_q(sampler, chain$factors, noise))
}

# Runs the sweeps of the default start, and returns the chain with means as its factors. The scale of a factor
# is only weakly determined, because another factor can compensate for it, and it drifts from sweep to sweep,
# most of all if rates are random. So all draws are rescaled to the scale of the draw before the first, and
# then averaged.
sweep_to_start <- function(chain, sampler) {
  chain <- advance_chain(chain, sampler, START_SWEEPS - START_MEANS, integer(), FALSE)$chain
  target <- chain$factors
  total <- lapply(target, `*`, 0)
  for (sweep in seq_len(START_MEANS)) {
    ran <- advance_chain(chain, sampler, 1L, 1L, FALSE)
    chain <- ran$chain
    draw <- lapply(ran$draws, function(x) matrix(x, dim(x)[1]))
    total <- Map(`+`, total, at_scale_of(target, draw, sampler$model))
  }
  means <- lapply(total, `/`, START_MEANS)
  at_scale <- intersect(c("rate", "groups"), names(target)) # these belong to the scale of the target
  means[at_scale] <- target[at_scale]
  new_chain(means, chain$noise, chain$stream)
}

# Rescales factors (as stored, one component per row) so that each component has the same sum as in `target`,
# in every factor except the last. The last factor is rescaled to compensate, so that the means do not change.
at_scale_of <- function(target, factors, model) {
  last <- model$factors[length(model$factors)]
  for (name in setdiff(model$factors, last)) {
    by <- rowSums(target[[name]]) / rowSums(factors[[name]])
    by <- pmin(pmax(by, 1e-100), 1e100)
    factors[[name]] <- factors[[name]] * by
    factors[[last]] <- factors[[last]] / if (model$network == "none") by else outer(by, by)
  }
  factors
}

# --- q --------------------------------------------------------------------------------------------

# The initial q, around the given factors (as stored).
new_q <- function(sampler, factors, noise = NULL) {
  model <- sampler$model
  priors <- sampler$prior
  q <- lapply(stats::setNames(nm = model$factors), function(name) {
    x <- factors[[name]]
    has_exposures <- name == model$factors[1] && model$network == "none"
    c(
      list(shape = 0 * x + START_SHAPE, rate = START_SHAPE / x, counts = 0 * x),
      if (has_exposures) list(active = 0 * x)
    )
  })
  # a column per factor: the distribution of the rate of its prior, and its shape, which is a number; those of
  # random rates and of groups are approximate
  hyper <- vapply(seq_along(model$factors), function(i) {
    prior <- priors[[model$factors[i]]]
    shape <- if ("shape" %in% estimated_in(prior)) factors$shape[i] else prior$shape
    if (!has_random_rate(prior)) {
      return(c(1, 1, shape))
    }
    of_rate <- prior$rate$shape + length(factors[[model$factors[i]]]) * shape
    c(of_rate, of_rate / factors$rate[i], shape)
  }, numeric(3))
  relative <- factors$groups
  c(
    q, list(hyper = hyper),
    if (!is.null(factors$excess)) list(excess = new_excess_law(factors$excess, sampler$dim[1])),
    if (!is.null(relative)) {
      shape <- 0 * relative + priors$groups$shape + sampler$dim[1] * hyper[3, 1]
      list(groups = list(shape = shape, rate = shape / relative))
    },
    if (!is.null(noise)) list(noise = noise)
  )
}

# The distribution of log(dispersion - 1) on a grid, one column per dispersion. Initially all points are
# equal.
new_excess_law <- function(excess, rows) {
  n <- length(excess)
  list(
    points = matrix(log(excess), CAVI_GRID, n, byrow = TRUE),
    weights = matrix(1 / CAVI_GRID, CAVI_GRID, n), divergence = numeric(n),
    shown = matrix(0, 3, rows)
  )
}

# n draws from q of everything that a Gibbs sampler keeps, with these of its factors, as arrays of the
# factors as stored.
draw_from_q <- function(task, q, n, factors = task$model$factors) {
  model <- task$model
  priors <- task$prior[model$factors]
  gamma_draws <- function(of_factor) {
    draws <- stats::rgamma(n * length(of_factor$shape), of_factor$shape, of_factor$rate)
    array(pmax(draws, .Machine$double.xmin), c(dim(of_factor$shape), n))
  }
  draws <- lapply(stats::setNames(nm = factors), function(name) {
    draws <- gamma_draws(q[[name]])
    # (c, d) and (d, c) are the same weight
    if (name %in% model$symmetric) array(apply(draws, 3, upper_twice), dim(draws)) else draws
  })
  if (any(vapply(task$prior[model$factors], has_random_rate, TRUE))) {
    fixed <- !vapply(priors, has_random_rate, TRUE)
    rates <- stats::rgamma(n * length(priors), q$hyper[1, ], q$hyper[2, ])
    draws$rate <- array(rates, c(length(priors), 1, n))
    draws$rate[fixed, , ] <- vapply(priors, hyper_start, 0, "rate")[fixed]
  }
  if ("shape" %in% names(hyper_starts(priors))) draws$shape <- array(q$hyper[3, ], c(length(priors), 1, n))
  if (!is.null(q$groups)) draws$groups <- gamma_draws(q$groups)
  if (!is.null(q$excess)) draws$excess <- draw_excess_from_q(q$excess, n)
  draws
}

# Draws from the distribution on the grid, which is treated as uniform around each point.
draw_excess_from_q <- function(q, n) {
  drawn <- vapply(seq_len(ncol(q$points)), function(i) {
    points <- q$points[, i]
    step <- points[2] - points[1]
    at <- sample.int(length(points), n, TRUE, q$weights[, i])
    exp(points[at] + step * (stats::runif(n) - 0.5))
  }, numeric(n))
  array(t(matrix(drawn, n)), c(ncol(q$points), 1, n))
}
