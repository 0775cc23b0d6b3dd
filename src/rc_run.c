/* The loop over sweeps, for all models. The chains of a fit are shared among threads. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ldp_chain.h"
#include "ldp_team.h"
#include "rc.h"

/* Interrupts are checked after every thread has processed this many active and missing cells, which
 * takes at most half a second. */
static const size_t CELLS_BETWEEN_CHECKS = 1000000;

/* Assigning work to threads takes some microseconds. Chains run one after another if all their
 * sweeps together have fewer cells than this, and the rows of a chain are not shared among threads
 * if one sweep has fewer. */
static const double CELLS_WORTH_A_TEAM = 20000;

/* The least number of cells per column and thread. */
static const double CELLS_PER_COLUMN = 4;

/* --- answers --------------------------------------------------------------------------------- */

/* One array per factor, with the dimensions of the factor and one more dimension for kept draws. */
static SEXP allocate_draws(SEXP factors, R_xlen_t n_keep) {
    const R_xlen_t n = Rf_xlength(factors);
    SEXP draws = PROTECT(Rf_allocVector(VECSXP, n));
    for (R_xlen_t f = 0; f < n; f++) {
        const int *const dim = rc_integers(Rf_getAttrib(VECTOR_ELT(factors, f), R_DimSymbol), 2, 0,
                                           INT_MAX, "factors");
        SET_VECTOR_ELT(draws, f, Rf_alloc3DArray(REALSXP, dim[0], dim[1], (int)n_keep));
    }
    Rf_setAttrib(draws, R_NamesSymbol, Rf_getAttrib(factors, R_NamesSymbol));
    UNPROTECT(1);
    return draws;
}

/* A copy of the factors of a chain and of the state of its noise, which the kernel changes, and
 * memory for its draws. */
static SEXP new_answer(SEXP chain, R_xlen_t n_keep) {
    static const char *const names[] = {"factors",     "noise",           "draws",
                                        "log_density", "log_density_now", ""};
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SET_VECTOR_ELT(answer, 0, Rf_duplicate(rc_element(chain, "factors")));
    SET_VECTOR_ELT(answer, 1, Rf_duplicate(rc_element_or_null(chain, "noise")));
    SET_VECTOR_ELT(answer, 2, allocate_draws(VECTOR_ELT(answer, 0), n_keep));
    SET_VECTOR_ELT(answer, 3, Rf_allocVector(REALSXP, n_keep));
    SET_VECTOR_ELT(answer, 4, Rf_ScalarReal(NA_REAL));
    UNPROTECT(1);
    return answer;
}

static const double **read_factors(SEXP factors) {
    const R_xlen_t n = Rf_xlength(factors);
    const double **const at = rc_room((size_t)n, sizeof *at);
    for (R_xlen_t f = 0; f < n; f++)
        at[f] = REAL_RO(VECTOR_ELT(factors, f));
    return at;
}

static double **write_draws(SEXP draws) {
    const R_xlen_t n = Rf_xlength(draws);
    double **const at = rc_room((size_t)n, sizeof *at);
    for (R_xlen_t f = 0; f < n; f++)
        at[f] = REAL(VECTOR_ELT(draws, f));
    return at;
}

static size_t *lengths_of(SEXP factors) {
    const R_xlen_t n = Rf_xlength(factors);
    size_t *const lengths = rc_room((size_t)n, sizeof *lengths);
    for (R_xlen_t f = 0; f < n; f++)
        lengths[f] = (size_t)Rf_xlength(VECTOR_ELT(factors, f));
    return lengths;
}

/* --- chains ---------------------------------------------------------------------------------- */

typedef struct chain {
    ldp_chain run;
    rc_parameters parameters;
} chain;

/* Memory for running chains one after another. It belongs to one thread, and to the threads that
 * share the rows of its chains. */
typedef struct slot {
    rc_family family;
    ldp_quick *quick;
    double *work, *parts;
    int chain; /* the number of the current chain */
} slot;

