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

/* The parts of an answer. */
enum { FACTORS, NOISE, DRAWS, LOG_DENSITY, LOG_DENSITY_NOW };

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
    SET_VECTOR_ELT(answer, FACTORS, Rf_duplicate(rc_element(chain, "factors")));
    SET_VECTOR_ELT(answer, NOISE, Rf_duplicate(rc_element_or_null(chain, "noise")));
    SET_VECTOR_ELT(answer, DRAWS, allocate_draws(VECTOR_ELT(answer, FACTORS), n_keep));
    SET_VECTOR_ELT(answer, LOG_DENSITY, Rf_allocVector(REALSXP, n_keep));
    SET_VECTOR_ELT(answer, LOG_DENSITY_NOW, Rf_ScalarReal(NA_REAL));
    UNPROTECT(1);
    return answer;
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

/* --- chains ---------------------------------------------------------------------------------- */

typedef struct chain {
    ldp_chain run;
    rc_parameters parameters;
} chain;

/* Chain i runs in slot i % n_slots, after the chains of lower number there, in the same memory. The
 * threads of a slot share the rows of its chains. */
struct rc_team {
    chain *chains;
    int n_chains, n_slots;
    int n_at_once; /* how many slots run at the same time */
    int *current; /* for each slot, the number of the chain that runs there */
};

/* Everything about a chain but its noise and its memory. */
static chain decode_chain(const rc_model *model, const rc_data *data, rc_asked asked, SEXP given,
                          SEXP answer) {
    const SEXP factors = VECTOR_ELT(answer, FACTORS), draws = VECTOR_ELT(answer, DRAWS);
    const size_t n = (size_t)Rf_xlength(factors);
    const int n_sweeps = Rf_asInteger(asked.n_sweeps);
    chain c = {.parameters =
                   rc_decode_parameters(&data->cells, factors, VECTOR_ELT(answer, NOISE))};
    const double **const factor = rc_room(n, sizeof *factor);
    double **const draw = rc_room(n, sizeof *draw);
    size_t *const length = rc_room(n, sizeof *length);
    for (size_t f = 0; f < n; f++) {
        factor[f] = REAL_RO(VECTOR_ELT(factors, (R_xlen_t)f));
        draw[f] = REAL(VECTOR_ELT(draws, (R_xlen_t)f));
        length[f] = (size_t)Rf_xlength(VECTOR_ELT(factors, (R_xlen_t)f));
    }
    c.run = (ldp_chain){
        .kernel = model->kernel,
        .model = model->decode(model->settings, &data->cells, factors, asked.priors),
        .at = {.cells = &data->cells, .n_threads = 1},
        .n_sweeps = n_sweeps,
        .seeds =
            rc_numbers(rc_element(given, "seeds"), 2 * (size_t)n_sweeps, RC_NOT_NEGATIVE, "seeds"),
        .n_keep = (int)Rf_xlength(asked.keep),
        .keep = INTEGER_RO(asked.keep),
        .watch = Rf_asLogical(asked.watch),
        .n_factors = (int)n,
        .factor = factor,
        .length = length,
        .draws = draw,
        .log_density = REAL(VECTOR_ELT(answer, LOG_DENSITY)),
        .is_shard = data->n_quick > 0, /* only shards get a number, the same for all */
    };
    return c;
}

static size_t work_of(const chain *c) {
    return c->run.kernel->work(c->run.model, &c->run.at);
}

/* Can both run in the same memory? */
static int needs_the_same(const chain *one, const chain *other) {
    const rc_parameters a = one->parameters, b = other->parameters;
    return work_of(one) == work_of(other) && !a.excess == !b.excess && a.by_row == b.by_row &&
           a.columns.n == b.columns.n && !a.bessel.g1 == !b.bessel.g1;
}

static chain *decode_chains(const rc_model *model, const rc_data *data, rc_asked asked,
                            SEXP answers) {
    const int n = (int)Rf_xlength(answers), n_sweeps = Rf_asInteger(asked.n_sweeps);
    rc_require(n_sweeps > 0, "chains");
    rc_integers(asked.keep, (size_t)Rf_xlength(asked.keep), 1, n_sweeps, "keep");
    chain *const chains = rc_room((size_t)n, sizeof *chains);
    for (int i = 0; i < n; i++) {
        chains[i] =
            decode_chain(model, data, asked, VECTOR_ELT(asked.chains, i), VECTOR_ELT(answers, i));
        rc_require(needs_the_same(&chains[i], chains), "factors");
    }
    return chains;
}

/* --- threads --------------------------------------------------------------------------------- */

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
    const double n = data->n_active + (double)cells->missing.start[cells->D];
    const double most = fmin(n_threads / n_at_once, n / (CELLS_PER_COLUMN * fmax(cells->V, 1)));
    const int is_worth_it = n >= CELLS_WORTH_A_TEAM && most >= 2;
    return is_worth_it && data->total < TOTAL_WITH_EXACT_SUMS ? (int)most : 1;
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
 * each has its own series, and so has each column and noise level if columns have dispersions. */
