/* The distribution of a release, y_tilde = y + tau with y ~ NB of mean mu and dispersion 1 + excess
 * and tau ~ 2Geo(alpha):
 *
 *     P(k) = (1 - alpha)/(1 + alpha) sum_y NB(y) alpha^|k - y|.
 *
 * For k <= 0 the sum is alpha^|k| E[alpha^y] = alpha^|k| (1 + (1 - alpha) excess)^(-mu/excess).
 * For k > 0 it has two parts, L for y <= k and U for y > k, which are summed in ldp_truenbinom.
 *
 * The cdf. For k >= 0
 *
 *     P(y_tilde <= k) = NB(y <= k) - alpha L/(1 + alpha) + U/(1 + alpha),
 *     P(y_tilde >  k) = NB(y >  k) - U/(1 + alpha) + alpha L/(1 + alpha),
 *
 * where L <= NB(y <= k) and U <= alpha NB(y > k): the difference is at least half of its first
 * term, so it loses at most one bit. The smaller of the two probabilities is summed, and the other
 * is computed as 1 minus it.
 *
 * The closed forms are new in this package.
 *
 * The exact density of a release of a negative binomial count (see ldp_privpois), with its
 * distribution function and quantiles, to thirteen digits. Its sums are those of the true count's
 * distribution, ldp_truenbinom. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_nbinom.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_truenbinom.h"
#include "ldp_twogeom.h"

double ldp_privnbinom_log_pmf(double k, double mu, double excess, double alpha) {
    if (mu <= 0 || ldp_nbinom_is_poisson(mu, excess))
        return ldp_privpois_log_pmf(k, mu, alpha);
    if (alpha <= 0)
        return ldp_nbinom_log_pmf(k, mu, excess);
    const double log_scale = log1p(-alpha) - log1p(alpha);
    if (k <= 0)
        return log_scale - k * log(alpha) - ldp_nbinom_exposure(mu, excess, alpha);
    const ldp_truenbinom_pieces pieces = ldp_truenbinom_weigh(k, mu, excess, alpha);
    return log_scale + logspace_add(pieces.log_lower, pieces.log_upper);
}

/* A tail for k >= 0. The term that is subtracted is limited, because beyond 2^53 rounding could
 * make it larger than the tail. */
static double privnbinom_log_tail(double k, int lower, double mu, double excess, double alpha) {
    const ldp_truenbinom_pieces pieces = ldp_truenbinom_weigh(k, mu, excess, alpha);
    const double truth = ldp_nbinom_log_cdf(k, lower, mu, excess);
    const double from_l = log(alpha) - log1p(alpha), from_u = -log1p(alpha);
    if (lower)
        return logspace_add(logspace_sub(truth, fmin(pieces.log_lower, truth) + from_l),
                            pieces.log_upper + from_u);
    const double most_upper = truth + log(alpha);
    return logspace_add(logspace_sub(truth, fmin(pieces.log_upper, most_upper) + from_u),
                        pieces.log_lower + from_l);
}

double ldp_privnbinom_log_cdf(double k, int lower, double mu, double excess, double alpha) {
    if (mu <= 0 || ldp_nbinom_is_poisson(mu, excess))
        return ldp_privpois_log_cdf(k, lower, mu, alpha);
    if (alpha <= 0)
        return ldp_nbinom_log_cdf(k, lower, mu, excess);
    int is_lower = k < mu;
    double tail = k < 0 ? -k * log(alpha) - ldp_nbinom_exposure(mu, excess, alpha) - log1p(alpha)
                        : privnbinom_log_tail(k, is_lower, mu, excess, alpha);
    if (k >= 0 && tail > -M_LN2) {
        is_lower = !is_lower;
        tail = privnbinom_log_tail(k, is_lower, mu, excess, alpha);
    }
    return is_lower == (lower != 0) ? tail : ldp_log1m_exp(tail);
}

static double privnbinom_log_cdf(double k, int lower, const double *theta) {
    return ldp_privnbinom_log_cdf(k, lower, theta[0], theta[1], theta[2]);
}

/* Does the quantile lie in the noise around y = 0? The standard deviation of the distribution can
 * be due to a few very large counts; a search that starts that far out would return slowly. */
static int is_of_zero(ldp_probability p, double mu, double excess) {
    const double log_upper = p.lower ? ldp_log1m_exp(p.log_p) : p.log_p;
    return log_upper > ldp_log1m_exp(-ldp_nbinom_exposure(mu, excess, 0));
}

double ldp_privnbinom_quantile(ldp_probability p, double mu, double excess, double alpha) {
    if (mu <= 0 || ldp_nbinom_is_poisson(mu, excess))
        return ldp_privpois_quantile(p, mu, alpha);
    const double theta[] = {mu, excess, alpha}, lowest = alpha > 0 ? -INFINITY : 0;
    const double noise = sqrt(2 * alpha) / (1 - alpha);
    const ldp_quantile_law zero = {privnbinom_log_cdf, theta, lowest, 0, noise};
    const ldp_quantile_law all = {privnbinom_log_cdf, theta, lowest, mu,
                                  hypot(sqrt(mu) * sqrt(1 + excess), noise)};
    return ldp_quantile(is_of_zero(p, mu, excess) ? &zero : &all, p);
}

double ldp_rprivnbinom(double mu, double excess, double alpha) {
    const double y = ldp_rnbinom(mu, excess);
    return y + ldp_rtwogeom(alpha);
}
