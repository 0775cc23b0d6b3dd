#include <math.h>
#include <string.h>

#include "ldp_math.h"
#include "ldp_tensor_power.h"

/* out = T(I, z, z) */
static void apply(int k, const double *T, const double *z, double *out) {
    ldp_fill(k, out, 0);
    for (int c = 0; c < k; c++)
        for (int b = 0; b < k; b++)
            ldp_add(k, out, z[b] * z[c], T + (size_t)k * ((size_t)b + (size_t)k * (size_t)c));
}

/* A = Q R by reflections, which make Q orthonormal whatever the rank of A. On return, column j of A
 * holds, from row j on, the vector of reflection j, of length sqrt(2), or zeros if there is none.
 * Q's columns get the signs that make the diagonal of R positive. */
static void reflect(int n, const double *v, double *x) {
    ldp_add(n, x, -ldp_dot(n, v, x), v);
}

static void orthonormal(int k, double *A, double *sign, double *Q) {
    for (int j = 0; j < k; j++) {
        double *const v = ldp_line(A, k, j) + j;
        const double length = sqrt(ldp_dot(k - j, v, v));
        sign[j] = v[0] < 0 ? 1 : -1; /* of the entry on R's diagonal, away from v[0] */
        if (length > 0) {
            v[0] -= sign[j] * length;
            const double scale = sqrt(2 / ldp_dot(k - j, v, v));
            for (int i = 0; i < k - j; i++)
                v[i] *= scale;
        } else {
            sign[j] = 1;
        }
        for (int l = j + 1; l < k; l++)
            reflect(k - j, v, ldp_line(A, k, l) + j);
    }
    for (int j = 0; j < k; j++) {
        double *const q = ldp_line(Q, k, j);
        ldp_fill(k, q, 0);
        q[j] = sign[j];
        for (int i = j; i >= 0; i--)
            reflect(k - i, ldp_line(A, k, i) + i, q + i);
    }
}

size_t ldp_tensor_power_work(int k) {
    return 2 * (size_t)k * (size_t)k + (size_t)k;
}

double ldp_tensor_power_step(int k, const double *T, double *Z, double *work) {
    const size_t size = (size_t)k * (size_t)k;
    double *const image = work, *const next = work + size, *const sign = next + size;
    double change = 0;
    for (int i = 0; i < k; i++)
        apply(k, T, ldp_line(Z, k, i), ldp_line(image, k, i));
    orthonormal(k, image, sign, next);
    for (size_t i = 0; i < size; i++)
        change = fmax(change, fabs(next[i] - Z[i]));
    memcpy(Z, next, size * sizeof *Z);
    return change;
}

void ldp_tensor_power_values(int k, const double *T, double *Z, double *lambda, double *work) {
    for (int i = 0; i < k; i++) {
        double *const z = ldp_line(Z, k, i);
        apply(k, T, z, work);
        lambda[i] = ldp_dot(k, work, z);
        if (lambda[i] >= 0)
            continue;
        lambda[i] = -lambda[i];
        for (int a = 0; a < k; a++)
            z[a] = -z[a];
    }
}
