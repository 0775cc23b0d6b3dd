# Posterior predictive draws: releases of all cells, and simulated data like those of a fit.

#' Posterior predictive draws of releases
#'
#' `simulate()` draws whole releases from the posterior predictive distribution; the methods of the generics
#' `rstantools::posterior_predict()` and `rstantools::posterior_epred()` return draws of chosen cells, and
#' their means, at every kept draw.
#'
#' @details A replicate is generated as the model describes the data. True counts are drawn at one kept draw
#' of `mu` and the dispersion, and two-sided geometric noise with the `alpha` of each row is added. If the
#' release was clamped, negative counts are then set to zero. So replicates of a release include negative
#' counts, as the release does, and can be compared with it: a statistic of the release that is extreme
#' among the replicates shows a misfit of the model. Without noise, replicates are true counts. For a naive
#' fit they are counts like the release with negative counts set to zero.
#'
#' Replicates are plain matrices, and do not protect anybody. To fit a model to one, declare its noise:
#' `private_counts(replicate, alpha = privacy(released)$alpha)`.
#' @param object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param nsim The number of replicates. Each uses one kept draw, chosen at random (without replacement if
#'   there are enough).
#' @param seed `NULL`, or a number for `set.seed()`. With a number, R's generator is afterwards reset to its
#'   previous state.
#' @param ... Must be empty.
#' @param cells Which cells: an index matrix as for `fitted()`; see [ldp_fit-methods]. They may include
#'   masked cells. By default all observed cells.
#' @return `simulate()`: a list of `nsim` matrices or arrays of the shape of the data, with their labels,
#' named `sim_1`, `sim_2` and so on. Cells that are masked in the data are `NA`, and so is the diagonal of a
#' network. Its attribute `seed` is as documented in [stats::simulate()]: the `seed` with the `kind` of the
#' generator, or, without a `seed`, the previous state of the generator (`.Random.seed`).
#'
#' `posterior_predict()`: a matrix, one row per kept draw (chain after chain), one column per cell:
#' releases of these cells. Columns are in the order of [log_lik()][log_lik.ldp_fit], that of
#' `which(!is.na(as.matrix(data)))`, without the diagonal of a network; or of `cells`.
#'
#' `posterior_epred()`: a matrix of the same shape with the expected released counts given each draw. These
#' are `mu`, because noise has mean zero, or larger than `mu` if the release was clamped.
#' @section Errors: of class `ldpcounts_error` for `cells` that are not cells of the data, for `nsim` that
#'   is not a positive whole number, for `seed` that is not a number, and if there is not enough memory for
#'   the result.
#' @references Gelman, A., Meng, X.-L. and Stern, H. (1996). Posterior predictive assessment of model
#'   fitness via realized discrepancies. *Statistica Sinica* 6.
#' @seealso `summary()` of a fit includes such a check; see [ldp_fit-methods].
#' @examples
#' set.seed(1)
#' released <- privatize(poliblog[1:60, 1:80], epsilon = 1)
#' fit <- topic_model(released, k = 3, iter = 100)
#' replicates <- simulate(fit, nsim = 20, seed = 1)
#' # is the largest released count one that the model expects?
#' max(as.matrix(released))
#' range(vapply(replicates, max, 0))
#' @importFrom stats simulate
#' @export
simulate.ldp_fit <- function(object, nsim = 1, seed = NULL, ...) {
  check_method(object, ...)
  nsim <- check_whole(nsim, "nsim", 1)
  if (!is.null(seed) && !(is_number(seed) && abs(seed) <= .Machine$integer.max)) {
    abort_argument(seed, "seed", "NULL or one number below 2^31", rlang::current_env())
  }
  input <- input_of(object)
  check_replicate_memory(nsim, n_cells(input$counts))
  network <- model_of(object)$network
  cells <- observed_cells(input$counts, network)
  empty <- array(NA_real_, dim(input$counts))
  with_seed(seed, {
    draws <- shared_draws(object)
    draws <- draws[sample.int(length(draws), nsim, replace = nsim > length(draws))]
    replicates <- lapply(draws, function(s) {
      empty[cells] <- replicate_cells(object, s, input, cells)
      array(if (network == "undirected") mirrored(empty) else empty, input$dim, data_dimnames(object))
    })
    stats::setNames(replicates, paste0("sim_", seq_len(nsim)))
  })
}

