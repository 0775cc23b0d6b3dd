#' Counts that carry their privacy
#'
#' `private_counts()` wraps counts that were noised elsewhere by the geometric mechanism;
#' [privatize()] makes such objects itself. `privacy()` says what protects them.
#'
#' @param x Released counts: a matrix or `Matrix` of whole numbers, of any sign, `NA` for cells
#'   that were not observed. Or, for the methods, a `private_counts`.
#' @param ... Must be empty, but for `rbind()`, which takes several `private_counts`.
#' @param alpha,epsilon Exactly one of them, one number or one per row. `alpha = 0` (no noise)
#'   is allowed here, if no count is negative.
#' @param precision The distance between records that `epsilon` speaks of.
#' @return `private_counts()`: an object of class `private_counts`, to be given to
#'   [topic_model()] or [block_model()], which read `alpha` from it. `privacy()`: a list of
#'   `alpha`, `epsilon`, `precision` (numbers, or one per row), `rng` (`"secure"`, `"R"`,
#'   `"external"` for counts noised elsewhere, `"mixed"`), `clamped` and `directed`.
#' @details
#' Methods keep the object true. `x[i, j]`, `head()` and `rbind()` carry the noise level of
#' each row along, `is.na(x) <- ` and `x[i, j] <- NA` mask cells, `as.matrix()` gives the
#' released counts. Arithmetic, sums, `t()`, `cbind()` and other assignments would make an
#' object whose noise is no longer geometric with its `alpha`, and are errors; do them on
#' `as.matrix(x)`, whose results no longer say what protects them.
#'
#' `print()` says in words what is protected. `summary()` also compares the part of the release at
#' or below zero with the declared `alpha`: given that a release is not above zero, its size is
#' geometric with ratio `alpha`, whatever the true count is. It warns (class
#' `ldpcounts_declared_alpha`) when the two cannot both be right, in fewer than one of 1e5 releases
#' where they are, and gives the `alpha` that these counts tell, with its exact 95 % interval.
#' @section Errors: of class `ldpcounts_error`, when counts are not whole, when `alpha` is not
#'   in `[0, 1)`, and for operations that would make the object untrue.
#' @references Schein et al. (2019), definition 2.
#' @examples
#' x <- private_counts(matrix(c(2, -1, 0, 5, 1, -3), 2), epsilon = 1)
#' x
#' privacy(x)$alpha
#' x[1, ]
#' is.na(x) <- cbind(1, 2)
#' as.matrix(x)
#' @export
private_counts <- function(x, ..., alpha = NULL, epsilon = NULL, precision = 1) {
  check_no_dots(...)
  check_given(missing(x), "x")
  if (inherits(x, "private_counts")) {
    ldp_abort("{.arg x} is private already.", class = "ldpcounts_argument_error")
  }
  counts <- check_counts(as_plain_matrix(x, "x"), "x", signed = TRUE)
  counts <- as.matrix(counts)
  n_row <- nrow(counts)
  check_one_of_two(epsilon, alpha)
  precision <- check_precision(precision, n_row)
  if (is.null(alpha)) {
    epsilon <- check_epsilon(epsilon, n_row)
    alpha <- exp(-epsilon / precision)
  } else {
    alpha <- check_alpha(alpha, n_row)
    epsilon <- -log(alpha) * precision
  }
  if (any(rep_len(alpha, n_row) == 0 & rowSums(counts < 0, na.rm = TRUE) > 0)) {
    ldp_abort(c(
      "{.arg x} has negative counts in rows whose {.arg alpha} is 0.",
      i = "Without noise a count is never negative."
    ), class = "ldpcounts_argument_error")
  }
  new_private_counts(counts, alpha, epsilon, precision, rng = "external")
}

FORMAT_VERSION <- 1L

