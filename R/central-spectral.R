# Spectral LDA under central differential privacy: the data are true counts, and noise is added to moments.
# Where noise is added is a cut of this graph, whose edges are
#
#   e1  data -> M3    e2  data -> M2    e3  M3 -> T    e4  M2 -> W    e5  W -> T    e6  T -> (lambda, v)
#   e7  (lambda, v) -> un-whitening     e8  M2 -> un-whitening        e9  un-whitening -> (mu, alpha)
#
# The functions work on a task: all settings, the `budget` of each release, `k`, the `words`, and
# the `documents` (see new_documents()).

#' Fit a topic model under central differential privacy, by the method of moments
#'
#' Estimates the topics of latent Dirichlet allocation from *true* counts by the method of moments, and adds
#' noise to the moments, so that the topics are differentially private. This is a baseline that needs a
#' trusted curator, for comparison with [topic_model()], which is fitted to counts that were noised before
#' anyone saw them.
#'
#' @details
#' There are `k` topics `mu[, i]`, which are distributions over words, and the shares of topics in a document
#' have a Dirichlet distribution with parameters `alpha`. Then the moments `M2` and `M3` of two and of three
#' words of a document are sums of products of the topics. `M2` is estimated without bias, and its `k` largest
#' eigenvalues give a matrix `W` that whitens it. The tensor `T = M3(W, W, W)` of k x k x k numbers has
#' orthonormal components, one per topic, which a simultaneous power iteration finds. With many documents
#' there are no local optima. With few or short documents `M2` is noisy, and the topics are poor.
#'
#' Both `M2` and what is computed from `M3` need noise. `config` says where it is added:
#'
#' * `config = "1"`: noise on `M2` and `M3`. The noise of `M3` itself is not drawn, because that would need a
#'   tensor of `V` x `V` x `V` numbers. Instead, the effect that it has on `T` is drawn from its exact
#'   distribution.
#' * `config = "2"`: noise on the raw moments, from which `M2` and `T` are computed. These are the mean
#'   frequencies, over documents, of single words, of pairs of words and, after whitening, of triples of
#'   words. The noise that is added after whitening is one of two kinds, whichever is smaller in total: noise
#'   of the same size in all entries, calibrated to the longest row of `W`; or, as in config 1, the effect
#'   that noise added before whitening would have.
#' * `config = "none"`: no noise. This needs `epsilon = Inf`.
#'
#' The topics are useful if the largest eigenvalue of the noise of `M2`, which is about `sigma * sqrt(2 V)`
#' with `sigma` from the `ledger`, is well below the `k`-th eigenvalue of `M2`. If it is not, `weak` is
#' `TRUE`. With 5,000 words, 8 topics and `epsilon = 1`, this takes millions of documents.
#' @param counts True counts, with documents in rows and words in columns: any of the
#'   [objects that hold counts][data-objects], but not [private_counts()]. The vocabulary and the number of
#'   documents are public. Words without a count are kept. Documents have the same weight, whatever their
#'   length.
#' @param k The number of topics, at most the number of words. It is public: choosing it by looking at the
#'   counts costs privacy.
#' @param alpha0 The sum of `alpha`, the parameters of the Dirichlet distribution of a document's topics (see
#'   Details), which is assumed to be known. It is small if each document has few topics. It is public, as `k`
#'   is.
#' @param epsilon,delta The privacy budget. If one document is replaced by any other, the probability of any
#'   set of results becomes at most `exp(epsilon)` times as large, plus `delta`. `epsilon` has no default:
#'   `epsilon = Inf` gives the fit without noise, which is not private, as a reference.
#' @param ... Must be empty: all further arguments are named.
#' @param config Where noise is added; see Details.
#' @param noise `"gaussian"`; or `"discrete"`, exact noise on a fine grid, whose cost is computed by
#'   concentrated differential privacy.
#' @param rng Where the noise comes from: `"secure"`, the operating system; or `"R"`, R's generator, which is
#'   reproducible and for study only, so that the result is marked as not private.
#' @param short What to do with documents of fewer than 3 words, which the moments cannot use: throw an
#'   `"error"`; count them as documents without words (`"zero"`), which makes all moments smaller by the share
#'   of such documents; or `"drop"` them. `"drop"` is an error for a private result, because the number of
#'   remaining documents is made public, and it changes if a long document is replaced by a short one.
#' @return An object of class `dp_lda_spectral`, a list of
#'   * `mu`: the topics, words x topics, with the labels of the words, and `alpha`, the parameters of the
#'     Dirichlet distribution, which sum to `alpha0`; the largest topics come first;
#'   * `lambda`, the weights of the components of `T`; `s`, the `k` largest eigenvalues of the noised `M2`;
#'     `converged`, whether the power iteration converged;
#'   * `weak`: see Details;
#'   * `ledger`: a data frame with one row per release. Its columns are the `edge` (the step of the method
#'     after which noise is added, as numbered by DeCarolis et al.), the `quantity`, its `sensitivity`, the
#'     cost `mu` (the parameter of Gaussian differential privacy, that is, the sensitivity divided by
#'     `sigma`), the standard deviation `sigma` of the noise, and the kind of `noise`;
#'   * `epsilon`, `delta`, `unit` (how neighbouring corpora differ), `private`, and the settings.
#'
#'   `private` is `TRUE` if and only if `epsilon` is finite and the noise comes from the operating system. The
#'   object then contains nothing about the counts without noise.
#'
#'   `coef()` returns `alpha` and `phi`, the topics in the form of [topic_model()] (topics x words). There
#'   are methods for [top_terms()], `tidy()`, `plot()` and `ggplot2::autoplot()`, as for fits of
#'   [topic_model()]. [align_topics()], [npmi()] and [coherence()] accept the object.
#' @section What is protected:
#' One document: the distribution of all results is nearly the same if it is replaced by any other document.
#' Everything that does not depend on the counts is public: the number of documents, their vocabulary, all
#' arguments. The costs of several results from the same documents add up. Whoever runs the function has seen
#' the counts; see [what-is-protected] for noise that is added before counts are collected.
#'
#' Noise that is `"gaussian"` is drawn in floating point: the guarantee is that of the
#' idealised mechanism with real numbers (Mironov 2012). `"discrete"` noise is exact (Canonne, Kamath and
#' Steinke 2020). Its values are multiples of `sigma` 2^-20, and `sigma` is slightly larger, to allow for the
#' rounding of results to such multiples. Attacks that measure computing time are not considered.
#' @section Reproducible: The starts of the power iteration come from R's generator, and so does all noise
#' with `rng = "R"`. With `rng = "secure"` noise cannot be reproduced.
#' @section Errors: Stops with an error of class `ldpcounts_error` for data that are not true counts, for
#' short documents unless `short` says what to do, for fewer than 3 documents, for arguments that are out of
#' range or exclude each other, such as a finite `epsilon` without a `config`, and if there is not enough
#' memory for two copies of the noised `M2`, of `4 V^2` bytes each. Without noise, it also stops if fewer than
#' `k` eigenvalues are positive, because there are then fewer than `k` topics.
#' @references DeCarolis, C., Ram, M., Esmaeili, S., Wang, Y.-X. and Huang, F. (2020). An end-to-end
#'   differentially private latent Dirichlet allocation using a spectral algorithm. *ICML*, for the steps of
#'   the method; the sensitivities and config 2 are new in this package. Anandkumar, A., Ge, R., Hsu, D.,
#'   Kakade, S. M. and Telgarsky, M. (2014). Tensor decompositions for learning latent variable models.
#'   *Journal of Machine Learning Research* 15. Wang, P.-A. and Lu, C.-J. (2017). Tensor decomposition via
#'   simultaneous power iteration. *ICML*. Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism
#'   for differential privacy. *ICML*. Dong, J., Roth, A. and Su, W. J. (2022). Gaussian differential privacy.
#'   *Journal of the Royal Statistical Society B* 84. Bun, M. and Steinke, T. (2016). Concentrated
#'   differential privacy. *TCC*. Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#'   differential privacy. *NeurIPS* 33, algorithm 3. Mironov, I. (2012). On significance of the least
#'   significant bits for differential privacy. *CCS '12*.
#' @seealso [topic_model()] and [privatize()] for noise that is added before anyone sees the counts.
#' @examples
#' set.seed(1)
#' truth <- simulate_topics(D = 3000, V = 20, words = 60, shape = 0.2)
#' counts <- truth$y[rowSums(truth$y) >= 3, ]
#' fit <- dp_lda_spectral(counts, k = 3, alpha0 = 0.6, epsilon = 5, delta = 1e-6, config = "1")
#' fit
#' plot(fit)
#' mae(align_topics(fit, truth$phi), truth$phi)
#' @export
dp_lda_spectral <- function(counts, k, alpha0, epsilon, delta = 0, ..., config = c("none", "1", "2"),
                            noise = c("gaussian", "discrete"), rng = c("secure", "R"),
                            short = c("error", "drop", "zero")) {
  check_no_dots(...)
  settings <- list(
    config = check_choice(config, "config", c("none", "1", "2")),
    noise = check_choice(noise, "noise", c("gaussian", "discrete")),
    rng = check_choice(rng, "rng", c("secure", "R")),
    short = check_choice(short, "short", c("error", "drop", "zero")),
    epsilon = check_total_epsilon(epsilon), delta = check_delta(delta), alpha0 = check_concentration(alpha0),
    call = rlang::current_env()
  )
  # arguments that exclude each other
  unsaid <- "{.arg config} must say where noise is added if {.arg epsilon} is finite."
  check_that(epsilon == Inf || settings$config != "none", unsaid)
  check_budget(epsilon, delta)
  shown <- "{.arg short} must not be \"drop\" for a private result, which would show how many documents are left."
  check_that(!is_private(epsilon, settings) || settings$short != "drop", shown)
  counts <- central_counts(counts, secret = settings$config != "none")
  k <- check_whole(k, "k", 1, ncol(counts))
  counts <- keep_long(counts, settings$short)
  task <- c(settings, list(
    budget = budgets_of(settings), k = k, words = colnames(counts), documents = new_documents(counts)
  ))
  noised <- if (task$config == "2") release_raw(task) else release_unbiased(task)
  new_dp_lda_spectral(task, noised, decompose_tensor(noised$tensor, k))
}

