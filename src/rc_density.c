/* The log density of releases cell by cell, for the comparison of models: ten digits, at a bounded
 * cost per cell (ldp_quick). */
#include <float.h>
#include <math.h>

#include "ldp_bursts.h"
#include "ldp_quick.h"
#include "rc.h"

/* Series save time if all cells share one noise level and one dispersion. Their number is fixed, so
 * that a density does not depend on which other cells are requested. */
enum { ROWS = 256 };

/* The number of cells in a part, and of parts between two checks for interrupts. */
enum { CELLS_OF_PART = 4096, PARTS_BETWEEN_CHECKS = 256 };

static ldp_quick *open_quick(int n_threads, int is_shared) {
    const size_t n = (size_t)n_threads;
    ldp_quick *const quick = (ldp_quick *)(void *)R_alloc(n, sizeof *quick);
    for (int t = 0; t < n_threads; t++) {
        quick[t] = (ldp_quick){0};
        if (is_shared) {
            quick[t].room = ROWS;
            quick[t].row = (ldp_quick_row *)(void *)R_alloc(ROWS, sizeof(ldp_quick_row));
        }
    }
    return quick;
}

static double density_of(ldp_quick *quick, double k, double mu) {
    const double lambda = mu / quick->size;
    if (isnan(k) || !(mu <= DBL_MAX))
        return isnan(k) || isnan(mu) ? R_NaN : R_NegInf;
    if (quick->alpha <= 0 && k < 0)
        return R_NegInf;
    const double value = ldp_quick_log_density(quick, 1, &k, &lambda);
    return k > 0 || quick->alpha <= 0 ? value : value + quick->log_scale - k * quick->log_alpha;
}

typedef struct job {
    const double *k, *mu, *excess, *alpha;
    int one_excess, one_alpha;
    ldp_quick *quick; /* one per thread */
    double *density;
} job;

static void density_of_cell(const void *state, size_t i, int thread) {
    const job *const j = state;
    ldp_quick *const quick = &j->quick[thread];
    ldp_quick_prepare(quick, j->excess[j->one_excess ? 0 : i], j->alpha[j->one_alpha ? 0 : i]);
    j->density[i] = density_of(quick, j->k[i], j->mu[i]);
}

/* mu: one number per cell; excess (dispersion - 1) and alpha: one number, or one per cell. */
SEXP rc_release_density(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha, SEXP threads) {
    const size_t n = (size_t)Rf_xlength(y_tilde);
    const int n_threads = rc_n_threads(threads);
    job j = {.one_excess = Rf_xlength(excess) == 1, .one_alpha = Rf_xlength(alpha) == 1};
    j.k = rc_numbers(y_tilde, n, RC_ANY, "y_tilde");
    j.mu = rc_numbers(mu, n, RC_ANY, "mu");
    j.excess = rc_numbers(excess, j.one_excess ? 1 : n, RC_NOT_NEGATIVE, "excess");
    j.alpha = rc_numbers(alpha, j.one_alpha ? 1 : n, RC_ALPHA, "alpha");
    j.quick = open_quick(n_threads, j.one_excess && j.one_alpha);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    j.density = REAL(answer);
    rc_share_cells(n, CELLS_OF_PART, PARTS_BETWEEN_CHECKS, n_threads, density_of_cell, &j);
    UNPROTECT(1);
    return answer;
}