# alpha, epsilon and precision are one number each, or one per row. (Attributes on a matrix
# would not survive what people do to matrices: the object is a list.)
new_private_counts <- function(counts, alpha, epsilon, precision, rng) {
  structure(
    list(
      counts = counts, alpha = alpha, epsilon = epsilon, precision = precision, rng = rng,
      clamped = FALSE, directed = TRUE, version = FORMAT_VERSION
    ),
    class = "private_counts"
  )
}

#' @rdname private_counts
#' @export
privacy <- function(x) {
  if (!inherits(x, "private_counts")) {
    abort_argument(x, "x", "a private_counts", rlang::current_env())
  }
  unclass(x)[c("alpha", "epsilon", "precision", "rng", "clamped", "directed")]
}

# --- what a matrix can do, and stays true ---------------------------------------------------

#' @export
as.matrix.private_counts <- function(x, ...) x$counts

#' @export
dim.private_counts <- function(x) dim(unclass(x)$counts)

#' @export
dimnames.private_counts <- function(x) dimnames(unclass(x)$counts)

#' @export
`dimnames<-.private_counts` <- function(x, value) {
  replace_counts(x, `dimnames<-`(unclass(x)$counts, value))
}

#' @export
length.private_counts <- function(x) length(unclass(x)$counts)

#' @export
is.na.private_counts <- function(x) is.na(unclass(x)$counts)

replace_counts <- function(x, counts) {
  fields <- unclass(x)
  fields$counts <- counts
  structure(fields, class = "private_counts")
}

#' @export
`[.private_counts` <- function(x, i, j, ..., drop = FALSE) {
  if (nargs() - (!missing(drop)) != 3) {
    ldp_abort("A private_counts takes two indices, of rows and columns: {.code x[i, j]}.",
      class = "ldpcounts_argument_error", call = NULL
    )
  }
  fields <- unclass(x)
  rows <- index_of(x, i, 1, missing(i))
  columns <- index_of(x, j, 2, missing(j))
  fields$counts <- fields$counts[rows, columns, drop = FALSE]
  for (name in c("alpha", "epsilon", "precision")) {
    if (length(fields[[name]]) > 1) {
      fields[[name]] <- fields[[name]][rows]
    }
  }
  structure(fields, class = "private_counts")
}

# An index of a margin as whole numbers, whatever kind it was.
index_of <- function(x, index, margin, is_missing) {
  along <- seq_len(dim(x)[margin])
  if (is_missing) {
    return(along)
  }
  names(along) <- dimnames(x)[[margin]]
  if (is.logical(index) && length(index) > length(along)) {
    index <- NA
  }
  chosen <- unname(along[index])
  if (anyNA(chosen)) {
    which <- c("row", "column")[margin]
    ldp_abort("The {which} index of a private_counts is out of range, or no label of it.",
      class = "ldpcounts_argument_error", call = NULL
    )
  }
  if (anyDuplicated(chosen)) {
    abort_untrue("A repeated index", "The same noise twice is not the noise of two cells.")
  }
  chosen
}

#' @export
`[<-.private_counts` <- function(x, i, j, ..., value) {
  if (length(value) == 0 || !all(is.na(value))) {
    abort_untrue("Assignment", ONLY_NA)
  }
  counts <- unclass(x)$counts
  places <- array(seq_along(counts), dim(counts), dimnames(counts))
  cells <- switch(as.character(nargs()),
    "3" = if (missing(i)) places else cells_at(places, i),
    "4" = places[index_of(x, i, 1, missing(i)), index_of(x, j, 2, missing(j))],
    NA
  )
  if (anyNA(cells)) {
    ldp_abort("The index of a private_counts must name cells of it.",
      class = "ldpcounts_argument_error", call = NULL
    )
  }
  counts[cells] <- NA
  replace_counts(x, counts)
}

# The cells at an index that is no pair: a logical mask, numbers, or a matrix of index pairs.
# NA where there is no such cell.
cells_at <- function(places, index) {
  if (is.logical(index) && length(index) != length(places)) {
    return(NA)
  }
  tryCatch(places[index], error = function(e) NA)
}

