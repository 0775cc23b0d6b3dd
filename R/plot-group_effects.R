# Plots of effects of groups.

#' @rdname group_effects
#' @export
plot.group_effects <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname group_effects
#' @param type What `plot()` and `autoplot()` show: `"ratio"`, with logarithmic scales, or `"mean"`. One panel
#'   per component, with one for each factor, of at most 12 components. `plot()` passes the other arguments to
#'   `autoplot()`.
#' @exportS3Method ggplot2::autoplot
autoplot.group_effects <- function(object, ..., type = c("ratio", "mean")) {
  check_no_dots(...)
  type <- check_choice(type, "type", c("ratio", "mean"))
  columns <- c("factor", "component", "term", "group", "versus", "estimate", "conf.low", "conf.high")
  ok <- all(columns %in% names(object)) && any(object$term == type)
  check_that(ok, "{.arg object} must be a result of {.fn group_effects} with rows whose term is {.val {type}}.")
  shown <- as.data.frame(unclass(object)[columns])
  shown <- shown[shown$term == type, ]
  components <- unique(shown$component)
  shown <- shown[shown$component %in% utils::head(components, MOST_PANELS), ]
  shown$component <- factor(shown$component, components)
  shown$factor <- factor(shown$factor, unique(shown$factor))
  shown$label <- shorten(if (type == "ratio") paste(shown$group, "/", shown$versus) else shown$group, 30)
  shown$label <- factor(shown$label, rev(unique(shown$label)))
  effects_figure(shown, type, length(unique(shown$factor)) > 1, attr(object, "level")) +
    if (length(components) > MOST_PANELS) {
      ggplot2::labs(caption = paste("The first", MOST_PANELS, "of", length(components), "components"))
    }
}

effects_figure <- function(shown, type, several, level) {
  ratio <- type == "ratio"
  panels <- if (several) {
    ggplot2::facet_wrap(ggplot2::vars(.data$factor, .data$component), scales = "free")
  } else {
    ggplot2::facet_wrap(ggplot2::vars(.data$component), scales = if (ratio) "fixed" else "free_x")
  }
  ggplot2::ggplot(shown, ggplot2::aes(.data$estimate, .data$label)) +
    (if (ratio) ggplot2::geom_vline(xintercept = 1, linetype = 2, colour = COLOURS[["mark"]])) +
    ggplot2::geom_pointrange(ggplot2::aes(xmin = .data$conf.low, xmax = .data$conf.high),
      colour = COLOURS[["bar"]]
    ) +
    panels +
    (if (ratio) ggplot2::scale_x_log10(n.breaks = 4) else ggplot2::scale_x_continuous(n.breaks = 3)) +
    ggplot2::labs(
      x = if (ratio) "ratio of mean weights" else "mean weight",
      y = if (!several) as.character(shown$factor[1]), # otherwise in the titles of the panels
      title = paste0(if (ratio) "Ratios of mean weights" else "Mean weights by group", interval_words(level))
    ) +
    no_overlap()
}
