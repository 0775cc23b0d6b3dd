# Plots of estimates with their uncertainty: true counts, means and sums, effects of groups, modes, and what a
# privacy level means.

#' @rdname augment.ldp_fit
#' @export
plot.denoised_counts <- plot_figure

#' @rdname augment.ldp_fit
#' @param object The result of `augment()`.
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_counts <- function(object, ...) {
  check_no_dots(...)
  densities <- do.call(rbind, truth_frames(object))
  densities$cell <- factor(densities$cell, unique(densities$cell))
  # the number of letters that fit in one line of a panel's title, if the plot has the usual size
  most <- 100 %/% ceiling(sqrt(nlevels(densities$cell)))
  shown <- if (nrow(object) > MOST_PANELS) {
    paste0(" (the first ", MOST_PANELS, " of ", format_number(nrow(object)), " cells)")
  }
  ggplot2::ggplot(densities, ggplot2::aes(.data$y, .data$density)) +
    ggplot2::geom_col(width = 0.8, fill = COLOURS[["bar"]]) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$y_tilde), unique(densities[c("cell", "y_tilde")]),
      colour = COLOURS[["mark"]], linetype = 2, na.rm = TRUE
    ) +
    ggplot2::facet_wrap(ggplot2::vars(.data$cell),
      scales = "free", labeller = ggplot2::as_labeller(function(titles) short_lines(titles, most))
    ) +
    ggplot2::scale_x_continuous("count", breaks = whole_ticks) +
    ggplot2::labs(
      y = paste0("probability", shown), title = "Posterior of the true count; dashed: the released count"
    ) +
    no_overlap() +
    ggplot2::theme(panel.spacing.x = ggplot2::unit(1, "lines"))
}

# The posterior distributions of the true counts in the first rows of the result of augment(): a list of data
# frames, with the released count in each row.
truth_frames <- function(x, call = rlang::caller_env()) {
  fit <- attr(x, "fit")
  check_that(!is.null(fit) && all(mode_names(fit) %in% names(x)) && nrow(x) > 0,
    "{.arg x} must be a result of {.fn augment} with at least one row and all its columns.", call
  )
  shown <- utils::head(structure(x, class = "data.frame"), MOST_PANELS)
  cells <- cells_of_labels(fit, shown)
  input <- input_of_cells(fit, cells)
  titles <- make.unique(vapply(seq_len(nrow(shown)), function(i) cell_title(fit, shown[i, ]), ""))
  lapply(seq_len(nrow(shown)), function(i) {
    density <- truth_densities(truth_block(fit, input, cells[i, , drop = FALSE]))
    data.frame(cell = titles[i], density, y_tilde = shown$y_tilde[i])
  })
}

# The inverse of label_cells(): cells from labels.
cells_of_labels <- function(fit, shown) {
  index <- vapply(seq_along(mode_names(fit)), function(mode) {
    labels <- data_dimnames(fit)[[mode]]
    at <- shown[[mode_names(fit)[mode]]]
    as.double(if (is.null(labels)) at else match_labels(at, labels))
  }, numeric(nrow(shown)))
  fold_cells(matrix(index, nrow(shown)), dim(fit$data))
}

# The title of a cell, with one line per mode if it is long.
cell_title <- function(fit, cell) {
  parts <- vapply(cell[mode_names(fit)], as.character, "")
  between <- switch(model_of(fit)$network, none = ", ", directed = " to ", undirected = " and ")
  title <- paste(parts, collapse = between)
  if (nchar(title) > 20) paste(parts, collapse = sub(" $", "\n", between)) else title
}

# Shortens every line of a title to at most this number of letters.
short_lines <- function(titles, most) {
  vapply(strsplit(titles, "\n"), function(lines) paste(shorten(lines, most), collapse = "\n"), "")
}

# The distribution of the true count in a block of one cell, without a thousandth of it at each end, but with
# enough counts that no bar is as wide as its panel.
truth_densities <- function(block) {
  mean <- truth_mean(block)
  low <- truth_quantiles(block, 0.001, mean)
  y <- seq(low, max(truth_quantiles(block, 0.999, mean), min(low, block$y_tilde, na.rm = TRUE) + 5))
  data.frame(y = y, density = vapply(y, function(at) truth_density(block, at), 0))
}

whole_ticks <- function(range) Filter(is_whole, pretty(range, 4))

#' @rdname private_means
#' @export
plot.private_means <- plot_figure

