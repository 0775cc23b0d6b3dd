# The verdict on a fit: which problems were found, and what to do. Variational inference is judged by its
# bound, and by whether its starts end in the same optimum.

# A verdict begins with "No problem was found", "Problems were found" or "This run found", and has three
# sentences at most: what was found, by which criteria, and what to do.
is_good <- function(verdict) startsWith(verdict, "No problem was found")

# A problem: what was found, and what to do.
new_problem <- function(found, remedy) list(found = found, remedy = remedy)

# The verdict on a run of gibbs(), from a convergence_table() of the chains of the leading mode. `problems`:
# those that the release shows; `rest`: of describe_rest().
gibbs_verdict <- function(table, fit, problems = list(), rest = NULL) {
  worst <- worst_convergence(table, fit$run$kept)
  problem <- convergence_problem(worst, fit)
  n <- length(modes_of(fit)$share)
  criteria <- describe_criteria(worst)
  if (length(problems) == 0 && n > 1) {
    return(describe_modes(fit, problem, criteria, rest))
  }
  several <- if (n > 1) new_problem(paste("there are", n, "modes of the posterior"), "see modes(fit)")
  problems <- c(problems, Filter(Negate(is.null), list(several, problem)))
  if (length(problems) > 0) describe_problems(problems, criteria) else describe_good(fit, worst, criteria, rest)
}

# `problem`: of convergence, or NULL.
describe_modes <- function(fit, problem, criteria, rest) {
  modes <- modes_of(fit)
  of_draws <- paste(round(100 * modes$share), "%", collapse = ", ")
  chains <- length(leading_chains(fit))
  paste0(
    "This run found ", length(modes$share), " modes of the posterior, between which chains ", if (are_visits(modes)) {
      paste0("move (they have ", of_draws, " of the draws)")
    } else {
      paste0("seldom move (the criteria are for the ", count_of(chains, "chain"), " most in the leading mode)")
    },
    if (!is.null(problem)) paste0(", and ", problem$found), rest, ". ", criteria, " ",
    "modes(fit) says what all modes agree on, and coef(), top_terms(), plot() and group_effects() describe the ",
    "leading mode", if (!is.null(problem)) paste0(", but first: ", problem$remedy), "."
  )
}

describe_good <- function(fit, worst, criteria, rest) {
  run <- fit$run
  paste0(
    "No problem was found in this run: ", paste(c(
      paste0(
        if (run$chains > 1) paste("the", run$chains, "chains agree") else "the chain has converged",
        " (R-hat at most ", sprintf("%.2f", ceiling(100 * worst$rhat) / 100), ", at least ", worst$ess,
        " effective draws", if (isTRUE(run$dropped > 0)) paste0("; ", run$dropped, " others were dropped"), ")"
      ),
      if (models_noise(fit)) "no total and no cell implies improbably large noise",
      if (has_dispersion_check(fit)) "and counts do not vary more than the model expects"
    ), collapse = ", "), rest, ". ", criteria, describe_next(worst, fit)
  )
}

# The problems in one sentence, the criteria, and the remedy of the first.
describe_problems <- function(problems, criteria = NULL) {
  found <- paste(vapply(problems, `[[`, "", "found"), collapse = ", and ")
  remedy <- problems[[1]]$remedy
  substr(remedy, 1, 1) <- if (grepl("^[a-z_]+\\(", remedy)) substr(remedy, 1, 1) else toupper(substr(remedy, 1, 1))
  paste(c(paste0("Problems were found: ", found, "."), criteria, paste0(remedy, ".")), collapse = " ")
}

describe_criteria <- function(worst) {
  strict <- isTRUE(worst$rhat <= RHAT_STRICT && worst$ess >= ESS_STRICT)
  paste0(
    "The criteria are R-hat of at most ", RHAT_TRUSTED, " and ", ESS_TRUSTED, " effective draws; those of ",
    "Vehtari et al. (2021), R-hat of ", RHAT_STRICT, " and ", ESS_STRICT, " draws, are ",
    if (strict) "met too." else "not met."
  )
}

# What could be done if no problem was found.
describe_next <- function(worst, fit) {
  if (fit$run$chains == 1) {
    paste0(" Other chains might reach a different mode: ", if (is_own(fit)) {
      "run several (chains = 4)."
    } else {
      "update(fit, chains = 3) adds three."
    })
  } else if (worst$ess < ESS_STRICT) {
    paste0(" For ", ESS_STRICT, " effective draws, use ", suggest_goal(ESS_STRICT, worst, fit), ".")
  }
}

