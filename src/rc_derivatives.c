/* Derivatives of the log density of released counts, and their Fisher information, for regressions.
 */
#include <math.h>

#include "ldp_derivatives.h"
#include "ldp_information.h"
#include "rc.h"

/* One number per cell, or one for all. */
static double cell_of(SEXP x, R_xlen_t i) {
    return REAL_RO(x)[Rf_xlength(x) == 1 ? 0 : i];
}

static void require_cells(SEXP x, R_xlen_t n) {
    rc_require(TYPEOF(x) == REALSXP && (Rf_xlength(x) == n || Rf_xlength(x) == 1), "cells");
}

static void check_interrupt(R_xlen_t i) {
    if (i % 64 == 63)
        R_CheckUserInterrupt();
}

static int is_cell(double mu) {
    return mu > 0 && isfinite(mu);
}

/* Derivatives of the log density of all cells, one vector per derivative, in the order of
 * ldp_derivative; NaN where mu is not positive and finite. */
SEXP rc_derivatives(SEXP y_tilde, SEXP mu, SEXP excess, SEXP alpha, SEXP level) {
    const R_xlen_t n = Rf_xlength(mu);
    const int order = Rf_asInteger(level);
    const int n_derivatives = order == 0   ? LDP_N_LEVEL_0
                              : order == 1 ? LDP_N_LEVEL_1
                                           : LDP_N_LEVEL_2;
    require_cells(y_tilde, n);
    require_cells(mu, n);
    require_cells(alpha, n);
    const double e = Rf_asReal(excess);
    const SEXP answer = PROTECT(Rf_allocVector(VECSXP, n_derivatives));
    double *to[LDP_N_LEVEL_2], d[LDP_N_LEVEL_2];
    for (int j = 0; j < n_derivatives; j++) {
        SET_VECTOR_ELT(answer, j, Rf_allocVector(REALSXP, n));
        to[j] = REAL(VECTOR_ELT(answer, j));
    }
    for (R_xlen_t i = 0; i < n; i++) {
        const double mean = REAL_RO(mu)[i];
        check_interrupt(i);
        if (is_cell(mean))
            ldp_derivatives(cell_of(y_tilde, i), mean, e, cell_of(alpha, i), order, d);
        for (int j = 0; j < n_derivatives; j++)
            to[j][i] = is_cell(mean) ? d[j] : R_NaN;
    }
    UNPROTECT(1);
    return answer;
}

/* The largest log density of each cell over all means. */
SEXP rc_saturated(SEXP y_tilde, SEXP excess, SEXP alpha) {
    const R_xlen_t n = Rf_xlength(y_tilde);
    rc_require(TYPEOF(y_tilde) == REALSXP, "cells");
    require_cells(alpha, n);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        REAL(answer)[i] = ldp_saturated(REAL_RO(y_tilde)[i], Rf_asReal(excess), cell_of(alpha, i));
    }
    UNPROTECT(1);
    return answer;
}

/* The information of each cell about log(mu). */
SEXP rc_information(SEXP mu, SEXP excess, SEXP alpha) {
    const R_xlen_t n = Rf_xlength(mu);
    rc_require(TYPEOF(mu) == REALSXP, "cells");
    require_cells(alpha, n);
    double *const work = (double *)R_alloc(LDP_INFORMATION_ROOM, sizeof(double));
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        const double mean = REAL_RO(mu)[i];
        check_interrupt(i);
        REAL(answer)
        [i] = is_cell(mean)
                  ? ldp_information(fmax(mean, 1e-99), Rf_asReal(excess), cell_of(alpha, i), work)
                  : R_NaN;
    }
    UNPROTECT(1);
    return answer;
}
