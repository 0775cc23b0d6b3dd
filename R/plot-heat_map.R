# Signed counts are red above zero and blue below, as in Schein et al. (2019), on a scale that keeps both
# 1 and 1000 visible. A map is prepared once, as a list that base graphics and ggplot2 draw alike:
#
#   values        a matrix of tiles: cells, or means of blocks of them where these are many
#   size          rows and columns of cells that a tile stands for
#   rows, columns     axes, see new_axis()
#   limit, signed     the count at which colours saturate; does their scale go below zero?
#   title, note   what stands above it
#   what          what the colours are of
#   borders       rows and columns after which lines are drawn

#' Heat map of counts or means
#'
#' Rows from top to bottom, red above zero, blue below, grey where a cell is missing. Colours go
#' with `asinh(x)`, about the logarithm for large counts.
#'
#' What has more than 400 rows or columns is drawn by tiles, each the mean of a block of cells on the scale
#' of colours, so that a few large counts do not hide many small ones; the title says how many cells a tile
#' has. A sparse matrix is never made dense for that.
#'
#' @param x A matrix, a [private_counts()], or any other of the [objects that hold counts][data-objects].
#' @param ... Passed to [graphics::image()].
#' @param xlab,ylab What columns and rows are.
#' @param limit The count at which colours saturate; give the same to several maps to compare
#'   them. By default the largest absolute value that is drawn.
#' @param main A title.
#' @param labels `TRUE` to write the labels of rows and columns, in margins that are made wide enough for them
#'   (up to two fifths of the figure; then labels are shortened) and put back; `FALSE` for bare axes. By
#'   default labels where there are at most 30 rows and columns, otherwise numbers.
#' @param legend Draw a colour scale at the right? It goes below zero where `x` does.
#' @return `limit`, invisibly.
#' @section Errors: of class `ldpcounts_error` when `x` is no matrix of numbers, or `limit` not
#'   positive, and for settings of `image()` that the map makes itself, such as `col`.
#' @examples
#' heat_map(enron_network, main = "Messages")
#' heat_map(privatize(enron_network, epsilon = 0.5), main = "Released")
#' @srrstats {UL6.2} labels are drawn where there is room for them.
#' @export
heat_map <- function(x, ..., limit = NULL, main = "", xlab = "", ylab = "",
                     labels = NULL, legend = TRUE) {
  check_given(missing(x), "x")
  check_own_settings(...names())
  legend <- check_flag(legend, "legend")
  main <- check_title(main, "main")
  xlab <- check_title(xlab, "xlab")
  ylab <- check_title(ylab, "ylab")
  map <- map_of(x, main, xlab, ylab, limit, labels)
  if (!map$rows$named && !map$columns$named) {
    draw_map(map, legend, ...)
    return(invisible(map$limit))
  }
  graphics::plot.new() # labels can be measured from here on
  wanted <- c(
    if (map$columns$named) margin_lines(1, map$columns) else 0,
    if (map$rows$named) margin_lines(2, map$rows) else 0, 0, 0
  )
  margins <- list(mar = pmax(wanted, graphics::par("mar")), new = TRUE)
  with_par(margins, draw_map(map, legend, ...))
  invisible(map$limit)
}

# Of image(), which the map itself sets.
check_own_settings <- function(names, call = rlang::caller_env()) {
  taken <- intersect(names, c("col", "breaks", "axes", "xlim", "ylim", "useRaster", "x", "y", "z"))
  if (length(taken) > 0) {
    ldp_abort(c("{.arg {taken[1]}} cannot be set: colours stand for the sign and size of counts.",
      i = "{.arg limit} sets the count at which they saturate."
    ), class = "ldpcounts_argument_error", call = call)
  }
}

# NULL is none, as in base graphics.
check_title <- function(x, arg, call = rlang::caller_env()) {
  if (is.null(x)) {
    return("")
  }
  if (!rlang::is_string(x) || is.na(x)) {
    abort_argument(x, arg, "NULL or one text", call)
  }
  x
}

# So many names are written unasked, so many tiles drawn on each side.
MOST_NAMES <- 30
MOST_TILES <- 400

map_of <- function(x, main, xlab, ylab, limit, labels, call = rlang::caller_env()) {
  x <- given_counts(x, "x", role = "shown", call = call)
  if (length(dim(x)) > 2) {
    ldp_abort(c("{.arg x} must have two modes, and has {length(dim(x))}.",
      i = "Draw a slice, such as {.code x[, , 1, drop = TRUE]}."
    ), class = "ldpcounts_argument_error", call = call)
  }
  counts <- table_of(x)$counts
  bare <- !is.null(labels) && !check_flag(labels, "labels", call)
  labelled <- if (is.null(labels)) max(dim(x)) <= MOST_NAMES else labels
  if (length(counts) == 0) {
    ldp_abort("{.arg x} must have at least one row and one column.",
      class = "ldpcounts_argument_error", call = call
    )
  }
  if (!is.null(limit)) limit <- check_positive(limit, "limit", call)
  names <- if (labelled) dimnames(counts)
  at <- if (bare) numeric()
  new_map(counts, main, limit,
    rows = new_axis(nrow(counts), names[[1]], at, ylab),
    columns = new_axis(ncol(counts), names[[2]], at, xlab)
  )
}

