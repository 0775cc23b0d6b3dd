#include "rc.h"

/* All zero. */
static ldp_nbinom1_row *new_rows(int n) {
    ldp_nbinom1_row *const rows = (ldp_nbinom1_row *)(void *)R_alloc((size_t)n, sizeof *rows);
    for (int d = 0; d < n; d++)
        rows[d] = (ldp_nbinom1_row){0};
    return rows;
}

/* Room for every active cell; the operating system provides only the memory that is used, which is
 * much less. */
static ldp_nbinom1_cell *new_cells(size_t n) {
    return (ldp_nbinom1_cell *)(void *)R_alloc(n + 1, sizeof(ldp_nbinom1_cell));
}

static ldp_nbinom1_state decode_nbinom1(const ldp_cells *cells, SEXP excess, SEXP dispersion) {
    const int D = cells->D, by_row = Rf_xlength(excess) > 1;
    ldp_nbinom1_state state = {
        .D = D,
        .excess = rc_numbers(excess, by_row ? (size_t)D : 1, RC_POSITIVE, "excess"),
        .by_row = by_row};
    state.rest = rc_doubles((size_t)D);
    state.exposure = rc_doubles((size_t)D);
    state.pause = R_CheckUserInterrupt;
    state.law.bound = rc_doubles(LDP_RTRUENBINOM_BOUNDS);
    state.law.lower = rc_doubles(LDP_RTRUENBINOM_BOUNDS);
    if (!Rf_isNull(dispersion)) {
        state.shape1 = rc_number(rc_element(dispersion, "shape1"), RC_POSITIVE, "prior");
        state.shape2 = rc_number(rc_element(dispersion, "shape2"), RC_POSITIVE, "prior");
        state.rows = new_rows(D);
        state.above = new_cells(cells->active.start[D]);
    }
    return state;
}

ldp_noise *rc_decode_family(rc_family *family, const ldp_cells *cells, SEXP factors,
                            SEXP dispersion, SEXP noise_state) {
    const SEXP excess = rc_element_or_null(factors, "excess");
    if (!Rf_isNull(excess)) {
        family->nbinom1 = decode_nbinom1(cells, excess, dispersion);
        family->noise = ldp_noise_nbinom1(cells->alpha, &family->nbinom1);
        return &family->noise;
    }
    double *const rest = rc_doubles((size_t)cells->D), *const active = rc_doubles((size_t)cells->D);
    if (Rf_isNull(noise_state)) {
        family->noise = ldp_noise_collapsed(cells->D, cells->alpha, rest, active);
        return &family->noise;
    }
    const size_t n = cells->active.start[cells->D];
    family->bessel =
        (ldp_bessel_state){rc_numbers(rc_element(noise_state, "g1"), n, RC_NOT_NEGATIVE, "noise"),
                           rc_numbers(rc_element(noise_state, "g2"), n, RC_NOT_NEGATIVE, "noise")};
    family->noise = ldp_noise_bessel(cells->D, &family->bessel, rest, active);
    return &family->noise;
}
