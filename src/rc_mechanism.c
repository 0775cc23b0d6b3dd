/* True counts and releases under any mechanism, one value per element of the arguments. */
#include <math.h>

#include "ldp_behind.h"
#include "ldp_behind_derivatives.h"
#include "rc.h"

/* list(kind =, parameters =, below =): `parameters` is a list with the numbers of each level, and
 * `below` has one number per level. */
rc_mechanisms rc_decode_mechanisms(SEXP mechanism) {
    const SEXP parameters = rc_element(mechanism, "parameters");
    const R_xlen_t n = Rf_xlength(parameters);
    const int kind = *rc_integers(rc_element(mechanism, "kind"), 1, 0, LDP_KINDS - 1, "mechanism");
    const double *const below =
        rc_numbers(rc_element(mechanism, "below"), (size_t)n, RC_ANY, "mechanism");
    rc_require(TYPEOF(parameters) == VECSXP && n > 0, "mechanism");
    ldp_mechanism *const levels = rc_room((size_t)n, sizeof *levels);
    for (R_xlen_t i = 0; i < n; i++) {
        const SEXP numbers = VECTOR_ELT(parameters, i);
        const size_t length = (size_t)Rf_xlength(numbers);
        rc_require(length > 0, "mechanism");
        levels[i] = ldp_mechanism_make((ldp_mechanism_kind)kind, (int)length,
                                       rc_numbers(numbers, length, RC_ANY, "mechanism"), below[i]);
    }
    return (rc_mechanisms){(int)n, levels};
}

const ldp_protection *rc_decode_protection(SEXP mechanism, size_t n) {
    if (Rf_isNull(mechanism))
        return NULL;
    const rc_mechanisms decoded = rc_decode_mechanisms(mechanism);
    const SEXP level = rc_element(mechanism, "level");
    ldp_protection *const protection = rc_room(1, sizeof *protection);
    *protection = (ldp_protection){.levels = decoded.level};
    if (!Rf_isNull(level))
        protection->level = rc_integers(level, n, 0, decoded.n - 1, "mechanism");
    return protection;
}

/* One number, or one per element. */
typedef struct column {
    const double *value;
    int is_one;
} column;

static column decode_column(SEXP x, size_t n, rc_values values, const char *what) {
    const int is_one = Rf_xlength(x) == 1;
    return (column){rc_numbers(x, is_one ? 1 : n, values, what), is_one};
}

static double element(column x, size_t i) {
    return x.value[x.is_one ? 0 : i];
}

typedef struct job {
    rc_mechanisms mechanisms;
    const int *level; /* NULL if there is one */
    column release, mu, excess, x;
    ldp_event event;
    size_t n;
    double *answer;
} job;

static ldp_behind open_behind(const job *j, size_t i) {
    const ldp_mechanism *const mechanism = &j->mechanisms.level[j->level ? j->level[i] : 0];
    const ldp_evidence evidence = ldp_evidence_of(mechanism, j->event, element(j->release, i));
    return ldp_behind_open(evidence, element(j->mu, i), element(j->excess, i));
}

static void mass_of(const void *state, size_t i, int thread) {
    const job *const j = state;
    const ldp_behind behind = open_behind(j, i);
    (void)thread;
    j->answer[i] = ldp_behind_log_mass(&behind);
}

static void pmf_of(const void *state, size_t i, int thread) {
    const job *const j = state;
    const ldp_behind behind = open_behind(j, i);
    const double y = element(j->x, i);
    (void)thread;
    if (behind.low > behind.high)
        j->answer[i] = R_NaN;
    else if (y < behind.low || y > behind.high || floor(y) < y)
        j->answer[i] = R_NegInf;
    else
        j->answer[i] = ldp_behind_log(&behind, y) - ldp_behind_log_mass(&behind);
}

static void cdf_of(const job *j, size_t i, int lower) {
    const ldp_behind behind = open_behind(j, i);
    j->answer[i] = behind.low > behind.high
                       ? R_NaN
                       : ldp_behind_log_cdf(&behind, floor(element(j->x, i) + 1e-7), lower);
}

static void lower_of(const void *state, size_t i, int thread) {
    (void)thread;
    cdf_of(state, i, 1);
}

static void upper_of(const void *state, size_t i, int thread) {
    (void)thread;
    cdf_of(state, i, 0);
}

/* The cumulant of which x is the order. */
static void cumulant_of(const void *state, size_t i, int thread) {
    const job *const j = state;
    const ldp_behind behind = open_behind(j, i);
    const double order = element(j->x, i);
    double cumulant[LDP_CUMULANTS];
    (void)thread;
    j->answer[i] = R_NaN;
    if (behind.low > behind.high || !(order >= 1 && order <= LDP_CUMULANTS))
        return;
    ldp_behind_cumulants(&behind, cumulant);
    j->answer[i] = cumulant[(int)order - 1];
}

