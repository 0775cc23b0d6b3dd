# What plots have in common: drawing, colours, and text that fits.

# plot() of every class in this folder: draws the result of autoplot(), and returns it.
plot_figure <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

draw_figure <- function(figure) {
  print(figure)
  invisible(figure)
}

# Colours of bars and of marks in them, which can be distinguished by colour-blind readers and in grey prints.
COLOURS <- c(bar = "#4393c3", mark = "#b2182b")

MOST_PANELS <- 12

# Axis labels that would overlap others are left out; those of columns are vertical if `angle` is 90.
no_overlap <- function(angle = NULL) {
  thin <- function(...) ggplot2::guide_axis(..., check.overlap = TRUE)
  ggplot2::guides(x = thin(angle = angle), y = thin())
}

# The font size for n lines of text beside a panel of this height in inches, if figures have their usual size.
text_points <- function(n, inches) max(6, min(8.8, 0.9 * 72 * inches / n))

# Text that is cut ends in two dots.
shorten <- function(text, most) {
  ifelse(nchar(text) > most, paste0(substr(text, 1, most - 2), ".."), text)
}

# Titles of this number of panels side by side, wrapped so that they fit if figures have their usual size.
panel_titles <- function(columns) ggplot2::label_wrap_gen(84 %/% columns)

# A grid of panels with a title for each row (at the right) and for each column.
panels_by <- function(rows, columns, scales = "fixed", n_columns) {
  list(
    ggplot2::facet_grid(rows, columns,
      scales = scales,
      labeller = ggplot2::labeller(.rows = ggplot2::label_wrap_gen(14), .cols = panel_titles(n_columns))
    ),
    ggplot2::theme(
      strip.text.y = ggplot2::element_text(angle = 0), panel.spacing.x = ggplot2::unit(1, "lines")
    )
  )
}
