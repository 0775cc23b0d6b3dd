#' Releases made anew by a fit
#'
#' `simulate()` draws whole releases from the posterior predictive law; the methods of the generics
#' `rstantools::posterior_predict()` and `rstantools::posterior_epred()` draw chosen cells at every
#' kept draw, and their means.
#'
#' @details
#' A replicate is made as the data were: true counts from the law that the model says, at a
#' draw of `mu` and the dispersion, then two-sided geometric noise with the `alpha` of each row, cut at
#' zero if the release was clamped. So replicates of a release have counts below zero like the release
#' itself, and can be laid beside it: any statistic of it that few replicates reach is one that the
#' model misses. Without noise, and where it is ignored, replicates are counts (of a naive fit: what it
#' believes the release cut at zero to be).
#'
#' Replicates protect nobody and come as plain matrices. To fit a model to one, say what noise it has:
#' `private_counts(replicate, alpha = privacy(released)$alpha)`.
#' @param object A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param nsim How many replicates. Each is made from one kept draw, chosen at random, all different if
#'   there are so many.
#' @param seed `NULL`, or a number for `set.seed()`: R's generator is then left as it was before.
#' @param ... Must be empty.
#' @param cells Which cells: an index matrix as for `fitted()`; see [ldp_fit-methods]. Masked ones may
#'   be among them. By default the observed ones.
#' @return `simulate()`: a list of `nsim` matrices or arrays of the shape of the data, with their labels,
#' named `sim_1`, `sim_2` and so on. Cells that are masked in the data are `NA`, and so is the diagonal of a
#' network. Its attribute `seed` is as [stats::simulate()] says: the `seed` with the `kind` of the
#' generator, or, without one, the state of the generator (`.Random.seed`) before.
#'
#' `posterior_predict()`: a matrix, one row per kept draw (chain after chain), one column per cell:
#' releases of these cells. Columns are in the order of [log_lik()][log_lik.ldp_fit], that of
#' `which(!is.na(as.matrix(data)))`, without the diagonal of a network; or of `cells`.
#'
#' `posterior_epred()`: of the same shape, the means of these releases given each draw: `mu`, as noise
#' has mean zero; and above `mu` where the release was clamped.
#' @section Errors: of class `ldpcounts_error` for `cells` that are not cells of the data, for `nsim`
#'   that is no positive whole number and `seed` that is no number, and where memory can't hold the
#'   result.
#' @references Gelman, A., Meng, X.-L. and Stern, H. (1996). Posterior predictive assessment of model
#'   fitness via realized discrepancies. *Statistica Sinica* 6.
#' @seealso `summary()` of a fit does such a check; see [ldp_fit-methods].
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
  check_no_dots(...)
  check_fit(object)
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

# Evaluates `code` as simulate() methods do: with the generator as it is, or seeded and then put back;
# what it began with is the attribute `seed` of the value.
with_seed <- function(seed, code) {
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) {
    stats::runif(1)
  }
  before <- get(".Random.seed", globalenv(), inherits = FALSE)
  if (is.null(seed)) {
    return(structure(code, seed = before))
  }
  on.exit(assign(".Random.seed", before, globalenv()))
  set.seed(seed)
  structure(code, seed = structure(seed, kind = as.list(RNGkind())))
}

check_replicate_memory <- function(nsim, cells, free = memory_free(), call = rlang::caller_env()) {
  needed <- 8 * nsim * cells + 32 * cells
  if (needed > free) {
    ldp_abort(c(
      "Replicates would take {format_bytes(needed)} of memory, and {format_bytes(free)} are free.",
      i = "{.arg nsim} of fewer, or {.fn posterior_predict} of some cells, take less."
    ), class = "ldpcounts_memory_error", call = call)
  }
}

#' @rdname simulate.ldp_fit
#' @exportS3Method rstantools::posterior_predict
posterior_predict.ldp_fit <- function(object, ..., cells = NULL) {
  check_no_dots(...)
  check_fit(object)
  input <- input_of(object)
  cells <- pointwise_cells(object, input, cells)
  draws_in_rows(seq_len(n_draws(object)), nrow(cells), function(s) replicate_cells(object, s, input, cells))
}

#' @rdname simulate.ldp_fit
#' @exportS3Method rstantools::posterior_epred
posterior_epred.ldp_fit <- function(object, ..., cells = NULL) {
  check_no_dots(...)
  check_fit(object)
  input <- input_of(object)
  cells <- pointwise_cells(object, input, cells)
  draws_in_rows(seq_len(n_draws(object)), nrow(cells), function(s) cell_moments(object, s, input, cells)$mean)
}
