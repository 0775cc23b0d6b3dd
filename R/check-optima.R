# Whether variational inference has converged, and whether its starts end in the same optimum.

#' Evidence lower bound of a variational fit
#'
#' Returns the evidence lower bound (ELBO) of a fit with `inference = "cavi"` at each iteration, or of a fit
#' with `inference = "svi"` after each pass.
#'
#' No constants are omitted: each number is a lower bound of the log probability of the release. So bounds
#' with `scheme = "collapsed"` can be compared with those of the other schemes. (With `family =
#' "nbinom1"` and an estimated dispersion, integrals over the dispersion are computed numerically, up to
#' rounding error.) The bound never decreases, except with `scheme = "delta"`.
#'
#' Do not use the bound to choose `k`, because its distance from the log probability depends on `k`. In an
#' example in which the log probability is the same for `k` from 1 to 4, the bound decreases by 1.6 over this
#' range. Use [compare_k()].
#'
#' With `inference = "svi"`, the bound is that of the held-out rows only, given the topics: a lower bound of
#' their log probability, not multiplied up to all rows. It need not increase.
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()] with `inference = "cavi"`, or of
#'   `topic_model()` with `inference = "svi"`.
#' @return A vector with one number per iteration (or pass), for the start with the highest final bound.
#' @section Errors: An error of class `ldpcounts_error` is thrown for anything but such a fit.
#' @references Cemgil, A. T. (2009). Bayesian inference for nonnegative matrix factorisation models.
#'   *Computational Intelligence and Neuroscience*, for the bound of Poisson factorization. Schein, A.,
#'   Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference for count models.
#'   arXiv 1803.08471v1, appendix, for the scheme. The collapsed bound is
#'   new in this package.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, inference = "cavi")
#' plot(elbo(fit), type = "l")
#' @srrstats {PD3.4} integrals over the dispersion are numeric, and how exact they are is said.
#' @export
elbo <- function(fit) {
  if (!inherits(fit, "ldp_fit") || !is_cavi(fit)) {
    abort_argument(fit, "fit", "a fit with inference = \"cavi\" or \"svi\"", rlang::current_env())
  }
  check_fit(fit)
  fit$chains[[fit$best]]$elbo
}

describe_passes <- function(fit) {
  start <- fit$chains[[fit$best]]
  from <- switch(start$from,
    gibbs = paste("from", START_SWEEPS, "sweeps of Gibbs"), random = "at random", given = "as given"
  )
  bound <- if (length(start$elbo) > 0) format(last_elbo(start), digits = 7, nsmall = 1) else "unknown"
  paste0(
    count_of(fit$run$passes, "iteration"), if (isTRUE(start$converged)) " (" else " (not ",
    "converged) of the best of ", count_of(fit$run$starts, "start"), " ", from, ", ELBO ", bound, "; ",
    count_of(n_draws(fit), "draw"), " from it kept (", format_bytes(8 * sum(lengths(fit$draws))), "); ",
    format(round(fit$seconds, 1)), " s"
  )
}

describe_svi <- function(fit) {
  run <- fit$run
  start <- fit$chains[[fit$best]]
  paste0(
    count_of(run$passes, "pass", "passes"), " over batches of ", run$batch, " rows, from the best of ",
    count_of(run$tried, "start"), ", ELBO of ", count_of(run$scored, "row"), " ",
    format(last_elbo(start), digits = 7, nsmall = 1), "; ", count_of(n_draws(fit), "draw"), " kept (",
    format_bytes(8 * sum(lengths(fit$draws))), "); ", format(round(fit$seconds, 1)), " s"
  )
}

svi_verdict <- function(fit) {
  start <- fit$chains[[fit$best]]
  bound <- start$elbo
  n <- length(bound)
  approximate <- paste(
    "Stochastic variational inference is an approximation: if the data fit in memory, compare the fit with",
    "inference = \"cavi\" or \"gibbs\"."
  )
  if (n < 2) {
    return(paste("With one pass, it is not known whether the fit has converged.", approximate))
  }
  change <- (bound[n] - bound[n - 1]) / fit$run$scored
  changed <- paste0("The bound changed by ", format(change, digits = 2), " per row in the last pass")
  if (isTRUE(start$converged)) {
    paste0(changed, ", which is little. ", approximate)
  } else {
    paste0("Do not trust this fit yet. ", changed, ". Fit again with a larger `iter`.")
  }
}

# One row per start. `distance`: how far its fitted means are from those of the best start, the sum of
# absolute differences over the sum of the means.
starts_table <- function(fit) {
  means <- lapply(fit$chains, function(start) start_means(fit, start$q))
  best <- means[[fit$best]]
  data.frame(
    elbo = vapply(fit$chains, last_elbo, 0),
    distance = vapply(means, function(mu) sum(abs(mu - best)) / sum(best), 0),
    passes = passes_of(fit$chains), converged = has_converged(fit$chains),
    row.names = paste("start", seq_along(fit$chains))
  )
}

# Fitted means of cells, chosen as for the verdict on a Gibbs run, but ten times as many.
start_means <- function(fit, q) {
  model <- model_of(fit)
  cells <- spread_cells(flat_dim(dim(fit$data)), 1000, model$network)
  model$cell_mean(means_of_q(model, q), unfold_cells(cells, dim(fit$data)))
}

# Starts have reached the same optimum if their bounds differ by at most SAME_BOUND (in log units) and their
# means by at most SAME_MEANS.
SAME_BOUND <- 1
SAME_MEANS <- 0.1

# One or two sentences.
#' @srrstats {BS4.5} passes end at `iter`; whether the bound has converged is kept in the fit, and said here.
cavi_verdict <- function(table, scheme) {
  best <- which.max(table$elbo)
  if (!table$converged[best]) {
    passes <- count_of(table$passes[best], "iteration")
    return(paste0(
      "Do not trust this fit yet: its bound was still changing after ", passes, ". Continue it with update()."
    ))
  }
  below <- table$elbo[best] - table$elbo
  same <- sum(below <= SAME_BOUND & table$distance <= SAME_MEANS)
  next_best <- order(below)[2]
  others <- if (nrow(table) == 1) {
    paste0(
      ", but another start might reach a higher bound. Run several starts (chains = 4), or Gibbs sampling, ",
      "before you rely on it."
    )
  } else if (same > 1) {
    paste0(
      ". ", same, " of ", nrow(table), " starts end in the same optimum: within ", SAME_BOUND,
      " log unit of the best bound, with fitted means that differ by at most ", 100 * SAME_MEANS, " %."
    )
  } else {
    paste0(
      ". Of the ", nrow(table), " starts, no other ends in the same optimum: the bound of the next is ",
      format(below[next_best], digits = 2), " log units lower, and its fitted means differ by ",
      format(100 * table$distance[next_best], digits = 2), " %. More starts might end higher."
    )
  }
  approximate <- if (scheme == "delta") " (with the delta method, it need not increase)"
  paste0("The bound has converged", approximate, others)
}
