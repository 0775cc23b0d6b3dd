# Topics under central differential privacy, by variational inference with noised statistics.

#' Fit a topic model under central differential privacy, by variational inference
#'
#' Fits latent Dirichlet allocation to true counts that a trusted party holds, and adds noise to the
#' statistics of each pass over the documents, so that the topics can be published. This is the method of
#' Park, Foulds, Chaudhuri and Welling (2016), with an exact computation of the privacy guarantee.
#'
#' @details
#' In each pass, every document is summarised by a matrix `S` of expected counts (words by topics), given the
#' current topics. `S` is scaled down to a Euclidean norm of at most `clip`. Gaussian noise is added to the
#' sum over documents, and negative entries are set to zero. The new topics have Dirichlet distributions with
#' this sum plus `eta` as parameters. Only the noised sum is used after a pass.
#'
#' Replacing a document changes the sum by at most `sqrt(2) clip`, since no entry of `S` is negative. The cost
#' of all passes together is computed exactly, by Gaussian differential privacy: its parameter is the square
#' root of the sum of the squared parameters of the passes. No smaller noise would give the guarantee
#' (`epsilon`, `delta`).
#'
#' More passes mean more noise in each. A smaller `clip` means less noise, but also less information from
#' each document. The start is random and may lead to a poor local optimum. Choosing between two runs costs
#' the privacy budgets of both runs.
#' @param counts True counts, documents in rows and words in columns, without missing ones, in any of the
#'   forms that [topic_model()] accepts; see [data-objects]. The words (columns) are public: they must not
#'   have been collected from the documents.
#' @param k The number of topics.
#' @param alpha Parameter of the Dirichlet distribution of a document's topics: a positive number, or one per
#'   topic.
#' @param eta Parameter of the Dirichlet distribution of a topic's words, a positive number.
#' @param epsilon,delta The privacy budget of the whole fit: a positive number, and one between 0 and 1,
#'   which should be much smaller than 1 divided by the number of documents. If the collection is exchanged
#'   for one that differs in one document (see Details), the probability of any set of results becomes at
#'   most `exp(epsilon)` times as large, plus `delta`. Neither has a default: `epsilon = Inf`, `delta = 0`
#'   gives the fit without noise, which is not private, as a reference.
#' @param lmax The largest number of tokens that are used from one document. If a document has more, `lmax` of
#'   them are chosen at random. A public number.
#' @param clip The bound on what a document contributes: the largest norm of its matrix `S` (see Details). A
#'   public number. Without clipping the norm is at most the number of tokens of the document, and about the
#'   square root of this number if no word occurs twice and topics are distinct.
#' @param iter The number of passes.
#' @param ... Must be empty: all further arguments are named.
#' @param noise `"gaussian"`, drawn in floating point; or `"discrete"`, the discrete Gaussian distribution of
#'   Canonne, Kamath and Steinke (2020), drawn exactly on a grid of a millionth of its standard deviation. The
#'   standard deviation of discrete noise is somewhat larger, because its cost is computed by concentrated
#'   differential privacy.
#' @param rng Where the noise comes from. `"secure"`: the operating system; `set.seed()` has no effect on it.
#'   `"R"`: R's generator, for simulation and study only.
#' @return An object of class `dp_lda_vi`, a list of
#'   * `mu`, the topics, words x k, whose columns sum to 1; `lambda`, of the same shape, the parameters of
#'     their Dirichlet distributions;
#'   * the settings `alpha`, `eta`, `lmax`, `clip` and `iter`;
#'   * `z`, the noise multiplier (standard deviation divided by `clip`), and `ledger`, a data frame with one
#'     row per release: `edge`, `quantity`, `sensitivity`, `mu` (the cost, the parameter of Gaussian
#'     differential privacy), `sigma` and `noise`;
#'   * `weak`: `TRUE` if the noise is as large as the counts of the smallest topics (computed from `lambda`).
#'     Such topics should not be trusted, and `print()` says so;
#'   * `epsilon`, `delta`, `unit` (how neighbouring collections differ), `noise`, `rng`, and `private`, which
#'     is `TRUE` only for a finite `epsilon` and `rng = "secure"`.
#'
#'   The object contains nothing about a single document, and no sum without noise. `coef()` returns `alpha`
#'   and `phi`, the topics in the form of [topic_model()] (topics x words); `summary()` returns the ledger.
#'   There are methods for [top_terms()], `tidy()`, `plot()` and `ggplot2::autoplot()`, as for
#'   fits of [topic_model()]. [align_topics()], [npmi()] and [coherence()] accept the object.
#' @section What is not protected:
#' The vocabulary, all arguments, and the number of documents. Gaussian noise is drawn
#' in floating point, so its guarantee is that of the idealised mechanism with real numbers (Mironov 2012).
#' With discrete noise, the only difference from the idealised mechanism is the rounding of sums. Unlike with
#' [privatize()], whoever runs this sees all texts.
#' @section Reproducible: The starting values, and the tokens that are used from documents with more than
#' `lmax`, are chosen with random numbers from R's generator. These numbers need not be secret, because the
#' guarantee holds for any values of them. With `rng = "R"` all noise comes from it too.
#' @section Errors: Stops with an error of class `ldpcounts_error` for data that are not true counts, and for
#' arguments out of range.
#' @references Park, M., Foulds, J., Chaudhuri, K. and Welling, M. (2016). Variational Bayes in private
#'   settings (VIPS). arXiv 1611.00340, algorithm 2. The sensitivity of `sqrt(2) clip` is new in this package.
#'   Hoffman, M., Blei, D. and Bach, F. (2010). Online learning for latent Dirichlet allocation. *NeurIPS* 23.
#'   Dong, J., Roth, A. and Su, W. (2022). Gaussian differential privacy. *Journal of the Royal Statistical
#'   Society B* 84. Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential
#'   privacy. *NeurIPS* 33. Mironov, I. (2012). On significance
#'   of the least significant bits for differential privacy. *CCS '12*.
#' @seealso [dp_lda_spectral()] for a method without local optima;
#'   [topic_model()] of a corpus noised by [privatize()], which needs no trusted party.
#' @examples
#' set.seed(1)
#' documents <- simulate_topics(D = 2000, V = 30, words = 40)
#' fit <- dp_lda_vi(documents$y, k = 3, alpha = 0.1, eta = 0.1, epsilon = 1, delta = 1e-6, lmax = 80,
#'   clip = 10, iter = 10
#' )
#' fit
#' plot(fit)
#' mae(align_topics(fit, documents$phi), documents$phi)
#' @export
dp_lda_vi <- function(counts, k, alpha, eta, epsilon, delta, lmax, clip, iter, ...,
                      noise = c("gaussian", "discrete"), rng = c("secure", "R")) {
  check_no_dots(...)
  k <- check_whole(k, "k", 1, 10000)
  mechanism <- list(
    noise = check_choice(noise, "noise", c("gaussian", "discrete")),
    rng = check_choice(rng, "rng", c("secure", "R")), call = rlang::current_env()
  )
  check_budget(epsilon, delta)
  counts <- central_counts(counts)
  settings <- list(
    alpha = rep_len(check_per_row(alpha, "alpha", k, function(x) x > 0, "positive", per = "topic"), k),
    eta = check_positive(eta, "eta"), lmax = check_whole(lmax, "lmax", 1),
    clip = check_positive(clip, "clip"), iter = check_whole(iter, "iter", 1)
  )
  budget <- share_budget(epsilon, delta, 1 / settings$iter, mechanism$noise)
  sigma <- noise_scale(sqrt(2) * settings$clip, budget, k * ncol(counts), mechanism)
  lambda <- fit_topics(counts, k, settings, sigma, mechanism)
  # Is the mean square of some topic's weights less than twice what noise alone would give? (Negative sums are
  # set to zero.)
  weak <- any(rowMeans((lambda - settings$eta)^2) < sigma^2)
  lambda <- t(lambda)
  dimnames(lambda) <- list(colnames(counts), paste0(topics_model$component, seq_len(k)))
  passes <- paste("pass", seq_len(settings$iter))
  noised <- epsilon < Inf
  structure(
    c(
      list(mu = sweep(lambda, 2, colSums(lambda), `/`), lambda = lambda), settings,
      list(
        z = sigma / settings$clip, epsilon = epsilon, delta = delta, unit = "replace one document",
        ledger = as_ledger(if (noised) {
          list(ledger_row(passes, "expected counts", budget * sigma, budget, sigma, mechanism$noise))
        })
      ),
      mechanism[c("noise", "rng")], weak = weak, private = is_private(epsilon, mechanism)
    ),
    class = c("dp_lda_vi", "dp_lda")
  )
}