new_map <- function(counts, title, limit = NULL, rows, columns, borders = integer(), what = "count") {
  size <- ceiling(dim(counts) / MOST_TILES)
  values <- tile_means(counts, size)
  list(
    values = values, size = size, rows = rows, columns = columns, borders = borders,
    limit = if (is.null(limit)) largest_size(values) else limit, signed = any(values < 0, na.rm = TRUE),
    what = what, title = title,
    note = paste(c(
      if (any(size > 1)) paste("a tile:", paste(size, collapse = " x "), "cells"),
      if (anyNA(values)) "grey: no data"
    ), collapse = "; ")
  )
}

largest_size <- function(values) {
  largest <- max(0, abs(values), na.rm = TRUE)
  if (largest > 0) largest else 1
}

# Blocks of `size` cells: their means on the scale of colours, asinh, NA where all are missing. Blocks at
# the ends have fewer cells.
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
  means <- sinh(sums / as.vector(n))
  matrix(ifelse(n > 0, means, NA), tiles[1])
}

tile_extents <- function(n, size) diff(c(seq(0, n - 1, by = size), n))

# An axis of n cells: its title, where it has ticks (`at`, in cells), and what they are called. By default
# the names, or numbers where there are none. `at` may be numeric(0): no ticks.
new_axis <- function(n, names = NULL, at = NULL, title = "") {
  if (is.null(at)) {
    at <- if (is.null(names)) number_ticks(n) else seq_len(n)
  }
  text <- if (is.null(names)) format(at, big.mark = ",", trim = TRUE) else names
  list(n = n, at = at, text = as.character(text), named = !is.null(names), title = title)
}

number_ticks <- function(n) {
  at <- if (n <= 10) seq_len(n) else pretty(c(1, n))
  at[at >= 1 & at <= n & is_whole(at)]
}

signed_scale <- function(x, limit) pmax(pmin(asinh(x) / asinh(limit), 1), -1)

# Red is darker than the blue of the same size, so that large counts have their sign in grey prints too.
signed_colours <- function(n = 201) {
  grDevices::colorRampPalette(c("#2166ac", "#67a9cf", "#f7f7f7", "#d6604d", "#67001f"))(n)
}

MISSING_COLOUR <- "grey75"
BORDER_COLOUR <- "grey45"

# Counts at which a colour scale has marks: 0 and up to four others, powers of ten if two of them are there.
scale_marks <- function(limit, signed) {
  inside <- function(marks) {
    at <- signed_scale(marks, limit)
    marks[marks <= limit & at >= 0.12]
  }
  powers <- 10^(-6:15)
  marks <- inside(powers)
  if (length(marks) < 2) marks <- inside(as.vector(outer(c(1, 2, 5), powers)))
  while (length(marks) > 4) marks <- rev(rev(marks)[c(TRUE, FALSE)])
  if (signed) c(-rev(marks), 0, marks) else c(0, marks)
}

format_marks <- function(marks) {
  vapply(marks, format, "", scientific = FALSE, big.mark = ",", digits = 3)
}

# --- base graphics --------------------------------------------------------------------------------

# The colour scale and its labels take this part of the map's own width.
LEGEND_SHARE <- 0.2

# Cell (i, j) stands at x = j, y = -i.
draw_map <- function(map, legend = TRUE, ...) {
  tiles <- dim(map$values)
  rows <- map$rows$n
  columns <- map$columns$n
  width <- if (legend) LEGEND_SHARE * columns else 0
  z <- t(signed_scale(map$values, map$limit))[, tiles[1]:1, drop = FALSE]
  z[is.na(z)] <- 2
  graphics::image(
    tile_edges(tiles[2], map$size[2]), -rev(tile_edges(tiles[1], map$size[1])), z,
    breaks = c(seq(-1.001, 1.001, length.out = 202), 3), col = c(signed_colours(), MISSING_COLOUR),
    axes = FALSE, xlim = c(0.5, columns + 0.5 + width), ylim = c(-rows - 0.5, -0.5), xlab = "", ylab = "",
    useRaster = TRUE, ...
  )
  draw_title(map$title, map$note)
  if (length(map$borders) > 0) {
    graphics::segments(0.5, -map$borders - 0.5, columns + 0.5, col = BORDER_COLOUR, lwd = 0.7)
    graphics::segments(map$borders + 0.5, -0.5, y1 = -rows - 0.5, col = BORDER_COLOUR, lwd = 0.7)
  }
  graphics::rect(0.5, -0.5, columns + 0.5, -rows - 0.5, border = "grey60")
  draw_axis(1, map$columns, columns + width)
  draw_axis(2, map$rows, rows)
  if (legend) draw_scale(map, columns, rows, width)
}