check_replicate_memory <- function(nsim, cells, free = memory_free(), call = rlang::caller_env()) {
  hint <- "Reduce {.arg nsim}, or use {.fn posterior_predict} for some cells."
  check_free_memory(8 * nsim * cells + 32 * cells, "The replicated data", hint, free, call)
}

#' @rdname simulate.ldp_fit
#' @exportS3Method rstantools::posterior_predict
posterior_predict.ldp_fit <- function(object, ..., cells = NULL) {
  check_no_dots(...)
  cell_draws(object, cells, replicate_cells)
}

#' @rdname simulate.ldp_fit
#' @exportS3Method rstantools::posterior_epred
posterior_epred.ldp_fit <- function(object, ..., cells = NULL) {
  check_no_dots(...)
  cell_draws(object, cells, function(...) cell_moments(...)$mean)
}

# What f(fit, s, input, cells) gives for these cells, or for all observed ones: one row per draw s.
cell_draws <- function(fit, cells, f, call = rlang::caller_env()) {
  check_fit(fit, call)
  input <- input_of(fit)
  cells <- pointwise_cells(fit, input, cells, call)
  draws_in_rows(seq_len(n_draws(fit)), nrow(cells), function(s) f(fit, s, input, cells))
}

#' Simulate new data from the factors of a fit
#'
#' Simulates semi-synthetic data. Every weight in the factors that were estimated from real data is
#' multiplied by a random number, and counts are drawn from these factors. So the data have a realistic
#' structure, and the truth is known.
#'
#' @details The factors are those of [coef()][coef.ldp_fit], the aligned and normalised posterior means.
#' Every weight is multiplied by an independent gamma draw of mean 1 and variance `1 / shape`, `mu` is
#' multiplied by `scale`, and the factors are normalised as those of `coef()` are. As multipliers are
#' independent, the mean of the new `mu` is `scale` times the `mu` of these factors, which is about
#' `fitted()`. The smaller `shape` is, the sparser the new factors are, and the more they differ from those
#' of the fit. `scale` sets the size of the counts: with 0.1, the same noise is ten times as large relative
#' to the counts.
#'
#' If the fit is to a release, the new data reveal nothing that the release does not, and cost no privacy.
#' If the fit is to true counts, they may reveal something about these.
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty: all further arguments are named.
#' @param shape The shape of the gamma distribution of the multipliers: a number of at least 0.1, or `Inf`
#'   to keep the factors unchanged.
#' @param scale A positive number by which `mu` is multiplied.
#' @param dispersion Variance of a count over its mean, at least 1. By default that of the fit (with one
#'   value per row if the fit has them), or 1 for the family `"poisson"`.
#' @return A list of `y`, the counts, `mu`, their means, and the factors, with the names and labels of
#'   `coef(fit)`. The diagonal of a network is zero in `y`, and `NA` in `mu`.
#' @section Reproducible: All draws come from R's generator, so `set.seed()` makes them reproducible.
#' @section Errors: of class `ldpcounts_error` for anything but a fit, and for arguments out of range.
#' @references Schein, A., Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference
#'   for count models. arXiv 1803.08471, version 1, for the idea. That each weight has its own multiplier
#'   of mean 1 is new in this package.
#' @seealso [simulate_topics()] for data without a fit.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' new <- resimulate(fit, shape = 5)
#' sum(new$y) / sum(poliblog[1:60, 1:80])
#' # do the topics come back through the noise?
#' again <- topic_model(privatize(new$y, epsilon = 2), k = 3, iter = 100)
#' poisson_kl(again, new$mu)
#' @export
resimulate <- function(fit, ..., shape = 10, scale = 1, dispersion = NULL) {
  check_no_dots(...)
  check_is_fit(fit)
  if (!identical(shape, Inf) && !(is_number(shape) && shape >= 0.1)) {
    abort_argument(shape, "shape", "one number of at least 0.1, or Inf", rlang::current_env())
  }
  scale <- check_positive(scale, "scale")
  found <- coef(fit)
  if (!is.null(dispersion)) found$dispersion <- check_dispersion(dispersion)
  dispersion <- if (is.null(found$dispersion)) 1 else unname(found$dispersion)
  model <- model_of(fit)
  last <- model$factors[length(model$factors)]
  factors <- multiply_weights(found[model$factors], model$symmetric, shape)
  factors[[last]] <- scale * factors[[last]]
  factors <- Map(`dimnames<-`, model$normalise(factors), factor_dimnames(fit))
  made <- counts_around(model, factors, dispersion)
  new_simulation(lapply(made, `dimnames<-`, data_dimnames(fit)), factors)
}