#' @rdname private_means
#' @param quantity For `autoplot()` and `plot()`: which rows to plot, `"mean"`, `"total"` or `"difference"`.
#'   By default rows with the quantity of the first row.
#' @exportS3Method ggplot2::autoplot
autoplot.private_means <- function(object, ..., quantity = NULL) {
  check_no_dots(...)
  check_estimates(object, c("estimate", "conf.low", "conf.high", "quantity"))
  if (is.null(quantity)) quantity <- object$quantity[1]
  quantity <- check_choice(quantity, "quantity", unique(object$quantity))
  shown <- object[object$quantity == quantity, ]
  zero <- if (quantity == "difference") ggplot2::geom_vline(xintercept = 0, linetype = 2, colour = "grey60")
  what <- c(mean = "mean per person", total = "total", difference = "difference between groups")[[quantity]]
  plot_intervals(shown, shown$estimate, shown$conf.low, shown$conf.high, zero) +
    ggplot2::labs(x = what, title = paste0("Design-based estimates", interval_words(attr(object, "level"))))
}

#' @rdname augment.ldp_fit
#' @export
plot.denoised_sums <- plot_figure

#' @rdname augment.ldp_fit
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_sums <- function(object, ...) {
  check_no_dots(...)
  check_estimates(object, c("mean", "lower", "upper"))
  title <- paste0("Model-based estimates", interval_words(attr(object, "level")))
  plot_intervals(object, object$mean, object$lower, object$upper) +
    ggplot2::labs(x = "sum of true counts", title = title)
}

check_estimates <- function(object, columns, call = rlang::caller_env()) {
  complete <- is.data.frame(object) && nrow(object) > 0 && all(c("group", "item", columns) %in% names(object))
  check_that(complete, "The estimates to plot must have at least one row and all their columns.", call)
}

# One line per group and one panel per item, up to MOST_PANELS. `below`: a layer under the intervals.
plot_intervals <- function(estimates, at, low, high, below = NULL) {
  frame <- data.frame(group = estimates$group, item = estimates$item, at, low, high)
  items <- unique(as.character(frame$item))
  shown <- utils::head(items, MOST_PANELS)
  frame <- frame[as.character(frame$item) %in% shown, ]
  # the first group is at the top
  frame$group <- factor(frame$group, rev(unique(as.character(frame$group))))
  frame$item <- factor(frame$item, shown)
  most <- if (length(items) > length(shown)) {
    paste("The first", MOST_PANELS, "of", format_number(length(items)), "items")
  }
  ggplot2::ggplot(frame, ggplot2::aes(.data$at, .data$group)) +
    below +
    # the ends of unknown intervals are NA
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$low, xmax = .data$high),
      colour = COLOURS[["bar"]], na.rm = TRUE
    ) +
    ggplot2::geom_point(colour = COLOURS[["mark"]], na.rm = TRUE) +
    (if (length(items) > 1) {
      ggplot2::facet_wrap(ggplot2::vars(.data$item),
        scales = "free_x", labeller = panel_titles(ceiling(sqrt(length(shown))))
      )
    }) +
    ggplot2::labs(y = NULL, caption = most) +
    no_overlap()
}

#' @rdname group_effects
#' @export
plot.group_effects <- plot_figure

#' @rdname group_effects
#' @param type What `plot()` and `autoplot()` show: `"ratio"`, with logarithmic scales, or `"mean"`. One panel
#'   per component, with one for each factor, of at most 12 components. `plot()` passes the other arguments to
#'   `autoplot()`.
#' @exportS3Method ggplot2::autoplot
autoplot.group_effects <- function(object, ..., type = c("ratio", "mean")) {
  check_no_dots(...)
  type <- check_choice(type, "type", c("ratio", "mean"))
  shown <- as.data.frame(object)[object$term == type, ]
  check_that(nrow(shown) > 0, "{.arg object} must have rows whose term is {.val {type}}.")
  components <- unique(shown$component)
  shown <- shown[shown$component %in% utils::head(components, MOST_PANELS), ]
  shown$component <- factor(shown$component, components)
  shown$factor <- factor(shown$factor, unique(shown$factor))
  shown$label <- shorten(if (type == "ratio") paste(shown$group, "/", shown$versus) else shown$group, 30)
  shown$label <- factor(shown$label, rev(unique(shown$label)))
  effects_figure(shown, type, length(unique(shown$factor)) > 1, attr(object, "level")) +
    if (length(components) > MOST_PANELS) {
      ggplot2::labs(caption = paste("The first", MOST_PANELS, "of", length(components), "components"))
    }
}

