# What the functions with central differential privacy share: the documents that they are given, and the
# methods of their fits, of class dp_lda, which print what is guaranteed.

# Checked true counts of at least one document and one word. With `secret`, the labels of words become public,
# so they must not come from the counts.
central_counts <- function(counts, secret = TRUE, call = rlang::caller_env()) {
  check_that(!inherits(counts, "private_counts"), c(
    "{.arg counts} must hold true counts, but is a release of noised counts.",
    i = "For noised counts use {.fn topic_model}, which does not increase the privacy loss."
  ), call)
  role <- if (secret) "secret" else "truth"
  table <- given_counts(counts, "counts", directed = TRUE, role = role, call = call)
  check_modes(dim(table), 2, "counts", call)
  counts <- check_counts(table$counts, "counts", call)
  check_complete(counts, "counts", call = call)
  check_that(all(dim(counts) > 0), "{.arg counts} must have at least one document and one word.", call)
  as_sparse(counts)
}

# Documents as the kernel reads them, with at most `lmax` tokens each, chosen at random.
document_cells <- function(counts, lmax = Inf) {
  cells <- make_cells(counts, numeric(nrow(counts)), by_columns = FALSE)
  if (lmax < Inf) cells$y_tilde <- .Call(C_rc_lda_shorten, cells, as.double(lmax))
  cells
}

# --- fits -----------------------------------------------------------------------------------------

# Noise of R's generator protects nothing: whoever knows the seed can subtract it.
is_private <- function(epsilon, mechanism) epsilon < Inf && mechanism$rng == "secure"

# What is protected, how strongly, and what is not protected.
print_promise <- function(x) {
  level <- paste0("epsilon = ", format(x$epsilon), ", delta = ", format(x$delta))
  cat_wrapped(if (x$private) {
    paste0(
      "Protected: to ", x$unit, " makes no set of outcomes more than exp(", format(x$epsilon), ") times as ",
      "probable, plus ", format(x$delta), " (", level, ").",
      if (x$noise != "discrete") {
        " Noise is drawn in floating point: the guarantee is for the idealised mechanism."
      }
    )
  } else if (x$epsilon < Inf) {
    paste0(
      "Not private: noise for ", level, " (", x$unit, ") from R's generator, for study only, because anyone ",
      "who knows the seed can subtract it."
    )
  } else {
    "Not private: no noise was added (epsilon = Inf)."
  })
  if (x$private) cat_wrapped(paste0(
    "Not protected: the words, all settings, the number of documents. The person who ran this had access to ",
    "the true counts."
  ))
}

# One topic per row, as in the fits of topic_model().
central_topics <- function(fit, call = rlang::caller_env()) {
  if (!is.matrix(fit$mu) || !is.numeric(fit$mu)) abort_damaged("mu", call)
  t(fit$mu)
}

# `what`: the numbers that the noise is compared with.
print_topics <- function(fit, note, what) {
  terms <- apply(top_words(central_topics(fit), 6), 2, paste, collapse = ", ")
  cat_wrapped(paste0(seq_along(terms), note, ": ", terms)[seq_len(min(length(terms), 20))])
  weak <- paste("Weak: the noise is as large as the", what, "of the smallest topics: do not trust these.")
  if (isTRUE(fit$weak)) cat_wrapped(weak)
}

#' @export
summary.dp_lda <- function(object, ...) {
  check_no_dots(...)
  object$ledger
}

#' @export
coef.dp_lda <- function(object, ...) {
  check_no_dots(...)
  list(phi = central_topics(object), alpha = object$alpha)
}

#' @export
tidy.dp_lda <- function(x, ...) {
  check_no_dots(...)
  phi <- central_topics(x)
  terms <- labels_or_numbers(colnames(phi), ncol(phi))
  data.frame(topic = rep(seq_len(nrow(phi)), ncol(phi)), term = rep(terms, each = nrow(phi)), beta = c(phi))
}

#' @export
plot.dp_lda <- function(x, ...) draw_figure(ggplot2::autoplot(x, ...))

#' @exportS3Method ggplot2::autoplot
autoplot.dp_lda <- function(object, ..., n = 8) {
  check_no_dots(...)
  sizes <- if (inherits(object, "dp_lda_vi")) colSums(object$lambda) else object$alpha
  topics_figure(central_topics(object), sizes, check_whole(n, "n", 1))
}
