# Plots of a fit: components as bars, lists and heat maps, and communities as a network.

#' Plots of a fit
#'
#' `autoplot()`, the generic of package `ggplot2`, returns a picture of a fit as a ggplot. `plot()` draws the
#' same picture.
#'
#' @details
#' The types of pictures:
#'
#' * `"components"`: what each component is. For up to 12 topics, the words of largest weight as bars; for
#'   more topics, one line for each of the 50 largest, with its share of the counts (as a bar) and its words.
#'   For a block model, `pi` and the weights of the actors, who are grouped by their main community. For a
#'   tensor, the weights of each mode as shares of their component, with a colour scale for each mode. If a
#'   mode has more than 60 indices, the plot shows the 30 with the largest shares.
#' * `"blocks"`, for a block model: the posterior means of the counts between actors, who are grouped by their
#'   main community, with lines between communities.
#' * `"network"`, for a block model: actors as nodes, each community in a circle of its own, with the actors
#'   that have the largest counts drawn largest and at its centre. Lines show the largest posterior means
#'   between two actors, of all and of each community: the larger the mean, the thicker the line (with arrows
#'   if the network is directed).
#' * `"trace"`: the log density of the release, the total of `mu`, and the dispersion if it is one number,
#'   at every kept draw, with one line per chain. The last panel has the quantity on which the chains agree
#'   least (the one with the largest R-hat) among many single cells, rows and pairs of rows. Its title says
#'   which it is; `co-membership of` two rows is the extent to which they are in the same components. All of
#'   these are label-invariant. For a variational fit, the lower bound at each iteration, with one line per
#'   start.
#' * `"density"`: the posterior densities of the same quantities, with one line per chain.
#' * `"rank"`: histograms of the ranks of draws, for the same quantities. The draws of all chains are ranked
#'   together, and each chain has its own histogram. Bars near the dashed line mean that chains agree. For a
#'   single chain, its two halves are compared.
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
#' released <- privatize(poliblog[1:60, 1:80], epsilon = 2)
#' fit <- topic_model(released, k = 3, iter = 100, chains = 2)
#' plot(fit)
#' plot(fit, type = "trace")
#' plot(fit, type = "predictive")
#' busiest <- order(-rowSums(enron_network))[1:40]
#' fit <- block_model(enron_network[busiest, busiest], k = 3, iter = 100)
#' plot(fit, type = "network")
#' ggplot2::autoplot(fit, type = "blocks") + ggplot2::theme(legend.position = "bottom")
#' @export
plot.ldp_fit <- plot_figure

#' @rdname plot.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.ldp_fit <- function(object, type = c(
                               "components", "blocks", "network", "trace", "density", "rank", "predictive"
                             ), ..., n = 8, edges = NULL) {
  check_method(object, ...)
  known <- eval(formals(autoplot.ldp_fit)$type)
  types <- if (is_own(object)) setdiff(known, c("components", "blocks", "network")) else known
  type <- check_choice(if (identical(type, known)) types else type, "type", types)
  n <- check_whole(n, "n", 1)
  if (!is.null(edges)) edges <- check_whole(edges, "edges", 0)
  check_that(!type %in% c("blocks", "network") || is_network(object),
    "{.code type = \"{type}\"} is for a fit of {.fn block_model}."
  )
  check_that(type != "rank" || !is_cavi(object), c(
    "{.code type = \"rank\"} compares chains, but a variational fit has no chains.",
    i = "Use {.code type = \"trace\"} to plot its bound."
  ))
  switch(type,
    components = components_figure(object, n),
    blocks = maps_figure(list(blocks_map(object))),
    network = network_figure(object, n, edges),
    trace = if (is_cavi(object)) bound_figure(object) else trace_figure(object),
    density = density_figure(object), rank = rank_figure(object), predictive = predictive_figure(object)
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
      modes_maps(coef[model$factors], names(dimnames(fit$data))), "Weights, as shares of their components"
    )
  )
}

