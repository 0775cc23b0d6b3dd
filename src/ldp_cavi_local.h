/* The local step of variational inference: the interface between a model and the distribution of
 * its counts and their noise. (For samplers this interface is ldp_noise.h.)
 *
 * A model computes the means E and the geometric means G of its factors. For an active cell with r
 * = sum_k G[theta_k] G[phi_k], the local step gives it the weight w, so that the expected count of
 * component k is E[y_k] = w G[theta_k] G[phi_k], and the contribution of the cell to the bound. It
 * also gives the exposures of cells, as for a sampler. */
#ifndef LDP_CAVI_LOCAL_H
#define LDP_CAVI_LOCAL_H

#include <stddef.h>

#include "ldp_cavi_team.h"
#include "ldp_cells.h"
#include "ldp_small.h"

/* Computes means and variances of mu in n cells of a row, if `wants_moments` (below) is set. */
typedef struct ldp_cavi_moments {
    void (*at)(const void *state, int row, const int *columns, int n, double *mean,
               double *variance);
    const void *state;
} ldp_cavi_moments;

typedef struct ldp_cavi_local {
    const double *exposure_rest, *exposure_extra; /* as in ldp_noise */
    /* For n <= LDP_FEW active cells of a row, from `first` on. On entry x holds r, on return w.
     * `group`: of the row, which determines the memory that is used (ldp_cavi_team.h). Returns the
     * contribution of these cells to the bound, without the exposures. For cells at or below zero,
     * the bound is computed up to the constant that is left out for all such cells. */
    double (*weigh)(void *state, int group, int row, size_t first, int n, const double *y_tilde,
                    double alpha, const double *mean, const double *variance, double *x);
    int wants_moments; /* does `weigh` read `mean` and `variance` of mu? */
    /* For a family whose parameters have a distribution of their own (otherwise NULL). `row` is
     * called for each row, with the sums of E[mu] over its active and over its other observed
     * cells; `update`, given all rows, updates the distribution; `divergence` is its divergence
     * from its prior. */
    void (*row)(void *state, int row, double active, double rest);
    void (*update)(void *state, const ldp_cells *cells, ldp_cavi_team team);
    double (*divergence)(const void *state);
    /* For stochastic variational inference, which repeats the local step of a row. `begin_row`
     * clears the results of the last local step of a row; `update_row` updates the distribution of
     * the parameters of a row, if each row has its own (otherwise NULL). */
    void (*begin_row)(void *state, int row);
    void (*update_row)(void *state, int row, const double *alpha); /* `alpha`: of all rows */
    void *state;
    ldp_cavi_team team;
} ldp_cavi_local;

/* Collapsed scheme of Poisson counts. `rest` and `extra`: D places each; `small`: LDP_CAVI_GROUPS
 * of them, zero at first. */
ldp_cavi_local ldp_cavi_collapsed(int D, const double *alpha, double *rest, double *extra,
                                  ldp_small *small);

/* A Poisson count without noise: on entry x holds r, on return w. Returns its part of the bound.
 */
double ldp_cavi_known(double count, double *x);

/* One row of a model: its input to the local step, and the arrays to which results are added, K
 * numbers each. */
typedef struct ldp_cavi_row {
    int K, row, group;
    const double *left, *geo; /* r = left . (line v of geo) */
    const double *mean; /* E of the columns, one line per column */
    const double *right; /* added to `scattered` with weight w */
    double *gathered; /* += w (line v of geo) */
    double *active; /* += line v of mean */
    double *scattered; /* line v: += w right */
    ldp_cavi_moments moments;
} ldp_cavi_row;

/* The local step for n <= LDP_FEW active cells of a row, from `first` on; `index`: the line of
 * `geo`, `mean` and `scattered` that belongs to each cell. Returns their part of the bound, as
 * `weigh` does. */
double ldp_cavi_few(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row row,
                    size_t first, int n, const int *index);

/* The same for all active cells of a row; the line of a cell is its column. */
double ldp_cavi_walk(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row row);

/* Calls `row` of the family. The means of the row are `mean` . (lines of the columns); `observed`
 * and `active` are the sums of these lines over observed and over active cells. Returns minus the
 * sum of exposure times E[mu]. */
double ldp_cavi_exposed(const ldp_cavi_local *local, int K, int row, const double *mean,
                        const double *observed, const double *active);

#endif
