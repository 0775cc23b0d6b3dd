/* A unit is kept if its number U = 0.b1 b2 ... is below the probability, as in
 * ldp_secure_bernoulli(): the first bit that differs from the digit of the probability decides. All
 * n units are compared at once, digit by digit. Of their bits, those that are 1 are counted; the
 * units whose bits are equal to the digit, about half of them, go on to the next. As in
 * ldp_secure.c, there is no floating point. Unlike noise, thinning must see the count, and how many
 * bits it takes depends on it. */
#include "ldp_secure_thin.h"

ldp_status ldp_secure_thin(ldp_bits *bits, uint64_t n, ldp_dyadic prob, uint64_t *kept) {
    *kept = 0;
    for (unsigned place = prob.places; n > 0 && place > 0; place--) {
        const unsigned digit = place > 64 ? 0 : (unsigned)(prob.mantissa >> (place - 1) & 1u);
        uint64_t ones;
        const ldp_status status = ldp_secure_ones(bits, n, &ones);
        if (status != LDP_OK)
            return status;
        if (digit)
            *kept += n - ones;
        n = digit ? ones : n - ones;
    }
    return LDP_OK; /* the units that are left have U >= the probability */
}