# lambda, one row per topic. Only the noised sum is used after a pass.
fit_topics <- function(counts, k, settings, sigma, mechanism) {
  lambda <- matrix(stats::rgamma(k * ncol(counts), 100, 100), k)
  cells <- document_cells(counts, settings$lmax)
  for (pass in seq_len(settings$iter)) {
    expected <- .Call(C_rc_lda_add, cells, settings$alpha, relative_weights(lambda), settings$clip)
    if (sigma > 0) expected[] <- perturbed(expected, sigma, mechanism)
    lambda <- settings$eta + pmax(expected, 0)
  }
  lambda
}

# exp(E[log beta]), each word divided by its largest weight.
relative_weights <- function(lambda) {
  logs <- digamma(lambda) - digamma(rowSums(lambda))
  exp(sweep(logs, 2, apply(logs, 2, max)))
}

#' @export
print.dp_lda_vi <- function(x, ...) {
  check_no_dots(...)
  cat_wrapped(paste0(
    "Variational inference of ", count_of(ncol(x$mu), "topic"), " of ", count_of(nrow(x$mu), "word"), ": ",
    count_of(x$iter, "pass", "passes"), ", documents clipped to norm ", format(x$clip), "."
  ))
  print_promise(x)
  print_topics(x, "", "counts")
  invisible(x)
}
