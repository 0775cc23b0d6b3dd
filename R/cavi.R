# Variational inference: coordinate ascent (CAVI) from one or several starts, of which the best is
# kept. What a run knows is an ordinary list, its state, as in R/run.R:
#
#   sweep         passes done by the starts that go on; all starts go forward together
#   chains        of each start: q, the stream of random numbers, the bound of each pass (elbo),
#                 whether it has converged, and what it started from
#   seconds       spent so far
#
# q is the variational posterior as src/rc_cavi.c reads it: of each factor the shapes and the rates
# of its gamma laws, laid out as the factors of the sampler, with what the last local step came to.

# A start has converged when a pass changes its bound by less than this part of it, and by less than so many
# log units: of a large bound the part alone is much.
#' @srrstats {BS4.4} passes stop when the bound's relative and absolute changes are below these.
ELBO_TOLERANCE <- c(relative = 1e-6, absolute = 1e-3)

# The default start: as chains of Gibbs begin (settled_start() in R/run.R), so many sweeps of the collapsed
# sampler of the same family, and the means of the last of them. Longer runs, and means over more sweeps,
# end higher and nearer the truth, but for their cost: bench/cavi.R.
START_SWEEPS <- 200L
START_MEANS <- 100L

# How narrow the laws are that a start begins from, about its factors: the first local step sees the
# factors themselves, and the first pass replaces the laws.
START_SHAPE <- 1e4

# Draws from q that a fit keeps: so many, but not more than so many bytes if these are enough.
CAVI_DRAWS <- c(least = 20, most = 200)
CAVI_DRAWS_BYTES <- 2e8

fit_cavi <- function(task, input, run, starts, progress, checkpoint, seed, call) {
  run_task(task, input, run, progress, checkpoint, from = starts, seed = seed, call = call,
    begin = function(task, seed) first_state(starts, seed), go = passes_over(input)
  )
}

first_state <- function(starts, seed) {
  chains <- Map(function(start, stream) list(start = start, stream = stream),
    starts, chain_streams(length(starts), seed)
  )
  list(sweep = 0L, chains = chains, seconds = 0)
}

# As check_run(), of what CAVI knows.
check_cavi_run <- function(iter, chains, task, dim, call) {
  iter <- check_whole(iter, "iter", 1, call = call)
  starts <- check_whole(chains, "chains", 1, call = call)
  list(iter = iter, warmup = 0L, thin = 1L, chains = starts, kept = n_cavi_draws(task, dim))
}

n_cavi_draws <- function(task, dim) {
  affordable <- floor(CAVI_DRAWS_BYTES / (8 * n_weights(task, dim)))
  as.integer(min(CAVI_DRAWS[["most"]], max(CAVI_DRAWS[["least"]], affordable)))
}

# Numbers in all factors.
n_weights <- function(task, dim) sum(vapply(task$model$factor_dim(dim, task$k), prod, 0))

# What run_task() asks for, of these data.
passes_over <- function(input) {
  function(task, run, state, progress, saved) run_passes(task, input, run, state, progress, saved)
}

run_passes <- function(task, input, run, state, progress, saved) {
  workers <- uses_workers(run$chains)
  needed <- task[c("model", "cells", "prior", "family", "k", "bessel", "augmentation", "log_constant")]
  ran <- run_blocks(state, run$iter, progress, saved, workers,
    begin = function(state) {
      if (state$sweep == 0) state$chains <- start_all(state$chains, task, input, workers)
      state
    },
    left = function(state) if (all(has_converged(state$chains))) 0 else run$iter - state$sweep,
    advance = function(state, n) {
      open <- !has_converged(state$chains)
      over_chains(state$chains[open], advance_start, needed, n, workers = workers)
    },
    absorb = function(state, ran, n) {
      state$chains[!has_converged(state$chains)] <- ran
      state$sweep <- max(vapply(state$chains, function(start) length(start$elbo), 0L))
      state
    },
    shown = function(state, ran) vapply(state$chains, last_elbo, 0), what = "ELBO"
  )
  state <- ran$state
  if (ran$interrupted) {
    state$chains <- lapply(state$chains, at_least_started, task, input)
    say_interrupted(
      paste("Interrupted after", state$sweep, "of at most", run$iter, "passes."),
      "The fit is what the best start has come to; it has not converged.", run$iter - state$sweep, saved
    )
    run$wanted <- run$iter
  }
  new_cavi_fit(task, run, state)
}

has_converged <- function(starts) vapply(starts, function(start) isTRUE(start$converged), TRUE)

last_elbo <- function(start) {
  n <- length(start$elbo)
  if (n > 0) start$elbo[n] else -Inf
}

