# A help page: four representations of a released count.

#' Four representations of a released count
#'
#' A released count is a Poisson count plus two-sided geometric noise. Schein et al. (2019) give three further
#' representations of the same distribution, which are useful for simulation, for Gibbs sampling and for
#' understanding the noise.
#'
#' @srrstats {PD1.0} why a release has this distribution: four processes that lead to it, with sources.
#' @name generative-processes
#' @aliases generative_processes
#' @details
#' If the true count `y` has mean `mu` and the noise has ratio `alpha`, the released count `y_tilde` has the
#' distribution [dprivpois()] in each of these representations:
#'
#' 1. **Poisson + two-sided geometric**, as in the mechanism: `y ~ Pois(mu)`, `tau ~ 2Geo(alpha)`, and
#'    `y_tilde = y + tau`. Two-sided geometric noise is the difference of two independent geometric variables
#'    with `P(g) = (1 - alpha) alpha^g`.
#' 2. **The sum form**. A geometric variable is a Poisson variable whose mean is exponentially distributed:
#'    let `lambda_1` and `lambda_2` be exponential with *mean* `alpha / (1 - alpha)`, and `g_i ~
#'    Pois(lambda_i)`. Then `y_tilde = y + g_1 - g_2`.
#' 3. **Poisson minus Poisson with exponential rates**. The sum of `y` and `g_1` is Poisson:
#'    `y_plus ~ Pois(mu + lambda_1)`, `g_2 ~ Pois(lambda_2)`, and `y_tilde = y_plus - g_2`. The
#'    samplers with `scheme = "bessel"` use this representation.
#' 4. **Skellam with randomized rates**. The difference of two Poisson variables has a Skellam distribution:
#'    `y_tilde ~ Skel(mu + lambda_1, lambda_2)`. At `mu = 0` this is the noise alone: the two-sided
#'    geometric distribution is a mixture of Skellam distributions. Each of them is skewed, with mean
#'    `lambda_1 - lambda_2`, and the mixture is symmetric about 0.
#'
#' The mean of the exponential distributions is `alpha / (1 - alpha)`. The paper gives this number as their
#' rate, but with that rate the four distributions would not be the same (at `alpha = exp(-1)` the noise would
#' be 0 with probability 0.225, not 0.462).
#'
#' @references Schein, A., Wu, Z. S., Schofield, A., Zhou, M. and Wallach, H. (2019). Locally
#'   private Bayesian inference for count models. *ICML*. Skellam, J. G. (1946). The
#'   frequency distribution of the difference between two Poisson variates. *Journal of the
#'   Royal Statistical Society* 109, 296.
#' @seealso [dprivpois()] for the common distribution; [privatize()], which draws the noise of a
#'   real release exactly, in integers.
#' @examples
#' mu <- 2
#' alpha <- geometric_alpha(1)
#' n <- 20000
#' set.seed(1)
#'
#' lambda <- function(n) rexp(n, rate = (1 - alpha) / alpha)
#' skellam <- function(x, rate1, rate2) {
#'   (rate1 / rate2)^(x / 2) * exp(-(sqrt(rate1) - sqrt(rate2))^2) *
#'     besselI(2 * sqrt(rate1 * rate2), abs(x), expon.scaled = TRUE)
#' }
#'
#' geometric <- rpois(n, mu) + rgeom(n, 1 - alpha) - rgeom(n, 1 - alpha)
#' sum_form <- rpois(n, mu) + rpois(n, lambda(n)) - rpois(n, lambda(n))
#' difference <- rpois(n, mu + lambda(n)) - rpois(n, lambda(n))
#' # the mean of Skellam densities, without drawing from them
#' x <- -6:10
#' rate1 <- mu + lambda(n)
#' rate2 <- lambda(n)
#' mixture <- vapply(x, function(k) mean(skellam(k, rate1, rate2)), 0)
#'
#' share <- function(draws) vapply(x, function(k) mean(draws == k), 0)
#' round(cbind(x,
#'   geometric = share(geometric), sum_form = share(sum_form),
#'   difference = share(difference), skellam = mixture, dprivpois = dprivpois(x, mu, alpha)
#' ), 3)
#'
#' # The noise alone: twelve Skellam distributions with rates drawn at random, the mean of all n,
#' # and the two-sided geometric distribution.
#' tau <- -8:8
#' rate1 <- lambda(n)
#' rate2 <- lambda(n)
#' some <- vapply(1:12, function(i) skellam(tau, rate1[i], rate2[i]), tau + 0)
#' all <- vapply(tau, function(k) mean(skellam(k, rate1, rate2)), 0)
#' matplot(tau, some,
#'   type = "l", lty = 1, col = "grey70", ylab = "probability",
#'   main = "Two-sided geometric noise is a mixture of Skellams"
#' )
#' lines(tau, all, lwd = 2)
#' points(tau, dprivpois(tau, 0, alpha), pch = 19)
#' legend("topright",
#'   legend = c("Skellam", "their mean", "two-sided geometric"),
#'   lty = c(1, 1, NA), lwd = c(1, 2, NA), pch = c(NA, NA, 19), col = c("grey70", 1, 1), bty = "n"
#' )
NULL
