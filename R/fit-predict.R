# New rows of a fitted model: their own factors are drawn with all others fixed.

#' Predict topics and counts of new documents
#'
#' Estimates the weights of topics in new documents from their private counts. The topics are those of the
#' fit and remain unchanged, so this takes much less time than a new fit.
#'
#' @details The argument `draws` says how many kept draws of `phi` are used; they are spread over the chains
#' of the fit. For each of them, a Gibbs sampler draws the weights `theta` of the new documents with `phi`
#' fixed. The sampler runs for the number of sweeps in `sweeps`. It starts from the average document of the
#' fit, and its last sweep gives the draw of `theta`. The result is the mean over these draws. So the new
#' documents do not change the topics, and a new document gives no information about another. If there are
#' many of them, or if they differ from those of the fit, fit all documents together. Noise is modelled or
#' ignored as in the fit.
#'
#' In a test, 100 of the 773 documents of [poliblog] were treated as new. The prediction took at most a
#' twentieth of the time of a new fit to all documents. Its mean Poisson divergence from the true counts was 3
#' to 5 % larger than that of the new fit, with both families. Four times as many sweeps and twice as many
#' draws changed this divergence by less than 1 % (`bench/predict.R` in the sources).
#'
#' With `family = "nbinom1"`, each draw of `phi` is used with the dispersion of the same draw. With
#' `dispersion_by = "row"` each new document has its own dispersion, which is drawn together with its `theta`
#' under the prior of the fit.
#'
#' In a fit with `groups`, the weights of a new document have the prior of its group.
#'
#' Each new document has the noise level that `newdata` declares for it, which may differ from those of the
#' fit. A plain matrix is treated as true counts. Cells that are `NA` are treated as not observed, and are
#' predicted like the others.
#'
#' @param object A fit of [topic_model()]. For fits of [block_model()] and [tensor_model()] only
#'   `predict(object)`, without `newdata`, is defined: a new actor of a network is a new row and a new column,
#'   and changes the information about all other actors. Fit the network again with the new actors included,
#'   and with `NA` for unknown counts. The same holds for new indices of a tensor.
#' @param newdata New documents in rows: a [private_counts()], or any of the [objects that hold
#'   counts][data-objects], with the same columns as the data of the fit. Column names are compared if both
#'   have them. If `newdata` is missing, the documents of the fit are predicted.
#' @param ... Must be empty.
#' @param type `"mean"`: the posterior mean of `mu`, as in `fitted()`. `"factors"`: the posterior mean of
#'   the weights of the topics in each document, as in `coef()`.
#' @param draws The number of kept draws of the fit to use; all if it has fewer.
#' @param sweeps The number of sweeps for each of these draws.
#' @param groups If the fit has `groups`: those of the new documents, in the same form, with a data frame's
#'   columns by name. Every group must be among those of the fit.
#' @return A matrix with one row per new document, and one column per word (`type = "mean"`) or per topic
#'   (`type = "factors"`). Topics are in the order of `coef(object)$phi`. With `family = "poisson"`, the
#'   weights in a row sum to the expected length of the document, because topics are distributions over words.
#'   With `"nbinom1"` they sum to the expected number of events, where an event contributes one or more words
#'   (see [which-family]). Without `newdata`, the result is `fitted(object)` or the first factor of
#'   `coef(object)`.
#' @section Reproducible: With `newdata`, exactly one number is drawn from R's generator: `set.seed()`
#'   makes a prediction reproducible.
#' @section Errors: `predict()` stops with an error of class `ldpcounts_error` if `newdata` are not counts or
#' have other columns than the data of the fit, if they are given for a model other than [topic_model()], if
#' `groups` are missing or unknown for a fit with groups, and if an argument is out of range or misspelt.
#' @references Blei, D., Ng, A. and Jordan, M. (2003). Latent Dirichlet allocation. *Journal of Machine
#'   Learning Research* 3, section 7.1, for folding new documents in. Schein et al. (2019), for
#'   the model.
#' @examples
#' set.seed(1)
#' released <- privatize(poliblog[1:80, 1:60], epsilon = 2)
#' fit <- topic_model(released[1:60, ], k = 3, iter = 100)
#' mu <- predict(fit, released[61:80, ])
#' dim(mu)
#' poisson_kl(mu, poliblog[61:80, 1:60])
#' head(predict(fit, released[61:80, ], type = "factors"), 3)
#' @importFrom stats predict
#' @export
predict.ldp_fit <- function(object, newdata, ..., type = c("mean", "factors"), draws = 50,
                            sweeps = 20, groups = NULL) {
  check_method(object, ...)
  told_how <- !missing(draws) || !missing(sweeps) || !is.null(groups)
  type <- check_choice(type, "type", c("mean", "factors"))
  draws <- check_whole(draws, "draws", 1)
  sweeps <- check_whole(sweeps, "sweeps", 1)
  if (missing(newdata)) {
    message <- "{.arg draws}, {.arg sweeps} and {.arg groups} are only for {.arg newdata}, which is missing."
    check_that(!told_how, message)
    return(if (type == "mean") fitted(object) else coef(object)[[1]])
  }
  input <- new_rows(object, newdata)
  input$groups <- check_new_groups(groups, object$prior$groups, input$dim[1])
  seed <- stats::runif(1)
  summarise <- if (type == "mean") new_mean else new_factors
  with_stream(chain_streams(1, seed)[[1]], summarise(object, input, draws, sweeps))$value
}

