# Plots of a fit: components as bars, lists and heat maps, and communities as a network.

#' Plots of a fit
#'
#' `autoplot()`, the generic of package `ggplot2`, returns a picture of a fit as a ggplot. `plot()` draws the
#' same picture.
#'
#' @details
#' The types of pictures:
#'
#' * `"components"`: what each component is. For topics, the words of largest weight as bars, of the 12 largest
#'   topics. For a block model, `pi` and the weights of the actors, each relative to its largest value; actors
#'   are grouped by their main community. For a tensor, the weights of each mode as shares of their component,
#'   relative to the largest share of the mode. If a mode has more than 60 indices, the plot shows the 30 with
#'   the largest shares.
#' * `"network"`, for a block model: actors as nodes in a circle, grouped by their main community, with the
#'   actors that have the largest counts drawn largest and first. Lines show the largest posterior means
#'   between two actors, of all and of each community: the larger the mean, the thicker the line (with arrows
#'   if the network is directed).
#' * `"trace"`: the log density of the release, the total of `mu`, and the dispersion if it is one number,
#'   at every kept draw, with one line per chain. The last panel has the quantity on which the chains agree
#'   least (the one with the largest R-hat) among many single cells, rows and pairs of rows. Its title says
#'   which it is; `co-membership of` two rows is the extent to which they are in the same components. All of
#'   these are label-invariant. For a variational fit, the lower bound at each iteration, with one line per
#'   start.
#' * `"rank"`: histograms of the ranks of draws, for the same quantities. The draws of all chains are ranked
#'   together, and each chain has its own histogram. Bars near the dashed line mean that chains agree.
#' * `"predictive"`: how often each count (negative ones included) occurs in about 10,000 cells of the
#'   release, and how often in the same cells of 50 replicated data sets. Bars reach from the 5 % to the 95 %
#'   quantile of the replicated data, with a line at the median. The picture is the same each time: it does
#'   not use R's random number generator.
#' @param x,object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param type What to draw; see below.
#' @param ... `plot()` passes the other arguments to `autoplot()`, where `...` must be empty.
#' @param n The largest number of words per topic. In `"network"`, the largest number of names per community.
#'   These are the actors with the largest weights, as in `summary()`; fewer are shown if there are many
#'   communities.
#' @param edges In `"network"`, the largest number of lines that are drawn. By default the number of actors,
#'   but at most 300.
#' @return A ggplot, which `plot()` draws and returns invisibly. To add layers, scales or a theme before it is
#'   drawn, use `autoplot()`: `autoplot(fit) + theme_bw()` draws once, `plot(fit) + theme_bw()` twice.
#' @section Errors: These functions stop with an error of class `ldpcounts_error` if `type` is unknown, or not
#' available for this model or inference.
#' @references Ranks: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
#'   Rank-normalization, folding, and localization: an improved R-hat for assessing convergence of MCMC.
#'   *Bayesian Analysis* 16. Replicates: Gelman, Meng and Stern (1996), see [simulate.ldp_fit()].
#' @examples
#' set.seed(1)
#' busiest <- order(-rowSums(enron_network))[1:40]
#' fit <- block_model(privatize(enron_network[busiest, busiest], epsilon = 2), k = 3, iter = 100)
#' plot(fit)
#' plot(fit, type = "network")
#' plot(fit, type = "predictive")
#' @export
plot.ldp_fit <- plot_figure

#' @rdname plot.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.ldp_fit <- function(object, type = c("components", "network", "trace", "rank", "predictive"), ...,
                             n = 8, edges = NULL) {
  check_method(object, ...)
  known <- eval(formals(autoplot.ldp_fit)$type)
  types <- if (is_own(object)) setdiff(known, c("components", "network")) else known
  type <- check_choice(if (identical(type, known)) types else type, "type", types)
  n <- check_whole(n, "n", 1)
  if (!is.null(edges)) edges <- check_whole(edges, "edges", 0)
  check_that(type != "network" || is_network(object),
    "{.code type = \"network\"} is for a fit of {.fn block_model}."
  )
  check_that(type != "rank" || !is_cavi(object), c(
    "{.code type = \"rank\"} compares chains, but a variational fit has no chains.",
    i = "Use {.code type = \"trace\"} to plot its bound."
  ))
  switch(type,
    components = components_figure(object, n),
    network = network_figure(object, n, edges),
    trace = if (is_cavi(object)) bound_figure(object) else trace_figure(object),
    rank = rank_figure(object), predictive = predictive_figure(object)
  )
}

# --- components -----------------------------------------------------------------------------------

MOST_ROWS <- 60

