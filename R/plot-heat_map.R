# Heat maps of signed counts: red above zero and blue below, as in Schein et al. (2019), on a scale on which
# both 1 and 1000 are visible. A map is a list:
#
#   values          a matrix of tiles: cells or, if there are many, means of blocks of cells
#   size            the numbers of rows and columns of cells in a tile
#   rows, columns   axes, see new_axis()
#   limit           the count at which colours saturate
#   title, note     title and subtitle
#   what            the title of the colour scale

#' Heat map of counts or means
#'
#' Draws a matrix with its first row at the top. Positive cells are red, negative cells blue, and missing
#' cells grey. The intensity of colours is proportional to `asinh(x)`, which is close to a logarithm for large
#' counts.
#'
#' If `x` has more than 400 rows or columns, each tile shows the mean of a block of cells. The mean is
#' computed on the scale of the colours, so that a few large counts do not hide many small ones. The subtitle
#' says how many cells a tile has. A sparse matrix is not converted to a dense one. Axes have labels,
#' shortened to 20 letters, if there are at most 30 rows and columns, and numbers otherwise.
#'
#' To draw several matrices side by side, give a named list, whose panels have one scale of colours
#' (`par(mfrow = )` has no effect on a ggplot).
#'
#' @param x A matrix, a [private_counts()], or any other of the [objects that hold counts][data-objects]; or a
#'   list of several, named by the titles of their panels.
#' @param ... Must be empty.
#' @param limit The count at which colours saturate. By default the largest absolute value that is drawn.
#' @param main A title, or `NULL`.
#' @param rows If `x` is a list, the number of rows of panels; by default about as many rows as columns.
#' @return The picture, a ggplot, invisibly.
#' @section Errors: `heat_map()` stops with an error of class `ldpcounts_error` if `x` is neither a matrix of
#' numbers nor a named list of such matrices, and if `limit` is not positive.
#' @examples
#' heat_map(enron_network, main = "Messages")
#' released <- privatize(enron_network, epsilon = 0.5)
#' heat_map(list("True counts" = enron_network, Released = released))
#' @export
heat_map <- function(x, ..., limit = NULL, main = NULL, rows = NULL) {
  check_no_dots(...)
  if (!is.null(rows)) rows <- check_whole(rows, "rows", 1)
  several <- rlang::is_bare_list(x) && length(x) > 0
  check_that(!several || rlang::is_named(x),
    "Each matrix in the list {.arg x} must have a name, the title of its panel."
  )
  if (!several) x <- stats::setNames(list(x), "")
  call <- rlang::current_env()
  maps <- Map(function(x, title) map_of(x, title, limit, call = call), x, make.unique(names(x)))
  draw_figure(maps_figure(unname(maps), main, rows, panels = several))
}

# Labels are written if there are at most this many.
MOST_NAMES <- 30

# `titles`: of rows and columns, or NULL.
map_of <- function(x, main, limit, titles = NULL, call = rlang::caller_env()) {
  x <- given_counts(x, "x", role = "shown", call = call)
  check_that(length(dim(x)) == 2 && all(dim(x) > 0), c(
    "{.arg x} must have two modes, with at least one row and one column.",
    x = "It is {paste(dim(x), collapse = ' x ')}.",
    i = if (length(dim(x)) > 2) "Plot a slice, such as {.code x[, , 1, drop = TRUE]}."
  ), call)
  counts <- table_of(x)$counts
  if (!is.null(limit)) limit <- check_positive(limit, "limit", call)
  names <- if (max(dim(x)) <= MOST_NAMES) dimnames(counts)
  new_map(counts, main, limit,
    rows = new_axis(nrow(counts), names[[1]], title = titles[1]),
    columns = new_axis(ncol(counts), names[[2]], title = titles[2])
  )
}

new_map <- function(counts, title, limit = NULL, rows, columns, what = "count") {
  size <- ceiling(dim(counts) / 400)
  values <- tile_means(counts, size)
  if (is.null(limit)) limit <- max(0, abs(values), na.rm = TRUE)
  list(
    values = values, size = size, rows = rows, columns = columns, limit = if (limit > 0) limit else 1,
    what = what, title = title,
    note = c(
      if (any(size > 1)) paste("a tile:", paste(size, collapse = " x "), "cells"),
      if (anyNA(values)) "grey: no data"
    )
  )
}

