/* Iterations of variational inference: decode the posterior, select the scheme for the noise, run.
 * */
#include <string.h>

#include "ldp_cavi_blocks.h"
#include "ldp_cavi_tensor.h"
#include "ldp_cavi_topics.h"
#include "rc_cavi.h"

/* A matrix of the posterior by name: `factor` is, for example, "theta", and `what` is "shape". */
static double *matrix_of(SEXP q, const char *factor, const char *what, rc_shape shape,
                         rc_values values) {
    return rc_matrix(rc_element(rc_element(q, factor), what), shape.rows, shape.columns, values,
                     factor);
}

static double *rc_cavi_counts_of(SEXP q, const char *name, const char *what,
                                 ldp_cavi_factor factor) {
    return matrix_of(q, name, what, (rc_shape){factor.K, factor.n}, RC_NOT_NEGATIVE);
}

double *rc_cavi_hyper(SEXP q, int n_factors) {
    return rc_matrix(rc_element(q, "hyper"), LDP_CAVI_HYPER, n_factors, RC_POSITIVE, "hyper");
}

static int components_of(SEXP q, const char *first) {
    return rc_shape_of(rc_element(rc_element(q, first), "shape"), first).rows;
}

ldp_cavi_factor rc_cavi_factor(SEXP q, SEXP priors, const char *name, rc_shape shape, int place,
                               int n_factors, int symmetric, ldp_cavi_team team) {
    const size_t n = (size_t)shape.rows * (size_t)shape.columns;
    double rates[LDP_MODES], shapes[LDP_MODES], *const hyper = rc_cavi_hyper(q, n_factors);
    for (int i = 0; i < n_factors; i++) {
        const double *const own = hyper + LDP_CAVI_HYPER * i;
        rates[i] = own[0] / own[1];
        shapes[i] = own[2];
    }
    ldp_cavi_factor factor = {.K = shape.rows,
                              .n = shape.columns,
                              .symmetric = symmetric,
                              .prior = rc_decode_prior(priors, name, (rc_hyper){rates, shapes}),
                              .least = ldp_cavi_factor_least(n_factors),
                              .shape = matrix_of(q, name, "shape", shape, RC_POSITIVE),
                              .rate = matrix_of(q, name, "rate", shape, RC_POSITIVE),
                              .unit = rc_doubles(n),
                              .mean = rc_doubles(n),
                              .geo = rc_doubles(n)};
    ldp_cavi_hyper_read(&factor, hyper + LDP_CAVI_HYPER * place);
    ldp_cavi_factor_refresh(&factor, team);
    return factor;
}

/* The relative rates of groups, which the first factor then uses; NULL if there are no groups. */
static const ldp_cavi_relative *relative_of(SEXP q, SEXP priors, ldp_cavi_factor *factor) {
    ldp_groups *const groups = rc_decode_groups(priors, factor->K, factor->n);
    if (!groups)
        return NULL;
    const int n = groups->first[groups->n_factors];
    const rc_shape shape = {factor->K, n};
    groups->rho = rc_doubles((size_t)factor->K * (size_t)n);
    ldp_cavi_relative *const relative = rc_room(1, sizeof *relative);
    *relative = (ldp_cavi_relative){*groups, matrix_of(q, "groups", "shape", shape, RC_POSITIVE),
                                    matrix_of(q, "groups", "rate", shape, RC_POSITIVE)};
    ldp_cavi_relative_read(relative, factor);
    return relative;
}

static ldp_cavi_local decode_bursts(ldp_cavi_nbinom1 *state, const ldp_cells *cells, SEXP q,
                                    SEXP dispersion, double *rest, double *extra) {
    const SEXP law = rc_element(q, "excess");
    const SEXP points = rc_element(law, "points");
    const int D = cells->D, n = rc_shape_of(points, "excess").columns;
    rc_require(n == 1 || n == D, "excess");
    memset(state, 0, sizeof *state);
    state->D = D;
    state->by_row = n > 1;
    state->points = rc_matrix(points, LDP_CAVI_GRID, n, RC_FINITE, "excess");
    state->weights =
        rc_matrix(rc_element(law, "weights"), LDP_CAVI_GRID, n, RC_NOT_NEGATIVE, "excess");
    state->divergence = rc_numbers(rc_element(law, "divergence"), (size_t)n, RC_FINITE, "excess");
    state->shown =
        (ldp_cavi_shown *)(void *)rc_matrix(rc_element(law, "shown"), 3, D, RC_FINITE, "excess");
    state->laws = (ldp_cavi_dispersion *)(void *)R_alloc((size_t)n, sizeof(ldp_cavi_dispersion));
    state->rest = rest;
    state->extra = extra;
    if (!Rf_isNull(dispersion)) {
        state->shape1 = rc_number(rc_element(dispersion, "shape1"), RC_POSITIVE, "prior");
        state->shape2 = rc_number(rc_element(dispersion, "shape2"), RC_POSITIVE, "prior");
    }
    return ldp_cavi_bursts(state, cells->alpha);
}

