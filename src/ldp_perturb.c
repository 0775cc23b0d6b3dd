#include <math.h>

#include <Rmath.h>

#include "ldp_gaussian.h"
#include "ldp_perturb.h"

/* Uniform on the odd multiples of 2^-53 below 1. */
static ldp_status uniform(ldp_bits *bits, double *u) {
    uint64_t value;
    const ldp_status status = ldp_secure_uniform(bits, (uint64_t)1 << 52, &value);
    if (status == LDP_OK)
        *u = ((double)value + 0.5) * (1 / 4503599627370496.0);
    return status;
}

static ldp_status draw_normal(ldp_bits *bits, double *z) {
    if (!bits) {
        *z = norm_rand();
        return LDP_OK;
    }
    double u;
    const ldp_status status = uniform(bits, &u);
    if (status == LDP_OK)
        *z = qnorm(u, 0, 1, 1, 0);
    return status;
}

static ldp_status add_discrete(ldp_bits *bits, double scale, double *x) {
    const double step = scale / LDP_STEPS, at = *x / step;
    if (!(fabs(at) < 2305843009213693952.0)) /* 2^61 */
        return LDP_OVERFLOW;
    int64_t z;
    const ldp_status status = ldp_gaussian_draw(bits, LDP_STEPS, &z);
    if (status == LDP_OK)
        *x = (double)(llrint(at) + z) * step;
    return status;
}

static ldp_status perturb_add(const ldp_perturber *noise, double scale, double *x) {
    double z = 0;
    if (noise->law == LDP_DISCRETE)
        return add_discrete(noise->bits, scale, x);
    const ldp_status status = draw_normal(noise->bits, &z);
    *x += scale * z;
    return status;
}

ldp_status ldp_perturb(const ldp_perturber *noise, size_t n, double scale, double *x) {
    for (size_t i = 0; i < n; i++) {
        const ldp_status status = perturb_add(noise, scale, &x[i]);
        if (status != LDP_OK)
            return status;
    }
    return LDP_OK;
}
