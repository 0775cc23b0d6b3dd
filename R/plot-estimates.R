# Plots of estimates with their uncertainty: true counts, means and sums, effects of groups, modes, and what a
# privacy level means.

#' @rdname augment.ldp_fit
#' @export
plot.denoised_counts <- plot_figure

#' @rdname augment.ldp_fit
#' @param object The result of `augment()`.
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_counts <- function(object, ...) {
  check_no_dots(...)
  densities <- do.call(rbind, truth_frames(object))
  densities$cell <- factor(densities$cell, unique(densities$cell))
  ggplot2::ggplot(densities, ggplot2::aes(.data$y, .data$density)) +
    ggplot2::geom_col(width = 0.8, fill = COLOURS[["bar"]]) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$y_tilde), unique(densities[c("cell", "y_tilde")]),
      colour = COLOURS[["mark"]], linetype = 2, na.rm = TRUE
    ) +
    ggplot2::facet_wrap(ggplot2::vars(.data$cell),
      scales = "free", labeller = panel_titles(ceiling(sqrt(nlevels(densities$cell))))
    ) +
    ggplot2::scale_x_continuous("count", breaks = function(range) Filter(is_whole, pretty(range, 4))) +
    ggplot2::labs(
      y = "probability", title = "Posterior of the true count; dashed: the released count",
      caption = first_of(nrow(object), "cells")
    ) +
    no_overlap() +
    ggplot2::theme(panel.spacing.x = ggplot2::unit(1, "lines"))
}

# A caption if there are more panels than are drawn.
first_of <- function(n, what) {
  if (n > MOST_PANELS) paste("The first", MOST_PANELS, "of", format_number(n), what)
}

# The posterior distributions of the true counts in the first rows of the result of augment(): a list of data
# frames, with the released count in each row.
truth_frames <- function(x, call = rlang::caller_env()) {
  fit <- attr(x, "fit")
  check_that(!is.null(fit) && all(mode_names(fit) %in% names(x)) && nrow(x) > 0,
    "{.arg x} must be a result of {.fn augment} with at least one row and all its columns.", call
  )
  shown <- utils::head(structure(x, class = "data.frame"), MOST_PANELS)
  cells <- check_cells(shown[mode_names(fit)], dim(fit$data), data_dimnames(fit), call)
  input <- input_of_cells(fit, cells)
  between <- switch(model_of(fit)$network, none = ", ", directed = " to ", undirected = " and ")
  titles <- make.unique(do.call(paste, c(unname(shown[mode_names(fit)]), sep = between)))
  lapply(seq_len(nrow(shown)), function(i) {
    density <- truth_densities(truth_block(fit, input, cells[i, , drop = FALSE]))
    data.frame(cell = titles[i], density, y_tilde = shown$y_tilde[i])
  })
}

# The distribution of the true count in a block of one cell, without a thousandth of it at each end, but with
# enough counts that no bar is as wide as its panel.
truth_densities <- function(block) {
  mean <- truth_mean(block)
  low <- truth_quantiles(block, 0.001, mean)
  y <- seq(low, max(truth_quantiles(block, 0.999, mean), min(low, block$y_tilde, na.rm = TRUE) + 5))
  data.frame(y = y, density = vapply(y, function(at) truth_density(block, at), 0))
}

#' @rdname private_means
#' @export
plot.private_means <- plot_figure

#' @rdname private_means
#' @param quantity For `autoplot()` and `plot()`: which rows to plot, `"mean"`, `"total"` or `"difference"`.
#'   By default rows with the quantity of the first row.
#' @exportS3Method ggplot2::autoplot
autoplot.private_means <- function(object, ..., quantity = NULL) {
  check_no_dots(...)
  check_estimates(object, c("estimate", "conf.low", "conf.high", "quantity"))
  if (is.null(quantity)) quantity <- object$quantity[1]
  quantity <- check_choice(quantity, "quantity", unique(object$quantity))
  shown <- object[object$quantity == quantity, ]
  zero <- if (quantity == "difference") ggplot2::geom_vline(xintercept = 0, linetype = 2, colour = "grey60")
  what <- c(mean = "mean per person", total = "total", difference = "difference between groups")[[quantity]]
  plot_intervals(shown, shown$estimate, shown$conf.low, shown$conf.high, zero) +
    ggplot2::labs(x = what, title = paste0("Design-based estimates", interval_words(attr(object, "level"))))
}

#' @rdname augment.ldp_fit
#' @export
plot.denoised_sums <- plot_figure

