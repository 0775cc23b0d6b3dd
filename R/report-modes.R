# Modes of the posterior: what they, or the chains of a single mode, agree on.

#' Posterior modes found by the chains of a fit
#'
#' Posteriors of these models can have several modes: different sets of communities, topics or components,
#' between which a chain seldom moves. `modes()` shows which chains are in which mode, which components all
#' modes share, and where the modes differ.
#'
#' @details The kept draws of each chain are divided into segments, and segments with similar components are
#' assigned to the same mode. Two segments are similar if each component of one has a counterpart in the other
#' with nearly the same weights. The similarity of weights is measured by the affinity, which is the sum of
#' `sqrt(p q)` over the weights `p` and `q`, each normalised to sum to 1. It must be at least 0.97.
#' Consecutive segments of a chain are usually in the same mode. If fewer than 90 % of the pairs of
#' consecutive segments reach this limit, it is lowered until 90 % of them do. Segments that would form a mode
#' with less than 4 % of the draws are treated as transitions between other modes.
#'
#' If chains move between modes often enough, the `share` of a mode is its share of the draws, which estimates
#' its posterior probability. Often enough means that there are at least `6 (m - 1)` moves in all chains
#' together, where `m` is the number of modes, and that every mode is visited by at least two chains that also
#' visit other modes. (With a single chain, only the number of moves matters.) Modes are then sorted by their
#' shares.
#'
#' Otherwise the draws cannot show how probable the modes are, and shares are stacking weights: the weights of
#' the mixture of modes that predicts the released counts best, by leave-one-out cross-validation. The modes
#' whose log density is within 3 of the highest then come first, sorted by their numbers of draws. The other
#' modes follow, sorted by their log densities.
#'
#' The first mode is the leading mode, which `coef()`, `summary()`, `top_terms()` and `plot()` describe.
#' `fitted()`, `augment()`, `predict()`, `simulate()` and [held_out_density()] average over all modes by their
#' shares.
#'
#' Modes that no chain has found are not listed. Several chains, each with the best of several starts, make
#' it more likely that the best mode is found. If the modes differ in only a few actors or words, report what
#' they have in common, which does not depend on the seed.
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()] by Gibbs sampling.
#' @return A data frame of class `posterior_modes`, with one row per mode. Its columns are `mode`, a number;
#'   `chains`, the names of the chains with some or all of their draws in the mode; `share`; and
#'   `log_density`, the log density of the release averaged over the draws of the mode. `print()` also shows
#'   which components are found in every mode or, if there is one mode, in every chain. `plot()` has one row
#'   per component of the leading mode and one column per mode (or chain). A cell shows the affinity of the
#'   weights of the component to those of its counterpart.
#' @section Errors: `modes()` stops with an error of class `ldpcounts_error` if `fit` is not a fit of these
#' models by Gibbs sampling.
#' @references Yao, Y., Vehtari, A. and Gelman, A. (2022). Stacking for non-mixing Bayesian computations:
#'   the curse and blessing of multimodal posteriors. *Journal of Machine Learning Research* 23. The rule
#'   that groups segments into modes is new in this package.
#' @seealso [subset()][subset.ldp_fit] keeps chains, [update()][update.ldp_fit] adds some.
#' @examples
#' set.seed(1)
#' busiest <- order(-rowSums(enron_network))[1:40]
#' fit <- block_model(privatize(enron_network[busiest, busiest], 1), k = 4, iter = 200, chains = 3)
#' modes(fit)
#' plot(modes(fit))
#' @export
#' @order 1
modes <- function(fit) {
  check_is_fit(fit)
  check_sampled(fit, "fit")
  found <- modes_of(fit)
  of <- matrix(found$of, fit$run$kept)
  mode <- seq_along(found$share)
  chains <- vapply(mode, function(mode) paste(names(fit$chains)[colSums(of == mode) > 0], collapse = ", "), "")
  agreed <- if (length(mode) > 1) {
    agreement(fit, found$of, "mode", mode)
  } else {
    agreement(fit, c(col(of)), "chain", names(fit$chains))
  }
  structure(
    data.frame(mode, chains, share = found$share, log_density = found$log_density),
    shares = found$shares, agreement = agreed, class = c("posterior_modes", "data.frame")
  )
}

# --- agreement of modes, or of the chains of a single mode ----------------------------------------

# Compares groups of draws, with components labelled as in coef(). `of`: the group of each draw; `group`:
# "mode" or "chain"; `names`: the names of the groups. The reference is the leading mode or the first chain.
#
#   overlap      the affinity of each component of the reference (in rows) to its counterpart in each group
#                (in columns)
#   groups       labels of the groups
#   nouns        what components are called
#   labels       the names of the components
agreement <- function(fit, of, group, names) {
  model <- model_of(fit)
  means <- lapply(seq_len(max(of)), function(one) {
    matched_means(fit, spread_over(which(of == one), 200L))$means
  })
  means[[1]] <- model$permute(means[[1]], order(-model$size(means[[1]])))
  target <- model$signature(means[[1]])
  overlap <- vapply(means, function(x) {
    found <- affinities(model$signature(x), target)
    found[cbind(seq_len(fit$k), as.integer(clue::solve_LSAP(found, maximum = TRUE)))]
  }, numeric(fit$k))
  list(
    overlap = matrix(overlap, fit$k), group = group, groups = paste(group, names),
    nouns = plural(model$component), labels = component_names(fit, target)
  )
}

# --- printing -------------------------------------------------------------------------------------

#' @export
print.posterior_modes <- function(x, ...) {
  check_no_dots(...)
  density <- format(round(x$log_density, 1), nsmall = 1)
  if (nrow(x) == 1) {
    cat_wrapped(paste0("One mode was found (log density ", density, "); see summary() for convergence."))
  } else {
    cat_wrapped(paste0(nrow(x), " modes, the leading one first:"))
    shown <- data.frame(mode = x$mode, chains = x$chains, share = format(round(x$share, 2), nsmall = 2))
    shown[["log density"]] <- density
    print(shown, row.names = FALSE)
    cat_wrapped(if (attr(x, "shares") == "visits") {
      "Chains move between modes, so the share of a mode is its share of the draws. Modes are ranked by share."
    } else {
      paste0(
        "Shares are stacking weights, for prediction. They do not say how probable a mode is, because chains ",
        "seldom move between modes. Modes are ranked by their log densities, and those within ", AS_GOOD,
        " of the highest by their numbers of draws."
      )
    })
  }
  if (ncol(attr(x, "agreement")$overlap) > 1) cat_wrapped(describe_agreement(attr(x, "agreement")))
  invisible(x)
}

# Which components are found in every group.
describe_agreement <- function(agreed, most = 12) {
  listed <- function(labels) {
    shown <- c(utils::head(labels, most), if (length(labels) > most) "...")
    if (length(labels) == 0) "none" else paste(shown, collapse = ", ")
  }
  stable <- apply(agreed$overlap, 1, min) >= ALIKE
  paste0(
    "Of ", length(stable), " ", agreed$nouns, ", found in every ", agreed$group,
    " (their weights have an affinity of at least ", ALIKE, "): ", listed(agreed$labels[stable]),
    "; not stable: ", listed(agreed$labels[!stable]), "."
  )
}

# A subset becomes a plain data frame, because what print() says of all modes is not true of some of them.
#' @export
`[.posterior_modes` <- function(x, ...) keep_class(NextMethod(), x, function(part) FALSE)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.posterior_modes <- function(data, template) keep_class(data, template, function(part) FALSE)
