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
#'   is kept. Chains run in parallel on the cores of this computer (see [ldp_threads()]).
#' @param iter Number of sweeps per chain, including the warmup; for `cavi()`, the largest number of
#'   iterations per start; for `svi()`, the number of passes over the data.
#' @param warmup Number of sweeps that are discarded at the beginning of each chain; less than `iter`. `NULL`
#'   for half of `iter`.
#' @param thin Every `thin`-th sweep after the warmup is kept. `NULL` chooses the smallest `thin` with which
#'   the draws of all chains take at most 2 GB (but at least 100 draws per chain are kept).
#' @param scheme The sampling scheme, that is, how the noise is treated. The posterior is the same for all
#'   schemes. In `"collapsed"` the noise is integrated out, and the time per sweep (one iteration of the
#'   sampler) is proportional to the number of positive and missing cells. `"tokens"` proposes true counts for
#'   all cells of a row together, and accepts those that agree with the release. The time per sweep is
#'   proportional to the true counts divided by `alpha`, not to the cells, so it is faster if the table is
#'   large and true counts are few. `"auto"` uses `"tokens"` if this is predicted to be clearly faster for
#'   these data, and `"collapsed"` otherwise; `print()` shows which. `"bessel"` is the algorithm of
#'   Schein et al. (2019). It represents the noise by latent variables and draws them for every cell; in
#'   `cavi()` its lower bound is less tight. `"delta"` is the algorithm of the first version of that paper
#'   (Schein et al., 2018, equations 66 to 70). It represents the noise of a cell as the difference of two
#'   Poisson counts, `g1 - g2`, and divides the expected value of `y + g1` between the true count `y` and
#'   `g1`, in proportion to the geometric means of their Poisson rates. Geometric means that involve `mu` are
#'   approximated by the delta method. This algorithm is included for comparison, and its bound may decrease.
#' @param until `NULL` for a run of `iter` sweeps, or the number of effective draws that are wanted. The run
#'   then goes on after `iter` sweeps; see *Run until it is enough*. It cannot be used with a `cluster`.
#' @param minutes How long a run with `until` may go on; `NULL` for 5 minutes.
#' @param batch The number of rows per batch.
#' @param init Where the chains start. With `NULL`, each chain starts at the best of several random starts
#'   (see *Starts*); for `cavi()` and `svi()`, at the result of a short run of the Gibbs sampler. With
#'   `"random"`, chains start at random values. With a fit of the same shape, they start at its last draws.
#'   With a list of the factors, they start at these values. The factors are positive matrices of the shapes
#'   given in the section *Value* of the model, and the list may include the `dispersion`, if it is estimated.
#'   To give each chain its own values, use a list with one such list per chain.
#' @param cluster For data of a topic or tensor model that are too large for one computer: a cluster of the
#'   package mirai or parallel, whose workers divide the rows of the data among themselves; see
#'   [large-data]. `NULL` for this session alone. The results are the same.
#' @param progress If `TRUE`, show how much memory the run will take, and then a progress bar with the log
#'   density of the release.
#' @param checkpoint The name of a file in which the run is saved, about every 30 seconds, or `NULL`.
#'   Repeating the same call with the same file continues the run; see [long-runs].
#' @return An object of class `inference`: a list of the arguments.
#' @section Starts: The posterior has several modes, between which a chain seldom moves, and many of them
#' fit the data poorly. So each chain chooses its own start from several random starts, in stages: all of
#' them are run for some sweeps, the half with the higher log density continues, and so on until one is
#' left.
#'
#' A topic model has 4 starts per chain and two stages, whose lengths are an eighth and a quarter of the
#' warmup. With the default `warmup`, the search for starts takes `iter / 2` sweeps per chain, in addition to
#' the `iter` sweeps of the chain. A block model has 64 starts per chain. Its first two stages are equally
#' long, each further stage is twice as long as the one before it, and the last is half as long as the warmup.
#' With the default `warmup`, the search takes `3.5 * iter` additional sweeps per chain. If the first stage
#' would be shorter than 30 sweeps, the first two stages are combined into one, and the number of starts is
#' halved. This is repeated until the first stage has at least 30 sweeps. With a warmup above 2000, the stages
#' are as long as with a warmup of 2000. With a warmup below 30 (for a topic model, below 80) or with `k = 1`
#' there is only one start.
#'
#' A tensor model with three modes or more improves a single start instead: its components are redrawn one
#' by one, the smallest first, and a new component is kept if the log density becomes higher. The starts of
#' different chains are independent, so agreement between chains is evidence of convergence. If chains
#' disagree, [modes()] shows which modes they are in.
#' @section Run until it is enough: How many sweeps a run needs depends on the data. With `until = 400`, a run
#' that has done its `iter` sweeps is judged as in `summary()`: R-hat must be at most 1.05, and all
#' label-invariant quantities must have 400 effective draws (in the leading mode, if the chains are in
#' several). If not, the run goes on for as many sweeps as it seems to need, but for at most as many as there
#' are after the warmup, and is then judged again. It ends when the criteria hold, or after `minutes`, with a
#' message of class `ldpcounts_until`. (The first `iter` sweeps are done in any case. A run also ends if its
#' draws would take more than 2 GB, or more than the free memory: a larger `thin` keeps fewer.)
#'
#' The warmup remains that of the first `iter` sweeps. The draws are those of one run of the final length with
#' this warmup. How long the run is depends on the time only if `minutes` ends it. `update(fit, until = 400)`
#' continues any fit in the same way. A run can reach its goal although `summary()` finds other problems, such
#' as a family that does not fit, which further draws would not solve.
#' @section Variational inference: With `cavi()` the posterior is approximated by independent
#' gamma distributions of all weights (and a distribution of the dispersion). Each iteration increases a
#' lower bound of the log probability of the release, [elbo()]. A start has converged when an iteration
#' changes the bound by less than 1e-6 of its size and by less than 0.001. An iteration of the collapsed
#' scheme takes about as long as a sweep.
#'
#' From random values the algorithm often converges to a poor local optimum, in which all documents are
#' nearly alike. So each start begins with 200 sweeps of the Gibbs sampler, and the means of the last 100 are
#' the initial values. Use several starts (`chains`) to see whether the results agree. Gibbs sampling is the
#' default, because it is more accurate, and because independent distributions of the weights understate
#' uncertainty.
#'
#' In an example with [poliblog] and `k = 10`, the mean Poisson divergence ([poisson_kl()]) of `fitted()` from
#' the true counts was:
#'
#' | method | `epsilon = 2` | `epsilon = 1` |
#' |---|---|---|
#' | Gibbs sampling, 600 sweeps | 0.20 | 0.23 |
#' | variational inference | 0.23 | 0.33 |
#' | variational inference, best of five random starts | 0.28 | 0.40 |
#' | variational inference, `noise = "ignore"` | 0.27 | 0.50 |
#'
#' If every cell is predicted by the mean count, the divergence is 0.30.
#'
#' `fitted()` and `coef()` return exact means of the approximating distributions. Methods that need draws use
#' up to 200 draws from them.
#' @section Stochastic variational inference: With `svi()` the approximation is the same as with
#' `cavi()`, but it is found in small steps, each with a batch of rows (Hoffman et al., 2013). Use it if the
#' data do not fit in memory, or if an iteration over all rows takes long. In each step, the topic weights of
#' the rows of a batch are estimated with the topics fixed. The topics, the scale of each topic, the estimated
#' rates of priors and the dispersion are then moved towards the values that the batch implies. Step `t` moves
#' natural parameters by the share `(t + 1)^-0.6`. After the last pass, all rows are read once more, to
#' estimate their weights given the final topics.
#'
#' Few batches per pass need more passes. In an example with 2,500 documents, 2,000 words, `k = 10` and
#' `epsilon = 1`, the mean Poisson divergence of `fitted()` from the true means was 1.9 times that of 50
#' iterations of `cavi()` after 3 passes, and 1.4 times after 10 passes.
#'
#' With counts in memory, each pass visits the rows in a new random order. With files ([release_shards()]),
#' each pass reads the files in a new random order, and the rows of a file in their order. So rows should not
#' be in a systematic order.
#'
#' 5 % of the rows, at most 100 of those in the first batch, are held out: they do not change the topics.
#' [elbo()] returns a lower bound of their log probability after each pass. (If the data have fewer than 20
#' rows, none are held out, and the bound is that of the first batch.) Each of the starts (`chains`) begins
#' like those of `cavi()`, with the rows of the first batch. After four batches, the start with the highest
#' bound is kept.
#'
#' A fit to counts in memory has the methods of a fit with `cavi()`. A fit to files contains the names of the
#' files and the weights of all rows, but no counts. For such a fit, [coef()][ldp_fit-methods], [top_terms()],
#' [tidy()][tidy.ldp_fit], [elbo()], `print()`, `summary()`, `plot()`, `fitted(fit, cells = )` and
#' `predict(fit, newdata)` are available, and other methods throw an error. With `dispersion_by = "row"`, a
#' fit takes 4 kB of memory per row.
#'
#' An interrupt ends the run without a fit, and [update()][update.ldp_fit] cannot continue a run. A new run
#' with `init = fit` starts from the topics of a fit.
#' @section Reproducible: A fit draws exactly one number from R's generator, and derives the random number
#' streams of its chains from it. So `set.seed()` makes a fit reproducible, and random numbers drawn after
#' the fit do not depend on how long it ran.
#' @section Errors: These functions stop with an error of class `ldpcounts_error` if an argument is out of
#'   range.
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
gibbs <- function(chains = 4, iter = 2000, warmup = NULL, thin = NULL,
                  scheme = c("auto", "collapsed", "tokens", "bessel"), until = NULL, minutes = NULL,
                  init = NULL, cluster = NULL, progress = interactive(), checkpoint = NULL) {
  new_inference("gibbs", as.list(environment()), rlang::current_env())
}

