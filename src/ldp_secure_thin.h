/* Exact thinning of counts, in integers, from a source of random bits. */
#ifndef LDP_SECURE_THIN_H
#define LDP_SECURE_THIN_H

#include "ldp_secure.h"

/* The probability mantissa/2^places, below 1: every double is one. */
typedef struct ldp_dyadic {
    uint64_t mantissa;
    unsigned places;
} ldp_dyadic;

/* kept ~ Bin(n, prob). Takes 2 n bits on average, for any probability. */
ldp_status ldp_secure_thin(ldp_bits *bits, uint64_t n, ldp_dyadic prob, uint64_t *kept);

#endif
