#include "ldp_topics.h"
#include "rc.h"

typedef struct settings {
    double reflect;
    int only_documents;
} settings;

/* factors: theta (K x D), phi (K x V), rate (2) and shape (2) if that of a prior is estimated,
 * groups (K x levels) if documents have groups, excess (1, or one per row or column) if counts are
 * negative binomial, and pool (2) if it is one per column. */
static void *rc_topics_decode(const void *of, const ldp_cells *cells, SEXP factors, SEXP priors) {
    const settings *const given = of;
    const SEXP theta = rc_element(factors, "theta");
    const int K = rc_shape_of(theta, "theta").rows;
    const rc_hyper hyper = rc_decode_hyper(factors, 2);
    ldp_topics *const model = rc_room(1, sizeof *model);
    *model =
        (ldp_topics){.K = K,
                     .theta = rc_matrix(theta, K, cells->D, RC_WEIGHTS, "theta"),
                     .phi = rc_matrix(rc_element(factors, "phi"), K, cells->V, RC_WEIGHTS, "phi"),
                     .groups = rc_groups(factors, priors, K, cells->D),
                     .n_levels = rc_n_levels(cells, factors),
                     .rates = hyper.rates,
                     .shapes = hyper.shapes,
                     .reflect = given->reflect,
                     .only_documents = given->only_documents};
    model->prior_theta = rc_decode_prior(priors, "theta", hyper);
    model->prior_phi = rc_decode_prior(priors, "phi", hyper);
    if (given->only_documents) /* shapes are given, and not estimated */
        model->prior_theta.shape_shape = model->prior_phi.shape_shape = 0;
    return model;
}

/* See rc_run. `reflect`: ldp_gamma_move. */
SEXP rc_topics_gibbs(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads) {
    const settings given = {rc_number(reflect, RC_NOT_NEGATIVE, "reflect"), 0};
    const rc_model model = {&ldp_topics_kernel, rc_topics_decode, &given};
    return rc_run(&model, cells, (rc_asked){chains, priors, n_sweeps, keep, watch, threads});
}

SEXP rc_topics_shard(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP keep, SEXP watch,
                     SEXP reflect, SEXP threads) {
    const settings given = {rc_number(reflect, RC_NOT_NEGATIVE, "reflect"), 0};
    const rc_model model = {&ldp_topics_kernel, rc_topics_decode, &given};
    return rc_open_shard(&model, cells, (rc_asked){chains, priors, n_sweeps, keep, watch, threads});
}

/* The same for documents given phi and the parameters of priors. */
SEXP rc_topics_documents(SEXP cells, SEXP chains, SEXP priors, SEXP n_sweeps, SEXP reflect,
                         SEXP threads) {
    const settings given = {rc_number(reflect, RC_NOT_NEGATIVE, "reflect"), 1};
    const rc_model model = {&ldp_topics_kernel, rc_topics_decode, &given};
    SEXP none = PROTECT(Rf_allocVector(INTSXP, 0)), no = PROTECT(Rf_ScalarLogical(0));
    SEXP answer = rc_run(&model, cells, (rc_asked){chains, priors, n_sweeps, none, no, threads});
    UNPROTECT(2);
    return answer;
}
