# What compare_methods() and compare_privacy() share: checks, the plan of their tasks, and the run of all
# tasks.

# Arguments that are passed on to another function: not those that a comparison sets itself (`own`), and no
# expressions, which do.call() would evaluate. `where`: the argument that holds them, if any.
check_passed_on <- function(arguments, own, call, where = NULL) {
  taken <- intersect(names(arguments), own)
  what <- "{.arg {taken[1]}} is set by the comparison: omit it{if (!is.null(where)) ' in '}{.arg {where}}."
  check_that(length(taken) == 0, what, call)
  for (arg in names(arguments)) {
    check_that(!is.language(arguments[[arg]]), c(
      "{.arg {arg}} must be a value.",
      x = "It is {describe_type(arguments[[arg]])}."
    ), call)
  }
  arguments
}

check_one_precision <- function(precision, call = rlang::caller_env()) {
  precision <- check_precision(precision, call = call)
  if (length(precision) != 1) abort_argument(precision, "precision", "one positive number", call)
  precision
}

check_levels <- function(epsilon, precision, call = rlang::caller_env()) {
  ok <- is.numeric(epsilon) && length(epsilon) > 0 && all(is.finite(epsilon) & epsilon > 0)
  if (!ok) abort_argument(epsilon, "epsilon", "positive, finite numbers", call)
  epsilon <- sort(unique(as.double(epsilon)))
  rates_from_epsilon(epsilon, precision, call = call)
  epsilon
}

# --- the state ------------------------------------------------------------------------------------

# The state of a comparison: `tasks`, one per row of `grid`, each with a stream of random numbers of its own;
# the `scores` of each task, NULL before it is done; and the indices `held_out`. `choose_held_out()` draws
# these, unless they are given.
plan_tasks <- function(grid, seed, choose_held_out, held_out = NULL) {
  streams <- chain_streams(nrow(grid) + 1, seed)
  if (is.null(held_out)) held_out <- with_stream(streams[[1]], choose_held_out())$value
  list(
    tasks = do.call(Map, c(list(f = list), grid, list(stream = streams[-1]))),
    scores = vector("list", nrow(grid)), held_out = held_out
  )
}

# The checkpoint of a comparison (`saved`), and the state that it goes on from: that of the file, or a new
# one. `new_state(seed)` makes a state; no column of its `held_out` is above `most`.
open_comparison <- function(file, fingerprint, new_state, most, call) {
  is_valid <- function(state) is_comparison_state(state, new_state(0), most)
  saved <- open_checkpoint(file, fingerprint, call, is_valid)
  list(saved = saved, state = if (is.null(saved$state)) new_state(stats::runif(1)) else saved$state)
}

# Can a run go on from this state? Its plan must be the present one (`fresh`), random numbers apart.
is_comparison_state <- function(state, fresh, most) {
  without_streams <- function(tasks) lapply(tasks, function(task) task[names(task) != "stream"])
  index <- state$held_out
  is_scored <- function(scores) {
    is.list(scores) && length(scores) > 0 && !is.null(names(scores)) &&
      all(vapply(scores, function(x) is.double(x) && length(x) > 0 && !is.null(names(x)), TRUE))
  }
  is.list(state) && identical(without_streams(state$tasks), without_streams(fresh$tasks)) &&
    all(vapply(state$tasks, function(task) is_stream(task$stream), TRUE)) &&
    is.list(state$scores) && length(state$scores) == length(fresh$scores) &&
    all(vapply(state$scores, function(scores) is.null(scores) || is_scored(scores), TRUE)) &&
    is.numeric(index) && length(index) == length(fresh$held_out) &&
    identical(dim(index), dim(fresh$held_out)) && !anyNA(index) &&
    all(index >= 1 & index <= rep(most, each = length(index) / length(most)))
}

# Runs as many tasks at a time as there are workers. Finished tasks are saved, however the run ends.
# `run_one(task, job)` returns the scores of a task; the first score is shown, by the name `shown`.
run_comparison <- function(job, state, progress, saved, run_one, shown = "MAE") {
  n <- length(state$tasks)
  left <- which(vapply(state$scores, is.null, TRUE))
  workers <- uses_workers(length(left))
  at_once <- if (workers) min(future::nbrOfWorkers(), n) else 1
  bar <- start_bar(progress, n, n - length(left), shown, unit = "release")
  on.exit({
    bar$done()
    save_checkpoint(saved, state)
  })
  while (length(left) > 0) {
    now <- utils::head(left, at_once)
    state$scores[now] <- over_chains(state$tasks[now], each, run_one, job, workers = workers)
    left <- setdiff(left, now)
    if (is_due(saved)) saved <- save_checkpoint(saved, state)
    bar$update(n - length(left), vapply(state$scores[now], function(scores) scores[[1]][[1]], 0))
  }
  state
}
