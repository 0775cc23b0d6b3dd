/* rgamma underflows to 0 at small shapes (one draw in nine at a shape of 0.003), and a factor
 * of exactly 0 has no logarithm. This is the one place that handles it: a draw is at least
 * DBL_MIN, which no product with a count can tell from 0. */
#include <Rmath.h>
#include <float.h>

#include "ldp_gamma.h"

void ldp_gamma_draw(int K, ldp_gamma_prior prior, const double *counts, const double *exposure,
                    double *x) {
    for (int k = 0; k < K; k++) {
        const double draw = rgamma(prior.shape + counts[k], 1 / (prior.rate + exposure[k]));
        x[k] = draw < DBL_MIN ? DBL_MIN : draw; /* a NaN stays one: it would be our mistake */
    }
}
