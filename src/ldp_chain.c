#include <math.h>
#include <string.h>

#include "ldp_chain.h"
#include "ldp_density.h"
#include "ldp_team.h"

static uint64_t seed_of(const ldp_chain *chain) {
    const double *const seed = chain->seeds + 2 * (size_t)chain->sweep;
    return ((uint64_t)seed[0] << 32) ^ (uint64_t)seed[1];
}

/* --- means after a sweep --------------------------------------------------------------------- */

static int chain_is_kept(const ldp_chain *chain) {
    return chain->n_kept < chain->n_keep && chain->keep[chain->n_kept] == chain->sweep + 1;
}

static int wants_density(const ldp_chain *chain) {
    return chain_is_kept(chain) || (chain->watch && chain->sweep + 1 == chain->n_sweeps);
}

/* Can the log density of a kept state wait for the next sweep, which computes the same means? */
static int can_wait(const ldp_chain *chain) {
    const ldp_kernel *const kernel = chain->kernel;
    return chain->sweep + 1 < chain->n_sweeps && !chain->is_shard && kernel->shows_means &&
           kernel->shows_means(chain->model, &chain->at);
}

/* Does this sweep end with a visit of its means? */
static int is_visited(const ldp_chain *chain) {
    return chain->at.noise->move || (wants_density(chain) && !can_wait(chain));
}

/* Two readers of the means of a part: the family, which has parameters to move, and the density. */
typedef struct readers {
    ldp_visitor family, density;
} readers;

static void show_cells(void *state, int row, size_t first, int n, const double *y_tilde,
                       const double *mean) {
    const readers *const both = state;
    both->family.cells(both->family.state, row, first, n, y_tilde, mean);
    both->density.cells(both->density.state, row, first, n, y_tilde, mean);
}

static void show_rest(void *state, int row, double sum) {
    const readers *const both = state;
    both->family.rest(both->family.state, row, sum);
    both->density.rest(both->density.state, row, sum);
}

typedef struct visit {
    const ldp_chain *chain;
    int from, to;
} visit;

static void visit_rows(const ldp_chain *chain, int from, int to, int thread, ldp_visitor visitor) {
    chain->kernel->visit(chain->model, &chain->at, from, to, thread, visitor, chain->work);
}

static void visit_part(void *state, int part, int thread) {
    const visit *const v = state;
    const ldp_chain *const chain = v->chain;
    const ldp_noise *const noise = &chain->at.noise[thread];
    const int from = v->from + part * LDP_PART, to = ldp_part_end(from, v->to);
    ldp_density density = {noise, chain->at.cells, 0, &chain->at.quick[thread]};
    readers both = {noise->reader, ldp_density_reader(&density)};
    if (noise->columns || (noise->move && !wants_density(chain))) { /* see density_by_columns() */
        visit_rows(chain, from, to, thread, both.family);
    } else if (!noise->move) {
        visit_rows(chain, from, to, thread, both.density);
    } else if (both.family.column) { /* it wants a few cells only */
        visit_rows(chain, from, to, thread, both.density);
        visit_rows(chain, from, to, thread, both.family);
    } else {
        const ldp_visitor visitor = {.cells = show_cells, .rest = show_rest, .state = &both};
        visit_rows(chain, from, to, thread, visitor);
    }
    chain->parts[(chain->at.cells->D_before + from) / LDP_PART] = density.sum;
}

static void visit_batch_part(void *state, int part, int thread) {
    const ldp_chain *const chain = ((const visit *)state)->chain;
    const int from = part * LDP_PART, to = ldp_part_end(from, chain->at.cells->D);
    visit_rows(chain, from, to, thread, ldp_batch_reader(chain->at.noise->batch));
}

static double density_by_columns(const ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    const int n_threads = chain->at.n_threads, D = chain->at.cells->D;
    visit v = {chain, 0, D};
    for (int column = 0; column < noise->columns->n;) {
        column = ldp_batch_begin(noise->batch, column);
        ldp_team_run(n_threads, ldp_parts(D), visit_batch_part, &v);
        ldp_batch_end(noise->batch, chain->at.quick, n_threads);
    }
    return noise->column_density(noise->state, n_threads);
}

