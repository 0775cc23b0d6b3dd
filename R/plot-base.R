# What several plots share: panels, margins, text that fits, legends and colours.

# Told apart by all eyes, and in grey: bars, and what is marked among them.
COLOURS <- c(bar = "#4393c3", mark = "#b2182b")

MOST_PANELS <- 12

# A grid of so many panels; draw(i) draws one. `ylab`: one for all, or one a row. `key`: a data frame with
# columns `label`, `col`, `lty` and `pch`, drawn in a row above the panels, whose height stays when a window
# is resized. `joined`: those of a column have one title, above the first, and one axis, below the last, which
# stand in rows of their own; draw(i) writes them there.
draw_panels <- function(n, draw, mar, rows = NULL, title = "", note = "", xlab = "", ylab = "",
                        key = NULL, joined = FALSE) {
  columns <- if (is.null(rows)) ceiling(sqrt(n)) else ceiling(n / rows)
  rows <- ceiling(n / columns)
  by_row <- length(ylab) > 1
  above <- if (nzchar(note)) 1.3 else 0 # lines between the title and the panels
  below <- if (nzchar(xlab)) 1.6 else 0
  left <- if (any(nzchar(ylab))) 0.6 + max(lengths(strsplit(ylab, "\n"))) else 0
  key_columns <- if (!is.null(key)) key_columns(key$label)
  key_rows <- if (is.null(key)) 0 else ceiling(nrow(key) / key_columns)
  old <- graphics::par("mfrow")
  on.exit(graphics::par(mfrow = old))
  panels <- matrix(c(seq_len(n), numeric(rows * columns - n)), rows, byrow = TRUE)
  beside <- if (joined) numeric(columns)
  graphics::layout(rbind(if (key_rows > 0) n + 1, beside, panels, beside),
    heights = c(
      if (key_rows > 0) graphics::lcm(KEY_CM * key_rows), if (joined) graphics::lcm(JOINED_CM), rep(1, rows),
      if (joined) graphics::lcm(JOINED_CM)
    )
  )
  with_par(
    list(
      mar = mar, oma = c(below, left, 2.2 + above, 0), mgp = c(1.6, 0.4, 0), tcl = -0.25,
      cex = PANEL_SIZE # however many they are
    ),
    {
      for (i in seq_len(n)) {
        draw(i)
        if (by_row && i %% columns == 1 %% columns) {
          graphics::title(ylab = ylab[ceiling(i / columns)], line = mar[2] + 0.3, xpd = NA)
        }
      }
      graphics::mtext(title, outer = TRUE, line = 0.7 + above, font = 2)
      graphics::mtext(note, outer = TRUE, line = 0.5, cex = PANEL_SIZE)
      graphics::mtext(xlab, 1, outer = TRUE, line = 0.3, cex = PANEL_SIZE)
      if (!by_row) graphics::mtext(ylab, 2, outer = TRUE, line = 0.3, cex = PANEL_SIZE)
      if (key_rows > 0) draw_key(key, key_columns)
    }
  )
}

PANEL_SIZE <- 0.9
KEY_COLUMNS <- 6
KEY_CM <- 0.6
JOINED_CM <- 0.5

draw_key <- function(key, columns) {
  with_par(list(mar = numeric(4)), {
    graphics::plot.new()
    graphics::legend("center", paste0(key$label, "  "), # room between entries
      col = key$col, lty = key$lty, pch = key$pch, lwd = 2, ncol = columns, bty = "n", cex = 0.9, xpd = NA
    )
  })
}

# As many as have room in the figure, the same in all rows. Nothing can be measured before there is a plot, so
# a letter is taken for 0.45 of the default font's width, and a line with its mark for 0.45 inches.
key_columns <- function(labels) {
  widest <- 0.45 + 0.45 * graphics::par("cin")[1] * (max(nchar(labels)) + 2)
  columns <- max(1, min(length(labels), KEY_COLUMNS, floor(graphics::par("din")[1] / widest)))
  ceiling(length(labels) / ceiling(length(labels) / columns))
}

# An axis with two to four numbers.
few_ticks <- function(side) {
  range <- graphics::par("usr")[if (side == 1) 1:2 else 3:4]
  graphics::axis(side, pretty(range, 3), cex.axis = LABEL_SIZE)
}

draw_title <- function(title, note = "") {
  graphics::title(title, line = if (nzchar(note)) 1.5 else 0.8, cex.main = 1)
  if (nzchar(note)) graphics::mtext(note, line = 0.4, cex = 0.75 * graphics::par("cex"))
}

# The size at which lines of text have so many inches each.
axis_size <- function(room) max(0.4, min(LABEL_SIZE, 0.9 * room / line_height()))

LABEL_SIZE <- 0.85

line_height <- function() graphics::par("csi") * graphics::par("mex")

# Labels cut, where need be, to so many inches; what was cut ends in two dots.
fit_text <- function(text, inches, cex = 1) {
  width <- graphics::strwidth(text, "inches", cex = cex)
  most <- floor(nchar(text) * inches / pmax(width, 1e-6))
  ifelse(width > inches, shorten(text, pmax(3, most - 1)), text)
}

shorten <- function(text, most) {
  ifelse(nchar(text) > most, paste0(substr(text, 1, most - 2), ".."), text)
}

# Evaluates `code` with graphical parameters, which are then put back.
with_par <- function(parameters, code) {
  old <- graphics::par(parameters)
  on.exit(graphics::par(old[setdiff(names(old), "new")]))
  force(code)
}

# The size of so many lines of text beside a panel of so many inches, if figures have their usual size.
text_points <- function(n, inches) max(4, min(8.8, 0.9 * 72 * inches / n))

# Titles of rows, broken where they are longer than a row is high.
in_lines <- function(titles) {
  vapply(strwrap(titles, 12, simplify = FALSE), paste, "", collapse = "\n")
}
