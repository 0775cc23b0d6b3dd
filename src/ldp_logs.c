#include <math.h>

#include "ldp_lanes.h"
#include "ldp_logs.h"

/* Below this, exp(y) is near the smallest double, and is set to 0. */
static const double LEAST_LOG = -708;

#if defined(__GNUC__)
typedef unsigned long long natural_lanes __attribute__((vector_size(32), aligned(8), may_alias));

/* log(p) of normal p > 0: with p = 2^e m, sqrt(1/2) <= m < sqrt(2), and s = (m - 1)/(m + 1), it is
 * e log(2) + 2 s (1 + s^2/3 + s^4/5 + ...). The terms from s^16/17 on are below 4e-14. */
LDP_WITHIN_CLONES void take_log(const ldp_lanes *p, ldp_lanes *log_p) {
    static const unsigned long long root_half = 0x3fe6a09e667f3bcdULL, bias = 1024;
    static const double c[] = {1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15};
    const natural_lanes bits = *(const natural_lanes *)p;
    const natural_lanes e = (bits - root_half + (bias << 52)) >> 52; /* and 1024 */
    const natural_lanes of_m = bits - ((e - bias) << 52);
    /* the double whose last bits are those of e is 2^52 + e */
    const natural_lanes of_e = e | 0x4330000000000000ULL;
    const ldp_lanes power = (ldp_lanes)of_e - (4503599627370496.0 + 1024);
    const ldp_lanes m = (ldp_lanes)of_m, s = (m - 1) / (m + 1), t = s * s;
    const ldp_lanes sum =
        LDP_LANES_POLYNOMIAL(c, t) + LDP_LANES_POWER(t) * LDP_LANES_POLYNOMIAL(c + 4, t);
    *log_p = power * 0.69314718055994530942 + 2 * s * sum;
}

/* exp(y), LEAST_LOG <= y <= -LEAST_LOG: with y = n log(2) + r, |r| <= log(2)/2, it is 2^n (1 + r +
 * ... + r^11/11!), with an error below 1e-14. */
LDP_WITHIN_CLONES void take_exp(const ldp_lanes *y, ldp_lanes *exp_y) {
    static const double rounder = 6755399441055744.0; /* 1.5 2^52 */
    static const double c[] = {1,          1,           1. / 2,       1. / 6,
                               1. / 24,    1. / 120,    1. / 720,     1. / 5040,
                               1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800};
    const ldp_lanes shifted = *y * 1.44269504088896340736 + rounder, n = shifted - rounder;
    const ldp_lanes r = (*y - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    const natural_lanes scale = ((natural_lanes)shifted + 1023) << 52;
    const ldp_lanes r4 = LDP_LANES_POWER(r);
    const ldp_lanes sum = LDP_LANES_POLYNOMIAL(c, r) + r4 * (LDP_LANES_POLYNOMIAL(c + 4, r) +
                                                             r4 * LDP_LANES_POLYNOMIAL(c + 8, r));
    *exp_y = sum * (ldp_lanes)scale;
}

LDP_CLONES
void ldp_logs(int n, const double *p, double *log_p) {
    int i = 0;
    ldp_lanes last, log_last;
    for (; i + LDP_LANES <= n; i += LDP_LANES)
        take_log(ldp_lanes_at(p + i), ldp_lanes_into(log_p + i));
    if (i == n)
        return;
    for (int j = 0; j < LDP_LANES; j++)
        last[j] = i + j < n ? p[i + j] : 1;
    take_log(&last, &log_last);
    for (int j = 0; i + j < n; j++)
        log_p[i + j] = log_last[j];
}

LDP_CLONES
void ldp_roots(int n, double a, const double *p, double *x) {
    const double inverse = 1 / a;
    for (int i = 0; i < n; i += LDP_LANES) {
        ldp_lanes y, root;
        take_log(ldp_lanes_at(p + i), &y);
        y *= inverse;
        const ldp_whole_lanes within = y >= LEAST_LOG;
        y = LDP_LANES_WHERE(within, y);
        take_exp(&y, &root);
        *ldp_lanes_into(x + i) = LDP_LANES_WHERE(within, root);
    }
}
#else
void ldp_logs(int n, const double *p, double *log_p) {
    for (int i = 0; i < n; i++)
        log_p[i] = log(p[i]);
}

void ldp_roots(int n, double a, const double *p, double *x) {
    for (int i = 0; i < n; i++) {
        const double y = log(p[i]) / a;
        x[i] = y >= LEAST_LOG ? exp(y) : 0;
    }
}
#endif
