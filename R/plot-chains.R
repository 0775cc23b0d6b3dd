# Plots that say whether to trust a run: traces, densities and ranks of label-invariant quantities.

# The single quantities that summary() watches, and of its sets the one with the largest R-hat: matrices, a
# row per kept draw, a column per chain.
traced <- function(fit) {
  traces <- label_free_traces(fit)
  single <- lengths(traces) == 1
  c(utils::head(lapply(traces[single], `[[`, 1), MOST_PANELS), worst_trace(traces[lengths(traces) > 1]))
}

# A list of one, named by the quantity; empty where none moves.
worst_trace <- function(sets) {
  each <- unlist(unname(sets), recursive = FALSE)
  names(each) <- unlist(lapply(names(sets), function(set) paste0(ONE_OF[[set]], names(sets[[set]]))))
  rhat <- vapply(each, function(trace) convergence(trace)[["rhat"]], 0)
  each[which.max(rhat)]
}

ONE_OF <- c(
  "dispersion" = "dispersion of a row ", "mu of cells" = "mu of cell ", "totals of rows" = "total of row ",
  "co-membership of pairs" = "together: "
)

# A row per point of a line; lines are chains, panels quantities.
lines_figure <- function(points, title, xlab, what = "chain", mark = NULL, ylab = "") {
  points$panel <- factor(points$panel, unique(points$panel))
  points$line <- factor(points$line)
  list(kind = "lines", points = points, title = title, xlab = xlab, ylab = ylab, what = what, mark = mark)
}

trace_figure <- function(fit) {
  run <- fit$run
  sweep <- run$warmup + seq_len(run$kept) * run$thin
  traces <- traced(fit)
  points <- lapply(names(traces), function(name) {
    line <- rep(seq_len(run$chains), each = run$kept)
    data.frame(panel = name, line = line, x = sweep, y = as.vector(traces[[name]]))
  })
  lines_figure(do.call(rbind, points), paste0(model_of(fit)$label, ", kept draws"),
    if (run$warmup > 0) "sweep (dashed: end of the warmup)" else "sweep",
    mark = if (run$warmup > 0) run$warmup
  )
}

bound_figure <- function(fit) {
  bounds <- lapply(fit$chains, `[[`, "elbo")
  points <- do.call(rbind, lapply(seq_along(bounds), function(start) {
    data.frame(
      panel = rep("ELBO", length(bounds[[start]])), line = rep(start, length(bounds[[start]])),
      x = seq_along(bounds[[start]]), y = bounds[[start]]
    )
  }))
  lines_figure(points, paste0(model_of(fit)$label, ", the bound of each start"), "pass", "start")
}

density_figure <- function(fit) {
  traces <- traced(fit)
  points <- do.call(rbind, lapply(names(traces), function(name) {
    chains <- lapply(seq_len(ncol(traces[[name]])), function(chain) {
      data.frame(panel = name, line = chain, smoothed(traces[[name]][, chain], ends_of(name)))
    })
    do.call(rbind, chains)
  }))
  lines_figure(points, paste(model_of(fit)$label, "posterior densities", sep = ", "), "", ylab = "density")
}

# Between which numbers a quantity lies.
ends_of <- function(name) {
  if (name == "log density") {
    c(-Inf, Inf)
  } else if (startsWith(name, ONE_OF[["co-membership of pairs"]])) {
    0:1
  } else {
    c(if (startsWith(name, "dispersion")) 1 else 0, Inf)
  }
}

# A kernel density, what lies beyond the ends folded back; of a single number, or of equal ones, a peak.
smoothed <- function(draws, ends = c(-Inf, Inf)) {
  if (length(unique(draws)) < 2) {
    width <- max(1, abs(draws[1])) * 1e-3
    return(data.frame(x = draws[1] + c(-1, 0, 1) * width, y = c(0, 1, 0) / width))
  }
  width <- stats::bw.nrd0(draws)
  range <- c(max(min(draws) - 3 * width, ends[1]), min(max(draws) + 3 * width, ends[2]))
  mirrored <- c(draws, 2 * ends[is.finite(ends)] - rep(draws, each = sum(is.finite(ends))))
  density <- stats::density(mirrored, width, n = 256, from = range[1], to = range[2])
  data.frame(x = density$x, y = density$y * length(mirrored) / length(draws))
}

# Chains are told apart by dark and light too.
line_colours <- function(n) grDevices::hcl.colors(n + 1, "viridis")[seq_len(n)]

draw_lines <- function(figure) {
  panels <- split(figure$points, figure$points$panel)
  colours <- line_colours(nlevels(figure$points$line))
  key <- data.frame(
    label = paste(figure$what, levels(figure$points$line)), col = colours, lty = 1, pch = NA_integer_
  )
  density <- nzchar(figure$ylab)
  draw_panels(length(panels),
    rows = if (density) 1 + (length(panels) > 2) else length(panels), title = figure$title,
    xlab = figure$xlab, ylab = figure$ylab, mar = c(2, if (density) 1 else 4.5, 2, 1),
    key = if (nrow(key) > 1) key, draw = function(i) {
      points <- panels[[i]]
      graphics::plot(range(points$x, figure$mark), range(points$y),
        type = "n", xlab = "", ylab = "", bty = "l", las = 1, cex.axis = LABEL_SIZE,
        yaxt = if (density) "n" else "s"
      )
      graphics::abline(v = figure$mark, lty = 2, col = "grey40")
      each <- split(points, points$line)
      for (line in seq_along(each)) {
        graphics::lines(each[[line]]$x, each[[line]]$y,
          col = colours[line], type = if (nrow(each[[line]]) == 1) "p" else "l"
        )
      }
      graphics::title(names(panels)[i], line = 0.5, cex.main = 1)
    }
  )
}

