# Communities as a network. Each community is a disc of actors; the discs are placed around a ring.

network_figure <- function(fit, n, edges) {
  drawn <- network_shapes(fit, n, edges)
  limits <- network_limits(drawn$nodes, drawn$labels)
  mm <- 70 / diff(limits$y) # per unit, in a panel of the usual height
  fine <- min(1, 150 / nrow(drawn$nodes)) # lines are finer if there are many actors
  note <- paste0(count_of(nrow(drawn$nodes), "actor"), "; ", describe_edges(drawn$edges$mu))
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
      ggplot2::aes(.data$x, .data$y, fill = community_colours(.data$community), size = 2 * .data$radius * mm),
      drawn$nodes, shape = 21, colour = "grey20", stroke = 0.2
    ) +
    ggplot2::scale_size_identity() +
    ggplot2::scale_fill_identity() +
    ggplot2::geom_text(
      ggplot2::aes(.data$x, .data$y, label = .data$text, hjust = .data$hjust, vjust = .data$vjust),
      drawn$labels, size = 3, lineheight = 0.9
    ) +
    ggplot2::coord_cartesian(xlim = limits$x, ylim = limits$y, clip = "off") +
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
    actor = actor_labels(fit), community = main_component(coef$theta), strength = strength, row.names = NULL
  ))
  if (is.null(edges)) edges <- min(nrow(nodes), 300)
  list(
    nodes = nodes, edges = place_edges(largest_edges(mu, edges, directed, nodes$community), nodes), directed = directed,
    labels = community_labels(nodes, colnames(coef$theta), top_words(t(coef$theta), n))
  )
}

# A sentence on the lines; `mu`: the means that they stand for.
describe_edges <- function(mu) {
  least <- format(min(mu, Inf), digits = 2)
  pairs <- count_of(length(mu), "pair with the largest mean", "pairs with the largest means, of all and of each community")
  if (length(mu) == 0) "no lines" else paste0("lines: the ", pairs, ", at least ", least, " counts each")
}

# The n cells with the largest means, in increasing order, so that the largest are drawn last. Half of them are
# shared equally among the communities of the rows, so that small communities have lines as well.
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
    spiral <- if (count[i] == 1) 0 else sqrt(step)
    nodes$x[at] <- discs$x[i] + spiral * cos(step * GOLDEN_ANGLE)
    nodes$y[at] <- discs$y[i] + spiral * sin(step * GOLDEN_ANGLE)
  }
  nodes$radius <- 0.16 + 0.3 * sqrt(nodes$strength / max(nodes$strength, .Machine$double.xmin))
  nodes
}

GOLDEN_ANGLE <- pi * (3 - sqrt(5))

# Centres of discs with these radii on a ring around 0, clockwise from the top. On a ring of radius R, a disc
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
  angle <- pi / 2 - (cumsum(2 * half) - half - half[1])
  data.frame(x = ring * cos(angle), y = ring * sin(angle), radius = radii)
}

# The end points of lines, which are on the edges of nodes.
place_edges <- function(edges, nodes) {
  from <- nodes[edges$from, ]
  to <- nodes[edges$to, ]
  length <- sqrt((to$x - from$x)^2 + (to$y - from$y)^2)
  dx <- (to$x - from$x) / length
  dy <- (to$y - from$y) / length
  edges$x <- from$x + dx * from$radius
  edges$y <- from$y + dy * from$radius
  edges$xend <- to$x - dx * to$radius
  edges$yend <- to$y - dy * to$radius
  edges$width <- sqrt(edges$mu / max(edges$mu, .Machine$double.xmin))
  edges
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
    data.frame(
      community = community, x = centre[1] + out[1] * reach, y = centre[2] + out[2] * reach,
      text = paste(
        c(if (few) names[community] else community, shorten(utils::head(leading[, community], n), 18)),
        collapse = "\n"
      ),
      hjust = (1 - out[1]) / 2, vjust = (1 - out[2]) / 2
    )
  })
  do.call(rbind, rows)
}

# The limits of the plot: the nodes, and space for labels at the sides and, above and below, 0.045 of the
# height for each line of text, which is enough in a panel of 2.8 inches.
network_limits <- function(nodes, labels) {
  x <- range(nodes$x - nodes$radius, nodes$x + nodes$radius, labels$x)
  y <- range(nodes$y - nodes$radius, nodes$y + nodes$radius, labels$y)
  lines <- lengths(strsplit(labels$text, "\n"))
  wide <- max(diff(x), diff(y), 1)
  below_above <- pmin(0.3, pmax(0.05, 0.045 * c(max(lines * labels$vjust), max(lines * (1 - labels$vjust)))))
  list(
    x = x + c(-1, 1) * wide * if (any(lines > 1)) 0.22 else 0.05,
    y = y + c(-1, 1) * wide * below_above / (1 - sum(below_above))
  )
}

# Neighbouring communities have different colours; communities of the same colour are distinguished by their
# positions.
community_colours <- function(community) {
  colours <- unname(grDevices::palette.colors(9, "Okabe-Ito")[-1])
  colours[(community - 1) %% length(colours) + 1]
}
