#include "ldp_blocks.h"
#include "rc.h"

typedef struct settings {
    double reflect;
    int directed;
} settings;

/* factors: theta (C x V), pi (C x C, symmetric unless `directed`), rate (2) and shape (2) if that
 * of a prior is estimated, groups (C x levels) if actors have groups, and excess (1, or one per
 * row) if counts are negative binomial. */
static void *rc_blocks_decode(const void *of, const ldp_cells *cells, SEXP factors, SEXP priors) {
    const settings *const given = of;
    const SEXP theta = rc_element(factors, "theta");
    const int C = rc_shape_of(theta, "theta").rows;
    const rc_hyper hyper = rc_decode_hyper(factors, 2);
    rc_require(cells->D == cells->V, "dim");
    rc_require(Rf_isNull(rc_element_or_null(factors, "pool")), "pool");
    ldp_blocks *const model = rc_room(1, sizeof *model);
    *model = (ldp_blocks){.C = C,
                          .prior_theta = rc_decode_prior(priors, "theta", hyper),
                          .prior_pi = rc_decode_prior(priors, "pi", hyper),
                          .theta = rc_matrix(theta, C, cells->V, RC_WEIGHTS, "theta"),
                          .pi = rc_matrix(rc_element(factors, "pi"), C, C, RC_WEIGHTS, "pi"),
                          .groups = rc_groups(factors, priors, C, cells->V),
                          .rates = hyper.rates,
                          .shapes = hyper.shapes,
                          .reflect = given->reflect,
                          .directed = given->directed};
    return model;
}

/* See rc_run. `reflect`: ldp_gamma_move. */
SEXP rc_blocks_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP directed, SEXP threads) {
    const settings given = {rc_number(reflect, RC_NOT_NEGATIVE, "reflect"), Rf_asLogical(directed)};
    const rc_model model = {&ldp_blocks_kernel, rc_blocks_decode, &given};
    return rc_run(&model, cells, (rc_asked){chains, priors, n_sweeps, keep, watch, threads});
}
