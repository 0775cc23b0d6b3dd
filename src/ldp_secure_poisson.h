/* Exact draws of the Poisson and the Skellam distribution, in integers, from a source of random
 * bits. */
#ifndef LDP_SECURE_POISSON_H
#define LDP_SECURE_POISSON_H

#include "ldp_secure.h"

/* n ~ Pois(p/q); z ~ Pois(p/q) - Pois(p/q).  Require 1 <= p, 1 <= q <= 2^31 and p/q <= 2^30, not
 * checked. The expected number of decisions is proportional to sqrt(p/q) if p/q is large. */
ldp_status ldp_secure_poisson(ldp_bits *bits, uint64_t p, uint64_t q, uint64_t *n);
ldp_status ldp_secure_skellam(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *z);

#endif
