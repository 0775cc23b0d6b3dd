# Plots of the modes of the posterior.

#' @rdname modes
#' @param x The result of `modes()`.
#' @param ... Must be empty.
#' @export
plot.posterior_modes <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname modes
#' @param object The result of `modes()`.
#' @exportS3Method ggplot2::autoplot
autoplot.posterior_modes <- function(object, ...) {
  check_no_dots(...)
  agreed <- attr(object, "agreement")
  k <- agreed$k
  if (length(agreed$groups) == 1) {
    note <- paste0("With one ", agreed$group, ", there is nothing to compare.")
    return(ggplot2::ggplot() + ggplot2::annotate("text", 0, 0, label = note) + ggplot2::theme_void())
  }
  reference <- if (agreed$group == "mode") "the leading mode" else agreed$groups[1]
  labels <- if (is.numeric(agreed$labels)) paste0(agreed$noun, agreed$labels) else agreed$labels
  map <- new_map(agreed$overlap, paste("What", agreed$nouns, "share with those of", reference),
    rows = new_axis(k, if (k <= MOST_PANELS) labels),
    columns = new_axis(length(agreed$groups), agreed$groups), what = "overlap"
  )
  maps_figure(list(map)) + if (length(agreed$overlap) <= 100) {
    ggplot2::geom_text(ggplot2::aes(label = sprintf("%.2f", .data$count)),
      colour = ifelse(c(agreed$overlap) > 0.6, "white", "black"), size = 3
    )
  }
}
