# Means over all draws take seconds, and coef(), fitted(), plot() and summary() all want them: those of the
# fits that were asked last are remembered while the session lasts. A fit is known by the hash of its draws.

remembered_means <- new.env(parent = emptyenv())

MOST_REMEMBERED <- 6L # of at most so many bytes each
MOST_REMEMBERED_BYTES <- 5e7

# `code`, or what it came to when it was asked before under this name.
remember <- function(fit, name, code) {
  key <- rlang::hash(list(name, class(fit)[1], fit$directed, dim(fit$data), fit$draws, fit$modes, fit$run))
  known <- remembered_means$values
  value <- known[[key]]
  if (is.null(value)) value <- code
  small <- if (utils::object.size(value) <= MOST_REMEMBERED_BYTES) stats::setNames(list(value), key)
  remembered_means$values <- utils::tail(c(known[setdiff(names(known), key)], small), MOST_REMEMBERED)
  value
}
