/* A two-sided geometric number z of ratio exp(-1/sigma) is kept with probability
 * exp(-(|z| - sigma)^2/(2 sigma^2)): the exponents add up to -z^2/(2 sigma^2) - 1/2. A similar rule
 * is exact for any ratio; with this ratio the probability of keeping z is nearly as large as
 * possible. As in ldp_secure.c, there is no floating point.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy,
 * algorithm 3 (whose ratio is exp(-1/(sigma + 1)) for a whole sigma) and, for exponents above 1,
 * algorithm 1. */
#include "ldp_gaussian.h"

/* Success with probability exp(-p/q) for any p: one draw for each whole unit of p/q, and one for
 * the rest. */
static ldp_status bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    for (; p > q; p -= q) {
        const ldp_status status = ldp_secure_bernoulli_exp(bits, 1, 1, success);
        if (status != LDP_OK || !*success)
            return status;
    }
    return ldp_secure_bernoulli_exp(bits, p, q, success);
}

ldp_status ldp_gaussian_draw(ldp_bits *bits, uint64_t sigma, int64_t *z) {
    const uint64_t far = (uint64_t)1 << 31; /* the square fits; beyond, P < exp(-2^11) */
    for (;;) {
        unsigned kept = 0;
        ldp_status status = ldp_secure_twogeom(bits, 1, sigma, z);
        if (status != LDP_OK)
            return status;
        const uint64_t size = (uint64_t)(*z < 0 ? -*z : *z);
        const uint64_t off = size < sigma ? sigma - size : size - sigma;
        if (off > far)
            return LDP_OVERFLOW;
        if ((status = bernoulli_exp(bits, off * off, 2 * sigma * sigma, &kept)) != LDP_OK || kept)
            return status;
    }
}
