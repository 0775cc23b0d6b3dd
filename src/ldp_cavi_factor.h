/* Factors of a variational posterior: independent gamma laws, one a weight. */
#ifndef LDP_CAVI_FACTOR_H
#define LDP_CAVI_FACTOR_H

#include <stddef.h>

#include "ldp_gamma.h"

/* n lines of K weights, laid out as the factors of the samplers: x[i K + k] ~ Gamma(shape, rate).
 * E[.] is the mean, G[.] = exp E[log .]. */
typedef struct ldp_cavi_factor {
    int K, n;
    int symmetric; /* a square of which (c, d) and (d, c) are one weight */
    ldp_gamma_prior prior; /* its rate: the mean of it, where it is random */
    double log_rate; /* E[log rate] of the prior */
    double *shape, *rate;
    double *unit, *mean, *geo; /* exp psi(shape), E, G: made of the above */
    double divergence; /* the part of the divergence from the prior that no rate enters */
} ldp_cavi_factor;

/* Line i, given the expected counts of its weights and their exposures; G is left as it was. */
void ldp_cavi_factor_set(const ldp_cavi_factor *factor, int i, const double *counts,
                         const double *exposure);

/* E, G and the divergence from the shapes and rates. */
void ldp_cavi_factor_refresh(ldp_cavi_factor *factor);

/* The weights of component k times by_k. */
void ldp_cavi_factor_scale(const ldp_cavi_factor *factor, const double *by);

/* One weight times `by`. */
void ldp_cavi_factor_scale_one(const ldp_cavi_factor *factor, size_t place, double by);

/* KL(q || prior), summed over all weights. */
double ldp_cavi_factor_divergence(const ldp_cavi_factor *factor);

/* KL(Gamma(a, b) || Gamma(a0, b0)), rates second. */
double ldp_cavi_divergence(double a, double b, double a0, double b0);

/* The law of a random rate of the prior, q[0] its shape and q[1] its rate: read into the prior, and
 * updated given the weights. Both do nothing where the rate is fixed. */
void ldp_cavi_rate_read(ldp_cavi_factor *factor, const double *q);
void ldp_cavi_rate_update(ldp_cavi_factor *factor, double *q);
double ldp_cavi_rate_divergence(const ldp_cavi_factor *factor, const double *q);

#endif
