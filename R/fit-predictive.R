# The log density of a release, cell by cell, and replicated data: releases of some cells or of all, and
# simulated data like those of a fit.

#' Log density of a release, cell by cell
#'
#' Method of the generic `rstantools::log_lik()`, for comparing models: the log density of
#' each released count at each kept draw, in closed form, with the true count summed out.
#'
#' @details The density of a cell is that of [dprivpois()], or of [dprivnbinom()] with `family = "nbinom1"`,
#' at the `mu` and the dispersion of the draw, with a relative error below 1e-8. A zero in a clamped release
#' represents all released counts at or below zero, whose total probability is `E[alpha^y] / (1 + alpha)`.
#' Without noise, or if the noise is ignored, the density is that of the count itself. The density does not
#' depend on the sampling `scheme`. Its sum over cells is the log density of the release, which `summary()`
#' monitors.
#'
#' Compare a private and a naive fit only if the release is clamped. Otherwise the naive fit has set negative
#' counts to zero, and the two densities are those of different data. Do not compare fits to releases with
#' different `alpha` either: these are different data, too.
#' @param object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty.
#' @param cells Compute the log density of these cells only: an index matrix as for `fitted()`; see
#'   [ldp_fit-methods]. They must be observed.
#' @seealso [loo.ldp_fit()], which does not need the whole matrix in memory; [held_out_density()].
#' @return A matrix with one row per kept draw (chain after chain) and one column per row of `cells`; by
#'   default one column per observed cell. The order of the columns is then that of
#'   `which(!is.na(as.matrix(data)))`, which is column after column (for a tensor, the same as
#'   `which(!is.na(as.array(data)))`). The diagonal of a network is left out.
#' @section Errors: `log_lik()` stops with an error of class `ldpcounts_error` if `cells` are not observed
#' cells of the data, and if there is not enough memory for the matrix.
#' @references Schein et al. (2019), section 3, for the model; the closed forms are new in this package.
#' @examples
#' set.seed(1)
#' fit <- topic_model(privatize(poliblog[1:60, 1:80], epsilon = 1), k = 3, iter = 60)
#' if (requireNamespace("rstantools", quietly = TRUE)) {
#'   pointwise <- rstantools::log_lik(fit)
#'   dim(pointwise)
#'   range(rowSums(pointwise))
#' }
#' @rdname log_lik
#' @exportS3Method rstantools::log_lik
log_lik.ldp_fit <- function(object, ..., cells = NULL) {
  check_method(object, ...)
  input <- input_of(object)
  cells <- pointwise_cells(object, input, cells)
  check_observed(counts_at(input$counts, cells))
  pointwise_density(object, input, cells)
}

# The cells to which the columns of a matrix of draws belong: those requested, or all observed ones. Stops
# with an error if there is not enough memory for the matrix and the index of its columns.
pointwise_cells <- function(fit, input, cells, call = rlang::caller_env()) {
  network <- model_of(fit)$network
  if (!is.null(cells)) cells <- check_data_cells(cells, fit, call = call)
  n <- if (is.null(cells)) n_observed(input$counts, network) else nrow(cells)
  check_free_memory(8 * n_draws(fit) * n + 32 * n, "The matrix", paste0(
    "It has one row per draw (", n_draws(fit), ") and one column per cell (", format_number(n),
    "). Select fewer {.arg cells}."
  ), call)
  if (is.null(cells)) observed_cells(input$counts, network) else cells
}

# A matrix with one row per draw s, f(s), and n columns, one per cell.
draws_in_rows <- function(draws, n, f) {
  rows <- matrix(0, length(draws), n)
  for (i in seq_along(draws)) rows[i, ] <- f(draws[i])
  rows
}

# Log density of the released counts in some cells, one row per draw.
pointwise_density <- function(fit, input, cells, draws = seq_len(n_draws(fit))) {
  y_tilde <- counts_at(input$counts, cells)
  if (!is.null(input$mechanism$custom)) input$mechanism <- with_tables(input$mechanism, y_tilde)
  draws_in_rows(draws, nrow(cells), function(s) log_density_of_cells(fit, s, input, cells, y_tilde))
}

# A list of the results of `f` for blocks of cells. Blocks are so small that a matrix with one number per draw
# and cell is not large.
by_blocks <- function(cells, n_draws, f, size = 4e6) { # 32 MB per matrix
  lapply(unname(blocks_of(nrow(cells), n_draws, size)), function(block) f(cells[block, , drop = FALSE]))
}

# Log density of some cells in draw s.
log_density_of_cells <- function(fit, s, input, cells, y_tilde) {
  mu <- draw_cell_mean(fit, s, cells)
  if (!is.null(input$mechanism)) {
    dispersion <- 1 + draw_cell_excess(fit, s, cells)
    return(count_behind(MASS, mechanism_of_cells(input, cells), y_tilde, mu, dispersion))
  }
  # one number if all rows have the same noise, which is faster
  alpha <- if (min(input$alpha) == max(input$alpha)) input$alpha[1] else input$alpha[cells[, 1]]
  release_density(y_tilde, mu, draw_cell_excess(fit, s, cells), alpha, input$clamped)
}

