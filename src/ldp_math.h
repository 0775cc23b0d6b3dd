/* Functions that all kernels use: statuses, the inner loops over K components, the log of a
 * complement.
 *
 * Kernels (ldp_*) are written in C99 with <Rmath.h>. They do not use R's objects, and never
 * allocate, print or jump; the caller owns every buffer and checks the status. */
#ifndef LDP_MATH_H
#define LDP_MATH_H

#include <stddef.h>

typedef enum {
    LDP_OK = 0,
    LDP_NO_ENTROPY, /* the source of random bits failed */
    LDP_OVERFLOW, /* a 64-bit integer could not hold a value */
    LDP_TOO_FINE /* the step between two noise levels is not a fraction of small enough numbers */
} ldp_status;

/* A rejection sampler stops after this many refusals in a row. Each has a probability below 0.8, so
 * this happens only because of rounding or a NaN (otherwise with a probability below 1e-90). */
enum { LDP_TRIES = 1000 };

/* sum_k x_k z_k */
double ldp_dot(int K, const double *x, const double *z);

/* x_k += weight * z_k */
void ldp_add(int K, double *x, double weight, const double *z);

/* x_k = value */
void ldp_fill(int K, double *x, double value);

/* The K numbers of row i of a factor, which are contiguous. */
static inline double *ldp_line(double *factor, int K, int i) {
    return factor + (size_t)i * (size_t)K;
}

/* log(1 - exp(x)) for x <= 0: the log of a probability, given that of its complement */
double ldp_log1m_exp(double x);

#endif
