#include <stdio.h>

#include "ldp_tensor.h"
#include "rc.h"

const char *rc_mode_name(int m, char name[RC_MODE_NAME]) {
    snprintf(name, RC_MODE_NAME, "theta%d", m + 1);
    return name;
}

void rc_require_modes(int M, const int *n, const ldp_cells *cells) {
    double columns = 1;
    for (int m = 1; m < M; m++)
        columns *= n[m];
    rc_require(M >= 2 && n[0] == cells->D && columns <= cells->V && columns >= cells->V, "dim");
}

/* Decodes theta1, theta2 and so on, for as many modes as there are; their priors are set later. */
static void decode_modes(ldp_tensor *model, const ldp_cells *cells, SEXP factors) {
    int n[LDP_MODES];
    for (int m = 0; m < LDP_MODES; m++) {
        char name[RC_MODE_NAME];
        const SEXP theta = rc_element_or_null(factors, rc_mode_name(m, name));
        if (Rf_isNull(theta))
            break;
        const rc_shape shape = rc_shape_of(theta, name);
        model->K = m > 0 ? model->K : shape.rows;
        n[m] = shape.columns;
        model->mode[m] = (ldp_tensor_mode){
            n[m], {0, 0, 0, 0, 0, 0}, rc_matrix(theta, model->K, n[m], RC_WEIGHTS, name)};
        model->M = m + 1;
    }
    rc_require_modes(model->M, n, cells);
}

/* factors: theta1 (K x n1), theta2 (K x n2) and so on, rate (M) and shape (M) if that of a prior
 * is estimated, groups (K x levels) if the indices of mode 1 have groups, excess (1, or one per row
 * or index of the last mode) if counts are negative binomial, and pool (2) if it is one per such
 * index. */
static void *rc_tensor_decode(const void *reflect, const ldp_cells *cells, SEXP factors,
                              SEXP priors) {
    ldp_tensor *const model = rc_room(1, sizeof *model);
    *model = (ldp_tensor){.reflect = *(const double *)reflect};
    decode_modes(model, cells, factors);
    const rc_hyper hyper = rc_decode_hyper(factors, model->M);
    model->rates = hyper.rates;
    model->shapes = hyper.shapes;
    model->n_levels = rc_n_levels(cells, factors);
    model->groups = rc_groups(factors, priors, model->K, cells->D);
    for (int m = 0; m < model->M; m++) {
        char name[RC_MODE_NAME];
        model->mode[m].prior = rc_decode_prior(priors, rc_mode_name(m, name), hyper);
    }
    return model;
}

/* See rc_run. `reflect`: ldp_gamma_move. */
SEXP rc_tensor_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads) {
    const double how_often = rc_number(reflect, RC_NOT_NEGATIVE, "reflect");
    const rc_model model = {&ldp_tensor_kernel, rc_tensor_decode, &how_often};
    return rc_run(&model, cells, (rc_asked){chains, priors, n_sweeps, keep, watch, threads});
}

SEXP rc_tensor_shard(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads) {
    const double how_often = rc_number(reflect, RC_NOT_NEGATIVE, "reflect");
    const rc_model model = {&ldp_tensor_kernel, rc_tensor_decode, &how_often};
    return rc_open_shard(&model, cells, (rc_asked){chains, priors, n_sweeps, keep, watch, threads});
}
