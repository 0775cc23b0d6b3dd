/* Products of weights over the modes of a tensor, mu_{i0..iM-1} = sum_k prod_m x^(m)_{im k}, and
 * sums of these over its cells. The weights are a sampler's, or means of their distributions.
 *
 * The cells are those of the tensor as a table: rows are mode 0, and the others are column
 * i_1 + n_1 (i_2 + n_2 (i_3 + ...)), as in R's arrays. The exposure of a cell is rest_d where it is
 * observed, rest_d + excess_d where it is active, 0 where missing, as in ldp_margin.h. */
#ifndef LDP_MODES_H
#define LDP_MODES_H

#include "ldp_cells.h"
#include "ldp_noise.h"

/* So many modes at most. */
enum { LDP_MODES = 12 };

/* M modes, 2 to LDP_MODES, of n indices each. The K weights of an index stand side by side: x_ik =
 * weights[i K + k]. */
typedef struct ldp_modes {
    int K, M;
    int n[LDP_MODES];
    const double *weights[LDP_MODES];
} ldp_modes;

/* A few cells of one row of the table: for each mode but the first, the index of each cell. */
typedef struct ldp_modes_few {
    int n;
    int index[LDP_MODES][LDP_FEW];
} ldp_modes_few;

/* n <= LDP_FEW cells by their columns. */
void ldp_modes_decode(const ldp_modes *modes, const int *column, int n, ldp_modes_few *cells);

/* The same, for those of a list from place `first` on, to `end` at most. */
void ldp_modes_next(const ldp_modes *modes, const int *columns, size_t first, size_t end,
                    ldp_modes_few *cells);

enum { LDP_NO_MODE = -1 };

/* products_ek = x_k (NULL: 1) times the weights of cell e in all modes but the first and `skip` */
void ldp_modes_products(const ldp_modes *modes, const double *x, const ldp_modes_few *cells,
                        int skip, double *products);

/* The rows that stand for a few cells against those of mode 0: of two modes the second itself, of
 * more their products (LDP_FEW lines). Returns them; `index`: which row is whose. */
const double *ldp_modes_rows(const ldp_modes *modes, const ldp_modes_few *cells, double *products,
                             int *index);

/* Line m of `totals`: sum_i w_i x^(m)_ik, with weights or 1 each (NULL). */
void ldp_modes_total(const ldp_modes *modes, int m, const double *weight, double *totals);

/* out = prod_m totals^(m), over all modes but one */
void ldp_modes_total_product(const ldp_modes *modes, const double *totals, int skip, double *out);

/* out = the sum over the observed cells of row d of the products over modes 1 .. M-1; `total`: over
 * all its cells. `products`: LDP_FEW lines, `work`: K doubles. */
void ldp_modes_observed_row(const ldp_modes *modes, const ldp_cells *cells, int d,
                            const double *total, double *products, double *work, double *out);

/* What row d lists, for mode m, from 1 on: where the index in mode m is j, active_j += excess_d
 * x^(0)_d times the products over the modes but 0 and m, over the active cells, and missing_j with
 * rest_d over the missing ones. `work`: K doubles. */
void ldp_modes_listed(const ldp_modes *modes, int m, const ldp_cells *cells, int d, double rest,
                      double excess, double *products, double *work, double *active,
                      double *missing);

/* exposure = sum of rest_d x^(0)_d times these products over the observed cells of index j in mode
 * m, from 1 on; `total`: over all its cells, `missing`: over those that are. `work`: K doubles. */
void ldp_modes_observed(const ldp_modes *modes, const ldp_cells *cells, const double *rest, int m,
                        int j, const double *total, const double *missing, double *products,
                        double *work, double *exposure);

#endif
