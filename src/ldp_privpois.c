/* The distribution of a release, y_tilde = y + tau with y ~ Pois(mu) and tau ~ 2Geo(alpha):
 *
 *     P(k) = (1 - alpha)/(1 + alpha) sum_y Pois(y; mu) alpha^|k - y|.
 *
 * For k <= 0 the sum is alpha^|k| exp(-(1 - alpha) mu). For k > 0 it has two pieces,
 *
 *     y <= k :  alpha^k  exp(mu/alpha - mu) P(Pois(mu/alpha) <= k)
 *     y >  k :  alpha^-k exp(alpha mu - mu) P(Pois(alpha mu) > k),
 *
 * and each is computed in the form that loses no digits. If the probability is that of a tail, it
 * is summed term by term from y = k outward (the ratios of terms fall below 1 and keep falling, so
 * about nine standard deviations of terms are enough). Otherwise it is 1 minus the other tail. Near
 * alpha = 1 the exponents are written so that both of their terms have one sign:
 *
 *     k log(alpha) + mu/alpha - mu = k log1pmx(-d) - d (k - mu/alpha),   d = 1 - alpha
 *    -k log(alpha) + alpha mu - mu = k log1pmx(e)  + e (k - alpha mu),   e = d/alpha
 *
 * with log1pmx(x) = log(1 + x) - x.
 *
 * The cdf. With L and U the two pieces of the sum, P(y_tilde <= k) is for k >= 0
 *
 *     sum_{y <= k} Pois(y; mu) (1 - alpha^(k-y+1)/(1 + alpha))  +  U/(1 + alpha)
 *
 * and P(y_tilde > k) is the same with the two sides exchanged,
 *
 *     sum_{y > k} Pois(y; mu) (1 - alpha^(y-k)/(1 + alpha))  +  alpha L/(1 + alpha);
 *
 * the one on the other side of k from the mean is summed, and the other is 1 minus it.
 *
 * Source: Schein et al. (2019), section 3, for the distribution; the closed forms are new in this
 * package.
 *
 * This is the exact density of a release of Poisson counts, with
 * its distribution function and quantiles, to thirteen digits, for any parameters. It is what
 * dprivpois() returns, and what ldp_quick falls back to. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_poisson.h"
#include "ldp_privpois.h"
#include "ldp_twogeom.h"

/* Terms below this share of their sum are negligible, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

/* From this k on, the sums of the cdf would have too many terms, and are computed as differences of
 * tails. */
static const double K_LARGE = 1e11;

/* log sum_{y <= k} Pois(y; mu) alpha^(k-y), for k < mu/alpha. */
static double log_lower_terms(double k, double mu, double alpha) {
    return ldp_poisson_log_pmf(k, mu, k - mu) + log1p(ldp_poisson_below(k, mu / alpha));
}

/* log sum_{y > k} Pois(y; mu) alpha^(y-k), for k > alpha mu. */
static double log_upper_terms(double k, double mu, double alpha) {
    return ldp_poisson_log_pmf(k, mu, k - mu) + log(ldp_poisson_above(k, alpha * mu));
}

/* The same two parts if the probability is not that of a tail. k - mu/alpha and k - alpha mu are
 * computed from k - mu, which is exact near mu. */
static double log_lower_whole(double k, double mu, double alpha) {
    const double x = mu / alpha, d = 1 - alpha;
    const double tilt =
        alpha < 0.5 ? k * log(alpha) + x * d : k * log1pmx(-d) - d * ((k - mu) - x * d);
    return tilt + ldp_poisson_log_cdf(k, x, 1);
}

static double log_upper_whole(double k, double mu, double alpha) {
    const double d = 1 - alpha, e = d / alpha;
    const double tilt =
        alpha < 0.5 ? -k * log(alpha) - mu * d : k * log1pmx(e) + e * ((k - mu) + mu * d);
    return tilt + ldp_poisson_log_cdf(k, alpha * mu, 0);
}

static double log_lower(double k, double mu, double alpha) {
    return k < mu / alpha ? log_lower_terms(k, mu, alpha) : log_lower_whole(k, mu, alpha);
}

static double privpois_log_upper(double k, double mu, double alpha) {
    return k > alpha * mu ? log_upper_terms(k, mu, alpha) : log_upper_whole(k, mu, alpha);
}

/* Small counts, as in sparse data: all terms are summed. They are positive, and the sum is at least
 * alpha^k. */
static int is_small(double k, double mu, double alpha) {
    return k <= 16 && mu <= 4 && alpha >= 1e-15;
}