# Its parameters became infinite, or no numbers.
has_failed <- function(start) identical(last_elbo(start), -Inf) && length(start$elbo) > 0

# Passes of one start: n of them, or fewer until it converges.
advance_start <- function(start, task, n) {
  last <- if (length(start$elbo) > 0) last_elbo(start) else NA_real_
  ran <- task$model$cavi(
    task$cells, start$q, task$prior, task$augmentation == "delta", n, ELBO_TOLERANCE, last,
    task$log_constant
  )
  start[c("q", "elbo", "converged")] <- list(ran$q, c(start$elbo, ran$elbo), ran$converged)
  start
}

# --- starts -----------------------------------------------------------------------------------

start_all <- function(starts, task, input, workers) {
  level <- level_of(input, task$model$network)
  collapsed <- task
  if (task$bessel) { # the sampler needs no augmentation
    collapsed$bessel <- FALSE
    collapsed$cells <- make_cells(
      input$counts, input$alpha, FALSE, task$model$network, task$model$by_columns
    )
  }
  n <- length(task$cells$y_tilde)
  needed <- collapsed[c("model", "dim", "cells", "k", "family", "prior", "bessel", "reflect", "log_constant")]
  augmented <- if (task$bessel) list(g1 = numeric(n), g2 = numeric(n))
  over_chains(starts, make_start, needed, level, augmented, workers = workers)
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

# The sweeps of the default start: the chain after them, with means for its factors. Few draws are
# held at a time. The scale of a factor, for which another makes up, wanders from sweep to sweep, far where
# rates are random: so all draws are averaged at the scale of the one before the first.
sweep_to_start <- function(chain, task, at_once = 10L) {
  chain <- advance_chain(chain, task, START_SWEEPS - START_MEANS, integer(), FALSE)$chain
  target <- chain$factors
  total <- NULL
  for (done in seq(at_once, START_MEANS, by = at_once)) {
    ran <- advance_chain(chain, task, at_once, seq_len(at_once), FALSE)
    chain <- ran$chain
    for (s in seq_len(at_once)) {
      draw <- lapply(ran$draws, function(x) matrix(x[, , s], dim(x)[1]))
      draw <- at_scale_of(target, draw, task$model)
      total <- if (is.null(total)) draw else Map(`+`, total, draw)
    }
  }
  means <- lapply(total, `/`, START_MEANS)
  chain$factors <- utils::modifyList(means, target["rate"]) # of that scale
  chain
}

# Factors as stored, a component per row, with each component of every factor but the last as large as in
# `target`; the last makes up for it, so that means stay.
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

# A start that an interrupt kept from its sweeps: at random.
at_least_started <- function(start, task, input) {
  if (is.null(start$q)) start$start <- "random"
  start_all(list(start), task, input, FALSE)[[1]]
}

# q about factors as stored.
make_q <- function(task, factors) {
  model <- task$model
  q <- lapply(model$factors, function(name) {
    x <- factors[[name]]
    law <- list(shape = 0 * x + START_SHAPE, rate = START_SHAPE / x, counts = 0 * x)
    if (name == model$factors[1] && model$network == "none") law$active <- 0 * x
    law
  })
  rates <- vapply(seq_along(model$factors), function(i) {
    prior <- task$prior[[model$factors[i]]]
    if (!has_random_rate(prior)) {
      return(c(1, 1))
    }
    shape <- prior$rate$shape + length(factors[[model$factors[i]]]) * prior$shape # about
    c(shape, shape / factors$rate[i])
  }, c(0, 0))
  c(stats::setNames(q, model$factors), list(rates = rates), if (!is.null(factors$excess)) {
    list(excess = make_excess_law(factors$excess, task$dim[1]))
  })
}

# The law of the logarithm of dispersion - 1 on a grid, a column each: here all at one point.
make_excess_law <- function(excess, rows) {
  n <- length(excess)
  list(
    points = matrix(log(excess), CAVI_GRID, n, byrow = TRUE),
    weights = matrix(1 / CAVI_GRID, CAVI_GRID, n), divergence = numeric(n),
    shown = matrix(0, 3, rows)
  )
}

CAVI_GRID <- 257L # LDP_CAVI_GRID

# --- fit --------------------------------------------------------------------------------------

# `run$chains` and `run$kept` of a fit are those of its draws, which all methods read.
new_cavi_fit <- function(task, run, state) {
  bounds <- vapply(state$chains, last_elbo, 0)
  if (state$sweep > 0 && all(bounds == -Inf)) {
    ldp_abort(c("No start has led to finite parameters.",
      i = "Try other starts ({.arg init}), a prior with a larger shape, or {.code inference = \"gibbs\"}."
    ), class = "ldpcounts_cavi_error", call = NULL)
  }
  best <- which.max(bounds)
  start <- state$chains[[best]]
  drawn <- with_stream(start$stream, draw_from_q(task$model, start$q, task, run$kept))$value
  run$starts <- run$chains
  run$chains <- 1L
  run$passes <- length(start$elbo)
  new_fit(task, run, list(
    inference = "cavi", draws = drawn, chains = state$chains, best = best, seconds = state$seconds
  ))
}

# n draws of all that a Gibbs sampler keeps, from q: arrays of the factors as stored.
draw_from_q <- function(model, q, task, n) {
  draws <- lapply(model$factors, function(name) {
    law <- q[[name]]
    draws <- stats::rgamma(n * length(law$shape), law$shape, law$rate)
    draws <- array(pmax(draws, .Machine$double.xmin), c(dim(law$shape), n))
    if (name %in% model$symmetric) mirror_draws(draws) else draws
  })
  names(draws) <- model$factors
  if (random_rates(task)) {
    n_rates <- ncol(q$rates)
    rates <- stats::rgamma(n * n_rates, q$rates[1, ], q$rates[2, ])
    fixed <- !vapply(task$prior[model$factors], has_random_rate, TRUE)
    draws$rate <- array(rates, c(n_rates, 1, n))
    draws$rate[fixed, , ] <- vapply(task$prior[model$factors], rate_mean, 0)[fixed]
  }
  if (!is.null(q$excess)) draws$excess <- draw_excess_from_q(q$excess, n)
  draws
}

# Squares of which (c, d) and (d, c) are one weight.
mirror_draws <- function(draws) {
  below <- which(lower.tri(matrix(0, dim(draws)[1], dim(draws)[1])), arr.ind = TRUE)
  for (i in seq_len(nrow(below))) {
    draws[below[i, 1], below[i, 2], ] <- draws[below[i, 2], below[i, 1], ]
  }
  draws
}

# The law on the grid, taken as flat about each point.
draw_excess_from_q <- function(law, n) {
  drawn <- vapply(seq_len(ncol(law$points)), function(i) {
    points <- law$points[, i]
    step <- points[2] - points[1]
    at <- sample.int(length(points), n, TRUE, law$weights[, i])
    exp(points[at] + step * (stats::runif(n) - 0.5))
  }, numeric(n))
  array(t(matrix(drawn, n)), c(ncol(law$points), 1, n))
}

is_cavi <- function(fit) is.list(fit) && identical(fit$inference, "cavi")

q_of <- function(fit) fit$chains[[fit$best]]$q

# The means of q: factors as users see them, and what an event brings.
means_of_q <- function(model, q) {
  lapply(stats::setNames(nm = model$factors), function(name) {
    turn(model, name, q[[name]]$shape / q[[name]]$rate)
  })
}

q_factors <- function(fit) means_of_q(model_of(fit), q_of(fit))

q_mean_excess <- function(fit, of = identity) {
  law <- q_of(fit)$excess
  if (is.null(law)) numeric() else colSums(law$weights * of(exp(law$points)))
}

q_event_size <- function(fit) {
  size <- q_mean_excess(fit, event_size)
  if (length(size) == 0) 1 else size
}

#' The bound of a variational fit
#'
#' The evidence lower bound (ELBO) of a fit with `inference = "cavi"`, pass by pass.
#'
#' All constants are kept: each number is a lower bound of the log probability of the release, so that
#' bounds of the collapsed scheme and of the augmentation are comparable, with one another and across
#' `k`. (With `family = "nbinom1"` and an estimated dispersion, integrals over it are computed
#' numerically, to rounding.) But for `augmentation = "delta"` they never fall.
#'
#' The bound is no criterion for choosing `k`. How far it lies below the log probability depends on `k`: in an
#' example whose log probability is the same for `k` of 1 to 4, it falls by 1.6. Use [compare_k()].
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()] with `inference = "cavi"`.
#' @return One number a pass, of the start that ended highest.
#' @section Errors: of class `ldpcounts_error` for anything else.
#' @references Cemgil, A. T. (2009). Bayesian inference for nonnegative matrix factorisation models.
#'   *Computational Intelligence and Neuroscience*, for the bound of Poisson factorization. Schein, A.,
#'   Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference for count models.
#'   arXiv 1803.08471v1, appendix, for the augmentation. The collapsed bound is ours.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, inference = "cavi")
#' plot(elbo(fit), type = "l")
#' @srrstats {PD3.4} integrals over the dispersion are numeric, and how exact they are is said.
#' @export
elbo <- function(fit) {
  if (!inherits(fit, "ldp_fit") || !is_cavi(fit)) {
    abort_argument(fit, "fit", "a fit with inference = \"cavi\"", rlang::current_env())
  }
  check_fit(fit)
  fit$chains[[fit$best]]$elbo
}

