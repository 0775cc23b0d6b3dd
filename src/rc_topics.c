#include "ldp_topics.h"
#include "rc.h"

static void sweep(const void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    ldp_topics_sweep(model, cells, noise, work);
}

static double log_density(const void *model, const ldp_cells *cells, double *work) {
    return ldp_topics_log_density(model, cells, work);
}

static const rc_kernel kernel = {sweep, log_density};

/* factors: theta (K x D), phi (K x V). See rc_run. */
SEXP rc_topics_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    const SEXP theta = rc_element(factors, "theta");
    const int K = Rf_nrows(theta);
    const ldp_topics model = {K, rc_decode_prior(priors, "theta"), rc_decode_prior(priors, "phi"),
                              REAL(theta), REAL(rc_element(factors, "phi"))};
    SEXP answer = rc_run(kernel, &model, ldp_topics_work(K, decoded.V), &decoded, factors,
                         noise_state, n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}
