/* Noise for statistics that are real numbers. */
#ifndef LDP_PERTURB_H
#define LDP_PERTURB_H

#include <stddef.h>

#include "ldp_secure.h"

/* Normal noise is drawn in floating point, while the proofs of its guarantee are for
 * real numbers. Discrete noise is exact: x is rounded to the nearest multiple of scale / LDP_STEPS,
 * and its noise has the discrete Gaussian distribution on these multiples, with standard deviation
 * `scale` (up to a relative error of 1e-10).
 */
typedef enum ldp_law { LDP_NORMAL, LDP_DISCRETE } ldp_law;

enum { LDP_STEPS = 1 << 20 };

/* `bits`: NULL for R's generator, except for discrete noise, which always needs bits. */
typedef struct ldp_perturber {
    ldp_law law;
    ldp_bits *bits;
} ldp_perturber;

/* x_i += noise of this standard deviation. Requires scale >
 * 0, not checked. Returns LDP_OVERFLOW if the multiples are beyond 2^61. */
ldp_status ldp_perturb(const ldp_perturber *noise, size_t n, double scale, double *x);

#endif
