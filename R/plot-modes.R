# Plots of the modes of the posterior.

#' @rdname modes
#' @param x What `modes()` gave.
#' @param ... Must be empty.
#' @export
plot.posterior_modes <- function(x, ...) {
  check_no_dots(...)
  draw_figure(agreement_figure(x))
  invisible(x)
}

#' @rdname modes
#' @param object What `modes()` gave.
#' @exportS3Method ggplot2::autoplot
autoplot.posterior_modes <- function(object, ...) {
  check_no_dots(...)
  gg_figure(agreement_figure(object))
}

agreement_figure <- function(x) {
  agreed <- attr(x, "agreement")
  k <- agreed$k
  if (length(agreed$groups) == 1) {
    return(list(kind = "note", title = paste0("Of one ", agreed$group, " there is nothing to compare.")))
  }
  reference <- if (agreed$group == "mode") "the leading mode" else agreed$groups[1]
  map <- new_map(agreed$overlap, paste("What", agreed$nouns, "share with those of", reference),
    rows = new_axis(k, if (k <= MOST_PANELS) paste0(agreed$noun, seq_len(k)), title = ""),
    columns = new_axis(length(agreed$groups), agreed$groups, title = ""), what = "overlap"
  )
  list(kind = "maps", maps = list(map))
}
