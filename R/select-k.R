# How many components: compare_k() fits a range of k, and scores each.

#' Choose the number of components: compare a range of k
#'
#' Fits a model with each `k` to data in which some cells are masked, and scores how well each fit predicts
#' these cells and, by leave-one-out cross-validation, the other cells.
#'
#' @details There are two scores. Each is a mean log predictive density per cell, and is reported with its
#' standard error. The first is [held_out_density()], for the masked cells. The second is leave-one-out
#' cross-validation by `loo::loo()` (see [loo.ldp_fit()]), for up to `loo_cells` of the other cells. All `k`
#' are scored on the same cells, so they can be compared cell by cell. The differences from the best `k` are
#' therefore reported too: their mean has a much smaller standard error than the scores themselves.
#'
#' The best `k` is the one with the largest score. Other values are often as good: a model with a few
#' components too many leaves them nearly empty, and predicts as well. Therefore the smallest `k` whose
#' difference from the best is at most one standard error (of the difference) is marked too (Breiman and
#' others 1984). If this `k` is smaller than the best `k`, the data do not clearly show which of the two
#' predicts better. Standard errors are those of [held_out_density()], which allow for the dependence of
#' cells that share a row or an actor; those that `loo::loo()` prints treat all cells as independent. Scores
#' also depend on random starts and on the length of the run, so look at `rhat`, and repeat the comparison
#' with another seed.
#'
#' The released counts, with their noise, are scored. Do not compare these scores with those of another
#' release or another `alpha`. Private and naive analyses (`noise = "ignore"`) can be compared on a clamped
#' release, or on true counts by [compare_methods()].
#' @param data Counts, as accepted by [topic_model()], [block_model()] and [tensor_model()]; see
#'   [data-objects].
#' @param k The numbers of components to be compared: whole numbers from 1 to 10,000.
#' @param ... Arguments of the model, such as `iter`, `family` and `noise`, but not `checkpoint`. They are
#'   checked by the model.
#' @param model `"topic"` for [topic_model()], the default, `"block"` for [block_model()], `"tensor"` for
#'   [tensor_model()].
#' @param cells The cells to hold out, an index matrix such as `holdout_cells()$cells`. By default a
#'   tenth of the observed cells, at random, and at most 1e6 of them.
#' @param loo_cells The number of cells on which `loo` is computed, chosen at random from the cells that are
#'   not held out. If there are fewer, all of them are used; 0 for none.
#' @param dims For a data frame of cells: the names of the columns of the modes; see [privatize()].
#' @return A tibble of class `k_comparison`, with one row per `k`, in increasing order, and columns
#'   * `k`;
#'   * `held_out`, `held_out_se`: the held-out log predictive density per cell, and its standard error;
#'   * `held_out_diff`, `held_out_diff_se`: the difference from the best `k`, and its standard error; 0 for
#'     the best;
#'   * `loo`, `loo_se`, `loo_diff`, `loo_diff_se`: the same by leave-one-out cross-validation; `NA` if
#'     `loo_cells` is 0, if package `loo` is missing, or if fits keep a single draw;
#'   * `pareto_k`: the share of the cells of `loo` whose Pareto k is above 0.7. For these cells `loo` may be
#'     too high;
#'   * `rhat`: R-hat of the log density of the data; if it is above 1.05, the run should be longer.
#'
#'   `print()` marks the best `k` and the smallest within one standard error of it; `summary()` returns them
#'   as a data frame with one row per score and columns `score`, `best` and `one_se`. `plot()` draws the
#'   differences with bars of one standard error (the best `k` is a filled point, and a line marks the
#'   smallest `k` within one standard error); `autoplot()` returns this picture as a ggplot, and `plot()` does
#'   so invisibly. These methods still work after the rows have been reordered. But a subset of rows or
#'   columns is a plain data frame, without these methods.
#' @section Reproducible: The choice of cells and the fits use R's generator, so `set.seed()` makes them
#' reproducible.
#' @section Errors: `compare_k()` stops with an error of class `ldpcounts_error` if the model or
#'   [held_out_density()] does, if a `k` is not a whole number from 1 to 10,000, and if `cells` leave no cells
#'   to fit.
#' @references Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). *Classification and
#'   Regression Trees*, section 3.4.3, for the rule of one standard error. Vehtari, Gelman and Gabry
#'   (2017), see [loo.ldp_fit()], section 5.1, for differences cell by cell.
#' @seealso [holdout_cells()], [held_out_density()], [loo.ldp_fit()].
#' @examples
#' set.seed(1)
#' y <- simulate_topics(D = 40, V = 25, k = 3)$y
#' compared <- compare_k(privatize(y, epsilon = 2), 1:5, iter = 100, loo_cells = 300)
#' summary(compared)
#' plot(compared)
#' @export
compare_k <- function(data, k, ..., model = c("topic", "block", "tensor"), cells = NULL, loo_cells = 1e4,
                      dims = NULL) {
  check_given(missing(data), "data")
  check_given(missing(k), "k")
  if (!are_whole(k, 1, 1e4)) {
    abort_argument(k, "k", "whole numbers from 1 to 10000", rlang::current_env())
  }
  k <- sort(unique(as.integer(round(k))))
  # the second fit would find the run of the first fit in the file
  check_that(!"checkpoint" %in% ...names(),
    "{.arg checkpoint} cannot be used here, because each fit of the comparison would need its own file."
  )
  model <- check_choice(model, "model", c("topic", "block", "tensor"))
  loo_cells <- check_whole(loo_cells, "loo_cells", 0)
  pairs <- model == "block" && isFALSE(list(...)[["directed"]])
  data <- given_counts(data, "data", dims = dims, directed = !pairs)
  input <- counts_of(data, n_modes = if (model != "tensor") 2)
  counts <- input$counts
  network <- "none"
  if (model == "block") {
    check_network(counts, "data", rlang::current_env(), noised = inherits(data, "private_counts"))
    network <- network_of(data, counts)
  }
  cells <- if (is.null(cells)) a_tenth(counts, network) else check_held_out(cells, data, counts, network)
  check_some_left(nrow(cells), n_units(counts, network))
  train <- hold_out(data, counts, cells, network)
  has_loo <- requireNamespace("loo", quietly = TRUE)
  tell_if(loo_cells > 0 && !has_loo,
    "Leave-one-out scores are left out. To get them, install package {.pkg loo}.", "ldpcounts_no_loo"
  )
  loo_cells <- if (loo_cells > 0 && has_loo) random_cells(table_of(train)$counts, network, loo_cells)
  fit_model <- function(k) do.call(paste0(model, "_model"), list(quote(train), k, ...))
  unfold <- function(cells) if (!is.null(cells)) unfold_cells(cells, input$dim)
  scores <- score_each(k, fit_model, function(fit) score_fit(fit, data, unfold(cells), unfold(loo_cells)))
  new_k_comparison(k, scores, list(held_out = cells, loo = loo_cells), network)
}

