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

rc_parameters rc_decode_parameters(const ldp_cells *cells, SEXP factors, SEXP noise_state) {
    const SEXP excess = rc_element_or_null(factors, "excess");
    const size_t n = cells->active.start[cells->D];
    /* the rows of an empty shard have none */
    rc_parameters parameters = {.by_row = !Rf_isNull(excess) && Rf_xlength(excess) != 1};
    if (!Rf_isNull(excess))
        parameters.excess =
            rc_numbers(excess, parameters.by_row ? (size_t)cells->D : 1, RC_POSITIVE, "excess");
    else if (!Rf_isNull(noise_state))
        parameters.bessel = (ldp_bessel_state){
            rc_numbers(rc_element(noise_state, "g1"), n, RC_NOT_NEGATIVE, "noise"),
            rc_numbers(rc_element(noise_state, "g2"), n, RC_NOT_NEGATIVE, "noise")};
    return parameters;
}

/* For each row, the number of counts that may be above 1 in the rows before it. */
static const size_t *places_before(const ldp_cells *cells) {
    if (!cells->code)
        return cells->active.start;
    size_t *const places = rc_room((size_t)cells->D + 1, sizeof *places);
    for (int d = 0; d <= cells->D; d++)
        places[d] = (size_t)d * (size_t)cells->V;
    return places;
}

/* The exposures and the parameters belong to a chain, and the state of its draws to a thread. */
static ldp_nbinom1_state new_nbinom1(const ldp_cells *cells, SEXP dispersion) {
    const size_t D = (size_t)cells->D;
    ldp_nbinom1_state state = {.D = cells->D, .first = places_before(cells)};
    if (!Rf_isNull(dispersion)) {
        state.shape1 = rc_number(rc_element(dispersion, "shape1"), RC_POSITIVE, "prior");
        state.shape2 = rc_number(rc_element(dispersion, "shape2"), RC_POSITIVE, "prior");
        state.rows = new_rows(cells->D);
        state.above = new_cells(state.first[D]);
        state.answers = rc_doubles(LDP_ANSWERS * (size_t)ldp_parts(cells->D_all));
    }
    return state;
}

rc_family rc_new_family(const ldp_cells *cells, rc_parameters like, SEXP dispersion,
                        int n_threads) {
    rc_family family = {.n_threads = n_threads};
    if (!like.excess)
        return family;
    family.nbinom1 = new_nbinom1(cells, dispersion);
    family.law = rc_room((size_t)n_threads, sizeof *family.law);
    for (int t = 0; t < n_threads; t++)
        family.law[t] = (ldp_rtruenbinom_law){.bound = rc_doubles(LDP_RTRUENBINOM_BOUNDS),
                                              .lower = rc_doubles(LDP_RTRUENBINOM_BOUNDS)};
    return family;
}

/* Threads share the exposures, and each has its own state. */
static void set_nbinom1(ldp_noise *noise, const rc_family *family, const ldp_cells *cells,
                        const rc_parameters *parameters, double *rest, double *active) {
    const size_t D = (size_t)cells->D;
    ldp_nbinom1_state *const state = rc_room((size_t)family->n_threads, sizeof *state);
    for (int t = 0; t < family->n_threads; t++) {
        state[t] = family->nbinom1;
        state[t].excess = parameters->excess;
        state[t].by_row = parameters->by_row;
        state[t].rest = rest;
        state[t].exposure = active;
        state[t].law = family->law[t];
    }
    for (int t = 0; t < family->n_threads; t++) {
        if (t > 0)
            noise[t] = noise[0];
        else if (cells->code)
            noise[t] = ldp_noise_nbinom1_tokens(cells->alpha, state, rc_doubles(D), rc_doubles(D));
        else
            noise[t] = ldp_noise_nbinom1(cells->alpha, state);
        noise[t].state = noise[t].reader.state = &state[t];
    }
}

ldp_noise *rc_new_noise(const rc_family *family, const ldp_cells *cells,
                        rc_parameters *parameters) {
    const int D = cells->D;
    double *const rest = rc_doubles((size_t)D), *const active = rc_doubles((size_t)D);
    ldp_noise *const noise = rc_room((size_t)family->n_threads, sizeof *noise);
    rc_require(!cells->code || !parameters->bessel.g1, "code");
    if (parameters->excess) {
        set_nbinom1(noise, family, cells, parameters, rest, active);
        return noise;
    }
    if (cells->code)
        noise[0] = ldp_noise_tokens(D, cells->alpha, rest, rc_doubles((size_t)D), active);
    else if (parameters->bessel.g1)
        noise[0] = ldp_noise_bessel(D, &parameters->bessel, rest, active);
    else
        noise[0] = ldp_noise_collapsed(D, cells->alpha, rest, active);
    for (int t = 1; t < family->n_threads; t++)
        noise[t] = noise[0];
    return noise;
}
