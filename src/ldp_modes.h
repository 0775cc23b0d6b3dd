/* Products of weights over the modes of a tensor, mu_{i0..iM-1} = sum_k prod_m x^(m)_{im k}, and
 * sums of these over its cells. The weights are draws of a sampler, or means of variational
 * distributions.
 *
 * The tensor is stored as a table: the index of mode 0 is the row, and the other indices give the
 * column i_1 + n_1 (i_2 + n_2 (i_3 + ...)), as in R's arrays. The exposure of a cell is rest_d +
 * extra_d if it is active, rest_d if it is otherwise observed, and 0 if it is missing, as in
 * ldp_margin.h. */
#ifndef LDP_MODES_H
#define LDP_MODES_H

#include "ldp_cells.h"
#include "ldp_noise.h"

/* The largest number of modes. */
enum { LDP_MODES = 12 };

/* M modes, 2 to LDP_MODES, where mode m has n[m] indices. The K weights of an index are contiguous:
 * x_ik = weights[i K + k]. */
typedef struct ldp_modes {
    int K, M;
    int n[LDP_MODES];
    const double *weights[LDP_MODES];
} ldp_modes;

/* A few cells of one row of the table: the index of each cell in each mode except the first. */
typedef struct ldp_modes_few {
    int n;
    int index[LDP_MODES][LDP_FEW];
} ldp_modes_few;

/* Computes the indices of n <= LDP_FEW cells from their columns. */
void ldp_modes_decode(const ldp_modes *modes, const int *column, int n, ldp_modes_few *cells);

/* The same for the next cells of a list, from place `first` on, but not beyond `end`. */
void ldp_modes_next(const ldp_modes *modes, const int *columns, size_t first, size_t end,
                    ldp_modes_few *cells);

enum { LDP_NO_MODE = -1 };

/* products_ek = x_k (1 if x is NULL) times the weights of cell e in all modes except the first and
 * `skip` */
void ldp_modes_products(const ldp_modes *modes, const double *x, const ldp_modes_few *cells,
                        int skip, double *products);

/* For a few cells, the rows whose scalar products with rows of mode 0 are the means: for two modes,
 * the rows of the second mode; for more, the products of rows over modes 1 .. M-1 (LDP_FEW lines).
 * Returns these rows; `index`: the row of each cell. */
const double *ldp_modes_rows(const ldp_modes *modes, const ldp_modes_few *cells, double *products,
                             int *index);

/* Line m of `totals` = sum_i w_i x^(m)_ik; `weight`: w, or NULL for weights of 1. */
void ldp_modes_total(const ldp_modes *modes, int m, const double *weight, double *totals);

/* out = prod_m totals^(m), over all modes except `skip` */
void ldp_modes_total_product(const ldp_modes *modes, const double *totals, int skip, double *out);

/* out = the sum of the products over modes 1 .. M-1, over the observed cells of row d; `total`: the
 * same sum over all its cells. `products`: LDP_FEW lines, `work`: K doubles. */
void ldp_modes_observed_row(const ldp_modes *modes, const ldp_cells *cells, int d,
                            const double *total, double *products, double *work, double *out);

/* Adds the listed cells of row d to the sums of mode m >= 1. For each index j of mode m: active_j
 * += extra_d x^(0)_d times the sum of products over all modes except 0 and m, over the active
 * cells with this index; missing_j += the same with rest_d, over the missing cells. `work`: K
 * doubles. */
void ldp_modes_listed(const ldp_modes *modes, int m, const ldp_cells *cells, int d, double rest,
                      double extra, double *products, double *work, double *active,
                      double *missing);

/* out = total - missing; returns whether the difference has lost too many digits, which happens if
 * nearly all of the total is missing. */
int ldp_modes_subtract(int K, const double *total, const double *missing, double *out);

/* out += rest x^(0)_d times the sum of products over all modes except 0 and m >= 1, over the
 * observed cells of row d with index j in mode m. It visits all these cells. `work`: K doubles. */
void ldp_modes_add_up(const ldp_modes *modes, const ldp_cells *cells, double rest, int m, int j,
                      int d, double *products, double *work, double *out);

/* exposure = the sum of rest_d x^(0)_d times these products over the observed cells with index j in
 * mode m >= 1; `total`: the same sum over all cells with this index; `missing`: over the missing
 * ones. `work`: K doubles. */
void ldp_modes_observed(const ldp_modes *modes, const ldp_cells *cells, const double *rest, int m,
                        int j, const double *total, const double *missing, double *products,
                        double *work, double *exposure);

#endif
