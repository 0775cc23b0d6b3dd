/* Gamma priors and their conjugate draws. */
#ifndef LDP_GAMMA_H
#define LDP_GAMMA_H

#include "ldp_stream.h"

/* The rate may be estimated: rate ~ Gamma(hyper_shape, hyper_rate); hyper_shape is 0 if it is
 * fixed. So may the shape: shape ~ Gamma(shape_shape, shape_rate); see ldp_shape.h. */
typedef struct ldp_gamma_prior {
    double shape, rate, hyper_shape, hyper_rate, shape_shape, shape_rate;
} ldp_gamma_prior;

/* x_k ~ Gamma(prior.shape + counts_k, rate prior.rate + exposure_k), k = 0 .. K-1, never 0. */
void ldp_gamma_draw(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *counts,
                    const double *exposure, double *x);

/* The same as a move that leaves this distribution invariant. On entry x_k are the current numbers.
 * Each of those with a shape of at least 1 is updated by over-relaxation (ldp_reflect) with
 * probability `reflect`, and drawn anew otherwise. With `reflect` = 0 it is ldp_gamma_draw. */
void ldp_gamma_move(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                    const double *counts, const double *exposure, double *x);

/* The same move with other random numbers, faster if most counts are 0 and the prior shape is below
 * 1. */
void ldp_gamma_move_many(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                         const double *counts, const double *exposure, double *x);

/* A draw of the rate given n numbers with this prior and sum `sum`, from Gamma(hyper_shape + n
 * shape, hyper_rate + sum); or the fixed rate. */
double ldp_gamma_rate(ldp_stream *stream, ldp_gamma_prior prior, double n, double sum);

#endif
