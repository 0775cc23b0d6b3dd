# A fit as data frames, for pipes and plots.

#' Convert a fit to data frames
#'
#' `tidy()` returns one row per weight of a factor, with the column names that `tidytext` uses for topic
#' models. `glance()` returns one row per fit. For one row per true count see [augment()][augment.ldp_fit].
#'
#' @param x A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param matrix What the rows are about. `"membership"`: the component that each row of the data mostly
#'   belongs to (each actor's community, each document's topic). `"pairs"`: which rows belong together.
#'   Otherwise a factor, by its name in `coef()`. For a topic model: `"phi"`, the share of each term in each
#'   topic, or `"theta"`, the weight of each topic in each document. The names of `tidytext` can also be used:
#'   `"beta"` is the same as `"phi"`, and `"gamma"` is `"theta"` divided by its row sums, so that the weights
#'   of each document sum to 1. For a block model: `"theta"`, the weight of each actor in each community, or
#'   `"pi"`, the rate of counts from each community to each community (including itself). For a tensor model:
#'   `"theta1"`, `"theta2"` and so on, or the name of the mode, such as `"month"`. The default is `"beta"` for
#'   a topic model, `"theta"` for a block model, and all modes for a tensor model.
#' @param ... Must be empty.
#' @return `tidy()`: a tibble. For a factor, it has one row per weight and three columns, which depend on the
#'   factor:
#'   * topics and terms: `topic`, `term`, `beta`
#'   * documents and topics: `document`, `topic`, `gamma`
#'   * actors and communities: `actor`, `community`, `theta`
#'   * rates between communities: `from`, `to`, `pi`
#'   * modes of a tensor and components: for the first mode `mode1`, `component`, `theta1`; for the second
#'     mode `mode2`, `component`, `theta2`; and so on; for all modes `mode`, `index`, `component`, `weight`
#'
#'   `"membership"` has one row per actor (document, index of the first mode): its `community` (`topic`,
#'   `component`), the one with the largest `share` of the counts that are expected of the actor, sent or
#'   received; this share; and the `probability` that it is the largest, over the draws of the leading mode.
#'   `"pairs"` has one row per pair, and the `probability` that both have the same largest component, over all
#'   draws. It does not depend on how components are numbered.
#'
#'   If the data of a tensor model are a matrix, `mode1` is called `row`, and `mode2` is called `column`. If
#'   the dimnames of the data have names, such as `month`, these names replace `mode1`, `row` and so on.
#'   Components are numbers, in the order of `coef()`, or names ([label_components()]); terms, documents and
#'   so on are labels if the data have them, otherwise numbers. The weights are those of `coef()`: posterior
#'   means after alignment.
#'
#'   `glance()`: a tibble with one row, and columns
#'   * `model`, `k`, `family`, `inference`, `scheme`, `noise`, `private`: what was fitted;
#'   * `nobs`: the number of observed cells;
#'   * `dispersion`: the posterior mean of the dispersion, averaged over rows if each row has its own;
#'   * `log_density`: the log density of the data, averaged over kept draws; `elbo`: the evidence lower bound
#'     of a variational fit;
#'   * `chains`, `draws`: the numbers of chains and of draws;
#'   * `rhat`, `ess`: the largest R-hat and the smallest effective sample size of the quantities in
#'     `summary()`;
#'   * `seconds`: the time that the run took.
#'
#'   Columns that do not apply are `NA`.
#'
#'   `nobs()`: the number of observed cells.
#' @section Errors: `tidy()` stops with an error of class `ldpcounts_error` if the model does not have this
#' `matrix`.
#' @references Silge, J. and Robinson, D. (2016). tidytext: text mining and analysis using tidy data
#'   principles in R. *Journal of Open Source Software* 1, for the names.
#' @seealso [top_terms()] and [coef()][ldp_fit-methods] for matrices instead of data frames.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' head(tidy(fit))
#' head(tidy(fit, "gamma"))
#' tidy(fit, "membership")
#' glance(fit)
#' @importFrom generics tidy
#' @aliases tidy glance
#' @export
tidy.ldp_fit <- function(x, matrix = NULL, ...) {
  check_method(x, ...)
  tables <- tidy_tables(x)
  if (is.null(matrix) && model_of(x)$name == "tensor_model") {
    return(tidy_modes(x))
  }
  choices <- c(names(tables), "membership", "pairs")
  matrix <- check_choice(if (is.null(matrix)) names(tables)[1] else matrix, "matrix", choices)
  if (matrix %in% c("membership", "pairs")) {
    check_in_memory(x)
    return(if (matrix == "pairs") pairs_table(x) else membership_table(x))
  }
  table <- tables[[matrix]]
  weights <- coef(x)[[table$factor]]
  if (matrix == "gamma") weights <- weights / rowSums(weights)
  labels <- lapply(1:2, function(margin) {
    if (model_of(x)$indices[[table$factor]][margin] == 0) component_labels(x) else margin_labels(weights, margin)
  })
  cells <- list(rep(labels[[1]], ncol(weights)), rep(labels[[2]], each = nrow(weights)), c(weights))
  name <- if (matrix %in% table$margins) table$factor else matrix # if `matrix` is the name of a mode
  tibble::as_tibble(stats::setNames(cells, c(table$margins, name)))
}

margin_labels <- function(weights, margin) {
  labels_or_numbers(dimnames(weights)[[margin]], dim(weights)[margin])
}