#' @rdname inference
#' @export
cavi <- function(chains = 4, iter = 2000, scheme = c("collapsed", "bessel", "delta"), init = NULL,
                 progress = interactive(), checkpoint = NULL) {
  new_inference("cavi", as.list(environment()), rlang::current_env())
}

#' @rdname inference
#' @export
svi <- function(chains = 4, iter = 5, batch = 128, init = NULL, progress = interactive()) {
  new_inference("svi", as.list(environment()), rlang::current_env())
}

# Checks the `arguments` of gibbs(), cavi() or svi(), which are a list in any order. `init` is checked by
# check_init(), because it depends on the model and the data, and `cluster` when it is used.
new_inference <- function(type, arguments, call) {
  known <- formals(INFERENCES[[type]])
  x <- arguments[names(known)]
  x$chains <- check_whole(x$chains, "chains", 1, call = call)
  x$iter <- check_whole(x$iter, "iter", 1, call = call)
  x$progress <- check_flag(x$progress, "progress", call)
  if (type == "gibbs") {
    plan_run(x$iter, x$warmup, x$thin, x$chains, call)
    goal <- new_goal(x$until, x$minutes, x$iter, call)
    check_that(is.null(goal) || is.null(x$cluster), "{.arg until} cannot be used with a {.arg cluster}.", call)
  }
  if (type == "svi") {
    x$scheme <- "collapsed"
    x$batch <- check_whole(x$batch, "batch", 1, call = call)
  } else {
    x$scheme <- check_choice(x$scheme, "scheme", eval(known$scheme), call)
    check_checkpoint(x$checkpoint, call)
  }
  structure(x, class = c(type, "inference"))
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

# The inference of a model function, from its argument `inference` and from its `dots`, which must all be
# named. `types`: the names of those that the model has; `known`: its other arguments, with their defaults.
as_inference <- function(inference, dots, types, known, call) {
  unnamed <- which(!nzchar(rlang::names2(dots)))
  if (length(unnamed) > 0) abort_unnamed(dots[[unnamed[1]]], c(known, formals(gibbs)), call)
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
  if (length(unknown) > 0) abort_not_of_inference(unknown[1], type, types, c(names(known), arguments), call)
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
