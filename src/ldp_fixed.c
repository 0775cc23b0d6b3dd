#include <math.h>

#include "ldp_fixed.h"
#include "ldp_lanes.h"

/* Sums are below 2^BITS quanta, half of what a 64-bit integer with a sign can hold. */
enum { BITS = 62 };

double ldp_fixed_scale(double most, double n) {
    int of_most, of_n;
    frexp(most, &of_most); /* most < 2^of_most */
    frexp(n, &of_n);
    const int exponent = BITS - of_most - of_n;
    return ldexp(1, exponent < 1023 ? exponent : 1023);
}

double ldp_fixed_scale_few(double most, double n) {
    return ldp_fixed_scale(most, fmax(n, 2048)); /* 2^62/2048 = 2^51 */
}

/* 1.5 2^52. If a number below 2^51 is added to it, the last bit of the sum is worth 1, so that the
 * sum is rounded to a whole number. That number is the difference between the bits of the sum and
 * those of SHIFT, read as integers. */
static const double SHIFT = 6755399441055744.0;

/* llrint(x), without a call for most numbers. */
static inline int64_t whole_number(double x) {
    return fabs(x) < 2251799813685248.0 ? (int64_t)((x + SHIFT) - SHIFT) : llrint(x);
}

void ldp_fixed_round(int K, const double *scale, double weight, const double *x, int64_t *out) {
    for (int k = 0; k < K; k++)
        out[k] = whole_number(weight * x[k] * scale[k]);
}

void ldp_fixed_add(int K, const double *scale, double weight, const double *x, int64_t *sum) {
    for (int k = 0; k < K; k++)
        sum[k] += whole_number(weight * x[k] * scale[k]);
}

void ldp_fixed_join(size_t n, const int64_t *terms, int64_t *sum) {
    for (size_t i = 0; i < n; i++)
        sum[i] += terms[i];
}

static inline const ldp_whole_lanes *lanes_at(const int64_t *x) {
    return (const ldp_whole_lanes *)(const void *)x;
}

static inline ldp_whole_lanes *lanes_into(int64_t *x) {
    return (ldp_whole_lanes *)(void *)x;
}

/* Adds four lines at a time, as ldp_rows_add does. */
LDP_CLONES
void ldp_fixed_listed(int K, const int64_t *terms, const int *index, size_t n, int64_t *sum) {
    const int whole = K - K % LDP_LANES;
    size_t e = 0;
    for (; e + 4 <= n; e += 4) {
        const int64_t *const a = terms + (size_t)index[e] * (size_t)K;
        const int64_t *const b = terms + (size_t)index[e + 1] * (size_t)K;
        const int64_t *const c = terms + (size_t)index[e + 2] * (size_t)K;
        const int64_t *const d = terms + (size_t)index[e + 3] * (size_t)K;
        for (int k = 0; k < whole; k += LDP_LANES)
            *lanes_into(sum + k) +=
                (*lanes_at(a + k) + *lanes_at(b + k)) + (*lanes_at(c + k) + *lanes_at(d + k));
        for (int k = whole; k < K; k++)
            sum[k] += (a[k] + b[k]) + (c[k] + d[k]);
    }
    for (; e < n; e++)
        ldp_fixed_join((size_t)K, terms + (size_t)index[e] * (size_t)K, sum);
}

LDP_CLONES
void ldp_fixed_scatter(int K, const double *x, const int *index, int n, int64_t *sums) {
    const int whole = K - K % LDP_LANES;
    const ldp_lanes shift = (ldp_lanes){0} + SHIFT;
    for (int e = 0; e < n; e++, x += K) {
        int64_t *const sum = sums + (size_t)index[e] * (size_t)K;
        for (int k = 0; k < whole; k += LDP_LANES) {
            const ldp_lanes shifted = *ldp_lanes_at(x + k) + shift;
            *lanes_into(sum + k) += (ldp_whole_lanes)shifted - (ldp_whole_lanes)shift;
        }
        for (int k = whole; k < K; k++)
            sum[k] += llrint(x[k]);
    }
}

void ldp_fixed_value(int K, const double *scale, const int64_t *sum, double *out) {
    for (int k = 0; k < K; k++)
        out[k] = (double)sum[k] / scale[k];
}
