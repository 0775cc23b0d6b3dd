# update() of a fit: further sweeps, further chains, or a longer warmup.

#' Continue a fit
#'
#' Continues the chains of a fit, adds further chains, or drops early draws.
#'
#' @details With `iter`, each chain continues where it stopped. The result is identical to that of a single
#' longer run with the same warmup: it has the draws of the fit, followed by the new ones. With `until`, the
#' chains continue until `summary()` would find R-hat of at most 1.05 and this number of effective draws, or
#' until `minutes` are over; see section *Run until it is enough* of [gibbs()]. If the fit has enough, it is
#' returned as it is. In a variational fit, each start continues until its bound converges, or for `iter`
#' iterations. If the bound had already converged, at least one more iteration is run.
#'
#' With `chains`, further chains are run from new starts, and are as long as those of the fit (including the
#' further `iter`, if both are given). See [modes()] for when this helps.
#'
#' With `warmup`, the draws of sweeps before the new warmup are dropped. Use it if a chain converged only
#' after the old warmup, because its early draws would otherwise increase R-hat, however long the run.
#'
#' @param object A fit of [topic_model()], [block_model()], [tensor_model()] or [private_gibbs()], which may
#'   have been interrupted.
#' @param ... Must be empty.
#' @param iter The number of further sweeps of each chain; for a variational fit, the largest number of
#'   further iterations of each start.
#' @param chains The number of further chains.
#' @param warmup The new warmup, in sweeps from the beginning of the run; at least the old one.
#' @param until The number of effective draws that are wanted. With `iter`, `chains` or `warmup`, these come
#'   first.
#' @param minutes How long the run goes on at most for `until`; `NULL` for 5 minutes.
#' @param progress,checkpoint As in [topic_model()]. A checkpoint holds one run, so it cannot be used with
#'   more than one of `iter`, `chains` and `until`.
#' @return A fit. With `chains`, one number is drawn from R's generator. Otherwise R's generator is not
#'   used, because chains continue with their own streams of random numbers.
#' @section Errors: `update()` stops with an error of class `ldpcounts_error` if none of `iter`, `chains`,
#'   `warmup` and `until` is given, if one of them is not a positive whole number, if no draws would be left,
#'   and, as [topic_model()] does, if there is not enough memory or if the `checkpoint` is from another call.
#' @seealso [subset()][subset.ldp_fit] keeps some chains.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 60)
#' longer <- update(fit, iter = 40)
#' longer
#' update(longer, chains = 1, warmup = 50)
#' if (interactive()) update(fit, until = 400) # until there are 400 effective draws
#' @importFrom stats update
#' @export
update.ldp_fit <- function(object, ..., iter = NULL, chains = NULL, warmup = NULL, until = NULL,
                           minutes = NULL, progress = interactive(), checkpoint = NULL) {
  check_method(object, ...)
  call <- rlang::current_env()
  longer <- !is.null(iter)
  further <- !is.null(chains)
  later <- !is.null(warmup)
  check_that(longer || further || later || !is.null(until) || !is.null(minutes),
    "{.arg iter}, {.arg chains}, {.arg warmup} or {.arg until} must be given."
  )
  if (longer) iter <- check_whole(iter, "iter", 1)
  if (further) chains <- check_whole(chains, "chains", 1)
  if (later) warmup <- check_whole(warmup, "warmup", 0)
  total <- object$run$iter + max(iter, 0L)
  goal <- new_goal(until, minutes, total, call)
  progress <- check_flag(progress, "progress")
  check_checkpoint(checkpoint)
  check_that(!is_svi(object), c(
    "A fit with {.code inference = \"svi\"} cannot be continued.",
    i = "Fit again with a larger {.arg iter} and with {.code init = fit}, to start from this fit."
  ))
  if (is_cavi(object)) {
    if (further || later || !is.null(goal)) check_sampled(object, "object")
    return(add_passes(object, iter, progress, checkpoint, call))
  }
  no_more <- "{.arg chains} cannot be added to a fit of {.fn private_gibbs}: run it again with more chains."
  check_that(!further || !is_own(object), no_more)
  one_at_a_time <- "With a {.arg checkpoint}, give exactly one of {.arg iter}, {.arg chains} and {.arg until}."
  check_that(is.null(checkpoint) || sum(longer, further, !is.null(goal)) == 1, one_at_a_time)
  check_that(!further || is.null(object$race), c(
    "{.arg chains} cannot be added to a run that was interrupted before its first sweep.",
    i = "Complete the run first with {.code update(iter = )}."
  ))
  if (later) check_warmup(warmup, object$run, iter, call)
  if (longer) object <- continue_fit(object, longer_run(object$run, total, call), progress, checkpoint, call)
  if (later) object <- drop_early_draws(object, warmup)
  if (further) object <- add_chains(object, chains, progress, checkpoint, call)
  object <- with_modes(object)
  more <- if (!is.null(goal)) sweeps_to_goal(object, goal, task_of_fit(object), input_of(object))
  if (is.null(more)) object else continue_fit(object, more$run, progress, checkpoint, call, goal)
}

# At least one more iteration of every start that has not failed, even if it had converged.
add_passes <- function(fit, iter, progress, checkpoint, call) {
  task <- task_of_fit(fit)
  starts <- lapply(fit$chains, function(start) replace(start, "converged", has_failed(start)))
  done <- max(passes_of(starts))
  run <- new_run(done + iter, fit$run$starts, n_cavi_draws(task))
  begin <- function(sampler, seed) new_state(starts, done, seconds = fit$seconds)
  run_task(task, input_of(fit), run, progress, checkpoint, from = starts, begin, call = call)
}

# An error if no draws would be left with this warmup, after the run is continued by `iter` sweeps.
check_warmup <- function(warmup, run, iter, call) {
  kept <- (run$iter + max(iter, 0L) - run$warmup) %/% run$thin
  last <- run$warmup + (kept - 1L) * run$thin
  if (warmup < run$warmup || warmup > last) {
    abort_argument(warmup, "warmup", paste0(
      "from ", run$warmup, " (the old warmup, because earlier draws were not kept) to ", last,
      " (so that draws are left)"
    ), call)
  }
}

# The fit after a longer run. With a `goal`, `run` is only its first part, see run_gibbs().
continue_fit <- function(fit, run, progress, checkpoint, call, goal = NULL) {
  begin <- function(sampler, seed) state_of_fit(fit, sampler, run)
  run_task(task_of_fit(fit), input_of(fit), run, progress, checkpoint, from = fit$chains, begin,
    goal = goal, call = call
  )
}

add_chains <- function(fit, chains, progress, checkpoint, call) {
  task <- task_of_fit(fit)
  old <- fit$run
  run <- plan_run(old$iter, old$warmup, old$thin, chains, call, task, race = TRUE)
  numbers <- suppressWarnings(as.integer(names(fit$chains)))
  names <- as.character(max(numbers, length(fit$chains), na.rm = TRUE) + seq_len(chains))
  begin <- function(sampler, seed) begin_gibbs(sampler, run, vector("list", chains), seed)
  others <- run_task(task, input_of(fit), run, progress, checkpoint, from = names, begin,
    new_seed = TRUE, call = call
  )
  if (others$run$iter < run$iter) {
    with_checkpoint <- if (is.null(checkpoint)) "With a {.arg checkpoint} the" else "The"
    cli::cli_warn(c(
      "The further chains were not finished, and are not in the fit.",
      i = paste(with_checkpoint, "same call continues them.")
    ), class = "ldpcounts_interrupted")
    return(fit)
  }
  names(others$chains) <- names
  join_chains(fit, others)
}
