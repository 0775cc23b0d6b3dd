/* Quantiles of a law on the whole numbers, by a search that brackets. */
#ifndef LDP_QUANTILE_H
#define LDP_QUANTILE_H

/* log P(X <= x), or log P(X > x) where not `lower`. */
typedef double (*ldp_log_cdf)(double x, int lower, const double *theta);

typedef struct ldp_quantile_law {
    ldp_log_cdf log_cdf;
    const double *theta; /* its parameters */
    double lowest; /* the smallest value of positive probability, or -Inf */
    double mean, sd; /* where the search starts; they need not be exact */
} ldp_quantile_law;

/* lower: the smallest x with log P(X <= x) >= log_p; else the smallest x with log P(X > x) <=
 * log_p; each up to the rounding of log_p. Requires a law of unbounded support above and
 * -Inf <= log_p <= 0, not checked; returns `lowest` and Inf at the ends. */
double ldp_quantile(const ldp_quantile_law *law, double log_p, int lower);

#endif