# --- arguments ------------------------------------------------------------------------------------

# The gdp_mu of each release: of M2 and M3, or of the raw moments of single words, pairs and triples.
budgets_of <- function(settings) {
  # without noise epsilon is Inf
  weights <- switch(settings$config, none = c(1, 1), "1" = c(0.7, 0.3), "2" = c(0.05, 0.65, 0.3))
  share_budget(settings$epsilon, settings$delta, weights, settings$noise)
}

# Deals with short documents. What is done with one document does not depend on the others.
keep_long <- function(counts, short, call = rlang::caller_env()) {
  long <- Matrix::rowSums(counts) >= 3
  check_that(short != "error" || all(long), c(
    "{.arg counts} must have at least 3 words in each document.",
    i = "Use {.arg short} to choose another treatment of shorter documents."
  ), call)
  if (short == "drop") counts <- counts[long, , drop = FALSE]
  check_that(nrow(counts) >= 3, "{.arg counts} must have at least 3 documents.", call)
  counts
}

# From a dgCMatrix with one document per row.
new_documents <- function(counts) {
  turned <- Matrix::drop0(Matrix::t(counts))
  counts <- methods::new("dgCMatrix", i = turned@i, p = turned@p, x = turned@x, Dim = turned@Dim)
  list(counts = counts, first = .Call(C_rc_moments_first, counts))
}

