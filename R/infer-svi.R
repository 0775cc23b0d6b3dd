# Stochastic variational inference (SVI) of topic models: steps with batches of rows (src/ldp_svi.c), which
# come from memory or from files (R/model-data.R).
#
# The parts of q that belong to rows are in the job (new_svi_job()). Rows start from there when they are
# visited again.

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

# Draws of phi that a fit to files keeps may take so many bytes.
SVI_DRAWS_BYTES <- 4e6

n_svi_draws <- function(task) {
  if (!is_shards(task$data)) {
    return(n_cavi_draws(task))
  }
  affordable_draws(8 * prod(task$model$factor_dim(task$dim, task$k)$phi), SVI_DRAWS_BYTES)
}

# `starts`: NULL, "random" or factors for each start, as in begin_cavi().
run_svi <- function(task, source, run, starts, progress, seed) {
  began <- now()
  streams <- chain_streams(run$chains + 1, seed)
  job <- new_svi_job(task, source, streams[[run$chains + 1]])
  n_batches <- max(1, round(source$dim[1] / run$batch))
  sizes <- diff(floor(seq(0, source$dim[1], length.out = n_batches + 1)))
  bar <- start_bar(progress, length(sizes) * (run$iter + 1), 0, "ELBO of held-out rows")
  on.exit(bar$done())
  trial <- if (run$chains > 1) min(SVI_TRIAL, length(sizes)) else 1
  states <- NULL
  elbo <- numeric()
  for (pass in seq_len(run$iter)) {
    each_batch(job, sizes, function(batch, i) {
      batch <- training_rows(job, batch)
      if (is.null(states)) {
        states <<- Map(begin_svi, starts, utils::head(streams, -1), list(job), list(batch))
      }
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
  new_svi_fit(job, run, states[[1]], elbo, now() - began)
}

# What all starts share: an environment, in which the parts of q that belong to rows change.
new_svi_job <- function(task, source, stream) {
  n <- source$dim[1]
  list2env(list(
    task = task,
    source = source, # of batches, see new_source()
    stream = stream, # of random numbers, for the order of rows and the choice of those held out
    dim = source$dim,
    levels = alpha_levels(source$alpha), # of alpha, for which the kernel integrates
    shape = matrix(0, task$k, n), rate = matrix(0, task$k, n), # the gamma distributions of theta
    visited = logical(n), # which rows have these distributions
    held = NULL,          # the numbers of the rows that are held out,
    scored = NULL         # and the batch of them (or another one) of which the bound is computed
  ), parent = emptyenv())
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
    most <- floor(min(SVI_HELD_OUT[["share"]] * job$dim[1], SVI_HELD_OUT[["most"]]))
    drawn <- with_stream(job$stream, sample.int(n, min(most, n %/% 2)))
    job$stream <- drawn$stream
    job$held <- batch$rows[drawn$value]
    job$scored <- if (length(drawn$value) > 0) batch_rows(batch, drawn$value) else batch
  }
  held <- batch$rows %in% job$held
  if (any(held)) batch_rows(batch, which(!held)) else batch
}

n_training <- function(job) job$dim[1] - length(job$held)

# --- a start --------------------------------------------------------------------------------------

# The state of a start: the parts of q that all rows share, as in R/infer-cavi.R.
#
#   stream                its stream of random numbers
#   from                  how it began, see new_start()
#   phi, hyper, excess    parts of q
#   totals, logs, shown   estimates of sums over all rows, see src/ldp_svi.h
#   steps                 the number of steps so far
#   theta                 before the first step, of the rows of the first batch
new_svi_state <- function(stream, from, q, totals, logs, shown, steps, theta = NULL) {
  excess <- if (!is.null(q$excess)) q$excess[c("points", "weights", "divergence")]
  list(
    stream = stream, from = from, phi = q$phi, hyper = q$hyper, excess = excess, totals = totals, logs = logs,
    shown = shown, steps = steps, theta = theta
  )
}

# The state before the first step. `start`: NULL, "random" or factors for all rows.
begin_svi <- function(start, stream, job, batch) {
  task <- job$task
  counts <- counts_of_batch(batch)
  input <- new_input(counts, dim(counts), batch$cells$alpha, job$source$private, job$source$clamped)
  if (is.list(start)) start$theta <- start$theta[, batch$rows, drop = FALSE]
  made <- begin_start(start_of(start, stream), open_cells(sampler_of(task, input)), NULL)
  q <- made$q
  new_svi_state(made$stream, made$from, q,
    totals = rowSums(q$theta$shape / q$theta$rate) * n_training(job) / length(batch$rows),
    logs = 0, shown = if (!is.null(q$excess)) numeric(length(job$levels) + 2), steps = 0, theta = q$theta
  )
}

# One step with a batch. Rows of batches that several starts visit are not stored.
advance_svi <- function(state, job, batch) {
  if (length(batch$rows) == 0) {
    return(state)
  }
  rho <- if (state$steps == 0) 1 else (state$steps + SVI_STEPS[["delay"]])^-SVI_STEPS[["power"]]
  q <- run_kernel(state, job, batch, SVI_SETTLE, rho)$q
  store_rows(job, q, batch$rows)
  shown <- if (!is.null(state$excess)) q$shown
  new_svi_state(state$stream, state$from, q, q$totals, q$logs, shown, steps = state$steps + 1)
}

# Settles the rows of a batch, and then does a step (rho > 0) or computes the bound.
run_kernel <- function(state, job, batch, settle, rho = 0) {
  task <- job$task
  q <- c(state[c("phi", "hyper", "totals", "logs", "shown")], rows_of_q(state, job, batch))
  task$model$svi(
    batch$cells, q, task$prior, as.double(job$levels), as.double(n_training(job)), unname(settle), rho
  )
}

# The parts of q that belong to rows. New rows start from the average row.
rows_of_q <- function(state, job, batch) {
  rows <- batch$rows
  new <- !job$visited[rows]
  shape <- job$shape[, rows, drop = FALSE]
  rate <- job$rate[, rows, drop = FALSE]
  shape[, new] <- START_SHAPE
  rate[, new] <- START_SHAPE * n_training(job) / state$totals
  theta <- if (is.null(state$theta)) list(shape = shape, rate = rate) else state$theta
  excess <- if (!is.null(state$excess)) c(state$excess, list(shown = matrix(0, 3, length(rows))))
  list(theta = theta, excess = excess)
}

store_rows <- function(job, q, rows) {
  for (name in c("shape", "rate")) {
    x <- job[[name]]
    job[[name]] <- NULL # otherwise x would be copied
    x[, rows] <- q$theta[[name]]
    job[[name]] <- x
  }
  job$visited[rows] <- TRUE
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
  q <- list(theta = list(shape = job$shape, rate = job$rate), phi = state$phi, hyper = state$hyper)
  q <- c(q, if (!is.null(state$excess)) state["excess"])
  n <- length(elbo)
  converged <- n > 1 && abs(elbo[n] - elbo[n - 1]) <= SVI_TOLERANCE * length(job$scored$rows)
  start <- new_start(state$stream, state$from, NULL, q, elbo, converged)
  factors <- if (is_shards(task$data)) "phi" else task$model$factors
  draws <- with_stream(state$stream, draw_from_q(task, q, run$kept, factors))$value
  run <- new_run(run$iter, chains = 1L, kept = run$kept, batch = run$batch, tried = run$chains, starts = 1L,
    passes = n
  )
  new_fit(task, run, list(draws = draws, chains = list(start), best = 1L, seconds = seconds))
}
