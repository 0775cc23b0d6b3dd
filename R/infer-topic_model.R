# topic_model(); the model itself is in R/model-topics.R.

#' Fit a topic model to private documents
#'
#' Draws from the posterior (or an approximation of it) of the Poisson topic model, also called Poisson matrix
#' factorization, given counts of words in documents, noised or not. For Poisson counts, the expected count of
#' word `v` in document `d` is `mu[d, v] = sum_k theta[d, k] phi[k, v]`. For the default family, `"nbinom1"`,
#' it is a multiple of this sum; see [which-family].
#'
#' @param data Counts, with documents in rows and words in columns: a [private_counts()], whose noise is
#'   modelled; files of released counts, named by [release_shards()] (with a `cluster`, or with [svi()]); or
#'   true counts: a matrix, a `Matrix`, a `dfm`, a `DocumentTermMatrix`, a data frame of documents, terms and
#'   counts, or any other of the [objects that hold counts][data-objects]. Cells that are `NA` are masked,
#'   that is, treated as not observed.
#' @param k The number of topics, from 1 to 10,000.
#' @param ... Arguments of the function of `inference`, such as `iter` and `chains` of [gibbs()].
#' @param family The family of true counts given `mu`: `"nbinom1"`, for overdispersed counts with variance
#'   `dispersion * mu`, which suits nearly all real data; or `"poisson"`, the model of Schein et al. (2019),
#'   which is the default with a `scheme` other than `"collapsed"`. See [which-family].
#' @param dispersion For `"nbinom1"`: the variance of a count divided by its mean, a number of at least 1 (1
#'   is the Poisson distribution); or `NULL` to estimate it.
#' @param dispersion_prior A [beta_prior()] on `1 - 1 / dispersion`, used if the dispersion is estimated.
#' @param dispersion_by One dispersion for `"all"` counts, or one for each `"row"` of the data.
#' @param prior A [gamma_prior()] for all factors, or a named list with one for each factor. Schein et al.
#'   (2019) use `gamma_prior(0.1, 1)`. With strong noise, a larger shape and an estimated rate predict better
#'   (see [gamma_prior()]).
#' @param groups Groups of the rows of the data (for a tensor, of the indices of its first mode; for a
#'   network, of actors), or `NULL`: a factor, a character or logical vector, or a data frame of them, with
#'   one value per row. The weights of rows then have different means in different groups, which are
#'   estimated; see [group_effects()].
#' @param noise What to do about the noise of private counts: `"model"` it, or `"ignore"` it (the naive
#'   analysis: negative released counts are set to zero, and the result is taken for true counts).
#' @param inference How the model is fitted: [gibbs()], [cavi()] or, for topic models, [svi()]; or its name.
#' @param id,dims For a data frame: the name of the column with the labels of its records, or the names of the
#'   columns of the modes of its cells; see [privatize()].
#' @return A fit, of class `c("topic_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`, or both
#'   `"ldp_fit_svi"` and `"ldp_fit_cavi"`); see [ldp_fit-methods]. Its factors are `theta` (documents x k) and
#'   `phi` (k x words). The fit
#'   contains the data. An interrupt (Ctrl-C) ends the run and returns the fit so far, with a warning
#'   of class `ldpcounts_interrupted`. In a script the run is saved to the `checkpoint`, and an error of
#'   that class is thrown.
#' @section Errors: An error of class `ldpcounts_error` is thrown, before any work is done, for data that are
#'   not counts (a matrix with negative entries is probably a release, which must be declared with
#'   [private_counts()]), for arguments out of range or misspelt, for a run that needs more memory than there
#'   is, and for a `checkpoint` of another call.
#' @section Warnings: A warning is issued for a release whose counts at or below zero contradict its
#'   declared `alpha` (class `ldpcounts_declared_alpha`; see [private_counts()]). Such a release has another
#'   `alpha`, or was clamped but not declared with `clamped = TRUE`, or holds true counts. Another warning is
#'   issued if `k` is larger than both the number of rows and the number of columns (class
#'   `ldpcounts_large_k`). If each chain keeps only one draw, a message says so (class `ldpcounts_one_draw`).
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*, sections 4 and 5; the appendix of its first
#'   version, arXiv 1803.08471v1, for variational inference with augmentation. The collapsed sampler
#'   and the collapsed bound are new in this package.
#' @examples
#' set.seed(1)
#' theta <- matrix(rgamma(40 * 2, 0.5), 40)
#' phi <- matrix(rgamma(2 * 25, 0.5), 2)
#' y <- matrix(rpois(40 * 25, theta %*% phi), 40)
#' released <- privatize(y, epsilon = 1)
#' fit <- topic_model(released, k = 2, iter = 200)
#' fit
#' mae(fitted(fit), y)
#' # ignoring the noise
#' mae(fitted(topic_model(released, k = 2, iter = 200, noise = "ignore")), y)
#' # faster but less accurate
#' mae(fitted(topic_model(released, k = 2, inference = "cavi")), y)
#' @srrstats {G2.0a} expected lengths,
#' @srrstats {G2.1a} and types, are in the help of each argument.
#' @srrstats {BS1.3} iter, warmup, thin, chains and init.
#' @srrstats {BS1.3b} inference and scheme switch the algorithm.
#' @srrstats {BS2.7} init, for all chains or each.
#' @srrstats {BS2.12} progress.
#' @srrstats {UL2.1} noise = "ignore" clamps, and says so.
#' @srrstats {BS3.0} masked cells are treated as not observed.
#' @srrstats {BS4.0} the samplers' sources are in the references.
#' @srrstats {UL4.0} returns an object of class ldp_fit.
#' @export
topic_model <- function(data, k, ..., family = c("nbinom1", "poisson"), dispersion = NULL,
                        dispersion_prior = beta_prior(), dispersion_by = c("all", "row"),
                        prior = gamma_prior(0.3, rate = gamma_prior(1, 1)), groups = NULL,
                        noise = c("model", "ignore"), inference = gibbs(), id = NULL, dims = NULL) {
  call <- rlang::current_env()
  check_given(missing(data), "data", call)
  refuse_formula(data, "data", call)
  check_given(missing(k), "k", call)
  dots <- named_dots(..., arguments = c(formals(topic_model), formals(gibbs)), call = call)
  inference <- as_inference(inference, dots, c("gibbs", "cavi", "svi"), names(formals(topic_model)), call)
  in_files <- is_shards(data) && (type_of(inference) == "svi" || !is.null(inference$cluster))
  if (!in_files) data <- given_counts(data, "data", id, dims, directed = TRUE, call = call)
  fit_model(topics_model, data, k,
    family = check_family(family, dispersion, dispersion_prior, dispersion_by, inference$scheme, FALSE, call),
    prior = prior, groups = groups, noise = noise, inference = inference, call = call
  )
}