static double density_of(const ldp_chain *chain) {
    double sum = 0;
    if (chain->at.noise->columns)
        return density_by_columns(chain);
    for (int part = 0; part < ldp_parts(chain->at.cells->D_all); part++)
        sum += chain->parts[part];
    return sum;
}

/* --- a sweep: the phases of the model, a visit of its means, the moves of the family -----------
 */

enum { PHASES, VISIT, MOVES };

static ldp_lines chain_lines_of(const ldp_chain *chain) {
    return chain->stage == VISIT ? LDP_ROWS : chain->kernel->lines(chain->model, chain->phase);
}

/* The work before line i, in cells: the active and the missing ones, and the lines themselves. If
 * counts are proposed by tokens, about a third of all cells are active. */
static size_t cells_before(const ldp_cells *cells, ldp_lines lines, int i) {
    if (lines == LDP_WHOLE)
        i = i > 0 ? cells->D : 0;
    if (lines == LDP_COLUMNS)
        return LDP_CELLS_PER_LINE * (size_t)i + cells->missing_t.start[i] +
               (cells->active_t.start ? cells->active_t.start[i] : 0);
    return LDP_CELLS_PER_LINE * (size_t)i + cells->missing.start[i] +
           (cells->code ? (size_t)i * (size_t)cells->V / 3 : cells->active.start[i]);
}

static int n_lines(const ldp_cells *cells, ldp_lines lines) {
    if (lines == LDP_WHOLE)
        return 1;
    return lines == LDP_ROWS ? cells->D : cells->V;
}

/* The end of a range that starts at `from` and consists of whole parts: as many as have at most
 * n_cells cells together, but at least one. */
static int range_end(const ldp_cells *cells, ldp_lines lines, int from, size_t n_cells) {
    const int n = n_lines(cells, lines);
    const size_t before = cells_before(cells, lines, from);
    int to = ldp_part_end(from, n);
    while (to < n && cells_before(cells, lines, ldp_part_end(to, n)) - before <= n_cells)
        to = ldp_part_end(to, n);
    return to;
}

/* Each process sets only the parts of its own rows, and the others are 0, so that the sum over all
 * processes is the value of each part. */
static void share_parts(ldp_chain *chain, size_t each, double *parts) {
    const size_t n = each * (size_t)ldp_parts(chain->at.cells->D_all);
    if (chain->is_shard)
        chain->shared[chain->n_shared++] = (ldp_shared){LDP_SUM, n, parts};
}

static void forget_parts(const ldp_chain *chain, size_t each, double *parts) {
    if (chain->is_shard)
        memset(parts, 0, each * (size_t)ldp_parts(chain->at.cells->D_all) * sizeof *parts);
}

static void do_phase(ldp_chain *chain, int to) {
    const ldp_kernel *const kernel = chain->kernel;
    if (chain->from == 0)
        kernel->begin(chain->model, &chain->at, chain->phase, seed_of(chain), chain->work);
    kernel->range(chain->model, &chain->at, chain->phase, chain->from, to, chain->work);
    if (to < n_lines(chain->at.cells, chain_lines_of(chain)))
        return;
    kernel->end(chain->model, &chain->at, chain->phase, chain->work);
    if (chain->is_shard)
        chain->n_shared =
            kernel->shared(chain->model, &chain->at, chain->phase, chain->work, chain->shared);
}

static void begin_visit(const ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    chain->kernel->begin_visit(chain->model, &chain->at, chain->work);
    if (!noise->columns)
        return;
    chain->kernel->column_totals(chain->model, &chain->at, noise->columns, chain->work);
    noise->begin_visit(noise->state);
}

static void do_visit(ldp_chain *chain, int to) {
    visit v = {chain, chain->from, to};
    if (chain->from == 0) {
        begin_visit(chain);
        forget_parts(chain, 1, chain->parts);
    }
    ldp_team_run(chain->at.n_threads, ldp_parts(to - chain->from), visit_part, &v);
    if (to == chain->at.cells->D && wants_density(chain))
        share_parts(chain, 1, chain->parts);
}

