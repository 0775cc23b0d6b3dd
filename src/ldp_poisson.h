/* The Poisson distribution for cases that R's dpois() and ppois() do not cover: real x, differences
 * that are known to more digits than their parts, and ratios of terms that are far apart. In
 * Loader's form
 *
 *     log Pois(x; l) = -D(x, l) - stirling_error(x) - log(2 pi x)/2,
 *     D(x, l) = x log(x/l) + l - x. */
#ifndef LDP_POISSON_H
#define LDP_POISSON_H

#include <math.h>

/* From this x on Loader's form is used; stirling_error is good to rounding there. */
static const double LDP_STIRLING_FROM = 16;

/* log Gamma(x+1) - (x + 1/2) log(x) + x - log(2 pi)/2, for x >= LDP_STIRLING_FROM. */
double ldp_stirling_error(double x);

/* D(x, l), given x - l, which the caller may know to more digits than x and l. Requires x >= 0 and
 * l >= 0, not both 0; not checked. */
double ldp_poisson_deviance(double x, double l, double x_minus_l);

/* log Pois(x; l) = x log(l) - l - log Gamma(x+1).  Requires x > -1, l >= 0, not checked. */
double ldp_poisson_log_pmf(double x, double l, double x_minus_l);

/* log Pois(x; c)/Pois(c; c), without cancellation. Requires x, c >= 0, not checked. */
double ldp_poisson_log_ratio(double x, double c);

/* Are two whole numbers so near each other that the ratio of their terms is best computed as a
 * product over the numbers between them? Never above 2^52, where adding 1 may change nothing and a
 * loop would not end. */
static inline int ldp_poisson_is_near(double x, double y) {
    return fabs(x - y) <= 24 && x + y < 9007199254740992.0; /* twice 2^52 */
}

/* log P(X <= k), or log P(X > k) if not `lower`.  Requires a whole k and l >= 0, not checked. */
double ldp_poisson_log_cdf(double k, double l, int lower);

/* sum_{y < k} Pois(y; l)/Pois(k; l), which converges fast for k <= l, and the sum over y > k, for
 * k >= l.  Requires whole k >= 0, not checked. */
double ldp_poisson_below(double k, double l);
double ldp_poisson_above(double k, double l);

/* Pois(x) for x < 1 by inversion of a given uniform. */
double ldp_poisson_invert(double u, double x);

/* A tail divided by its first term, if the second term is exp(-fall) times the first, and the logs
 * of the ratios decrease by 1/v per term. Only for tails with millions of terms (ldp_tail_is_long);
 * the relative error is then of the order 1/sqrt(v), below 1e-5. */
int ldp_tail_is_long(double fall, double v);
double ldp_tail_large(double fall, double v);

#endif
