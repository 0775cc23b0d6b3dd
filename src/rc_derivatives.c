/* Derivatives of the log density of released counts, and their Fisher information, for regressions.
 */
#include <math.h>

#include "ldp_derivatives.h"
#include "ldp_information.h"
#include "rc.h"

/* The number of cells in a part, and of parts between two checks for interrupts. */
enum { CELLS_OF_PART = 256, PARTS_BETWEEN_CHECKS = 64 };

typedef struct job {
    const double *y_tilde, *mu, *alpha;
    int one_y_tilde, one_alpha; /* one for all cells */
    double excess;
    int level, n_derivatives;
    double *answer[LDP_N_LEVEL_2];
    double *work; /* LDP_INFORMATION_ROOM numbers per thread */
} job;

static double y_tilde_of(const job *j, size_t i) {
    return j->y_tilde[j->one_y_tilde ? 0 : i];
}

static double alpha_of(const job *j, size_t i) {
    return j->alpha[j->one_alpha ? 0 : i];
}

static int is_cell(double mu) {
    return mu > 0 && isfinite(mu);
}

static const double *numbers_of_cells(SEXP x, size_t n) {
    const size_t length = (size_t)Rf_xlength(x);
    rc_require(TYPEOF(x) == REALSXP && (length == n || length == 1), "cells");
    return REAL_RO(x);
}

static job open_job(SEXP excess, SEXP alpha, size_t n) {
    return (job){.excess = Rf_asReal(excess),
                 .alpha = numbers_of_cells(alpha, n),
                 .one_alpha = Rf_xlength(alpha) == 1};
}

/* No more threads than parts. */
static int find_n_threads(SEXP threads) {
    const int n_threads = rc_n_threads(threads);
    return n_threads < PARTS_BETWEEN_CHECKS ? n_threads : PARTS_BETWEEN_CHECKS;
}

static void share_cells(const job *j, size_t n, int n_threads, rc_cell_task task) {
    rc_share_cells(n, CELLS_OF_PART, PARTS_BETWEEN_CHECKS, n_threads, task, j);
}

static void derivatives_of_cell(const void *state, size_t i, int thread) {
    const job *const j = state;
    (void)thread;
    double d[LDP_N_LEVEL_2];
    const int inside = is_cell(j->mu[i]);
    if (inside)
        ldp_derivatives(y_tilde_of(j, i), j->mu[i], j->excess, alpha_of(j, i), j->level, d);
    for (int a = 0; a < j->n_derivatives; a++)
        j->answer[a][i] = inside ? d[a] : R_NaN;
}

/* Derivatives of the log density of all cells, one vector per derivative, in the order of
 * ldp_derivative; NaN where mu is not positive and finite. */
SEXP rc_derivatives(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha, SEXP level, SEXP threads) {
    const size_t n = (size_t)Rf_xlength(mu);
    const int order = Rf_asInteger(level);
    job j = open_job(excess, alpha, n);
    j.level = order;
    j.n_derivatives = order == 0 ? LDP_N_LEVEL_0 : order == 1 ? LDP_N_LEVEL_1 : LDP_N_LEVEL_2;
    j.y_tilde = numbers_of_cells(y_tilde, n);
    j.one_y_tilde = Rf_xlength(y_tilde) == 1;
    j.mu = numbers_of_cells(mu, n);
    const SEXP answer = PROTECT(Rf_allocVector(VECSXP, j.n_derivatives));
    for (int a = 0; a < j.n_derivatives; a++) {
        SET_VECTOR_ELT(answer, a, Rf_allocVector(REALSXP, (R_xlen_t)n));
        j.answer[a] = REAL(VECTOR_ELT(answer, a));
    }
    share_cells(&j, n, find_n_threads(threads), derivatives_of_cell);
    UNPROTECT(1);
    return answer;
}

static void saturated_of_cell(const void *state, size_t i, int thread) {
    const job *const j = state;
    (void)thread;
    j->answer[0][i] = ldp_saturated(y_tilde_of(j, i), j->excess, alpha_of(j, i));
}

/* The largest log density of each cell over all means. */
SEXP rc_saturated(SEXP y_tilde, SEXP excess, SEXP alpha, SEXP threads) {
    const size_t n = (size_t)Rf_xlength(y_tilde);
    job j = open_job(excess, alpha, n);
    j.y_tilde = numbers_of_cells(y_tilde, n);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    j.answer[0] = REAL(answer);
    share_cells(&j, n, find_n_threads(threads), saturated_of_cell);
    UNPROTECT(1);
    return answer;
}

static void information_of_cell(const void *state, size_t i, int thread) {
    const job *const j = state;
    double *const work = j->work + (size_t)thread * LDP_INFORMATION_ROOM;
    const double mu = j->mu[i];
    j->answer[0][i] =
        is_cell(mu) ? ldp_information(fmax(mu, 1e-99), j->excess, alpha_of(j, i), work) : R_NaN;
}

/* The information of each cell about log(mu). */
SEXP rc_information(SEXP mu, SEXP excess, SEXP alpha, SEXP threads) {
    const size_t n = (size_t)Rf_xlength(mu);
    const int n_threads = find_n_threads(threads);
    job j = open_job(excess, alpha, n);
    j.mu = numbers_of_cells(mu, n);
    j.work = (double *)(void *)R_alloc((size_t)n_threads * LDP_INFORMATION_ROOM, sizeof(double));
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    j.answer[0] = REAL(answer);
    share_cells(&j, n, n_threads, information_of_cell);
    UNPROTECT(1);
    return answer;
}