# --- going on ---------------------------------------------------------------------------------

# At least one more pass of every start that has not failed, also of one that had converged.
update_cavi <- function(fit, task, iter, progress, checkpoint, call) {
  input <- input_of(fit)
  starts <- lapply(fit$chains, function(start) {
    start$converged <- has_failed(start)
    start
  })
  done <- max(vapply(starts, function(start) length(start$elbo), 0L))
  run <- check_cavi_run(done + iter, fit$run$starts, task, dim(fit$data), call)
  run_task(task, input, run, progress, checkpoint, from = starts, call = call,
    go = passes_over(input),
    begin = function(task, seed) list(sweep = done, chains = starts, seconds = fit$seconds)
  )
}

# --- in words ---------------------------------------------------------------------------------

describe_passes <- function(fit) {
  size <- format_bytes(8 * sum(lengths(fit$draws)))
  bound <- elbo(fit)
  paste0(
    count_of(fit$run$passes, "pass", "passes"), " (",
    if (isTRUE(fit$chains[[fit$best]]$converged)) "converged" else "not converged",
    ") of the best of ", count_of(fit$run$starts, "start"), " ",
    switch(fit$chains[[fit$best]]$from,
      gibbs = paste("from", START_SWEEPS, "sweeps of Gibbs"), random = "at random", given = "as given"
    ), ", ELBO ",
    if (length(bound) > 0) format(bound[length(bound)], digits = 7, nsmall = 1) else "unknown",
    "; ", count_of(n_draws(fit), "draw"), " from it kept (", size, "); ",
    format(round(fit$seconds, 1)), " s"
  )
}

