# Heat maps of signed counts: red above zero and blue below, as in Schein et al. (2019), on a scale on which
# both 1 and 1000 are visible. A map is a list:
#
#   values          a matrix of tiles: cells or, if there are many, means of blocks of cells
#   size            the numbers of rows and columns of cells in a tile
#   rows, columns   axes, see new_axis()
#   limit, signed   the count at which colours saturate; does the colour scale go below zero?
#   complete        are all values within the scale, so that its ends have marks?
#   title, note     title and subtitle
#   what            the title of the colour scale
#   borders         rows and columns after which lines are drawn

#' Heat map of counts or means
#'
#' Draws a matrix with its first row at the top. Positive cells are red, negative cells blue, and missing
#' cells grey. The intensity of colours is proportional to `asinh(x)`, which is close to a logarithm for large
#' counts.
#'
#' If `x` has more than 400 rows or columns, each tile shows the mean of a block of cells. The mean is
#' computed on the scale of the colours, so that a few large counts do not hide many small ones. The subtitle
#' says how many cells a tile has. A sparse matrix is not converted to a dense one.
#'
#' To draw several matrices side by side, give a named list, whose panels have one scale of colours
#' (`par(mfrow = )` has no effect on a ggplot).
#'
#' @param x A matrix, a [private_counts()], or any other of the [objects that hold counts][data-objects]; or a
#'   list of several, named by the titles of their panels.
#' @param ... Must be empty.
#' @param xlab,ylab Titles of the axes: what columns and rows are.
#' @param limit The count at which colours saturate. By default the largest absolute value that is drawn,
#'   which then has a mark at the end of the colour scale.
#' @param main A title, or `NULL`.
#' @param labels `TRUE` to write the labels of rows and columns, shortened to 20 letters; `FALSE` for bare
#'   axes. By default, axes have labels if there are at most 30 rows and columns, and numbers otherwise. Labels
#'   that would overlap others are left out.
#' @param legend If `TRUE`, draw a colour scale at the right. It includes negative values if `x` does.
#' @param rows If `x` is a list, the number of rows of panels; by default about as many rows as columns.
#' @return The picture, a ggplot, invisibly.
#' @section Errors: `heat_map()` stops with an error of class `ldpcounts_error` if `x` is neither a matrix of
#' numbers nor a named list of such matrices, and if `limit` is not positive.
#' @examples
#' heat_map(enron_network, main = "Messages")
#' released <- privatize(enron_network, epsilon = 0.5)
#' heat_map(list("True counts" = enron_network, Released = released), labels = FALSE)
#' @export
heat_map <- function(x, ..., limit = NULL, main = NULL, xlab = NULL, ylab = NULL,
                     labels = NULL, legend = TRUE, rows = NULL) {
  check_no_dots(...)
  legend <- check_flag(legend, "legend")
  if (!is.null(rows)) rows <- check_whole(rows, "rows", 1)
  several <- rlang::is_bare_list(x) && length(x) > 0
  check_that(!several || rlang::is_named(x),
    "Each matrix in the list {.arg x} must have a name, the title of its panel."
  )
  if (!several) x <- stats::setNames(list(x), "")
  call <- rlang::current_env()
  maps <- unname(Map(function(x, title) map_of(x, title, xlab, ylab, limit, labels, call),
    x, make.unique(names(x))
  ))
  largest <- max(vapply(maps, `[[`, 0, "limit"))
  draw_figure(maps_figure(lapply(maps, replace, "limit", largest), main, legend, rows, panels = several))
}

# By default, labels are written if there are at most this many.
MOST_NAMES <- 30

