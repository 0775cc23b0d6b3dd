/* The scale of each component between two factors: a move that leaves every mean as it is. */
#ifndef LDP_RESCALE_H
#define LDP_RESCALE_H

#include "ldp_gamma.h"

/* n lines of K weights with a gamma prior. */
typedef struct ldp_rescaled {
    int n;
    double *factor;
    ldp_gamma_prior *prior;
} ldp_rescaled;

/* Multiplies up_.k by c and divides down_.k by c for every k, with c drawn from its distribution;
 * then draws the rates of the two priors, if they are estimated. `work`: 2 K doubles. */
void ldp_rescale(int K, ldp_rescaled up, ldp_rescaled down, double *work);

#endif
