# Printing and plotting of a plan (?plan_study).

#' @rdname plan_study
#' @export
print.study_plan <- function(x, ...) {
  check_no_dots(...)
  dim <- attr(x, "dim_of_study")
  if (!is.null(dim)) cat_wrapped(paste0("Plan of a study of ", dim[1], " x ", dim[2], " counts:"))
  table <- as.data.frame(lapply(x, signif, 3))
  print_in_parts(table, min(2, ncol(table)))
  invisible(x)
}

#' @rdname plan_study
#' @export
plot.study_plan <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname plan_study
#' @exportS3Method ggplot2::autoplot
autoplot.study_plan <- function(object, ...) {
  check_no_dots(...)
  measures <- c(mae = "mean absolute error of the model", difference = "detectable difference of two groups")
  lines <- do.call(rbind, lapply(names(measures), function(name) {
    data.frame(
      epsilon = object$epsilon, precision = factor(object$precision), value = object[[name]],
      measure = factor(measures[[name]], measures)
    )
  }))
  levels <- data.frame(
    value = c(object$mae_without_noise[1], object$mae_constant[1]), line = c("no noise", "one constant"),
    measure = factor(measures[["mae"]], measures)
  )
  ggplot2::ggplot(lines, ggplot2::aes(.data$epsilon, .data$value, colour = .data$precision)) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$value, linetype = .data$line), levels) +
    ggplot2::geom_line() +
    ggplot2::geom_point() +
    ggplot2::facet_wrap(ggplot2::vars(.data$measure), scales = "free_y") +
    ggplot2::scale_x_log10(breaks = unique(object$epsilon), labels = format_each(unique(object$epsilon))) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(y = NULL, linetype = NULL, title = "What noise costs the study") +
    ggplot2::theme(legend.position = "bottom")
}
