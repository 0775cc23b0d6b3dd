/* Factors of a variational posterior: independent gamma distributions, one a weight. */
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
    double least; /* G is never below this, so that products of G have a quotient */
    double *shape, *rate;
    double *unit, *mean, *geo; /* exp psi(shape), E, G: made of the above */
    double divergence; /* the part of the divergence from the prior that no rate enters */
} ldp_cavi_factor;

/* The least that lets products over so many factors (3 at least) have a quotient. */
double ldp_cavi_factor_least(int n_factors);

/* Line i, given the expected counts of its weights and their exposures; G is left as it was. */
void ldp_cavi_factor_set(const ldp_cavi_factor *factor, int i, const double *counts,
                         const double *exposure);

/* All lines, likewise, and then G too. */
void ldp_cavi_factor_set_all(ldp_cavi_factor *factor, const double *counts, const double *exposure);

/* x = 0, and x times G, for all weights. */
void ldp_cavi_factor_clear(const ldp_cavi_factor *factor, double *x);
void ldp_cavi_factor_times_geo(const ldp_cavi_factor *factor, double *x);

/* E, G and the divergence from the shapes and rates. */
void ldp_cavi_factor_refresh(ldp_cavi_factor *factor);

/* The weights of component k times by_k. */
void ldp_cavi_factor_scale(const ldp_cavi_factor *factor, const double *by);

/* up_.k -> c up_.k, down_.k -> down_.k/c with the c that raises the bound most where means multiply
 * weights of both: none of these changes, nor any product of G. `work`: 2 K doubles. */
void ldp_cavi_factor_balance(const ldp_cavi_factor *up, const ldp_cavi_factor *down, double *work);

/* One weight times `by`. */
void ldp_cavi_factor_scale_one(const ldp_cavi_factor *factor, size_t place, double by);

/* KL(q || prior), summed over all weights. */
double ldp_cavi_factor_divergence(const ldp_cavi_factor *factor);

/* KL(Gamma(a, b) || Gamma(a0, b0)), rates second. */
double ldp_cavi_divergence(double a, double b, double a0, double b0);

/* The distribution of a random rate of the prior, q[0] its shape and q[1] its rate: read into the
 * prior, and updated given the weights. Both do nothing where the rate is fixed. */
void ldp_cavi_rate_read(ldp_cavi_factor *factor, const double *q);
void ldp_cavi_rate_update(ldp_cavi_factor *factor, double *q);
double ldp_cavi_rate_divergence(const ldp_cavi_factor *factor, const double *q);

#endif