topics_figure <- function(phi, size, n) {
  shown <- min(nrow(phi), 50)
  terms <- topic_terms(phi, size, seq_len(shown), n)
  figure <- if (nrow(phi) <= MOST_PANELS) topic_bars(terms) else topic_lines(terms)
  figure + ggplot2::labs(
    title = if (shown < nrow(phi)) paste("The 50 largest of", nrow(phi), "topics") else "Topics and their words"
  )
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

communities_maps <- function(coef, network) {
  axis <- components_axis(nrow(coef$pi), rownames(coef$pi), "community")
  title <- if (network == "directed") "pi: from row to column" else "pi: between communities"
  list(
    new_map(coef$pi, title, rows = axis, columns = axis, what = "weight"),
    weights_map(coef$theta, "theta: weights of actors", by_component(coef$theta), "actors, by main community")
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

# Heat maps of weights as shares of their columns. Each mode has its own scale, because shares are smaller if
# there are many indices. Of a long mode, only the indices with the largest shares are shown. `titles`: the
# names of the modes, or NULL.
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
  axis <- new_axis(n, as.character(component_labels(fit)[shown]), middle, "main community")
  axis$named <- FALSE
  new_map(fitted(fit)[order, order, drop = FALSE], "Posterior means, actors grouped by main community",
    rows = axis, columns = axis, borders = ends[-length(ends)]
  )
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

# One line per topic: its share of the counts as a bar, its name, its words.
topic_lines <- function(terms) {
  topics <- terms[terms$rank == 1, ]
  words <- vapply(split(terms$term, terms$topic), paste, "", collapse = ", ")
  topics$text <- shorten(paste0(topics$topic, ": ", words), 80)
  topics$topic <- factor(topics$topic, rev(levels(topics$topic)))
  most <- max(topics$share)
  marks <- Filter(function(mark) mark <= most, pretty(c(0, most), 2))
  none <- ggplot2::element_blank()
  ggplot2::ggplot(topics, ggplot2::aes(.data$share, .data$topic)) +
    ggplot2::geom_col(fill = COLOURS[["bar"]], width = 0.7) +
    ggplot2::geom_text(ggplot2::aes(1.03 * most, label = .data$text),
      hjust = 0, size = text_points(nrow(topics), 5) / ggplot2::.pt, check_overlap = TRUE
    ) +
    ggplot2::scale_x_continuous("share of the counts",
      breaks = marks, labels = paste(100 * marks, "%"), limits = c(0, 6 * most), expand = c(0.01, 0)
    ) +
    ggplot2::labs(y = NULL) +
    no_overlap() +
    ggplot2::theme(
      panel.grid = none, axis.title.x = ggplot2::element_text(hjust = 0), axis.ticks.y = none,
      axis.text.y = none
    )
}

network_figure <- function(fit, n, edges) {
  drawn <- network_shapes(fit, n, edges)
  fine <- min(1, 150 / nrow(drawn$nodes)) # lines are finer if there are many actors
  note <- paste0(
    nrow(drawn$nodes), " actors; ", count_of(nrow(drawn$edges), "line"),
    " between the pairs with the largest means, of all and of each community"
  )
  ggplot2::ggplot() +
    ggplot2::geom_segment(
      ggplot2::aes(.data$x, .data$y, xend = .data$xend, yend = .data$yend,
        linewidth = fine * (0.15 + 0.9 * .data$width)
      ), drawn$edges,
      colour = "grey35", alpha = 0.5,
      arrow = if (drawn$directed) ggplot2::arrow(20, ggplot2::unit(0.06 * fine, "inches"))
    ) +
    ggplot2::scale_linewidth_identity() +
    ggplot2::geom_point(
      ggplot2::aes(.data$x, .data$y, fill = community_colours(.data$community), size = 2 * .data$radius * drawn$mm[["y"]]),
      drawn$nodes, shape = 21, colour = "grey20", stroke = 0.2
    ) +
    ggplot2::scale_size_identity() +
    ggplot2::scale_fill_identity() +
    ggplot2::geom_text(
      ggplot2::aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust, vjust = .data$vjust),
      drawn$labels, size = 3, lineheight = 0.9
    ) +
    ggplot2::coord_cartesian(xlim = drawn$limits$x, ylim = drawn$limits$y, clip = "off") +
    ggplot2::labs(
      title = "Communities and the largest posterior means",
      subtitle = paste(strwrap(note, 75), collapse = "\n")
    ) +
    ggplot2::theme_void() +
    ggplot2::theme(plot.margin = ggplot2::margin(8, 8, 8, 8), plot.title.position = "plot")
}

# What is drawn: nodes (one row per actor), lines between them, and the names of communities.
network_shapes <- function(fit, n, edges) {
  coef <- coef(fit)
  mu <- fitted(fit)
  directed <- model_of(fit)$network == "directed"
  strength <- rowSums(mu, na.rm = TRUE) + if (directed) colSums(mu, na.rm = TRUE) else 0
  nodes <- place_nodes(data.frame(
    actor = as.character(row_labels(fit)), community = main_component(coef$theta), strength = strength,
    row.names = NULL
  ))
  if (is.null(edges)) edges <- min(nrow(nodes), 300)
  largest <- largest_edges(mu, edges, directed, nodes$community)
  labels <- community_labels(nodes, colnames(coef$theta), top_words(t(coef$theta), n))
  limits <- network_limits(nodes, labels)
  mm <- c(x = 100, y = 70) / vapply(limits, diff, 0) # per unit, in a panel of the usual size
  edges <- place_edges(largest, nodes, directed, mm)
  list(nodes = nodes, edges = edges, directed = directed, labels = labels, limits = limits, mm = mm)
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

# Positions of nodes. In each disc, the strongest node is at the centre, and the others are placed on a
# spiral, as sunflower seeds are, so that each has the same amount of space. Columns x, y, radius.
place_nodes <- function(nodes) {
  present <- sort(unique(nodes$community))
  count <- tabulate(nodes$community, max(present))[present]
  discs <- place_discs(sqrt(count) + 0.5)
  nodes$x <- nodes$y <- 0
  for (i in seq_along(present)) {
    at <- which(nodes$community == present[i])
    at <- at[order(-nodes$strength[at])]
    step <- seq_along(at) - 1
    nodes$x[at] <- discs$x[i] + sqrt(step) * cos(step * GOLDEN_ANGLE)
    nodes$y[at] <- discs$y[i] + sqrt(step) * sin(step * GOLDEN_ANGLE)
  }
  nodes$radius <- 0.16 + 0.3 * sqrt(nodes$strength / max(nodes$strength, .Machine$double.xmin))
  nodes
}

GOLDEN_ANGLE <- pi * (3 - sqrt(5))

# Centres of discs with these radii on a ring around 0, clockwise from the top, or two side by side. On a ring of radius R, a disc
# of radius r takes the angle 2 asin(r/R). If these angles sum to a full circle, discs do not overlap.
place_discs <- function(radii, gap = 1.1) {
  wide <- gap * radii
  excess <- function(ring) sum(asin(pmin(1, wide / ring))) - pi
  smallest <- max(wide)
  ring <- if (length(radii) == 1) {
    0
  } else if (excess(smallest) <= 0) {
    smallest
  } else {
    stats::uniroot(excess, c(smallest, sum(wide)), tol = 1e-9)$root
  }
  half <- asin(pmin(1, wide / ring))
  half <- half * pi / sum(half)
  angle <- (if (length(radii) == 2) pi else pi / 2) - (cumsum(2 * half) - half - half[1])
  data.frame(x = ring * cos(angle), y = ring * sin(angle), radius = radii)
}

# Lines from node to node. They begin at the centre, which the node covers, and so they end, but for an arrow, which ends at
# the edge of its node. Nodes are circles on the page, where a unit has `mm` in x and y; their radius is in units of y.
place_edges <- function(edges, nodes, arrows, mm = c(x = 1, y = 1)) {
  from <- nodes[edges$from, ]
  to <- nodes[edges$to, ]
  dx <- to$x - from$x
  dy <- to$y - from$y
  hidden <- if (arrows) to$radius / sqrt((mm[["x"]] / mm[["y"]] * dx)^2 + dy^2) else 0
  data.frame(edges,
    x = from$x, y = from$y, xend = to$x - hidden * dx, yend = to$y - hidden * dy,
    width = sqrt(edges$mu / max(edges$mu, .Machine$double.xmin))
  )
}

# The name of each community, outside its disc, with its leading actors (one per column of `leading`) if there
# are few communities. `hjust` and `vjust` place the point of the text that is nearest to the disc.
community_labels <- function(nodes, names, leading) {
  present <- sort(unique(nodes$community))
  few <- length(present) <= MOST_PANELS
  n <- if (few) min(nrow(leading), max(2, 15 %/% length(present))) else 0
  rows <- lapply(present, function(community) {
    members <- nodes[nodes$community == community, ]
    centre <- c(members$x[which.max(members$strength)], members$y[which.max(members$strength)])
    distance <- sqrt(sum(centre^2))
    out <- if (distance < 1e-9) c(0, 1) else centre / distance
    reach <- 1.05 * sqrt(nrow(members)) + 0.8
    text <- c(if (few) names[community] else community, shorten(utils::head(leading[, community], n), 18))
    data.frame(
      community = community, x = centre[1] + out[1] * reach, y = centre[2] + out[2] * reach,
      text = paste(text, collapse = "\n"), hjust = (1 - out[1]) / 2, vjust = (1 - out[2]) / 2
    )
  })
  do.call(rbind, rows)
}

# The limits of the plot: the nodes and their labels. In a panel of the usual size a line of text takes 0.045 of the height
# (labels longer than six lines may reach into the margin), and a letter 0.013 of the width.
network_limits <- function(nodes, labels) {
  lines <- strsplit(labels$text, "\n")
  width <- 0.013 * vapply(lines, function(lines) max(nchar(lines)), 0)
  height <- 0.045 * pmin(6, lengths(lines))
  extent <- function(at) range(at - nodes$radius, at + nodes$radius)
  list(
    x = with_text(extent(nodes$x), labels$x, width, labels$hjust),
    y = with_text(extent(nodes$y), labels$y, height, labels$vjust)
  )
}

# The limits `from`, extended to hold text at `at`, `just` of which is before that point. The sizes of text are shares of
# the extent that results.
with_text <- function(from, at, size, just) {
  limits <- from
  for (i in 1:30) limits <- range(from, at - just * size * diff(limits), at + (1 - just) * size * diff(limits))
  limits
}

# Neighbouring communities have different colours; communities of the same colour are distinguished by their
# positions.
community_colours <- function(community) {
  colours <- unname(grDevices::palette.colors(9, "Okabe-Ito")[-1])
  colours[(community - 1) %% length(colours) + 1]
}
