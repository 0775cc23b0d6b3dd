/* The distribution of a true count, averaged over posterior draws: a mixture of the distributions
 * given its release (or, of a masked count, without one) at the mean and dispersion of each draw.
 */
#ifndef LDP_MIXTURE_H
#define LDP_MIXTURE_H

#include "ldp_behind.h"

/* Values at or above this are left to ldp_truecount and ldp_truenbinom. */
enum { LDP_MIXTURE_ROOM = 4096 };

typedef struct ldp_mixture {
    double *mass; /* P(y) for y = 0, ..., n - 1; LDP_MIXTURE_ROOM numbers */
    double *terms; /* work, as long */
    int n;
} ldp_mixture;

/* Empties `mixture`. */
void ldp_mixture_begin(ldp_mixture *mixture);

/* Adds `weight` times the distribution of y given y_tilde = k, with an accuracy of about 1e-14.
 * Returns 0, and leaves the mixture unchanged, if values at or above LDP_MIXTURE_ROOM are not
 * negligible or if terms overflow. At most 10 LDP_MIXTURE_ROOM steps. Requires mu, excess >= 0 and
 * 0 < alpha < 1; not checked. */
int ldp_mixture_add(ldp_mixture *mixture, double k, double mu, double excess, double alpha,
                    double weight);

/* The same for a count without a release. */
int ldp_mixture_add_masked(ldp_mixture *mixture, double mu, double excess, double weight);

/* The same for a count under any mechanism, which must be possible. */
int ldp_mixture_add_behind(ldp_mixture *mixture, const ldp_behind *behind, double weight);

double ldp_mixture_mean(const ldp_mixture *mixture);

/* The smallest y with P(Y <= y) >= p, or n - 1 if, because of rounding, no sum reaches p. */
double ldp_mixture_quantile(const ldp_mixture *mixture, double p);

#endif
