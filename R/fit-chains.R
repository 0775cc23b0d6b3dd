# Chains of a fit: how some are selected, and how those of two fits are joined.

#' Select chains of a fit
#'
#' Keeps some of the chains of a fit, in the order given. Use it if chains disagree: [modes()] shows which
#' chains are in which mode; keep some of them with `subset()`, and continue these with
#' [update()][update.ldp_fit].
#'
#' Chains are named `"1"`, `"2"` and so on in the order of the run, and keep their names in `modes()` and
#' `subset()`. (Plots do not show these names: they number the chains of a fit from 1.) Chains added by
#' `update(fit, chains = )` have the next names.
#'
#' Drop a chain only for a reason that you can report, for example because it is in a mode whose log density
#' is far below that of the others. If you drop chains until the rest agree, their agreement is not evidence
#' of convergence.
#' @param x A fit of [topic_model()], [block_model()] or [tensor_model()] by Gibbs sampling.
#' @param chains Names or numbers of chains, without repetition. (Numbers are positions in `x`.)
#' @param ... Must be empty.
#' @return A fit with only these chains. R's generator is not used.
#' @section Errors: `subset()` stops with an error of class `ldpcounts_error` if `chains` are not chains of
#' `x`, and if `x` is a fit by variational inference, which has no chains.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 60, chains = 3)
#' colMeans(fit$log_density)
#' subset(fit, chains = c("1", "3"))
#' @export
subset.ldp_fit <- function(x, chains, ...) {
  check_method(x, ...)
  check_sampled(x, "x")
  with_modes(keep_chains(x, which_chains(chains, names(x$chains), rlang::current_env())))
}

# Functions that change the draws of a fit remove its modes. The modes are found again once, after all
# changes.
with_modes <- function(fit) {
  if (is.null(fit$modes)) fit$modes <- find_modes(fit)
  fit
}

check_sampled <- function(fit, arg, call = rlang::caller_env()) {
  message <- "{.arg {arg}} must be a fit with Gibbs sampling, because variational inference has no chains."
  check_that(!is_cavi(fit), message, call)
}

# Positions of chains, given by names or positions.
which_chains <- function(chains, names, call) {
  at <- if (is.character(chains)) {
    match(chains, names)
  } else if (is.numeric(chains) && all(chains %in% seq_along(names))) {
    as.integer(chains)
  }
  if (length(at) == 0 || anyNA(at) || anyDuplicated(at) > 0) {
    expected <- paste0("different chains, from ", paste0("\"", names, "\"", collapse = ", "))
    abort_argument(chains, "chains", expected, call)
  }
  at
}

keep_chains <- function(fit, at) {
  fit <- keep_draws(fit, seq_len(fit$run$kept), at)
  fit$chains <- fit$chains[at]
  if (!is.null(fit$race)) {
    of <- vapply(fit$race$racers, `[[`, 0L, "of")
    fit$race$racers <- lapply(fit$race$racers[of %in% at], function(racer) {
      replace(racer, "of", match(racer$of, at))
    })
  }
  fit$run$dropped <- sum(fit$run$dropped, fit$run$chains - length(at))
  fit$run$chains <- length(at)
  fit
}

# A fit with only these of the kept draws of each chain, and only the chains `at`.
keep_draws <- function(fit, draws, at) {
  places <- in_each_chain(draws, fit$run$kept, at)
  fit$draws <- lapply(fit$draws, function(x) x[, , places, drop = FALSE])
  fit$log_density <- fit$log_density[draws, at, drop = FALSE]
  fit["modes"] <- NULL
  fit
}

# A fit with at most `most` draws per chain, equally spaced.
thinner <- function(fit, most) {
  every <- ceiling(fit$run$kept / most)
  if (every == 1) {
    return(fit)
  }
  draws <- seq(every, fit$run$kept, every)
  fit <- keep_draws(fit, draws, seq_len(fit$run$chains))
  fit$run$thin <- fit$run$thin * as.integer(every)
  fit$run$kept <- length(draws)
  fit
}

# Joins the chains of two fits, which had the same number of sweeps and kept the same of them.
join_chains <- function(fit, other) {
  fit$draws <- Map(function(x, y) array(c(x, y), dim(x) + c(0L, 0L, dim(y)[3])), fit$draws, other$draws)
  fit$log_density <- cbind(fit$log_density, other$log_density)
  fit$chains <- c(fit$chains, other$chains)
  fit$seconds <- fit$seconds + other$seconds
  fit$run$chains <- fit$run$chains + other$run$chains
  fit["modes"] <- NULL
  fit
}

# Extends the warmup to sweep `warmup`: kept draws up to that sweep are dropped. A run that was interrupted
# before that sweep keeps its last draw.
drop_early_draws <- function(fit, warmup) {
  run <- fit$run
  dropped <- min(ceiling((warmup - run$warmup) / run$thin), run$kept - 1L)
  kept <- dropped + seq_len(run$kept - dropped)
  fit <- keep_draws(fit, kept, seq_len(run$chains))
  fit$run$warmup <- as.integer(run$warmup + dropped * run$thin)
  fit$run$kept <- length(kept)
  fit
}