gg_lines <- function(figure) {
  points <- figure$points
  n <- nlevels(points$line)
  density <- nzchar(figure$ylab)
  single <- nrow(unique(points["x"])) == 1 # of a single draw no line can be drawn
  draw <- if (single) {
    ggplot2::geom_point(show.legend = n > 1)
  } else {
    ggplot2::geom_line(linewidth = 0.4, show.legend = n > 1)
  }
  plot <- ggplot2::ggplot(points, ggplot2::aes(.data$x, .data$y, colour = .data$line)) + draw +
    ggplot2::scale_colour_manual(figure$what, values = line_colours(n)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$panel),
      scales = if (density) "free" else "free_y", ncol = if (density) 2 else 1
    ) +
    ggplot2::labs(
      x = if (nzchar(figure$xlab)) figure$xlab, y = if (density) figure$ylab, title = figure$title
    )
  if (density) {
    none <- ggplot2::element_blank()
    plot <- plot + ggplot2::theme(axis.text.y = none, axis.ticks.y = none)
  }
  if (is.null(figure$mark)) {
    return(plot)
  }
  plot + ggplot2::geom_vline(xintercept = figure$mark, linetype = 2, colour = "grey40")
}

# --- ranks ----------------------------------------------------------------------------------------

# Vehtari and others (2021), section 4: ranks among the draws of all chains, in bins. A single chain is cut
# into halves. A row a quantity, chain and bin.
rank_figure <- function(fit, bins = 20) {
  traces <- traced(fit)
  halves <- fit$run$chains == 1
  rows <- lapply(names(traces), function(name) {
    draws <- if (halves) in_halves(traces[[name]]) else traces[[name]]
    ranks <- matrix(rank(draws), nrow(draws))
    bins <- max(1, min(bins, nrow(draws) %/% 5))
    counts <- apply(ranks, 2, function(rank) tabulate(ceiling(bins * rank / length(draws)), bins))
    counts <- matrix(counts, bins)
    data.frame(
      quantity = name, chain = rep(seq_len(ncol(draws)), each = bins),
      from = (seq_len(bins) - 1) / bins * length(draws), to = seq_len(bins) / bins * length(draws),
      count = as.vector(counts), expected = nrow(draws) / bins
    )
  })
  ranks <- do.call(rbind, rows)
  ranks$quantity <- factor(ranks$quantity, names(traces))
  names <- if (halves) c("first half", "second half") else paste("chain", seq_len(fit$run$chains))
  ranks$chain <- factor(ranks$chain, labels = names[sort(unique(ranks$chain))])
  list(kind = "ranks", ranks = ranks, title = if (halves) "Ranks, halves of the chain" else "Ranks by chain")
}

# The first and the second half of each column beside each other; a draw in the middle is left out.
in_halves <- function(draws) {
  n <- nrow(draws) %/% 2
  if (n == 0) {
    return(draws)
  }
  cbind(draws[seq_len(n), , drop = FALSE], draws[nrow(draws) - n + seq_len(n), , drop = FALSE])
}

# A row a quantity, a column a chain.
draw_ranks <- function(figure) {
  ranks <- figure$ranks
  panels <- split(ranks, ranks[c("chain", "quantity")])
  draw_panels(length(panels),
    rows = nlevels(ranks$quantity), title = figure$title, xlab = "rank",
    ylab = in_lines(levels(ranks$quantity)),
    note = "numbers of draws; dashed: if all were alike", mar = c(2, 2.2, 2, 0.7), draw = function(i) {
      panel <- panels[[i]]
      graphics::plot(range(panel$from, panel$to), c(0, max(ranks$count)),
        type = "n", xlab = "", ylab = "", bty = "l", yaxs = "i", xaxt = "n", las = 1, cex.axis = LABEL_SIZE
      )
      few_ticks(1)
      graphics::rect(panel$from, 0, panel$to, panel$count,
        col = COLOURS[["bar"]], border = "white", lwd = 0.5
      )
      graphics::abline(h = panel$expected[1], lty = 2)
      graphics::title(panel$chain[1], line = 0.5, cex.main = 0.9)
    }
  )
}

gg_ranks <- function(figure) {
  ggplot2::ggplot(figure$ranks) +
    ggplot2::geom_rect(
      ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = 0, ymax = .data$count),
      fill = COLOURS[["bar"]], colour = "white", linewidth = 0.2
    ) +
    ggplot2::geom_hline(ggplot2::aes(yintercept = .data$expected), linetype = 2) +
    ggplot2::facet_grid(ggplot2::vars(.data$quantity), ggplot2::vars(.data$chain),
      labeller = ggplot2::labeller(.rows = in_lines)
    ) +
    ggplot2::scale_x_continuous(n.breaks = 4) +
    ggplot2::labs(x = "rank", y = "draws", title = figure$title)
}
