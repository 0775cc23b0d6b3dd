#include "ldp_blocks.h"
#include "rc.h"

static void sweep(const void *model, const ldp_cells *cells, const ldp_noise *noise, double *work) {
    ldp_blocks_sweep(model, cells, noise, work);
}

static double log_density(const void *model, const ldp_cells *cells, double *work) {
    return ldp_blocks_log_density(model, cells, work);
}

static const rc_kernel kernel = {sweep, log_density};

/* factors: theta (C x V), pi (C x C). See rc_run. */
SEXP rc_blocks_gibbs(SEXP cells, SEXP factors, SEXP noise_state, SEXP priors, SEXP n_sweeps,
                     SEXP keep, SEXP watch) {
    const ldp_cells decoded = rc_decode_cells(cells);
    factors = PROTECT(Rf_duplicate(factors));
    const SEXP theta = rc_element(factors, "theta");
    const int C = Rf_nrows(theta);
    const ldp_blocks model = {C, rc_decode_prior(priors, "theta"), rc_decode_prior(priors, "pi"),
                              REAL(theta), REAL(rc_element(factors, "pi"))};
    SEXP answer = rc_run(kernel, &model, ldp_blocks_work(C, decoded.V), &decoded, factors,
                         noise_state, n_sweeps, keep, watch);
    UNPROTECT(1);
    return answer;
}
