# Plots of estimates by group and item, with their intervals.

#' @rdname private_means
#' @export
plot.private_means <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

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
  frame <- data.frame(
    group = shown$group, item = shown$item, at = shown$estimate, low = shown$conf.low, high = shown$conf.high
  )
  zero <- if (quantity == "difference") ggplot2::geom_vline(xintercept = 0, linetype = 2, colour = "grey60")
  level <- attr(object, "level")
  plot_intervals(frame, zero) + ggplot2::labs(x = switch(quantity,
    mean = "mean per person", total = "total", difference = "difference between groups"
  ), title = paste0("Design-based estimates", interval_words(level)))
}

#' @rdname augment.ldp_fit
#' @export
plot.denoised_sums <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname augment.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_sums <- function(object, ...) {
  check_no_dots(...)
  check_estimates(object, c("mean", "lower", "upper"))
  frame <- data.frame(
    group = object$group, item = object$item, at = object$mean, low = object$lower, high = object$upper
  )
  plot_intervals(frame) + ggplot2::labs(
    x = "sum of true counts", title = paste0("Model-based estimates", interval_words(attr(object, "level")))
  )
}

check_estimates <- function(object, columns, call = rlang::caller_env()) {
  complete <- is.data.frame(object) && nrow(object) > 0 && all(c("group", "item", columns) %in% names(object))
  check_that(complete, "The estimates to plot must have at least one row and all their columns.", call)
}

# One line per group and one panel per item, up to MOST_PANELS. `below`: a layer under the intervals.
plot_intervals <- function(frame, below = NULL) {
  items <- unique(as.character(frame$item))
  shown <- utils::head(items, MOST_PANELS)
  frame <- frame[as.character(frame$item) %in% shown, ]
  # the first group is at the top
  frame$group <- factor(frame$group, rev(unique(as.character(frame$group))))
  frame$item <- factor(frame$item, shown)
  most <- if (length(items) > length(shown)) {
    paste("The first", MOST_PANELS, "of", format_number(length(items)), "items")
  }
  ggplot2::ggplot(frame, ggplot2::aes(.data$at, .data$group)) +
    below +
    # the ends of unknown intervals are NA
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$low, xmax = .data$high),
      colour = COLOURS[["bar"]], na.rm = TRUE
    ) +
    ggplot2::geom_point(colour = COLOURS[["mark"]], na.rm = TRUE) +
    (if (length(items) > 1) {
      ggplot2::facet_wrap(ggplot2::vars(.data$item),
        scales = "free_x", labeller = panel_titles(ceiling(sqrt(length(shown))))
      )
    }) +
    ggplot2::labs(y = NULL, caption = most) +
    no_overlap()
}