# --- the object -----------------------------------------------------------------------------------

# `found`: the components of T.
new_dp_lda_spectral <- function(task, noised, found) {
  w <- noised$w
  topics <- recover_topics(found$values, found$vectors, w$back, task$alpha0)
  order <- order(found$values)
  names <- paste0(topics_model$component, seq_len(task$k))
  settings <- c("epsilon", "delta", "config", "noise", "rng", "k", "alpha0")
  structure(c(
    list(
      mu = `dimnames<-`(topics$phi[, order, drop = FALSE], list(task$words, names)),
      alpha = stats::setNames(topics$concentration[order], names),
      lambda = found$values[order], s = w$values, converged = found$converged, weak = w$weak,
      ledger = as_ledger(noised$cost), unit = "replace one document", dim = rev(dim(task$documents$counts)),
      private = is_private(task$epsilon, task)
    ),
    task[settings]
  ), class = c("dp_lda_spectral", "dp_lda"))
}

#' @export
print.dp_lda_spectral <- function(x, ...) {
  check_no_dots(...)
  cat_wrapped(paste0(
    "Spectral LDA, k = ", x$k, ", alpha0 = ", format(x$alpha0), ", of ", x$dim[1], " x ", x$dim[2], " counts",
    if (x$epsilon < Inf) paste0("; config ", x$config, ", ", x$noise, " noise")
  ))
  print_promise(x)
  print_topics(x, paste0(" (alpha ", format(x$alpha, digits = 2), ")"), "moments")
  if (!x$converged) cat_wrapped("The power iteration has not converged: use fewer topics.")
  invisible(x)
}
