#include <limits.h>
#include <math.h>

#include <R_ext/Utils.h>

#include "rc.h"

/* All zero. */
static ldp_nbinom1_row *new_rows(int n) {
    ldp_nbinom1_row *const rows = rc_room((size_t)n, sizeof *rows);
    for (int d = 0; d < n; d++)
        rows[d] = (ldp_nbinom1_row){0};
    return rows;
}

/* Room for every active cell; the operating system provides only the memory that is used, which is
 * much less. */
static ldp_nbinom1_cell *new_cells(size_t n) {
    return rc_room(n + 1, sizeof(ldp_nbinom1_cell));
}

/* --- parameters ------------------------------------------------------------------------------- */

/* Numbers the noise levels of rows; `alpha` has room for one per row. Returns how many differ. */
static int number_levels(const ldp_cells *cells, int *level, double *alpha) {
    int n = 0;
    int *const row = rc_room((size_t)cells->D + 1, sizeof *row);
    double *const sorted = rc_doubles((size_t)cells->D + 1);
    for (int d = 0; d < cells->D; d++) {
        row[d] = d;
        sorted[d] = cells->alpha[d];
    }
    rsort_with_index(sorted, row, cells->D);
    for (int i = 0; i < cells->D; i++) {
        if (i == 0 || sorted[i] > sorted[i - 1])
            alpha[n++] = sorted[i];
        level[row[i]] = n - 1;
    }
    return n;
}

static ldp_columns new_columns(const ldp_cells *cells, int n) {
    int *const level = rc_room((size_t)cells->D + 1, sizeof *level);
    double *const alpha = rc_doubles((size_t)cells->D + 1);
    rc_require(n > 0 && cells->V % n == 0 && !cells->code, "excess");
    return (ldp_columns){.n = n,
                         .n_levels = number_levels(cells, level, alpha),
                         .stride = cells->V / n,
                         .level = level,
                         .alpha = alpha};
}

int rc_n_levels(const ldp_cells *cells, SEXP factors) {
    if (Rf_isNull(rc_element_or_null(factors, "pool")))
        return 0;
    return new_columns(cells, 1).n_levels;
}

rc_parameters rc_decode_parameters(const ldp_cells *cells, SEXP factors, SEXP noise_state) {
    const SEXP excess = rc_element_or_null(factors, "excess");
    const size_t n = cells->active.start[cells->D];
    const SEXP pool = rc_element_or_null(factors, "pool");
    /* the rows of an empty shard have none */
    rc_parameters parameters = {.by_row = !Rf_isNull(excess) && Rf_isNull(pool) &&
                                          Rf_xlength(excess) != 1};
    if (!Rf_isNull(pool)) {
        parameters.pool = rc_numbers(pool, 2, RC_POSITIVE, "pool");
        parameters.columns = new_columns(cells, (int)Rf_xlength(excess));
    }
    if (!Rf_isNull(excess))
        parameters.excess = rc_numbers(excess,
                                       parameters.pool     ? (size_t)parameters.columns.n
                                       : parameters.by_row ? (size_t)cells->D
                                                           : 1,
                                       RC_POSITIVE, "excess");
    else if (!Rf_isNull(noise_state))
        parameters.bessel = (ldp_bessel_state){
            rc_numbers(rc_element(noise_state, "g1"), n, RC_NOT_NEGATIVE, "noise"),
            rc_numbers(rc_element(noise_state, "g2"), n, RC_NOT_NEGATIVE, "noise")};
    return parameters;
}

/* For each row, the number of counts that may be above 1 in the rows before it. */
static const size_t *places_before(const ldp_cells *cells) {
    if (!cells->code)
        return cells->active.start;
    size_t *const places = rc_room((size_t)cells->D + 1, sizeof *places);
    for (int d = 0; d <= cells->D; d++)
        places[d] = (size_t)d * (size_t)cells->V;
    return places;
}

/* The exposures and the parameters belong to a chain, and the state of its draws to a thread. */
static ldp_nbinom1_state new_nbinom1(const ldp_cells *cells, SEXP dispersion) {
    const size_t D = (size_t)cells->D;
    ldp_nbinom1_state state = {.D = cells->D,
                               .first = places_before(cells),
                               .active = cells->active,
                               .missing = cells->missing,
                               .cells = cells->protection ? cells : NULL};
    if (!Rf_isNull(dispersion)) {
        state.shape1 = rc_number(rc_element(dispersion, "shape1"), RC_POSITIVE, "prior");
        state.shape2 = rc_number(rc_element(dispersion, "shape2"), RC_POSITIVE, "prior");
        state.rows = new_rows(cells->D);
        state.above = new_cells(state.first[D]);
        state.answers = rc_doubles(LDP_ANSWERS * (size_t)ldp_parts(cells->D_all));
    }
    return state;
}