static int quick_rows(const rc_data *data, const rc_parameters *parameters) {
    const double *const alpha = data->cells.alpha;
    const int by_row = parameters->by_row;
    double n_groups = 1;
    if (parameters->pool)
        return ldp_quick_rows(data->table,
                              (double)parameters->columns.n * parameters->columns.n_levels);
    for (int d = 1; d < data->cells.D; d++)
        n_groups += by_row || alpha[d] < alpha[d - 1] || alpha[d] > alpha[d - 1];
    return ldp_quick_rows(data->table, n_groups);
}

/* --- the team -------------------------------------------------------------------------------- */

/* Memory for the chains of slot i, and what they need of it. */
static void furnish_slot(const rc_team *t, int i, SEXP dispersion, int n_threads, int n_quick) {
    chain *const first = &t->chains[i];
    const ldp_cells *const cells = first->run.at.cells;
    const rc_family family = rc_new_family(cells, first->parameters, dispersion, n_threads);
    first->run.at.n_threads = n_threads; /* on which the work space depends */
    double *const work = rc_doubles(work_of(first));
    double *const parts = rc_doubles((size_t)ldp_parts(cells->D_all));
    ldp_quick *const quick = rc_room((size_t)n_threads, sizeof *quick);
    for (int thread = 0; thread < n_threads; thread++) {
        quick[thread] = (ldp_quick){.room = n_quick};
        quick[thread].row = rc_room((size_t)n_quick, sizeof(ldp_quick_row));
    }
    for (int c = i; c < t->n_chains; c += t->n_slots) {
        ldp_chain *const run = &t->chains[c].run;
        run->at.noise = rc_new_noise(&family, cells, &t->chains[c].parameters);
        run->at.n_threads = n_threads;
        run->work = work;
        run->parts = parts;
        run->at.quick = quick;
    }
}

rc_team *rc_new_team(const rc_model *model, const rc_data *data, rc_asked asked, SEXP answers) {
    const int n_threads = rc_n_threads(asked.threads);
    const SEXP dispersion = rc_element_or_null(asked.priors, "dispersion");
    rc_team *const t = rc_room(1, sizeof *t);
    *t = (rc_team){.chains = decode_chains(model, data, asked, answers),
                   .n_chains = (int)Rf_xlength(answers)};
    const chain *const first = t->chains;
    const double sweeps = (double)first->run.n_sweeps * t->n_chains;
    t->n_at_once = n_at_once_of(n_threads, t->n_chains, data->n_active * sweeps);
    t->n_slots = first->run.is_shard ? t->n_chains : t->n_at_once;
    t->current = rc_room((size_t)t->n_slots, sizeof *t->current);
    const int within = n_within(data, n_threads, t->n_at_once);
    const int n_quick = data->n_quick > 0 ? data->n_quick : quick_rows(data, &first->parameters);
    for (int i = 0; i < t->n_slots; i++) {
        t->current[i] = i;
        furnish_slot(t, i, dispersion, within, n_quick);
    }
    return t;
}

static void advance_slot(void *state, int i, int thread) {
    const rc_team *const t = state;
    size_t left = CELLS_BETWEEN_CHECKS;
    (void)thread;
    while (left > 0 && t->current[i] < t->n_chains) {
        ldp_chain *const run = &t->chains[t->current[i]].run;
        if (run->n_shared > 0)
            return;
        left = ldp_chain_advance(run, left);
        if (run->sweep == run->n_sweeps)
            t->current[i] += t->n_slots;
    }
}

void rc_advance_team(rc_team *t) {
    ldp_team_run_nested(t->n_at_once, t->n_slots, advance_slot, t);
}

static int rc_run_is_done(const rc_team *t) {
    for (int i = 0; i < t->n_slots; i++)
        if (t->current[i] < t->n_chains)
            return 0;
    return 1;
}

int rc_team_chains(const rc_team *team) {
    return team->n_chains;
}

ldp_chain *rc_team_chain(const rc_team *team, int i) {
    return &team->chains[i].run;
}

void rc_finish_answers(const rc_team *team, SEXP answers) {
    for (int i = 0; i < team->n_chains; i++) {
        const double now = team->chains[i].run.log_density_now;
        if (!ISNAN(now))
            *REAL(VECTOR_ELT(VECTOR_ELT(answers, i), LOG_DENSITY_NOW)) = now;
    }
}

/* If the user interrupts, the results of the unfinished block are discarded. */
SEXP rc_run(const rc_model *model, SEXP cells, rc_asked asked) {
    SEXP answers = PROTECT(rc_new_answers(asked));
    rc_team *const t = rc_new_team(model, rc_decode_data(cells), asked, answers);
    while (!rc_run_is_done(t)) {
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
