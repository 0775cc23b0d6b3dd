# How a model is fitted: gibbs(), cavi() and svi() return their arguments, checked, as an object.

#' How a model is fitted
#'
#' Chooses an algorithm for the argument `inference` of [topic_model()], [block_model()] and [tensor_model()],
#' and sets its arguments. The arguments can also be given to the model function itself: `topic_model(data, k,
#' iter = 400)` is short for `topic_model(data, k, inference = gibbs(iter = 400))`, and `inference = "cavi"`
#' for `inference = cavi()`.
#'
#' `gibbs()` draws from the posterior. `cavi()` finds the closest approximation of the posterior in which all
#' weights are independent (coordinate ascent variational inference). It is faster but less accurate. `svi()`
#' finds such an approximation of a topic model from batches of rows, which may be read from files (stochastic
#' variational inference). `vignette("gibbs-or-variational")` compares them.
#'
#' @param chains Number of independent chains; for `cavi()` and `svi()`, number of starts, of which the best
#'   is kept. Chains run in parallel on the cores of this computer (see [ldp_threads()]), or on the workers of
#'   the plan set by `future::plan()`; see [long-runs].
#' @param iter Number of sweeps per chain, including the warmup; for `cavi()`, the largest number of
#'   iterations per start; for `svi()`, the number of passes over the data.
#' @param warmup Number of sweeps that are discarded at the beginning of each chain; less than `iter`. `NULL`
#'   for half of `iter`.
#' @param thin Every `thin`-th sweep after the warmup is kept. `NULL` chooses the smallest `thin` with which
#'   the draws of all chains take at most 2 GB (but at least 100 draws per chain are kept).
#' @param scheme The sampling scheme, that is, how the noise is treated. The posterior is the same for all
#'   schemes. In `"collapsed"` the noise is integrated out, and the time per sweep (one iteration of the
#'   sampler) is proportional to the number of positive and missing cells. `"bessel"` is the algorithm of
#'   Schein et al. (2019). It represents the noise by latent variables and draws them for every cell; in
#'   `cavi()` its lower bound is less tight. `"delta"` is the algorithm of the first version of that paper
#'   (Schein et al., 2018, equations 66 to 70). It represents the noise of a cell as the difference of two
#'   Poisson counts, `g1 - g2`, and divides the expected value of `y + g1` between the true count `y` and
#'   `g1`, in proportion to the geometric means of their Poisson rates. Geometric means that involve `mu` are
#'   approximated by the delta method. This algorithm is included for comparison, and its bound may decrease.
#' @param batch The number of rows per batch.
#' @param init Where the chains start. With `NULL`, each chain starts at the best of several random starts
#'   (see [topic_model()]); for `cavi()` and `svi()`, at the result of a short run of the Gibbs sampler. With
#'   `"random"`, chains start at random values. With a fit of the same shape, they start at its last draws.
#'   With a list of the factors, they start at these values. The factors are positive matrices of the shapes
#'   given in the section *Value* of the model, and the list may include the `dispersion`, if it is estimated.
#'   To give each chain its own values, use a list with one such list per chain.
#' @param cluster For data of a topic or tensor model that are too large for one computer: a cluster of the
#'   package `parallel`, whose workers divide the rows of the data among themselves, or `"mpi"`; see
#'   [large-data]. `NULL` for this session alone. The results are the same.
#' @param progress If `TRUE`, show how much memory the run will take, and then a progress bar with the log
#'   density of the release.
#' @param checkpoint The name of a file in which the run is saved, about every 30 seconds, or `NULL`.
#'   Repeating the same call with the same file continues the run; see [long-runs].
#' @return An object of class `inference`: a list of the arguments.
#' @section Errors: An error of class `ldpcounts_error` is thrown for an argument that is out of range.
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally private Bayesian
#'   inference for count models. *ICML*, sections 4 and 5; the appendix of its first version, arXiv
#'   1803.08471v1, for variational inference with augmentation. Hoffman, M. D., Blei, D. M., Wang, C. and
#'   Paisley, J. (2013). Stochastic variational inference. *Journal of Machine Learning Research* 14,
#'   1303--1347, for inference from batches. The collapsed sampler and the collapsed bound are new in this
#'   package.
#' @examples
#' long <- gibbs(iter = 4000, chains = 2)
#' long
#' set.seed(1)
#' released <- privatize(simulate_topics(D = 40, V = 30)$y, epsilon = 1, rng = "R")
#' topic_model(released, k = 2, inference = cavi(chains = 2))
#' @name inference
NULL