#' @rdname augment.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_sums <- function(object, ...) {
  check_no_dots(...)
  check_estimates(object, c("mean", "lower", "upper"))
  plot_intervals(object, object$mean, object$lower, object$upper) +
    ggplot2::labs(
      x = "sum of true counts", title = paste0("Model-based estimates", interval_words(attr(object, "level")))
    )
}

check_estimates <- function(object, columns, call = rlang::caller_env()) {
  complete <- nrow(object) > 0 && all(c("group", "item", columns) %in% names(object))
  check_that(complete, "The estimates to plot must have at least one row and all their columns.", call)
}

# One line per group, with the first at the top, and one panel per item, up to MOST_PANELS. `below`: a layer
# under the intervals. The ends of unknown intervals are NA.
plot_intervals <- function(estimates, at, low, high, below = NULL, scales = "free_x") {
  items <- unique(as.character(estimates$item))
  shown <- utils::head(items, MOST_PANELS)
  groups <- rev(unique(as.character(estimates$group)))
  frame <- data.frame(
    group = factor(estimates$group, groups), item = factor(estimates$item, shown), at, low, high
  )
  ggplot2::ggplot(frame[!is.na(frame$item), ], ggplot2::aes(.data$at, .data$group)) +
    below +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$low, xmax = .data$high),
      colour = COLOURS[["bar"]], na.rm = TRUE
    ) +
    ggplot2::geom_point(colour = COLOURS[["mark"]], na.rm = TRUE) +
    (if (length(items) > 1) {
      ggplot2::facet_wrap(ggplot2::vars(.data$item),
        scales = scales, labeller = panel_titles(ceiling(sqrt(length(shown))))
      )
    }) +
    ggplot2::labs(y = NULL, caption = first_of(length(items), "items")) +
    no_overlap()
}

#' @rdname group_effects
#' @export
plot.group_effects <- plot_figure

#' @rdname group_effects
#' @param type What `plot()` and `autoplot()` show: `"ratio"`, with logarithmic scales, or `"mean"`. One panel
#'   per component, with one for each factor, of at most 12 components. `plot()` passes the other arguments to
#'   `autoplot()`.
#' @exportS3Method ggplot2::autoplot
autoplot.group_effects <- function(object, ..., type = c("ratio", "mean")) {
  check_no_dots(...)
  type <- check_choice(type, "type", c("ratio", "mean"))
  shown <- as.data.frame(object)[object$term == type, ]
  check_that(nrow(shown) > 0, "{.arg object} must have rows whose term is {.val {type}}.")
  ratio <- type == "ratio"
  factors <- unique(shown$factor)
  several <- length(factors) > 1
  shown$item <- if (several) paste0(shown$factor, ": ", shown$component) else shown$component
  shown$group <- shorten(if (ratio) paste(shown$group, "/", shown$versus) else shown$group, 30)
  none <- if (ratio) ggplot2::geom_vline(xintercept = 1, linetype = 2, colour = COLOURS[["mark"]])
  scales <- if (several) "free" else "free_x"
  plot_intervals(shown, shown$estimate, shown$conf.low, shown$conf.high, none, scales) +
    (if (ratio) ggplot2::scale_x_log10(n.breaks = 4) else ggplot2::scale_x_continuous(n.breaks = 3)) +
    ggplot2::labs(
      x = if (ratio) "ratio of mean weights" else "mean weight", y = if (!several) factors,
      title = paste0("Mean weights by group", interval_words(attr(object, "level")))
    )
}

#' @rdname modes
#' @param x The result of `modes()`.
#' @param ... Must be empty.
#' @export
plot.posterior_modes <- plot_figure

#' @rdname modes
#' @param object The result of `modes()`.
#' @exportS3Method ggplot2::autoplot
autoplot.posterior_modes <- function(object, ...) {
  check_no_dots(...)
  agreed <- attr(object, "agreement")
  k <- length(agreed$labels)
  map <- new_map(agreed$overlap, paste("Affinity of", agreed$nouns, "to those of", agreed$groups[1]),
    rows = new_axis(k, if (k <= MOST_PANELS) agreed$labels),
    columns = new_axis(length(agreed$groups), agreed$groups), what = "affinity"
  )
  maps_figure(list(map)) + if (length(agreed$overlap) <= 100) {
    ggplot2::geom_text(ggplot2::aes(label = sprintf("%.2f", .data$count)),
      colour = ifelse(c(agreed$overlap) > 0.6, "white", "black"), size = 3
    )
  }
}
