/* A chain in steps: cut anywhere it gives the same draws, log densities and state; what is kept is
 * what was asked for; and no step goes on for much longer than it should. */
#include "chains.h"
#include "ldp_density.h"
#include "sweep.h"

static const int keep_some[] = {2, 3, 5}, keep_all[] = {1, 2, 3, 4, 5, 6};
enum { N_SWEEPS = 6 };

/* --- steps ----------------------------------------------------------------------------------- */

static size_t advance_all(chain *c, size_t n_cells) {
    size_t n_steps = 0;
    for (; c->run.sweep < N_SWEEPS; n_steps++)
        ldp_chain_advance(&c->run, n_cells);
    return n_steps;
}

/* Each size with a quarter of all models and families, or, in the extended tests, with all. */
static void test_steps(model_kind kind, family_kind family) {
    static const size_t sizes[] = {1, 17, 1000, SIZE_MAX};
    subject s, t;
    chain all, steps;
    subject_open(&s, kind, family, 3, 1);
    chain_open(&all, &s, N_SWEEPS, 3, keep_some, 1, 31);
    const size_t left = ldp_chain_advance(&all.run, 100000000);
    CHECK(all.run.sweep == N_SWEEPS && left > 0, "%zu left after sweep %d", left, all.run.sweep);
    CHECK(ldp_chain_advance(&all.run, 5) == 5, "a chain that is done takes nothing");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!check_takes((int)i, 4, (int)kind + (int)family))
            continue;
        subject_open(&t, kind, family, 3, 1 + (int)i % 2);
        chain_open(&steps, &t, N_SWEEPS, 3, keep_some, 1, 31);
        const size_t n_steps = advance_all(&steps, sizes[i]);
        CHECK(chain_equal(&all, &steps), "%s, %s: steps of %zu cells", model_names[kind],
              family_names[family], sizes[i]);
        CHECK((n_steps == 1) == (sizes[i] > 100000), "%zu steps of %zu", n_steps, sizes[i]);
        chain_close(&steps);
        subject_close(&t);
    }
    chain_close(&all);
    subject_close(&s);
}

/* --- what is kept ---------------------------------------------------------------------------- */

/* The sum over all parts, each on its own, of the density before the family moves. */
static double density_of(const subject *s) {
    double sum = 0;
    ldp_quick quick = {.room = CHAIN_QUICK_ROWS,
                       .row = check_alloc(CHAIN_QUICK_ROWS, sizeof(ldp_quick_row))};
    s->kernel->begin_visit(s->model, &s->at, s->work);
    for (int from = 0; from < s->D; from += LDP_PART) {
        ldp_density density = {s->noise, &s->x.cells, 0, &quick};
        s->kernel->visit(s->model, &s->at, from, ldp_part_end(from, s->D), 0,
                         ldp_density_reader(&density), s->work);
        sum += density.sum;
    }
    free(quick.row);
    return sum;
}

/* Sweeps by hand; families without a move. */
static void test_by_hand(model_kind kind, family_kind family) {
    subject s, t;
    chain c;
    subject_open(&s, kind, family, 3, 2);
    subject_open(&t, kind, family, 3, 1);
    chain_open(&c, &s, N_SWEEPS, 3, keep_some, 1, 31);
    chain_finish(&c);
    int n_kept = 0;
    for (int i = 0; i < N_SWEEPS; i++) {
        const double *const seed = c.seeds + 2 * i;
        sweep_cut(t.kernel, t.model, &t.at, ((uint64_t)seed[0] << 32) ^ (uint64_t)seed[1],
                  SWEEP_WHOLE, t.work);
        const double density = density_of(&t);
        if (i + 1 == N_SWEEPS)
            CHECK_NEAR(c.run.log_density_now, density, TOL_EXACT);
        if (n_kept == 3 || keep_some[n_kept] != i + 1)
            continue;
        CHECK_NEAR(c.run.log_density[n_kept], density, TOL_EXACT);
        for (int f = 0; f < t.n_arrays; f++)
            CHECK(chain_same(c.draws[f] + (size_t)n_kept * t.length[f], t.array[f], t.length[f]),
                  "%s, %s: draw %d of array %d", model_names[kind], family_names[family], n_kept,
                  f);
        n_kept++;
    }
    CHECK(n_kept == c.run.n_kept, "%d kept", c.run.n_kept);
    CHECK(subject_equal(&s, &t), "the state at the end");
    chain_close(&c);
    subject_close(&s);
    subject_close(&t);
}

