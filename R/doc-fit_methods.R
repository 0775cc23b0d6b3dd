# The help page of methods for fitted models.

#' Methods for fitted models
#'
#' Methods for the fits of [topic_model()], [block_model()] and [tensor_model()].
#'
#' @details
#' Do not average raw factors over draws, because the labels of components are arbitrary, and so is the scale
#' of one factor relative to another. Use `fitted()`, which averages `mu`, or `coef()`, which averages factors
#' after it has matched the components of all draws (Hungarian method) and normalised them. If a fit has
#' several [modes()], `coef()` describes only the leading one. After normalisation, topics are distributions
#' over words. In a block model, the weights of each community have a mean of 1, and `pi` has the scale of the
#' counts. In a tensor model, the columns of each factor sum to 1, except in the last factor. Components are
#' sorted by the total of the counts that they account for, largest first.
#'
#' A fit with `inference = "cavi"` or `"svi"` has a distribution for each weight instead of draws. Its
#' `fitted()` is the exact mean under these distributions. `coef()` and other methods that need draws use up
#' to 200 draws from them. In its `summary()`, `convergence` has the final lower bound of each start, and the
#' `verdict` says whether the starts agree. With `"svi"`, the `verdict` says whether the bound of held-out
#' rows has converged.
#'
#' @param object,x,fit A fit of [topic_model()], [block_model()] or [tensor_model()].
#' @param ... Must be empty: all further arguments are named.
#' @param cells For `fitted()`: return only these cells, and compute only these. A matrix or data frame with
#'   one row per cell and one column per mode (two, the row and the column of the data, except for tensors),
#'   with numbers or labels. Numbers are positions: convert labels that are numbers to text.
#' @param level For `fitted()`: `NULL`, or a probability between 0 and 1. An interval of `mu` that has this
#'   posterior probability is then returned for each of `cells`.
#' @param n For `top_terms()`: the number of words per topic.
#' @param aligned If `TRUE`, return draws that are aligned across chains and normalised, as averaged by
#'   `coef()`; if `FALSE`, the raw draws.
#' @return `fitted()`: the posterior mean of `mu`, a matrix or array of the shape of the data (for a network,
#' with an `NA` diagonal). With `cells`: a vector with one number per row of `cells`, named by the labels of
#' the data. Fitted values are not stored in the fit, but computed from the kept draws. With `level`: a matrix
#' with one row per row of `cells`, and columns `mean`, `lower` and `upper`, where the last two are the limits
#' of an equal-tailed interval. (These are intervals of the mean `mu`; for intervals of the counts see
#' [augment()][augment.ldp_fit].)
#'
#' `coef()`: a named list of posterior means of the aligned, normalised factors, with labels. In a fit with
#' `groups`, the element `groups` has the posterior means of the relative rates, one row per group.
#'
#' `as.matrix()`: the raw draws, with one row per kept draw (chain after chain) and one column per parameter.
#' The parameters are `theta[d,k]` and `phi[k,v]` for topics, `theta[i,c]` and `pi[c,d]` for networks, and
#' `theta1[i,k]`, `theta2[j,k]` and so on for tensors, with numbers as indices. If the rate of a
#' [gamma_prior()] is estimated, there are also columns such as `rate[theta]`, and with `groups` columns such
#' as `groups[party=left,1]`, the relative rate of a group and a component. With `aligned = TRUE` these are
#' the draws that `coef()` averages: in all draws `phi[2,7]` belongs to the second topic of `coef()`. (Rates
#' of priors are left out, because they refer to the raw scale.) `as_draws_matrix()`, `as_draws_array()`,
#' `as_draws()` and so on: the same draws, in the formats of the `posterior` package. `as.mcmc.list()`: the
#' same draws, in the format of the `coda` package. For raw draws a message of class `ldpcounts_raw_draws`,
#' issued once per session, says that the labels of components may differ between chains.
#'
#' `summary()`: a list, which contains a table of `convergence`, a `verdict`, and two checks of the family.
#' When printed, it also describes the model, the run and the components. The verdict says whether to trust
#' the run, and what to do next. The table has R-hat and effective sample sizes of label-invariant quantities:
#' the log density of the release, the total of `mu`, the dispersion, 100 cells of `mu`, the totals of 50
#' rows, and, for 100 pairs of rows, the extent to which both rows are in the same components. (These cells,
#' rows and pairs are spread over the data, and are the same in each call.) The 100 cells have one line in the
#' table, and so have the 50 rows and the 100 pairs. Such a line shows the 90 % quantile of R-hat and the 10 %
#' quantile of the effective sample size, so most of the quantities are at least as good. A run is trusted if
#' R-hat is at most 1.05 and there are 100 effective draws: the Monte Carlo error of a mean is then a tenth of
#' the posterior standard deviation. (With 100 effective draws, R-hat can be 1.04 by chance although four
#' chains agree. Vehtari et al. recommend 1.01, for at least 400 effective draws.) If a fit has several
#' [modes()], the table is for the chains in the leading one. The verdict first compares the fitted total, and
#' the totals of rows, with the released totals, which are unbiased. If they differ by more than noise can
#' explain (by chance this happens once in 10,000 fits), then the prior outweighs the counts or something else
#' is wrong, even if the chains agree.
#'
#' The two checks of the family: `implied_noise` (`NULL` without noise) is about positive cells for which the
#' fit implies improbable noise, that is, noise that the mechanism would add with a `probability` below 1e-9.
#' It is a list: `cells` is the number of such cells, `expected` is an upper limit of the number expected by
#' chance, and `positive` is the number of all positive cells. (A cell is counted if the posterior probability
#' of such noise, averaged over about 50 draws, is above one half.) A Poisson fit to overdispersed counts
#' implies such noise, see [which-family]. `dispersion_check` is a posterior predictive check with 50
#' replicates of about 10,000 observed cells. It has the mean squared Pearson residual of the release
#' (`observed`) and of the replicates (`replicated`), and the share `p` of replicates whose residual is larger
#' than that of the release.
#'
#' `top_terms()`: a character matrix with one column per topic, which lists the words with the largest
#' weights.
#' @section Errors: An error of class `ldpcounts_error` is thrown for `cells` that are not cells of the data,
#' for misspelt arguments, for elements that a fit does not have (such as `fit$theta`, which is in
#' `coef(fit)`), and for generics that are not defined for a fit, such as `AIC()` and `confint()`. The error
#' says what to use instead.
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
