#include "ldp_topics.h"
#include "rc.h"

typedef struct sampler {
    ldp_topics model;
    double *rates; /* of theta and of phi, if one is estimated; otherwise NULL */
} sampler;

static void draw_all(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     double *work) {
    const ldp_topics_round round = ldp_topics_open(model, cells->V, work);
    for (int from = 0, to; from < cells->D; from = to) {
        to = rc_next_range(cells, from);
        ldp_topics_rows(model, cells, noise, from, to, round.total_phi, round.sums, round.scratch);
    }
    ldp_topics_columns(model, cells->V, round.sums);
}

static void sweep(void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    sampler *const m = model;
    draw_all(&m->model, cells, noise, work);
    ldp_topics_rescale(&m->model, cells->D, cells->V, work);
    if (m->rates) {
        m->rates[0] = m->model.prior_theta.rate;
        m->rates[1] = m->model.prior_phi.rate;
    }
}

/* Draws documents only; phi and the rates are not changed. */
static void sweep_documents(void *model, const ldp_cells *cells, const ldp_noise *noise,
                            double *work) {
    const ldp_topics *const m = &((const sampler *)model)->model;
    const ldp_topics_round round = ldp_topics_open(m, cells->V, work);
    for (int from = 0, to; from < cells->D; from = to) {
        to = rc_next_range(cells, from);
        ldp_topics_documents(m, cells, noise, from, to, round.total_phi, round.sums.counts,
                             round.scratch);
    }
}

static void visit(const void *model, const ldp_cells *cells, ldp_visitor visitor, double *work) {
    ldp_topics_visit(&((const sampler *)model)->model, cells, visitor, work);
}

static ldp_scalable scalable(const void *model, const ldp_cells *cells) {
    return ldp_topics_scalable(&((const sampler *)model)->model, cells->D);
}

static const rc_kernel kernel = {sweep, visit, scalable};
static const rc_kernel kernel_of_documents = {sweep_documents, visit, scalable};

/* Without the priors. */
static ldp_topics decode_topics(SEXP theta, SEXP phi, const ldp_cells *cells, SEXP reflect) {
    const int K = rc_shape_of(theta, "theta").rows;
    return (ldp_topics){.K = K,
                        .theta = rc_matrix(theta, K, cells->D, RC_WEIGHTS, "theta"),
                        .phi = rc_matrix(phi, K, cells->V, RC_WEIGHTS, "phi"),
                        .reflect = rc_number(reflect, RC_NOT_NEGATIVE, "reflect")};
}

/* factors: theta (K x D), phi (K x V), rate (2) if the rate of a prior is estimated, and excess (1,
 * or one per row) if counts are negative binomial. See rc_run. `reflect`: ldp_gamma_move. */
SEXP rc_topics_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch, SEXP reflect) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    const SEXP theta = rc_element(factors, "theta"), phi = rc_element(factors, "phi");
    sampler s = {decode_topics(theta, phi, &decoded, reflect), rc_rates(factors, 2)};
    s.model.prior_theta = rc_decode_prior(priors, "theta", s.rates);
    s.model.prior_phi = rc_decode_prior(priors, "phi", s.rates);
    SEXP answer = rc_run(kernel, &s, ldp_topics_work(s.model.K, decoded.V), &decoded, factors,
                         priors, noise_state, n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}

/* The documents of these cells given phi (K x V). `factors`: theta, and `excess` as above; the rate
 * of theta's prior is a number. */
SEXP rc_topics_documents(SEXP cells, SEXP factors, SEXP phi, SEXP priors, SEXP n_sweeps, SEXP keep,
                         SEXP reflect) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    sampler s = {decode_topics(rc_element(factors, "theta"), phi, &decoded, reflect), NULL};
    s.model.prior_theta = rc_decode_prior(priors, "theta", NULL);
    SEXP answer = rc_run(kernel_of_documents, &s, ldp_topics_work(s.model.K, decoded.V), &decoded,
                         factors, priors, R_NilValue, n_sweeps, keep, Rf_ScalarLogical(0));
    UNPROTECT(1);
    return answer;
}
