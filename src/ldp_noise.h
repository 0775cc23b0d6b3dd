/* The seam between a model and the law of its counts and their noise.
 *
 * A model (topics, blocks) knows cells, factors and latent counts that are Poisson with means
 * made of the factors. What it needs to know of the noise, and of how counts arise, is three
 * things: the exposure of an active cell, that of any other observed cell, and one draw, of
 * the latent count of an active cell. Whoever brings another family of counts brings these. */
#ifndef LDP_NOISE_H
#define LDP_NOISE_H

#include <stddef.h>

typedef struct ldp_noise {
    const double *exposure_rest; /* per row: of an observed cell that is not active */
    const double *exposure_excess; /* per row: of an active cell, less the above */
    /* the latent count of active cell number `cell`; mu is its Poisson mean */
    double (*draw)(void *state, size_t cell, double y_tilde, double mu, double alpha);
    void *state; /* whatever `draw` keeps from sweep to sweep */
} ldp_noise;

/* Collapsed scheme: the noise is integrated out. Exposure 1 - alpha for a non-positive cell,
 * 1 for a positive (active) one. `rest` and `excess`: D places each. */
ldp_noise ldp_noise_collapsed(int D, const double *alpha, double *rest, double *excess);

/* Two parts of the noise of every active cell, tau = g1 - g2. */
typedef struct ldp_bessel_state {
    double *g1, *g2;
} ldp_bessel_state;

/* Bessel augmentation: every observed cell is active, with exposure 1. */
ldp_noise ldp_noise_bessel(int D, ldp_bessel_state *state, double *rest, double *excess);

#endif