map_of <- function(x, main, xlab, ylab, limit, labels, call = rlang::caller_env()) {
  x <- given_counts(x, "x", role = "shown", call = call)
  check_that(length(dim(x)) == 2 && all(dim(x) > 0), c(
    "{.arg x} must have two modes, with at least one row and one column.",
    x = "It is {paste(dim(x), collapse = ' x ')}.",
    i = if (length(dim(x)) > 2) "Plot a slice, such as {.code x[, , 1, drop = TRUE]}."
  ), call)
  counts <- table_of(x)$counts
  if (!is.null(limit)) limit <- check_positive(limit, "limit", call)
  labelled <- if (is.null(labels)) max(dim(x)) <= MOST_NAMES else check_flag(labels, "labels", call)
  at <- if (isFALSE(labels)) numeric()
  names <- if (labelled) dimnames(counts)
  new_map(counts, main, limit,
    rows = new_axis(nrow(counts), names[[1]], at, ylab),
    columns = new_axis(ncol(counts), names[[2]], at, xlab)
  )
}

new_map <- function(counts, title, limit = NULL, rows, columns, borders = integer(), what = "count") {
  size <- ceiling(dim(counts) / 400)
  values <- tile_means(counts, size)
  largest <- max(0, abs(values), na.rm = TRUE)
  complete <- is.null(limit)
  if (complete) limit <- if (largest > 0) largest else 1
  list(
    values = values, size = size, rows = rows, columns = columns, borders = borders,
    limit = limit, complete = complete,
    signed = any(values < 0, na.rm = TRUE), what = what, title = title,
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
  stored <- function(x) is.na(x) | x != 0
  cells <- cells_where(counts, stored)
  values <- asinh(values_where(counts, stored))
  place <- place_in(ceiling(sweep(cells, 2, size, `/`)), tiles)
  missing <- is.na(values)
  n <- outer(tile_extents(nrow(counts), size[1]), tile_extents(ncol(counts), size[2])) -
    tabulate(place[missing], prod(tiles))
  sums <- sum_by_line(values[!missing], place[!missing], prod(tiles))
  matrix(ifelse(n > 0, sinh(sums / as.vector(n)), NA), tiles[1])
}

tile_extents <- function(n, size) diff(c(seq(0, n - 1, by = size), n))

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
signed_colours <- function(n = 201) {
  grDevices::colorRampPalette(c("#2166ac", "#67a9cf", "#f7f7f7", "#d6604d", "#67001f"))(n)
}

# Counts at which a colour scale has marks: 0 and up to four others, which are powers of ten if there are at
# least two within the limits. `ends`: are there marks at the ends too? Marks near these are then left out.
scale_marks <- function(limit, signed, ends = FALSE) {
  inside <- function(marks) marks[marks <= limit & signed_scale(marks, limit) >= 0.12]
  powers <- 10^(-6:15)
  marks <- inside(powers)
  if (length(marks) < 2) marks <- inside(as.vector(outer(c(1, 2, 5), powers)))
  while (length(marks) > 4) marks <- rev(rev(marks)[c(TRUE, FALSE)])
  if (ends) marks <- c(marks[signed_scale(marks, limit) <= 0.88], limit)
  if (signed) c(-rev(marks), 0, marks) else c(0, marks)
}

format_marks <- function(marks) {
  vapply(marks, format, "", scientific = FALSE, big.mark = ",", digits = 3)
}

# --- the picture ----------------------------------------------------------------------------------

# Maps as panels, each with its own axes, whose labels are looked up by panel and tile. There is one colour
# scale. If maps have different limits, its end stands for the limit of each map.
maps_figure <- function(maps, title = maps[[1]]$title, legend = TRUE, rows = NULL,
                        panels = length(maps) > 1) {
  if (is.null(rows)) rows <- grDevices::n2mfrow(length(maps))[2]
  columns <- ceiling(length(maps) / rows)
  common <- length(unique(vapply(maps, `[[`, 0, "limit"))) == 1
  tiles <- do.call(rbind, Map(map_frame, maps, seq_along(maps), common))
  notes <- unique(unlist(lapply(maps, `[[`, "note")))
  ggplot2::ggplot(tiles, ggplot2::aes(.data$column, .data$row, fill = .data$shade)) +
    ggplot2::geom_raster() +
    shade_scale(maps[[1]], common, any(vapply(maps, `[[`, TRUE, "signed")), legend) +
    key_scale(ggplot2::scale_x_discrete, maps, "columns") +
    key_scale(ggplot2::scale_y_discrete, maps, "rows") +
    ggplot2::labs(
      x = one_title(maps, "columns"), y = one_title(maps, "rows"), title = title,
      subtitle = if (length(notes) > 0) paste(notes, collapse = "; ")
    ) +
    map_theme(maps, rows, columns) +
    no_overlap(if (has_names(maps, "columns")) 90) +
    if (panels) {
      ggplot2::facet_wrap(ggplot2::vars(.data$map), rows, scales = "free", labeller = panel_titles(columns))
    } else {
      border_lines(maps[[1]])
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

shade_scale <- function(map, common, signed, legend) {
  marks <- if (common) scale_marks(map$limit, signed, map$complete) else c(0, map$limit)
  ggplot2::scale_fill_gradientn(map$what,
    colours = signed_colours()[if (signed) 1:201 else 101:201], limits = if (signed) c(-1, 1) else c(0, 1),
    breaks = signed_scale(marks, map$limit), labels = if (common) format_marks(marks) else c("0", "largest"),
    na.value = "grey75",
    guide = if (legend) ggplot2::guide_colourbar(barheight = ggplot2::unit(10, "lines")) else "none"
  )
}

border_lines <- function(map) {
  if (length(map$borders) > 0) {
    x <- map$borders / map$size[2] + 0.5
    y <- nrow(map$values) - map$borders / map$size[1] + 0.5
    list(
      ggplot2::geom_vline(xintercept = x, colour = "grey45", linewidth = 0.3),
      ggplot2::geom_hline(yintercept = y, colour = "grey45", linewidth = 0.3)
    )
  }
}

# One row per tile. Keys of rows and columns: the panel, and the number of the tile in it.
map_frame <- function(map, panel = 1, common = TRUE) {
  tiles <- dim(map$values)
  key <- function(n) paste0(panel, ":", seq_len(n))
  data.frame(
    map = factor(panel, labels = paste0(
      map$title, if (!common) paste0(" (largest:\u00a0", format_marks(map$limit), ")")
    )),
    row = factor(rep(key(tiles[1]), tiles[2]), rev(key(tiles[1]))),
    column = factor(rep(key(tiles[2]), each = tiles[1]), key(tiles[2])),
    count = as.vector(map$values), shade = as.vector(signed_scale(map$values, map$limit))
  )
}

# The labels of an axis, named by the keys of their tiles.
axis_keys <- function(axis, panel, size) {
  keys <- sprintf("%d:%d", as.integer(panel), as.integer(ceiling(axis$at / size)))
  stats::setNames(shorten(axis$text, 20), keys)
}

key_scale <- function(scale, maps, axis) {
  side <- if (axis == "rows") 1 else 2
  labels <- unlist(lapply(seq_along(maps), function(panel) {
    axis_keys(maps[[panel]][[axis]], panel, maps[[panel]]$size[side])
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
#' @param main,limit,labels For `plot()` and `autoplot()`, which draw a [heat_map()]: a title, the count at
#'   which colours saturate, and whether names of rows and columns are written. With `NULL`, the defaults of
#'   `heat_map()` are used, and the title states `epsilon`. `plot()` returns the picture, a ggplot, invisibly.
#' @exportS3Method ggplot2::autoplot
autoplot.private_counts <- function(object, ..., main = NULL, limit = NULL, labels = NULL) {
  check_no_dots(...)
  if (is.null(main)) main <- paste("Released counts, epsilon =", format_range(privacy(object)$epsilon))
  titles <- mode_titles(2, names(dimnames(object)))
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
