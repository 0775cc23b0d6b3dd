# topic_model(); the model itself is in R/model-topics.R.

#' Topics of private documents
#'
#' Draws from the posterior of the Poisson topic model (Poisson matrix factorization), `mu[d,
#' v] = sum_k theta[d, k] phi[k, v]`, or an approximation of it, given counts of words in documents,
#' noised or not.
#'
#' @param data Counts, documents in rows and words in columns: a [private_counts()], whose
#'   noise is modelled; or true counts: a matrix, a `Matrix`, a `dfm`, a `DocumentTermMatrix`, a data frame of
#'   documents, terms and counts, or any other of the [objects that hold counts][data-objects]. Cells that
#'   are `NA` are masked: they are not observed, and say nothing.
#' @param k The number of topics, from 1 to 10,000.
#' @param ... Must be empty: all further arguments are named.
#' @param id For a data frame with one row per record: the name of the column of their labels.
#' @param family The family of true counts given `mu`: `"nbinom1"`, overdispersed, variance `dispersion * mu`,
#'   as nearly all real counts do; or `"poisson"`, the model of Schein et al. (2019), which is the default
#'   with an `augmentation` other than `"collapsed"`. See [which-family].
#' @param dispersion The variance of a count over its mean, with `"nbinom1"`: `NULL` to estimate it, or
#'   a number of at least 1, where 1 is the Poisson distribution.
#' @param dispersion_prior A [beta_prior()] on `1 - 1 / dispersion` where it is estimated.
#' @param dispersion_by One dispersion for `"all"` counts, or one for each `"row"` of the data.
#' @param inference How: `"gibbs"` draws from the posterior; `"cavi"` finds the nearest posterior in which
#'   all weights are independent (variational inference, by coordinate ascent), sooner and less
#'   exactly. See below.
#' @param noise What to do about the noise of private counts: `"model"` it, or `"ignore"` it
#'   (the naive analysis: releases cut at zero are taken for the truth).
#' @param augmentation The sampler, one posterior: `"collapsed"` has the noise integrated out,
#'   and a sweep costs what the positive and the missing cells cost. `"bessel"` is the algorithm
#'   of Schein et al. (2019), which draws the parts of the noise of every cell. With `"cavi"` likewise;
#'   there `"bessel"` has a looser bound. `"delta"` is the algorithm of the first version of that paper
#'   (Schein et al., 2018, equations 66 to 70), which splits each cell by geometric means that the delta
#'   method approximates: it is there for comparison, and its bound may fall.
#' @param prior A [gamma_prior()] for all factors, or a named list with one for each. The paper has
#'   `gamma_prior(0.1, 1)`; a rate that is learned, and a milder shape, predict better where noise is strong
#'   (see *Defaults*).
#' @param iter Sweeps of each chain, warmup included; with `"cavi"`, passes of each start at most.
#' @param warmup Sweeps at the start of each chain that are thrown away; below `iter`. Not with `"cavi"`.
#' @param thin Every `thin`-th sweep after the warmup is kept. `NULL`: as few are left out as keep the draws
#'   of all chains within 2 GB (but at least 100 draws per chain are kept). Not with `"cavi"`.
#' @param chains Independent chains; with `"cavi"`, starts, of which the best is kept. They run side by
#'   side on the workers of the plan that `future::plan()` set, if `future.apply` is installed; see
#'   [long-runs].
#' @param init Where the chains start: `NULL` (each at the best of several random starts, see *Starts*),
#'   `"random"`, a fit of the same shape (from its last draws), or a list of the factors, positive matrices
#'   of the shapes below (and `dispersion`, if that is estimated); or a list of such lists, one per chain.
#'   With `"cavi"` `NULL` is a short run of Gibbs, and `"random"` starts at random.
#' @param progress Show a progress bar with the log density of the release, and beforehand how much
#'   memory the run will take?
#' @param checkpoint The name of a file that the run is saved to, at least every minute, or `NULL`.
#'   The same call again with the same file goes on from there; see [long-runs].
#' @return A fit, of class `c("topic_model", "ldp_fit_gibbs", "ldp_fit")` (or `"ldp_fit_cavi"`); see
#'   [ldp_fit-methods]. Its factors are `theta` (documents x k) and `phi` (k x words). The fit keeps the data
#'   that it was given. An interrupt (Ctrl-C) ends the run and returns the fit so far, with a warning of class
#'   `ldpcounts_interrupted`. In a script it is an error of that class, after the run has been saved to the
#'   `checkpoint`.
#' @section Starts:
#' The posterior has several modes, between which a chain seldom goes, and many are poor.
#' So each chain begins as the winner of a race of its own: of several random starts the half with the
#' higher log density goes on after each leg, until one is left. A topic model has 4 starts per chain, and
#' two legs, an eighth and a quarter of the warmup. With the default `warmup` its race takes half as many
#' sweeps as `iter`. A block model has 64 starts, whose last leg is half of the warmup; each leg before is
#' half as long as the next, but for the first, which is as long as the second. Its race takes 3.5 times as
#' many sweeps as `iter`. Where the first leg would be shorter than 30 sweeps, half as many start, and the
#' first two legs become one. No race is longer than one for a warmup of 2000, and none is run with a
#' warmup below 30 (of a topic model, 80) or with `k = 1`. A tensor model of three modes or more searches
#' each start instead: components are drawn anew, the smallest first, and stay so where the log density ends
#' higher. Starts of different chains share nothing, so that it means something when chains agree; [modes()]
#' says what the modes are where they do not.
#' @section Defaults:
#' The default family and prior are those that did best over five data sets and four
#' levels of noise, by the density of held-out counts, the coverage of intervals, and totals
#' (bench/defaults.R in the sources): `"nbinom1"` was better than `"poisson"` in 16 of 20 by more than two
#' standard errors, worse in none; `gamma_prior(0.3, rate = gamma_prior(1, 1))` was the best of six priors
#' by its mean rank, and its intervals covered the total in 92 % of runs, those of the paper's prior in 4 %
#' (with `"poisson"`) to 40 %. Four chains are what it takes to see that chains agree.
#' @section Reproducible:
#' A fit draws exactly one number from R's generator, and makes the streams of its chains from
#' that: `set.seed()` makes it reproducible, and what follows does not depend on its length.
#' @section Variational inference:
#' With `inference = "cavi"` the posterior is approximated by independent
#' gamma distributions of all weights (and a distribution of the dispersion), which pass after pass raise a
#' lower bound of the log probability of the release, [elbo()], until a pass changes it by less than 1e-6 of
#' its size and by less than 0.001. A pass of the collapsed scheme costs about as much as a sweep.
#'
#' From a random start such distributions often end in a flat optimum, where every document is about the
#' mean. So a start is 200 sweeps of the sampler, of which the last 100 give the means to begin from;
#' several starts (`chains`) find out whether they end alike. Gibbs sampling is the default: it is more
#' accurate, and it does not understate uncertainty, as independent distributions of the weights do. With
#' [poliblog], `k = 10`, the Poisson KL ([poisson_kl()]) of `fitted()` to the true counts was, at `epsilon` of
#' 2 and of 1, 0.20 and 0.23 for 600 sweeps of Gibbs, 0.23 and 0.33 for variational inference, 0.28 and 0.40
#' for the best of five random starts of it, 0.27 and 0.50 for it with `noise = "ignore"`, and 0.30 for the
#' mean count alone.
#'
#' The fit keeps these distributions. `fitted()` and `coef()` are their exact means; all else reads up to 200
#' draws from them, as it would read those of Gibbs.
#' @section Errors: of class `ldpcounts_error`, before any work is done, for data that are not
#'   counts (a matrix with negative entries is taken for a release that should be wrapped in
#'   [private_counts()]), for arguments out of range or misspelt, for a run that memory can't hold,
#'   and for a `checkpoint` of another call.
#' @section Warnings: A warning is issued for a release whose counts at or below zero contradict its declared
#'   `alpha` (class `ldpcounts_declared_alpha`; see [private_counts()]). Such a release has another `alpha`,
#'   or is clamped and not declared so, or holds true counts. Another warning is issued for a `k` above both
#'   extents of a matrix (`ldpcounts_large_k`). A message says that each chain keeps only one draw
#'   (`ldpcounts_one_draw`).
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*, sections 4 and 5; its first version, arXiv
#'   1803.08471v1, appendix, for variational inference with the augmentation. The collapsed sampler
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
#' @srrstats {BS1.3b} inference and augmentation switch the algorithm.
#' @srrstats {BS2.7} init, for all chains or each.
#' @srrstats {BS2.12} progress.
#' @srrstats {UL2.1} noise = "ignore" clamps, and says so.
#' @srrstats {BS3.0} masked cells are not observed, and say nothing.
#' @srrstats {BS4.0} the samplers' sources are in the references.
#' @srrstats {UL4.0} returns an object of class ldp_fit.
#' @export
topic_model <- model_function(function(data, k, ..., id = NULL) {
  check_no_dots(...)
  fit_model(topics_model)
})
