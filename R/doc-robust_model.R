# A help page: private counts as a robust model.

#' Private counts as a robust model
#'
#' Counts that were never noised can be analysed as if they had been: the model then takes what it
#' can't explain for noise, and learns the structure of the rest.
#'
#' @name robust-model
#' @aliases robust
#' @section Why:
#' Poisson factorization believes that the variance of a count is its mean. A few counts far above that
#' pull its factors to themselves, and it gives a cell like them, once held out, a probability that is
#' next to nothing. In the model of a release, `y_tilde = y + tau`, a count far from its mean costs
#' only `log(1 / alpha)` for each unit of the distance, as the noise has a geometric tail. So
#' `private_counts(y, alpha = )` of plain counts `y` says: Poisson counts, plus a two-sided error of
#' that scale, which is nobody's privacy but a model of what else makes counts differ. Schein et al.
#' (2019) say so in their discussion.
#'
#' @section How:
#' Wrap the counts, fit, and score cells held out. All fits are scored on the same numbers here, so
#' different `alpha` can be compared with one another and with the plain fit, and `alpha` chosen so;
#' that is not possible for releases of different `alpha`, which are different data. With `clamped =
#' TRUE` a zero stands for all sums at or below zero: the law is then one of counts, and no probability
#' is lost on numbers below zero. Inference is the same with either.
#'
#' The error is added to every cell, and its size is the same in busy and quiet ones: for counts whose
#' spread grows with their mean, `family = "nbinom1"` is nearly always better; see [which-family]. This
#' page is for errors that do not scale: miscounts, a few cells that are wrong, a background. The two
#' can be combined.
#'
#' `print()` of such an object says what the noise would protect: here it protects nothing.
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
#' # Poisson, the same with room for errors, and counts in bursts
#' score(identity)
#' score(function(y) private_counts(y, alpha = 0.9, clamped = TRUE))
#' score(identity, family = "nbinom1")
NULL
