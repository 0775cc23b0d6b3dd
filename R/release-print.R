# print(), summary() and format() of a release.

#' @export
format.private_counts <- function(x, ...) {
  paste0("<private_counts ", paste(dim(x), collapse = " x "), ", ", format_level(x), ">")
}

#' @export
print.private_counts <- function(x, ...) {
  print_head(x)
  if (length(x) > 0) print_corner(x)
  invisible(x)
}

# In full for a release as it was made; in one line for a part of it, by `[`, head() or tail(). Noise that can be
# subtracted, or none, is said of parts too.
print_head <- function(x) {
  if (isTRUE(attr(x, "part"))) {
    cat_wrapped(paste0("Part of a release: ", paste(dim(x), collapse = " x "), ", ", format_level(x)))
    if (privacy(x)$rng == "R") cat_wrapped(rng_sentence("R"))
    if (any(is.infinite(privacy(x)$epsilon))) print_protection(x)
    return(invisible())
  }
  undirected <- !privacy(x)$directed
  masked <- n_missing(fields_of(x)$counts)
  if (undirected) masked <- (masked - nrow(x)) / 2
  cat_wrapped(paste0(
    "Private counts: ", paste(dim(x), collapse = " x "), if (undirected) ", undirected",
    if (masked > 0) paste0(" (", masked, if (undirected) " pairs", " masked)"),
    ", two-sided geometric noise", if (privacy(x)$clamped) ", clamped at zero"
  ))
  cat_wrapped(format_level(x))
  cat_wrapped(rng_sentence(privacy(x)$rng))
  below <- fields_of(x)$below$cells
  if (anyNA(below)) cat_wrapped(below_sentence(below))
  print_protection(x)
}

# A note about rows in which alpha cannot be checked.
below_sentence <- function(cells) {
  unknown <- sum(is.na(cells))
  rows <- if (unknown == length(cells)) "any row" else count_of(unknown, "row")
  paste0("The total of the negative counts of ", rows, " is not known: it was not stored when counts were ",
    "clamped, or cells were masked or removed later.")
}

# The rows and columns to print: five rows, and as many columns as fit on a line, at most eight. With more
# than two modes, those of the first slice.
print_corner <- function(x, rows = 5, columns = 8) {
  size <- pmin(c(rows, columns, rep(1, length(dim(x)) - 2)), dim(x))
  at <- fold_cells(as.matrix(expand.grid(lapply(size, seq_len))), dim(x))
  corner <- fields_of(x)$counts[seq_len(size[1]), unique(at[, 2]), drop = FALSE]
  labels <- Map(utils::head, dimnames(x), size)[1:2]
  corner <- `dimnames<-`(as.matrix(corner), if (length(unlist(labels)) > 0) labels)
  fits <- function(n) {
    lines <- utils::capture.output(print(corner[, seq_len(n), drop = FALSE]))
    length(lines) <= nrow(corner) + 1 + !is.null(names(dimnames(corner)))
  }
  shown <- Find(fits, rev(seq_len(ncol(corner))))
  corner <- corner[, seq_len(max(1, shown)), drop = FALSE]
  part <- if (length(corner) < length(x)) ", first rows and columns"
  slice <- if (!is.null(part) && length(dim(x)) > 2) " of the first slice"
  cat("Released counts", part, slice, ":\n", sep = "")
  print(corner)
}

#' @export
summary.private_counts <- function(object, ...) {
  counts <- fields_of(object)$counts
  below <- known_below_zero(object)
  declared <- check_declared_alpha(below, privacy(object)$alpha)
  if (doubtful(declared)) warn_declared_alpha(declared, below)
  observed <- n_cells(counts) - n_missing(counts)
  values <- stored_values(counts)
  negative <- sum(values < 0, na.rm = TRUE) / observed
  positive <- sum(values > 0, na.rm = TRUE) / observed
  structure(
    list(
      release = object, declared = declared,
      share = c(negative = negative, zero = 1 - (negative + positive), positive = positive),
      quantiles = if (observed > 0) count_quantiles(counts, c(0, 0.01, 0.25, 0.5, 0.75, 0.99, 1))
    ),
    class = "summary.private_counts"
  )
}

#' @export
print.summary.private_counts <- function(x, ...) {
  print_head(x$release)
  if (is.null(x$quantiles)) {
    return(invisible(x))
  }
  cat("Shares of the released counts:\n")
  print(round(x$share, 3))
  cat("Quantiles of the released counts:\n")
  print(x$quantiles)
  if (x$declared$cells > 0) {
    cat_wrapped(paste0(
      "Estimated from the ", format_number(x$declared$cells), " counts at or below zero alone, alpha is ",
      format_estimate(x$declared), ". ", declared_sentence(x$declared)
    ))
  }
  invisible(x)
}
