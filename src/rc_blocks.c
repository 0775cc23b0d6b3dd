#include "ldp_blocks.h"
#include "rc.h"

typedef struct sampler {
    ldp_blocks model;
    double *rates; /* of theta and of pi, if one is estimated; otherwise NULL */
} sampler;

static void draw_all(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                     double *work) {
    ldp_blocks_open(model, cells->V, work);
    for (int from = 0, to; from < cells->D; from = to) {
        to = rc_next_range(cells, from);
        ldp_blocks_counts(model, cells, noise, from, to, work);
    }
    ldp_blocks_factors(model, cells, noise, work);
}

static void sweep(void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    sampler *const m = model;
    draw_all(&m->model, cells, noise, work);
    ldp_blocks_rescale(&m->model, cells->V, work);
    if (m->rates) {
        m->rates[0] = m->model.prior_theta.rate;
        m->rates[1] = m->model.prior_pi.rate;
    }
}

static void visit(const void *model, const ldp_cells *cells, ldp_visitor visitor, double *work) {
    ldp_blocks_visit(&((const sampler *)model)->model, cells, visitor, work);
}

static ldp_scalable scalable(const void *model, const ldp_cells *cells) {
    (void)cells;
    return ldp_blocks_scalable(&((const sampler *)model)->model);
}

static const rc_kernel kernel = {sweep, visit, scalable};

/* factors: theta (C x V), pi (C x C, symmetric unless `directed`), rate (2) if the rate of a prior
 * is estimated, and excess (1, or one per row) if counts are negative binomial. See rc_run.
 * `reflect`: ldp_gamma_move. */
SEXP rc_blocks_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect, SEXP directed) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    const SEXP theta = rc_element(factors, "theta"), pi = rc_element(factors, "pi");
    const int C = rc_shape_of(theta, "theta").rows;
    double *const rates = rc_rates(factors, 2);
    rc_require(decoded.D == decoded.V, "dim");
    sampler s = {{C, rc_decode_prior(priors, "theta", rates), rc_decode_prior(priors, "pi", rates),
                  rc_matrix(theta, C, decoded.V, RC_WEIGHTS, "theta"),
                  rc_matrix(pi, C, C, RC_WEIGHTS, "pi"),
                  rc_number(reflect, RC_NOT_NEGATIVE, "reflect"), Rf_asLogical(directed)},
                 rates};
    SEXP answer = rc_run(kernel, &s, ldp_blocks_work(C, decoded.V), &decoded, factors, priors,
                         noise_state, n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}
