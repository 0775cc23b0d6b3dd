# Pictures of a fit. Each is prepared once, as a list of `kind` and what that kind needs; base graphics
# (draw_figure()) and ggplot2 (gg_figure()) draw the same list.

#' Plots of a fit
#'
#' `plot()` draws with base graphics; `autoplot()`, the generic of package `ggplot2`, returns the same picture
#' as a ggplot.
#'
#' @details
#' The types of pictures:
#'
#' * `"components"`: what each component is. Of up to 12 topics the words of largest weight as bars; of more,
#'   a line each, with the words and, as a bar, the share of the counts that the topic carries (the 50
#'   largest). Of a block model `pi`, and the weights of the actors grouped by their main community. Of a
#'   tensor the weights of each mode, each column as a share of its sum, on a scale for each mode. Of a mode
#'   with more than 60 indices, the 30 with the largest shares.
#' * `"blocks"`, of a block model: the posterior means of the counts between actors, who are grouped by their
#'   main community, with lines between communities.
#' * `"network"`, of a block model: actors as nodes, each community in a circle of its own, those with the
#'   largest counts drawn largest and at its centre; and the largest posterior means between two actors as
#'   lines, the thicker the larger (with arrows where the network is directed).
#' * `"trace"`: the log density of the release, the total of `mu`, and the dispersion if it is one number, at
#'   every kept draw, a line per chain. The last panel has, of many single cells, rows and pairs of rows, the
#'   quantity on which the chains agree least (the largest R-hat), and its title says which it is: `mu of` a
#'   cell, `total of row`, `dispersion of a row`, or `together:`, how far two rows are in the same components.
#'   Switching labels changes none of these. Of a variational fit the bound, pass by pass, a line per start.
#' * `"density"`: the posterior densities of the same quantities, a line per chain.
#' * `"rank"`: the ranks of each chain's draws of the same quantities among those of all chains, as
#'   histograms; bars near the dashed line mean that chains agree. Of a single chain its two halves are
#'   compared.
#' * `"predictive"`: in how many of about 10,000 cells each count was released, and in how many of the same
#'   cells of 50 releases that the fit makes anew, negative counts included: bars from their 5 % to their 95 %
#'   quantile, with the median. The same each time: no number is drawn from R's generator.
#' @param x,object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param type What to draw; see below.
#' @param ... Must be empty.
#' @param n How many words a topic, at most; in `"network"`, how many actors' names a community, fewer where
#'   communities are many.
#' @param edges In `"network"`, how many counts are drawn as lines, at most. By default as many as there are
#'   actors, but at most 300.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors: of class `ldpcounts_error` for another `type`, or one that is not of this model or
#'   inference.
#' @references Ranks: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
#'   Rank-normalization, folding, and localization: an improved R-hat for assessing convergence of MCMC.
#'   *Bayesian Analysis* 16. Replicates: Gelman, Meng and Stern (1996), see [simulate.ldp_fit()].
#' @examples
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:80], epsilon = 2)
#' fit <- topic_model(released, k = 3, iter = 100, chains = 2)
#' plot(fit)
#' plot(fit, type = "trace")
#' plot(fit, type = "predictive")
#' busiest <- order(-rowSums(enron_network))[1:40]
#' fit <- block_model(enron_network[busiest, busiest], k = 3, iter = 100)
#' plot(fit, type = "network")
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(fit, type = "blocks")
#' }
#' @srrstats {BS6.1} plot().
#' @srrstats {BS6.3} type = "density".
#' @srrstats {UL6.0} plot().
#' @srrstats {UL6.1} it has a method for every fit.
#' @export
plot.ldp_fit <- function(x, type = c(
                           "components", "blocks", "network", "trace", "density", "rank", "predictive"
                         ), ..., n = 8, edges = NULL) {
  check_no_dots(...)
  check_fit(x)
  draw_figure(figure_of(x, type, n, edges))
  invisible(x)
}

#' @rdname plot.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.ldp_fit <- function(object, type = c(
                               "components", "blocks", "network", "trace", "density", "rank", "predictive"
                             ), ..., n = 8, edges = NULL) {
  check_no_dots(...)
  check_fit(object)
  gg_figure(figure_of(object, type, n, edges))
}

