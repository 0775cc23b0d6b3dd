#include "ldp_topics.h"
#include "rc.h"

typedef struct sampler {
    ldp_topics model;
    double *rates; /* of theta and of phi, where one is random; else NULL */
} sampler;

static void sweep(void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    sampler *const m = model;
    ldp_topics_sweep(&m->model, cells, noise, work);
    ldp_topics_rescale(&m->model, cells->D, cells->V, work);
    if (m->rates) {
        m->rates[0] = m->model.prior_theta.rate;
        m->rates[1] = m->model.prior_phi.rate;
    }
}

static double log_density(const void *model, const ldp_cells *cells, double *work) {
    return ldp_topics_log_density(&((const sampler *)model)->model, cells, work);
}

static const rc_kernel kernel = {sweep, log_density};

/* factors: theta (K x D), phi (K x V), and rate (2) where a prior has a random one. See rc_run. */
SEXP rc_topics_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    const SEXP theta = rc_element(factors, "theta");
    const int K = Rf_nrows(theta);
    double *const rates = rc_rates(factors);
    sampler s = {{K, rc_decode_prior(priors, "theta", rates), rc_decode_prior(priors, "phi", rates),
                  REAL(theta), REAL(rc_element(factors, "phi"))},
                 rates};
    SEXP answer = rc_run(kernel, &s, ldp_topics_work(K, decoded.V), &decoded, factors, noise_state,
                         n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}