effects_figure <- function(shown, type, several, level) {
  ratio <- type == "ratio"
  panels <- if (several) {
    ggplot2::facet_wrap(ggplot2::vars(.data$factor, .data$component), scales = "free")
  } else {
    ggplot2::facet_wrap(ggplot2::vars(.data$component), scales = if (ratio) "fixed" else "free_x")
  }
  ggplot2::ggplot(shown, ggplot2::aes(.data$estimate, .data$label)) +
    (if (ratio) ggplot2::geom_vline(xintercept = 1, linetype = 2, colour = COLOURS[["mark"]])) +
    ggplot2::geom_pointrange(ggplot2::aes(xmin = .data$conf.low, xmax = .data$conf.high),
      colour = COLOURS[["bar"]]
    ) +
    panels +
    (if (ratio) ggplot2::scale_x_log10(n.breaks = 4) else ggplot2::scale_x_continuous(n.breaks = 3)) +
    ggplot2::labs(
      x = if (ratio) "ratio of mean weights" else "mean weight",
      y = if (!several) as.character(shown$factor[1]), # otherwise in the titles of the panels
      title = paste0(if (ratio) "Ratios of mean weights" else "Mean weights by group", interval_words(level))
    ) +
    no_overlap()
}

#' @rdname modes
#' @param x The result of `modes()`.
#' @param ... Must be empty.
#' @export
plot.posterior_modes <- plot_figure

#' @rdname modes
#' @param object The result of `modes()`.
#' @exportS3Method ggplot2::autoplot
autoplot.posterior_modes <- function(object, ...) {
  check_no_dots(...)
  agreed <- attr(object, "agreement")
  k <- agreed$k
  if (length(agreed$groups) == 1) {
    note <- paste0("With one ", agreed$group, ", there is nothing to compare.")
    return(ggplot2::ggplot() + ggplot2::annotate("text", 0, 0, label = note) + ggplot2::theme_void())
  }
  reference <- if (agreed$group == "mode") "the leading mode" else agreed$groups[1]
  labels <- if (is.numeric(agreed$labels)) paste0(agreed$noun, agreed$labels) else agreed$labels
  map <- new_map(agreed$overlap, paste("What", agreed$nouns, "share with those of", reference),
    rows = new_axis(k, if (k <= MOST_PANELS) labels),
    columns = new_axis(length(agreed$groups), agreed$groups), what = "overlap"
  )
  maps_figure(list(map)) + if (length(agreed$overlap) <= 100) {
    ggplot2::geom_text(ggplot2::aes(label = sprintf("%.2f", .data$count)),
      colour = ifelse(c(agreed$overlap) > 0.6, "white", "black"), size = 3
    )
  }
}

#' @rdname explain_privacy
#' @export
plot.privacy_explanation <- plot_figure

#' @rdname explain_privacy
#' @exportS3Method ggplot2::autoplot
autoplot.privacy_explanation <- function(object, ...) {
  check_no_dots(...)
  numbers <- guess_panels(unclass(object)$numbers)
  dots <- do.call(rbind, lapply(seq_len(nrow(numbers)), function(i) {
    data.frame(
      numbers[i, c("level", "panel")], column = rep(1:10, 10), row = rep(10:1, each = 10),
      guess = ifelse(1:100 <= numbers$right_of_100[i], "right", "wrong"), row.names = NULL
    )
  }))
  colours <- stats::setNames(COLOURS[c("mark", "bar")], c("right", "wrong"))
  ggplot2::ggplot(dots, ggplot2::aes(.data$column, .data$row, colour = .data$guess, shape = .data$guess)) +
    ggplot2::geom_point(size = if (length(unique(dots$level)) > 2) 1.6 else 2.6) +
    panels_by(ggplot2::vars(.data$level), ggplot2::vars(.data$panel), n_columns = nlevels(dots$panel)) +
    ggplot2::scale_colour_manual(values = colours) +
    ggplot2::scale_shape_manual(values = c(right = 16, wrong = 1)) +
    ggplot2::coord_equal() +
    ggplot2::labs(x = NULL, y = NULL, title = "Of 100 guesses, at most this many are right") +
    ggplot2::theme(
      axis.text = ggplot2::element_blank(), axis.ticks = ggplot2::element_blank(),
      panel.grid = ggplot2::element_blank(), legend.position = "bottom"
    )
}

# One panel per epsilon and distance, and one for guesses without the released counts.
guess_panels <- function(numbers) {
  several <- length(unique(numbers$precision)) > 1
  level <- paste0("epsilon ", format_each(numbers$epsilon),
    if (several) paste0(", precision ", format_each(numbers$precision)))
  counts <- ifelse(numbers$distance == 1, "1 count", paste(format_each(numbers$distance), "counts"))
  titles <- paste("with the changed counts, a difference of", counts)
  order <- unique(titles[order(numbers$distance)])
  coin <- "without the changed counts"
  first <- !duplicated(level)
  panels <- rbind(
    data.frame(level = level[first], panel = coin, right_of_100 = 50),
    data.frame(level = level, panel = titles, right_of_100 = numbers$right_of_100)
  )
  panels$panel <- factor(panels$panel, c(coin, order))
  panels$level <- factor(panels$level, unique(level))
  panels
}