/* --- columns with dispersions of their own ---------------------------------------------------- */

/* Counts the active cells of each column, and finds the largest release of each place that may need
 * a bound. */
static void survey_cells(const ldp_cells *cells, const ldp_columns *at, size_t *n_active,
                         int *bounds) {
    for (int v = 0; v < at->n; v++)
        n_active[v] = 0;
    for (size_t place = 0; place < (size_t)at->n * (size_t)at->n_levels; place++)
        bounds[place] = 1;
    for (int d = 0; d < cells->D; d++) {
        for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++) {
            int *const bound = &bounds[ldp_columns_place(at, d, cells->active.index[e])];
            n_active[ldp_columns_of(at, cells->active.index[e])]++;
            if (cells->y_tilde[e] > *bound)
                *bound = (int)fmin(cells->y_tilde[e], LDP_RTRUENBINOM_BOUNDS);
        }
    }
}

/* Batches have at least this many cells, and a sixteenth of all: the more, the fewer visits. */
static const size_t CELLS_OF_BATCH = 1 << 15;

/* The most cells of a batch, which has room for each column. */
static size_t choose_most(const ldp_cells *cells, const ldp_columns *at, const size_t *n_active) {
    const size_t n_cells = cells->active.start[cells->D];
    size_t most = n_cells / 16 > CELLS_OF_BATCH ? n_cells / 16 : CELLS_OF_BATCH;
    for (int v = 0; v < at->n; v++)
        most = n_active[v] > most ? n_active[v] : most;
    return most < n_cells ? most : n_cells;
}

/* Room for the cells of some columns, at n places in all; `list`: room for three numbers a cell. */
static ldp_batch new_batch(const ldp_cells *cells, const size_t *n_active, size_t n, size_t most,
                           double *list) {
    const size_t D = (size_t)cells->D;
    return (ldp_batch){.cells = cells,
                       .n_active = n_active,
                       .most = most,
                       .density = rc_doubles(n),
                       .next = rc_room(D + 1, sizeof(size_t)),
                       .first = rc_room(D + 1, sizeof(size_t)),
                       .begin = rc_room(n + 1, sizeof(size_t)),
                       .y_tilde = list,
                       .mean = list + most,
                       .place = (size_t *)(void *)(list + 2 * most)};
}

/* What is needed to move the dispersions. A batch of cells whose density is computed and one that
 * is sorted for moves share their memory, because the one ends before the other begins. */
static void furnish_moves(const ldp_cells *cells, const ldp_columns *at, const size_t *n_active,
                          size_t n, ldp_nbinom1_columns *columns) {
    double *const alpha = rc_doubles(n);
    for (size_t line = 0; line < n; line++)
        alpha[line] = at->alpha[line % (size_t)at->n_levels];
    columns->alpha = alpha;
    columns->rows = new_rows((int)n);
    columns->grain = rc_doubles(n);
    const size_t most = choose_most(cells, at, n_active);
    columns->above = new_cells(most);
    columns->batch = new_batch(cells, n_active, n, most, (double *)(void *)columns->above);
}

static ldp_nbinom1_columns *new_columns_of_threads(const ldp_cells *cells, const ldp_columns *at,
                                                   const ldp_nbinom1_state *state, int n_threads) {
    const size_t n = (size_t)at->n * (size_t)at->n_levels;
    ldp_nbinom1_columns shared = {.mean1 = state->shape1, .mean2 = state->shape2};
    ldp_nbinom1_columns *const columns = rc_room((size_t)n_threads, sizeof *columns);
    rc_require(n < INT_MAX, "alpha");
    size_t *const n_active = rc_room((size_t)at->n, sizeof *n_active);
    int *const n_bounds = rc_room(n, sizeof *n_bounds);
    survey_cells(cells, at, n_active, n_bounds);
    shared.n_bounds = n_bounds;
    if (state->rows)
        furnish_moves(cells, at, n_active, n, &shared);
    for (int t = 0; t < n_threads; t++) {
        columns[t] = shared;
        columns[t].sums = rc_room(n, sizeof *columns[t].sums);
        for (size_t place = 0; place < n; place++)
            columns[t].sums[place] = (ldp_nbinom1_sums){0};
    }
    return columns;
}

