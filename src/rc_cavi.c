/* Passes of variational inference: decode the posterior, pick the scheme of the noise, run. */
#include <string.h>

#include "ldp_cavi_bessel.h"
#include "ldp_cavi_blocks.h"
#include "ldp_cavi_nbinom1.h"
#include "ldp_cavi_tensor.h"
#include "ldp_cavi_topics.h"
#include "rc.h"

/* A matrix of the posterior by name; what names it is e.g. "theta" and "shape". */
static double *matrix_of(SEXP q, const char *factor, const char *what) {
    return REAL(rc_element(rc_element(q, factor), what));
}

/* Factor number `place` of so many. */
static ldp_cavi_factor decode_factor(SEXP q, SEXP priors, const char *name, int place,
                                     int n_factors, int symmetric) {
    const SEXP shape = rc_element(rc_element(q, name), "shape");
    const size_t n = (size_t)Rf_xlength(shape);
    double means[LDP_MODES], *const rates = REAL(rc_element(q, "rates"));
    for (int i = 0; i < n_factors; i++)
        means[i] = rates[2 * i] / rates[2 * i + 1];
    ldp_cavi_factor factor = {.K = Rf_nrows(shape),
                              .n = Rf_ncols(shape),
                              .symmetric = symmetric,
                              .prior = rc_decode_prior(priors, name, means),
                              .least = ldp_cavi_factor_least(n_factors),
                              .shape = REAL(shape),
                              .rate = matrix_of(q, name, "rate"),
                              .unit = rc_doubles(n),
                              .mean = rc_doubles(n),
                              .geo = rc_doubles(n)};
    ldp_cavi_rate_read(&factor, rates + 2 * place);
    ldp_cavi_factor_refresh(&factor);
    return factor;
}

/* The state of whichever scheme it is. */
typedef struct schemes {
    ldp_small small;
    ldp_cavi_bessel bessel;
    ldp_cavi_nbinom1 nbinom1;
} schemes;

static ldp_cavi_local decode_bursts(ldp_cavi_nbinom1 *state, const ldp_cells *cells, SEXP q,
                                    SEXP dispersion, double *rest, double *excess) {
    const SEXP law = rc_element(q, "excess");
    const SEXP points = rc_element(law, "points");
    memset(state, 0, sizeof *state);
    state->D = cells->D;
    state->by_row = Rf_ncols(points) > 1;
    state->points = REAL(points);
    state->weights = REAL(rc_element(law, "weights"));
    state->divergence = REAL(rc_element(law, "divergence"));
    state->shown = (ldp_cavi_shown *)(void *)REAL(rc_element(law, "shown"));
    state->laws = (ldp_cavi_dispersion *)(void *)R_alloc((size_t)Rf_ncols(points),
                                                         sizeof(ldp_cavi_dispersion));
    state->rest = rest;
    state->excess = excess;
    if (!Rf_isNull(dispersion)) {
        state->shape1 = Rf_asReal(rc_element(dispersion, "shape1"));
        state->shape2 = Rf_asReal(rc_element(dispersion, "shape2"));
    }
    return ldp_cavi_bursts(state, cells->alpha);
}

static ldp_cavi_local scheme_of(schemes *all, const ldp_cells *cells, SEXP q, SEXP priors,
                                SEXP delta) {
    double *const rest = rc_doubles((size_t)cells->D), *const excess = rc_doubles((size_t)cells->D);
    const SEXP noise = rc_element_or_null(q, "noise");
    if (!Rf_isNull(rc_element_or_null(q, "excess")))
        return decode_bursts(&all->nbinom1, cells, q, rc_element_or_null(priors, "dispersion"),
                             rest, excess);
    if (Rf_isNull(noise)) {
        memset(&all->small, 0, sizeof all->small);
        return ldp_cavi_collapsed(cells->D, cells->alpha, rest, excess, &all->small);
    }
    all->bessel = (ldp_cavi_bessel){REAL(rc_element(noise, "g1")), REAL(rc_element(noise, "g2")),
                                    Rf_asLogical(delta)};
    return ldp_cavi_augmented(cells->D, &all->bessel, rest, excess);
}

static ldp_cavi_local decode_local(schemes *all, const ldp_cells *cells, SEXP q, SEXP priors,
                                   SEXP delta) {
    ldp_cavi_local local = scheme_of(all, cells, q, priors, delta);
    local.pause = R_CheckUserInterrupt; /* what a pass has done so far is forgotten then */
    return local;
}

/* A copy of which every number may be written. */
static SEXP deep_copy(SEXP list) {
    if (TYPEOF(list) != VECSXP)
        return Rf_duplicate(list);
    SEXP copy = PROTECT(Rf_shallow_duplicate(list));
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
        SET_VECTOR_ELT(copy, i, deep_copy(VECTOR_ELT(list, i)));
    UNPROTECT(1);
    return copy;
}

/* A model, and its pass and local step. */
typedef struct kernel {
    void *model;
    double (*pass)(void *model, const ldp_cavi_local *local, const ldp_cells *cells, double *work);
    double (*local)(const void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                    double *work);
    size_t work;
} kernel;

