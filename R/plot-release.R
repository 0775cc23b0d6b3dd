# Plots of a release: a heat map, and a histogram.

#' @rdname private_counts
#' @export
plot.private_counts <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @rdname private_counts
#' @param object A `private_counts`.
#' @param main,limit,labels For `plot()` and `autoplot()`, which draw a [heat_map()]: a title, the count at
#'   which colours saturate, and whether names of rows and columns are written. With `NULL`, the defaults of
#'   `heat_map()` are used, and the title states `epsilon`. `plot()` returns the picture, a ggplot, invisibly.
#' @exportS3Method ggplot2::autoplot
autoplot.private_counts <- function(object, ..., main = NULL, limit = NULL, labels = NULL) {
  check_no_dots(...)
  if (is.null(main)) main <- paste("Released counts, epsilon =", format_range(privacy(object)$epsilon))
  titles <- names(dimnames(object))
  if (is.null(titles)) titles <- c("row", "column")
  maps_figure(list(map_of(object, main, titles[2], titles[1], limit, labels)))
}

# Each bar stands for one count, or for as many counts as are needed to have at most 60 bars.
#' @importFrom graphics hist
#' @export
hist.private_counts <- function(x, breaks = whole_breaks(x), main = "Released counts",
                                xlab = "released count", ..., warn.unused = FALSE) {
  graphics::hist(as.double(x), breaks, main = main, xlab = xlab, ..., warn.unused = warn.unused)
}

whole_breaks <- function(x) {
  ends <- range(0, as.double(x), na.rm = TRUE)
  width <- ceiling((diff(ends) + 1) / 60)
  seq(ends[1] - 0.5, ends[2] - 0.5 + width, by = width)
}
