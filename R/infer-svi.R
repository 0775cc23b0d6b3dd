# Stochastic variational inference (SVI) of topic models: steps with batches of rows (src/ldp_svi.c), which
# come from memory or from files (R/model-batches.R).
#
# Each of several starts has a state, a list of
#
#   phi, rates, excess     parts of q that all rows share, as in R/infer-cavi.R; `excess` is NULL if each row
#                          has its own dispersion
#   totals, shown          estimates of sums over all rows, see src/ldp_svi.h
#   steps                  the number of steps so far
#   from, stream           how the start began, and its stream of random numbers
#
# The parts of q that belong to rows are in an environment: `shape` and `rate` of theta, and with one
# dispersion per row `points`, `weights` and `divergence`. Rows start from there when they are visited again.

# Step t moves natural parameters by the share (t + delay)^-power. The first step moves them completely.
SVI_STEPS <- c(delay = 1, power = 0.6)

# Local steps of a row are repeated until its weights change by at most this share, at most so many times.
# More steps hardly improve fitted means.
SVI_SETTLE <- c(most = 30, tolerance = 3e-3)
SVI_SETTLE_LAST <- c(most = 100, tolerance = 1e-3) # in the last pass, from where the row was before
SVI_SETTLE_SCORE <- c(most = 300, tolerance = 1e-4) # for the bound

# Starts are compared after so many batches, and the best one goes on.
SVI_TRIAL <- 4L

# The share of rows that are held out, at most `most` of them.
SVI_HELD_OUT <- c(share = 0.05, most = 100)

# More levels of alpha than this are represented by evenly spaced ones.
SVI_LEVELS <- 200L

# Draws of phi that a fit to files keeps: as in CAVI_DRAWS, but in so many bytes.
SVI_DRAWS_BYTES <- 4e6

# The run of svi(), for data of this shape.
svi_run <- function(inference, task, dim) {
  list(
    iter = inference$iter, warmup = 0L, thin = 1L, chains = inference$chains,
    batch = min(inference$batch, dim[1]),
    kept = if (is_shards(task$data)) n_shard_draws(task, dim) else n_cavi_draws(task, dim)
  )
}

n_shard_draws <- function(task, dim) {
  bytes <- 8 * prod(task$model$factor_dim(dim, task$k)$phi)
  as.integer(min(CAVI_DRAWS[["most"]], max(CAVI_DRAWS[["least"]], floor(SVI_DRAWS_BYTES / bytes))))
}

# `starts`: NULL, "random" or factors for each start, as in R/infer-cavi_starts.R.
run_svi <- function(task, source, run, starts, progress, seed) {
  began <- proc.time()[["elapsed"]]
  streams <- chain_streams(run$chains + 1, seed)
  job <- new_svi_job(task, source, streams[[run$chains + 1]])
  sizes <- batch_sizes(source$dim[1], run$batch)
  bar <- start_bar(progress, length(sizes) * (run$iter + 1), 0, "ELBO of held-out rows", "batch")
  on.exit(bar$done())
  trial <- if (run$chains > 1) min(SVI_TRIAL, length(sizes)) else 1
  states <- Map(list, start = starts, stream = utils::head(streams, -1))
  elbo <- numeric()
  for (pass in seq_len(run$iter)) {
    each_batch(job, sizes, function(batch, i) {
      batch <- training_rows(job, batch)
      states <<- lapply(states, advance_svi, job, batch)
      if (length(states) > 1 && i == trial) {
        states <<- states[which.max(vapply(states, score_svi, 0, job))]
      }
      bar$update((pass - 1) * length(sizes) + i, utils::tail(elbo, 1))
    })
    elbo[pass] <- score_svi(states[[1]], job)
  }
  each_batch(job, sizes, function(batch, i) {
    q <- run_kernel(states[[1]], job, batch, SVI_SETTLE_LAST)$q
    store_rows(job, q, batch$rows)
    bar$update(run$iter * length(sizes) + i, utils::tail(elbo, 1))
  })
  new_svi_fit(job, run, states[[1]], elbo, proc.time()[["elapsed"]] - began)
}

