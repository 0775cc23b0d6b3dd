# A plot of replicated data beside the release.

# A row a bin of counts: in how many cells the release has such counts, and the 5 %, 50 % and 95 % quantiles
# of that among replicates.
predictive_figure <- function(fit, call = rlang::caller_env()) {
  edges <- count_edges()
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    tabulate(findInterval(replicate_cells(fit, s, input, cells), edges), length(edges))
  })
  if (is.null(made)) {
    ldp_abort("All cells are masked: there is no release to compare with.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  counts <- do.call(cbind, made$values)
  observed <- tabulate(findInterval(made$y_tilde, edges), length(edges))
  quantiles <- apply(counts, 1, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE)
  seen <- range(which(observed > 0 | rowSums(counts) > 0))
  shown <- seq(seen[1], seen[2])
  list(
    kind = "predictive", title = "Releases that the fit makes anew",
    note = paste(
      format_number(length(made$y_tilde)), "cells; bars: 90 % of", N_REPLICATES, "replicates; dots: the data"
    ),
    bins = data.frame(
      count = factor(bin_labels(edges)[shown], bin_labels(edges)[shown]), observed = observed[shown],
      lower = quantiles[1, shown], median = quantiles[2, shown], upper = quantiles[3, shown]
    ),
    xlab = if (fit$private && fit$noise == "model") "released count" else "count"
  )
}

# Where bins of counts begin: each count has its own up to 10, then up to 20, 50, 100 and so on; likewise
# below zero.
count_edges <- function() {
  ends <- as.vector(outer(c(1, 2, 5), 10^(1:15)))
  c(-Inf, -rev(ends[-1]), -10:10, ends + 1)
}

bin_labels <- function(edges) {
  low <- edges
  high <- c(edges[-1] - 1, Inf)
  number <- function(x) vapply(x, format_number, "")
  ifelse(low == high, number(low), paste(number(low), number(high), sep = " to "))
}

# Numbers of cells from 0 on, few and many in one picture.
cell_ticks <- function(most) c(0, 10^seq(0, floor(log10(max(1, most)))))

draw_predictive <- function(figure) {
  bins <- figure$bins
  at <- seq_len(nrow(bins))
  most <- max(bins$observed, bins$upper)
  old <- graphics::par(mar = c(6.5, 4.5, 3, 1))
  on.exit(graphics::par(old))
  graphics::plot(range(at) + c(-0.6, 0.6), log1p(c(0, most)),
    type = "n", xlab = "", ylab = "", xaxt = "n", yaxt = "n", bty = "l"
  )
  ticks <- cell_ticks(most)
  graphics::axis(2, log1p(ticks), format_marks(ticks), las = 1, cex.axis = LABEL_SIZE)
  size <- axis_size(graphics::par("pin")[1] / length(at))
  graphics::axis(1, at, bins$count, las = 2, cex.axis = size, gap.axis = -1, tick = FALSE, line = -0.5)
  graphics::rect(at - 0.4, log1p(bins$lower), at + 0.4, log1p(bins$upper),
    col = "grey80", border = "grey55"
  )
  graphics::segments(at - 0.4, log1p(bins$median), at + 0.4, col = "grey40")
  outside <- is_outside(bins)
  graphics::points(at, log1p(bins$observed),
    pch = ifelse(outside, 17, 19), cex = 0.9, col = ifelse(outside, COLOURS[["mark"]], "black")
  )
  draw_title(figure$title, figure$note)
  graphics::title(xlab = figure$xlab, line = 5)
  graphics::title(ylab = "cells", line = 3.2)
  if (any(outside)) {
    graphics::legend("topright", "outside the bar", pch = 17, col = COLOURS[["mark"]], bty = "n", cex = 0.8)
  }
}

is_outside <- function(bins) bins$observed < bins$lower | bins$observed > bins$upper

gg_predictive <- function(figure) {
  bins <- figure$bins
  bins$place <- factor(is_outside(bins), c(FALSE, TRUE), c("within", "outside the bar"))
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
    ggplot2::scale_x_discrete(drop = FALSE) +
    ggplot2::scale_y_continuous("cells", breaks = log1p(ticks), labels = format_marks(ticks)) +
    ggplot2::labs(x = figure$xlab, title = figure$title, subtitle = figure$note) +
    ggplot2::theme(
      axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5), legend.position = "bottom"
    )
}
