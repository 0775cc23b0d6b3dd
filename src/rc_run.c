/* The loop over sweeps, once for all models. */
#include <string.h>

#include "rc.h"

/* One array per factor: the factor's dimensions, then one place per kept draw. */
static SEXP allocate_draws(SEXP factors, R_xlen_t n_keep) {
    const R_xlen_t n = Rf_xlength(factors);
    SEXP draws = PROTECT(Rf_allocVector(VECSXP, n));
    for (R_xlen_t f = 0; f < n; f++) {
        const int *const dim = INTEGER_RO(Rf_getAttrib(VECTOR_ELT(factors, f), R_DimSymbol));
        SET_VECTOR_ELT(draws, f, Rf_alloc3DArray(REALSXP, dim[0], dim[1], (int)n_keep));
    }
    Rf_setAttrib(draws, R_NamesSymbol, Rf_getAttrib(factors, R_NamesSymbol));
    UNPROTECT(1);
    return draws;
}

static void keep_draw(SEXP draws, SEXP factors, R_xlen_t place) {
    for (R_xlen_t f = 0; f < Rf_xlength(factors); f++) {
        const SEXP factor = VECTOR_ELT(factors, f);
        const R_xlen_t n = Rf_xlength(factor);
        memcpy(REAL(VECTOR_ELT(draws, f)) + place * n, REAL_RO(factor), (size_t)n * sizeof(double));
    }
}

static ldp_noise decode_noise(const ldp_cells *cells, SEXP noise_state, ldp_bessel_state *bessel) {
    double *const rest = (double *)(void *)R_alloc((size_t)cells->D, sizeof(double));
    double *const excess = (double *)(void *)R_alloc((size_t)cells->D, sizeof(double));
    if (Rf_isNull(noise_state))
        return ldp_noise_collapsed(cells->D, cells->alpha, rest, excess);
    bessel->g1 = REAL(rc_element(noise_state, "g1"));
    bessel->g2 = REAL(rc_element(noise_state, "g2"));
    return ldp_noise_bessel(cells->D, bessel, rest, excess);
}

SEXP rc_run(rc_sweep sweep, const void *model, size_t work, const ldp_cells *cells, SEXP factors,
            SEXP noise_state, SEXP n_sweeps, SEXP keep) {
    static const char *const names[] = {"factors", "noise", "draws", ""};
    const int n = Rf_asInteger(n_sweeps);
    const int *const kept = INTEGER_RO(keep);
    const R_xlen_t n_keep = Rf_xlength(keep);
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP draws = PROTECT(allocate_draws(factors, n_keep));
    noise_state = PROTECT(Rf_duplicate(noise_state));
    ldp_bessel_state bessel;
    const ldp_noise noise = decode_noise(cells, noise_state, &bessel);
    double *const buffer = (double *)(void *)R_alloc(work, sizeof(double));

    GetRNGstate();
    R_xlen_t place = 0;
    for (int i = 1; i <= n; i++) {
        sweep(model, cells, &noise, buffer);
        if (place < n_keep && kept[place] == i)
            keep_draw(draws, factors, place++);
    }
    PutRNGstate();

    SET_VECTOR_ELT(answer, 0, factors);
    SET_VECTOR_ELT(answer, 1, noise_state);
    SET_VECTOR_ELT(answer, 2, draws);
    UNPROTECT(3);
    return answer;
}
