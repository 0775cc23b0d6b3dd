/* Log densities of releases to ten digits, many at a time, for the monitoring of runs and the
 * comparison of models. dprivpois() and dprivnbinom() are accurate to thirteen digits
 * (ldp_privpois, ldp_privnbinom).
 */
#ifndef LDP_QUICK_H
#define LDP_QUICK_H

#include <stddef.h>

#include "ldp_nbinom.h"

/* The largest release that can have a series, and the degree of the series. */
enum { LDP_QUICK_ROWS = 4096, LDP_QUICK_DEGREE = 27 };

/* The series of a release k in the size s: see ldp_quick.c. */
typedef struct ldp_quick_row {
    double power; /* x^k or 1 */
    double few, most; /* the largest s for which 12 terms, or all, are enough; -1 if none */
    double c[LDP_QUICK_DEGREE + 1];
} ldp_quick_row;

/* If of_s s + of_k k < -25 for one of these, the probability of counts above k is negligible. */
enum { LDP_QUICK_TILTS = 3 };
typedef struct ldp_quick_tilt {
    double of_s, of_k;
} ldp_quick_tilt;

typedef struct ldp_quick {
    double excess, alpha; /* parameters of the rest, which is all zero before it is prepared */
    double log_alpha, log_scale; /* log((1 - alpha)/(1 + alpha)) */
    double q; /* log1p(excess), 1 for Poisson counts: s = lambda/q */
    double size; /* the mean of a count is lambda times this */
    ldp_quick_tilt tilt[LDP_QUICK_TILTS];
    double whole; /* if k is far above, log P(k) = k log(alpha) + s whole; also for k = 0 */
    ldp_nbinom_terms low, high;
    int room, n_rows; /* number of rows allocated by the caller (may be 0), and number in use */
    ldp_quick_row *row;
} ldp_quick;

/* Adds up in table[k - 1] how often each release k from 1 to LDP_QUICK_ROWS is among these n. */
void ldp_quick_count(size_t n, const double *k, double *table);

/* The number of rows that save time for releases with this table, in n_groups groups, each with its
 * own noise level or dispersion. */
int ldp_quick_rows(const double *table, double n_groups);

/* Prepares `quick` for counts of dispersion 1 + excess under noise of level alpha, if this has not
 * been done. */
void ldp_quick_prepare(ldp_quick *quick, double excess, double alpha);

/* The sum of log P(k) over n releases whose numbers of events (if excess is 0, whose counts) have
 * the means lambda. For k <= 0 the terms log((1 - alpha)/(1 + alpha)) + |k| log(alpha) are left
 * out. Requires 0 <= lambda; not checked. */
double ldp_quick_log_density(ldp_quick *quick, int n, const double *k, const double *lambda);

#endif
