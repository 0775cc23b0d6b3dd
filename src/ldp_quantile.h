/* Quantiles of a distribution on the whole numbers, by a search that brackets. */
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

/* A probability p as its log, which always has an error of a few units in its last place.
 * `rounding` is the error of log_p on top of that: 0 where p was given as a log, and the relative
 * rounding of p where it was not. */
typedef struct ldp_probability {
    double log_p, rounding;
    int lower;
} ldp_probability;

/* lower: the smallest x with log P(X <= x) >= log_p; else the smallest x with log P(X > x) <=
 * log_p. So that the quantile of a computed probability is the value that it was computed for, the
 * answer is x - 1 where the probability at x - 1 is p up to rounding, and that at x differs from it
 * by LDP_IDENTIFIES times the rounding or more. Beyond 2^53, x - 1 is the double before x.
 *
 * Requires a distribution of unbounded support above, -Inf <= log_p <= 0 and rounding >= 0, not
 * checked; returns `lowest` and Inf at the ends. */
double ldp_quantile(const ldp_quantile_law *law, ldp_probability p);

/* The share of all p for which the answer is not the smallest x is at most about one in so many:
 * where a value has less probability than this times the rounding, p does not tell it from its
 * neighbours, and the smallest x is the answer. */
enum { LDP_IDENTIFIES = 64 };

/* So many values of log_cdf are computed at most, as ldp_quantile.c derives; usually three to
 * eight. */
enum { LDP_QUANTILE_MOST_STEPS = 2083 };

#endif