components_figure <- function(fit, n) {
  coef <- coef(fit)
  model <- model_of(fit)
  switch(model$name,
    topic_model = topics_figure(coef$phi, model$size(coef), n),
    block_model = maps_figure(communities_maps(coef, model$network), model$label),
    tensor_model = maps_figure(
      modes_maps(coef[model$factors], names(dimnames(fit$data))),
      "Shares of components, relative to the largest"
    )
  )
}

topics_figure <- function(phi, size, n) {
  shown <- min(nrow(phi), MOST_PANELS)
  title <- paste("The", shown, "largest of", nrow(phi), "topics")
  topic_bars(topic_terms(phi, size, seq_len(shown), n)) +
    ggplot2::labs(title = if (shown < nrow(phi)) title else "Topics and their words")
}

# One row per word, sorted by topic and by decreasing weight.
topic_terms <- function(phi, size, shown, n) {
  n <- min(n, ncol(phi))
  share <- size[shown] / sum(size)
  phi <- phi[shown, , drop = FALSE]
  data.frame(
    topic = factor(rep(rownames(phi), each = n), rownames(phi)), rank = rep(seq_len(n), nrow(phi)),
    term = as.vector(top_words(phi, n)),
    weight = as.vector(apply(phi, 1, function(row) sort(row, TRUE)[seq_len(n)])),
    share = rep(share, each = n)
  )
}

# Both in shares of their largest value: weights have no scale of their own that would compare them with rates.
communities_maps <- function(coef, network) {
  axis <- components_axis(nrow(coef$pi), rownames(coef$pi), "community")
  title <- if (network == "directed") "pi: from row to column" else "pi: between communities"
  list(
    new_map(coef$pi / max(coef$pi), title, rows = axis, columns = axis, what = "share of\nthe largest"),
    weights_map(
      coef$theta / max(coef$theta), "theta: weights of actors", by_component(coef$theta), "actors, by main community"
    )
  )
}

# The axis of components: with names if there are few, otherwise with a title.
components_axis <- function(k, names, component) {
  if (k <= MOST_PANELS && !is.null(names)) new_axis(k, names) else new_axis(k, title = component)
}

# A heat map of weights, with rows in this order and components in columns.
weights_map <- function(weights, title, order, what, component = "community") {
  n <- nrow(weights)
  labels <- if (is.null(rownames(weights))) as.character(order) else rownames(weights)[order]
  rows <- if (n <= MOST_ROWS) {
    new_axis(n, labels)
  } else {
    new_axis(n, at = numeric(), title = paste(format_number(n), what))
  }
  columns <- components_axis(ncol(weights), colnames(weights), component)
  new_map(weights[order, , drop = FALSE], title, rows = rows, columns = columns, what = "weight")
}

# The order of rows that groups them by main component, the largest weights first.
by_component <- function(weights) {
  component <- main_component(weights)
  order(component, -weights[cbind(seq_along(component), component)])
}

# Heat maps of weights as shares of their columns, relative to the largest of the mode, because shares are
# smaller if there are many indices. Of a long mode, only the indices with the largest shares are shown.
# `titles`: the names of the modes, or NULL.
modes_maps <- function(factors, titles = NULL) {
  told <- if (is.null(titles)) "" else ifelse(nzchar(titles), paste0(" (", titles, ")"), "")
  unname(Map(function(weights, title) {
    shares <- sweep(weights, 2, colSums(weights), `/`)
    shares <- shares / max(shares)
    n <- nrow(shares)
    if (is.null(rownames(shares))) rownames(shares) <- seq_len(n)
    if (n > MOST_ROWS) {
      shares <- shares[sort(largest_first(apply(shares, 1, max), MOST_NAMES)), , drop = FALSE]
      title <- paste0(title, ": the ", MOST_NAMES, " largest of ", format_number(n))
    }
    weights_map(shares, title, seq_len(nrow(shares)), "indices", "component")
  }, factors, paste0(names(factors), told)))
}

# --- topics ---------------------------------------------------------------------------------------

topic_bars <- function(terms) {
  key <- paste0(terms$topic, ":", terms$rank)
  terms$key <- factor(key, rev(key))
  terms$topic <- factor(terms$topic, labels = vapply(split(terms, terms$topic), topic_title, ""))
  ggplot2::ggplot(terms, ggplot2::aes(.data$weight, .data$key)) +
    ggplot2::geom_col(fill = COLOURS[["bar"]], width = 0.8) +
    ggplot2::facet_wrap(ggplot2::vars(.data$topic), scales = "free") +
    ggplot2::scale_y_discrete(NULL, labels = stats::setNames(shorten(terms$term, 16), key)) +
    ggplot2::scale_x_continuous("weight", n.breaks = 3) +
    no_overlap()
}

topic_title <- function(terms) paste0(terms$topic[1], " (", format_share(terms$share[1]), ")")

format_share <- function(share) ifelse(share < 0.01, "< 1 %", paste0(round(100 * share), " %"))