struct rc_team {
    const ldp_cells *cells;
    int n_chains, n_slots;
    int n_at_once; /* how many slots run at the same time */
    chain *chains;
    slot *slots;
};

static ldp_quick new_quick(int n_rows) {
    ldp_quick quick = {.room = n_rows};
    quick.row = rc_room((size_t)n_rows, sizeof(ldp_quick_row));
    return quick;
}

/* How often each release from 1 on has a row of series (ldp_quick). */
SEXP rc_quick_count(SEXP y_tilde) {
    const size_t n = (size_t)Rf_xlength(y_tilde);
    const double *const k = rc_numbers(y_tilde, n, RC_FINITE, "y_tilde");
    SEXP table = PROTECT(Rf_allocVector(REALSXP, LDP_QUICK_ROWS));
    memset(REAL(table), 0, LDP_QUICK_ROWS * sizeof(double));
    ldp_quick_count(n, k, REAL(table));
    UNPROTECT(1);
    return table;
}

/* The number of rows of series for releases with this table. */
SEXP rc_quick_rows(SEXP table, SEXP n_groups) {
    const double *const n = rc_numbers(table, LDP_QUICK_ROWS, RC_NOT_NEGATIVE, "y_tilde");
    return Rf_ScalarInteger(ldp_quick_rows(n, rc_number(n_groups, RC_POSITIVE, "alpha")));
}

/* The same for the cells of a call. If rows of the data have different dispersions or noise levels,
 * each has its own series. */
static int quick_rows(const rc_data *data, int by_row) {
    const double *const alpha = data->cells.alpha;
    double n_groups = 1;
    for (int d = 1; d < data->cells.D; d++)
        n_groups += by_row || alpha[d] < alpha[d - 1] || alpha[d] > alpha[d - 1];
    return ldp_quick_rows(data->table, n_groups);
}

static chain decode_chain(const rc_model *model, const ldp_cells *cells, SEXP priors, SEXP given,
                          SEXP answer, SEXP keep, int n_sweeps, int watch) {
    const SEXP factors = VECTOR_ELT(answer, 0);
    chain c = {.parameters = rc_decode_parameters(cells, factors, VECTOR_ELT(answer, 1))};
    c.run = (ldp_chain){
        .kernel = model->kernel,
        .model = model->decode(model->settings, cells, factors, priors),
        .n_sweeps = n_sweeps,
        .seeds =
            rc_numbers(rc_element(given, "seeds"), 2 * (size_t)n_sweeps, RC_NOT_NEGATIVE, "seeds"),
        .n_keep = (int)Rf_xlength(keep),
        .keep = INTEGER_RO(keep),
        .watch = watch,
        .n_factors = (int)Rf_xlength(factors),
        .factor = read_factors(factors),
        .length = lengths_of(factors),
        .draws = write_draws(VECTOR_ELT(answer, 2)),
        .log_density = REAL(VECTOR_ELT(answer, 3)),
    };
    return c;
}

static slot new_slot(const ldp_cells *cells, chain *first, SEXP dispersion, int n_threads,
                     int n_quick) {
    const size_t n = (size_t)n_threads;
    slot s = {.family = rc_new_family(cells, first->parameters, dispersion, n_threads)};
    const ldp_setting at = {cells, s.family.noise, n_threads};
    s.quick = rc_room(n, sizeof *s.quick);
    for (int t = 0; t < n_threads; t++)
        s.quick[t] = new_quick(n_quick);
    s.work = rc_doubles(first->run.kernel->work(first->run.model, &at));
    s.parts = rc_doubles((size_t)ldp_parts(cells->D_all));
    return s;
}

static void enter(slot *s, chain *c, const ldp_cells *cells) {
    rc_set_family(&s->family, cells, &c->parameters);
    c->run.at = (ldp_setting){cells, s->family.noise, s->family.n_threads};
    c->run.work = s->work;
    c->run.quick = s->quick;
    c->run.parts = s->parts;
}