static ldp_cavi_local scheme_of(rc_schemes *all, const ldp_cells *cells, SEXP q, SEXP priors,
                                SEXP delta) {
    double *const rest = rc_doubles((size_t)cells->D), *const extra = rc_doubles((size_t)cells->D);
    const SEXP noise = rc_element_or_null(q, "noise");
    if (!Rf_isNull(rc_element_or_null(q, "excess")))
        return decode_bursts(&all->nbinom1, cells, q, rc_element_or_null(priors, "dispersion"),
                             rest, extra);
    if (Rf_isNull(noise)) {
        memset(all->small, 0, sizeof all->small);
        return ldp_cavi_collapsed(cells->D, cells->alpha, rest, extra, all->small);
    }
    const size_t n = cells->active.start[cells->D];
    all->bessel = (ldp_cavi_bessel){
        rc_numbers(rc_element(noise, "g1"), n, RC_NOT_NEGATIVE, "noise"),
        rc_numbers(rc_element(noise, "g2"), n, RC_NOT_NEGATIVE, "noise"), Rf_asLogical(delta)};
    return ldp_cavi_augmented(cells->D, &all->bessel, rest, extra);
}

/* Assigning work to threads takes some microseconds. An iteration over fewer cells than this is
 * done by one thread. */
static const double CELLS_WORTH_A_TEAM = 20000;

ldp_cavi_local rc_cavi_local(rc_schemes *all, const ldp_cells *cells, SEXP q, SEXP priors,
                             SEXP delta, SEXP threads) {
    const int n_threads = rc_n_threads(threads);
    const double n = (double)cells->active.start[cells->D] + (double)cells->missing.start[cells->D];
    ldp_cavi_local local = scheme_of(all, cells, q, priors, delta);
    local.team = (ldp_cavi_team){n < CELLS_WORTH_A_TEAM ? 1 : n_threads, R_CheckUserInterrupt};
    return local;
}

SEXP rc_deep_copy(SEXP list) {
    if (TYPEOF(list) != VECSXP)
        return Rf_duplicate(list);
    SEXP copy = PROTECT(Rf_shallow_duplicate(list));
    for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
        SET_VECTOR_ELT(copy, i, rc_deep_copy(VECTOR_ELT(list, i)));
    UNPROTECT(1);
    return copy;
}

/* A model, its iteration, and its local step. */
typedef struct kernel {
    void *model;
    double (*pass)(void *model, const ldp_cavi_local *local, const ldp_cells *cells, double *work);
    double (*local)(const void *model, const ldp_cavi_local *local, const ldp_cells *cells,
                    double *work);
    size_t work;
} kernel;

/* Runs iterations until there are n of them, or the bound changes by less than both numbers of
 * `tolerance`: a share of its size, and a number of log units (a large bound may increase slowly
 * for a long time). `last`: the bound so far; if it is NA, there was no iteration yet, and a local
 * step comes first. Returns list(q, elbo), where elbo has one bound per iteration, with `constant`
 * added. */
