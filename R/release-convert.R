# Conversion of a release to a matrix, an array, a data frame or a vector.

# With more than two modes, the table in which the counts are stored.
#' @rdname private_counts
#' @param sparse For `as.matrix()`: if `TRUE`, return a `dgCMatrix` instead of a base matrix.
#' @export
as.matrix.private_counts <- function(x, ..., sparse = FALSE) {
  check_no_dots(...)
  counts <- fields_of(x)$counts
  if (check_flag(sparse, "sparse")) as_sparse(counts) else as_dense(counts, "x", rlang::current_env())
}

#' @rdname private_counts
#' @export
as.array.private_counts <- function(x, ...) {
  check_no_dots(...)
  array(as.matrix(x), dim(x), dimnames(x))
}

#' @rdname private_counts
#' @param row.names,optional For `as.data.frame()`: not used.
#' @param stringsAsFactors For `as.data.frame()`: if `TRUE`, labels are factors; if `FALSE`, text.
#' @param na.rm For `as.data.frame()`: if `TRUE`, masked cells are left out; if `FALSE`, their `y_tilde` is
#'   `NA`.
#' @export
as.data.frame.private_counts <- function(x, row.names = NULL, optional = FALSE, ..., stringsAsFactors = TRUE,
                                         na.rm = FALSE) {
  check_no_dots(...)
  if (identical(sys.function(sys.parent()), base::data.frame) && # also for cbind() of data frames
    eval(quote(...length()), parent.frame()) > 1) {
    abort_as_column()
  }
  stringsAsFactors <- check_flag(stringsAsFactors, "stringsAsFactors")
  na.rm <- check_flag(na.rm, "na.rm")
  check_long_memory(x)
  labels <- dimnames(x)
  counts <- as.matrix(x)
  cells <- if (privacy(x)$directed) seq_along(counts) else which(upper.tri(counts)) # each pair once
  if (na.rm) cells <- cells[!is.na(counts[cells])]
  index <- arrayInd(cells, dim(x))
  modes <- lapply(seq_along(dim(x)), function(mode) {
    label_index(index[, mode], labels[[mode]], stringsAsFactors)
  })
  titles <- mode_titles(length(modes), titles_of(fields_of(x)), c("y_tilde", "alpha"))
  data.frame(stats::setNames(modes, titles),
    y_tilde = counts[cells], alpha = rep_len(privacy(x)$alpha, nrow(counts))[index[, 1]],
    check.names = FALSE
  )
}

# A data frame of all cells, with the copies that are made on the way: three numbers per cell, and four per
# mode. (Zeros that a sparse release does not store are rows too.)
check_long_memory <- function(x, free = memory_free(), call = rlang::caller_env()) {
  needed <- (3 * 8 + 4 * 4 * length(dim(x))) * prod(as.double(dim(x)))
  hint <- "Convert some rows at a time, {.code as.data.frame(x[1:100, ])}, or use the release itself."
  if (!is_affordable(needed, free)) {
    check_free_memory(needed, "A data frame with one row per cell", hint, free, call)
  }
}

label_index <- function(index, labels, as_factor) {
  if (is.null(labels)) {
    return(index)
  }
  labels <- make.unique(as.character(labels))
  if (as_factor) factor(index, seq_along(labels), labels) else labels[index]
}

#' @export
as.double.private_counts <- function(x, ...) as.double(as.matrix(x))

#' @export
as.integer.private_counts <- function(x, ...) as.integer(as.matrix(x))

#' @export
as.vector.private_counts <- function(x, mode = "any") as.vector(as.matrix(x), mode)

#' @exportS3Method ggplot2::fortify
fortify.private_counts <- function(model, data, ...) as.data.frame(model)

#' @importFrom utils str
#' @export
str.private_counts <- function(object, ...) cat(" ", format(object), "\n", sep = "")
