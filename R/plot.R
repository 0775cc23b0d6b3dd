# Base graphics. Signed counts are red above zero and blue below, as in Schein et al. (2019),
# on a scale that keeps both 1 and 1000 visible.

#' Heat map of counts or means
#'
#' Rows from top to bottom, red above zero, blue below, grey where a cell is missing. Colours go
#' with `asinh(x)`, about the logarithm for large counts.
#'
#' @param x A matrix, a [private_counts()], or any other of the [objects that hold counts][data-objects].
#' @param ... Passed to [graphics::image()].
#' @param xlab,ylab What columns and rows are.
#' @param limit The count at which colours saturate; give the same to several maps to compare
#'   them. By default the largest absolute value in `x`.
#' @param main A title.
#' @param labels Write the labels of rows and columns? By default where there are at most 30.
#' @param legend Draw a colour scale at the right?
#' @return `limit`, invisibly.
#' @section Errors: of class `ldpcounts_error` when `x` is no matrix of numbers, or `limit` not
#'   positive.
#' @examples
#' heat_map(enron_network, main = "Messages")
#' heat_map(privatize(enron_network, epsilon = 0.5), main = "Released")
#' @export
heat_map <- function(x, ..., limit = NULL, main = "", xlab = "", ylab = "",
                     labels = max(dim(x)) <= 30, legend = TRUE) {
  x <- given_counts(x, "x")
  if (length(dim(x)) > 2) {
    ldp_abort(c("{.arg x} must have two modes, and has {length(dim(x))}.",
      i = "Choose a slice, such as {.code as.array(x)[, , 1]}."
    ), class = "ldpcounts_argument_error")
  }
  values <- if (inherits(x, "private_counts")) as.matrix(x) else as_plain_matrix(x, "x")
  values <- as.matrix(values)
  labels <- check_flag(labels, "labels")
  legend <- check_flag(legend, "legend")
  if (length(values) == 0) {
    ldp_abort("{.arg x} must have at least one row and one column.",
      class = "ldpcounts_argument_error"
    )
  }
  limit <- check_positive(
    if (is.null(limit)) max(1, abs(values), na.rm = TRUE) else limit, "limit"
  )
  rows <- nrow(values)
  columns <- ncol(values)
  width <- if (legend) LEGEND_SHARE * columns else 0
  graphics::image(
    seq_len(columns), seq_len(rows), t(signed_scale(values, limit))[, rows:1, drop = FALSE],
    zlim = c(-1, 1), col = signed_colours(), axes = FALSE, main = main, xlab = xlab, ylab = ylab,
    xlim = c(0.5, columns + 0.5 + width), ylim = c(0.5, rows + 0.5), useRaster = TRUE, ...
  )
  draw_missing(values)
  graphics::rect(0.5, 0.5, columns + 0.5, rows + 0.5, border = "grey60")
  if (labels) {
    draw_labels(values)
  }
  if (legend) {
    draw_scale(limit, columns, rows, width)
  }
  invisible(limit)
}

# The colour scale and its labels take this part of the map's own width.
LEGEND_SHARE <- 0.2

signed_scale <- function(x, limit) pmax(pmin(asinh(x) / asinh(limit), 1), -1)

signed_colours <- function(n = 201) {
  grDevices::colorRampPalette(c("#053061", "#4393c3", "#f7f7f7", "#d6604d", "#67001f"))(n)
}

draw_missing <- function(values) {
  cells <- which(is.na(values), arr.ind = TRUE)
  if (nrow(cells) > 0) {
    y <- nrow(values) + 1 - cells[, 1]
    graphics::rect(cells[, 2] - 0.5, y - 0.5, cells[, 2] + 0.5, y + 0.5,
      col = "grey80", border = NA
    )
  }
}

draw_labels <- function(values) {
  size <- max(0.4, min(0.8, 12 / max(dim(values))))
  if (!is.null(colnames(values))) {
    graphics::axis(1, seq_len(ncol(values)), colnames(values),
      las = 2, cex.axis = size, tick = FALSE
    )
  }
  if (!is.null(rownames(values))) {
    graphics::axis(2, rev(seq_len(nrow(values))), rownames(values),
      las = 2, cex.axis = size, tick = FALSE
    )
  }
}

