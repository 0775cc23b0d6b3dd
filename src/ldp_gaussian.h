/* Exact draws of the discrete Gaussian distribution, in integers, from a source of random bits. */
#ifndef LDP_GAUSSIAN_H
#define LDP_GAUSSIAN_H

#include "ldp_secure.h"

/* P(z) in proportion to exp(-z^2/(2 sigma^2)), for all whole z.  Requires 1 <= sigma <= 2^20, not
 * checked. */
ldp_status ldp_gaussian_draw(ldp_bits *bits, uint64_t sigma, int64_t *z);

#endif
