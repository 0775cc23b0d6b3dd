/* P(T <= t) = alpha^-t/(1 + alpha) for t <= 0, and T is symmetric: both tails follow. A draw is the
 * difference of two geometric numbers.
 *
 * Sources: Inusah and Kozubowski (2006), A discrete analogue of the Laplace distribution, for the
 * distribution; Ghosh, Roughgarden and Sundararajan (2012), definition 2.1, for its use. */
#include <math.h>

#include <Rmath.h>

#include "ldp_math.h"
#include "ldp_twogeom.h"

/* |t| log(alpha), with 0 log 0 = 0 */
static double twogeom_log_power(double t, double alpha) {
    return t > 0 ? t * log(alpha) : 0;
}

double ldp_twogeom_log_pmf(double t, double alpha) {
    return log1p(-alpha) - log1p(alpha) + twogeom_log_power(fabs(t), alpha);
}

double ldp_twogeom_log_cdf(double t, int lower, double alpha) {
    const double log_rare = twogeom_log_power(t < 0 ? -t : t + 1, alpha) - log1p(alpha);
    return (t < 0) == (lower != 0) ? log_rare : ldp_log1m_exp(log_rare);
}

static double twogeom_log_cdf(double t, int lower, const double *alpha) {
    return ldp_twogeom_log_cdf(t, lower, *alpha);
}

/* The t with alpha^|t|/(1 + alpha) equal to the probability of the rarer side. */
static double twogeom_start(double log_p, int lower, double alpha) {
    const double half = -M_LN2, other = ldp_log1m_exp(log_p);
    const double size = (fmin(log_p, other) + log1p(alpha)) / log(alpha);
    return (log_p < half) == (lower != 0) ? -size : size - 1;
}

double ldp_twogeom_quantile(ldp_probability p, double alpha) {
    if (alpha <= 0)
        return 0;
    ldp_quantile_law law = {twogeom_log_cdf, &alpha, -INFINITY, 0, 0};
    if (p.log_p < 0 && p.log_p > -INFINITY)
        law.mean = twogeom_start(p.log_p, p.lower, alpha);
    return ldp_quantile(&law, p);
}

double ldp_rtwogeom(double alpha) {
    if (alpha <= 0)
        return 0;
    const double rate = -log(alpha);
    const double up = floor(exp_rand() / rate);
    return up - floor(exp_rand() / rate);
}