/* What is kept does not change what is drawn; the state that is kept belongs to its density. */
static void test_keep(family_kind family) {
    subject s, t, u;
    chain all, some, none;
    subject_open(&s, TOPICS, family, 2, 1);
    subject_open(&t, TOPICS, family, 2, 1);
    subject_open(&u, TOPICS, family, 2, 1);
    chain_open(&all, &s, N_SWEEPS, N_SWEEPS, keep_all, 0, 32);
    chain_open(&some, &t, N_SWEEPS, 3, keep_some, 1, 32);
    chain_open(&none, &u, N_SWEEPS, 0, NULL, 0, 32);
    chain_finish(&all);
    chain_finish(&some);
    chain_finish(&none);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(some.run.log_density[i], all.run.log_density[keep_some[i] - 1], TOL_EXACT);
        for (int f = 0; f < s.n_arrays; f++) {
            const size_t n = s.length[f];
            CHECK(chain_same(some.draws[f] + n * (size_t)i,
                             all.draws[f] + n * (size_t)(keep_some[i] - 1), n),
                  "%s: draw %d of array %d", family_names[family], i, f);
        }
    }
    CHECK(subject_equal(&s, &t) && subject_equal(&s, &u), "the state");
    CHECK(all.run.n_kept == N_SWEEPS && some.run.n_kept == 3 && none.run.n_kept == 0, "kept");
    CHECK_NEAR(some.run.log_density_now, all.run.log_density[N_SWEEPS - 1], TOL_EXACT);
    CHECK_NEAR(all.run.log_density_now, some.run.log_density_now, TOL_EXACT);
    CHECK(isnan(none.run.log_density_now), "a density that nobody wants");
    chain_close(&all);
    chain_close(&some);
    chain_close(&none);
    subject_close(&s);
    subject_close(&t);
    subject_close(&u);
}

/* Two chains one after the other with the rooms of one: the second finds nothing of the first. */
static void test_room_again(model_kind kind, family_kind family) {
    subject s, t;
    chain first, again, alone;
    subject_open(&s, kind, family, 2, 2);
    subject_open(&t, kind, family, 2, 2);
    chain_open(&first, &s, 2, 2, keep_all, 1, 33);
    chain_finish(&first);
    for (int i = 0; i < s.n_arrays; i++)
        memcpy(t.array[i], s.array[i], s.length[i] * sizeof *s.array[i]);
    memcpy(t.rates, s.rates, sizeof t.rates);
    t.topics.prior_theta = s.topics.prior_theta;
    t.topics.prior_phi = s.topics.prior_phi;
    t.blocks.prior_theta = s.blocks.prior_theta;
    t.blocks.prior_pi = s.blocks.prior_pi;
    for (int m = 0; m < s.tensor.M; m++)
        t.tensor.mode[m].prior = s.tensor.mode[m].prior;
    for (int i = 0; i < t.n_threads && t.nbinom1; i++)
        t.noise[i] =
            ldp_noise_nbinom1(t.alpha, &t.nbinom1[i], 1); /* exposures of that dispersion */
    chain_open(&again, &s, 3, 3, keep_all, 1, 34);
    chain_open(&alone, &t, 3, 3, keep_all, 1, 34);
    chain_finish(&again);
    chain_finish(&alone);
    CHECK(chain_equal(&again, &alone), "%s, %s: a second chain", model_names[kind],
          family_names[family]);
    chain_close(&first);
    chain_close(&again);
    chain_close(&alone);
    subject_close(&s);
    subject_close(&t);
}

