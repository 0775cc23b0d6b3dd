/* What every kernel needs: statuses, the inner loops over K components, the log of
 * a complement.
 *
 * Kernels (ldp_*) are C99 over <Rmath.h>. They know nothing of R's objects, never
 * allocate, print or jump; the caller owns every buffer and reads the status. */
#ifndef LDP_MATH_H
#define LDP_MATH_H

#include <stddef.h>

typedef enum {
    LDP_OK = 0,
    LDP_NO_ENTROPY, /* the source of random bits failed */
    LDP_OVERFLOW, /* a 64-bit integer could not hold a value */
    LDP_TOO_FINE /* two noise levels differ by no fraction of small enough numbers */
} ldp_status;

/* Rejection gives up after so many refusals in a row. Each has a probability below 0.8, so that this
 * is rounding alone, or a NaN (below 1e-90 else). */
enum { LDP_TRIES = 1000 };

/* sum_k x_k z_k */
double ldp_dot(int K, const double *x, const double *z);

/* x_k += weight * z_k */
void ldp_add(int K, double *x, double weight, const double *z);

/* x_k = value */
void ldp_fill(int K, double *x, double value);

/* The K numbers that belong to row i of a factor; they stand side by side. */
static inline double *ldp_line(double *factor, int K, int i) {
    return factor + (size_t)i * (size_t)K;
}

/* log(1 - exp(x)) for x <= 0, where a probability is wanted and its complement is known */
double ldp_log1m_exp(double x);

#endif