# Means of blocks of `size` cells, on the scale of the colours (asinh); NA if all cells of a block are
# missing. Blocks at the ends may have fewer cells.
tile_means <- function(counts, size) {
  if (all(size == 1)) {
    return(unname(as.matrix(counts)))
  }
  tiles <- ceiling(dim(counts) / size)
  extents <- function(mode) diff(c(seq(0, dim(counts)[mode] - 1, by = size[mode]), dim(counts)[mode]))
  stored <- function(x) is.na(x) | x != 0
  cells <- cells_where(counts, stored)
  values <- asinh(values_where(counts, stored))
  place <- place_in(ceiling(sweep(cells, 2, size, `/`)), tiles)
  missing <- is.na(values)
  n <- outer(extents(1), extents(2)) - tabulate(place[missing], prod(tiles))
  sums <- sum_by_line(values[!missing], place[!missing], prod(tiles))
  matrix(ifelse(n > 0, sinh(sums / as.vector(n)), NA), tiles[1])
}

# An axis of n cells: its title or NULL, the positions of its ticks (`at`, in cells), and their labels, which
# are the names or, if there are none, numbers. `at` may be numeric(0): no ticks.
new_axis <- function(n, names = NULL, at = NULL, title = NULL) {
  if (is.null(at)) {
    at <- if (is.null(names) && n > 10) pretty(c(1, n)) else seq_len(n)
    at <- at[at >= 1 & at <= n & is_whole(at)]
  }
  text <- if (is.null(names)) format(at, big.mark = ",", trim = TRUE) else names
  list(n = n, at = at, text = as.character(text), named = !is.null(names), title = title)
}

signed_scale <- function(x, limit) pmax(pmin(asinh(x) / asinh(limit), 1), -1)

# Red is darker than the blue for the same absolute value, so that the sign of large counts can be seen in
# grey prints.
signed_colours <- function() {
  grDevices::colorRampPalette(c("#2166ac", "#67a9cf", "#f7f7f7", "#d6604d", "#67001f"))(201)
}

# Counts at which a colour scale has marks: 0, its ends, and up to four others, which are powers of ten if
# there are at least two within the limits.
scale_marks <- function(limit, signed) {
  inside <- function(marks) marks[marks <= limit & signed_scale(marks, limit) >= 0.12]
  powers <- 10^(-6:15)
  marks <- inside(powers)
  if (length(marks) < 2) marks <- inside(as.vector(outer(c(1, 2, 5), powers)))
  while (length(marks) > 4) marks <- rev(rev(marks)[c(TRUE, FALSE)])
  marks <- c(marks[signed_scale(marks, limit) <= 0.88], limit)
  if (signed) c(-rev(marks), 0, marks) else c(0, marks)
}

format_marks <- function(marks) {
  vapply(marks, format, "", scientific = FALSE, big.mark = ",", digits = 3)
}

# --- the picture ----------------------------------------------------------------------------------

