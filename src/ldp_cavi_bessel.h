/* The local step with the augmentation of Schein et al.: every observed cell is active, and has
 * distributions of its two rates of noise. Poisson counts alone. */
#ifndef LDP_CAVI_BESSEL_H
#define LDP_CAVI_BESSEL_H

#include "ldp_cavi_local.h"

/* Expected parts of the noise of every active cell: the shapes of q(lambda_i) less 1. */
typedef struct ldp_cavi_bessel {
    double *g1, *g2;
    /* By the delta method, an approximation: the bound, which is that of the exact scheme at the
     * same distributions of factors and noise, may then fall. */
    int delta;
} ldp_cavi_bessel;

/* `rest` and `excess`: D places each. */
ldp_cavi_local ldp_cavi_augmented(int D, ldp_cavi_bessel *state, double *rest, double *excess);

#endif