/* Does one range of a phase or of the visit; returns about how many cells it had. */
static size_t do_range(ldp_chain *chain, size_t n_cells) {
    const ldp_cells *const cells = chain->at.cells;
    const ldp_lines lines = chain_lines_of(chain);
    const int from = chain->from, to = range_end(cells, lines, from, n_cells);
    if (chain->stage == VISIT)
        do_visit(chain, to);
    else
        do_phase(chain, to);
    chain->from = to;
    return cells_before(cells, lines, to) - cells_before(cells, lines, from) + 1;
}

/* Without a visit, the log density of the state is NaN until settle_density(). */
static void keep(ldp_chain *chain) {
    if (!is_visited(chain))
        chain->at.owed = chain->parts;
    chain->log_density[chain->n_kept] = chain->log_density_now;
    for (int f = 0; f < chain->n_factors; f++)
        memcpy(chain->draws[f] + (size_t)chain->n_kept * chain->length[f], chain->factor[f],
               chain->length[f] * sizeof *chain->factor[f]);
    chain->n_kept++;
}

/* Keeps the state and its log density, if wanted; then the family updates its parameters. */
static void begin_moves(ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    chain->stage = MOVES;
    chain->log_density_now = wants_density(chain) && is_visited(chain) ? density_of(chain) : NAN;
    if (chain_is_kept(chain))
        keep(chain);
    if (noise->move)
        noise->move(noise->state, seed_of(chain), chain->at.cells,
                    chain->kernel->scalable(chain->model, &chain->at), chain->at.n_threads);
}

static void answer_part(void *state, int part, int thread) {
    const ldp_chain *const chain = state;
    (void)thread;
    chain->at.noise->answer(chain->at.noise->state, part);
}

static void chain_answer(ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    forget_parts(chain, LDP_ANSWERS, noise->answers);
    ldp_team_run(chain->at.n_threads, ldp_parts(chain->at.cells->D), answer_part, chain);
    share_parts(chain, LDP_ANSWERS, noise->answers);
}

static int chain_is_asking(const ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    return noise->move && noise->is_asking(noise->state);
}

/* --- from step to step ----------------------------------------------------------------------- */

/* A range, or a question of the family. */
static size_t do_step(ldp_chain *chain, size_t n_cells) {
    if (chain->stage != MOVES)
        return do_range(chain, n_cells);
    chain_answer(chain);
    return 1;
}

/* The first phase of a sweep has computed the means of the state that was kept before it. */
static void settle_density(ldp_chain *chain) {
    if (!chain->at.owed)
        return;
    chain->log_density[chain->n_kept - 1] = density_of(chain);
    chain->at.owed = NULL;
}

static void end_phase(ldp_chain *chain) {
    settle_density(chain);
    chain->phase = chain->kernel->next(chain->model, &chain->at, chain->phase, chain->work);
    if (chain->phase != LDP_NO_PHASE)
        return;
    chain->phase = 0;
    if (is_visited(chain))
        chain->stage = VISIT;
    else
        begin_moves(chain);
}

/* What comes after a step, if no arrays must be combined first: the next range, phase, stage or
 * sweep. */
static void end_step(ldp_chain *chain) {
    if (chain->stage == MOVES) {
        chain->at.noise->use_answers(chain->at.noise->state);
    } else if (chain->from == n_lines(chain->at.cells, chain_lines_of(chain))) {
        chain->from = 0;
        if (chain->stage == PHASES)
            end_phase(chain);
        else
            begin_moves(chain);
    }
    if (chain->stage == MOVES && !chain_is_asking(chain)) {
        chain->stage = PHASES;
        chain->sweep++;
    }
}

void ldp_chain_resume(ldp_chain *chain) {
    chain->n_shared = 0;
    end_step(chain);
}

size_t ldp_chain_advance(ldp_chain *chain, size_t n_cells) {
    int goes_on = 1;
    while (goes_on && chain->sweep < chain->n_sweeps && chain->n_shared == 0) {
        const size_t took = do_step(chain, n_cells);
        n_cells -= took < n_cells ? took : n_cells;
        goes_on = n_cells > 0;
        if (chain->n_shared == 0)
            end_step(chain);
    }
    return n_cells;
}
