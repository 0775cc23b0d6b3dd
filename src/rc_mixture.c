/* Summaries of the distributions of true counts, averaged over draws, for augment(). */
#include "ldp_mixture.h"
#include "rc.h"

/* A matrix with one row per cell and one column per draw, or one number. */
typedef struct table {
    const double *value;
    R_xlen_t row, column; /* steps */
} table;

static double at(table x, R_xlen_t cell, R_xlen_t draw) {
    return x.value[cell * x.row + draw * x.column];
}

typedef struct job {
    R_xlen_t n, draws;
    const double *k, *alpha, *p;
    table mu, excess;
    const ldp_protection *protection; /* of the cells, or NULL */
    ldp_mixture *mixture; /* one per thread */
    double *answer; /* n x COLUMNS */
} job;

enum { COLUMNS = 4, CELLS_OF_PART = 16, PARTS_BETWEEN_CHECKS = 64 };

static int add_draw(const job *j, ldp_mixture *mixture, R_xlen_t cell, R_xlen_t draw) {
    const double k = j->k[cell], mu = at(j->mu, cell, draw), excess = at(j->excess, cell, draw);
    const double weight = 1 / (double)j->draws;
    if (ISNAN(k))
        return ldp_mixture_add_masked(mixture, mu, excess, weight);
    if (!j->protection)
        return ldp_mixture_add(mixture, k, mu, excess, j->alpha[cell], weight);
    const ldp_behind behind = ldp_protection_behind(j->protection, (size_t)cell, k, mu, excess);
    return ldp_mixture_add_behind(mixture, &behind, weight);
}

static int mix(const job *j, ldp_mixture *mixture, R_xlen_t cell) {
    int done = 1;
    ldp_mixture_begin(mixture);
    for (R_xlen_t s = 0; s < j->draws && done; s++)
        done = add_draw(j, mixture, cell, s);
    return done;
}

static void rc_mixture_summarise(const void *state, size_t cell, int thread) {
    const job *const j = state;
    const R_xlen_t i = (R_xlen_t)cell;
    ldp_mixture *const mixture = &j->mixture[thread];
    const int done = mix(j, mixture, i);
    j->answer[i] = done ? ldp_mixture_mean(mixture) : NA_REAL;
    j->answer[i + j->n] = done ? ldp_mixture_quantile(mixture, j->p[0]) : NA_REAL;
    j->answer[i + 2 * j->n] = done ? ldp_mixture_quantile(mixture, j->p[1]) : NA_REAL;
    j->answer[i + 3 * j->n] = done ? mixture->mass[0] : NA_REAL;
}

static ldp_mixture *new_mixtures(int n_threads) {
    const size_t n = (size_t)n_threads;
    ldp_mixture *const mixtures = (ldp_mixture *)(void *)R_alloc(n, sizeof *mixtures);
    for (int t = 0; t < n_threads; t++)
        mixtures[t] = (ldp_mixture){rc_doubles(LDP_MIXTURE_ROOM), rc_doubles(LDP_MIXTURE_ROOM), 0};
    return mixtures;
}

/* One row per cell: the mean, the quantiles at p[0] and p[1], and P(0); NA if a cell cannot be
 * computed by ldp_mixture. A cell with y_tilde NA is masked. mu: a matrix with one column per draw;
 * excess (dispersion - 1): the same, or one number; alpha > 0: one number per cell.
 * mechanism: as in new_cells() of R/model-data.R, with one level per cell, or NULL. */
SEXP rc_truth(SEXP y_tilde, SEXP alpha, SEXP mu, SEXP excess, SEXP mechanism, SEXP p,
              SEXP threads) {
    const rc_shape shape = rc_shape_of(mu, "mu");
    const R_xlen_t n = shape.rows;
    const size_t cells = (size_t)n, n_mu = cells * (size_t)shape.columns;
    const int one_excess = Rf_xlength(excess) == 1, n_threads = rc_n_threads(threads);
    job j = {.n = n, .draws = shape.columns, .mixture = new_mixtures(n_threads)};
    j.k = rc_numbers(y_tilde, cells, RC_ANY, "y_tilde");
    j.alpha = rc_numbers(alpha, cells, RC_ALPHA, "alpha");
    j.p = rc_numbers(p, 2, RC_FINITE, "p");
    j.protection = rc_decode_protection(mechanism, cells);
    j.mu = (table){rc_matrix(mu, shape.rows, shape.columns, RC_NOT_NEGATIVE, "mu"), 1, n};
    j.excess = (table){rc_numbers(excess, one_excess ? 1 : n_mu, RC_NOT_NEGATIVE, "excess"),
                       one_excess ? 0 : 1, one_excess ? 0 : n};
    const SEXP answer = PROTECT(Rf_allocMatrix(REALSXP, shape.rows, COLUMNS));
    j.answer = REAL(answer);
    rc_share_cells(cells, CELLS_OF_PART, PARTS_BETWEEN_CHECKS, n_threads, rc_mixture_summarise, &j);
    UNPROTECT(1);
    return answer;
}