# What all starts share: an environment, in which the parts of q that belong to rows change.
new_svi_job <- function(task, source, stream) {
  job <- rlang::new_environment(list(task = task, source = source, stream = stream, dim = source$dim))
  job$by_row <- identical(task$family$by, "row") && n_excess(task$family, job$dim[1]) > 0
  job$levels <- if (!job$by_row) alpha_levels(source$alpha)
  job$shape <- matrix(0, task$k, job$dim[1])
  job$rate <- matrix(0, task$k, job$dim[1])
  if (job$by_row) {
    excess <- make_excess_law(rep(1, job$dim[1]), 0)
    for (part in c("points", "weights", "divergence")) job[[part]] <- excess[[part]]
  }
  job$visited <- logical(job$dim[1])
  job$n_held <- floor(min(SVI_HELD_OUT[["share"]] * job$dim[1], SVI_HELD_OUT[["most"]]))
  job
}

alpha_levels <- function(alpha) {
  levels <- sort(unique(alpha))
  if (length(levels) <= SVI_LEVELS) levels else seq(min(levels), max(levels), length.out = SVI_LEVELS)
}

# Reads all rows in batches of these sizes.
each_batch <- function(job, sizes, visit) {
  begun <- with_stream(job$stream, job$source$begin())
  job$stream <- begun$stream
  on.exit(begun$value$close())
  for (i in seq_along(sizes)) visit(begun$value$take(sizes[i]), i)
}

# A batch without held-out rows. These are chosen from the first batch; the bound is computed for them, or for
# all rows of the first batch if there are too few rows to hold some out.
training_rows <- function(job, batch) {
  if (is.null(job$scored)) {
    n <- length(batch$rows)
    drawn <- with_stream(job$stream, sample.int(n, min(job$n_held, n %/% 2)))
    job$stream <- drawn$stream
    job$held <- batch$rows[drawn$value]
    job$scored <- if (length(drawn$value) > 0) batch_rows(batch, drawn$value) else batch
  }
  held <- batch$rows %in% job$held
  if (any(held)) batch_rows(batch, which(!held)) else batch
}

n_training <- function(job) job$dim[1] - length(job$held)

# --- a start --------------------------------------------------------------------------------------

# One step with a batch. Rows of batches that several starts visit are not stored.
advance_svi <- function(state, job, batch) {
  if (length(batch$rows) == 0) {
    return(state)
  }
  first <- is.null(state$phi)
  if (first) state <- begin_svi(state, job, batch)
  rho <- if (first) 1 else (state$steps + SVI_STEPS[["delay"]])^-SVI_STEPS[["power"]]
  q <- run_kernel(state, job, batch, SVI_SETTLE, rho)$q
  store_rows(job, q, batch$rows)
  state[c("phi", "rates", "totals")] <- q[c("phi", "rates", "totals")]
  if (!is.null(state$excess)) {
    state$excess <- q$excess[c("points", "weights", "divergence")]
    state$shown <- q$shown
  }
  state$theta <- NULL
  state$steps <- state$steps + 1
  state
}

# The state before the first step, from the factors of a start for the rows of the first batch.
begin_svi <- function(state, job, batch) {
  n <- length(batch$rows)
  task <- job$task
  counts <- counts_of_batch(batch)
  input <- list(
    counts = counts, dim = dim(counts), alpha = batch$cells$alpha, clamped = job$source$clamped
  )
  given <- state$start
  if (is.list(given)) {
    given$theta <- given$theta[, batch$rows, drop = FALSE]
    if (job$by_row && !is.null(given$excess)) given$excess <- given$excess[batch$rows, , drop = FALSE]
    state$start <- given
  }
  made <- make_start(state, add_cells(task, input), level_of(input, "none"), NULL)
  q <- made$q
  excess <- q$excess
  c(
    made[c("stream", "from")], q[c("theta", "phi", "rates")],
    list(totals = rowSums(q$theta$shape / q$theta$rate) * n_training(job) / n, steps = 0),
    if (job$by_row) list(typical = stats::median(excess$points)),
    if (!is.null(excess) && !job$by_row) {
      list(excess = excess[c("points", "weights", "divergence")], shown = numeric(length(job$levels) + 2))
    }
  )
}

