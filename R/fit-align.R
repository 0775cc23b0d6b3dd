# Posterior means of factors, aligned over all draws, and the terms with the largest weights.

#' @rdname ldp_fit-methods
#' @importFrom stats coef
#' @export
coef.ldp_fit <- function(object, ...) {
  check_method(object, ...)
  means <- Map(`dimnames<-`, alignment(object)$means, factor_dimnames(object))
  dispersion <- posterior_dispersion(object)
  labels <- if (length(dispersion) > 1) data_dimnames(object)[[1]]
  c(
    means, if (!is.null(dispersion)) list(dispersion = stats::setNames(dispersion, labels)),
    if (!is.null(object$prior$groups)) list(groups = posterior_group_rates(object))
  )
}

factor_dimnames <- function(fit) {
  labels <- data_dimnames(fit)
  labels_of <- c(list(component_names(fit)), unname(labels))
  titles <- c("component", mode_names(fit))
  lapply(model_of(fit)$indices, function(of_factor) {
    each <- labels_of[of_factor + 1]
    if (!is.null(names(labels))) stats::setNames(each, titles[of_factor + 1]) else each
  })
}

# The names of the components in the order of coef(). Those that a user gave are found by the weights that the
# components had then, because further draws can change the order. `now`: the weights in another order.
component_names <- function(fit, now = model_of(fit)$signature(alignment(fit)$means)) {
  if (is.null(fit$labelled)) {
    return(paste0(model_of(fit)$component, seq_len(fit$k)))
  }
  fit$labelled$names[match_components(fit$labelled$signature, now)]
}

# The relative rates of groups in some draws: levels x components x draws, with components in the order of
# coef() if they are aligned.
group_rates <- function(fit, draws, aligned = TRUE) {
  orders <- if (aligned) alignment(fit)$orders
  rates <- vapply(draws, function(s) {
    relative <- matrix(fit$draws$groups[, , s], fit$k)
    t(if (aligned) relative[orders[, s], , drop = FALSE] else relative)
  }, matrix(0, n_levels(fit$prior$groups), fit$k))
  array(rates, c(n_levels(fit$prior$groups), fit$k, length(draws)))
}

# Their posterior means over the draws of the leading mode.
posterior_group_rates <- function(fit) {
  means <- rowMeans(group_rates(fit, leading_draws(fit)), dims = 2)
  dimnames(means) <- list(level_names(fit$prior$groups), component_names(fit))
  means
}

# Posterior mean of the dispersion: one number, or one per row; NULL for the Poisson family.
posterior_dispersion <- function(fit) UseMethod("posterior_dispersion")

posterior_dispersion.ldp_fit_cavi <- function(fit) {
  if (is_estimated(family_of(fit))) 1 + q_mean_excess(fit) else NextMethod()
}

posterior_dispersion.ldp_fit <- function(fit) {
  draws <- dispersion_draws(fit)
  if (!is.null(draws)) colMeans(draws)
}

# Aligned posterior means, with components sorted by size: the means of the normalised factors, and a matrix
# with one column per draw, which puts the components of the draw into this order.
alignment <- function(fit) {
  remember(fit, "alignment", {
    model <- model_of(fit)
    found <- match_draws(fit)
    by_size <- order(-model$size(found$means))
    list(means = model$permute(found$means, by_size), orders = found$orders[by_size, , drop = FALSE])
  })
}

# Means of the normalised factors over the draws of the leading mode, and the order of the components in every
# draw.
match_draws <- function(fit) UseMethod("match_draws")

# Labels do not switch between draws from q, so nothing is matched. Draws are averaged after normalisation,
# because the mean of a ratio is not the ratio of the means.
match_draws.ldp_fit_cavi <- function(fit) {
  draws <- seq_len(n_draws(fit))
  list(
    means = mean_of_each(draws, function(s) normalised_draw(fit, s)),
    orders = matrix(seq_len(fit$k), fit$k, length(draws))
  )
}

match_draws.ldp_fit_gibbs <- function(fit) {
  leading <- leading_draws(fit)
  found <- matched_means(fit, leading)
  signature <- model_of(fit)$signature
  target <- signature(found$means)
  orders <- matrix(0L, fit$k, n_draws(fit))
  orders[, leading] <- found$orders
  for (s in setdiff(seq_len(n_draws(fit)), leading)) {
    orders[, s] <- match_components(signature(normalised_draw(fit, s)), target)
  }
  list(means = found$means, orders = orders)
}

# Means of the normalised factors over some draws. Components are matched twice: first to the last of these
# draws, then to the resulting mean.
matched_means <- function(fit, draws) {
  model <- model_of(fit)
  orders <- matrix(0L, fit$k, length(draws))
  target <- model$signature(normalised_draw(fit, draws[length(draws)]))
  for (pass in 1:2) {
    means <- mean_of_each(seq_along(draws), function(i) {
      draw <- normalised_draw(fit, draws[i])
      orders[, i] <<- match_components(model$signature(draw), target)
      model$permute(draw, orders[, i])
    })
    target <- model$signature(means)
  }
  list(means = means, orders = orders)
}

#' @rdname ldp_fit-methods
#' @export
top_terms <- function(fit, n = 10, ...) {
  check_no_dots(...)
  if (!inherits(fit, c("topic_model", "dp_lda"))) {
    expected <- "a fit of topic_model(), dp_lda_spectral() or dp_lda_vi()"
    abort_argument(fit, "fit", expected, rlang::current_env())
  }
  top_words(coef(fit)$phi, check_whole(n, "n", 1))
}

top_words <- function(phi, n) {
  n <- min(n, ncol(phi))
  words <- if (is.null(colnames(phi))) as.character(seq_len(ncol(phi))) else colnames(phi)
  terms <- apply(phi, 1, function(weights) words[largest_first(weights, n)])
  matrix(terms, n, dimnames = list(NULL, rownames(phi)))
}
