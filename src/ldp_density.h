/* The log density of a release given the means of a model, marginal over the truth behind it. */
#ifndef LDP_DENSITY_H
#define LDP_DENSITY_H

#include "ldp_cells.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

/* Sums up what it is shown: sum over the observed cells of log P(y_tilde), of cells at or below
 * zero but for what no factor moves. `sum` is 0 at first. */
typedef struct ldp_density {
    const ldp_noise *noise;
    const ldp_cells *cells;
    double sum;
    ldp_quick *quick;
} ldp_density;

ldp_visitor ldp_density_reader(ldp_density *density);

#endif
