# Pictures of what a privacy level means (?explain_privacy): of 100 guesses, how many are right.

#' @rdname explain_privacy
#' @export
plot.privacy_explanation <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

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
