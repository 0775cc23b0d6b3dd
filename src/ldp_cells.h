/* The format of observed data, for all models.
 *
 * Cells of a D x V table are of three kinds: *active* ones carry a latent count (geometric noise:
 * those with a positive released count; other mechanisms and Bessel augmentation: all observed
 * ones), *missing* ones are masked, and the other cells are neither listed nor visited. If counts
 * are proposed by tokens (`code`), all observed cells have latent counts, and under geometric noise
 * only those are listed whose release is too large for a byte. */
#ifndef LDP_CELLS_H
#define LDP_CELLS_H

#include <stddef.h>
#include <stdint.h>

/* Line i (a row or a column) holds index[start[i]] .. index[start[i+1] - 1], ascending. */
typedef struct ldp_lists {
    const size_t *start;
    const int *index;
} ldp_lists;

typedef struct ldp_cells {
    int D, V; /* rows and columns */
    int D_before, D_all; /* of a shard: rows of the table before the first one here, and in all */
    ldp_lists active; /* columns of the active cells, by rows */
    const double *y_tilde; /* their released counts, in the same order */
    ldp_lists active_t; /* the same cells by columns, or NULL if the model does not need them */
    ldp_lists missing; /* columns of the missing cells, by rows */
    ldp_lists missing_t; /* the same by columns */
    const double *alpha; /* of each row */
    /* If all observed cells have latent counts (ldp_tokens.h): bytes that say what their releases
     * are (ldp_codes.h). Otherwise NULL. */
    const uint8_t *code;
    const struct ldp_protection
        *protection; /* any mechanism; NULL for geometric noise (ldp_noise.h) */
} ldp_cells;

/* Which cells of a table are data: all; those off the diagonal (a directed network); those above it
 * (an undirected one, whose table is symmetric). */
typedef enum ldp_table { LDP_TABLE, LDP_DIRECTED, LDP_UNDIRECTED } ldp_table;

/* Where counts come from: a matrix stored by columns, dense (row == NULL) or sparse with the
 * row of each stored entry; whole numbers in one of `ints` and `doubles`, INT_MIN or NaN
 * where missing. */
typedef struct ldp_source {
    int D, V;
    const int *col_start; /* V + 1 offsets of the columns; NULL when dense */
    const int *row;
    const int *ints;
    const double *doubles;
    int all_active; /* every observed cell is active; requires a dense source */
    ldp_table table;
} ldp_source;

/* The place of the first entry of column v, and the row of an entry of that column. */
static inline size_t ldp_source_begin(const ldp_source *s, int v) {
    return s->col_start ? (size_t)s->col_start[v] : (size_t)v * (size_t)s->D;
}
static inline int ldp_source_row(const ldp_source *s, int v, size_t entry) {
    return s->row ? s->row[entry] : (int)(entry - ldp_source_begin(s, v));
}

/* Cells are made in two steps: count the active and missing cells of each row; then, after the
 * caller has allocated memory (offsets: ldp_lists_offsets), fill the lists. */
void ldp_cells_count(const ldp_source *source, size_t *active, size_t *missing);
void ldp_cells_fill(const ldp_source *source, const size_t *active_start, int *active_col,
                    double *y_tilde, const size_t *missing_start, int *missing_col, size_t *work);

/* Turns n counts into n + 1 offsets, in place. `counts` has room for n + 1. */
void ldp_lists_offsets(size_t n, size_t *counts);

/* Transposes the lists of n lines over indices 0 .. m-1. `start` has room for m + 1, `index` for as
 * many as there are, `work` for m. */
void ldp_lists_transpose(size_t n, ldp_lists lists, size_t m, size_t *start, int *index,
                         size_t *work);

/* Length of line i. */
static inline size_t ldp_lists_length(ldp_lists lists, int i) {
    return lists.start[i + 1] - lists.start[i];
}

#endif