# --- scores ---------------------------------------------------------------------------------------

# Fits and scores each k. Warnings that depend only on the data are issued once, for the first fit.
score_each <- function(k, fit_model, score) {
  lapply(seq_along(k), function(i) {
    score(whole_fit(if (i == 1) fit_model(k[i]) else quietly(fit_model(k[i]))))
  })
}

# Log densities cell by cell, with Pareto k and R-hat, which show whether they can be trusted. Very short
# runs, and CAVI, have no R-hat.
score_fit <- function(fit, data, cells, loo_cells) {
  loo <- if (!is.null(loo_cells) && n_draws(fit) > 1) {
    suppressWarnings(loo.ldp_fit(fit, cells = loo_cells), classes = "ldpcounts_pareto_k")
  }
  held_out <- held_out_density(fit, data, cells)
  list(
    held_out = held_out$pointwise, scored = held_out$scored, loo = loo$pointwise[, "elpd_loo"],
    pareto_k = if (is.null(loo)) NA_real_ else mean(loo$diagnostics$pareto_k > PARETO_K_TRUSTED),
    rhat = if (is_cavi(fit)) NA_real_ else suppressWarnings(posterior::rhat(fit$log_density))
  )
}

new_k_comparison <- function(k, scores, cells, network) {
  gather <- function(name) lapply(scores, `[[`, name)
  compare <- function(name) compare_densities(gather(name), name, cells[[name]], network)
  first <- scores[[1]]
  structure(
    data.frame(
      k = k, compare("held_out"), compare("loo"), pareto_k = unlist(gather("pareto_k")),
      rhat = unlist(gather("rhat"))
    ),
    class = c("k_comparison", TIBBLE), scored = first$scored,
    cells = c(held_out = length(first$held_out), loo = length(first$loo))
  )
}

