# Plots of comparisons.

#' @rdname compare_methods
#' @export
plot.method_comparison <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname compare_methods
#' @exportS3Method ggplot2::autoplot
autoplot.method_comparison <- function(object, ..., by = NULL) {
  check_no_dots(...)
  means <- drawn_means(object, by)
  styles <- method_styles(means$method)
  means$method <- factor(means$method, styles$label)
  note <- means_note(means)
  far <- paste(attr(means, "far"), collapse = ", ")
  note_far <- if (nzchar(far)) paste0(" (not shown, because much worse or better: ", far, ")")
  axis <- paste0("epsilon", note_far)
  means$metric <- factor(means$metric, labels = METRICS[levels(means$metric)])
  by_method <- function(name) stats::setNames(styles[[name]], styles$label)
  constant <- is.na(means$epsilon)
  levels <- sort(unique(means$epsilon))
  # a score at a single epsilon has no line
  joined <- !constant & stats::ave(means$mean, means$method, means$metric, means$by, FUN = length) > 1
  aside <- ggplot2::position_dodge(0.02)
  ggplot2::ggplot(means, ggplot2::aes(
    .data$epsilon, .data$mean, colour = .data$method, shape = .data$method, linetype = .data$method
  )) +
    ggplot2::geom_hline(
      ggplot2::aes(yintercept = .data$mean, colour = .data$method, linetype = .data$method), means[constant, ]
    ) +
    (if (any(joined)) ggplot2::geom_line(data = means[joined, ], position = aside)) +
    ggplot2::geom_linerange(
      ggplot2::aes(ymin = .data$low, ymax = .data$high), means[!constant, ],
      position = aside, show.legend = FALSE
    ) +
    ggplot2::geom_point(data = means[!constant, ], position = aside, size = 2) +
    ggplot2::scale_colour_manual(NULL,
      values = by_method("col"), breaks = styles$label,
      guide = ggplot2::guide_legend(override.aes = list(shape = styles$pch, linetype = styles$lty))
    ) +
    ggplot2::scale_shape_manual(values = by_method("pch"), guide = "none") +
    ggplot2::scale_linetype_manual(values = by_method("lty"), guide = "none") +
    ggplot2::scale_x_log10(axis,
      breaks = levels, labels = format_each(levels), limits = range(levels) * c(0.9, 1.1)
    ) +
    ggplot2::labs(y = NULL, title = means_title(means), subtitle = note) +
    no_overlap() +
    ggplot2::theme(legend.position = "bottom") + if (is.null(by)) {
      ggplot2::facet_wrap(ggplot2::vars(.data$metric), scales = "free_y")
    } else {
      panels_by(ggplot2::vars(.data$metric), ggplot2::vars(.data$by), "free_y", nlevels(means$by))
    }
}

# The means over repetitions to draw, with bars of one standard error if there are several repetitions; `by`:
# the column whose values have one column of panels each.
drawn_means <- function(x, by, call = rlang::caller_env()) {
  drawable <- is.finite(x$value) & !is.na(x$epsilon) & x$metric != "rhat"
  check_that(any(drawable), "There is nothing to plot, because no score at any epsilon is finite.", call)
  means <- summary(x, by = by)
  means$by <- if (is.null(by)) factor("all") else factor(means[[by]])
  se <- ifelse(is.na(means$se), 0, means$se)
  means$low <- means$mean - se
  means$high <- means$mean + se
  drawn <- means[means$metric != "rhat" & is.finite(means$mean), ]
  far <- is_far_off(drawn)
  shown <- drawn[!far, ]
  shown$metric <- factor(shown$metric, intersect(names(METRICS), shown$metric))
  structure(shown, far = unique(as.character(drawn$method[far])))
}

# Is the score of a method without structure ("mean", "zero" or "no topics") so far from all others, by more
# than twice their range, that with its line nothing else in the picture could be distinguished?
is_far_off <- function(means) {
  known <- !means$method %in% c("mean", "zero", "no topics")
  vapply(seq_len(nrow(means)), function(i) {
    others <- means[known & means$metric == means$metric[i], ]
    ends <- if (nrow(others) > 0) range(others$low, others$high) else c(-Inf, Inf)
    !known[i] && max(ends[1] - means$mean[i], means$mean[i] - ends[2]) > 2 * diff(ends)
  }, TRUE)
}

means_title <- function(means) {
  repetitions <- max(means$repetitions)
  bars <- if (repetitions > 1) ": means, and bars of one standard error"
  paste0("Scores of ", count_of(repetitions, "repetition"), bars)
}

means_note <- function(means) which_is_better(levels(means$metric), METRICS[levels(means$metric)])

# Colours that can be distinguished in grey prints and by colour-blind readers.
method_styles <- function(methods) {
  styles <- data.frame(
    label = c(METHODS, PRIVACY_METHODS),
    col = c(
      "#b2182b", "#2166ac", "black", "grey50", "grey50", rep(c("#b2182b", "#2166ac", "black"), 2), "grey50"
    ),
    lty = c(1, 1, 1, 2, 3, 1, 1, 1, 2, 2, 2, 3), pch = c(19, 17, NA, NA, NA, 19, 17, 15, NA, NA, NA, NA)
  )
  styles[styles$label %in% methods, ]
}