check_observed <- function(y_tilde, call = rlang::caller_env()) {
  check_that(!anyNA(y_tilde), c(
    "{.arg cells} must not be masked.",
    x = "Row {which(is.na(y_tilde))[1]} of {.arg cells} is masked."
  ), call)
}

# Replicated releases of some cells in draw s, and their moments; `input`: see model_data().
replicate_cells <- function(fit, s, input, cells) {
  if (is.null(input$mechanism)) {
    return(of_cells(replicate_release, fit, s, input, cells))
  }
  excess <- rep_len(draw_cell_excess(fit, s, cells), nrow(cells))
  rprivcount(nrow(cells), draw_cell_mean(fit, s, cells), mechanism_of_cells(input, cells), 1 + excess)
}
cell_moments <- function(...) of_cells(release_moments, ...)

of_cells <- function(f, fit, s, input, cells) {
  mu <- draw_cell_mean(fit, s, cells)
  f(mu, draw_cell_excess(fit, s, cells), input$alpha[cells[, 1]], input$clamped)
}

# Calls summarise(s, input, cells, y_tilde) for N_REPLICATES draws s and about N_CHECKED observed cells, whose
# released counts are `y_tilde`. Returns a list of the results and of `y_tilde`, or NULL if none of the cells
# was observed. The result is the same in each call, and the state of R's generator is not changed.
over_replicates <- function(fit, summarise) {
  at <- cells_to_check(fit)
  if (nrow(at$cells) == 0) {
    return(NULL)
  }
  draws <- rep_len(spread_draws(fit, N_REPLICATES), N_REPLICATES)
  values <- with_stream(chain_streams(1, 0)[[1]], lapply(draws, summarise, at$input, at$cells, at$y_tilde))
  list(y_tilde = at$y_tilde, values = values$value)
}

# The data in the form that the model uses, and some of the observed cells.
cells_to_check <- function(fit) {
  if (!is.null(fit$looked_at)) {
    return(c(list(input = shards_source(fit$data, fit$noise)), fit$looked_at[c("cells", "y_tilde")]))
  }
  input <- input_of(fit)
  cells <- checked_cells(input$counts, model_of(fit)$network)
  list(input = input, cells = cells, y_tilde = counts_at(input$counts, cells))
}

N_REPLICATES <- 50
N_CHECKED <- 1e4

# The same cells and their released counts, of data in files.
look_at_files <- function(sampler) {
  all <- prod(as.double(sampler$dim))
  n <- min(N_CHECKED / (sampler$n_observed / all), 1e6)
  cells <- if (all <= n) arrayInd(seq_len(all), sampler$dim) else spread_cells(sampler$dim, n, "none")
  y_tilde <- counts_on_shards(sampler$shards, cells)
  list(
    cells = cells[!is.na(y_tilde), , drop = FALSE], y_tilde = y_tilde[!is.na(y_tilde)],
    n_observed = sampler$n_observed
  )
}

# About N_CHECKED observed cells, spread over the data, or all of them.
checked_cells <- function(counts, network) {
  share <- n_observed(counts, network) / n_cells(counts)
  n <- min(N_CHECKED / share, 1e6)
  if (n_cells(counts) <= n) {
    return(observed_cells(counts, network))
  }
  cells <- spread_cells(dim(counts), n, network)
  cells[!is.na(counts_at(counts, cells)), , drop = FALSE]
}

# About n cells, spread over the table by multiples of the golden ratio. They are the same in each call, and
# cells that are not data (such as the diagonal of a network) are left out.
spread_cells <- function(dim, n, network) {
  all <- prod(as.double(dim))
  golden <- (sqrt(5) - 1) / 2
  index <- unique(floor(all * ((seq_len(min(n, all)) * golden) %% 1)) + 1)
  cells <- arrayInd(index, dim)
  cells[is_data(cells, network), , drop = FALSE]
}

#' Posterior predictive draws of releases
#'
#' `simulate()` draws whole releases from the posterior predictive distribution. For chosen cells and every
#' kept draw, the methods of the generics `rstantools::posterior_predict()` and
#' `rstantools::posterior_epred()` return simulated released counts and their expected values.
#'
#' @details Replicates are generated by the model of the release. True counts are drawn at one kept draw of
#' `mu` and the dispersion, and two-sided geometric noise with the `alpha` of each row is added. If the
#' release was clamped, negative counts are then set to zero. So replicates can be compared with the release:
#' if a statistic of the release is extreme among those of the replicates, the model does not fit. Without
#' noise, replicates are true counts. For a naive fit (`noise = "ignore"`), compare them with the release
#' after its negative counts have been set to zero.
#'
#' Replicates are plain matrices, without a noise level. To fit a model to a replicate, declare its noise:
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
#'   named `sim_1`, `sim_2` and so on. Cells that are masked in the data are `NA`, and so is the diagonal of a
#'   network. The list has an attribute `seed`, as documented in [stats::simulate()]: the `seed` with the
#'   `kind` of the generator, or, without a `seed`, the previous state of the generator (`.Random.seed`).
#'
#' `posterior_predict()`: a matrix of simulated released counts, with one row per kept draw (chain after
#' chain) and one column per cell. The columns are in the order of `cells`, or by default in that of
#' [log_lik()][log_lik.ldp_fit].
#'
#' `posterior_epred()`: a matrix of the same shape with the expected released counts given each draw. These
#' are equal to `mu`, because the noise has mean zero; if the release was clamped, they are larger.
#' @section Errors: These functions stop with an error of class `ldpcounts_error` if `cells` are not cells of
#' the data, if `nsim` is not a positive whole number, if `seed` is not a number, and if there is not enough
#' memory for the result.
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
  if (!is.null(seed)) {
    check_number(seed, "seed", function(x) abs(x) <= .Machine$integer.max, "NULL or one number below 2^31")
  }
  input <- input_of(object)
  check_free_memory((8 * nsim + 32) * n_cells(input$counts), "The replicated data",
    "Reduce {.arg nsim}, or use {.fn posterior_predict} for some cells.", rlang::current_env()
  )
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