convergence_problem <- function(worst, fit) {
  run <- fit$run
  if (is.na(worst$rhat)) {
    return(new_problem(
      paste(run$kept, "draws per chain are too few to judge convergence"),
      paste0("update(fit, until = ", ESS_TRUSTED, ") adds draws until there are enough")
    ))
  }
  if (worst$rhat > RHAT_TRUSTED) {
    # all draws so far become warmup: otherwise a chain that converged late would still affect R-hat
    drop <- !is_own(fit)
    return(new_problem(
      paste0(
        if (run$chains > 1) "the chains disagree" else "the chain has not converged", " (R-hat of ",
        format_above(worst$rhat, RHAT_TRUSTED), " for ", worst$slowest, ")"
      ),
      paste0(
        "update(fit, iter = ", format(run$iter, scientific = FALSE), if (drop) paste0(", warmup = ", run$iter),
        ") continues the run", if (drop) " and drops the draws so far", " (", describe_sweeps(run$iter, fit), "), see ",
        "vignette(\"gibbs-or-variational\")"
      )
    ))
  }
  if (worst$ess < ESS_TRUSTED) {
    new_problem(
      paste0("there are only ", worst$ess, " effective draws (for ", worst$fewest, ")"),
      suggest_goal(ESS_TRUSTED, worst, fit)
    )
  }
}

suggest_goal <- function(ess, worst, fit) {
  paste0("update(fit, until = ", ess, ") (", describe_sweeps(sweeps_to_reach(ess, worst, fit$run), fit), ")")
}

# --- variational inference ------------------------------------------------------------------------

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
#' @section Errors: `elbo()` stops with an error of class `ldpcounts_error` if `fit` is not such a fit.
#' @references Cemgil, A. T. (2009). Bayesian inference for nonnegative matrix factorisation models.
#'   *Computational Intelligence and Neuroscience*, for the bound of Poisson factorization. Schein, A.,
#'   Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference for count models.
#'   arXiv 1803.08471v1, appendix, for the scheme. The collapsed bound is
#'   new in this package.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, inference = "cavi")
#' plot(elbo(fit), type = "l")
#' @export
elbo <- function(fit) {
  if (!inherits(fit, "ldp_fit") || !is_cavi(fit)) {
    abort_argument(fit, "fit", "a fit with inference = \"cavi\" or \"svi\"", rlang::current_env())
  }
  check_fit(fit)
  fit$chains[[fit$best]]$elbo
}

svi_verdict <- function(fit) {
  if (!isTRUE(fit$chains[[fit$best]]$converged)) {
    return("Problems were found: the bound was still changing in the last pass. Fit again with a larger `iter`.")
  }
  paste(
    "No problem was found in this run: the bound changed little in the last pass. Stochastic variational",
    "inference is an approximation: if the data fit in memory, compare the fit with inference = \"cavi\" or \"gibbs\"."
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
cavi_verdict <- function(table, scheme) {
  best <- which.max(table$elbo)
  if (!table$converged[best]) {
    return(paste0(
      "Problems were found: the bound was still changing after ", count_of(table$passes[best], "iteration"),
      ". Continue with update()."
    ))
  }
  same <- sum(table$elbo[best] - table$elbo <= SAME_BOUND & table$distance <= SAME_MEANS)
  converged <- paste0("the bound has converged", if (scheme == "delta") " (it need not increase)")
  if (same > 1) {
    paste0(
      "No problem was found in this run: ", converged, ". ", same, " of ", nrow(table), " starts end in the ",
      "same optimum: within ", SAME_BOUND, " log unit of the best bound, with fitted means that differ by at ",
      "most ", 100 * SAME_MEANS, " %."
    )
  } else if (nrow(table) == 1) {
    paste0(
      "No problem was found in this run: ", converged, ", but another start might reach a higher bound. ",
      "Run several starts (chains = 4), or Gibbs sampling, before you rely on it."
    )
  } else {
    paste0(
      "Problems were found: ", converged, ", but of the ", nrow(table), " starts no other ends in the same ",
      "optimum. More starts might end higher."
    )
  }
}
