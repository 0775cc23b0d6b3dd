#include "ldp_packed.h"

void ldp_packed_square(int k, double weight, const double *x, double *A) {
    for (int b = 0; b < k; b++) {
        const double of_b = weight * x[b];
        for (int a = 0; a <= b; a++)
            *A++ += of_b * x[a];
    }
}

void ldp_packed_cube(int k, double weight, const double *x, double *T) {
    for (int c = 0; c < k; c++)
        for (int b = 0; b <= c; b++) {
            const double of_bc = weight * x[b] * x[c];
            for (int a = 0; a <= b; a++)
                *T++ += of_bc * x[a];
        }
}

void ldp_packed_product(int k, double weight, const double *A, const double *x, double *T) {
    for (int c = 0; c < k; c++) {
        const double *const A_c = A + ldp_pairs(c);
        const double x_c = weight * x[c];
        for (int b = 0; b <= c; b++) {
            const double *const A_b = A + ldp_pairs(b);
            const double x_b = weight * x[b], A_bc = weight * A_c[b];
            for (int a = 0; a <= b; a++)
                *T++ += A_b[a] * x_c + A_c[a] * x_b + A_bc * x[a];
        }
    }
}

void ldp_packed_expand(int k, const double *T, double *all) {
    const size_t n = (size_t)k;
    for (size_t c = 0; c < n; c++)
        for (size_t b = 0; b <= c; b++)
            for (size_t a = 0; a <= b; a++) {
                const double entry = *T++;
                all[a + n * (b + n * c)] = all[a + n * (c + n * b)] = entry;
                all[b + n * (a + n * c)] = all[b + n * (c + n * a)] = entry;
                all[c + n * (a + n * b)] = all[c + n * (b + n * a)] = entry;
            }
}

void ldp_packed_times(int n, const double *A, const double *x, double *out) {
    for (int j = 0; j < n; j++) {
        const double x_j = x[j] / LDP_SQRT2;
        double sum = 0;
        for (int i = 0; i < j; i++) {
            out[i] += A[i] * x_j;
            sum += A[i] * x[i];
        }
        out[j] = sum / LDP_SQRT2 + A[j] * x[j];
        A += j + 1;
    }
}
