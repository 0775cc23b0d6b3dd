/* The cells of a row that a visitor wants, a few at a time: those that it names, or all active
 * ones. */
#ifndef LDP_WANTED_H
#define LDP_WANTED_H

#include "ldp_cells.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

typedef struct ldp_wanted {
    size_t first; /* the number of the first of them: see ldp_visitor */
    int n;
    const int *column;
    const double *y_tilde; /* NULL if the visitor names the cells */
    int from; /* where to look for the next ones, if releases are bytes */
    int columns[LDP_FEW];
    double releases[LDP_FEW];
} ldp_wanted;

/* Before the first cells of row d. */
void ldp_wanted_begin(ldp_wanted *wanted, const ldp_cells *cells, const ldp_visitor *visitor,
                      int d);

/* The next ones; returns their number. */
int ldp_wanted_next(ldp_wanted *wanted, const ldp_cells *cells, const ldp_visitor *visitor, int d);

#endif
