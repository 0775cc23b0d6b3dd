# A help page: which family to choose.

#' Which family? Poisson counts and overdispersed counts
#'
#' Explains why to use `family = "nbinom1"` for real data, and `"poisson"` only to reproduce the model of
#' Schein et al. (2019) or if counts are known to be Poisson.
#'
#' @srrstats {UL1.4} what the models assume of counts, and what happens where it fails.
#' @name which-family
#' @aliases families nbinom1
#' @section Overdispersed counts:
#' A Poisson model of messages, for example, assumes that the messages are independent of one another. It also
#' assumes that a count with mean `mu` has variance `mu`. Real counts are overdispersed, because they come in
#' bursts: a quarrel leads to forty messages, or a text uses the name of its subject a hundred times. The
#' variance is then many times the mean.
#'
#' For true counts a Poisson model merely fits badly. For released counts its estimates are wrong. The noise
#' has a tail like `alpha^|tau|`, and the tail of the Poisson distribution is thinner. So a Poisson model that
#' accounts for the noise explains every large count as noise, however improbable that noise is. For example,
#' if it expects a count of 3 and the released count is 80 (at an epsilon of 1), it implies noise of about 77,
#' which the mechanism adds with a probability of about `exp(-77)`. [summary()][ldp_fit-methods] of a Poisson
#' fit reports the number of such cells.
#'
#' @section The model:
#' Counts arise from events (bursts) of different sizes: each count is the sum of the sizes of its events.
#' The number of events `l` is Poisson with mean
#' `lambda`, which the factors determine as usual (`lambda[d, v] = sum_k theta[d, k] phi[k, v]`). The sizes of
#' events have the logarithmic distribution `P(j) = p^j / (q j)`, `q = -log(1 - p)`. The sum `y` of the sizes
#' is negative binomial, with
#'
#' - mean `mu = lambda * p / (q (1 - p))`, which is `lambda` times the mean size of an event,
#' - variance `dispersion * mu`, where `dispersion = 1 / (1 - p)`. The variance is proportional to the first
#'   power of the mean, hence the 1 of `nbinom1`.
#'
#' With a `dispersion` of 1, all events have size 1, and counts are Poisson.
#'
#' The factors in `as.matrix()` and `coef()` are those of `lambda`; `fitted()` is `mu`. `dispersion` is
#' estimated, with a [beta_prior()] on `1 - 1 / dispersion`, once for all data or, with `dispersion_by =
#' "row"`, for each row. If counts are in fact Poisson, the estimate is close to 1.
#'
#' @section Computing time:
#' A released count `y_tilde <= 0` has likelihood `alpha^|y_tilde| E[alpha^y]`, up to a constant. If `G` is
#' the probability generating function of the size of an event, then `E[alpha^y] = exp(-lambda (1 -
#' G(alpha)))` for any distribution of sizes. So a cell at or below zero has the likelihood of a Poisson zero
#' with exposure `1 - G(alpha)` (for the Poisson family, `1 - alpha`). Such a cell needs no latent variable,
#' and the time of a sweep still depends on the number of positive cells only. Here `G(z) = log(1 - p z) /
#' log(1 - p)`. For a positive cell, the true count and the number of its events are drawn exactly.
#'
#' @references Quenouille, M. H. (1949). A relation between the logarithmic, Poisson, and negative binomial
#'   series. *Biometrics* 5, 162-164. Cameron, A. C. and Trivedi, P. K. (1986). Econometric models based on
#'   count data. *Journal of Applied Econometrics* 1, 29-53, for the name. Schein et al. (2019), *ICML*, for
#'   the Poisson model. The treatment of compound Poisson counts under geometric noise is new
#'   in this package.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [beta_prior()], [dprivnbinom()].
#' @examples
#' # overdispersed counts: the Poisson family fits badly, nbinom1 well
#' set.seed(1)
#' busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:50]
#' y <- enron_network[busiest, busiest]
#' released <- privatize(y, epsilon = 1, rng = "R")
#' poisson <- block_model(released, k = 3, iter = 300, family = "poisson", chains = 1)
#' bursts <- block_model(released, k = 3, iter = 300, chains = 1)
#'
#' # mean absolute error of the released counts and of two posterior means, over cells with large
#' # counts; the mean absolute value of the noise is about 1
#' busy <- which(y > 20, arr.ind = TRUE)
#' mae(as.matrix(released)[busy], y[busy])
#' mae(augment(poisson, cells = busy)$mean, y[busy])
#' mae(augment(bursts, cells = busy)$mean, y[busy])
#' summary(poisson)
NULL
