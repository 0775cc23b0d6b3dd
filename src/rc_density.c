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

static ldp_quick open_quick(int is_shared) {
    ldp_quick quick = {0};
    if (is_shared) {
        quick.room = ROWS;
        quick.row = (ldp_quick_row *)(void *)R_alloc(ROWS, sizeof(ldp_quick_row));
    }
    return quick;
}

static double density_of(ldp_quick *quick, double k, double mu) {
    const double lambda = mu / ldp_bursts_size(quick->excess);
    if (isnan(k) || !(mu <= DBL_MAX))
        return isnan(k) || isnan(mu) ? R_NaN : R_NegInf;
    if (quick->alpha <= 0 && k < 0)
        return R_NegInf;
    const double value = ldp_quick_log_density(quick, 1, &k, &lambda);
    return k > 0 || quick->alpha <= 0 ? value : value + quick->log_scale - k * quick->log_alpha;
}

/* mu: one number per cell; excess (dispersion - 1) and alpha: one number, or one per cell. */
SEXP rc_release_density(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha) {
    const R_xlen_t n = Rf_xlength(y_tilde);
    const int one_excess = Rf_xlength(excess) == 1, one_alpha = Rf_xlength(alpha) == 1;
    const size_t cells = (size_t)n;
    const double *const k = rc_numbers(y_tilde, cells, RC_ANY, "y_tilde");
    const double *const means = rc_numbers(mu, cells, RC_ANY, "mu");
    const double *const extra =
        rc_numbers(excess, one_excess ? 1 : cells, RC_NOT_NEGATIVE, "excess");
    const double *const ratio = rc_numbers(alpha, one_alpha ? 1 : cells, RC_ALPHA, "alpha");
    ldp_quick quick = open_quick(one_excess && one_alpha);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        if (i % 10000 == 0)
            R_CheckUserInterrupt();
        ldp_quick_prepare(&quick, extra[one_excess ? 0 : i], ratio[one_alpha ? 0 : i]);
        REAL(answer)[i] = density_of(&quick, k[i], means[i]);
    }
    UNPROTECT(1);
    return answer;
}