/* --- how long a step takes ------------------------------------------------------------------- */

/* A model that counts lines and does nothing else: two phases over rows and columns, and one that
 * is whole. */
typedef struct counting {
    const ldp_cells *cells;
    size_t n_cells; /* of the ranges so far */
    int n_ranges, n_begun, n_ended, n_visits_begun, next[4];
} counting;

static int count_next(const void *model, const ldp_setting *at, int phase, const double *work) {
    (void)model;
    (void)at;
    (void)work;
    return phase < 2 ? phase + 1 : LDP_NO_PHASE;
}

static ldp_lines count_lines(const void *model, int phase) {
    (void)model;
    return phase == 0 ? LDP_ROWS : phase == 1 ? LDP_COLUMNS : LDP_WHOLE;
}

static size_t count_work(const void *model, const ldp_setting *at) {
    (void)model;
    (void)at;
    return 0;
}

static void count_begin(void *model, const ldp_setting *at, int phase, uint64_t seed,
                        double *work) {
    counting *const c = model;
    (void)at;
    (void)work;
    CHECK(c->n_begun % 3 == phase && seed == 7, "phase %d begins as number %d", phase, c->n_begun);
    c->n_begun++;
    c->next[phase] = 0;
}

/* Cells in lines from .. to-1, counted one by one. */
static size_t cells_in(const ldp_cells *cells, int phase, int from, int to) {
    size_t n = LDP_CELLS_PER_LINE * (size_t)(to - from);
    if (phase == 2)
        return LDP_CELLS_PER_LINE * (size_t)cells->D + cells->active.start[cells->D] +
               cells->missing.start[cells->D];
    for (int i = from; i < to; i++)
        n += phase == 1
                 ? ldp_lists_length(cells->active_t, i) + ldp_lists_length(cells->missing_t, i)
                 : ldp_lists_length(cells->active, i) + ldp_lists_length(cells->missing, i);
    return n;
}

static void count_range(void *model, const ldp_setting *at, int phase, int from, int to,
                        double *work) {
    counting *const c = model;
    const int n = sweep_lines(at, count_lines(model, phase));
    (void)work;
    CHECK(from == c->next[phase] && from % LDP_PART == 0 && (to % LDP_PART == 0 || to == n) &&
              to > from && to <= n,
          "phase %d: %d to %d after %d", phase, from, to, c->next[phase]);
    c->next[phase] = to;
    c->n_cells += cells_in(at->cells, phase, from, to);
    c->n_ranges++;
}

static void count_end(void *model, const ldp_setting *at, int phase, double *work) {
    counting *const c = model;
    (void)work;
    CHECK(c->next[phase] == sweep_lines(at, count_lines(model, phase)), "phase %d ends", phase);
    c->n_ended++;
}

static counting *visited; /* the model is constant there */

static void count_begin_visit(const void *model, const ldp_setting *at, double *work) {
    (void)model;
    (void)at;
    (void)work;
    visited->n_visits_begun++;
    visited->next[3] = 0;
}

static void count_visit(const void *model, const ldp_setting *at, int from, int to, int thread,
                        ldp_visitor visitor, double *work) {
    (void)model;
    (void)visitor;
    (void)work;
    CHECK(from == visited->next[3] && thread == 0, "visit of %d to %d", from, to);
    visited->next[3] = to;
    visited->n_cells += cells_in(at->cells, 3, from, to);
    visited->n_ranges++;
}

static ldp_scalable count_scalable(const void *model, const ldp_setting *at) {
    (void)model;
    (void)at;
    return (ldp_scalable){0};
}

static const ldp_kernel counting_kernel = {
    count_next, count_lines,       count_work,  count_begin,    count_range, count_end,
    NULL,       count_begin_visit, count_visit, count_scalable, NULL,        NULL};