/* Passes until there are n of them or the bound changes by less than both `tolerance`s: a share of
 * its size, and a number of log units, since a large bound may creep up for long. `last`: the bound
 * so far, NA where there was no pass yet, in which case a local step comes first. Returns list(q,
 * elbo), a bound a pass, with `constant` added. */
static SEXP run(kernel k, const ldp_cavi_local *local, const ldp_cells *cells, SEXP q,
                SEXP n_passes, SEXP tolerance, SEXP last, SEXP constant) {
    static const char *const names[] = {"q", "elbo", "converged", ""};
    const int n = Rf_asInteger(n_passes);
    const double relative = REAL(tolerance)[0], absolute = REAL(tolerance)[1];
    double *const work = rc_doubles(k.work), *const elbo = rc_doubles((size_t)n);
    double before = Rf_asReal(last);
    int done = 0, converged = 0;
    if (ISNA(before))
        k.local(k.model, local, cells, work);
    while (done < n && !converged) {
        elbo[done] = k.pass(k.model, local, cells, work) + Rf_asReal(constant);
        if (!R_FINITE(elbo[done])) { /* the end of this start, which is no longer compared */
            elbo[done++] = R_NegInf;
            converged = 1;
            break;
        }
        const double change = fabs(elbo[done] - before), size = fabs(elbo[done]);
        converged = !ISNA(before) && change < fmin(relative * size, absolute);
        before = elbo[done++];
    }
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SET_VECTOR_ELT(answer, 0, q);
    SET_VECTOR_ELT(answer, 1, Rf_allocVector(REALSXP, done));
    if (done > 0)
        memcpy(REAL(VECTOR_ELT(answer, 1)), elbo, (size_t)done * sizeof(double));
    SET_VECTOR_ELT(answer, 2, Rf_ScalarLogical(converged));
    UNPROTECT(1);
    return answer;
}

static double topics_pass(void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                          double *work) {
    return ldp_cavi_topics_pass(model, local, cells, work);
}

static double topics_local(const void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                           double *work) {
    return ldp_cavi_topics_local(model, local, cells, work);
}

static double blocks_pass(void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                          double *work) {
    return ldp_cavi_blocks_pass(model, local, cells, work);
}

static double blocks_local(const void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                           double *work) {
    return ldp_cavi_blocks_local(model, local, cells, work);
}

static double tensor_pass(void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                          double *work) {
    return ldp_cavi_tensor_pass(model, local, cells, work);
}

static double tensor_local(const void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                           double *work) {
    return ldp_cavi_tensor_local(model, local, cells, work);
}

/* q: of each factor list(shape, rate, counts), laid out as the factors of the sampler; theta of
 * topics and theta1 of tensors have `active` too; `rates`, a column a factor, the laws of the rates
 * of the priors; `noise` of the augmentation, list(g1, g2); `excess` of negative binomial counts,
 * list(points, weights, divergence, shown). See run(). */
SEXP rc_topics_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(deep_copy(q));
    schemes all;
    const ldp_cavi_local local = decode_local(&all, &decoded, q, priors, delta);
    ldp_cavi_topics model = {decode_factor(q, priors, "theta", 0, 2, 0),
                             decode_factor(q, priors, "phi", 1, 2, 0),
                             matrix_of(q, "theta", "counts"),
                             matrix_of(q, "phi", "counts"),
                             matrix_of(q, "theta", "active"),
                             REAL(rc_element(q, "rates"))};
    const kernel k = {&model, topics_pass, topics_local,
                      ldp_cavi_topics_work(model.theta.K, decoded.V)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}

/* Of an undirected network the shapes and rates of pi are symmetric. */
SEXP rc_blocks_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP directed) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(deep_copy(q));
    schemes all;
    const ldp_cavi_local local = decode_local(&all, &decoded, q, priors, delta);
    ldp_cavi_blocks model = {Rf_asLogical(directed),
                             decode_factor(q, priors, "theta", 0, 2, 0),
                             decode_factor(q, priors, "pi", 1, 2, !Rf_asLogical(directed)),
                             matrix_of(q, "theta", "counts"),
                             matrix_of(q, "pi", "counts"),
                             REAL(rc_element(q, "rates"))};
    const kernel k = {&model, blocks_pass, blocks_local,
                      ldp_cavi_blocks_work(model.theta.K, decoded.V)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}

/* theta1, theta2 and so on, a column of `rates` each. */
SEXP rc_tensor_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(deep_copy(q));
    schemes all;
    const ldp_cavi_local local = decode_local(&all, &decoded, q, priors, delta);
    const SEXP rates = rc_element(q, "rates");
    ldp_cavi_tensor model = {
        .M = Rf_ncols(rates), .active = matrix_of(q, "theta1", "active"), .rates = REAL(rates)};
    for (int m = 0; m < model.M; m++) {
        char name[RC_MODE_NAME];
        model.theta[m] = decode_factor(q, priors, rc_mode_name(m, name), m, model.M, 0);
        model.counts[m] = matrix_of(q, name, "counts");
    }
    model.K = model.theta[0].K;
    const kernel k = {&model, tensor_pass, tensor_local, ldp_cavi_tensor_work(&model)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}
