/* Gamma priors and their conjugate draws. */
#ifndef LDP_GAMMA_H
#define LDP_GAMMA_H

#include "ldp_stream.h"

typedef struct ldp_gamma_prior {
    double shape, rate;
} ldp_gamma_prior;

/* x_k ~ Gamma(prior.shape + counts_k, rate prior.rate + exposure_k), k = 0 .. K-1, never 0. */
void ldp_gamma_draw(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *counts,
                    const double *exposure, double *x);

#endif
