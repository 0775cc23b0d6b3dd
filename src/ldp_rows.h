/* The loops of a sweep over rows of a factor: each costs K multiply-adds per row. */
#ifndef LDP_ROWS_H
#define LDP_ROWS_H

#include <stddef.h>

/* out_e = sum_k x_k row_ek and, in the same loop, sum_k += row_ek, for the rows e = 0 .. n-1 that
 * `index` lists. */
void ldp_rows_dot(int K, const double *x, const double *factor, const int *index, int n,
                  double *out, double *sum);

/* out_e alone */
void ldp_rows_means(int K, const double *x, const double *factor, const int *index, int n,
                    double *out);

/* sum_k += w_e row_ek, where w_e = weight[index[e]], or 1 if `weight` is NULL. */
void ldp_rows_add(int K, const double *factor, const double *weight, const int *index, size_t n,
                  double *sum);

/* sum_k += w_e row_ek and out_ek += w_e x_k, for the rows that `index` lists; `out` has the same
 * layout as the factor. */
void ldp_rows_exchange(int K, const double *w, const double *factor, const int *index, int n,
                       double *sum, const double *x, double *out);

/* out_ek *= row_ek for the rows e = 0 .. n-1 that `index` lists. */
void ldp_rows_multiply(int K, const double *factor, const int *index, int n, double *out);

/* row_ek += x_ek, for the rows of the factor that `index` lists. */
void ldp_rows_scatter(int K, const double *x, const int *index, int n, double *factor);

#endif