static SEXP run(kernel k, const ldp_cavi_local *local, const ldp_cells *cells, SEXP q,
                SEXP n_passes, SEXP tolerance, SEXP last, SEXP constant) {
    static const char *const names[] = {"q", "elbo", "converged", ""};
    const int n = Rf_asInteger(n_passes);
    const double *const least = rc_numbers(tolerance, 2, RC_NOT_NEGATIVE, "tolerance");
    const double relative = least[0], absolute = least[1];
    double *const work = rc_doubles(k.work), *const elbo = rc_doubles((size_t)n);
    double before = Rf_asReal(last);
    int done = 0, converged = 0;
    if (ISNA(before))
        k.local(k.model, local, cells, work);
    while (done < n && !converged) {
        elbo[done] = k.pass(k.model, local, cells, work) + Rf_asReal(constant);
        if (!R_FINITE(elbo[done])) { /* this start has failed, and is no longer compared */
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
 * topics and theta1 of tensors have `active` too; `hyper`, one column per factor, what is
 * estimated of the priors (LDP_CAVI_HYPER numbers); `groups`, if rows have groups, list(shape,
 * rate), with a column per level; `noise` of the augmentation, list(g1, g2); `excess` of negative
 * binomial counts, list(points, weights, divergence, shown). See run(). */
SEXP rc_topics_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP threads) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(rc_deep_copy(q));
    rc_schemes all;
    const ldp_cavi_local local = rc_cavi_local(&all, &decoded, q, priors, delta, threads);
    const int K = components_of(q, "theta"), D = decoded.D, V = decoded.V;
    ldp_cavi_topics model = {
        .theta = rc_cavi_factor(q, priors, "theta", (rc_shape){K, D}, 0, 2, 0, local.team),
        .phi = rc_cavi_factor(q, priors, "phi", (rc_shape){K, V}, 1, 2, 0, local.team),
        .hyper = rc_cavi_hyper(q, 2)};
    model.counts_theta = rc_cavi_counts_of(q, "theta", "counts", model.theta);
    model.counts_phi = rc_cavi_counts_of(q, "phi", "counts", model.phi);
    model.active = rc_cavi_counts_of(q, "theta", "active", model.theta);
    model.relative = relative_of(q, priors, &model.theta);
    const kernel k = {&model, topics_pass, topics_local, ldp_cavi_topics_work(K, &decoded)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}

/* For an undirected network the shapes and rates of pi are symmetric. */
SEXP rc_blocks_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP directed, SEXP threads) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(rc_deep_copy(q));
    rc_schemes all;
    const ldp_cavi_local local = rc_cavi_local(&all, &decoded, q, priors, delta, threads);
    const int K = components_of(q, "theta"), symmetric = !Rf_asLogical(directed);
    rc_require(decoded.D == decoded.V, "dim");
    ldp_cavi_blocks model = {
        .directed = !symmetric,
        .theta = rc_cavi_factor(q, priors, "theta", (rc_shape){K, decoded.D}, 0, 2, 0, local.team),
        .pi = rc_cavi_factor(q, priors, "pi", (rc_shape){K, K}, 1, 2, symmetric, local.team),
        .hyper = rc_cavi_hyper(q, 2)};
    model.counts_theta = rc_cavi_counts_of(q, "theta", "counts", model.theta);
    model.counts_pi = rc_cavi_counts_of(q, "pi", "counts", model.pi);
    model.relative = relative_of(q, priors, &model.theta);
    const kernel k = {&model, blocks_pass, blocks_local, ldp_cavi_blocks_work(K, &decoded)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}

/* theta1, theta2 and so on, each with a column of `hyper`. */
SEXP rc_tensor_cavi(SEXP cells, SEXP q, SEXP priors, SEXP delta, SEXP n_passes, SEXP tolerance,
                    SEXP last, SEXP constant, SEXP threads) {
    const ldp_cells decoded = rc_decode_cells(cells);
    q = PROTECT(rc_deep_copy(q));
    rc_schemes all;
    const ldp_cavi_local local = rc_cavi_local(&all, &decoded, q, priors, delta, threads);
    const int K = components_of(q, "theta1"),
              M = rc_shape_of(rc_element(q, "hyper"), "hyper").columns;
    rc_require(M <= LDP_MODES, "hyper");
    ldp_cavi_tensor model = {.K = K, .M = M, .hyper = rc_cavi_hyper(q, M)};
    int n[LDP_MODES];
    for (int m = 0; m < M; m++) {
        char name[RC_MODE_NAME];
        const SEXP law = rc_element(q, rc_mode_name(m, name));
        n[m] = rc_shape_of(rc_element(law, "shape"), name).columns;
        model.theta[m] = rc_cavi_factor(q, priors, name, (rc_shape){K, n[m]}, m, M, 0, local.team);
        model.counts[m] = rc_cavi_counts_of(q, name, "counts", model.theta[m]);
    }
    rc_require_modes(M, n, &decoded);
    model.active = rc_cavi_counts_of(q, "theta1", "active", model.theta[0]);
    model.relative = relative_of(q, priors, &model.theta[0]);
    const kernel k = {&model, tensor_pass, tensor_local, ldp_cavi_tensor_work(&model, &decoded)};
    SEXP answer = run(k, &local, &decoded, q, n_passes, tolerance, last, constant);
    UNPROTECT(1);
    return answer;
}