# Mean log densities, and their differences from the largest, computed cell by cell, each with its standard
# error.
compare_densities <- function(each, name, cells, network) {
  if (is.null(each[[1]])) {
    each <- lapply(each, function(none) NA_real_)
    cells <- cbind(1, 1)
  }
  error <- function(density) dependent_error(density, cells, network)
  mean <- vapply(each, mean, 0)
  best <- each[[which.max(replace(mean, is.na(mean), -Inf))]]
  columns <- list(
    mean, vapply(each, error, 0), mean - mean(best), vapply(each, function(density) error(density - best), 0)
  )
  stats::setNames(as.data.frame(columns), paste0(name, SCORE_COLUMNS))
}

SCORE_COLUMNS <- c("", "_se", "_diff", "_diff_se")
SCORE_LABELS <- c(held_out = "held out", loo = "loo")

#' @rdname compare_k
#' @param object The result of `compare_k()`.
#' @export
summary.k_comparison <- function(object, ...) {
  check_no_dots(...)
  scores <- scores_by_k(object)
  best <- scores[scores$best, ]
  data.frame(score = best$score, best = best$k, one_se = scores$k[scores$one_se])
}

# A row per score and k: the score, its difference from the best, and the standard errors of both. `one_se`
# marks the smallest k within one standard error of the best.
scores_by_k <- function(x) {
  scores <- Filter(function(name) !anyNA(x[[name]]), names(SCORE_LABELS))
  rows <- lapply(scores, function(name) {
    columns <- unclass(x)[paste0(name, SCORE_COLUMNS)]
    rows <- data.frame(k = x$k, stats::setNames(columns, c("mean", "se", "difference", "diff_se")))
    best <- rows$difference == 0
    within <- which(best | rows$difference + rows$diff_se >= 0)
    data.frame(score = name, rows, best = rows$k == min(rows$k[best]), one_se = rows$k == min(rows$k[within]))
  })
  do.call(rbind, rows)
}

# A selection of rows and columns keeps its class only if it has every k, and all columns that print() needs.
of_every_k <- function(part, from) {
  needed <- c(outer(names(SCORE_LABELS), SCORE_COLUMNS, paste0), "k", "pareto_k", "rhat")
  keep_class(part, from, function(part) all(needed %in% names(part)) && setequal(part$k, from$k))
}

#' @export
`[.k_comparison` <- function(x, ...) of_every_k(NextMethod(), x)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.k_comparison <- function(data, template) of_every_k(data, template)

#' @export
print.k_comparison <- function(x, ...) {
  check_no_dots(...)
  cat("Log predictive density per cell, and its difference from the best (standard errors)\n")
  scores <- scores_by_k(x)
  columns <- lapply(unname(split(scores, scores$score)), function(scores) {
    difference <- replace(format_score(scores$difference, scores$diff_se), scores$best, "best")
    marked <- paste0(difference, ifelse(scores$one_se, "*", " "))
    columns <- data.frame(format_score(scores$mean, scores$se), marked)
    stats::setNames(columns, c(SCORE_LABELS[[scores$score[1]]], "difference "))
  })
  print_in_parts(do.call(cbind, c(list(data.frame(k = x$k)), columns)), keys = 1)
  for (line in describe_choice(x, summary(x))) cat_wrapped(line)
  invisible(x)
}

