#include "rc.h"

/* All zero. */
static ldp_nbinom1_row *new_rows(int n) {
    ldp_nbinom1_row *const rows = rc_room((size_t)n, sizeof *rows);
    for (int d = 0; d < n; d++)
        rows[d] = (ldp_nbinom1_row){0};
    return rows;
}

/* Room for every active cell; the operating system provides only the memory that is used, which is
 * much less. */
static ldp_nbinom1_cell *new_cells(size_t n) {
    return rc_room(n + 1, sizeof(ldp_nbinom1_cell));
}

/* All fields except the excess, which belongs to a chain. */
static ldp_nbinom1_state new_nbinom1(const ldp_cells *cells, SEXP dispersion) {
    const size_t D = (size_t)cells->D;
    ldp_nbinom1_state state = {.D = cells->D, .first = cells->active.start};
    state.rest = rc_doubles(D);
    state.exposure = rc_doubles(D);
    if (!Rf_isNull(dispersion)) {
        state.shape1 = rc_number(rc_element(dispersion, "shape1"), RC_POSITIVE, "prior");
        state.shape2 = rc_number(rc_element(dispersion, "shape2"), RC_POSITIVE, "prior");
        state.mean_shape1 = state.shape1;
        state.mean_shape2 = state.shape2;
        state.rows = new_rows(cells->D);
        state.above = new_cells(cells->active.start[D]);
        state.answers = rc_doubles(LDP_ANSWERS * (size_t)ldp_parts(cells->D_all));
    }
    return state;
}

rc_parameters rc_decode_parameters(const ldp_cells *cells, SEXP factors, SEXP noise_state) {
    const SEXP excess = rc_element_or_null(factors, "excess");
    const size_t n = cells->active.start[cells->D];
    /* the rows of an empty shard have none */
    rc_parameters parameters = {.by_row = !Rf_isNull(excess) && Rf_xlength(excess) != 1};
    const SEXP pooled = rc_element_or_null(factors, "pooled");
    if (!Rf_isNull(pooled) && parameters.by_row)
        parameters.pooled = rc_numbers(pooled, 2, RC_POSITIVE, "pooled");
    if (!Rf_isNull(excess))
        parameters.excess =
            rc_numbers(excess, parameters.by_row ? (size_t)cells->D : 1, RC_POSITIVE, "excess");
    else if (!Rf_isNull(noise_state))
        parameters.bessel = (ldp_bessel_state){
            rc_numbers(rc_element(noise_state, "g1"), n, RC_NOT_NEGATIVE, "noise"),
            rc_numbers(rc_element(noise_state, "g2"), n, RC_NOT_NEGATIVE, "noise")};
    return parameters;
}

rc_family rc_new_family(const ldp_cells *cells, rc_parameters like, SEXP dispersion,
                        int n_threads) {
    const size_t n = (size_t)n_threads;
    rc_family family = {.n_threads = n_threads};
    family.noise = rc_room(n, sizeof *family.noise);
    if (!like.excess) {
        family.rest = rc_doubles((size_t)cells->D);
        family.active = rc_doubles((size_t)cells->D);
        family.ones = rc_doubles((size_t)cells->D);
        return family;
    }
    const ldp_nbinom1_state shared = new_nbinom1(cells, dispersion);
    family.nbinom1 = rc_room(n, sizeof *family.nbinom1);
    for (int t = 0; t < n_threads; t++) {
        family.nbinom1[t] = shared;
        family.nbinom1[t].law.bound = rc_doubles(LDP_RTRUENBINOM_BOUNDS);
        family.nbinom1[t].law.lower = rc_doubles(LDP_RTRUENBINOM_BOUNDS);
    }
    return family;
}

static ldp_noise first_noise(rc_family *family, const ldp_cells *cells, rc_parameters *parameters) {
    rc_require(!cells->by_tokens || (!family->nbinom1 && !parameters->bessel.g1), "by_tokens");
    if (cells->by_tokens)
        return ldp_noise_tokens(cells->D, cells->alpha, family->rest, family->ones, family->active);
    if (family->nbinom1)
        return ldp_noise_nbinom1(cells->alpha, family->nbinom1);
    if (parameters->bessel.g1)
        return ldp_noise_bessel(cells->D, &parameters->bessel, family->rest, family->active);
    return ldp_noise_collapsed(cells->D, cells->alpha, family->rest, family->active);
}

/* Threads share the exposures, and each has its own state. */
void rc_set_family(rc_family *family, const ldp_cells *cells, rc_parameters *parameters) {
    for (int t = 0; t < family->n_threads && family->nbinom1; t++) {
        family->nbinom1[t].excess = parameters->excess;
        family->nbinom1[t].by_row = parameters->by_row;
        family->nbinom1[t].pooled = parameters->pooled;
        if (parameters->pooled) {
            family->nbinom1[t].shape1 = parameters->pooled[0];
            family->nbinom1[t].shape2 = parameters->pooled[1];
        }
    }
    family->noise[0] = first_noise(family, cells, parameters);
    for (int t = 1; t < family->n_threads; t++) {
        family->noise[t] = family->noise[0];
        if (family->nbinom1)
            family->noise[t].state = family->noise[t].reader.state = &family->nbinom1[t];
    }
}
