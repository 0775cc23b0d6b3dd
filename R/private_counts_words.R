# What print(), summary() and format() say of a release: above all what is protected, in words.

#' @export
format.private_counts <- function(x, ...) {
  paste0("<private_counts ", paste(dim(x), collapse = " x "), ", ", format_level(x), ">")
}

format_number <- function(x) {
  format(x,
    digits = 6, trim = TRUE, scientific = FALSE, big.mark = ",", decimal.mark = ".",
    drop0trailing = TRUE
  )
}

format_range <- function(x) {
  if (length(x) == 0) {
    return("of no row")
  }
  paste(unique(vapply(range(x), format_number, "")), collapse = " to ")
}

format_level <- function(x) {
  p <- privacy(x)
  paste0(
    "epsilon = ", format_range(p$epsilon), " at precision ", format_range(p$precision),
    " (alpha = ", format_range(p$alpha), ")"
  )
}

# Three significant digits, rounded up: "at most" must stay true.
round_up <- function(x) {
  unit <- 10^(floor(log10(x)) - 2)
  ceiling(x / unit) * unit
}

# What is protected.
what_differs <- function(directed) if (directed) "Rows (records)" else "Networks"

# What epsilon means between records that differ by `distance` counts, in one line.
odds_sentence <- function(epsilon, distance, what, directed) {
  by <- if (distance == 1) "by 1 count" else paste("by", format_number(distance), "counts in all")
  if (!directed) by <- paste(by, "(each pair counted once)")
  factor <- exp(epsilon)
  bound <- if (factor < 1e6) {
    paste(what, "is at most", format_number(round_up(factor)),
      "times as likely from one as from the other.")
  } else {
    "hardly protected (a factor above a million)."
  }
  paste0(what_differs(directed), " that differ ", by, ": ", bound)
}

# The largest distance within a precision that two different records can have, as counts are whole; one
# count where there is none.
whole_distance <- function(precision) {
  max(1, if (is_whole(precision)) round(precision) else floor(precision))
}

# The distance of the given precision and one or two others, at the weakest row where rows differ.
protection <- function(x) {
  p <- privacy(x)
  gamma <- max(p$epsilon / p$precision)
  N <- whole_distance(max(p$precision))
  distances <- unique(c(N, 1, 10 * N))
  vapply(distances, function(n) {
    odds_sentence(gamma * n, n, "any release", p$directed)
  }, "")
}

print_protection <- function(x) {
  p <- privacy(x)
  if (length(x) == 0) {
    return(invisible())
  }
  if (any(is.infinite(p$epsilon))) {
    rows <- if (all(is.infinite(p$epsilon))) "The counts" else "Rows with alpha = 0"
    cat_wrapped(paste(rows, "carry no noise and are not protected."))
    return(invisible())
  }
  cat_wrapped(paste0(
    if (p$rng == "R") "What secure noise of this level would protect" else "What is protected",
    if (length(p$epsilon) > 1) ", in the least protected row", ":"
  ))
  cat_wrapped(protection(x), bullet = "* ")
}

rng_sentence <- function(rng) {
  switch(rng,
    secure = "The noise came from the operating system's entropy, by an exact sampler.",
    R = paste(
      "SIMULATION ONLY: the noise came from R's generator; whoever knows the seed",
      "can subtract it."
    ),
    external = "The noise was added elsewhere; its level is as declared.",
    mixed = "The parts took their noise from different sources."
  )
}

#' @export
print.private_counts <- function(x, ...) {
  print_head(x)
  print_corner(x)
  invisible(x)
}

print_head <- function(x) {
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
  if (anyNA(fields_of(x)$below$cells)) {
    cat_wrapped(below_sentence(fields_of(x)$below$cells))
  }
  print_protection(x)
}