/* The number of chains that run at the same time; below, the number of threads for each of them. */
static int n_at_once_of(int n_threads, int n_chains, double cells_in_all) {
    if (cells_in_all < CELLS_WORTH_A_TEAM)
        return 1;
    return n_chains < n_threads ? n_chains : n_threads;
}

/* Latent counts are added up as doubles, which is exact, and so independent of the number of
 * threads, up to 2^53. */
static const double TOTAL_WITH_EXACT_SUMS = 4503599627370496.0; /* 2^52 */

/* The number of threads that share the rows of one chain. Each has its own sums over the columns,
 * so with few cells per column further threads take more time than they save. */
static int n_within(const rc_data *data, int n_threads, int n_at_once) {
    const ldp_cells *const cells = &data->cells;
    const double n = (double)cells->active.start[cells->D] + (double)cells->missing.start[cells->D];
    const double most = fmin(n_threads / n_at_once, n / (CELLS_PER_COLUMN * fmax(cells->V, 1)));
    const int is_worth_it = n >= CELLS_WORTH_A_TEAM && most >= 2;
    return is_worth_it && data->total < TOTAL_WITH_EXACT_SUMS ? (int)most : 1;
}

/* Slot i runs chains i, i + n_slots, i + 2 n_slots and so on. */
static void advance_slot(void *state, int i, int thread) {
    const rc_team *const t = state;
    slot *const s = &t->slots[i];
    size_t left = CELLS_BETWEEN_CHECKS;
    (void)thread;
    while (left > 0 && s->chain < t->n_chains && t->chains[s->chain].run.n_shared == 0) {
        chain *const c = &t->chains[s->chain];
        if (c->run.sweep == 0 && c->run.stage == 0 && c->run.phase == 0 && c->run.from == 0)
            enter(s, c, t->cells);
        left = ldp_chain_advance(&c->run, left);
        if (c->run.sweep == c->run.n_sweeps)
            s->chain += t->n_slots;
    }
}

void rc_advance_team(rc_team *t) {
    ldp_team_run_nested(t->n_at_once, t->n_slots, advance_slot, t);
}

static int is_done(const rc_team *t) {
    for (int i = 0; i < t->n_slots; i++)
        if (t->slots[i].chain < t->n_chains)
            return 0;
    return 1;
}

static void new_slots(rc_team *t, const rc_data *data, SEXP dispersion, int n_threads,
                      int n_quick) {
    const int n = n_within(data, n_threads, t->n_at_once);
    t->slots = rc_room((size_t)t->n_slots, sizeof *t->slots);
    for (int i = 0; i < t->n_slots; i++) {
        t->slots[i] = new_slot(t->cells, t->chains, dispersion, n, n_quick);
        t->slots[i].chain = i;
    }
}

/* Chains take turns in the memory of a slot. */
static int needs_the_same(const chain *one, const chain *other, const ldp_cells *cells) {
    const ldp_setting at = {cells, NULL, 1};
    const rc_parameters a = one->parameters, b = other->parameters;
    return one->run.kernel->work(one->run.model, &at) ==
               other->run.kernel->work(other->run.model, &at) &&
           !a.excess == !b.excess && a.by_row == b.by_row && !a.bessel.g1 == !b.bessel.g1;
}

static chain *decode_chains(const rc_model *model, const ldp_cells *cells, rc_asked asked,
                            SEXP answers, int n_chains, int is_shard) {
    const int n = Rf_asInteger(asked.n_sweeps);
    chain *const chains = rc_room((size_t)n_chains, sizeof *chains);
    rc_require(n > 0, "chains");
    rc_integers(asked.keep, (size_t)Rf_xlength(asked.keep), 1, n, "keep");
    for (int i = 0; i < n_chains; i++) {
        chains[i] = decode_chain(model, cells, asked.priors, VECTOR_ELT(asked.chains, i),
                                 VECTOR_ELT(answers, i), asked.keep, n, Rf_asLogical(asked.watch));
        chains[i].run.is_shard = is_shard;
        rc_require(needs_the_same(&chains[i], chains, cells), "factors");
    }
    return chains;
}

