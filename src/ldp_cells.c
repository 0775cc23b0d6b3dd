#include <limits.h>
#include <math.h>
#include <string.h>

#include "ldp_cells.h"

typedef enum { CELL_REST, CELL_ACTIVE, CELL_MISSING } cell_kind;

static double count_at(const ldp_source *s, size_t entry) {
    if (s->doubles)
        return s->doubles[entry];
    return s->ints[entry] == INT_MIN ? NAN : (double)s->ints[entry];
}

static int is_data(ldp_table table, int d, int v) {
    return table == LDP_TABLE || d < v || (table == LDP_DIRECTED && d > v);
}

static cell_kind cells_kind_of(const ldp_source *s, int d, int v, double count) {
    if (!is_data(s->table, d, v))
        return CELL_REST;
    if (isnan(count))
        return CELL_MISSING;
    return count > 0 || s->all_active ? CELL_ACTIVE : CELL_REST;
}

void ldp_cells_count(const ldp_source *s, size_t *active, size_t *missing) {
    memset(active, 0, (size_t)s->D * sizeof *active);
    memset(missing, 0, (size_t)s->D * sizeof *missing);
    for (int v = 0; v < s->V; v++) {
        const size_t end = ldp_source_begin(s, v + 1);
        for (size_t entry = ldp_source_begin(s, v); entry < end; entry++) {
            const int d = ldp_source_row(s, v, entry);
            const cell_kind kind = cells_kind_of(s, d, v, count_at(s, entry));
            active[d] += kind == CELL_ACTIVE;
            missing[d] += kind == CELL_MISSING;
        }
    }
}

/* Columns are processed in order, so that the columns of every row are ascending. `work`: 2 D
 * positions, at which the next active and the next missing cell of each row are stored. */
void ldp_cells_fill(const ldp_source *s, const size_t *active_start, int *active_col,
                    double *y_tilde, const size_t *missing_start, int *missing_col, size_t *work) {
    size_t *const next_active = work, *const next_missing = work + s->D;
    memcpy(next_active, active_start, (size_t)s->D * sizeof *work);
    memcpy(next_missing, missing_start, (size_t)s->D * sizeof *work);
    for (int v = 0; v < s->V; v++) {
        const size_t end = ldp_source_begin(s, v + 1);
        for (size_t entry = ldp_source_begin(s, v); entry < end; entry++) {
            const int d = ldp_source_row(s, v, entry);
            const double count = count_at(s, entry);
            const cell_kind kind = cells_kind_of(s, d, v, count);
            if (kind == CELL_ACTIVE) {
                active_col[next_active[d]] = v;
                y_tilde[next_active[d]++] = count;
            } else if (kind == CELL_MISSING) {
                missing_col[next_missing[d]++] = v;
            }
        }
    }
}

void ldp_lists_offsets(size_t n, size_t *counts) {
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t length = counts[i];
        counts[i] = total;
        total += length;
    }
    counts[n] = total;
}

void ldp_lists_transpose(size_t n, ldp_lists lists, size_t m, size_t *start, int *index,
                         size_t *work) {
    const size_t total = lists.start[n];
    memset(start, 0, (m + 1) * sizeof *start);
    for (size_t e = 0; e < total; e++)
        start[lists.index[e]]++;
    ldp_lists_offsets(m, start);
    memcpy(work, start, m * sizeof *work);
    for (size_t i = 0; i < n; i++)
        for (size_t e = lists.start[i]; e < lists.start[i + 1]; e++)
            index[work[lists.index[e]]++] = (int)i;
}