static void draw_all(const job *j) {
    GetRNGstate();
    ldp_stream stream = ldp_stream_open();
    PutRNGstate();
    for (size_t i = 0; i < j->n; i++) {
        ldp_behind behind = open_behind(j, i);
        j->answer[i] = behind.low > behind.high ? R_NaN : ldp_behind_draw(&behind, &stream);
        if (i % 4096 == 4095)
            R_CheckUserInterrupt();
    }
}

/* Values of mass_of() and so on, one per element of `release`. `what`: the place in the list below.
 * `event`: an ldp_event. `level`: of the mechanism, counted from 0, or NULL. */
SEXP rc_mechanism(SEXP what, SEXP mechanism, SEXP level, SEXP event, SEXP release, SEXP mu,
                  SEXP excess, SEXP x, SEXP threads) {
    enum { MASS, PMF, LOWER, UPPER, CUMULANT, DRAW };
    static const rc_cell_task task[] = {mass_of, pmf_of, lower_of, upper_of, cumulant_of};
    const int which = *rc_integers(what, 1, MASS, DRAW, "what");
    job j = {.mechanisms = rc_decode_mechanisms(mechanism), .n = (size_t)Rf_xlength(release)};
    j.event = (ldp_event)*rc_integers(event, 1, LDP_IS, LDP_ABOVE, "event");
    if (!Rf_isNull(level))
        j.level = rc_integers(level, j.n, 0, j.mechanisms.n - 1, "level");
    j.release = decode_column(release, j.n, RC_ANY, "y_tilde");
    j.mu = decode_column(mu, j.n, RC_NOT_NEGATIVE, "mu");
    j.excess = decode_column(excess, j.n, RC_NOT_NEGATIVE, "excess");
    j.x = decode_column(x, j.n, RC_ANY, "x");
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)j.n));
    j.answer = REAL(answer);
    if (which == DRAW)
        draw_all(&j);
    else
        rc_share_cells(j.n, 16, 64, rc_n_threads(threads), task[which], &j);
    UNPROTECT(1);
    return answer;
}

typedef struct slopes {
    job of;
    int order, n_derivatives;
    double *answer[LDP_N_LEVEL_2];
} slopes;

static void derivatives_of(const void *state, size_t i, int thread) {
    const slopes *const s = state;
    const double mu = element(s->of.mu, i);
    int inside = mu > 0 && R_FINITE(mu);
    double d[LDP_N_LEVEL_2];
    (void)thread;
    if (inside) {
        const ldp_behind behind = open_behind(&s->of, i);
        inside = behind.low <= behind.high;
        if (inside)
            ldp_behind_derivatives(&behind, s->order, d);
    }
    for (int a = 0; a < s->n_derivatives; a++)
        s->answer[a][i] = inside ? d[a] : R_NaN;
}

/* Derivatives of the log probabilities of releases, as rc_derivatives() returns them. `order`: 0, 1
 * or 2. */
SEXP rc_mechanism_derivatives(SEXP mechanism, SEXP level, SEXP release, SEXP mu, SEXP excess,
                              SEXP order, SEXP threads) {
    static const int n_derivatives[] = {LDP_N_LEVEL_0, LDP_N_LEVEL_1, LDP_N_LEVEL_2};
    const size_t n = (size_t)Rf_xlength(release);
    slopes s = {.of = {.mechanisms = rc_decode_mechanisms(mechanism), .event = LDP_IS, .n = n}};
    s.order = *rc_integers(order, 1, 0, 2, "level");
    s.n_derivatives = n_derivatives[s.order];
    if (!Rf_isNull(level))
        s.of.level = rc_integers(level, n, 0, s.of.mechanisms.n - 1, "level");
    s.of.release = decode_column(release, n, RC_ANY, "y_tilde");
    s.of.mu = decode_column(mu, n, RC_ANY, "mu");
    s.of.excess = decode_column(excess, n, RC_NOT_NEGATIVE, "excess");
    const SEXP answer = PROTECT(Rf_allocVector(VECSXP, s.n_derivatives));
    for (int a = 0; a < s.n_derivatives; a++) {
        SET_VECTOR_ELT(answer, a, Rf_allocVector(REALSXP, (R_xlen_t)n));
        s.answer[a] = REAL(VECTOR_ELT(answer, a));
    }
    rc_share_cells(n, 16, 64, rc_n_threads(threads), derivatives_of, &s);
    UNPROTECT(1);
    return answer;
}
