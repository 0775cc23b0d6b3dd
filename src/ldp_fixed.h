/* Sums of weights that do not depend on the order of their terms. Terms are rounded to whole
 * multiples of a common quantum, and added as 64-bit integers. Integer addition is exact, so the
 * result is the same for any order of the terms, any number of threads and any machine.
 *
 * For n terms of absolute value at most x, the quantum is q = 2^(e + b - 62), where 2^e and 2^b are
 * the next powers of 2 above x and n. The sum is then below 2^62 quanta. Its error is at most
 * n q/2, which is at most x n^2 2^-61, and it is about x n^1.5 2^-62 if rounding errors are
 * independent. The sum over all rows is at least x, so for 20,000 rows its relative error is at
 * most 2e-10, and usually about 1e-12. No quantum is below 2^-1023, the inverse of which is a
 * double: for x below about 1e-289 the error is at most n 2^-1024. */
#ifndef LDP_FIXED_H
#define LDP_FIXED_H

#include <stddef.h>
#include <stdint.h>

/* The scale: 1/q, the number of quanta per unit, which is a power of 2, for n terms of at most
 * `most` each. Requires finite most > 0 and n >= 1, not checked. */
double ldp_fixed_scale(double most, double n);

/* out_k = weight x_k, rounded to quanta; scale_k: the scale of component k */
void ldp_fixed_round(int K, const double *scale, double weight, const double *x, int64_t *out);

/* sum_k += weight x_k, rounded to quanta; the weight may be negative */
void ldp_fixed_add(int K, const double *scale, double weight, const double *x, int64_t *sum);

/* sum_k += terms_jk over the n lines j in `index` */
void ldp_fixed_listed(int K, const int64_t *terms, const int *index, size_t n, int64_t *sum);

/* The scale for ldp_fixed_scatter(), with which each term is below 2^51 quanta. */
double ldp_fixed_scale_few(double most, double n);

/* sums_jk += x_ek, rounded, for the lines j = index[e], e < n; x is in quanta, but not yet
 * rounded */
void ldp_fixed_scatter(int K, const double *x, const int *index, int n, int64_t *sums);

/* sum_i += terms_i, i < n */
void ldp_fixed_join(size_t n, const int64_t *terms, int64_t *sum);

/* out_k = the value of sum_k quanta */
void ldp_fixed_value(int K, const double *scale, const int64_t *sum, double *out);

#endif