# One row per start. `distance`: how far its fitted means are from those of the best start, the sum of
# absolute differences over the sum of the means.
starts_table <- function(fit) {
  means <- lapply(fit$chains, function(start) start_means(fit, start$q))
  best <- means[[fit$best]]
  data.frame(
    elbo = vapply(fit$chains, last_elbo, 0),
    distance = vapply(means, function(mu) sum(abs(mu - best)) / sum(best), 0),
    passes = vapply(fit$chains, function(start) length(start$elbo), 0L),
    converged = has_converged(fit$chains),
    row.names = paste("start", seq_along(fit$chains))
  )
}

# Means of the cells that the verdict on a run of Gibbs looks at, ten times as many.
start_means <- function(fit, q) {
  model <- model_of(fit)
  cells <- spread_cells(flat_dim(dim(fit$data)), 1000, model$network)
  model$cell_mean(means_of_q(model, q), unfold_cells(cells, dim(fit$data)))
}

# Starts are in the same optimum if their bounds are so near, in log units, and their means.
SAME_BOUND <- 1
SAME_MEANS <- 0.1

# One sentence, or two.
#' @srrstats {BS4.5} passes end at `iter`; whether the bound has converged is kept in the fit, and said here.
cavi_verdict <- function(table, augmentation) {
  best <- which.max(table$elbo)
  if (!table$converged[best]) {
    return(paste0(
      "Do not trust this fit yet: its bound was still changing after ",
      count_of(table$passes[best], "pass", "passes"), ". Go on with update()."
    ))
  }
  ended <- paste0(
    "The bound has converged", if (augmentation == "delta") " (of an approximation that need not raise it)"
  )
  if (nrow(table) == 1) {
    return(paste0(
      ended, ", but a single start cannot tell whether others would end higher: run several (chains = 4), ",
      "or Gibbs, before you rely on it."
    ))
  }
  below <- table$elbo[best] - table$elbo
  same <- below <= SAME_BOUND & table$distance <= SAME_MEANS
  next_best <- order(below)[2]
  others <- if (sum(same) > 1) {
    paste0(
      sum(same), " of ", nrow(table), " starts end in the same optimum: within ", SAME_BOUND,
      " log unit of the best bound, with fitted means that differ by at most ", 100 * SAME_MEANS, " %."
    )
  } else {
    paste0(
      "No other of the ", nrow(table), " starts ends in the same optimum: the bound of the next is ",
      format(below[next_best], digits = 2), " log units lower, and its fitted means differ by ",
      format(100 * table$distance[next_best], digits = 2), " %. More starts might end higher."
    )
  }
  paste0(ended, ". ", others)
}
