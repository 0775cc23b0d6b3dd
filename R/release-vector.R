# A release of one count per person, as a vector that data frames hold.

#' Released counts as a vector
#'
#' [privatize()] and [private_counts()] of a numeric vector, one count per person, return a `private_vector`:
#' a vector that data frames hold as a column, and that keeps the noise level of each element.
#'
#' @details A `private_vector` can be a column of a data frame, a tibble or a data.table. Each element keeps
#' its noise level when elements are taken, repeated, sorted or combined: by `[`, `c()`, `rep()`, `head()`,
#' `subset()`, `merge()`, `split()`, `rbind()` of data frames, [na.omit()], the functions of dplyr and tidyr.
#' A missing element is a masked count.
#'
#' The column is the response of a regression: `mgcv::gam(days ~ age, family = private_nbinom1(), data = d)`
#' reads the noise from `d$days`; see [private_nbinom1()]. [private_means()] estimates means and totals.
#'
#' `cbind(calls = d$calls, mails = d$mails)` is the matrix release again, for counts of the same people. The
#' model functions accept this, or the data frame `d[c("calls", "mails")]`. In each row, all counts must have
#' the same noise level. The column of a matrix release, `release[, "calls"]`, is a `private_vector`, and so
#' are those of `as.data.frame(release, wide = TRUE)`.
#'
#' `as.numeric(x)` returns the released counts without their noise levels, and `privacy(x)` the levels.
#' Arithmetic, comparisons, sums and means throw an error, as for a matrix (see [private_counts()]), and so do
#' assignments of values other than `NA` and other releases.
#'
#' A vector of counts that were protected by another mechanism ([mechanisms]) keeps that; it has a single
#' mechanism, with the same numbers for all elements.
#'
#' What is protected is the same as for a matrix with one column: two counts that differ by at most
#' `precision` are protected at `epsilon`.
#' @section Limits: Where levels differ, a vector can have up to 2^19 different levels, and counts must be
#' below 2^34. Text that shows numbers with fewer digits than R has, such as `saveRDS(ascii = TRUE)` or
#' `dput()`, loses the levels of elements; other files of `saveRDS()` keep them. data.table replaces `sum()`
#' and `mean()` by functions of its own within `[` with `by`, and they do not see the class: do not use their
#' results (`options(datatable.optimize = 1)` turns this off).
#' @seealso [private_counts()], whose methods for a matrix are the same; [privatize()].
#' @examples
#' d <- data.frame(sex = c("f", "m", "f"), calls = c(3, 0, 7))
#' d$calls <- privatize(d$calls, epsilon = c(1, 1, 2))
#' d
#' privacy(subset(d, sex == "f")$calls)$alpha
#' try(sum(d$calls))
#' private_means(d$calls, by = d$sex)
#' @name private_vector
NULL

# The matrix release of these vectors, one per column.
#' @export
cbind.private_vector <- function(...) {
  parts <- list(...)
  check_others(parts, "cbind()")
  sizes <- lengths(parts)
  check_that(all(sizes == sizes[1]), c(
    "Vectors combined by {.fn cbind} must have the same length.", x = "Their lengths are {unique(sizes)}."
  ), NULL)
  symbols <- as.list(substitute(list(...)))[-1]
  labels <- vapply(symbols, function(code) if (is.name(code)) as.character(code) else "", "")
  if (!is.null(names(parts))) labels <- ifelse(nzchar(names(parts)), names(parts), labels)
  all <- elements_of(do.call(c, unname(parts)))
  counts <- matrix(all$counts, ncol = length(parts))
  if (any(nzchar(labels))) colnames(counts) <- unname(labels)
  mechanism <- mechanism_of_vector(parts[[1]])
  whole <- is.null(mechanism) && all(abs(counts) <= .Machine$integer.max, na.rm = TRUE)
  if (whole) storage.mode(counts) <- "integer"
  level <- matrix(all$level, ncol = length(parts))
  seen <- !is.na(counts)
  row <- level[cbind(seq_len(nrow(level)), max.col(seen, "first"))] # masked counts have no noise
  check_that(all((level == row)[seen]), c(
    "All counts in a row of a release must have the same noise level.",
    x = "{sum(rowSums(level != row & seen) > 0)} row{?s} {?has/have} counts with different levels."
  ), NULL)
  noise <- all$noise[row, ]
  if (!is.null(mechanism)) {
    return(new_private_counts(counts, NA_real_, 1, rng = all$noise$rng[1], mechanism = mechanism))
  }
  used <- lapply(noise[LEVEL_FIELDS], function(each) if (length(each) > 0) collapse(each) else each)
  clamped <- any(noise$clamped)
  new_private_counts(if (clamped) clamp_counts(counts) else counts, used$alpha, used$precision,
    rng = combine_rng(noise$rng), s = used$s, t = used$t,
    below = if (clamped) nothing_known_below(nrow(counts))
  )
}

