# A plot that compares replicated data with the release.

predictive_figure <- function(fit, call = rlang::caller_env()) {
  made <- predictive_bins(fit, call)
  bins <- made$bins
  outside <- bins$observed < bins$lower | bins$observed > bins$upper
  bins$place <- factor(ifelse(outside, "outside the bar", "within"), c("within", "outside the bar"))
  bins$at <- seq_len(nrow(bins))
  ticks <- cell_ticks(max(bins$observed, bins$upper))
  ggplot2::ggplot(bins, ggplot2::aes(.data$count)) +
    ggplot2::geom_rect(
      ggplot2::aes(
        xmin = .data$at - 0.4, xmax = .data$at + 0.4, ymin = log1p(.data$lower), ymax = log1p(.data$upper)
      ),
      fill = "grey80", colour = "grey55", linewidth = 0.3
    ) +
    ggplot2::geom_segment(
      ggplot2::aes(.data$at - 0.4, log1p(.data$median), xend = .data$at + 0.4, yend = log1p(.data$median)),
      colour = "grey40"
    ) +
    ggplot2::geom_point(
      ggplot2::aes(y = log1p(.data$observed), shape = .data$place, colour = .data$place), size = 2
    ) +
    ggplot2::scale_shape_manual(NULL, values = c(19, 17), drop = FALSE) +
    ggplot2::scale_colour_manual(NULL, values = c("black", COLOURS[["mark"]]), drop = FALSE) +
    ggplot2::scale_x_discrete() +
    ggplot2::scale_y_continuous("cells", breaks = log1p(ticks), labels = format_marks(ticks)) +
    ggplot2::labs(
      x = if (fit$private && fit$noise == "model") "released count" else "count",
      title = "Release and replicated data",
      subtitle = paste(
        format_number(made$n), "cells; bars: 90 % of", N_REPLICATES, "replicates; dots: the data"
      )
    ) +
    no_overlap(90) +
    ggplot2::theme(legend.position = "bottom")
}

# `bins`: one row per bin of counts, with the number of cells of the release that have such counts, and the
# 5 %, 50 % and 95 % quantiles of that number among replicates. `n`: how many cells are compared.
predictive_bins <- function(fit, call = rlang::caller_env()) {
  edges <- count_edges()
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    tabulate(findInterval(replicate_cells(fit, s, input, cells), edges), length(edges))
  })
  check_that(!is.null(made), "All cells are masked, so there is nothing to compare with.", call)
  counts <- do.call(cbind, made$values)
  observed <- tabulate(findInterval(made$y_tilde, edges), length(edges))
  quantiles <- apply(counts, 1, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE)
  seen <- range(which(observed > 0 | rowSums(counts) > 0))
  shown <- seq(seen[1], seen[2])
  bins <- data.frame(
    count = factor(bin_labels(edges)[shown], bin_labels(edges)[shown]), observed = observed[shown],
    lower = quantiles[1, shown], median = quantiles[2, shown], upper = quantiles[3, shown]
  )
  list(bins = bins, n = length(made$y_tilde))
}

# The limits of bins of counts: each count up to 10 has its own bin; the next bins end at 20, 50, 100 and so
# on. Bins below zero are the same.
count_edges <- function() {
  ends <- as.vector(outer(c(1, 2, 5), 10^(1:15)))
  c(-Inf, -rev(ends[-1]), -10:10, ends + 1)
}

bin_labels <- function(edges) {
  high <- c(edges[-1] - 1, Inf)
  number <- function(x) vapply(x, format_number, "")
  ifelse(edges == high, number(edges), paste(number(edges), number(high), sep = " to "))
}

# Ticks for numbers of cells, from 0 on a logarithmic scale.
cell_ticks <- function(most) c(0, 10^seq(0, floor(log10(max(1, most)))))
