#include <math.h>

#include "ldp_math.h"

/* Four accumulators break the chain of dependent additions; the order of summation is
 * fixed by the source, so the result does not depend on the machine. */
double ldp_dot(int K, const double *x, const double *z) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int k = 0;
    for (; k + 4 <= K; k += 4) {
        s0 += x[k] * z[k];
        s1 += x[k + 1] * z[k + 1];
        s2 += x[k + 2] * z[k + 2];
        s3 += x[k + 3] * z[k + 3];
    }
    for (; k < K; k++)
        s0 += x[k] * z[k];
    return (s0 + s1) + (s2 + s3);
}

void ldp_add(int K, double *restrict x, double weight, const double *restrict z) {
    for (int k = 0; k < K; k++)
        x[k] += weight * z[k];
}

void ldp_fill(int K, double *x, double value) {
    for (int k = 0; k < K; k++)
        x[k] = value;
}

/* Maechler (2012), Accurately computing log(1 - exp(-|a|)): the two forms change over at log(2). */
double ldp_log1m_exp(double x) {
    if (x >= 0)
        return -INFINITY; /* a probability of 1, up to rounding */
    return x > -0.693147180559945309 ? log(-expm1(x)) : log1p(-exp(x));
}