check_others <- function(parts, what) {
  if (!all(vapply(parts, is_private_vector, NA))) {
    why <- "The other data have no known noise level."
    abort_untrue(paste(what, "with other data"), why, "private_vector")
  }
}

# --- vctrs ----------------------------------------------------------------------------------------

#' @importFrom vctrs vec_ptype2
#' @export
vec_ptype2.private_vector.private_vector <- function(x, y, ...) {
  noise <- vctrs::vec_unique(vctrs::vec_rbind(attr(x, "noise"), attr(y, "noise")))
  protected <- !is.null(mechanism_of_vector(x)) || !is.null(mechanism_of_vector(y))
  check_that(nrow(noise) == 1 || !protected, "A vector must have a single mechanism, or geometric noise.", NULL)
  new_private_vector(double(), integer(), noise)
}

#' @importFrom vctrs vec_cast
#' @export
vec_cast.private_vector.private_vector <- function(x, to, ...) {
  all <- elements_of(x)
  noise <- attr(to, "noise")
  level <- vctrs::vec_match(all$noise, noise)[all$level]
  if (anyNA(level)) {
    vctrs::stop_incompatible_cast(x, to, x_arg = "", to_arg = "", details = "Noise levels differ.")
  }
  new_private_vector(all$counts, level, noise)
}

#' @importFrom vctrs vec_ptype_abbr
#' @export
vec_ptype_abbr.private_vector <- function(x, ...) "private"

#' @importFrom vctrs vec_ptype_full
#' @export
vec_ptype_full.private_vector <- function(x, ...) "private_vector"

# is.finite() and the like; all others are refused by Math.private_vector().
#' @importFrom vctrs vec_math
#' @export
vec_math.private_vector <- function(.fn, .x, ...) vctrs::vec_math_base(.fn, as.double(.x))

#' @export
c.private_vector <- function(...) {
  parts <- Filter(Negate(is.null), unname(list(...)))
  check_others(Filter(function(part) !all(is.na(part)) || is_private_vector(part), parts), "c()")
  vctrs::vec_c(!!!parts)
}

#' @export
`[<-.private_vector` <- function(x, i, value) {
  masks <- is.atomic(value) && !is_private_vector(value) && all(is.na(value))
  if (!masks && !is_private_vector(value)) refuse_values("private_vector")
  other <- if (!masks) value
  type <- if (is.null(other)) x else vec_ptype2(x, other)
  all <- elements_of(vec_cast(x, type))
  if (missing(i)) i <- seq_along(x)
  if (is.null(other)) {
    all$counts[i] <- NA
  } else {
    given <- elements_of(vec_cast(other, type))
    all$counts[i] <- given$counts
    all$level[i] <- given$level
  }
  all$level[is.na(all$level)] <- 1L # elements between the last one and the first that is added
  all$level <- c(all$level, rep(1L, length(all$counts) - length(all$level)))
  do.call(new_private_vector, all)
}

#' @export
`[[<-.private_vector` <- function(x, i, value) {
  x[i] <- value
  x
}

#' @export
`is.na<-.private_vector` <- `is.na<-.private_counts`

# --- conversions ----------------------------------------------------------------------------------

#' @export
as.double.private_vector <- function(x, ...) elements_of(x)$counts

#' @export
as.integer.private_vector <- function(x, ...) as.integer(as.double(x))

#' @export
as.character.private_vector <- function(x, ...) as.character(as.double(x))

#' @export
as.vector.private_vector <- function(x, mode = "any") as.vector(as.double(x), mode)

#' @export
format.private_vector <- function(x, ...) {
  counts <- as.double(x)
  ifelse(counts %in% HIDDEN, "hidden", format(replace(counts, counts %in% HIDDEN, NA), ...))
}

#' @export
summary.private_vector <- function(object, ...) summary(as.double(object), ...)

# In the header of a tibble: "<private> alpha 0.37".
#' @exportS3Method pillar::type_sum
type_sum.private_vector <- function(x) {
  mechanism <- mechanism_of_vector(x)
  if (!is.null(mechanism)) {
    return(structure(mechanism$kind, class = "private_type"))
  }
  ends <- unique(format(range(privacy(x)$alpha), digits = 2))
  structure(paste("alpha", paste(ends, collapse = "-")), class = "private_type")
}

#' @exportS3Method pillar::format_type_sum
format_type_sum.private_type <- function(x, width, ...) paste("<private>", unclass(x))

# --- refusals -------------------------------------------------------------------------------------

#' @export
Ops.private_vector <- refuse_arithmetic
#' @export
Math.private_vector <- refuse_arithmetic
#' @export
Summary.private_vector <- refuse_arithmetic
#' @export
mean.private_vector <- refuse_arithmetic
#' @importFrom stats median
#' @export
median.private_vector <- refuse_arithmetic
#' @importFrom stats quantile
#' @export
quantile.private_vector <- refuse_arithmetic