figure_of <- function(fit, type, n, edges, call = rlang::caller_env()) {
  type <- check_choice(type, "type", eval(formals(plot.ldp_fit)$type), call)
  n <- check_whole(n, "n", 1, call = call)
  if (!is.null(edges)) edges <- check_whole(edges, "edges", 0, call = call)
  check_figure(fit, type, call)
  switch(type,
    components = components_figure(fit, n),
    blocks = list(kind = "maps", maps = list(blocks_map(fit))),
    network = network_figure(fit, n, edges),
    trace = if (is_cavi(fit)) bound_figure(fit) else trace_figure(fit),
    density = density_figure(fit), rank = rank_figure(fit), predictive = predictive_figure(fit)
  )
}

check_figure <- function(fit, type, call) {
  if (type %in% c("blocks", "network") && !is_network(fit)) {
    ldp_abort("{.code type = \"{type}\"} is for a fit of {.fn block_model}.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  if (type == "rank" && is_cavi(fit)) {
    ldp_abort(c(
      "{.code type = \"rank\"} compares chains, and a variational fit has none.",
      i = "{.code type = \"trace\"} shows its bound."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

draw_figure <- function(figure) {
  switch(figure$kind,
    maps = draw_maps(figure$maps), bars = draw_bars(figure), lists = draw_lists(figure),
    network = draw_network(figure), lines = draw_lines(figure), ranks = draw_ranks(figure),
    predictive = draw_predictive(figure), note = draw_note(figure)
  )
}

gg_figure <- function(figure) {
  switch(figure$kind,
    maps = gg_maps(figure$maps, figure$title), bars = gg_bars(figure), lists = gg_lists(figure),
    network = gg_network(figure), lines = gg_lines(figure), ranks = gg_ranks(figure),
    predictive = gg_predictive(figure), note = gg_note(figure)
  )
}

# A sentence where there is nothing to draw.
draw_note <- function(figure) {
  graphics::plot.new()
  graphics::text(0.5, 0.5, paste(strwrap(figure$title, 40), collapse = "\n"))
}

gg_note <- function(figure) {
  ggplot2::ggplot() + ggplot2::annotate("text", 0, 0, label = figure$title) + ggplot2::theme_void()
}

# Told apart by all eyes, and in grey: bars, and what is marked among them.
COLOURS <- c(bar = "#4393c3", mark = "#b2182b")

# --- components -----------------------------------------------------------------------------------

MOST_PANELS <- 12
MOST_LISTS <- 50
MOST_ROWS <- 60

components_figure <- function(fit, n) {
  coef <- coef(fit)
  if (is_network(fit)) {
    maps <- communities_maps(coef, model_of(fit)$network)
    return(list(kind = "maps", maps = maps, title = model_of(fit)$label))
  }
  if (inherits(fit, "tensor_model")) {
    maps <- modes_maps(coef[model_of(fit)$factors], names(dimnames(fit$data)))
    return(list(kind = "maps", maps = maps, title = "Weights, as shares of their components"))
  }
  topics_figure(coef$phi, model_of(fit)$size(coef), n)
}

# A row a word, topics in their order, the words of each from the largest weight on.
topics_figure <- function(phi, size, n) {
  few <- nrow(phi) <= MOST_PANELS
  shown <- seq_len(min(nrow(phi), if (few) MOST_PANELS else MOST_LISTS))
  n <- min(n, ncol(phi))
  words <- top_words(phi[shown, , drop = FALSE], n)
  weights <- apply(phi[shown, , drop = FALSE], 1, sort, decreasing = TRUE)
  terms <- data.frame(
    topic = factor(rep(rownames(phi)[shown], each = n), rownames(phi)[shown]),
    rank = rep(seq_len(n), length(shown)), term = as.vector(words),
    weight = as.vector(matrix(weights, ncol = length(shown))[seq_len(n), ]),
    share = rep(size[shown] / sum(size), each = n)
  )
  list(
    kind = if (few) "bars" else "lists", terms = terms,
    title = if (length(shown) < nrow(phi)) {
      paste0("The ", length(shown), " largest of ", nrow(phi), " topics")
    } else {
      "Topics and their words"
    }
  )
}

# A row a topic.
topic_lists <- function(terms) {
  first <- terms[terms$rank == 1, ]
  first$words <- vapply(split(terms$term, terms$topic), paste, "", collapse = ", ")
  first
}

communities_maps <- function(coef, network) {
  k <- nrow(coef$pi)
  names <- if (k <= MOST_PANELS) rownames(coef$pi)
  list(
    new_map(coef$pi, if (network == "directed") "pi: from row to column" else "pi: between communities",
      rows = new_axis(k, names, title = community_title(names)),
      columns = new_axis(k, names, title = community_title(names)), what = "weight"
    ),
    weights_map(coef$theta, "theta: weights of actors", by_component(coef$theta), "actors")
  )
}

community_title <- function(names) if (is.null(names)) "community" else ""

# Rows in this order; components in columns.
weights_map <- function(weights, title, order, what, component = "community") {
  k <- ncol(weights)
  n <- nrow(weights)
  names <- if (k <= MOST_PANELS) colnames(weights)
  labels <- rownames(weights)[order]
  new_map(weights[order, , drop = FALSE], title,
    rows = if (n <= MOST_ROWS) {
      new_axis(n, if (is.null(labels)) as.character(order) else labels, title = "")
    } else {
      of <- if (is.unsorted(order)) paste(", by main", component) else ""
      new_axis(n, at = if (is.unsorted(order)) numeric(), title = paste0(format_number(n), " ", what, of))
    },
    columns = new_axis(k, names, title = if (is.null(names)) component else ""), what = "weight"
  )
}

# Rows with the same main component together, the largest weights first.
by_component <- function(weights) {
  component <- main_component(weights)
  order(component, -weights[cbind(seq_along(component), component)])
}

main_component <- function(weights) max.col(weights, ties.method = "first")

# Shares of the columns; each mode has its own scale, since shares are smaller where indices are many. Of a
# long mode only the largest weights. `titles`: what the modes are called, or NULL.
modes_maps <- function(factors, titles = NULL) {
  told <- if (is.null(titles)) "" else ifelse(nzchar(titles), paste0(" (", titles, ")"), "")
  unname(Map(function(weights, title) {
    shares <- sweep(weights, 2, colSums(weights), `/`)
    n <- nrow(shares)
    if (is.null(rownames(shares))) rownames(shares) <- seq_len(n)
    if (n > MOST_ROWS) {
      shares <- shares[sort(largest_first(apply(shares, 1, max), MOST_NAMES)), , drop = FALSE]
      title <- paste0(title, ": the ", MOST_NAMES, " largest of ", format_number(n))
    }
    weights_map(shares, title, seq_len(nrow(shares)), "indices", "component")
  }, factors, paste0(names(factors), told)))
}

blocks_map <- function(fit) {
  theta <- coef(fit)$theta
  order <- by_component(theta)
  n <- nrow(theta)
  sizes <- tabulate(main_component(theta), ncol(theta))
  shown <- which(sizes > 0)
  ends <- cumsum(sizes[shown])
  middle <- ends - (sizes[shown] - 1) / 2
  told <- far_apart(middle, 0.03 * n)
  axis <- new_axis(n, as.character(shown[told]), middle[told], "main community")
  axis$named <- FALSE
  new_map(fitted(fit)[order, order, drop = FALSE], "Posterior means, actors grouped by main community",
    rows = axis, columns = axis, borders = ends[-length(ends)]
  )
}

# Which of some rising places to keep so that there is so much room between them.
far_apart <- function(places, room) {
  kept <- 1
  for (i in seq_along(places)) {
    if (places[i] - places[kept[length(kept)]] >= room) kept <- c(kept, i)
  }
  kept
}

# --- topics in base graphics and ggplot2 ----------------------------------------------------------

# A grid of so many panels; draw(i) draws one. `ylab`: one for all, or one a row. `key`: a data frame with
# columns `label`, `col`, `lty` and `pch`, drawn in a row above the panels, whose height stays when a window
# is resized. `joined`: those of a column have one title, above the first, and one axis, below the last, which
# stand in rows of their own; draw(i) writes them there.
draw_panels <- function(n, draw, mar, rows = NULL, title = "", note = "", xlab = "", ylab = "",
                        key = NULL, joined = FALSE) {
  columns <- if (is.null(rows)) ceiling(sqrt(n)) else ceiling(n / rows)
  rows <- ceiling(n / columns)
  by_row <- length(ylab) > 1
  above <- if (nzchar(note)) 1.3 else 0 # lines between the title and the panels
  below <- if (nzchar(xlab)) 1.6 else 0
  left <- if (any(nzchar(ylab))) 0.6 + max(lengths(strsplit(ylab, "\n"))) else 0
  key_columns <- if (!is.null(key)) key_columns(key$label)
  key_rows <- if (is.null(key)) 0 else ceiling(nrow(key) / key_columns)
  old <- graphics::par("mfrow")
  on.exit(graphics::par(mfrow = old))
  panels <- matrix(c(seq_len(n), numeric(rows * columns - n)), rows, byrow = TRUE)
  beside <- if (joined) numeric(columns)
  graphics::layout(rbind(if (key_rows > 0) n + 1, beside, panels, beside),
    heights = c(
      if (key_rows > 0) graphics::lcm(KEY_CM * key_rows), if (joined) graphics::lcm(JOINED_CM), rep(1, rows),
      if (joined) graphics::lcm(JOINED_CM)
    )
  )
  with_par(
    list(
      mar = mar, oma = c(below, left, 2.2 + above, 0), mgp = c(1.6, 0.4, 0), tcl = -0.25,
      cex = PANEL_SIZE # however many they are
    ),
    {
      for (i in seq_len(n)) {
        draw(i)
        if (by_row && i %% columns == 1 %% columns) {
          graphics::title(ylab = ylab[ceiling(i / columns)], line = mar[2] + 0.3, xpd = NA)
        }
      }
      graphics::mtext(title, outer = TRUE, line = 0.7 + above, font = 2)
      graphics::mtext(note, outer = TRUE, line = 0.5, cex = PANEL_SIZE)
      graphics::mtext(xlab, 1, outer = TRUE, line = 0.3, cex = PANEL_SIZE)
      if (!by_row) graphics::mtext(ylab, 2, outer = TRUE, line = 0.3, cex = PANEL_SIZE)
      if (key_rows > 0) draw_key(key, key_columns)
    }
  )
}

PANEL_SIZE <- 0.9
KEY_COLUMNS <- 6
KEY_CM <- 0.6
JOINED_CM <- 0.5

draw_key <- function(key, columns) {
  with_par(list(mar = numeric(4)), {
    graphics::plot.new()
    graphics::legend("center", paste0(key$label, "  "), # room between entries
      col = key$col, lty = key$lty, pch = key$pch, lwd = 2, ncol = columns, bty = "n", cex = 0.9, xpd = NA
    )
  })
}

# As many as have room in the figure, the same in all rows. Nothing can be measured before there is a plot, so
# a letter is taken for 0.45 of the default font's width, and a line with its mark for 0.45 inches.
key_columns <- function(labels) {
  widest <- 0.45 + 0.45 * graphics::par("cin")[1] * (max(nchar(labels)) + 2)
  columns <- max(1, min(length(labels), KEY_COLUMNS, floor(graphics::par("din")[1] / widest)))
  ceiling(length(labels) / ceiling(length(labels) / columns))
}

draw_bars <- function(figure) {
  panels <- split(figure$terms, figure$terms$topic)
  draw_panels(length(panels),
    title = figure$title, xlab = "weight", mar = c(2, 6, 2, 1), draw = function(i) draw_topic(panels[[i]])
  )
}

draw_topic <- function(terms) {
  graphics::plot.new() # words can be measured from here on
  size <- 0.9
  longest <- max(graphics::strwidth(terms$term, "inches", cex = size)) + 0.6 * line_height()
  margin <- min(longest + 0.1, 0.45 * graphics::par("fin")[1])
  with_par(list(mai = replace(graphics::par("mai"), 2, margin), new = TRUE), {
    graphics::barplot(rev(terms$weight),
      names.arg = rev(fit_text(terms$term, margin - 0.6 * line_height(), size)), horiz = TRUE, las = 1,
      border = NA, col = COLOURS[["bar"]], cex.names = size, xaxt = "n",
      xlim = c(0, 1.04 * max(terms$weight, .Machine$double.xmin))
    )
    few_ticks(1)
    graphics::title(topic_title(terms), line = 0.4, cex.main = 1)
  })
}

topic_title <- function(terms) paste0(terms$topic[1], " (", format_share(terms$share[1]), ")")

format_share <- function(share) ifelse(share < 0.01, "< 1 %", paste0(round(100 * share), " %"))

# An axis with two to four numbers.
few_ticks <- function(side) {
  range <- graphics::par("usr")[if (side == 1) 1:2 else 3:4]
  graphics::axis(side, pretty(range, 3), cex.axis = LABEL_SIZE)
}

gg_bars <- function(figure) {
  terms <- figure$terms
  titles <- vapply(split(terms, terms$topic), topic_title, "")
  key <- paste0(terms$topic, ":", terms$rank)
  terms$key <- factor(key, rev(key))
  terms$topic <- factor(terms$topic, labels = titles)
  ggplot2::ggplot(terms, ggplot2::aes(.data$weight, .data$key)) +
    ggplot2::geom_col(fill = COLOURS[["bar"]], width = 0.8) +
    ggplot2::facet_wrap(ggplot2::vars(.data$topic), scales = "free") +
    ggplot2::scale_y_discrete(NULL, labels = stats::setNames(shorten(terms$term, 16), key)) +
    ggplot2::scale_x_continuous(n.breaks = 3) +
    ggplot2::labs(x = "weight", title = figure$title)
}

# A line a topic: its name, its share of the counts as a bar, its words.
draw_lists <- function(figure) {
  topics <- topic_lists(figure$terms)
  n <- nrow(topics)
  old <- graphics::par(mar = c(3, 0.5, 2.5, 0.5), mgp = c(1.6, 0.4, 0), tcl = -0.25)
  on.exit(graphics::par(old))
  graphics::plot.new()
  width <- graphics::par("pin")[1]
  graphics::plot.window(c(0, width), c(n + 0.5, 0.5), xaxs = "i", yaxs = "i")
  size <- axis_size(graphics::par("pin")[2] / n)
  left <- max(graphics::strwidth(topics$topic, "inches", cex = size)) + 0.1
  right <- left + 0.2 * width
  scale <- (right - left) / max(topics$share)
  graphics::text(left - 0.05, seq_len(n), topics$topic, adj = c(1, 0.5), cex = size)
  graphics::rect(left, seq_len(n) - 0.35, left + scale * topics$share, seq_len(n) + 0.35,
    col = COLOURS[["bar"]], border = NA
  )
  words <- fit_text(topics$words, width - right - 0.1, size)
  graphics::text(right + 0.08, seq_len(n), words, adj = c(0, 0.5), cex = size)
  marks <- pretty(c(0, topics$share), 3)
  marks <- marks[marks <= max(topics$share)]
  graphics::axis(1, left + scale * marks, paste(100 * marks, "%"), cex.axis = LABEL_SIZE)
  graphics::mtext("share of the counts", 1, line = 1.6, at = left, adj = 0, cex = 0.8)
  graphics::title(figure$title, line = 0.6, cex.main = 1)
}

gg_lists <- function(figure) {
  topics <- topic_lists(figure$terms)
  topics$topic <- factor(topics$topic, rev(levels(topics$topic)))
  most <- max(topics$share)
  marks <- pretty(c(0, most), 3)
  marks <- marks[marks <= most]
  size <- text_points(nrow(topics), 5)
  ggplot2::ggplot(topics, ggplot2::aes(.data$share, .data$topic)) +
    ggplot2::geom_col(fill = COLOURS[["bar"]], width = 0.7) +
    ggplot2::geom_text(ggplot2::aes(1.03 * most, label = shorten(.data$words, 85)),
      hjust = 0, size = 0.93 * size / ggplot2::.pt
    ) +
    ggplot2::scale_x_continuous("share of the counts",
      breaks = marks, labels = paste(100 * marks, "%"), limits = c(0, 5 * most), expand = c(0.01, 0)
    ) +
    ggplot2::labs(y = NULL, title = figure$title) +
    ggplot2::theme(
      panel.grid = ggplot2::element_blank(), axis.title.x = ggplot2::element_text(hjust = 0),
      axis.ticks.y = ggplot2::element_blank(), axis.text.y = ggplot2::element_text(size = size)
    )
}
