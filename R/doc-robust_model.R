# A help page: private counts as a robust model.

#' Private counts as a robust model
#'
#' Describes how to analyse plain counts as if noise had been added to them. The model then attributes
#' outliers to noise, and estimates the structure of the other counts.
#'
#' @name robust-model
#' @aliases robust
#' @section Why: Poisson factorization assumes that the variance of a count is its mean. A few counts far
#' above their means have a large influence on its factors, and such counts in held-out cells have a
#' probability of nearly zero. In the model of a release, `y_tilde = y + tau`, a count far from its mean is
#' much less improbable, because the noise has a geometric tail: moving the count one unit further away lowers
#' the log density by only about `log(1 / alpha)`. So `private_counts(y, alpha = )` of plain counts `y`
#' specifies a model of Poisson counts plus a two-sided error whose scale is set by `alpha`. The error
#' protects nobody; it is a model of other sources of variation. Schein et al. (2019) suggest this in their
#' discussion.
#'
#' @section How: Wrap the counts in `private_counts()`, fit, and score held-out cells. All fits are scored on
#' the same counts, so fits with different `alpha` can be compared with one another and with the plain fit,
#' and the scores can be used to choose `alpha`. (This is not possible for releases with different `alpha`,
#' which are different data.) Declare the counts with `clamped = TRUE`. A zero then represents all values of
#' `y + tau` at or below zero, so that no probability is assigned to negative counts. This affects the scores,
#' but not the estimates.
#'
#' The error is added to every cell, and its scale does not depend on the mean. For counts whose
#' variance grows with their mean, `family = "nbinom1"` is nearly always better; see [which-family]. Use the
#' method of this page for errors that do not depend on the mean, such as miscounts, a few wrong cells or a
#' constant background. The two can be combined.
#'
#' `print()` of such an object states what the noise would protect. Here it protects nothing, because none was
#' added.
#' @references Schein et al. (2019), *ICML*, discussion.
#' @seealso [private_counts()], [held_out_density()], [which-family].
#' @examples
#' busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:40]
#' y <- enron_network[busiest, busiest]
#' set.seed(1)
#' held_out <- holdout_cells(y)
#' score <- function(wrap, ...) {
#'   fit <- block_model(wrap(held_out$train), k = 3, iter = 200, ...)
#'   held_out_density(fit, wrap(y), held_out$cells)
#' }
#' # Poisson counts, Poisson counts with errors, and overdispersed counts
#' score(identity)
#' score(function(y) private_counts(y, alpha = 0.9, clamped = TRUE))
#' score(identity, family = "nbinom1")
NULL