# Of which rows nothing is left to check alpha by.
below_sentence <- function(cells) {
  unknown <- sum(is.na(cells))
  rows <- if (unknown == length(cells)) "any row" else count_of(unknown, "row")
  paste0("The total of the negative counts of ", rows, " is not known: it was not stored when counts were ",
    "clamped, or cells were masked or left out later.")
}

cat_wrapped <- function(text, bullet = "") {
  indent <- nchar(bullet)
  width <- min(getOption("width"), 80)
  lines <- strwrap(paste0(bullet, text), width = width, exdent = indent)
  cat(lines, sep = "\n")
}

# Print a data frame; where it is wider than the console, in parts, each with the first `keys` columns.
print_in_parts <- function(table, keys) {
  width <- vapply(seq_along(table), function(j) max(nchar(c(names(table)[j], format(table[[j]])))) + 1, 0)
  room <- getOption("width") - sum(width[seq_len(keys)])
  part <- integer()
  for (j in seq_along(table)[-seq_len(keys)]) {
    if (length(part) > 0 && sum(width[c(part, j)]) > room) {
      print_columns(table, c(seq_len(keys), part))
      part <- integer()
    }
    part <- c(part, j)
  }
  print_columns(table, c(seq_len(keys), part))
}

# Two columns may have one name, which `[` would change.
print_columns <- function(table, columns) print(list2DF(as.list(table)[columns]), row.names = FALSE)

# As many rows and columns as look well: five, and what fits on a line, at most eight; of more than two
# modes those of the first slice.
print_corner <- function(x, rows = 5, columns = 8) {
  if (length(x) == 0) {
    return(invisible())
  }
  size <- pmin(c(rows, columns, rep(1, length(dim(x)) - 2)), dim(x))
  at <- fold_cells(as.matrix(expand.grid(lapply(size, seq_len))), dim(x))
  corner <- fields_of(x)$counts[seq_len(size[1]), unique(at[, 2]), drop = FALSE]
  labels <- Map(function(labels, n) labels[seq_len(n)], dimnames(x), size)[1:2]
  corner <- `dimnames<-`(as.matrix(corner), if (length(unlist(labels)) > 0) labels)
  fits <- function(n) {
    lines <- utils::capture.output(print(corner[, seq_len(n), drop = FALSE]))
    length(lines) <= nrow(corner) + 1 + !is.null(names(dimnames(corner)))
  }
  shown <- Find(fits, rev(seq_len(ncol(corner))))
  corner <- corner[, seq_len(max(1, shown)), drop = FALSE]
  whole <- length(corner) == length(x)
  cat(if (whole) {
    "Released counts:\n"
  } else if (length(dim(x)) == 2) {
    "Released counts, first rows and columns:\n"
  } else {
    "Released counts, the first of modes 1 and 2, at the first of all others:\n"
  })
  print(corner)
}

#' @export
summary.private_counts <- function(object, ...) {
  counts <- fields_of(object)$counts
  below <- known_below_zero(object)
  declared <- check_declared_alpha(below, privacy(object)$alpha)
  if (doubtful(declared)) {
    warn_declared_alpha(declared, below)
  }
  observed <- n_cells(counts) - n_missing(counts)
  values <- stored_values(counts)
  shares <- c(negative = sum(values < 0, na.rm = TRUE), positive = sum(values > 0, na.rm = TRUE))
  shares <- shares / observed
  structure(
    list(
      release = object, declared = declared,
      share = c(shares[1], zero = 1 - sum(shares), shares[2]),
      quantiles = if (observed > 0) {
        count_quantiles(counts, c(0, 0.01, 0.25, 0.5, 0.75, 0.99, 1))
      }
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
  if (x$declared$cells == 0) {
    return(invisible(x))
  }
  agree <- if (doubtful(x$declared)) "do not agree" else "agree"
  cat_wrapped(paste("The", format_number(x$declared$cells), "counts at or below zero", agree,
    "with the declared alpha. Estimated from them alone, alpha is", paste0(format_estimate(x$declared), ".")
  ))
  invisible(x)
}
