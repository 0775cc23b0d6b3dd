/* Who reads the means of a model. A model shows those of its active cells a few at a time, row by
 * row, in the order of the cells; then, once a row, the sum of the means of its observed cells that
 * are not active, which costs nothing a cell. */
#ifndef LDP_VISITOR_H
#define LDP_VISITOR_H

#include <stddef.h>

typedef struct ldp_visitor {
    /* means of the active cells first .. first + n - 1, all of one row */
    void (*cells)(void *state, int row, size_t first, int n, const double *mean);
    void (*rest)(void *state, int row, double sum);
    void *state;
} ldp_visitor;

#endif
