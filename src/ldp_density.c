#include "ldp_density.h"
#include "ldp_team.h"

static void add_cells(void *state, int row, size_t first, int n, const double *y_tilde,
                      const double *mean) {
    ldp_density *const density = state;
    const ldp_noise *const noise = density->noise;
    density->sum += noise->log_density(noise->state, density->quick, row, first, n, y_tilde,
                                       density->cells->alpha[row], mean);
}

static void add_rest(void *state, int row, double sum) {
    ldp_density *const density = state;
    density->sum -= density->noise->density_rest[row] * sum;
}

ldp_visitor ldp_density_reader(ldp_density *density) {
    return (ldp_visitor){.cells = add_cells, .rest = add_rest, .state = density};
}

/* --- columns with dispersions of their own ---------------------------------------------------- */

/* The column of active cell e, or LDP_NO_COLUMN if e is behind the last cell of the row. */
static int column_of(const ldp_batch *batch, int row, size_t e) {
    const ldp_lists *const active = &batch->cells->active;
    return e < active->start[row + 1] ? ldp_columns_of(batch->columns, active->index[e])
                                      : LDP_NO_COLUMN;
}

static int is_in_batch(const ldp_batch *batch, int column) {
    return batch->from <= column && column < batch->to;
}

/* The number of the place of a cell among those of the batch: by columns, and by levels within. */
static size_t place_in_batch(const ldp_batch *batch, int row, int column) {
    const ldp_columns *const columns = batch->columns;
    return (size_t)(column - batch->from) * (size_t)columns->n_levels + (size_t)columns->level[row];
}

static void choose_columns(ldp_batch *batch, int from) {
    size_t n = 0;
    batch->from = batch->to = from;
    while (batch->to < batch->columns->n && batch->n_active[batch->to] <= batch->most - n)
        n += batch->n_active[batch->to++];
}

/* Counts the cells of each place. */
static void count_cells(ldp_batch *batch, size_t n_places) {
    size_t n = 0;
    for (size_t place = 0; place <= n_places; place++)
        batch->begin[place] = 0;
    for (int d = 0; d < batch->cells->D; d++) {
        size_t e = batch->from > 0 ? batch->next[d] : batch->cells->active.start[d];
        while (column_of(batch, d, e) != LDP_NO_COLUMN && column_of(batch, d, e) < batch->from)
            e++;
        batch->next[d] = e;
        batch->first[d] = n;
        for (; is_in_batch(batch, column_of(batch, d, e)); e++, n++)
            batch->begin[place_in_batch(batch, d, column_of(batch, d, e))]++;
    }
    ldp_lists_offsets(n_places, batch->begin);
}

int ldp_batch_begin(ldp_batch *batch, int from) {
    choose_columns(batch, from);
    const size_t n_places = (size_t)(batch->to - from) * (size_t)batch->columns->n_levels;
    size_t n = 0;
    count_cells(batch, n_places);
    for (int d = 0; d < batch->cells->D; d++) {
        for (size_t e = batch->next[d]; is_in_batch(batch, column_of(batch, d, e)); e++) {
            const size_t at = batch->begin[place_in_batch(batch, d, column_of(batch, d, e))]++;
            batch->place[n++] = at;
            batch->y_tilde[at] = batch->cells->y_tilde[e];
        }
    }
    for (size_t place = n_places; place > 0; place--) /* where they ended is where the next begin */
        batch->begin[place] = batch->begin[place - 1];
    batch->begin[0] = 0;
    return batch->to;
}

/* The visitor is asked for the index of a cell in the lists of cells. */
static int index_in_batch(const void *state, int row, size_t first) {
    const ldp_batch *const batch = state;
    const size_t e = batch->next[row] + first;
    return is_in_batch(batch, column_of(batch, row, e)) ? batch->cells->active.index[e]
                                                        : LDP_NO_COLUMN;
}

static void set_means(void *state, int row, size_t first, int n, const double *y_tilde,
                      const double *mean) {
    const ldp_batch *const batch = state;
    (void)y_tilde;
    for (int e = 0; e < n; e++)
        batch->mean[batch->place[batch->first[row] + first + (size_t)e]] = mean[e];
}

ldp_visitor ldp_batch_reader(ldp_batch *batch) {
    return (ldp_visitor){.cells = set_means, .state = batch, .column = index_in_batch};
}

typedef struct batch_job {
    const ldp_batch *batch;
    ldp_quick *quick;
} batch_job;

/* The log density of the cells from .. to-1, which are at one place. */
static double density_of_place(const ldp_batch *batch, ldp_quick *quick, size_t from, size_t to) {
    double sum = 0;
    for (size_t e = from; e < to; e += LDP_FEW) {
        const int n = to - e < LDP_FEW ? (int)(to - e) : LDP_FEW;
        sum += ldp_quick_log_density(quick, n, batch->y_tilde + e, batch->mean + e);
    }
    return sum;
}

static void add_places(void *state, int part, int thread) {
    const batch_job *const j = state;
    const ldp_batch *const batch = j->batch;
    const ldp_columns *const columns = batch->columns;
    ldp_quick *const quick = &j->quick[thread];
    const int from = batch->from + part * LDP_PART, to = ldp_part_end(from, batch->to);
    const size_t *begin = batch->begin + (size_t)(from - batch->from) * (size_t)columns->n_levels;
    for (int column = from; column < to; column++) {
        for (int level = 0; level < columns->n_levels; level++, begin++) {
            const size_t place = (size_t)level * (size_t)columns->n + (size_t)column;
            ldp_quick_prepare(quick, batch->excess[column], columns->alpha[level]);
            batch->density[place] = density_of_place(batch, quick, begin[0], begin[1]);
        }
    }
}

void ldp_batch_end(ldp_batch *batch, ldp_quick *quick, int n_threads) {
    batch_job job = {batch, quick};
    ldp_team_run(n_threads, ldp_parts(batch->to - batch->from), add_places, &job);
}
