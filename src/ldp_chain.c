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

static int is_kept(const ldp_chain *chain) {
    return chain->n_kept < chain->n_keep && chain->keep[chain->n_kept] == chain->sweep + 1;
}

static int wants_density(const ldp_chain *chain) {
    return is_kept(chain) || (chain->watch && chain->sweep + 1 == chain->n_sweeps);
}

static int is_visited(const ldp_chain *chain) {
    return wants_density(chain) || chain->at.noise->move;
}

/* Two readers of the means of a part: the family, which has parameters to move, and the density. */
typedef struct readers {
    ldp_visitor first, second;
} readers;

static void show_cells(void *state, int row, size_t first, int n, const double *mean) {
    const readers *const both = state;
    both->first.cells(both->first.state, row, first, n, mean);
    both->second.cells(both->second.state, row, first, n, mean);
}

static void show_rest(void *state, int row, double sum) {
    const readers *const both = state;
    both->first.rest(both->first.state, row, sum);
    both->second.rest(both->second.state, row, sum);
}

typedef struct visit {
    const ldp_chain *chain;
    int from, to;
} visit;

static void visit_part(void *state, int part, int thread) {
    const visit *const v = state;
    const ldp_chain *const chain = v->chain;
    const ldp_noise *const noise = &chain->at.noise[thread];
    const int from = v->from + part * LDP_PART, to = ldp_part_end(from, v->to);
    ldp_density density = {noise, chain->at.cells, 0, &chain->quick[thread]};
    readers both = {noise->reader, ldp_density_reader(&density)};
    ldp_visitor visitor = noise->move ? both.first : both.second;
    if (noise->move && wants_density(chain))
        visitor = (ldp_visitor){show_cells, show_rest, &both};
    chain->kernel->visit(chain->model, &chain->at, from, to, thread, visitor, chain->work);
    chain->parts[from / LDP_PART] = density.sum;
}

static double sum_of_parts(const ldp_chain *chain) {
    double sum = 0;
    for (int part = 0; part < ldp_parts(chain->at.cells->D); part++)
        sum += chain->parts[part];
    return sum;
}

/* --- a sweep: the phases of the model, then its means ---------------------------------------- */

/* The phases of the model come first, then the visit of the means. */
static int is_visit(const ldp_chain *chain) {
    return chain->phase == chain->kernel->n_phases(chain->model);
}

static ldp_lines lines_of(const ldp_chain *chain) {
    return is_visit(chain) ? LDP_ROWS : chain->kernel->lines(chain->model, chain->phase);
}

/* The work before line i, in cells: the active and the missing ones, and the lines themselves. */
static size_t cells_before(const ldp_cells *cells, ldp_lines lines, int i) {
    if (lines == LDP_WHOLE)
        i = i > 0 ? cells->D : 0;
    if (lines == LDP_COLUMNS)
        return LDP_CELLS_PER_LINE * (size_t)i + cells->missing_t.start[i] +
               (cells->active_t.start ? cells->active_t.start[i] : 0);
    return LDP_CELLS_PER_LINE * (size_t)i + cells->active.start[i] + cells->missing.start[i];
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

static void do_range(ldp_chain *chain, int to) {
    const int n = n_lines(chain->at.cells, lines_of(chain)), visits = is_visit(chain);
    if (visits) {
        visit v = {chain, chain->from, to};
        if (chain->from == 0)
            chain->kernel->begin_visit(chain->model, &chain->at, chain->work);
        ldp_team_run(chain->at.n_threads, ldp_parts(to - chain->from), visit_part, &v);
    } else {
        if (chain->from == 0)
            chain->kernel->begin(chain->model, &chain->at, chain->phase, seed_of(chain),
                                 chain->work);
        chain->kernel->range(chain->model, &chain->at, chain->phase, chain->from, to, chain->work);
        if (to == n)
            chain->kernel->end(chain->model, &chain->at, chain->phase, chain->work);
    }
    chain->from = to < n ? to : 0;
    chain->phase += to == n;
}

static void keep(ldp_chain *chain) {
    chain->log_density[chain->n_kept] = chain->log_density_now;
    for (int f = 0; f < chain->n_factors; f++)
        memcpy(chain->draws[f] + (size_t)chain->n_kept * chain->length[f], chain->factor[f],
               chain->length[f] * sizeof *chain->factor[f]);
    chain->n_kept++;
}

/* Called after the visit, or instead of it if no means are needed. Keeps the state and its log
 * density, if wanted. Then the family updates its parameters. */
static void end_sweep(ldp_chain *chain) {
    const ldp_noise *const noise = chain->at.noise;
    chain->log_density_now = wants_density(chain) ? sum_of_parts(chain) : NAN;
    if (is_kept(chain))
        keep(chain);
    if (noise->move)
        noise->move(noise->state, seed_of(chain), chain->at.cells,
                    chain->kernel->scalable(chain->model, &chain->at), chain->at.n_threads);
    chain->sweep++;
    chain->phase = 0;
}

size_t ldp_chain_advance(ldp_chain *chain, size_t n_cells) {
    const ldp_cells *const cells = chain->at.cells;
    while (chain->sweep < chain->n_sweeps) {
        const ldp_lines lines = lines_of(chain);
        const int visits = is_visit(chain), is_done = visits && !is_visited(chain);
        if (!is_done) {
            const int to = range_end(cells, lines, chain->from, n_cells);
            const size_t took =
                cells_before(cells, lines, to) - cells_before(cells, lines, chain->from) + 1;
            do_range(chain, to);
            n_cells -= took < n_cells ? took : n_cells;
        }
        if (is_done || (visits && chain->from == 0))
            end_sweep(chain);
        if (n_cells == 0)
            return 0;
    }
    return n_cells;
}
