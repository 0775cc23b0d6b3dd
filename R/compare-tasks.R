# What compare_methods() and compare_privacy() share: their checks, and a run of many tasks.

# Expressions would be evaluated, by do.call(), where no one means them to be.
check_no_language <- function(arguments, call) {
  for (arg in names(arguments)) {
    if (is.language(arguments[[arg]])) {
      ldp_abort(c("{.arg {arg}} must be a value.", x = "It is {describe_type(arguments[[arg]])}."),
        class = "ldpcounts_argument_error", call = call
      )
    }
  }
  arguments
}

check_one_precision <- function(precision, call = rlang::caller_env()) {
  precision <- check_precision(precision, call = call)
  if (length(precision) != 1) abort_argument(precision, "precision", "one positive number", call)
  precision
}

check_levels <- function(epsilon, precision, call = rlang::caller_env()) {
  if (!is.numeric(epsilon) || length(epsilon) == 0 || !all(is.finite(epsilon) & epsilon > 0)) {
    abort_argument(epsilon, "epsilon", "positive, finite numbers", call)
  }
  epsilon <- sort(unique(as.double(epsilon)))
  rates_from_epsilon(epsilon, precision, call = call)
  epsilon
}

# Whether a checkpoint may go on: what it plans is what is planned now (`fresh`), but for random numbers.
# `held_out`: what the state calls the indices of what is held out, of which no column is above `most`.
is_comparison_state <- function(state, fresh, held_out, most) {
  without_streams <- function(tasks) lapply(tasks, function(task) task[names(task) != "stream"])
  index <- state[[held_out]]
  is_scored <- function(scores) {
    is.list(scores) && length(scores) > 0 && !is.null(names(scores)) &&
      all(vapply(scores, function(x) is.double(x) && length(x) > 0 && !is.null(names(x)), TRUE))
  }
  is.list(state) && identical(without_streams(state$tasks), without_streams(fresh$tasks)) &&
    all(vapply(state$tasks, function(task) is_stream(task$stream), TRUE)) &&
    is.list(state$scores) && length(state$scores) == length(fresh$scores) &&
    all(vapply(state$scores, function(scores) is.null(scores) || is_scored(scores), TRUE)) &&
    is.numeric(index) && length(index) == length(fresh[[held_out]]) &&
    identical(dim(index), dim(fresh[[held_out]])) && !anyNA(index) &&
    all(index >= 1 & index <= rep(most, each = length(index) / length(most)))
}

# As many tasks at a time as there are workers. What is done is saved however this ends. `run_one(task, job)`
# gives the scores of a task, of which the first is shown, by the name `shown`.
run_comparison <- function(job, state, progress, saved, run_one, shown = "MAE") {
  n <- length(state$tasks)
  left <- which(vapply(state$scores, is.null, TRUE))
  workers <- uses_workers(length(left))
  at_once <- if (workers) min(future::nbrOfWorkers(), n) else 1
  bar <- start_bar(progress, n, n - length(left), shown, unit = "release")
  on.exit({
    bar$done()
    save_checkpoint(saved, state, last = TRUE)
  })
  while (length(left) > 0) {
    now <- utils::head(left, at_once)
    state$scores[now] <- over_chains(state$tasks[now], run_one, job, workers = workers)
    left <- setdiff(left, now)
    saved <- save_checkpoint(saved, state)
    bar$update(n - length(left), vapply(state$scores[now], function(scores) scores[[1]][[1]], 0))
  }
  state
}