# Settles the rows of a batch, and then does a step (rho > 0) or computes the bound.
run_kernel <- function(state, job, batch, settle, rho = 0) {
  task <- job$task
  q <- c(state[c("phi", "rates", "totals", "shown")], rows_of_q(state, job, batch))
  task$model$svi(
    batch$cells, q, task$prior, as.double(job$levels), as.double(n_training(job)), unname(settle), rho
  )
}

# The parts of q that belong to rows. New rows start from the average row.
rows_of_q <- function(state, job, batch) {
  rows <- batch$rows
  n <- length(rows)
  new <- !job$visited[rows]
  shape <- job$shape[, rows, drop = FALSE]
  rate <- job$rate[, rows, drop = FALSE]
  shape[, new] <- START_SHAPE
  rate[, new] <- START_SHAPE * n_training(job) / state$totals
  theta <- if (is.null(state$theta)) list(shape = shape, rate = rate) else state$theta
  excess <- state$excess
  if (job$by_row) {
    excess <- list(
      points = job$points[, rows, drop = FALSE], weights = job$weights[, rows, drop = FALSE],
      divergence = job$divergence[rows]
    )
    excess$points[, new] <- state$typical
    excess$weights[, new] <- 1 / CAVI_GRID
  }
  list(theta = theta, excess = if (!is.null(excess)) c(excess, list(shown = matrix(0, 3, n))))
}

store_rows <- function(job, q, rows) {
  store_columns(job, "shape", q$theta$shape, rows)
  store_columns(job, "rate", q$theta$rate, rows)
  if (job$by_row) {
    for (part in c("points", "weights")) store_columns(job, part, q$excess[[part]], rows)
    job$divergence[rows] <- q$excess$divergence
  }
  job$visited[rows] <- TRUE
}

store_columns <- function(job, name, values, columns) {
  x <- job[[name]]
  job[[name]] <- NULL # otherwise x would be copied
  x[, columns] <- values
  job[[name]] <- x
}

# The bound of the scored rows, given phi.
score_svi <- function(state, job) {
  scored <- job$scored
  visited <- job$visited[scored$rows]
  job$visited[scored$rows] <- FALSE # the bound should not depend on earlier passes
  bound <- run_kernel(state, job, scored, SVI_SETTLE_SCORE)$bound
  job$visited[scored$rows] <- visited
  bound + log_constant_of(scored$below, scored$cells$alpha, job$source$clamped)
}

# --- fit ------------------------------------------------------------------------------------------

# The bound has converged if it changes by at most this number of log units per row in the last pass.
SVI_TOLERANCE <- 0.1

new_svi_fit <- function(job, run, state, elbo, seconds) {
  task <- job$task
  check_that(all(is.finite(elbo)), c(
    "No start led to finite parameters.",
    i = "Try other starts ({.arg init}), or a prior with a larger shape."
  ), NULL, class = "ldpcounts_cavi_error")
  excess <- if (job$by_row) mget(c("points", "weights", "divergence"), job) else state$excess
  q <- list(theta = list(shape = job$shape, rate = job$rate), phi = state$phi, rates = state$rates)
  if (!is.null(excess)) q$excess <- excess
  n <- length(elbo)
  n_scored <- length(job$scored$rows)
  start <- list(
    q = q, stream = state$stream, elbo = elbo, from = state$from,
    converged = n > 1 && abs(elbo[n] - elbo[n - 1]) <= SVI_TOLERANCE * n_scored
  )
  factors <- if (is_shards(task$data)) "phi" else task$model$factors
  draws <- with_stream(state$stream, draw_from_q(task$model, q, task, run$kept, factors))$value
  now <- list(tried = run$chains, starts = 1L, chains = 1L, passes = n, scored = n_scored)
  run <- utils::modifyList(run, now)
  new_fit(task, run, list(draws = draws, chains = list(start), best = 1L, seconds = seconds))
}