draw_scale <- function(limit, columns, rows, width) {
  left <- columns + 0.5 + 0.15 * width
  right <- columns + 0.5 + 0.35 * width
  edges <- seq(0.5, rows + 0.5, length.out = 202)
  graphics::rect(left, edges[-202], right, edges[-1], col = signed_colours(), border = NA)
  marks <- c(0, 10^(0:9))
  marks <- marks[marks <= limit]
  if (length(marks) > 4) {
    marks <- marks[c(TRUE, rep(c(FALSE, TRUE), length.out = length(marks) - 1))]
  }
  marks <- unique(c(-rev(marks), marks))
  at <- 0.5 + rows * (1 + signed_scale(marks, limit)) / 2
  graphics::text(right, at, format(marks, trim = TRUE, scientific = FALSE, big.mark = ","),
    pos = 4, offset = 0.25, cex = 0.7, xpd = NA
  )
}

#' @rdname private_counts
#' @param main A title.
#' @export
plot.private_counts <- function(x, ..., main = paste("epsilon =", format_range(privacy(x)$epsilon))) {
  heat_map(x, main = main, ...)
}

#' Plots of a fit
#'
#' @param x A fit.
#' @param type `"components"`: the words of each topic as bars; of a block model, `pi`, and the
#'   weights of the actors, grouped by their main community; of a tensor, the weights of each mode,
#'   grouped by their main component, each column as a share of its sum. `"trace"`: the total of `mu` at
#'   every kept draw, one line per chain; of a variational fit the bound, pass by pass, one line per
#'   start.
#' @param ... Must be empty.
#' @param n How many words a topic, or how many actors' names, at most.
#' @return `x`, invisibly.
#' @section Errors: of class `ldpcounts_error` for another `type`.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' plot(fit)
#' plot(fit, type = "trace")
#' @export
plot.ldp_fit <- function(x, type = c("components", "trace"), ..., n = 8) {
  check_no_dots(...)
  type <- check_choice(type, "type", c("components", "trace"))
  n <- check_whole(n, "n", 1)
  if (type == "trace") {
    plot_trace(x)
  } else if (is_network(x)) {
    plot_communities(coef(x))
  } else if (inherits(x, "tensor_model")) {
    plot_modes(coef(x)[model_of(x)$factors])
  } else {
    plot_topics(coef(x)$phi, n)
  }
  invisible(x)
}

plot_trace <- function(fit) {
  if (is_cavi(fit)) {
    bounds <- lapply(fit$chains, `[[`, "elbo")
    passes <- max(lengths(bounds))
    graphics::matplot(vapply(bounds, function(x) x[seq_len(passes)], numeric(passes)),
      type = "l", lty = 1, xlab = "pass", ylab = "ELBO", main = model_of(fit)$label
    )
    return(invisible())
  }
  totals <- matrix(total_draws(fit), fit$run$kept)
  sweeps <- fit$run$warmup + seq_len(fit$run$kept) * fit$run$thin
  graphics::matplot(sweeps, totals,
    type = "l", lty = 1, xlab = "sweep", ylab = "total of mu",
    main = paste(model_of(fit)$label, "after the warmup")
  )
}

plot_topics <- function(phi, n, most = 12) {
  shown <- seq_len(min(nrow(phi), most))
  columns <- ceiling(sqrt(length(shown)))
  old <- graphics::par(
    mfrow = c(ceiling(length(shown) / columns), columns), mar = c(2, 6, 2, 1)
  )
  on.exit(graphics::par(old))
  for (k in shown) {
    words <- rev(top_words(phi[k, , drop = FALSE], n)[, 1])
    weights <- rev(sort(phi[k, ], decreasing = TRUE)[seq_along(words)])
    graphics::barplot(weights,
      names.arg = words, horiz = TRUE, las = 1, border = NA, col = "#4393c3",
      main = rownames(phi)[k], cex.names = 0.8, cex.axis = 0.7
    )
  }
}

plot_communities <- function(coef) {
  old <- graphics::par(mfrow = c(1, 2), mar = c(6, 6, 3, 2))
  on.exit(graphics::par(old))
  heat_map(coef$pi, main = "pi: from row to column")
  plot_weights(coef$theta, "theta: weights of the actors")
}

# Rows with the same main component together, the largest weights first.
plot_weights <- function(theta, main) {
  component <- max.col(theta, ties.method = "first")
  rows <- order(component, -theta[cbind(seq_along(component), component)])
  heat_map(theta[rows, , drop = FALSE], main = main, labels = length(rows) <= 60)
}

plot_modes <- function(factors) {
  columns <- ceiling(sqrt(length(factors)))
  rows <- ceiling(length(factors) / columns)
  old <- graphics::par(mfrow = c(rows, columns), mar = c(6, 6, 3, 2))
  on.exit(graphics::par(old))
  for (name in names(factors)) {
    plot_weights(sweep(factors[[name]], 2, colSums(factors[[name]]), `/`), name)
  }
}
