# Printing and plotting of a plan (?plan_study).

#' @rdname plan_study
#' @export
print.study_plan <- function(x, ...) {
  check_no_dots(...)
  items <- attr(x, "items")
  of <- if (is.na(items)) "messages between all people" else paste(count_of(format_number(items), "count"), "per person")
  cat_wrapped(paste0("Plan of a study of ", paste(format_number(unique(x$rows)), collapse = ", "), " people, with ", of, ":"))
  keys <- c("rows", "epsilon", "precision")
  table <- as.data.frame(x)
  shown <- setdiff(names(table)[vapply(table, is.numeric, TRUE)], c(keys, "per_group", "needed"))
  table[shown] <- lapply(table[shown], signif, 3)
  print_in_parts(table, sum(names(table) %in% keys))
  legend <- PLAN_LEGEND[names(PLAN_LEGEND) %in% names(x)]
  cat_wrapped(paste0(names(legend), ": ", legend), bullet = "* ")
  invisible(x)
}

PLAN_LEGEND <- c(
  noise_sd = "standard deviation of the noise of a count", positive = "share of true zeros that are released above 0",
  se_mean = "standard error of the mean of a group", difference = "detectable difference between two groups",
  people = "factor by which the number of people must grow to make up for the noise",
  per_group = "people that each of two groups needs for the difference in `detect`",
  mae = "mean absolute error of the means of a model (mae_without_noise, mae_constant: without noise, of one constant)",
  needed = "rows that the model needs for the error in `target`; NA: more than planned"
)

#' @rdname plan_study
#' @export
plot.study_plan <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname plan_study
#' @exportS3Method ggplot2::autoplot
autoplot.study_plan <- function(object, ...) {
  check_no_dots(...)
  rows <- unique(object$rows)
  people <- factor(object$rows, rows, paste(format_number(rows), "people"))
  key <- function(x) if (length(unique(x)) > 1) "legend" else "none"
  measures <- c(mae = "mean absolute error of the model", difference = "detectable difference of two groups")
  lines <- do.call(rbind, lapply(names(measures), function(name) {
    data.frame(
      epsilon = object$epsilon, precision = factor(object$precision), people = people, value = object[[name]],
      measure = factor(measures[[name]], measures)
    )
  }))
  levels <- unique(data.frame(
    people = people, value = c(object$mae_without_noise, object$mae_constant),
    line = rep(c("no noise", "one constant"), each = nrow(object)), measure = factor(measures[["mae"]], measures)
  ))
  ggplot2::ggplot(lines, ggplot2::aes(.data$epsilon, .data$value, colour = .data$people)) +
    ggplot2::geom_hline(
      ggplot2::aes(yintercept = .data$value, colour = .data$people, linetype = .data$line), levels
    ) +
    (if (length(unique(object$epsilon)) > 1) {
      ggplot2::geom_line(ggplot2::aes(group = interaction(.data$people, .data$precision)))
    }) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$precision)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$measure), scales = "free_y") +
    ggplot2::scale_x_log10(breaks = unique(object$epsilon), labels = format_each(unique(object$epsilon))) +
    ggplot2::scale_colour_viridis_d(end = 0.8, guide = key(object$rows)) +
    ggplot2::scale_shape_discrete(guide = key(object$precision)) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(
      x = "epsilon", y = NULL, colour = NULL, shape = "precision", linetype = NULL, title = "What noise costs the study"
    ) +
    ggplot2::theme(legend.position = "bottom", legend.box = "vertical")
}
