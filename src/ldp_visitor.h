/* A visitor: functions that a model calls with its means. It calls `cells` with the means of a few
 * active cells at a time, row by row, in the order of the cells; then, once per row, it passes the
 * sum of the means of the observed cells that were not among these, which takes no time per cell.
 * Several threads may do this at the same time, for different rows. */
#ifndef LDP_VISITOR_H
#define LDP_VISITOR_H

#include <stddef.h>

enum { LDP_NO_COLUMN = -1 };

typedef struct ldp_visitor {
    /* releases and means of the active cells first .. first + n - 1, all of one row */
    void (*cells)(void *state, int row, size_t first, int n, const double *y_tilde,
                  const double *mean);
    void (*rest)(void *state, int row, double sum); /* or NULL */
    void *state;
    /* NULL, or told the means of missing cells, before the active cells of the row */
    void (*missing)(void *state, int row, size_t first, int n, const double *mean);
    /* NULL, or the only cells that are wanted, one by one (n = 1, y_tilde = NULL): the column of
     * the one that is number `first` in this row, or LDP_NO_COLUMN after the last. */
    int (*column)(const void *state, int row, size_t first);
} ldp_visitor;

/* Calls `cells`; returns what is left of the sum of the means of the row. */
static inline double ldp_visitor_show(ldp_visitor visitor, int row, size_t first, int n,
                                      const double *y_tilde, const double *mean, double sum) {
    visitor.cells(visitor.state, row, first, n, y_tilde, mean);
    for (int i = 0; i < n; i++)
        sum -= mean[i];
    return sum;
}

static inline void ldp_visitor_end(ldp_visitor visitor, int row, double sum) {
    if (visitor.rest)
        visitor.rest(visitor.state, row, sum > 0 ? sum : 0);
}

#endif
