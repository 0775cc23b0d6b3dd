/* Noise for statistics that are real numbers. */
#ifndef LDP_PERTURB_H
#define LDP_PERTURB_H

#include <stddef.h>

#include "ldp_secure.h"

/* Normal and Laplace noise is drawn in floating point: what is proved of it is proved of real
 * numbers. Discrete noise is exact: x goes to the nearest multiple of scale / LDP_STEPS, and its
 * noise is the discrete Gaussian distribution on these, of standard deviation `scale` (but for
 * 1e-10 of it).
 */
typedef enum ldp_law { LDP_NORMAL, LDP_LAPLACE, LDP_DISCRETE } ldp_law;

enum { LDP_STEPS = 1 << 20 };

/* `bits`: NULL for R's generator, but for discrete noise. */
typedef struct ldp_perturber {
    ldp_law law;
    ldp_bits *bits;
} ldp_perturber;

/* x_i += noise of this scale: sigma, or b of the Laplace density exp(-|z|/b)/(2b). Requires scale >
 * 0, not checked. LDP_OVERFLOW where the multiples are beyond 2^61. */
ldp_status ldp_perturb(const ldp_perturber *noise, size_t n, double scale, double *x);

/* T += Z(W, W, W), packed (ldp_packed.h), for a symmetric V x V x V tensor Z with such noise in
 * each of its V(V+1)(V+2)/6 entries, of which one is there at a time. W has the k numbers of a word
 * side by side. `work`: k + k(k+1)/2 doubles. */
ldp_status ldp_perturb_whitened(const ldp_perturber *noise, int V, int k, const double *W,
                                double scale, double *T, double *work);

#endif
