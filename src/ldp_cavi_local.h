/* The local step of variational inference: the seam between a model and the distribution of its
 * counts and their noise, as ldp_noise.h is for samplers.
 *
 * A model knows E and G of its factors. Of an active cell with r = sum_k G[theta_k] G[phi_k] it
 * asks the weight w with E[y_k] = w G[theta_k] G[phi_k], and what the cell adds to the bound; and
 * the exposures of cells, as a sampler does. */
#ifndef LDP_CAVI_LOCAL_H
#define LDP_CAVI_LOCAL_H

#include <stddef.h>

#include "ldp_cells.h"
#include "ldp_small.h"

/* Computes means and variances of mu at n cells of a row, where `wants_moments` (below) is set. */
typedef struct ldp_cavi_moments {
    void (*at)(const void *state, int row, const int *columns, int n, double *mean,
               double *variance);
    const void *state;
} ldp_cavi_moments;

typedef struct ldp_cavi_local {
    const double *exposure_rest, *exposure_excess; /* as in ldp_noise */
    /* n <= LDP_FEW active cells of a row, from `first` on: x holds r, and afterwards w. Returns
     * their part of the bound without the exposures; of a cell at or below zero without the
     * constant that is left out of every such cell. */
    double (*weigh)(void *state, int row, size_t first, int n, const double *y_tilde, double alpha,
                    const double *mean, const double *variance, double *x);
    int wants_moments; /* does `weigh` read `mean` and `variance`, those of mu? */
    /* Where the family has a distribution of its own parameters (else NULL): what a row has come
     * to, the sums of E[mu] over its active and its other observed cells; the update, given all
     * rows; and the divergence of that distribution from its prior. */
    void (*row)(void *state, int row, double active, double rest);
    void (*update)(void *state, const ldp_cells *cells);
    double (*divergence)(const void *state);
    void *state;
    void (*pause)(
        void); /* called before every `weigh`; may end the iteration by a long jump; or NULL */
} ldp_cavi_local;

/* Collapsed scheme of Poisson counts. `rest` and `excess`: D places each; `small`: zero at first.
 */
ldp_cavi_local ldp_cavi_collapsed(int D, const double *alpha, double *rest, double *excess,
                                  ldp_small *small);

/* A Poisson count known without noise: x holds r, and afterwards w; returns its part of the bound.
 */
double ldp_cavi_known(double count, double *x);

/* One row of a model: its input to the local step and where results are added, K numbers each. */
typedef struct ldp_cavi_row {
    int K, row;
    const double *left, *geo; /* r = left . (line v of geo) */
    const double *mean; /* E of the columns, a line each */
    const double *right; /* what the columns receive, w times */
    double *gathered; /* += w (line v of geo) */
    double *active; /* += line v of mean */
    double *scattered; /* line v: += w right */
    ldp_cavi_moments moments;
} ldp_cavi_row;

/* n <= LDP_FEW active cells of a row, from `first` on; `index`: the line of `geo`, `mean` and
 * `scattered` that is each cell's. Returns their part of the bound, as `weigh`. */
double ldp_cavi_few(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row row,
                    size_t first, int n, const int *index);

/* All active cells of a row; the line of a cell is its column. */
double ldp_cavi_walk(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row row);

/* Calls `row` of the family. The means of the row are `mean` . (lines of the columns); `observed`
 * and `active` are the sums of these lines over observed and over active cells. Returns minus the
 * sum of exposure times E[mu]. */
double ldp_cavi_exposed(const ldp_cavi_local *local, int K, int row, const double *mean,
                        const double *observed, const double *active);

#endif
