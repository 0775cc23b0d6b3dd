/* The local step with the augmentation of Schein et al.: every observed cell is active, and has
 * distributions of its two noise rates. For Poisson counts only. */
#ifndef LDP_CAVI_BESSEL_H
#define LDP_CAVI_BESSEL_H

#include "ldp_cavi_local.h"

/* The expected parts g1 and g2 of the noise of every active cell: the shapes of q(lambda_i) minus
 * 1. */
typedef struct ldp_cavi_bessel {
    double *g1, *g2;
    /* Use the delta method, which is an approximation? The bound, which is that of the exact scheme
     * at the same distributions of factors and noise, may then decrease. */
    int delta;
} ldp_cavi_bessel;

/* `rest` and `extra`: D places each. */
ldp_cavi_local ldp_cavi_augmented(int D, ldp_cavi_bessel *state, double *rest, double *extra);

#endif
