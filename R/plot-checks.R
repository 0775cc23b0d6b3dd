# Plots that help to judge a fit: traces and ranks of label-invariant quantities, and replicated
# data.

# The traces to plot: the single quantities of summary(), and from its sets the quantity with the largest
# R-hat. Traces are matrices with one row per kept draw and one column per chain.
traces_to_plot <- function(fit) {
  traces <- label_free_traces(fit)
  single <- lengths(traces) == 1
  c(utils::head(lapply(traces[single], `[[`, 1), MOST_PANELS), worst_trace(traces[lengths(traces) > 1]))
}

# The trace with the largest R-hat, in a list named by the quantity; an empty list if all traces are constant.
worst_trace <- function(sets) {
  if (length(sets) == 0) {
    return(list())
  }
  each <- unlist(unname(sets), recursive = FALSE)
  labels <- lapply(sets, function(set) if (is.null(names(set))) seq_along(set) else names(set))
  names(each) <- paste0(rep(ONE_OF[names(sets)], lengths(sets)), unlist(labels))
  rhat <- vapply(each, function(trace) convergence(trace)[["rhat"]], 0)
  each[which.max(rhat)]
}

ONE_OF <- c(
  "dispersion" = "dispersion of ", "mu of cells" = "mu of cell ", "totals of rows" = "total of row ",
  "co-membership of pairs" = "co-membership of "
)

trace_figure <- function(fit) {
  run <- fit$run
  traces <- traces_to_plot(fit)
  points <- data.frame(
    panel = rep(names(traces), lengths(traces)), line = rep(seq_len(run$chains), each = run$kept),
    x = run$warmup + seq_len(run$kept) * run$thin, y = unlist(traces, use.names = FALSE)
  )
  sweeps <- paste0("sweep", if (run$warmup > 0) " (dashed: end of the warmup)")
  lines_figure(points, paste0(model_of(fit)$label, ", kept draws"), sweeps) +
    (if (run$warmup > 0) ggplot2::geom_vline(xintercept = run$warmup, linetype = 2, colour = "grey40")) +
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_y", ncol = 1)
}

bound_figure <- function(fit) {
  bounds <- lapply(fit$chains, `[[`, "elbo")
  points <- data.frame(
    line = rep(seq_along(bounds), lengths(bounds)), x = sequence(lengths(bounds)), y = unlist(bounds)
  )
  title <- paste0(model_of(fit)$label, ", the bound of each start")
  lines_figure(points, title, "iteration", "evidence lower bound (ELBO)", "start")
}

# Panels of lines, from a data frame with one row per point: `line` is a chain or a start, `panel` a quantity.
# Lines differ in brightness as well as in colour.
lines_figure <- function(points, title, x, y = NULL, what = "chain") {
  points$line <- factor(points$line)
  if (!is.null(points$panel)) points$panel <- factor(points$panel, unique(points$panel))
  single <- length(unique(points$x)) == 1 # a single draw is drawn as a point
  n <- nlevels(points$line)
  ggplot2::ggplot(points, ggplot2::aes(.data$x, .data$y, colour = .data$line)) +
    (if (single) ggplot2::geom_point() else ggplot2::geom_line(linewidth = 0.4)) +
    ggplot2::scale_colour_manual(what,
      values = grDevices::hcl.colors(n + 1, "viridis")[seq_len(n)], guide = if (n == 1) "none" else "legend"
    ) +
    ggplot2::labs(x = x, y = y, title = title) +
    no_overlap()
}

# --- ranks ----------------------------------------------------------------------------------------

# Rank plots: Vehtari and others (2021), section 4.
rank_figure <- function(fit) {
  ranks <- rank_counts(fit)
  ggplot2::ggplot(ranks) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$count),
      fill = COLOURS[["bar"]], colour = "white", linewidth = 0.2
    ) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$expected), linetype = 2) +
    panels_by(ggplot2::vars(.data$quantity), ggplot2::vars(.data$chain), n_columns = nlevels(ranks$chain)) +
    ggplot2::scale_x_continuous(n.breaks = 2) +
    ggplot2::labs(
      x = "rank", y = "draws", title = "Ranks by chain",
      subtitle = "numbers of draws; dashed: expected if all are alike"
    ) +
    no_overlap()
}

# Numbers of draws in bins of their ranks among the draws of all chains: one row per quantity, chain and bin.
rank_counts <- function(fit) {
  traces <- traces_to_plot(fit)
  chains <- paste("chain", seq_len(fit$run$chains))
  ranks <- do.call(rbind, lapply(names(traces), function(name) {
    draws <- traces[[name]]
    ranks <- matrix(rank(draws), nrow(draws))
    bins <- max(1, min(20, nrow(draws) %/% 5))
    counts <- apply(ranks, 2, function(rank) tabulate(ceiling(bins * rank / length(draws)), bins))
    data.frame(
      quantity = name, chain = rep(chains[seq_len(ncol(draws))], each = bins),
      from = (seq_len(bins) - 1) / bins * length(draws), to = seq_len(bins) / bins * length(draws),
      count = as.vector(counts), expected = nrow(draws) / bins
    )
  }))
  ranks$quantity <- factor(ranks$quantity, names(traces))
  ranks$chain <- factor(ranks$chain, chains)
  ranks
}

# --- replicated data ------------------------------------------------------------------------------

predictive_figure <- function(fit, call = rlang::caller_env()) {
  made <- predictive_bins(fit, call)
  bins <- made$bins
  outside <- bins$observed < bins$lower | bins$observed > bins$upper
  bins$place <- factor(outside, c(FALSE, TRUE), c("within", "outside the bar"))
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
      title = "Release and replicated data", subtitle = paste(
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
  cells_in_bins <- function(counts) tabulate(findInterval(counts, edges), length(edges))
  made <- over_replicates(fit, function(s, input, cells, y_tilde) {
    cells_in_bins(replicate_cells(fit, s, input, cells))
  })
  check_that(!is.null(made), "All cells are masked, so there is nothing to compare with.", call)
  counts <- do.call(cbind, made$values)
  quantiles <- apply(counts, 1, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE)
  labels <- bin_labels(edges)
  bins <- data.frame(
    count = factor(labels, labels), observed = cells_in_bins(made$y_tilde),
    lower = quantiles[1, ], median = quantiles[2, ], upper = quantiles[3, ]
  )
  seen <- range(which(bins$observed > 0 | rowSums(counts) > 0))
  list(bins = droplevels(bins[seen[1]:seen[2], ]), n = length(made$y_tilde))
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
