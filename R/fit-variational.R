# The variational posterior q of a fit with inference = "cavi", and its means.

has_converged <- function(starts) vapply(starts, function(start) isTRUE(start$converged), TRUE)

last_elbo <- function(start) {
  n <- length(start$elbo)
  if (n > 0) start$elbo[n] else -Inf
}

# A start has failed if its parameters became infinite or NaN; its last bound is then -Inf.
has_failed <- function(start) identical(last_elbo(start), -Inf) && length(start$elbo) > 0

# The numbers of iterations that these starts have done.
passes_of <- function(starts) vapply(starts, function(start) length(start$elbo), 0L)

CAVI_GRID <- 257L # LDP_CAVI_GRID

q_of <- function(fit) fit$chains[[fit$best]]$q

# The means of q: factors in the shape that users see, and the mean size of an event.
means_of_q <- function(model, q) {
  lapply(stats::setNames(nm = model$factors), function(name) {
    turn(model, name, q[[name]]$shape / q[[name]]$rate)
  })
}

q_factors <- function(fit) means_of_q(model_of(fit), q_of(fit))

q_mean_excess <- function(fit, of = identity) {
  law <- q_of(fit)$excess
  if (is.null(law)) numeric() else colSums(law$weights * of(exp(law$points)))
}

q_event_size <- function(fit) {
  size <- q_mean_excess(fit, event_size)
  if (length(size) == 0) 1 else size
}