#' @export
`is.na<-.private_counts` <- function(x, value) {
  x[value] <- NA
  x
}

#' @importFrom utils head
#' @export
head.private_counts <- function(x, n = 6L, ...) {
  n <- check_whole(n, "n", -.Machine$integer.max)
  rows <- nrow(x)
  x[seq_len(if (n < 0) max(0, rows + n) else min(n, rows)), ]
}

#' @export
rbind.private_counts <- function(..., deparse.level = 1) {
  parts <- list(...)
  if (!all(vapply(parts, inherits, TRUE, "private_counts"))) {
    abort_untrue("rbind() with other data", "Its rows have no known noise level.")
  }
  columns <- lapply(parts, function(x) list(ncol(x), colnames(x)))
  if (length(unique(columns)) > 1) {
    ldp_abort("Releases bound by row must have the same columns, in the same order.",
      class = "ldpcounts_argument_error"
    )
  }
  gather <- function(name) {
    each <- lapply(parts, function(x) rep_len(unclass(x)[[name]], nrow(x)))
    values <- unlist(each)
    if (length(unique(values)) == 1) values[1] else values
  }
  if (sum(vapply(parts, nrow, 0L)) == 0) {
    return(parts[[1]])
  }
  new_private_counts(
    do.call(rbind, lapply(unname(parts), as.matrix)),
    alpha = gather("alpha"), epsilon = gather("epsilon"), precision = gather("precision"),
    rng = combine_rng(vapply(parts, function(x) unclass(x)$rng, ""))
  )
}

# One simulated part makes the whole a simulation.
combine_rng <- function(rng) {
  if (length(unique(rng)) == 1) rng[1] else if ("R" %in% rng) "R" else "mixed"
}

# --- what would make it untrue ----------------------------------------------------------------

