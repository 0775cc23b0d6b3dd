# Plots of the posterior distributions of true counts.

#' @rdname augment.ldp_fit
#' @export
plot.denoised_counts <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname augment.ldp_fit
#' @param object The result of `augment()`.
#' @exportS3Method ggplot2::autoplot
autoplot.denoised_counts <- function(object, ...) {
  check_no_dots(...)
  laws <- do.call(rbind, truth_frames(object))
  laws$cell <- factor(laws$cell, unique(laws$cell))
  # the number of letters that fit in one line of a panel's title, if the plot has the usual size
  most <- 100 %/% ceiling(sqrt(nlevels(laws$cell)))
  shown <- if (nrow(object) > MOST_PANELS) {
    paste0(" (the first ", MOST_PANELS, " of ", format_number(nrow(object)), " cells)")
  }
  ggplot2::ggplot(laws, ggplot2::aes(.data$y, .data$density)) +
    ggplot2::geom_col(width = 0.8, fill = COLOURS[["bar"]]) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$y_tilde), unique(laws[c("cell", "y_tilde")]),
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
  shown <- unclass_denoised(x)[seq_len(min(nrow(x), MOST_PANELS)), ]
  cells <- cells_of_labels(fit, shown)
  input <- input_of_cells(fit, cells)
  titles <- vapply(seq_len(nrow(shown)), function(i) cell_title(fit, shown[i, ]), "")
  lapply(seq_len(nrow(shown)), function(i) {
    law <- truth_law(truth_block(fit, input, cells[i, , drop = FALSE]))
    data.frame(cell = make.unique(titles)[i], law, y_tilde = shown$y_tilde[i])
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
truth_law <- function(block) {
  mean <- truth_mean(block)
  low <- truth_quantiles(block, 0.001, mean)
  y <- seq(low, max(truth_quantiles(block, 0.999, mean), min(low, block$y_tilde, na.rm = TRUE) + 5))
  data.frame(y = y, density = vapply(y, function(at) truth_density(block, at), 0))
}

whole_ticks <- function(range) Filter(is_whole, pretty(range, 4))
