/* Exposures: weighted sums of factor rows over the observed cells of a row or a column. */
#ifndef LDP_EXPOSURE_H
#define LDP_EXPOSURE_H

#include <stddef.h>

/* Rows from .. to-1 of a factor with K components, and one weight per row (NULL: weights of 1). */
typedef struct ldp_weighted {
    int K, from, to;
    const double *factor;
    const double *weight;
} ldp_weighted;

enum { LDP_NO_SELF = -1 };

/* out = sum_j w_j factor_j over all rows */
void ldp_exposure_total(ldp_weighted rows, double *out);

/* out += sum_j w_j factor_j over the rows in `index` */
void ldp_exposure_listed(ldp_weighted rows, const int *index, size_t n_index, double *out);

/* total = sum_j w_j factor_j over the rows other than `self`; on entry, over all rows. */
void ldp_exposure_leave_out(ldp_weighted rows, int self, double *total);

/* out = sum_j w_j factor_j over the rows that are neither missing nor `self`; `total` is that of
 * the rows other than `self`, `missing` is ascending, within the rows, and without `self`. */
void ldp_exposure_observed(ldp_weighted rows, const double *total, const int *missing,
                           size_t n_missing, int self, double *out);

/* Has total - missing lost so many digits that the terms should be added up instead? */
int ldp_exposure_digits_lost(int K, const double *total, const double *difference);

#endif