abort_untrue <- function(what, why) {
  ldp_abort(c(
    "{what} is not possible for a private_counts.",
    i = why,
    i = "{.code as.matrix(x)} gives the released counts as a plain matrix."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

NOISE_CHANGES <- "The result would not have the geometric noise that its alpha declares."
ONLY_NA <- "Only NA may be assigned, which masks cells."

#' @export
Ops.private_counts <- function(e1, e2) abort_untrue(paste0("`", .Generic, "`"), NOISE_CHANGES)

#' @export
Math.private_counts <- function(x, ...) abort_untrue(paste0(.Generic, "()"), NOISE_CHANGES)

#' @export
Summary.private_counts <- function(..., na.rm = FALSE) {
  abort_untrue(paste0(.Generic, "()"), NOISE_CHANGES)
}

#' @export
mean.private_counts <- function(x, ...) abort_untrue("mean()", NOISE_CHANGES)

#' @importFrom stats median
#' @export
median.private_counts <- function(x, na.rm = FALSE, ...) abort_untrue("median()", NOISE_CHANGES)

#' @importFrom stats quantile
#' @export
quantile.private_counts <- function(x, ...) abort_untrue("quantile()", NOISE_CHANGES)

#' @export
t.private_counts <- function(x) {
  abort_untrue("t()", "Rows are records: a noise level belongs to a row.")
}

#' @export
cbind.private_counts <- function(..., deparse.level = 1) {
  abort_untrue("cbind()", "More counts of the same records spend more privacy.")
}

#' @export
c.private_counts <- function(...) abort_untrue("c()", "Use rbind() for further rows.")

#' @export
rep.private_counts <- function(x, ...) abort_untrue("rep()", NOISE_CHANGES)

#' @export
as.list.private_counts <- function(x, ...) {
  abort_untrue("Going through cell by cell", "Use as.matrix(x), or privacy(x).")
}

#' @export
`dim<-.private_counts` <- function(x, value) abort_untrue("dim(x) <-", NOISE_CHANGES)

#' @export
`length<-.private_counts` <- function(x, value) abort_untrue("length(x) <-", NOISE_CHANGES)

#' @export
`names<-.private_counts` <- function(x, value) abort_untrue("names(x) <-", "Use dimnames(x).")

#' @export
`$<-.private_counts` <- function(x, name, value) abort_untrue("Assignment", ONLY_NA)

#' @export
`[[<-.private_counts` <- function(x, i, value) abort_untrue("Assignment", ONLY_NA)

# --- in words -------------------------------------------------------------------------------

#' @export
format.private_counts <- function(x, ...) {
  paste0("<private_counts ", nrow(x), " x ", ncol(x), ", ", format_level(x), ">")
}

format_number <- function(x) {
  format(x, digits = 6, trim = TRUE, scientific = FALSE, big.mark = ",", drop0trailing = TRUE)
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

# What epsilon means between records that differ by `distance` counts, in one line.
odds_sentence <- function(epsilon, distance, what = "any release") {
  by <- if (distance == 1) "by 1 count" else paste("by", format_number(distance), "counts in all")
  factor <- exp(epsilon)
  bound <- if (factor < 1e6) {
    paste(what, "is at most", format_number(round_up(factor)),
      "times as likely from one as from the other.")
  } else {
    "hardly protected (a factor above a million)."
  }
  paste0("Rows (records) that differ ", by, ": ", bound)
}

# The given precision and one or two others, at the weakest row where rows differ.
protection <- function(x) {
  p <- privacy(x)
  gamma <- max(p$epsilon / p$precision)
  N <- max(p$precision)
  distances <- unique(c(N, 1, 10 * N))
  vapply(distances, function(n) odds_sentence(gamma * n, n), "")
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
  masked <- sum(is.na(x))
  cat_wrapped(paste0(
    "Private counts: ", nrow(x), " x ", ncol(x), if (masked > 0) paste0(" (", masked, " masked)"),
    ", two-sided geometric noise"
  ))
  cat_wrapped(format_level(x))
  cat_wrapped(rng_sentence(privacy(x)$rng))
  print_protection(x)
}

cat_wrapped <- function(text, bullet = "") {
  indent <- nchar(bullet)
  width <- min(getOption("width"), 80)
  lines <- strwrap(paste0(bullet, text), width = width, exdent = indent)
  cat(lines, sep = "\n")
}

# As many rows and columns as look well: five, and what fits on a line, at most eight.
print_corner <- function(x, rows = 5, columns = 8) {
  if (length(x) == 0) {
    return(invisible())
  }
  corner <- as.matrix(x)[seq_len(min(rows, nrow(x))), seq_len(min(columns, ncol(x))), drop = FALSE]
  fits <- function(n) {
    lines <- utils::capture.output(print(corner[, seq_len(n), drop = FALSE]))
    length(lines) <= nrow(corner) + 1
  }
  shown <- Find(fits, rev(seq_len(ncol(corner))))
  corner <- corner[, seq_len(max(1, shown)), drop = FALSE]
  whole <- all(dim(corner) == dim(x))
  cat(if (whole) "Released counts:\n" else "Released counts, first rows and columns:\n")
  print(corner)
}

#' @export
summary.private_counts <- function(object, ...) {
  counts <- as.matrix(object)
  seen <- counts[!is.na(counts)]
  declared <- check_declared_alpha(counts, privacy(object)$alpha)
  if (doubtful(declared)) {
    warn_declared_alpha(declared)
  }
  structure(
    list(
      release = object, declared = declared,
      share = c(negative = mean(seen < 0), zero = mean(seen == 0), positive = mean(seen > 0)),
      quantiles = if (length(seen) > 0) stats::quantile(seen, c(0, 0.01, 0.25, 0.5, 0.75, 0.99, 1))
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
  agree <- if (doubtful(x$declared)) "do not agree" else "agree"
  cat_wrapped(paste("The", x$declared$cells, "counts at or below zero", agree, "with the declared",
    "alpha; they alone give", format_estimate(x$declared)
  ))
  invisible(x)
}