rc_team *rc_new_team(const rc_model *model, const rc_data *data, rc_asked asked, SEXP answers) {
    const ldp_cells *const cells = &data->cells;
    const int n_chains = (int)Rf_xlength(answers), n_threads = rc_n_threads(asked.threads);
    const int is_shard = data->n_quick > 0;
    rc_team *const t = rc_room(1, sizeof *t);
    *t = (rc_team){.cells = cells, .n_chains = n_chains};
    t->chains = decode_chains(model, cells, asked, answers, n_chains, is_shard);
    t->n_at_once =
        n_at_once_of(n_threads, n_chains,
                     (double)cells->active.start[cells->D] * t->chains->run.n_sweeps * n_chains);
    t->n_slots = is_shard ? n_chains : t->n_at_once;
    new_slots(t, data, rc_element_or_null(asked.priors, "dispersion"), n_threads,
              is_shard ? data->n_quick : quick_rows(data, t->chains->parameters.by_row));
    return t;
}

int rc_team_chains(const rc_team *team) {
    return team->n_chains;
}

ldp_chain *rc_team_chain(const rc_team *team, int i) {
    return &team->chains[i].run;
}

SEXP rc_new_answers(rc_asked asked) {
    const R_xlen_t n = Rf_xlength(asked.chains);
    rc_require(TYPEOF(asked.chains) == VECSXP && n > 0 && n < INT_MAX, "chains");
    SEXP answers = PROTECT(Rf_allocVector(VECSXP, n));
    for (R_xlen_t i = 0; i < n; i++)
        SET_VECTOR_ELT(answers, i, new_answer(VECTOR_ELT(asked.chains, i), Rf_xlength(asked.keep)));
    UNPROTECT(1);
    return answers;
}

void rc_finish_answers(const rc_team *team, SEXP answers) {
    for (int i = 0; i < team->n_chains; i++)
        if (!ISNAN(team->chains[i].run.log_density_now))
            REAL(VECTOR_ELT(VECTOR_ELT(answers, i), 4))[0] = team->chains[i].run.log_density_now;
}

/* If the user interrupts, the results of the unfinished block are discarded. */
SEXP rc_run(const rc_model *model, SEXP cells, rc_asked asked) {
    SEXP answers = PROTECT(rc_new_answers(asked));
    rc_team *const t = rc_new_team(model, rc_decode_data(cells), asked, answers);
    while (!is_done(t)) {
        R_CheckUserInterrupt();
        rc_advance_team(t);
    }
    rc_finish_answers(t, answers);
    UNPROTECT(1);
    return answers;
}

/* Copies `slices` into `array` after its first `before` slices, in place, because kept draws may
 * take gigabytes. Slices are along the last dimension. */
SEXP rc_store(SEXP array, SEXP slices, SEXP before) {
    const SEXP dim = Rf_getAttrib(array, R_DimSymbol);
    rc_require(TYPEOF(array) == REALSXP && TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 3, "draws");
    const R_xlen_t slice = (R_xlen_t)INTEGER_RO(dim)[0] * INTEGER_RO(dim)[1];
    const double places = rc_number(before, RC_NOT_NEGATIVE, "draws") * (double)slice;
    const R_xlen_t n = Rf_xlength(slices);
    rc_require(TYPEOF(slices) == REALSXP && places + (double)n <= (double)Rf_xlength(array),
               "draws");
    if (n > 0)
        memcpy(REAL(array) + (R_xlen_t)places, REAL_RO(slices), (size_t)n * sizeof(double));
    return R_NilValue;
}
