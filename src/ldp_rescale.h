/* The scale of each component between two factors: a move that leaves every mean as it is. */
#ifndef LDP_RESCALE_H
#define LDP_RESCALE_H

#include "ldp_gamma.h"

/* n lines of K weights with a gamma prior, and their sums over the lines. */
typedef struct ldp_rescaled {
    int n;
    double *factor;
    ldp_gamma_prior *prior;
    double *total; /* K; used up */
} ldp_rescaled;

/* up_.k -> c up_.k, down_.k -> down_.k/c for every k, c drawn from its distribution; then the rates
 * of the two priors, where they are random. */
void ldp_rescale(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down);

#endif
