/* The density of small releases, as in sparse data, and the expected counts and events behind them,
 * for many cells at a time. */
#ifndef LDP_SMALL_H
#define LDP_SMALL_H

/* Small releases are those with k up to LDP_SMALL_MOST. The others are the degree of the power
 * series in the mean, and the maximum number of terms of sums that are not computed by a series. */
enum { LDP_SMALL_MOST = 16, LDP_SMALL_DEGREE = 12, LDP_SMALL_TERMS = 80 };

/* The true counts y behind a release k > 0 have weights w(y) with
 *
 *     P(k) = (1 - alpha)/(1 + alpha) alpha^k exp(-mean) S,   S = sum_y w(y),   w(0) = 1,
 *     w(y)/w(y-1) = (mean per_mean + (y-1) step)/y  up to k,  and alpha^2 times that above,
 *
 * where per_mean = 1/alpha and step = 0 for Poisson counts; for negative binomial ones with `mean`
 * events, per_mean = p/(q alpha) and step = p/alpha. S is a power series in the mean, with positive
 * coefficients. */
typedef struct ldp_small {
    double alpha, per_mean, step; /* parameters of the rest; all zero at first */
    double log_alpha, log_scale; /* log(alpha), log((1 - alpha)/(1 + alpha)) */
    double series[LDP_SMALL_MOST][LDP_SMALL_DEGREE + 1];
    /* the derivative of S, and sum_y y w(y), in the same powers */
    double slope[LDP_SMALL_MOST][LDP_SMALL_DEGREE + 1],
        counts[LDP_SMALL_MOST][LDP_SMALL_DEGREE + 1];
    double most[LDP_SMALL_MOST]; /* the largest mean for which the series is enough */
    double inverse[LDP_SMALL_TERMS]; /* 1/y */
} ldp_small;

/* Prepares `small` for these parameters, if this has not been done. Without noise (alpha = 0) no
 * release is small. */
void ldp_small_prepare(ldp_small *small, double alpha, double per_mean, double step);

/* Returns the sum of log P(k) + mean over those of n releases that are small. For each of them,
 * computes the expected number of events divided by its prior mean, E[l | k]/mean = S'/S, and the
 * expected count E[y | k] (unless NULL). Lists the others in `left`, and their number in `n_left`.
 * For Poisson counts l is y. */
double ldp_small_weigh(const ldp_small *small, int n, const double *k, const double *mean,
                       double *events, double *counts, int *left, int *n_left);

#endif