static double log_sum_small(double k, double mu, double alpha) {
    const double up = mu / alpha, down = mu * alpha;
    double term = 1, sum, y = 0;
    for (double i = 0; i < k; i++)
        term *= alpha;
    sum = term;
    while (y < k) {
        term *= up / ++y;
        sum += term;
    }
    while (term > sum * TERM_NEGLIGIBLE) {
        term *= down / ++y;
        sum += term;
    }
    return log(sum) - mu;
}

double ldp_privpois_log_pmf(double k, double mu, double alpha) {
    if (alpha <= 0)
        return dpois(k, mu, 1);
    const double log_scale = log1p(-alpha) - log1p(alpha);
    if (k <= 0)
        return log_scale - k * log(alpha) - (1 - alpha) * mu;
    if (mu <= 0)
        return log_scale + k * log(alpha);
    if (is_small(k, mu, alpha))
        return log_scale + log_sum_small(k, mu, alpha);
    return log_scale + logspace_add(log_lower(k, mu, alpha), privpois_log_upper(k, mu, alpha));
}

/* log sum_{y > k} Pois(y; mu) (1 - alpha^(y-k)/(1 + alpha)), k + 1 > mu */
static double log_truth_above(double k, double mu, double alpha) {
    if (k > K_LARGE)
        return logspace_sub(ldp_poisson_log_cdf(k, mu, 0),
                            privpois_log_upper(k, mu, alpha) - log1p(alpha));
    double term = 1, power = 1 / (1 + alpha), sum = 0;
    for (double y = k + 1; term > sum * TERM_NEGLIGIBLE; y++) {
        term *= mu / y;
        power *= alpha;
        sum += term * (1 - power);
    }
    return ldp_poisson_log_pmf(k, mu, k - mu) + log(sum);
}

/* log sum_{y <= k} Pois(y; mu) (1 - alpha^(k-y+1)/(1 + alpha)), 0 <= k < mu */
static double log_truth_below(double k, double mu, double alpha) {
    const double log_ratio = log(alpha) - log1p(alpha);
    if (k > K_LARGE)
        return logspace_sub(ldp_poisson_log_cdf(k, mu, 1), log_ratio + log_lower(k, mu, alpha));
    double term = 1, power = alpha / (1 + alpha), sum = 0;
    for (double y = k; y >= 0 && term > sum * TERM_NEGLIGIBLE; y--) {
        sum += term * (1 - power);
        term *= y / mu;
        power *= alpha;
    }
    return ldp_poisson_log_pmf(k, mu, k - mu) + log(sum);
}

/* The tail on the side of k away from the mean, or starting next to the mean, for k >= 0; `lower`:
 * is it the lower tail? */
static double privpois_log_tail(double k, int lower, double mu, double alpha) {
    if (lower)
        return logspace_add(log_truth_below(k, mu, alpha),
                            privpois_log_upper(k, mu, alpha) - log1p(alpha));
    return logspace_add(log_truth_above(k, mu, alpha),
                        log(alpha) - log1p(alpha) + log_lower(k, mu, alpha));
}

double ldp_privpois_log_cdf(double k, int lower, double mu, double alpha) {
    if (alpha <= 0)
        return ldp_poisson_log_cdf(k, mu, lower);
    if (mu <= 0)
        return ldp_twogeom_log_cdf(k, lower, alpha);
    int is_lower = k < mu;
    double tail = k < 0 ? -k * log(alpha) - (1 - alpha) * mu - log1p(alpha)
                        : privpois_log_tail(k, is_lower, mu, alpha);
    if (is_lower && k + 1 > mu && tail > -M_LN2) { /* nearly 1, for small mu */
        is_lower = 0;
        tail = privpois_log_tail(k, is_lower, mu, alpha);
    }
    return is_lower == (lower != 0) ? tail : ldp_log1m_exp(tail);
}

static double privpois_log_cdf(double k, int lower, const double *theta) {
    return ldp_privpois_log_cdf(k, lower, theta[0], theta[1]);
}

double ldp_privpois_quantile(ldp_probability p, double mu, double alpha) {
    if (mu <= 0)
        return ldp_twogeom_quantile(p, alpha);
    const double theta[] = {mu, alpha}, sd = hypot(sqrt(mu), sqrt(2 * alpha) / (1 - alpha));
    const ldp_quantile_law law = {privpois_log_cdf, theta, alpha > 0 ? -INFINITY : 0, mu, sd};
    return ldp_quantile(&law, p);
}

double ldp_rprivpois(double mu, double alpha) {
    const double y = rpois(mu);
    return y + ldp_rtwogeom(alpha);
}
