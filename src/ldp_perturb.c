#include <math.h>

#include <Rmath.h>

#include "ldp_gaussian.h"
#include "ldp_math.h"
#include "ldp_packed.h"
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

static ldp_status draw_laplace(ldp_bits *bits, double *z) {
    double u = 0;
    unsigned negative = 0;
    if (!bits) {
        negative = unif_rand() < 0.5;
        *z = exp_rand();
    } else {
        ldp_status status = ldp_secure_bit(bits, &negative);
        if (status != LDP_OK || (status = uniform(bits, &u)) != LDP_OK)
            return status;
        *z = -log(u);
    }
    if (negative)
        *z = -*z;
    return LDP_OK;
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
    const ldp_status status =
        noise->law == LDP_NORMAL ? draw_normal(noise->bits, &z) : draw_laplace(noise->bits, &z);
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

/* An entry z for words i <= j <= l stands for all orders of these words: it adds the symmetric
 * tensor z w_i w_j w_l, times the number of orders. Entries are added up over l first, then over j.
 * */
ldp_status ldp_perturb_whitened(const ldp_perturber *noise, int V, int k, const double *W,
                                double scale, double *T, double *work) {
    double *const over_l = work, *const over_j = work + k;
    for (int i = 0; i < V; i++) {
        const double *const w_i = W + (size_t)i * (size_t)k;
        for (size_t p = 0; p < ldp_pairs(k); p++)
            over_j[p] = 0;
        for (int j = i; j < V; j++) {
            const double *const w_j = W + (size_t)j * (size_t)k;
            ldp_fill(k, over_l, 0);
            for (int l = j; l < V; l++) {
                const double orders = (i < j) + (j < l) == 2 ? 6 : (i < j) + (j < l) == 1 ? 3 : 1;
                double z = 0;
                const ldp_status status = perturb_add(noise, scale, &z);
                if (status != LDP_OK)
                    return status;
                ldp_add(k, over_l, orders * z, W + (size_t)l * (size_t)k);
            }
            for (int c = 0, p = 0; c < k; c++)
                for (int b = 0; b <= c; b++)
                    over_j[p++] += (w_j[b] * over_l[c] + w_j[c] * over_l[b]) / 2;
        }
        ldp_packed_product(k, 1.0 / 3, over_j, w_i, T);
    }
    return LDP_OK;
}
