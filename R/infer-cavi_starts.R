# Where variational inference starts.

# The default start begins like a Gibbs chain (settled_start() in R/run-starts.R), runs START_SWEEPS sweeps of
# the collapsed sampler for the same family, and takes the means of the last START_MEANS of them. Longer runs,
# and means over more sweeps, lead to higher bounds and smaller errors, but take more time: see bench/cavi.R.
START_SWEEPS <- 200L
START_MEANS <- 100L

# The shape of the initial gamma distributions, whose means are the factors of a start. They are narrow, so
# that the first local step uses nearly the factors themselves. The first iteration replaces them.
START_SHAPE <- 1e4

start_all <- function(starts, task, input, workers) {
  level <- level_of(input, task$model$network)
  collapsed <- task
  if (task$bessel) { # the sampler does not need the augmentation
    collapsed$bessel <- FALSE
    collapsed$cells <- cells_of_task(task, input, FALSE)
  }
  needed <- collapsed[c("model", "dim", "cells", "k", "family", "prior", "bessel", "reflect", "log_constant")]
  over_chains(starts, each, make_start, needed, level, no_noise_yet(task), workers = workers)
}

# `start$start`: NULL for the default, "random", or factors.
make_start <- function(start, task, level, augmented) {
  if (!is.null(start$q)) {
    return(start)
  }
  given <- start$start
  chain <- if (is.null(given)) {
    sweep_to_start(settled_start(task, level, start$stream), task)
  } else {
    start_chain(task, level, if (is.list(given)) given, start$stream)
  }
  list(
    q = c(make_q(task, chain$factors), if (!is.null(augmented)) list(noise = augmented)),
    stream = chain$stream, elbo = numeric(), converged = FALSE,
    from = if (is.null(given)) "gibbs" else if (is.list(given)) "given" else "random"
  )
}

# Runs the sweeps of the default start, and returns the chain with means as its factors. The scale of a factor
# is only weakly determined, because another factor can compensate for it, and it drifts from sweep to sweep,
# most of all if rates are random. So all draws are rescaled to the scale of the draw before the first, and
# then averaged.
sweep_to_start <- function(chain, task) {
  chain <- advance_chain(chain, task, START_SWEEPS - START_MEANS, integer(), FALSE)$chain
  target <- chain$factors
  total <- lapply(target, `*`, 0)
  for (sweep in seq_len(START_MEANS)) {
    ran <- advance_chain(chain, task, 1L, 1L, FALSE)
    chain <- ran$chain
    draw <- lapply(ran$draws, function(x) matrix(x, dim(x)[1]))
    total <- Map(`+`, total, at_scale_of(target, draw, task$model))
  }
  means <- lapply(total, `/`, START_MEANS)
  # the rates that belong to this scale
  chain$factors <- utils::modifyList(means, target[intersect(c("rate", "groups"), names(target))])
  chain
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

# A start that was interrupted before its sweeps starts from random values.
at_least_started <- function(start, task, input) {
  if (is.null(start$q)) start$start <- "random"
  start_all(list(start), task, input, FALSE)[[1]]
}

# The initial q, around the given factors (as stored).
make_q <- function(task, factors) {
  model <- task$model
  q <- lapply(stats::setNames(nm = model$factors), function(name) {
    x <- factors[[name]]
    factor <- list(shape = 0 * x + START_SHAPE, rate = START_SHAPE / x, counts = 0 * x)
    if (name == model$factors[1] && model$network == "none") factor$active <- 0 * x
    factor
  })
  rates <- vapply(seq_along(model$factors), function(i) {
    name <- model$factors[i]
    prior <- task$prior[[name]]
    if (!has_random_rate(prior)) {
      return(c(1, 1))
    }
    shape <- prior$rate$shape + length(factors[[name]]) * prior$shape # approximate
    c(shape, shape / factors$rate[i])
  }, c(0, 0))
  excess <- if (!is.null(factors$excess)) list(excess = make_excess_law(factors$excess, task$dim[1]))
  c(q, list(rates = rates), excess, make_q_of_groups(task, factors$groups))
}

make_q_of_groups <- function(task, relative) {
  if (is.null(relative)) {
    return(NULL)
  }
  shape <- 0 * relative + task$prior$groups$shape + task$dim[1] * task$prior[[1]]$shape # approximate
  list(groups = list(shape = shape, rate = shape / relative))
}

# The distribution of log(dispersion - 1) on a grid, one column per dispersion. Initially all points are
# equal.
make_excess_law <- function(excess, rows) {
  n <- length(excess)
  list(
    points = matrix(log(excess), CAVI_GRID, n, byrow = TRUE),
    weights = matrix(1 / CAVI_GRID, CAVI_GRID, n), divergence = numeric(n),
    shown = matrix(0, 3, rows)
  )
}