tile_edges <- function(n, size) 0.5 + size * (0:n)

# Labels of rows lie, those of columns stand unless they are numbers; as small as there are many, and
# shortened to what the margin holds. `extent`: cells that the side of the plot is long.
draw_axis <- function(side, axis, extent) {
  named <- axis$named && length(axis$at) > 0
  room <- graphics::par("pin")[side] / extent * axis$n / max(1, length(axis$at))
  size <- if (named) axis_size(room) else LABEL_SIZE
  if (named) {
    inner <- if (nzchar(axis$title)) 1.3 else 0.2
    margin <- graphics::par("mai")[side] - (inner + 0.4) * line_height()
    text <- fit_text(axis$text, margin, size)
    line <- graphics::par("mar")[side] - 1.2
  } else {
    text <- axis$text
    line <- title_line(side, axis)
  }
  if (length(axis$at) > 0) {
    graphics::axis(side, if (side == 2) -axis$at else axis$at, text,
      las = if (named) 2 else 1, cex.axis = size, tick = !named, mgp = c(3, if (named) 0.2 else 0.4, 0),
      tcl = -0.25, lwd = 0, lwd.ticks = 0.7, gap.axis = if (named) -1 else NA
    )
  } else {
    line <- 0.6
  }
  graphics::title(
    xlab = if (side == 1) axis$title else "", ylab = if (side == 2) axis$title else "", line = line,
    cex.lab = 0.9
  )
}

# Where the title of an axis of numbers stands, which lie at both sides.
title_line <- function(side, axis) {
  if (side == 1) {
    return(1.8)
  }
  max(1.8, 0.7 + max(0, graphics::strwidth(axis$text, "inches", cex = LABEL_SIZE)) / line_height())
}

# Lines of margin that the labels of an axis want, but no more than a share of the figure.
margin_lines <- function(side, axis, share = 0.42) {
  figure <- graphics::par("fin")[3 - side] # a margin is as wide as its labels are long
  if (!axis$named) {
    return(max(3.2, title_line(side, axis) + 1))
  }
  line <- line_height()
  text <- max(0, graphics::strwidth(axis$text, "inches", cex = LABEL_SIZE))
  wanted <- text / line + if (nzchar(axis$title)) 1.9 else 1
  max(2, min(wanted, share * figure / line))
}

draw_scale <- function(map, columns, rows, width) {
  signed <- map$signed
  left <- columns + 0.5 + 0.2 * width
  right <- columns + 0.5 + 0.4 * width
  colours <- scale_colours(signed)
  edges <- -0.5 - seq(rows, 0, length.out = length(colours) + 1)
  graphics::rect(left, edges[-length(edges)], right, edges[-1], col = colours, border = NA)
  graphics::rect(left, edges[1], right, -0.5, border = "grey60")
  marks <- scale_marks(map$limit, signed)
  share <- signed_scale(marks, map$limit)
  at <- -0.5 - rows * (1 - if (signed) (1 + share) / 2 else share)
  graphics::text(right, at, format_marks(marks), pos = 4, offset = 0.25, cex = 0.8, xpd = NA)
}

# From the smallest to the largest colour of a scale.
scale_colours <- function(signed) if (signed) signed_colours() else signed_colours()[101:201]

# Maps beside each other, with margins for their labels.
draw_maps <- function(maps) {
  n <- length(maps)
  if (n > 1) {
    columns <- if (n <= 3) n else ceiling(sqrt(n))
    old <- graphics::par(mfrow = c(ceiling(n / columns), columns))
    on.exit(graphics::par(old))
    graphics::par(cex = PANEL_SIZE) # which mfrow sets, and puts back
  }
  for (map in maps) {
    graphics::plot.new() # labels can be measured from here on
    with_par(list(mar = map_margins(map), new = TRUE), draw_map(map))
  }
}

map_margins <- function(map) {
  c(margin_lines(1, map$columns), margin_lines(2, map$rows), 3.1, 2.1)
}

# --- ggplot2 --------------------------------------------------------------------------------------