# One line per score, and notes on anything that makes the scores unreliable.
describe_choice <- function(x, chosen) {
  cells <- vapply(attr(x, "cells")[chosen$score], format_number, "")
  counts <- attr(x, "scored") # absent if comparisons were bound together
  at <- function(found) paste0("k = ", paste(sort(x$k[which(found)]), collapse = ", "))
  moving <- x$rhat > RHAT_TRUSTED
  uncertain <- x$pareto_k > 0.02
  is_uncertain <- any(chosen$one_se %in% x$k[which(uncertain)])
  open <- chosen$best == max(x$k) & !(chosen$score == "loo" & chosen$best %in% x$k[which(uncertain)])
  c(
    paste0(
      ifelse(chosen$score == "held_out", "Held out", "Leave-one-out"),
      if (!is.null(counts)) paste0(" (", cells, " cells, ", counts, ")"), ": best k = ", chosen$best,
      ifelse(chosen$one_se < chosen$best,
        paste0("; k = ", chosen$one_se, " is the smallest within one standard error of it (*)."),
        ifelse(chosen$best > min(x$k), ", and none smaller is within one standard error of it.", ", the smallest.")
      )
    ),
    # both estimate the density of new cells; leave-one-out is less uncertain, because it scores more cells,
    # but only where its approximation can be trusted
    if (length(unique(chosen$one_se)) > 1) paste0("The scores choose different k. Follow ", if (is_uncertain) {
      "the held-out score, because leave-one-out is uncertain here (see below)."
    } else {
      "leave-one-out: it scores more cells, so that its differences have smaller standard errors."
    }),
    if (nrow(x) > 1 && any(open)) paste(
      "The score improves up to the largest k, and may improve beyond it. For prediction, compare larger",
      "values of k as well. To describe the data, a smaller k may be enough."
    ),
    if (any(moving, na.rm = TRUE)) paste0(
      "R-hat is above ", RHAT_TRUSTED, " at ", at(moving), ". Run longer (iter), then compare again."
    ),
    if (any(uncertain, na.rm = TRUE)) paste0(
      "Leave-one-out may be too high at ", at(uncertain), ": Pareto k is above ", PARETO_K_TRUSTED,
      " in many cells. Use the held-out score."
    )
  )
}

#' @export
plot.k_comparison <- plot_figure

#' @rdname compare_k
#' @exportS3Method ggplot2::autoplot
autoplot.k_comparison <- function(object, ...) {
  check_no_dots(...)
  scores <- scores_by_k(object)
  scores$score <- factor(scores$score, labels = SCORE_LABELS[unique(scores$score)])
  chosen <- scores[scores$one_se, ]
  ggplot2::ggplot(scores, ggplot2::aes(.data$k, .data$difference)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60") +
    ggplot2::geom_vline(
      ggplot2::aes(xintercept = .data$k), chosen, linetype = 2, colour = COLOURS[["mark"]]
    ) +
    (if (nrow(object) > 1) ggplot2::geom_line(linetype = 3)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$difference - .data$diff_se, ymax = .data$difference + .data$diff_se)
    ) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$best), size = 2.5, fill = "white") +
    ggplot2::scale_shape_manual(values = c("FALSE" = 21, "TRUE" = 19), guide = "none") +
    ggplot2::scale_x_continuous(breaks = if (nrow(object) <= 12) object$k else ggplot2::waiver()) +
    ggplot2::facet_wrap(ggplot2::vars(.data$score), scales = "free_y") +
    ggplot2::labs(
      x = "k", y = "difference to the best", title = "Log predictive density per cell",
      subtitle = "filled: the best k; dashed: the smallest within one standard error of it"
    )
}

# If the user interrupts a fit, the whole comparison ends: an incomplete fit is not scored.
whole_fit <- function(code) {
  tryCatch(code, ldpcounts_interrupted = function(cut_short) rlang::interrupt())
}