# Maps as panels, each with its own axes, whose labels are looked up by panel and tile. There is one colour
# scale.
maps_figure <- function(maps, title = maps[[1]]$title, rows = NULL, panels = length(maps) > 1) {
  if (is.null(rows)) rows <- grDevices::n2mfrow(length(maps))[2]
  columns <- ceiling(length(maps) / rows)
  limit <- max(vapply(maps, `[[`, 0, "limit"))
  tiles <- do.call(rbind, Map(map_frame, maps, seq_along(maps), limit))
  signed <- any(tiles$count < 0, na.rm = TRUE)
  marks <- scale_marks(limit, signed)
  notes <- unique(unlist(lapply(maps, `[[`, "note")))
  ggplot2::ggplot(tiles, ggplot2::aes(.data$column, .data$row, fill = .data$shade)) +
    ggplot2::geom_raster() +
    ggplot2::scale_fill_gradientn(maps[[1]]$what,
      colours = signed_colours()[if (signed) 1:201 else 101:201], limits = if (signed) c(-1, 1) else c(0, 1),
      breaks = signed_scale(marks, limit), labels = format_marks(marks), na.value = "grey75",
      guide = ggplot2::guide_colourbar(barheight = ggplot2::unit(10, "lines"))
    ) +
    key_scale(ggplot2::scale_x_discrete, maps, "columns") +
    key_scale(ggplot2::scale_y_discrete, maps, "rows") +
    ggplot2::labs(
      x = one_title(maps, "columns"), y = one_title(maps, "rows"), title = title,
      subtitle = if (length(notes) > 0) paste(notes, collapse = "; ")
    ) +
    map_theme(maps, rows, columns) +
    no_overlap(if (has_names(maps, "columns")) 90) + if (panels) {
      ggplot2::facet_wrap(ggplot2::vars(.data$map), rows, scales = "free", labeller = panel_titles(columns))
    }
}

has_names <- function(maps, axis) any(vapply(maps, function(map) map[[axis]]$named, TRUE))

# The theme of a map. The more names of rows and columns there are, the smaller they are written.
map_theme <- function(maps, rows, columns) {
  points <- function(axis, inches) {
    n <- max(1, vapply(maps, function(map) length(map[[axis]]$at), 0L))
    if (has_names(maps, axis)) text_points(n, inches)
  }
  none <- ggplot2::element_blank()
  ggplot2::theme(
    panel.grid = none, axis.line = none, axis.ticks = none, strip.clip = "off",
    panel.border = ggplot2::element_rect(fill = NA, colour = "grey60"),
    axis.text.y = ggplot2::element_text(size = points("rows", 4 / rows)),
    axis.text.x = ggplot2::element_text(size = points("columns", 5 / columns))
  )
}

# One row per tile. Keys of rows and columns: the panel, and the number of the tile in it.
map_frame <- function(map, panel = 1, limit = map$limit) {
  tiles <- dim(map$values)
  key <- function(n) paste0(panel, ":", seq_len(n))
  data.frame(
    map = factor(panel, labels = map$title),
    row = factor(rep(key(tiles[1]), tiles[2]), rev(key(tiles[1]))),
    column = factor(rep(key(tiles[2]), each = tiles[1]), key(tiles[2])),
    count = as.vector(map$values), shade = as.vector(signed_scale(map$values, limit))
  )
}

# The scale of an axis, whose labels are named by the keys of their tiles.
key_scale <- function(scale, maps, axis) {
  labels <- unlist(lapply(seq_along(maps), function(panel) {
    shown <- maps[[panel]][[axis]]
    size <- maps[[panel]]$size[if (axis == "rows") 1 else 2]
    stats::setNames(shorten(shown$text, 20), sprintf("%d:%d", panel, as.integer(ceiling(shown$at / size))))
  }))
  scale(
    breaks = if (length(labels) > 0) function(keys) intersect(keys, names(labels)),
    labels = function(keys) labels[keys], expand = c(0, 0)
  )
}

# The title of axes that share one.
one_title <- function(maps, axis) {
  titles <- unique(lapply(maps, function(map) map[[axis]]$title))
  if (length(titles) == 1) titles[[1]]
}

#' @rdname private_counts
#' @export
plot.private_counts <- plot_figure

#' @rdname private_counts
#' @param object A `private_counts`.
#' @param main,limit For `plot()` and `autoplot()`, which draw a [heat_map()]: a title, and the count at which
#'   colours saturate. With `NULL`, the title states `epsilon`. `plot()` returns the picture, a ggplot,
#'   invisibly.
#' @exportS3Method ggplot2::autoplot
autoplot.private_counts <- function(object, ..., main = NULL, limit = NULL) {
  check_no_dots(...)
  if (is.null(main)) main <- paste("Released counts, epsilon =", format_range(privacy(object)$epsilon))
  maps_figure(list(map_of(object, main, limit, mode_titles(2, names(dimnames(object))))))
}