# Maps as panels, each with axes of its own: their labels are looked up by panel and tile. There is one
# colour scale: where maps have limits of their own, it ends at the largest of each.
gg_maps <- function(maps, title = NULL) {
  alone <- length(maps) == 1
  common <- all(vapply(maps, `[[`, 0, "limit") == maps[[1]]$limit)
  tiles <- do.call(rbind, Map(map_frame, maps, seq_along(maps), common))
  keys <- function(axis, side) {
    unlist(Map(function(map, panel) axis_keys(map[[axis]], panel, map$size[side]), maps, seq_along(maps)))
  }
  none <- ggplot2::element_blank()
  panels <- rev(grDevices::n2mfrow(length(maps))) # rows and columns of facet_wrap()
  most_names <- function(axis) {
    max(1, vapply(maps, function(map) if (map[[axis]]$named) length(map[[axis]]$at) else 0L, 0L))
  }
  upright <- if (any(vapply(maps, function(map) map$columns$named, TRUE))) {
    ggplot2::theme(axis.text.x = ggplot2::element_text(
      angle = 90, hjust = 1, vjust = 0.5, size = text_points(most_names("columns"), 5 / panels[2])
    ))
  }
  ggplot2::ggplot(tiles, ggplot2::aes(.data$column, .data$row, fill = .data$shade)) +
    ggplot2::geom_raster() +
    gg_shades(maps[[1]], common, any(vapply(maps, `[[`, TRUE, "signed"))) +
    gg_key_scale(ggplot2::scale_x_discrete, keys("columns", 2)) +
    gg_key_scale(ggplot2::scale_y_discrete, keys("rows", 1)) +
    ggplot2::labs(
      x = one_title(maps, "columns"), y = one_title(maps, "rows"),
      title = if (alone) maps[[1]]$title else title,
      subtitle = if (alone && nzchar(maps[[1]]$note)) maps[[1]]$note
    ) +
    ggplot2::theme(
      panel.grid = none, axis.ticks = none,
      axis.text.y = ggplot2::element_text(size = text_points(most_names("rows"), 4 / panels[1]))
    ) + upright +
    if (alone) gg_borders(maps[[1]]) else ggplot2::facet_wrap(ggplot2::vars(.data$map), scales = "free")
}

gg_shades <- function(map, common, signed) {
  marks <- if (common) scale_marks(map$limit, signed) else c(0, map$limit)
  ggplot2::scale_fill_gradientn(map$what,
    colours = scale_colours(signed), limits = if (signed) c(-1, 1) else c(0, 1),
    breaks = signed_scale(marks, map$limit), labels = if (common) format_marks(marks) else c("0", "largest"),
    na.value = MISSING_COLOUR, guide = ggplot2::guide_colourbar(barheight = ggplot2::unit(12, "lines"))
  )
}

gg_borders <- function(map) {
  if (length(map$borders) == 0) {
    return(NULL)
  }
  x <- map$borders / map$size[2] + 0.5
  y <- nrow(map$values) - map$borders / map$size[1] + 0.5
  list(
    ggplot2::geom_vline(xintercept = x, colour = BORDER_COLOUR, linewidth = 0.3),
    ggplot2::geom_hline(yintercept = y, colour = BORDER_COLOUR, linewidth = 0.3)
  )
}

# A row a tile. Keys of rows and columns: the panel, and the number of the tile in it.
map_frame <- function(map, panel = 1, common = TRUE) {
  tiles <- dim(map$values)
  key <- function(n) paste0(panel, ":", seq_len(n))
  data.frame(
    map = factor(panel, labels = panel_title(map, common)),
    row = factor(rep(key(tiles[1]), tiles[2]), rev(key(tiles[1]))),
    column = factor(rep(key(tiles[2]), each = tiles[1]), key(tiles[2])),
    count = as.vector(map$values), shade = as.vector(signed_scale(map$values, map$limit))
  )
}

panel_title <- function(map, common) {
  paste0(map$title, if (!common) paste0(" (largest: ", format_marks(map$limit), ")"))
}

# The labels of an axis, named by the keys of their tiles.
axis_keys <- function(axis, panel, size) {
  if (length(axis$at) == 0) {
    return(character())
  }
  keys <- paste0(panel, ":", ceiling(axis$at / size))
  stats::setNames(shorten(axis$text, 20), keys)
}

gg_key_scale <- function(scale, labels) {
  if (length(labels) == 0) {
    return(scale(breaks = NULL, expand = c(0, 0)))
  }
  scale(
    breaks = function(keys) intersect(keys, names(labels)), labels = function(keys) labels[keys],
    expand = c(0, 0)
  )
}

# The title of axes that share one.
one_title <- function(maps, axis) {
  titles <- unique(vapply(maps, function(map) map[[axis]]$title, ""))
  if (length(titles) == 1 && nzchar(titles)) titles
}
