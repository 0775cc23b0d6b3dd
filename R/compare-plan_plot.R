# Printing and plotting of a plan (?plan_study).

#' @rdname plan_study
#' @export
print.study_plan <- function(x, ...) {
  check_no_dots(...)
  dim <- attr(x, "dim_of_study")
  size <- if (anyNA(dim)) paste("several numbers of rows,", dim[2], "items") else paste(dim, collapse = " x ")
  if (!is.null(dim)) cat_wrapped(paste0("Plan of a study of ", size, if (!anyNA(dim)) " counts", ":"))
  table <- as.data.frame(lapply(x, signif, 3))
  print_in_parts(table, sum(names(table) %in% c("rows", "epsilon", "precision")))
  legend <- PLAN_LEGEND[names(PLAN_LEGEND) %in% names(x)]
  cat_wrapped(paste0(names(legend), ": ", legend), bullet = "* ")
  invisible(x)
}

PLAN_LEGEND <- c(
  noise_sd = "standard deviation of the noise of a count", positive = "share of true zeros that are released above 0",
  se_mean = "standard error of the mean of a group", difference = "detectable difference between two groups",
  people = "factor by which the number of people must grow to make up for the noise",
  per_group = "people that each group needs to detect the difference that was given",
  mae = "mean absolute error of the means of a model (mae_without_noise, mae_constant: without noise, of one constant)"
)

#' @rdname plan_study
#' @export
plot.study_plan <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname plan_study
#' @exportS3Method ggplot2::autoplot
autoplot.study_plan <- function(object, ...) {
  check_no_dots(...)
  several <- length(unique(object$precision)) > 1
  rows <- if (is.null(object$rows)) "" else paste(format_each(object$rows), "rows")
  measures <- c(mae = "mean absolute error of the model", difference = "detectable difference of two groups")
  lines <- do.call(rbind, lapply(names(measures), function(name) {
    data.frame(
      epsilon = object$epsilon, precision = factor(object$precision), rows = factor(rows, unique(rows)),
      value = object[[name]],
      measure = factor(measures[[name]], measures)
    )
  }))
  levels <- data.frame(
    value = c(object$mae_without_noise[1], object$mae_constant[1]), line = c("no noise", "one constant"),
    measure = factor(measures[["mae"]], measures)
  )
  colour <- if (!is.null(object$rows)) "rows" else "precision"
  ggplot2::ggplot(lines, ggplot2::aes(.data$epsilon, .data$value, colour = .data[[colour]])) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$value, linetype = .data$line), levels) +
    (if (length(unique(object$epsilon)) > 1) {
      ggplot2::geom_line(ggplot2::aes(group = interaction(.data$rows, .data$precision)))
    }) +
    ggplot2::geom_point(if (several && colour == "rows") ggplot2::aes(shape = .data$precision)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$measure), scales = "free_y") +
    ggplot2::scale_x_log10(breaks = unique(object$epsilon), labels = format_each(unique(object$epsilon))) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(x = "epsilon", y = NULL, colour = colour, linetype = NULL, title = "What noise costs the study") +
    ggplot2::theme(legend.position = "bottom")
}
