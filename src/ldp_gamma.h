/* Gamma priors and their conjugate draws. */
#ifndef LDP_GAMMA_H
#define LDP_GAMMA_H

#include "ldp_stream.h"

/* The rate may be random itself: rate ~ Gamma(hyper_shape, hyper_rate); hyper_shape is 0 where it
 * is fixed. */
typedef struct ldp_gamma_prior {
    double shape, rate, hyper_shape, hyper_rate;
} ldp_gamma_prior;

/* x_k ~ Gamma(prior.shape + counts_k, rate prior.rate + exposure_k), k = 0 .. K-1, never 0. */
void ldp_gamma_draw(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *counts,
                    const double *exposure, double *x);

/* The same distribution, as a move: of the numbers x_k that are there, and that must have this
 * distribution already, those with a shape of at least 1 are reflected (ldp_reflect) with
 * probability `reflect` each. With 0 it is ldp_gamma_draw. */
void ldp_gamma_move(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                    const double *counts, const double *exposure, double *x);

/* The rate given n numbers of this prior with sum `sum`, Gamma(hyper_shape + n shape, hyper_rate +
 * sum), or the fixed one. */
double ldp_gamma_rate(ldp_stream *stream, ldp_gamma_prior prior, double n, double sum);

#endif
