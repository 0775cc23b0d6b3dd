/* Symmetric matrices and tensors of three modes, each of their entries once: (i, j), i <= j, at
 * j (j+1)/2 + i, and (a, b, c), a <= b <= c, at c (c+1)(c+2)/6 + b (b+1)/2 + a. */
#ifndef LDP_PACKED_H
#define LDP_PACKED_H

#include <stddef.h>

static inline size_t ldp_pairs(int n) {
    return (size_t)n * ((size_t)n + 1) / 2;
}

static inline size_t ldp_triples(int n) {
    return ldp_pairs(n) * ((size_t)n + 2) / 3;
}

/* A += weight x x' */
void ldp_packed_square(int k, double weight, const double *x, double *A);

/* T_abc += weight x_a x_b x_c */
void ldp_packed_cube(int k, double weight, const double *x, double *T);

/* T_abc += weight (A_ab x_c + A_ac x_b + A_bc x_a) */
void ldp_packed_product(int k, double weight, const double *A, const double *x, double *T);

/* All k x k x k entries. */
void ldp_packed_expand(int k, const double *T, double *all);

/* A matrix packed by its norm has its entries above the diagonal times sqrt(2): then the sum of the
 * squares of what is stored is that of all entries. out = A x, for such a matrix. */
#define LDP_SQRT2 1.41421356237309504880
void ldp_packed_times(int n, const double *A, const double *x, double *out);

#endif
