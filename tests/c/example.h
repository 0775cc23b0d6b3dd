/* Cells for tests, made by the kernels of ldp_cells.c in blocks of exactly the right size. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "check.h"
#include "ldp_cells.h"

typedef struct example {
    size_t *active_start, *missing_start, *active_t_start, *missing_t_start;
    int *active_col, *missing_col, *active_t_row, *missing_t_row;
    double *y_tilde;
    ldp_cells cells;
} example;

static inline size_t *new_offsets(int n) {
    return check_alloc((size_t)n + 1, sizeof(size_t));
}

static inline void turn_around(int n, ldp_lists lists, int m, size_t **start, int **index) {
    size_t *const work = check_alloc((size_t)m, sizeof *work);
    *start = new_offsets(m);
    *index = check_alloc(lists.start[n], sizeof **index);
    ldp_lists_transpose((size_t)n, lists, (size_t)m, *start, *index, work);
    free(work);
}

/* `alpha`: one per row, or NULL where a test does not need it. */
static inline example example_new(const ldp_source *source, const double *alpha) {
    const int D = source->D, V = source->V;
    example x;
    x.active_start = new_offsets(D);
    x.missing_start = new_offsets(D);
    ldp_cells_count(source, x.active_start, x.missing_start);
    ldp_lists_offsets((size_t)D, x.active_start);
    ldp_lists_offsets((size_t)D, x.missing_start);
    x.active_col = check_alloc(x.active_start[D], sizeof(int));
    x.missing_col = check_alloc(x.missing_start[D], sizeof(int));
    x.y_tilde = new_doubles(x.active_start[D]);
    size_t *const work = check_alloc(2 * (size_t)D, sizeof *work);
    ldp_cells_fill(source, x.active_start, x.active_col, x.y_tilde, x.missing_start, x.missing_col,
                   work);
    free(work);
    const ldp_lists active = {x.active_start, x.active_col};
    const ldp_lists missing = {x.missing_start, x.missing_col};
    turn_around(D, active, V, &x.active_t_start, &x.active_t_row);
    turn_around(D, missing, V, &x.missing_t_start, &x.missing_t_row);
    x.cells = (ldp_cells){D,
                          V,
                          0,
                          D,
                          active,
                          x.y_tilde,
                          {x.active_t_start, x.active_t_row},
                          missing,
                          {x.missing_t_start, x.missing_t_row},
                          alpha,
                          0,
                          NULL};
    return x;
}

static inline void example_free(example *x) {
    free(x->active_start);
    free(x->missing_start);
    free(x->active_t_start);
    free(x->missing_t_start);
    free(x->active_col);
    free(x->missing_col);
    free(x->active_t_row);
    free(x->missing_t_row);
    free(x->y_tilde);
}

/* Do the lists hold cell (i, j)? */
static inline int example_holds(ldp_lists lists, int i, int j) {
    for (size_t e = lists.start[i]; e < lists.start[i + 1]; e++)
        if (lists.index[e] == j)
            return 1;
    return 0;
}

/* e_ij, from the definition: 0 for a missing cell, rest + extra for an active one. */
static inline double example_exposure(const ldp_cells *cells, const double *rest,
                                      const double *extra, int i, int j) {
    if (example_holds(cells->missing, i, j))
        return 0;
    return rest[i] + (example_holds(cells->active, i, j) ? extra[i] : 0);
}

#endif
