/* Sums of weights whose value does not depend on the order of their terms: terms are rounded to
 * whole multiples of a common quantum and added as integers of 64 bits, which is exact in any
 * order, on any number of threads and machines.
 *
 * With n terms, none above x in size, the quantum is q = 2^(e + b - 62), where 2^e >= x and
 * 2^b >= n: the sum stays below 2^62 quanta, and its error is at most n q/2, that is x n^2 2^-61 at
 * most, and about x n^1.5 2^-62 where roundings are independent. Against the sum of all rows, which
 * is at least x, this is 2e-10 for 20,000 rows at worst, and 1e-12 as a rule. No quantum is below
 * 2^-1023, whose inverse is a double: for x below about 1e-289 the error is at most n 2^-1024. */
#ifndef LDP_FIXED_H
#define LDP_FIXED_H

#include <stddef.h>
#include <stdint.h>

/* The number of quanta in 1, a power of two, for n terms of at most `most` each. Requires finite
 * most > 0 and n >= 1, not checked. */
double ldp_fixed_scale(double most, double n);

/* out_k = weight x_k in quanta; scale_k as above */
void ldp_fixed_round(int K, const double *scale, double weight, const double *x, int64_t *out);

/* sum_k += weight x_k in quanta, with its sign */
void ldp_fixed_add(int K, const double *scale, double weight, const double *x, int64_t *sum);

/* sum_k += terms_jk over the n lines j in `index` */
void ldp_fixed_listed(int K, const int64_t *terms, const int *index, size_t n, int64_t *sum);

/* The same for terms that are computed where they are added, below 2^51 quanta each. */
double ldp_fixed_scale_few(double most, double n);

/* sums_jk += x_ek, already in quanta but not yet rounded, for the lines j = index[e], e < n */
void ldp_fixed_scatter(int K, const double *x, const int *index, int n, int64_t *sums);

/* sum_k += terms_k */
void ldp_fixed_join(size_t n, const int64_t *terms, int64_t *sum);

/* out_k = sum_k quanta */
void ldp_fixed_value(int K, const double *scale, const int64_t *sum, double *out);

#endif
