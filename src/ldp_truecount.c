/* A draw of the true count behind a release,
 *
 *     P(y | k) prop. to mu^y/y! alpha^|k - y|,   y = 0, 1, ...,
 *
 * by rejection, at bounded expected cost (acceptance above 0.37 everywhere):
 *
 *     k <= 0              Pois(alpha mu), exactly
 *     0 < k <= alpha mu   from Pois(alpha mu), accepted with alpha^(2(k-y)) if y < k
 *     k >= mu/alpha       from Pois(mu/alpha), accepted with alpha^(2(y-k)) if y > k
 *     between             from Pois(k) or from a two-sided geometric law about k
 *
 * Worked example: k = 1, mu = 0.05, alpha = 0.37. Then mu/alpha = 0.135, and u < 0.865
 * already means y = 0: nearly every cell of sparse data ends at this one comparison.
 *
 * Source: Schein et al. (2019), section 4, for the model; the collapsed law is ours. */
#include <math.h>

#include <Rmath.h>

#include "ldp_truecount.h"

/* Pois(x) for x < 1 by inversion of a given uniform; exp(-x) >= 1 - x saves most exponentials. */
static double invert_poisson(double u, double x) {
    if (u < 1 - x)
        return 0;
    double p = exp(-x), cdf = p, y = 0;
    while (u >= cdf && p > 0) {
        y++;
        p *= x / y;
        cdf += p;
    }
    return y;
}

static double from_below(double k, double x, double alpha) { /* x = mu/alpha <= k */
    for (;;) {
        const double y = x < 1 ? invert_poisson(unif_rand(), x) : rpois(x);
        if (y <= k || unif_rand() < pow(alpha, 2 * (y - k)))
            return y;
    }
}

static double from_above(double k, double x, double alpha) { /* x = alpha mu >= k */
    for (;;) {
        const double y = rpois(x);
        if (y >= k || unif_rand() < pow(alpha, 2 * (k - y)))
            return y;
    }
}

/* Above 2^52 adding 1 may change nothing, and a loop over counts would not end. */
static const double COUNTABLE = 4503599627370496.0;

/* Pois(y; k)/Pois(k; k) */
static double poisson_ratio(double y, double k) {
    if (fabs(y - k) > 24 || k > COUNTABLE)
        return exp(dpois(y, k, 1) - dpois(k, k, 1));
    double ratio = 1;
    for (double i = k + 1; i <= y; i++)
        ratio *= k / i;
    for (double i = y + 1; i <= k; i++)
        ratio *= i / k;
    return ratio;
}

/* A geometric number, P(j) prop. to r^j: the exponential law reaches tails that an inverted
 * 32-bit uniform does not. */
static double geometric(double r) {
    return r > 0 ? floor(exp_rand() / -log(r)) : 0;
}

/* Relative to Pois(y; k) the law is up^(y-k) above k and down^(k-y) below, both ratios < 1. */
static double from_between(double k, double mu, double alpha) {
    const double up = alpha * (mu / k), down = alpha * (k / mu);
    const double mass_up = 1 / (1 - up), mass_down = down / (1 - down);
    const double peak = 1 / sqrt(2 * M_PI * k); /* Pois(k; k), nearly */
    if (peak * (mass_up + mass_down) > 1) {
        for (;;) { /* the Poisson law is the narrower */
            const double y = rpois(k);
            if (unif_rand() < (y >= k ? pow(up, y - k) : pow(down, k - y)))
                return y;
        }
    }
    const double p_up = mass_up / (mass_up + mass_down);
    for (;;) {
        const double y = unif_rand() < p_up ? k + geometric(up) : k - 1 - geometric(down);
        if (y >= 0 && unif_rand() < poisson_ratio(y, k))
            return y;
    }
}

double ldp_rtruecount(double k, double mu, double alpha) {
    if (alpha <= 0)
        return k;
    if (!isfinite(mu))
        return NAN; /* a start far out of range: counts as no count, and the next sweep mends it */
    if (k <= 0)
        return rpois(alpha * mu);
    if (mu <= alpha * k)
        return from_below(k, mu / alpha, alpha);
    if (k <= alpha * mu)
        return from_above(k, alpha * mu, alpha);
    return from_between(k, mu, alpha);
}
