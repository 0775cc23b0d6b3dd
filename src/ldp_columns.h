/* Exposures that depend on the column of a cell, and on the noise level of its row.
 *
 * For each noise level the factor of the columns is multiplied once: by the exposure of observed
 * cells, and by the extra exposure of active ones. With these copies in place of the factor, the
 * sums over cells that a model computes anyway become exposures. */
#ifndef LDP_COLUMNS_H
#define LDP_COLUMNS_H

#include <stddef.h>

typedef struct ldp_columns {
    int n, n_levels; /* columns (of a tensor, indices of its last mode); distinct noise levels */
    int stride; /* the cell with index i in the lists of cells is in column i / stride */
    const int *level; /* of each row */
    const double *alpha; /* of each level */
    /* n numbers for each level: the exposure of an observed cell that is not active; that of an
     * active one minus the former, 0 in levels without noise; and, set by a model before its means
     * are visited, the sum of the means of all cells, active or not, observed or not. */
    double *rest, *extra, *total;
} ldp_columns;

/* The column of a cell with this index; a division takes as long as many other steps. */
static inline int ldp_columns_of(const ldp_columns *columns, int index) {
    return columns->stride > 1 ? index / columns->stride : index;
}

/* The place of a cell in these arrays. */
static inline size_t ldp_columns_place(const ldp_columns *columns, int row, int index) {
    return (size_t)columns->level[row] * (size_t)columns->n +
           (size_t)ldp_columns_of(columns, index);
}

/* Do active cells of rows of this level have an extra exposure? */
static inline int ldp_columns_noisy(const ldp_columns *columns, int level) {
    return columns->extra[(size_t)level * (size_t)columns->n] > 0;
}

/* The exposures of observed cells in rows of this level, one per column. */
static inline const double *ldp_columns_rest(const ldp_columns *columns, int level) {
    return columns->rest + (size_t)level * (size_t)columns->n;
}

/* What the factor is multiplied by for active cells: the extra exposure, unless there is none. */
static inline double ldp_columns_scale(const ldp_columns *columns, size_t place) {
    return columns->extra[place] > 0 ? columns->extra[place] : 1;
}

/* Copies of lines from .. to-1 of the factor, which has n lines of K weights: those of level l
 * begin at line l n. `rest`, unless NULL, is for observed cells, `active` for active ones. */
void ldp_columns_copy(const ldp_columns *columns, int K, const double *factor, int from, int to,
                      double *rest, double *active);

#endif