# The weights of all modes of a tensor, one below the other.
tidy_modes <- function(fit) {
  parts <- Map(function(weights, mode) {
    tibble::tibble(
      mode = mode, index = as.character(rep(margin_labels(weights, 1), ncol(weights))),
      component = rep(component_labels(fit), each = nrow(weights)), weight = c(weights)
    )
  }, coef(fit)[model_of(fit)$factors], mode_names(fit))
  do.call(rbind, unname(parts))
}

# What tidy() calls the factors of a fit, and their margins.
tidy_tables <- function(fit) {
  table <- function(factor, ...) list(factor = factor, margins = c(...))
  words <- table("phi", "topic", "term")
  documents <- table("theta", "document", "topic")
  switch(model_of(fit)$name,
    topic_model = list(beta = words, gamma = documents, phi = words, theta = documents),
    block_model = list(theta = table("theta", "actor", "community"), pi = table("pi", "from", "to")),
    tensor_model = {
      factors <- model_of(fit)$factors
      weights <- Map(table, factors, mode_names(fit), "component")
      stats::setNames(c(weights, weights), c(factors, mode_names(fit)))
    }
  )
}

#' @rdname tidy.ldp_fit
#' @importFrom generics glance
#' @export
glance.ldp_fit <- function(x, ...) {
  check_method(x, ...)
  sampled <- !is_cavi(x)
  dispersion <- posterior_dispersion(x)
  watched <- if (sampled) leading_convergence(x)
  known <- function(x, f) if (all(is.na(x))) NA_real_ else f(x, na.rm = TRUE)
  tibble::tibble(
    model = model_of(x)$name, k = x$k, family = x$family$name, inference = x$inference, scheme = x$scheme,
    noise = x$noise, private = x$private, nobs = nobs(x),
    dispersion = if (is.null(dispersion)) 1 else mean(dispersion),
    log_density = if (sampled) mean(x$log_density) else NA_real_,
    elbo = known(if (!sampled) utils::tail(elbo(x), 1), max),
    chains = x$run$chains, draws = n_draws(x),
    rhat = known(watched$rhat, max), ess = known(c(watched$ess_bulk, watched$ess_tail), min),
    seconds = x$seconds
  )
}

#' @rdname tidy.ldp_fit
#' @param object A fit.
#' @importFrom stats nobs
#' @export
nobs.ldp_fit <- function(object, ...) {
  if (is_shards(object$data)) {
    return(if (is.null(object$looked_at)) NA_real_ else object$looked_at$n_observed)
  }
  n_observed(input_of(object)$counts, model_of(object)$network)
}

# The number of counts that is expected of each row in each component, given factors: label-invariant up to
# the order of its columns. Actors send no counts to themselves.
row_counts <- function(fit, factors) {
  first <- factors[[1]]
  of_all_rows <- function(each) rep(each, each = nrow(first))
  first * switch(model_of(fit)$name,
    block_model = (of_all_rows(colSums(first)) - first) %*% (factors$pi + t(factors$pi)),
    topic_model = of_all_rows(rowSums(factors$phi)),
    tensor_model = of_all_rows(Reduce(`*`, lapply(factors[-1], colSums)))
  )
}

# A row per actor (document, index of the first mode): its largest component, the share of its expected counts
# that this component carries, and the probability that it is its largest.
membership_table <- function(fit) {
  draws <- leading_draws(fit)
  orders <- alignment(fit)$orders
  shares <- first <- 0
  for (s in draws) {
    counts <- row_counts(fit, draw_factors(fit, s))[, orders[, s], drop = FALSE]
    shares <- shares + counts / rowSums(counts) / length(draws)
    first <- first + outer(main_component(counts), seq_len(fit$k), `==`) / length(draws)
  }
  at <- main_component(shares)
  cells <- cbind(seq_along(at), at)
  table <- list(row_labels(fit), component_labels(fit)[at], shares[cells], first[cells])
  names(table) <- c(membership_title(fit), model_of(fit)$component, "share", "probability")
  tibble::as_tibble(table)
}

# A row per pair of actors: the probability that they have the same largest component. All draws count,
# because it does not matter which component that is.
pairs_table <- function(fit, call = rlang::caller_env()) {
  names <- row_labels(fit)
  n <- length(names)
  check_free_memory(8 * 6 * n^2, "A table of all pairs of rows",
    "{.code tidy(fit, \"membership\")} has one row per row.", call
  )
  draws <- shared_draws(fit)
  together <- matrix(0, n, n)
  for (s in draws) {
    first <- main_component(row_counts(fit, draw_factors(fit, s)))
    together <- together + outer(first, first, `==`)
  }
  pairs <- which(upper.tri(together), arr.ind = TRUE, useNames = FALSE)
  pairs <- pairs[order(pairs[, 1], pairs[, 2]), , drop = FALSE]
  table <- list(names[pairs[, 1]], names[pairs[, 2]], together[pairs] / length(draws))
  names(table) <- c(paste0(membership_title(fit), 1:2), "probability")
  tibble::as_tibble(table)
}

membership_title <- function(fit) tidy_tables(fit)[[model_of(fit)$factors[1]]]$margins[1]

# Numbers, or the names that the user gave.
component_labels <- function(fit) if (is.null(fit$labelled)) seq_len(fit$k) else component_names(fit)