#' @rdname inference
#' @export
gibbs <- function(chains = 4, iter = 2000, warmup = NULL, thin = NULL, scheme = c("collapsed", "bessel"),
                  init = NULL, cluster = NULL, progress = interactive(), checkpoint = NULL) {
  new_inference("gibbs", list(
    chains = chains, iter = iter, warmup = warmup, thin = thin, scheme = scheme, init = init,
    cluster = cluster, progress = progress, checkpoint = checkpoint
  ), rlang::current_env())
}

#' @rdname inference
#' @export
cavi <- function(chains = 4, iter = 2000, scheme = c("collapsed", "bessel", "delta"), init = NULL,
                 progress = interactive(), checkpoint = NULL) {
  new_inference("cavi", list(
    chains = chains, iter = iter, scheme = scheme, init = init, progress = progress, checkpoint = checkpoint
  ), rlang::current_env())
}

#' @rdname inference
#' @export
svi <- function(chains = 4, iter = 5, batch = 128, init = NULL, progress = interactive()) {
  new_inference("svi", list(
    chains = chains, iter = iter, batch = batch, init = init, progress = progress
  ), rlang::current_env())
}

# `init` is checked by check_init(), because it depends on the model and the data, and `cluster` when it is used.
new_inference <- function(type, arguments, call) {
  checked <- list(
    chains = check_whole(arguments$chains, "chains", 1, call = call),
    iter = check_whole(arguments$iter, "iter", 1, call = call),
    progress = check_flag(arguments$progress, "progress", call)
  )
  if (type == "gibbs") {
    check_run(arguments$iter, arguments$warmup, arguments$thin, arguments$chains, call)
    checked$scheme <- check_choice(arguments$scheme, "scheme", c("collapsed", "bessel"), call)
  }
  if (type == "cavi") {
    checked$scheme <- check_choice(arguments$scheme, "scheme", c("collapsed", "bessel", "delta"), call)
  }
  if (type == "svi") {
    checked$scheme <- "collapsed"
    checked$batch <- check_whole(arguments$batch, "batch", 1, call = call)
  } else {
    check_checkpoint(arguments$checkpoint, call)
  }
  arguments[names(checked)] <- checked
  structure(arguments, class = c(type, "inference"))
}

#' @export
print.inference <- function(x, ...) print_format(x)

#' @export
format.inference <- function(x, ...) {
  arguments <- Filter(Negate(is.null), unclass(x)[setdiff(names(x), "init")])
  paste0(class(x)[1], "(", paste(names(arguments), "=", vapply(arguments, format, ""), collapse = ", "), ")")
}

type_of <- function(inference) class(inference)[1]

INFERENCES <- list(gibbs = gibbs, cavi = cavi, svi = svi)

# The inference of a model function, from its argument `inference` and from its dots. `types`: the names of
# those that the model has; `known`: the names of its other arguments.
as_inference <- function(inference, dots, types, known, call) {
  if (is.function(inference)) inference <- inference()
  if (!inherits(inference, "inference")) {
    inference <- INFERENCES[[check_choice(inference, "inference", names(INFERENCES), call)]]()
  }
  type <- type_of(inference)
  check_that(type %in% types, c(
    "{.arg inference} must be one of {.or {.fn {types}}}.",
    x = "It is {.fn {type}}.",
    i = if (type == "svi") "{.fn svi} is for {.fn topic_model}: its rows are independent given the topics."
  ), call)
  arguments <- names(formals(INFERENCES[[type]]))
  unknown <- setdiff(names(dots), arguments)
  if (length(unknown) > 0) abort_not_of_inference(unknown[1], type, types, c(known, arguments), call)
  if (length(dots) == 0) {
    return(inference)
  }
  new_inference(type, replace(unclass(inference), names(dots), dots), call)
}

# An argument that neither the model nor this type of inference has. Another type may have it.
abort_not_of_inference <- function(unknown, type, types, known, call) {
  has <- Filter(function(other) unknown %in% names(formals(INFERENCES[[other]])), types)
  if (length(has) == 0) abort_unknown(unknown, known, call)
  ldp_abort(c(
    "{.arg {unknown}} is not an argument of {.fn {type}}.",
    i = "{.or {.fn {has}}} {?has/have} it: {.code inference = {has[1]}({unknown} = )}."
  ), call = call)
}