# --- networks -------------------------------------------------------------------------------------

network_figure <- function(fit, n, edges) {
  drawn <- network_shapes(fit, n, edges)
  note <- paste0(
    nrow(drawn$nodes), " actors; ", count_of(nrow(drawn$edges), "line"),
    " between the pairs with the largest means, of all and of each community"
  )
  ggplot2::ggplot(drawn$nodes, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_segment(
      ggplot2::aes(xend = .data$xend, yend = .data$yend, linewidth = 0.1 + 0.9 * .data$width), drawn$edges,
      colour = "grey35", alpha = 0.5,
      arrow = if (drawn$directed) ggplot2::arrow(20, ggplot2::unit(0.06, "inches"))
    ) +
    ggplot2::geom_point(
      ggplot2::aes(fill = community_colours(.data$community), size = .data$size),
      shape = 21, colour = "grey20", stroke = 0.2
    ) +
    ggplot2::geom_text(
      ggplot2::aes(label = .data$text, hjust = .data$hjust, vjust = .data$vjust), drawn$labels,
      size = 3, lineheight = 0.9
    ) +
    ggplot2::scale_linewidth_identity() +
    ggplot2::scale_size_identity() +
    ggplot2::scale_fill_identity() +
    ggplot2::coord_cartesian(xlim = c(-1.5, 1.5), ylim = c(-1.4, 1.4), clip = "off") +
    ggplot2::labs(
      title = "Communities and the largest posterior means",
      subtitle = paste(strwrap(note, 75), collapse = "\n")
    ) +
    ggplot2::theme_void() +
    ggplot2::theme(plot.margin = ggplot2::margin(8, 8, 8, 8), plot.title.position = "plot")
}

# What is drawn: nodes (one row per actor, in the order of the data), which stand in a circle by community,
# the strongest first, lines between them, and the names of the communities with their leading actors.
network_shapes <- function(fit, n, edges) {
  theta <- coef(fit)$theta
  mu <- fitted(fit)
  directed <- model_of(fit)$network == "directed"
  strength <- rowSums(mu, na.rm = TRUE) + if (directed) colSums(mu, na.rm = TRUE) else 0
  community <- main_component(theta)
  order <- order(community, -strength)
  # two places are empty between communities
  place <- order(order) + 2 * match(community, sort(unique(community))) - 1
  angle <- pi / 2 - 2 * pi * place / (length(place) + 2 * length(unique(community)))
  nodes <- data.frame(
    actor = as.character(row_labels(fit)), community, strength, x = cos(angle), y = sin(angle),
    size = 1 + 4 * sqrt(strength / max(strength, .Machine$double.xmin)), row.names = NULL
  )
  largest <- largest_edges(mu, if (is.null(edges)) min(nrow(nodes), 300) else edges, directed, community)
  lines <- data.frame(largest,
    nodes[largest$from, c("x", "y")], xend = nodes$x[largest$to], yend = nodes$y[largest$to],
    width = sqrt(largest$mu / max(largest$mu, .Machine$double.xmin)), row.names = NULL
  )
  middle <- tapply(angle, community, mean)
  few <- length(middle) <= MOST_PANELS
  leading <- top_words(t(theta), min(n, max(2, 15 %/% length(middle))))
  text <- vapply(as.integer(names(middle)), function(each) {
    paste(c(if (few) colnames(theta)[each] else each, if (few) shorten(leading[, each], 18)), collapse = "\n")
  }, "")
  labels <- data.frame(
    community = as.integer(names(middle)), x = 1.1 * cos(middle), y = 1.1 * sin(middle), text,
    hjust = (1 - cos(middle)) / 2, vjust = (1 - sin(middle)) / 2
  )
  list(nodes = nodes, edges = lines, directed = directed, labels = labels)
}

# The n cells with the largest means, in increasing order, so that the largest are drawn last. Half of them
# are shared equally among the communities of the rows, so that small communities have lines as well.
largest_edges <- function(mu, n, directed, community = rep(1, nrow(mu))) {
  if (!directed) mu[lower.tri(mu, diag = TRUE)] <- NA
  order <- order(mu, decreasing = TRUE, na.last = NA)
  of <- community[row(mu)[order]]
  first <- stats::ave(order, of, FUN = seq_along) <= n %/% (2 * length(unique(community)))
  order <- order[sort(utils::head(order(!first), n), decreasing = TRUE)]
  cells <- arrayInd(order, dim(mu))
  data.frame(from = cells[, 1], to = cells[, 2], mu = mu[cells])
}

# Neighbouring communities have different colours; communities of the same colour are distinguished by their
# positions.
community_colours <- function(community) {
  colours <- unname(grDevices::palette.colors(9, "Okabe-Ito")[-1])
  colours[(community - 1) %% length(colours) + 1]
}
