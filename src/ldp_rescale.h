/* The scale of each component between two factors: a move that leaves every mean as it is. */
#ifndef LDP_RESCALE_H
#define LDP_RESCALE_H

#include "ldp_gamma.h"

/* n lines of K weights with a gamma prior, which may be some of n_all lines, and the sums of the
 * weights over all lines. */
typedef struct ldp_rescaled {
    int n, n_all;
    double *factor;
    ldp_gamma_prior *prior;
    double *total; /* K sums; overwritten */
} ldp_rescaled;

/* Multiplies up_.k by c and divides down_.k by c for every k, with c drawn from its distribution;
 * then draws the rates of the two priors, if they are estimated. */
void ldp_rescale(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down);

#endif
