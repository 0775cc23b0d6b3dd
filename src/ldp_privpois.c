/* The law of a release, y_tilde = y + tau with y ~ Pois(mu) and tau ~ 2Geo(alpha):
 *
 *     P(k) = (1 - alpha)/(1 + alpha) sum_y Pois(y; mu) alpha^|k - y|.
 *
 * For k <= 0 the sum is alpha^|k| exp(-(1 - alpha) mu). For k > 0 it has two pieces,
 *
 *     y <= k :  alpha^k  exp(mu/alpha - mu) P(Pois(mu/alpha) <= k)
 *     y >  k :  alpha^-k exp(alpha mu - mu) P(Pois(alpha mu) > k),
 *
 * and each is taken in the form that keeps its digits: where the probability is that of a
 * tail, term by term from y = k outward (the ratios fall below 1 and go on falling, so some
 * nine standard deviations of terms suffice); where it is not, from ppois, which is then
 * near 1. In the second form both terms of the exponent have one sign, so nothing cancels:
 *
 *     k log(alpha) + mu/alpha - mu = k log1pmx(-d) - d (k - mu/alpha),   d = 1 - alpha
 *    -k log(alpha) + alpha mu - mu = k log1pmx(e)  + e (k - alpha mu),   e = d/alpha
 *
 * with log1pmx(x) = log(1 + x) - x.
 *
 * Source: Schein et al. (2019), section 3, for the law; the closed form is ours. */
#include <math.h>

#include <Rmath.h>

#include "ldp_privpois.h"

/* Below this a term no longer moves its sum, even times the number of terms left. */
static const double TERM_NEGLIGIBLE = 1e-19;

/* From here on the terms of a tail are too many (near 1e6), and ppois does, to about 1e-12 k. */
static const double K_LARGE = 1e10;

/* log sum_{y <= k} Pois(y; mu) alpha^(k-y), for k < mu/alpha. */
static double log_lower_terms(double k, double mu, double alpha) {
    const double x = mu / alpha;
    if (k > K_LARGE && isfinite(x))
        return k * log(alpha) + mu * ((1 - alpha) / alpha) + ppois(k, x, 1, 1);
    double term = 1, sum = 1;
    for (double y = k; term > sum * TERM_NEGLIGIBLE; y--) {
        term *= y / x;
        sum += term;
    }
    return dpois(k, mu, 1) + log(sum);
}

/* log sum_{y > k} Pois(y; mu) alpha^(y-k), for k > alpha mu. */
static double log_upper_terms(double k, double mu, double alpha) {
    const double x = alpha * mu;
    if (k > K_LARGE)
        return -k * log(alpha) - mu * (1 - alpha) + ppois(k, x, 0, 1);
    double term = 1, sum = 0;
    for (double y = k + 1; term > sum * TERM_NEGLIGIBLE; y++) {
        term *= x / y;
        sum += term;
    }
    return dpois(k, mu, 1) + log(sum);
}

/* The same two pieces where the probability is not that of a tail. */
static double log_lower_whole(double k, double mu, double alpha) {
    const double x = mu / alpha, d = 1 - alpha;
    const double tilt = alpha < 0.5 ? k * log(alpha) + x * d : k * log1pmx(-d) - d * (k - x);
    return tilt + ppois(k, x, 1, 1);
}

static double log_upper_whole(double k, double mu, double alpha) {
    const double x = alpha * mu, e = (1 - alpha) / alpha;
    return k * log1pmx(e) + e * (k - x) + ppois(k, x, 0, 1);
}

double ldp_privpois_log_pmf(double k, double mu, double alpha) {
    if (alpha <= 0)
        return dpois(k, mu, 1);
    const double log_scale = log1p(-alpha) - log1p(alpha);
    if (k <= 0)
        return log_scale - k * log(alpha) - (1 - alpha) * mu;
    if (mu <= 0)
        return log_scale + k * log(alpha);
    const double lower =
        k < mu / alpha ? log_lower_terms(k, mu, alpha) : log_lower_whole(k, mu, alpha);
    const double upper =
        k > alpha * mu ? log_upper_terms(k, mu, alpha) : log_upper_whole(k, mu, alpha);
    return log_scale + logspace_add(lower, upper);
}