/* The most cells of a part of any phase. */
static size_t largest_part(const subject *s) {
    size_t largest = 0;
    for (int phase = 0; phase < 2; phase++) {
        const int n = phase == 0 ? s->D : s->V;
        for (int from = 0; from < n; from += LDP_PART) {
            const size_t cells = cells_in(&s->x.cells, phase, from, ldp_part_end(from, n));
            largest = cells > largest ? cells : largest;
        }
    }
    return largest;
}

/* A step goes over at most one part more than it was asked for, or a whole phase that cannot be
 * cut; and over at least as much as it was asked for, but for one cell per range. */
static void test_bound(size_t n_cells) {
    subject s;
    subject_open(&s, TOPICS, COLLAPSED, 1, 1);
    counting model = {.cells = &s.x.cells};
    double seeds[10], log_density[1], parts[10];
    for (int i = 0; i < 10; i++)
        seeds[i] = i % 2 ? 7 : 0;
    ldp_chain run = {.kernel = &counting_kernel,
                     .model = &model,
                     .at = s.at,
                     .n_sweeps = 5,
                     .seeds = seeds,
                     .n_keep = 1,
                     .keep = keep_some,
                     .watch = 1,
                     .log_density = log_density,
                     .parts = parts};
    run.at.quick = check_alloc(1, sizeof(ldp_quick));
    const size_t whole = cells_in(&s.x.cells, 2, 0, 1), part = largest_part(&s);
    size_t n_left = 0;
    visited = &model;
    while (run.sweep < run.n_sweeps) {
        const int had = model.n_ranges, begun = model.n_begun;
        const size_t before = model.n_cells;
        n_left = ldp_chain_advance(&run, n_cells);
        const size_t took = model.n_cells - before, n_ranges = (size_t)(model.n_ranges - had);
        const int had_whole = model.n_begun / 3 != begun / 3;
        CHECK(took <= n_cells || took - n_cells <= (had_whole ? whole : part), "%zu cells of %zu",
              took, n_cells);
        CHECK(run.sweep == run.n_sweeps || took + n_ranges >= n_cells,
              "%zu cells of %zu, in %zu ranges", took, n_cells, n_ranges);
        CHECK(run.sweep == run.n_sweeps || n_left == 0, "%zu left", n_left);
        /* visits are counted part by part */
        CHECK(n_left == 0 || (n_cells - n_left > took && n_cells - n_left <= took + n_ranges),
              "%zu left of %zu", n_left, n_cells);
    }
    CHECK(model.n_begun == 15 && model.n_ended == 15, "%d and %d phases", model.n_begun,
          model.n_ended);
    CHECK(model.n_visits_begun == 2, "%d visits, of sweeps 2 and 5", model.n_visits_begun);
    if (n_cells >= 10000000) /* a phase at a time, and visits in parts */
        CHECK(model.n_ranges == 15 + 2 * ldp_parts(s.D), "%d ranges", model.n_ranges);
    const size_t of_columns = cells_in(&s.x.cells, 1, 0, s.V);
    CHECK(model.n_cells == 5 * (2 * whole + of_columns) + 2 * whole, "%zu cells", model.n_cells);
    free(run.at.quick);
    subject_close(&s);
}

int main(void) {
    static const size_t sizes[] = {0, 1, 17, 1000, 3333, 20000, 10000000, SIZE_MAX};
    check_begin();
    for (int kind = 0; kind < N_MODELS; kind++)
        for (int family = 0; family < N_FAMILIES; family++) {
            test_steps((model_kind)kind, (family_kind)family);
            if (check_takes(family, 2, kind))
                test_room_again((model_kind)kind, (family_kind)family);
        }
    for (int kind = 0; kind < N_MODELS; kind++) {
        test_by_hand((model_kind)kind, COLLAPSED);
        test_by_hand((model_kind)kind, BESSEL);
        test_by_hand((model_kind)kind, NBINOM1_FIXED);
    }
    for (int family = 0; family < N_FAMILIES; family++)
        test_keep((family_kind)family);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        test_bound(sizes[i]);
    return check_report("chain");
}
