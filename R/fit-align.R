# Posterior means of factors, aligned over all draws, the names of components, and their terms with the
# largest weights.

#' @rdname ldp_fit-methods
#' @importFrom stats coef
#' @export
coef.ldp_fit <- function(object, ...) {
  check_method(object, ...)
  means <- Map(`dimnames<-`, alignment(object)$means, factor_dimnames(object))
  dispersion <- posterior_dispersion(object)
  mode <- if (is_by_column(object$family)) length(dim(object$data)) else 1
  labels <- if (length(dispersion) > 1) data_dimnames(object)[[mode]]
  as_leading(object, c(
    means, if (!is.null(dispersion)) list(dispersion = stats::setNames(dispersion, labels)),
    if (!is.null(object$prior$groups)) list(groups = posterior_group_rates(object))
  ))
}

# Marks estimates of the leading mode, if there are several, so that print() says whose they are.
as_leading <- function(fit, x) {
  words <- describe_leading(fit)
  if (is.null(words)) x else structure(x, class = c("leading_mode", class(x)), leading = words)
}

#' @export
print.leading_mode <- function(x, ...) {
  print(structure(unclass(x), leading = NULL), ...)
  cat_wrapped(attr(x, "leading"))
  invisible(x)
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
  `dimnames<-`(means, list(level_names(fit$prior$groups), component_names(fit)))
}

# Posterior mean of the dispersion: one number, or one per row or column; NULL for the Poisson family.
posterior_dispersion <- function(fit) {
  if (is_cavi(fit) && is_estimated(fit$family)) {
    return(1 + q_mean_excess(fit))
  }
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
match_draws <- function(fit) {
  if (is_cavi(fit)) {
    # Labels do not switch between draws from q, so nothing is matched. Draws are averaged after
    # normalisation, because the mean of a ratio is not the ratio of the means.
    means <- mean_of_each(seq_len(n_draws(fit)), function(s) normalised_draw(fit, s))
    return(list(means = means, orders = matrix(seq_len(fit$k), fit$k, n_draws(fit))))
  }
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
  top <- top_words(coef(fit)$phi, check_whole(n, "n", 1))
  if (inherits(fit, "dp_lda")) top else as_leading(fit, top)
}

top_words <- function(phi, n) {
  n <- min(n, ncol(phi))
  words <- as.character(labels_or_numbers(colnames(phi), ncol(phi)))
  terms <- apply(phi, 1, function(weights) words[largest_first(weights, n)])
  matrix(terms, n, dimnames = list(NULL, rownames(phi)))
}

#' Name the components of a fit
#'
#' Gives the topics, communities or components of a fit names of your own, which replace `topic1`,
#' `community1` and so on in [coef()][ldp_fit-methods], [top_terms()], [tidy()][tidy.ldp_fit], `summary()`,
#' [group_effects()], [predict()][predict.ldp_fit] and plots.
#'
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param labels One different name per component, in the order of `coef()`; or some names, named by the
#'   numbers of their components: `c("3" = "war")`. `NULL` removes all names.
#' @return The fit with these names. They stay with their components in [update()][update.ldp_fit] and
#'   [subset()][subset.ldp_fit], also if the order of components in `coef()` changes: components are found
#'   again by their weights. Draws in `as.matrix()` and [as_draws()][as_draws.ldp_fit] keep numbers.
#' @section Errors: `label_components()` stops with an error of class `ldpcounts_error` if `labels` are not
#' such names.
#' @seealso [top_terms()], which shows what to call a topic.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' top_terms(fit, 4)
#' fit <- label_components(fit, c("election", "economy", "war"))
#' top_terms(fit, 4)
#' @export
label_components <- function(fit, labels) {
  call <- rlang::current_env()
  check_is_fit(fit)
  if (is.null(labels)) {
    fit["labelled"] <- list(NULL)
    return(fit)
  }
  names <- component_names(fit)
  at <- if (is.null(names(labels))) seq_along(names) else match(names(labels), seq_along(names))
  if (!is.character(labels) || length(labels) != length(at) || anyNA(at) || anyDuplicated(at) > 0) {
    expected <- "different names, or some names that are named by the numbers of their components"
    abort_argument(labels, "labels", paste(fit$k, expected), call)
  }
  names[at] <- check_names(unname(labels), "labels", call)
  check_names(names, "labels", call)
  fit$labelled <- list(names = names, signature = model_of(fit)$signature(alignment(fit)$means))
  fit
}

# The order of the components of `signature` (k rows) that best matches those of `target`: the one with the
# largest sum of affinities.
match_components <- function(signature, target) {
  as.integer(clue::solve_LSAP(affinities(signature, target), maximum = TRUE))
}

# Affinities sum(sqrt(p q)), where p and q are rows normalised to sum to 1: one row per component of `target`,
# one column per component of `signature`.
affinities <- function(signature, target) {
  tcrossprod(sqrt(target / rowSums(target)), sqrt(signature / rowSums(signature)))
}

normalised_draw <- function(fit, s) model_of(fit)$normalise(draw_factors(fit, s))

main_component <- function(weights) max.col(weights, ties.method = "first")
