# The help page of methods for fitted models.

#' Methods for fitted models
#'
#' Methods for the fits of [topic_model()], [block_model()] and [tensor_model()].
#'
#' @details
#' The labels of components are arbitrary, and so is the scale of one factor relative to another. So average
#' `mu` (`fitted()`), not raw factors. `coef()` averages factors after it has matched
#' the components of all draws (Hungarian method) and normalised them. If a fit has several [modes()],
#' `coef()` describes only the leading one. After normalisation topics are distributions over words,
#' communities have a mean weight of 1 and `pi` has the scale of the counts, and the columns of all factors of
#' a tensor but the last sum to 1. Components are sorted by the total of the counts that they account for,
#' largest first.
#'
#' A fit with `inference = "cavi"` has distributions of all weights in place of draws. Its `fitted()` and
#' `coef()` are their exact means. For methods that need draws, up to 200 draws from these
#' distributions are used. The `convergence` of its `summary()` has the final bound of each start, and its
#' `verdict` says whether the starts agree.
#'
#' @param object,x,fit A fit.
#' @param ... Must be empty: all further arguments are named.
#' @param cells For `fitted()`: return only these cells, and compute only these. A matrix or data frame with
#'   one row per cell and one column per mode (two, the row and the column of the data, except for tensors),
#'   with numbers or labels. Numbers in a data frame are positions, unless each of them is a label and at
#'   least one is not a position; an error is thrown if they may be both.
#' @param level For `fitted()`: `NULL`, or the probability of an interval of `mu` in each of `cells`, between
#'   0 and 1.
#' @param n For `top_terms()`: the number of words.
#' @param aligned If `TRUE`, return draws that are aligned across chains and normalised, as averaged by
#'   `coef()`; if `FALSE`, the raw draws.
#' @return
#' `fitted()`: the posterior mean of `mu`, a matrix or array of the shape of the data (of a network, with an
#' `NA` diagonal), or a vector with one number per row of `cells`, named by the labels of the data. It is
#' computed from the kept draws each time. With `level`: a matrix with one row per row of `cells`, and
#' columns `mean`, `lower` and `upper`, the last two with the same probability on either side. (These are
#' intervals of the mean `mu`; for intervals of the counts see [augment()][augment.ldp_fit].)
#'
#' `coef()`: a named list of posterior means of the aligned, normalised factors, with labels.
#'
#' `as.matrix()`: the raw draws, one row per kept draw, chain after chain, one column per parameter:
#' `theta[d,k]` and `phi[k,v]`, or `theta[i,c]` and `pi[c,d]`, or `theta1[i,k]`, `theta2[j,k]` and so on,
#' with numbers for indices; and `rate[theta]` and so on where a [gamma_prior()] has a random rate. With
#' `aligned = TRUE` these are the draws that `coef()` averages: in all draws `phi[2,7]` belongs to the
#' second topic of `coef()`. (Rates are left out, because they refer to the raw scale.) `as_draws_matrix()`,
#' `as_draws_array()`, `as_draws()` and so on: the same for the `posterior` package; `as.mcmc.list()` for
#' `coda`. For raw draws a message of class `ldpcounts_raw_draws`, issued once per session, says that the
#' labels of components may differ between chains.
#'
#' `summary()`: a list that prints the model, the run, the components, a table of `convergence`, a
#' `verdict`, which says whether to trust the run and what to do next, and two checks of the family. The
#' table has R-hat and effective sample sizes of label-invariant quantities: the log density of the release,
#' the total of `mu`, the dispersion, 100 cells of `mu`, the totals of 50 rows, and, for 100 pairs of rows,
#' how far the two are in the same components (spread over the data, the same in each call). For each of
#' these three sets the table has the value that 90 % of its quantities do not exceed (R-hat) or reach
#' (effective sample size). A run is trusted if R-hat is
#' at most 1.05 and there are 100 effective draws: the Monte Carlo error of a mean is then a tenth of the
#' posterior standard deviation. (With 100 effective draws R-hat of four chains that agree can be
#' 1.04 by chance. Vehtari et al. recommend 1.01, for at least 400 effective draws.) If a fit has several
#' [modes()], the table is for the chains in the leading one. The verdict first compares the fitted total, and
#' the totals of rows, with the released ones, which are unbiased. If the difference is too large to be due to
#' noise (which happens by chance once in 10,000 fits), the prior outweighs the counts or something else is
#' wrong, even if the chains agree.
#'
#' The two checks of the family: `implied_noise` (`NULL` without noise) has `positive`, the number of
#' positive cells; `cells`, the number of these for which the fit implies noise that the mechanism would add
#' with a `probability` below 1e-9; and `expected`, an upper limit of the number expected by chance. (A cell
#' is included if the posterior probability of such noise, averaged over about 50 draws, is above one half.)
#' A Poisson fit to overdispersed counts implies such noise, see [which-family]. `dispersion_check` (a
#' posterior predictive check of 50 replicates, at about 10,000 observed cells) has the mean squared Pearson
#' residual of the release, `observed` and `replicated`, and the share `p` of replicates in which it is
#' larger.
#'
#' `top_terms()`: a character matrix with one column per topic, which has its words.
#' @section Errors: of class `ldpcounts_error` for `cells` that are not cells of the data, for misspelt
#'   arguments, for elements that a fit does not have (`fit$theta` is in `coef(fit)`), and for generics that
#'   are not defined for a fit, such as `AIC()` and `confint()`; the error says what to use instead.
#' @references R-hat and effective sample size: Vehtari, A., Gelman, A., Simpson, D., Carpenter, B.
#'   and Bürkner, P.-C. (2021). Rank-normalization, folding, and localization: an improved R-hat for
#'   assessing convergence of MCMC. *Bayesian Analysis* 16. Alignment: Papastamoulis, P. (2016).
#'   label.switching: an R package for dealing with the label switching problem in MCMC outputs.
#'   *Journal of Statistical Software* 69. Posterior predictive checks: Gelman, A., Meng, X.-L. and
#'   Stern, H. (1996). Posterior predictive assessment of model fitness via realized discrepancies.
#'   *Statistica Sinica* 6. The comparison of implied noise with the
#'   mechanism is new in this package.
#' @seealso [predict()][predict.ldp_fit] for new documents, [update()][update.ldp_fit] to continue a
#'   fit, [plot()][plot.ldp_fit], [tidy() and glance()][tidy.ldp_fit], [augment()][augment.ldp_fit],
#'   [ldavis_input()], [log_lik()][log_lik.ldp_fit].
#' @examples
#' set.seed(1)
#' fit <- topic_model(poliblog[1:60, 1:80], k = 3, iter = 100)
#' dim(fitted(fit))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)))
#' fitted(fit, cells = cbind(c(1, 2), c(5, 7)), level = 0.9)
#' top_terms(fit, n = 5)
#' summary(fit)
#' @srrstats {UL4.4} summary().
#' @srrstats {BS6.4} summary().
#' @srrstats {UL3.1} components are sorted by the counts that they account for.
#' @srrstats {UL3.0} so do communities.
#' @name ldp_fit-methods
#' @order 1
#' @aliases as_draws as_draws_array as_draws_matrix
NULL
