# Plots of components: bars and lists of topics, heat maps of communities and of the modes of a tensor.

# --- components -----------------------------------------------------------------------------------

MOST_ROWS <- 60

components_figure <- function(fit, n) {
  coef <- coef(fit)
  if (is_network(fit)) {
    return(maps_figure(communities_maps(coef, model_of(fit)$network), model_of(fit)$label))
  }
  if (inherits(fit, "tensor_model")) {
    maps <- modes_maps(coef[model_of(fit)$factors], names(dimnames(fit$data)))
    return(maps_figure(maps, "Weights, as shares of their components"))
  }
  topics_figure(coef$phi, model_of(fit)$size(coef), n)
}

topics_figure <- function(phi, size, n) {
  shown <- min(nrow(phi), 50)
  terms <- topic_terms(phi, size, seq_len(shown), n)
  figure <- if (nrow(phi) <= MOST_PANELS) topic_bars(terms) else topic_lines(terms)
  all <- shown == nrow(phi)
  figure + ggplot2::labs(
    title = if (all) "Topics and their words" else paste("The", shown, "largest of", nrow(phi), "topics")
  )
}

# One row per word, sorted by topic and by decreasing weight.
topic_terms <- function(phi, size, shown, n) {
  n <- min(n, ncol(phi))
  weights <- apply(phi[shown, , drop = FALSE], 1, sort, decreasing = TRUE)
  data.frame(
    topic = factor(rep(rownames(phi)[shown], each = n), rownames(phi)[shown]),
    rank = rep(seq_len(n), length(shown)), term = as.vector(top_words(phi[shown, , drop = FALSE], n)),
    weight = as.vector(matrix(weights, ncol = length(shown))[seq_len(n), ]),
    share = rep(size[shown] / sum(size), each = n)
  )
}

communities_maps <- function(coef, network) {
  axis <- components_axis(nrow(coef$pi), rownames(coef$pi), "community")
  list(
    new_map(coef$pi, if (network == "directed") "pi: from row to column" else "pi: between communities",
      rows = axis, columns = axis, what = "weight"
    ),
    weights_map(coef$theta, "theta: weights of actors", by_component(coef$theta), "actors")
  )
}

# The axis of components: with names if there are few, otherwise with a title.
components_axis <- function(k, names, component) {
  if (k <= MOST_PANELS && !is.null(names)) new_axis(k, names) else new_axis(k, title = component)
}

# A heat map of weights, with rows in this order and components in columns.
weights_map <- function(weights, title, order, what, component = "community") {
  n <- nrow(weights)
  labels <- rownames(weights)[order]
  new_map(weights[order, , drop = FALSE], title,
    rows = if (n <= MOST_ROWS) {
      new_axis(n, if (is.null(labels)) as.character(order) else labels)
    } else {
      of <- if (is.unsorted(order)) paste(", by main", component) else ""
      new_axis(n, at = if (is.unsorted(order)) numeric(), title = paste0(format_number(n), " ", what, of))
    },
    columns = components_axis(ncol(weights), colnames(weights), component), what = "weight"
  )
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
  told <- far_apart(middle, 0.03 * n)
  axis <- new_axis(n, as.character(component_labels(fit)[shown[told]]), middle[told], "main community")
  axis$named <- FALSE
  new_map(fitted(fit)[order, order, drop = FALSE], "Posterior means, actors grouped by main community",
    rows = axis, columns = axis, borders = ends[-length(ends)]
  )
}

# Which of some increasing positions to keep so that they are at least `room` apart.
far_apart <- function(places, room) {
  kept <- 1
  for (i in seq_along(places)) {
    if (places[i] - places[kept[length(kept)]] >= room) kept <- c(kept, i)
  }
  kept
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
  marks <- pretty(c(0, most), 2)
  marks <- marks[marks <= most]
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
