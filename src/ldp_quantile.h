/* Quantiles of a distribution on the whole numbers, by bracketing. */
#ifndef LDP_QUANTILE_H
#define LDP_QUANTILE_H

/* log P(X <= x), or log P(X > x) if not `lower`. */
typedef double (*ldp_log_cdf)(double x, int lower, const double *theta);

typedef struct ldp_quantile_law {
    ldp_log_cdf log_cdf;
    const double *theta; /* its parameters */
    double lowest; /* the smallest value of positive probability, or -Inf */
    double mean, sd; /* where the search starts; they need not be exact */
} ldp_quantile_law;

/* A probability p as its log, which always has an error of a few units in its last place.
 * `rounding` is the additional error of log_p: 0 if p was given as a log, and otherwise the
 * relative rounding error of p. */
typedef struct ldp_probability {
    double log_p, rounding;
    int lower;
} ldp_probability;

/* If `lower`: the smallest x with log P(X <= x) >= log_p; otherwise the smallest x with log P(X >
 * x) <= log_p. There is one exception, which makes sure that the quantile of a computed probability
 * is the value for which it was computed: the answer is x - 1 if the probability at x - 1 is equal
 * to p up to rounding, and that at x differs from it by at least LDP_IDENTIFIES times the rounding.
 * Beyond 2^53, x - 1 is the double before x.
 *
 * Requires a distribution of unbounded support above, -Inf <= log_p <= 0 and rounding >= 0, not
 * checked; returns `lowest` and Inf at the ends. */
double ldp_quantile(const ldp_quantile_law *law, ldp_probability p);

/* The exception applies to at most about one p in this number. If a value has a probability below
 * this number times the rounding, p does not distinguish it from its neighbours, and the smallest x
 * is the answer. */
enum { LDP_IDENTIFIES = 64 };

/* The maximum number of calls of log_cdf, derived in ldp_quantile.c; usually there are three to
 * eight. */
enum { LDP_QUANTILE_MOST_STEPS = 2083 };

#endif
