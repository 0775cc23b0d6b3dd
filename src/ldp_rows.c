/* Four rows are processed at a time: x and the sum are loaded and stored once for all four, and
 * their additions can be done in parallel.
 *
 * Relative to a plain loop of dot products (bench/floor.c), the first pass takes about 1.3 times as
 * long, the second about as long. Padding rows to whole registers, or prefetching them, did not
 * help. */
#include "ldp_rows.h"
#include "ldp_lanes.h"
#include "ldp_math.h"

static inline const double *row(const double *factor, int K, int i) {
    return factor + (size_t)i * (size_t)K;
}

/* `adds` is a constant in each call, so that the compiler makes a separate loop for each. */
LDP_WITHIN_CLONES void dot(int K, const double *x, const double *factor, const int *index, int n,
                           double *out, double *sum, int adds) {
    const int whole = K - K % LDP_LANES;
    int e = 0;
    for (; e + 4 <= n; e += 4) {
        const double *const a = row(factor, K, index[e]);
        const double *const b = row(factor, K, index[e + 1]);
        const double *const c = row(factor, K, index[e + 2]);
        const double *const d = row(factor, K, index[e + 3]);
        ldp_lanes in_a = {0}, in_b = {0}, in_c = {0}, in_d = {0};
        double end_a = 0, end_b = 0, end_c = 0, end_d = 0;
        for (int k = 0; k < whole; k += LDP_LANES) {
            const ldp_lanes xs = *ldp_lanes_at(x + k);
            const ldp_lanes as = *ldp_lanes_at(a + k), bs = *ldp_lanes_at(b + k);
            const ldp_lanes cs = *ldp_lanes_at(c + k), ds = *ldp_lanes_at(d + k);
            in_a += xs * as;
            in_b += xs * bs;
            in_c += xs * cs;
            in_d += xs * ds;
            if (adds)
                *ldp_lanes_into(sum + k) += (as + bs) + (cs + ds);
        }
        for (int k = whole; k < K; k++) {
            end_a += x[k] * a[k];
            end_b += x[k] * b[k];
            end_c += x[k] * c[k];
            end_d += x[k] * d[k];
            if (adds)
                sum[k] += (a[k] + b[k]) + (c[k] + d[k]);
        }
        out[e] = ldp_lanes_sum(&in_a) + end_a;
        out[e + 1] = ldp_lanes_sum(&in_b) + end_b;
        out[e + 2] = ldp_lanes_sum(&in_c) + end_c;
        out[e + 3] = ldp_lanes_sum(&in_d) + end_d;
    }
    for (; e < n; e++) {
        out[e] = ldp_dot(K, x, row(factor, K, index[e]));
        if (adds)
            ldp_add(K, sum, 1, row(factor, K, index[e]));
    }
}

LDP_CLONES
void ldp_rows_dot(int K, const double *x, const double *factor, const int *index, int n,
                  double *out, double *sum) {
    dot(K, x, factor, index, n, out, sum, 1);
}

LDP_CLONES
void ldp_rows_means(int K, const double *x, const double *factor, const int *index, int n,
                    double *out) {
    dot(K, x, factor, index, n, out, NULL, 0);
}

static inline double rows_weight_of(const double *weight, int i) {
    return weight ? weight[i] : 1;
}

LDP_CLONES
void ldp_rows_add(int K, const double *factor, const double *weight, const int *index, size_t n,
                  double *sum) {
    const int whole = K - K % LDP_LANES;
    size_t e = 0;
    for (; e + 4 <= n; e += 4) {
        const double *const a = row(factor, K, index[e]);
        const double *const b = row(factor, K, index[e + 1]);
        const double *const c = row(factor, K, index[e + 2]);
        const double *const d = row(factor, K, index[e + 3]);
        const double of_a = rows_weight_of(weight, index[e]),
                     of_b = rows_weight_of(weight, index[e + 1]);
        const double of_c = rows_weight_of(weight, index[e + 2]),
                     of_d = rows_weight_of(weight, index[e + 3]);
        for (int k = 0; k < whole; k += LDP_LANES)
            *ldp_lanes_into(sum + k) +=
                (of_a * *ldp_lanes_at(a + k) + of_b * *ldp_lanes_at(b + k)) +
                (of_c * *ldp_lanes_at(c + k) + of_d * *ldp_lanes_at(d + k));
        for (int k = whole; k < K; k++)
            sum[k] += (of_a * a[k] + of_b * b[k]) + (of_c * c[k] + of_d * d[k]);
    }
    for (; e < n; e++)
        ldp_add(K, sum, rows_weight_of(weight, index[e]), row(factor, K, index[e]));
}

LDP_CLONES
void ldp_rows_exchange(int K, const double *w, const double *factor, const int *index, int n,
                       double *sum, const double *x, double *out) {
    const int whole = K - K % LDP_LANES;
    for (int e = 0; e < n; e++) {
        const double *const from = row(factor, K, index[e]);
        double *const to = out + (size_t)index[e] * (size_t)K;
        for (int k = 0; k < whole; k += LDP_LANES) {
            *ldp_lanes_into(sum + k) += w[e] * *ldp_lanes_at(from + k);
            *ldp_lanes_into(to + k) += w[e] * *ldp_lanes_at(x + k);
        }
        for (int k = whole; k < K; k++) {
            sum[k] += w[e] * from[k];
            to[k] += w[e] * x[k];
        }
    }
}

LDP_CLONES
void ldp_rows_multiply(int K, const double *factor, const int *index, int n, double *out) {
    const int whole = K - K % LDP_LANES;
    for (int e = 0; e < n; e++, out += K) {
        const double *const a = row(factor, K, index[e]);
        for (int k = 0; k < whole; k += LDP_LANES)
            *ldp_lanes_into(out + k) *= *ldp_lanes_at(a + k);
        for (int k = whole; k < K; k++)
            out[k] *= a[k];
    }
}

LDP_CLONES
void ldp_rows_scatter(int K, const double *x, const int *index, int n, double *factor) {
    const int whole = K - K % LDP_LANES;
    for (int e = 0; e < n; e++, x += K) {
        double *const a = factor + (size_t)index[e] * (size_t)K;
        for (int k = 0; k < whole; k += LDP_LANES)
            *ldp_lanes_into(a + k) += *ldp_lanes_at(x + k);
        for (int k = whole; k < K; k++)
            a[k] += x[k];
    }
}
