/* Exposures and means of a two-way factorization, mu_dv = sum_k theta_dk phi_kv. The exposure of
 * a cell is rest_d + extra_d if it is active, rest_d if it is otherwise observed, and 0 if it is
 * missing. */
#ifndef LDP_MARGIN_H
#define LDP_MARGIN_H

#include "ldp_cells.h"
#include "ldp_exposure.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

/* observed = sum_v w_v phi_kv over the cells of row d that are not missing; `total`: over all v. */
void ldp_margin_observed(ldp_weighted phi, const ldp_cells *cells, int d, const double *total,
                         double *observed);

/* exposure = sum_v e_dv phi_kv of row d; `active`: the sum of phi_kv over its active cells. */
void ldp_margin_row(int K, const double *phi, const ldp_cells *cells, double rest, double extra,
                    int d, const double *total, const double *active, double *exposure);

/* exposure = sum_d e_dv theta_dk of column v; `rest` and `extra` are those of the rows, `total`:
 * sum_d rest_d theta_dk. The active cells are needed by columns, unless `extra` is NULL. */
void ldp_margin_column(int K, const double *theta, const ldp_cells *cells, const double *rest,
                       const double *extra, int v, const double *total, double *exposure);

/* `extra`, or NULL if it is 0 for all n rows. */
const double *ldp_margin_extra(const double *extra, int n);

/* The sum of the means of row d, x . (line v of phi), over its observed cells; `total`: the sum of
 * all lines of phi. The visitor is called for missing cells. */
double ldp_margin_sum(int K, const double *x, const double *phi, const double *total,
                      const ldp_cells *cells, int d, ldp_visitor visitor);

/* Calls the visitor with the means of the row. */
void ldp_margin_visit(int K, const double *x, const double *phi, const double *total,
                      const ldp_cells *cells, int d, ldp_visitor visitor);

#endif
