# A help page: which family to choose.

#' Which family? Poisson counts, and counts that come in bursts
#'
#' Use `family = "nbinom1"` for real data, and `"poisson"` to reproduce the model of Schein et al. (2019)
#' or where you know that counts are Poisson. This page says why.
#'
#' @srrstats {UL1.4} what the models assume of counts, and what happens where it fails.
#' @name which-family
#' @aliases families nbinom1
#' @section Bursts:
#' A Poisson model says that messages come one by one, and that given its mean `mu` a count has variance
#' `mu`. Real counts come in bursts: one quarrel brings forty messages, one subject a hundred uses of its
#' word. The variance is then many times the mean, and hardly any count is near its mean.
#'
#' For true counts that is a poor fit. For noised counts it does harm. The noise has a tail like
#' `alpha^|tau|`, the Poisson law a thinner one: so a model that knows the noise and believes in Poisson
#' counts explains every large count as noise, however unlikely. It takes a released 80 where it expects
#' 3 for noise of 77, which the mechanism makes once in `exp(77)` times. [summary()][ldp_fit-methods] of a
#' Poisson fit counts such cells.
#'
#' @section The model:
#' Let events come as a Poisson number `l` with mean `lambda`, made of the factors as ever (`lambda[d, v] =
#' sum_k theta[d, k] phi[k, v]`), and let each event bring a burst of counts, of a size with the logarithmic
#' law `P(j) = p^j / (q j)`, `q = -log(1 - p)`. Their sum `y` is negative binomial, with
#'
#' - mean `mu = lambda * p / (q (1 - p))`, an event's mean size times `lambda`,
#' - variance `dispersion * mu`, where `dispersion = 1 / (1 - p)`: in the proportion of the mean, hence the
#'   1 of `nbinom1`,
#' - the Poisson law where `dispersion` is 1: each event brings one.
#'
#' The factors that `as.matrix()` and `coef()` show are those of events; `fitted()` is `mu`. `dispersion` is
#' estimated, with a [beta_prior()] on `1 - 1 / dispersion`, once for all data or, with `dispersion_by =
#' "row"`, for each row. Where counts are Poisson after all, the estimate says so, and nothing is lost.
#'
#' @section Why it costs no more:
#' A release `y_tilde <= 0` has likelihood `alpha^|y_tilde| E[alpha^y]`, up to a constant. With `G` the
#' generating function of an event's size, `E[alpha^y] = exp(-lambda (1 - G(alpha)))`, whatever law that
#' is: linear in `lambda`. So for every kind of burst a cell at or below zero is a Poisson zero with exposure
#' `1 - G(alpha)`, where the Poisson family has `1 - alpha`; it needs no latent variable, and a sweep still
#' costs what the positive cells cost. Here `G(z) = log(1 - p z) / log(1 - p)`. For a positive cell the number
#' of counts and then that of events are drawn, exactly.
#'
#' @references Quenouille, M. H. (1949). A relation between the logarithmic, Poisson, and negative binomial
#'   series. *Biometrics* 5, 162-164. Cameron, A. C. and Trivedi, P. K. (1986). Econometric models based on
#'   count data. *Journal of Applied Econometrics* 1, 29-53, for the name. Schein et al. (2019), *ICML*, for
#'   the Poisson model. The treatment of compound Poisson counts under geometric noise is new
#'   in this package.
#' @seealso [topic_model()], [block_model()], [tensor_model()], [beta_prior()], [dprivnbinom()].
#' @examples
#' # where the Poisson family goes wrong, and the other right
#' set.seed(1)
#' busiest <- order(-(rowSums(enron_network) + colSums(enron_network)))[1:50]
#' y <- enron_network[busiest, busiest]
#' released <- privatize(y, epsilon = 1, rng = "R")
#' poisson <- block_model(released, k = 3, iter = 300, family = "poisson", chains = 1)
#' bursts <- block_model(released, k = 3, iter = 300, chains = 1)
#'
#' # how far the posterior mean of the true counts is from them, in the mean over busy cells; the noise
#' # itself is 1 in the mean
#' busy <- which(y > 20, arr.ind = TRUE)
#' mae(as.matrix(released)[busy], y[busy])
#' mae(augment(poisson, cells = busy)$mean, y[busy])
#' mae(augment(bursts, cells = busy)$mean, y[busy])
#' summary(poisson)
NULL
