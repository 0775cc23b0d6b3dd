/* The log density of a release given the means of a model, with the true counts summed out. */
#ifndef LDP_DENSITY_H
#define LDP_DENSITY_H

#include "ldp_cells.h"
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

#endif
