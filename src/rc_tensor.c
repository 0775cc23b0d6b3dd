#include <stdio.h>

#include "ldp_tensor.h"
#include "rc.h"

typedef struct sampler {
    ldp_tensor model;
    double *rates; /* of the modes, if one is estimated; otherwise NULL */
} sampler;

static void draw_all(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                     double *work) {
    ldp_tensor_round round = ldp_tensor_open(model, work);
    for (int from = 0, to; from < cells->D; from = to) {
        to = rc_next_range(cells, from);
        ldp_tensor_rows(model, cells, noise, from, to, &round);
    }
    for (int m = 1; m < model->M; m++) {
        ldp_tensor_begin(model, m, &round);
        for (int from = 0, to; from < cells->D; from = to) {
            to = rc_next_range(cells, from);
            ldp_tensor_listed(m, cells, noise, from, to, &round);
        }
        ldp_tensor_draw(model, m, cells, noise, &round);
    }
}

static void sweep(void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    sampler *const s = model;
    draw_all(&s->model, cells, noise, work);
    ldp_tensor_rescale(&s->model, work);
    for (int m = 0; s->rates && m < s->model.M; m++)
        s->rates[m] = s->model.mode[m].prior.rate;
}

static void visit(const void *model, const ldp_cells *cells, ldp_visitor visitor, double *work) {
    ldp_tensor_visit(&((const sampler *)model)->model, cells, visitor, work);
}

static ldp_scalable scalable(const void *model, const ldp_cells *cells) {
    (void)cells;
    return ldp_tensor_scalable(&((const sampler *)model)->model);
}

static const rc_kernel kernel = {sweep, visit, scalable};

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

/* Decodes theta1, theta2 and so on, for as many modes as there are. */
static void decode_modes(sampler *s, const ldp_cells *cells, SEXP factors, SEXP priors) {
    ldp_tensor *const model = &s->model;
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
            n[m], {0, 0, 0, 0}, rc_matrix(theta, model->K, n[m], RC_WEIGHTS, name)};
        model->M = m + 1;
    }
    rc_require_modes(model->M, n, cells);
    s->rates = rc_rates(factors, model->M);
    for (int m = 0; m < model->M; m++) {
        char name[RC_MODE_NAME];
        model->mode[m].prior = rc_decode_prior(priors, rc_mode_name(m, name), s->rates);
    }
}

/* factors: theta1 (K x n1), theta2 (K x n2) and so on, rate (M) if the rate of a prior is
 * estimated, and excess (1, or one per row) if counts are negative binomial. See rc_run. `reflect`:
 * ldp_gamma_move. */
SEXP rc_tensor_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    sampler s = {.model = {.reflect = rc_number(reflect, RC_NOT_NEGATIVE, "reflect")}};
    decode_modes(&s, &decoded, factors, priors);
    SEXP answer = rc_run(kernel, &s, ldp_tensor_work(&s.model), &decoded, factors, priors,
                         noise_state, n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}
