/* A visitor: functions that a model calls with its means. It calls `cells` with the means of a few
 * active cells at a time, row by row, in the order of the cells; then, once per row, it passes the
 * sum of the means of the observed cells that are not active, which takes no time per cell. Several
 * threads may do this at the same time, for different rows. */
#ifndef LDP_VISITOR_H
#define LDP_VISITOR_H

#include <stddef.h>

typedef struct ldp_visitor {
    /* means of the active cells first .. first + n - 1, all of one row */
    void (*cells)(void *state, int row, size_t first, int n, const double *mean);
    void (*rest)(void *state, int row, double sum);
    void *state;
    /* NULL, or the same for missing cells: called before the active cells of the row */
    void (*missing)(void *state, int row, size_t first, int n, const double *mean);
} ldp_visitor;

#endif
