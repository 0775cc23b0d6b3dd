# Operations after which the declared noise level would be wrong: each of them is an error.

abort_untrue <- function(what, why) {
  ldp_abort(c(
    "{what} is not possible for a private_counts.",
    i = why,
    i = "{.code as.matrix(x)} returns the released counts as a plain matrix."
  ), class = "ldpcounts_untrue_error", call = NULL)
}

NOISE_CHANGES <- "The result would not have the geometric noise that its alpha declares."
ONE_LOSS_PER_ROW <- paste(
  "A release declares one privacy loss per row.",
  "If it held two releases of the same counts, their losses would add up."
)
ONLY_NA <- "Only NA may be assigned, in order to mask cells."

#' @export
cbind.private_counts <- function(..., deparse.level = 1) {
  abort_untrue("cbind()", ONE_LOSS_PER_ROW)
}

#' @export
as.list.private_counts <- function(x, ...) {
  abort_untrue("Iterating over cells", "Use as.matrix(x), or privacy(x).")
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

refuse_arithmetic <- function(...) abort_untrue(paste0("`", .Generic, "`"), NOISE_CHANGES)

#' @export
Ops.private_counts <- refuse_arithmetic
#' @export
Math.private_counts <- refuse_arithmetic
#' @export
Summary.private_counts <- refuse_arithmetic

#' @export
t.private_counts <- function(x) abort_untrue("t(x)", "Rows are records, and noise levels belong to rows.")

# Without these, R would return NULL for the name of a column, and sum(x$name) would be 0.
#' @export
`[[.private_counts` <- function(x, i, ...) {
  fields <- unclass(x)
  if (rlang::is_string(i) && !i %in% names(fields)) {
    abort_untrue(paste0("x$", i), "{.code x[, \"name\"]} selects a column, and keeps its noise level.")
  }
  fields[[i]]
}
#' @export
`$.private_counts` <- function(x, name) x[[name]]