# New rows in the form that the model uses.
new_rows <- function(fit, newdata, call = rlang::caller_env()) {
  model <- model_of(fit)
  check_that(!is.null(model$gibbs_rows), c(
    "A fit of {.fn {model$name}} cannot predict new rows.",
    i = model$no_new_rows
  ), call)
  newdata <- given_counts(newdata, "newdata", directed = TRUE, call = call)
  input <- model_input(model, newdata, fit$noise, arg = "newdata", call = call)
  check_columns(input$counts, fit, call)
  if (fit$noise == "model") check_declaration(newdata)
  input
}

# New data must have as many columns as the data of the fit, and the same names if both have names.
check_columns <- function(counts, fit, call) {
  names <- dimnames(counts)[[2]]
  known <- data_dimnames(fit)[[2]]
  wrong_number <- ncol(counts) != dim(fit$data)[2]
  check_that(!wrong_number && same_labels(names, known), c(
    "{.arg newdata} must have the same columns as the data of the fit.",
    x = if (wrong_number) {
      "It has {ncol(counts)} columns, and the data of the fit have {dim(fit$data)[2]}."
    } else {
      "Column names differ from column {first_other(names, known)} on."
    },
    i = if (!is.null(names) && !is.null(known) && all(known %in% names)) {
      "{.code newdata[, colnames(fitted(object))]} selects those of the fit, in the same order."
    }
  ), call)
}

# The mean of visit(factors, excess) over draws of the new rows. In each draw, the factor of the rows is new,
# the other factors are those of one of the kept draws `at`, and `excess` is dispersion - 1, in the form of
# draw_excess().
average_new_rows <- function(fit, input, at, sweeps, visit) {
  cells <- if (is.null(input$mechanism)) make_cells(input$counts, input$alpha) else protected_cells(input)
  reflect <- if (is_noised(input)) REFLECT else 0
  at_once <- n_threads()
  drawn <- list()
  mean_of_each(seq_along(at), function(i) {
    place <- (i - 1) %% at_once + 1
    if (place == 1) {
      some <- at[i:min(i + at_once - 1, length(at))]
      drawn <<- draw_new_rows(fit, some, model_of(fit), cells, sweeps, reflect, input$groups)
    }
    visit(drawn[[place]]$factors, drawn[[place]]$excess)
  })
}

# For each of some kept draws, draws the first factor, which is that of the rows, given the other factors.
draw_new_rows <- function(fit, draws, model, cells, sweeps, reflect, groups) {
  rows <- model$factors[1]
  by_row <- identical(fit$family$by, "row")
  prior <- c(
    fit$prior[model$factors], if (by_row) list(dispersion = fit$family$prior),
    if (!is.null(groups)) list(groups = groups)
  )
  factors <- lapply(draws, function(s) raw_factors(fit, s))
  chains <- Map(function(s, x) {
    typical <- colMeans(x[[rows]])
    x[[rows]] <- matrix(typical, cells$dim[1], length(typical), byrow = TRUE)
    stored <- lapply(stats::setNames(nm = model$factors), function(f) turn(model, f, x[[f]]))
    excess <- draw_excess(fit, s)
    if (by_row) excess <- rep_len(stats::median(excess), cells$dim[1])
    if (length(excess) > 0) stored$excess <- matrix(excess)
    kept <- intersect(c("rate", "shape", "pool"), names(fit$draws))
    for (name in kept) stored[[name]] <- matrix(fit$draws[[name]][, 1, s])
    if (!is.null(fit$draws$groups)) stored$groups <- matrix(fit$draws$groups[, , s], fit$k)
    list(factors = stored, seeds = sweep_seeds(sweeps))
  }, draws, factors)
  Map(function(x, ran) {
    x[[rows]] <- turn(model, rows, ran[[rows]])
    excess <- as.vector(ran$excess)
    if (is_by_column(fit$family)) x <- multiply_last(fit, x, event_size(excess))
    list(factors = x, excess = excess)
  }, factors, model$gibbs_rows(cells, chains, prior, sweeps, reflect))
}

new_mean <- function(fit, input, draws, sweeps) {
  mu <- average_new_rows(fit, input, spread_draws(fit, draws), sweeps, function(factors, excess) {
    if (is_by_column(fit$family)) excess <- numeric()
    model_of(fit)$mean(factors) * event_size(excess)
  })
  `dimnames<-`(mu, label_rows(input, data_dimnames(fit)[[2]], names(dimnames(input$counts))))
}

# Posterior means of the new rows' factor, with components in the order of coef(), from draws of the leading
# mode, as in coef().
new_factors <- function(fit, input, draws, sweeps) {
  model <- model_of(fit)
  target <- model$signature(coef(fit))
  at <- spread_over(leading_draws(fit), draws)
  weights <- average_new_rows(fit, input, at, sweeps, function(factors, excess) {
    draw <- model$normalise(factors)
    model$permute(draw, match_components(model$signature(draw), target))[[1]]
  })
  `dimnames<-`(weights, label_rows(input, component_names(fit)))
}

# The dimnames of the result; NULL if there are no labels.
label_rows <- function(input, columns, titles = NULL) {
  own <- dimnames(input$counts)
  labels <- list(own[[1]], if (is.null(columns)) own[[2]] else columns)
  if (length(unlist(labels)) > 0) stats::setNames(labels, titles)
}
