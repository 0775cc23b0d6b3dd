/* The log density of a release given the means of a model, with the true counts summed out. */
#ifndef LDP_DENSITY_H
#define LDP_DENSITY_H

#include "ldp_cells.h"
#include "ldp_columns.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

/* A visitor that adds up log P(y_tilde) over the observed cells. For cells at or below zero, the
 * terms that do not depend on the factors are left out. `sum` must be 0 at first. */
typedef struct ldp_density {
    const ldp_noise *noise;
    const ldp_cells *cells;
    double sum;
    ldp_quick *quick;
} ldp_density;

ldp_visitor ldp_density_reader(ldp_density *density);

/* If each column has its own dispersion: the active cells of some columns, in the order of their
 * places (ldp_columns_place), because a series is prepared for each place. The means of these
 * columns alone are visited, then those of the next ones, so that memory per cell of the table is
 * not needed. */
typedef struct ldp_batch {
    const ldp_cells *cells;
    const ldp_columns *columns;
    const double *excess; /* of each column */
    const size_t *n_active; /* of each column */
    size_t most; /* the number of cells there is room for; no column has more */
    double *density; /* of the active cells of each place */
    /* provided by the caller, set by ldp_batch_begin(): */
    int from, to; /* the columns */
    size_t *next; /* of each row: its first active cell in these columns */
    size_t *first; /* of each row: how many cells are in the rows before it */
    size_t *begin; /* of each place, and one more: how many cells are in the places before it */
    size_t *place; /* of each cell in the order of rows: where it is in the order of places */
    double *y_tilde, *mean; /* in the order of places */
} ldp_batch;

/* Lists the cells of as many columns as there is room for, from column `from` on. Returns the first
 * of the next columns. */
int ldp_batch_begin(ldp_batch *batch, int from);

/* A visitor that wants the means of these cells and nothing else. */
ldp_visitor ldp_batch_reader(ldp_batch *batch);

/* Sets their log densities. `quick`: one per thread. */
void ldp_batch_end(ldp_batch *batch, ldp_quick *quick, int n_threads);

#endif