/* One distribution per place, with its two lists of bounds close together. */
static ldp_rtruenbinom_law *new_laws(const int *n_bounds, size_t n) {
    ldp_rtruenbinom_law *const law = rc_room(n, sizeof *law);
    size_t n_all = 0;
    for (size_t place = 0; place < n; place++)
        n_all += (size_t)n_bounds[place];
    double *bound = rc_doubles(2 * n_all);
    for (size_t place = 0; place < n; place++) {
        law[place] = (ldp_rtruenbinom_law){.bound = bound, .lower = bound + n_bounds[place]};
        bound += 2 * n_bounds[place];
    }
    return law;
}

/* The columns of all threads in a chain. */
static void set_columns(const rc_family *family, const rc_parameters *parameters,
                        ldp_nbinom1_state *state) {
    const size_t n = (size_t)parameters->columns.n * (size_t)parameters->columns.n_levels;
    ldp_nbinom1_columns *const columns = rc_room((size_t)family->n_threads, sizeof *columns);
    ldp_rtruenbinom_law *const law = new_laws(family->columns->n_bounds, n);
    ldp_nbinom1_gate *const gate = rc_room(n, sizeof *gate);
    ldp_columns at = parameters->columns;
    at.rest = rc_doubles(n);
    at.extra = rc_doubles(n);
    at.total = rc_doubles(n);
    for (int t = 0; t < family->n_threads; t++) {
        columns[t] = family->columns[t];
        columns[t].at = at;
        columns[t].shapes = parameters->pool;
        columns[t].law = law;
        columns[t].gate = gate;
        columns[t].batch.columns = &columns[t].at;
        columns[t].batch.excess = parameters->excess;
        state[t].columns = &columns[t];
    }
}

/* --- families --------------------------------------------------------------------------------- */

rc_family rc_new_family(const ldp_cells *cells, rc_parameters like, SEXP dispersion,
                        int n_threads) {
    rc_family family = {.n_threads = n_threads};
    if (!like.excess)
        return family;
    family.nbinom1 = new_nbinom1(cells, dispersion);
    if (like.pool)
        family.columns = new_columns_of_threads(cells, &like.columns, &family.nbinom1, n_threads);
    family.law = rc_room((size_t)n_threads, sizeof *family.law);
    for (int t = 0; t < n_threads; t++)
        family.law[t] = (ldp_rtruenbinom_law){.bound = rc_doubles(LDP_RTRUENBINOM_BOUNDS),
                                              .lower = rc_doubles(LDP_RTRUENBINOM_BOUNDS)};
    return family;
}

/* Threads share the exposures, and each has its own state. */
static void set_nbinom1(ldp_noise *noise, const rc_family *family, const ldp_cells *cells,
                        const rc_parameters *parameters, double *rest, double *extra) {
    const size_t D = (size_t)cells->D;
    ldp_nbinom1_state *const state = rc_room((size_t)family->n_threads, sizeof *state);
    for (int t = 0; t < family->n_threads; t++) {
        state[t] = family->nbinom1;
        state[t].excess = parameters->excess;
        state[t].by_row = parameters->by_row;
        state[t].rest = rest;
        state[t].extra = extra;
        state[t].law = family->law[t];
    }
    if (parameters->pool)
        set_columns(family, parameters, state);
    noise[0] = cells->code ? ldp_noise_nbinom1_tokens(cells->alpha, state, family->n_threads,
                                                      rc_doubles(D), rc_doubles(D))
                           : ldp_noise_nbinom1(cells->alpha, state, family->n_threads);
    /* all read the columns and the batch of the first thread */
    for (int t = 1; t < family->n_threads; t++) {
        noise[t] = noise[0];
        noise[t].state = noise[t].reader.state = &state[t];
    }
}

ldp_noise *rc_new_noise(const rc_family *family, const ldp_cells *cells,
                        rc_parameters *parameters) {
    const int D = cells->D;
    double *const rest = rc_doubles((size_t)D), *const extra = rc_doubles((size_t)D);
    ldp_noise *const noise = rc_room((size_t)family->n_threads, sizeof *noise);
    rc_require(!cells->code || !parameters->bessel.g1, "code");
    if (parameters->excess) {
        set_nbinom1(noise, family, cells, parameters, rest, extra);
        return noise;
    }
    if (cells->protection)
        noise[0] = ldp_noise_protected(D, cells, rest, extra);
    else if (cells->code)
        noise[0] = ldp_noise_tokens(D, cells->alpha, rest, rc_doubles((size_t)D), extra);
    else if (parameters->bessel.g1)
        noise[0] = ldp_noise_bessel(D, &parameters->bessel, rest, extra);
    else
        noise[0] = ldp_noise_collapsed(D, cells->alpha, rest, extra);
    for (int t = 1; t < family->n_threads; t++)
        noise[t] = noise[0];
    return noise;
}