# A matrix with one row f(fit, s, input, cells) per draw s, for these cells or for all observed ones.
cell_draws <- function(fit, cells, f, call = rlang::caller_env()) {
  check_fit(fit, call)
  input <- input_of(fit)
  cells <- pointwise_cells(fit, input, cells, call)
  draws_in_rows(seq_len(n_draws(fit)), nrow(cells), function(s) f(fit, s, input, cells))
}

#' Simulate new data from the factors of a fit
#'
#' Simulates semi-synthetic data. Every weight in the factors that were estimated from real data is
#' multiplied by a random number, and counts are drawn from these factors. So the simulated data have a
#' realistic structure, and their true factors are known.
#'
#' @details The factors are those of [coef()][coef.ldp_fit], the aligned and normalised posterior means. Every
#' weight is multiplied by an independent gamma draw with mean 1 and variance `1 / shape`, `mu` is multiplied
#' by `scale`, and the new factors are normalised in the same way as those of `coef()`. Because the
#' multipliers are independent, the new `mu` is on average `scale` times the `mu` computed from the factors in
#' `coef()`, which is about equal to `fitted()`. The smaller `shape` is, the sparser the new factors are, and
#' the more they differ from those of the fit. `scale` sets the size of the counts: with `scale = 0.1`, noise
#' of the same level is ten times as large relative to the counts.
#'
#' If the model was fitted to a release, the new data reveal nothing that the release does not, and cost no
#' privacy. If it was fitted to true counts, the new data may reveal something about these.
#' @param fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty: all further arguments are named.
#' @param shape The shape of the gamma distribution of the multipliers: a number of at least 0.1, or `Inf`
#'   to keep the factors unchanged.
#' @param scale A positive number by which `mu` is multiplied.
#' @param dispersion The variance of a count divided by its mean, at least 1. By default that of the fit (with
#'   one value per row if the fit has them), or 1 for the family `"poisson"`.
#' @return A list of `y` (the counts), `mu` (their means), and the factors, with the names and labels of
#'   `coef(fit)`. The diagonal of a network is zero in `y`, and `NA` in `mu`.
#' @section Reproducible: All draws come from R's generator, so `set.seed()` makes them reproducible.
#' @section Errors: `resimulate()` stops with an error of class `ldpcounts_error` if `fit` is not a fit of
#' these models, and if an argument is out of range.
#' @references Schein, A., Wu, Z. S., Zhou, M. and Wallach, H. (2018). Locally private Bayesian inference
#'   for count models. arXiv 1803.08471, version 1, for the idea. The use of one multiplier with mean 1 per
#'   weight is new in this package.
#' @seealso [simulate_topics()] for data without a fit.
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' new <- resimulate(fit, shape = 5)
#' sum(new$y) / sum(poliblog[1:60, 1:80])
#' # can the topics be estimated from a noised version of the new data?
#' again <- topic_model(privatize(new$y, epsilon = 2), k = 3, iter = 100)
#' poisson_kl(again, new$mu)
#' @export
resimulate <- function(fit, ..., shape = 10, scale = 1, dispersion = NULL) {
  check_no_dots(...)
  check_is_fit(fit)
  if (!identical(shape, Inf)) {
    check_number(shape, "shape", function(x) x >= 0.1, "one number of at least 0.1, or Inf")
  }
  scale <- check_positive(scale, "scale")
  found <- coef(fit)
  if (!is.null(dispersion)) found$dispersion <- check_dispersion(dispersion)
  of_columns <- is.null(dispersion) && is_by_column(fit$family)
  dispersion <- if (is.null(found$dispersion)) 1 else unname(found$dispersion)
  if (of_columns) dispersion <- rep(dispersion, each = prod(dim(fit$data)) / length(dispersion))
  model <- model_of(fit)
  last <- model$factors[length(model$factors)]
  factors <- multiply_weights(found[model$factors], model$symmetric, shape)
  factors[[last]] <- scale * factors[[last]]
  factors <- Map(`dimnames<-`, model$normalise(factors), factor_dimnames(fit))
  made <- counts_around(model, factors, dispersion)
  new_simulation(lapply(made, `dimnames<-`, data_dimnames(fit)), factors)
}
