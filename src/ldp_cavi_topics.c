/* Coordinate ascent for q(theta) q(phi) q(counts), with gamma distributions of all weights:
 *
 *     theta_dk   shape a + sum_v E[y_dvk],   rate b + sum_v e_dv E[phi_kv]
 *     phi_kv     shape a + sum_d E[y_dvk],   rate b + sum_d e_dv E[theta_dk]
 *
 * and E[y_dvk] = w_dv G[theta_dk] G[phi_kv] for the active cells, of which only sums are kept. The
 * bound is computed after the local step for the current factors, so it never decreases.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix (its eq. 54 lacks a sum over v); the
 * scale step is new in this package. */
#include "ldp_cavi_topics.h"
#include "ldp_exposure.h"
#include "ldp_margin.h"
#include "ldp_math.h"

/* An iteration, with its memory. In the local step each group of rows adds up its own counts of
 * phi; those of the first group are the model's. */
typedef struct job {
    const ldp_cavi_topics *model;
    const ldp_cavi_local *local;
    const ldp_cells *cells;
    int n_groups; /* of rows in the local step */
    const double *extra; /* of the rows; NULL if all are 0 */
    double *total; /* K: sum over the lines of the other factor */
    double *scratch; /* K for each group */
    double *counts_phi; /* V x K for each group except the first */
} job;

static int cavi_topics_n_groups_of(const ldp_cells *cells) {
    return ldp_cavi_groups(cells->active.start[cells->D], (size_t)cells->V);
}

size_t ldp_cavi_topics_work(int K, const ldp_cells *cells) {
    const size_t n_copies = (size_t)cavi_topics_n_groups_of(cells) - 1;
    return (size_t)K * (1 + LDP_CAVI_GROUPS + n_copies * (size_t)cells->V);
}

static job cavi_topics_new_job(const ldp_cavi_topics *model, const ldp_cavi_local *local,
                               const ldp_cells *cells, double *work) {
    const int K = model->theta.K;
    job j = {
        .model = model, .local = local, .cells = cells, .n_groups = cavi_topics_n_groups_of(cells)};
    j.extra = ldp_margin_extra(local->exposure_extra, cells->D);
    j.total = work;
    j.scratch = ldp_line(work, K, 1);
    j.counts_phi = ldp_line(work, K, 1 + LDP_CAVI_GROUPS);
    return j;
}

/* The counts of column v in a group of rows. */
static double *cavi_topics_counts_of(const job *j, int group, int v) {
    const int K = j->model->phi.K;
    const size_t copy = (size_t)K * (size_t)j->cells->V;
    return ldp_line(group == 0 ? j->model->counts_phi : j->counts_phi + (size_t)(group - 1) * copy,
                    K, v);
}

/* Components are independent, so the variance of mu is the sum of their variances. */
static void cavi_topics_moments_at(const void *state, int row, const int *columns, int n,
                                   double *mean, double *variance) {
    const ldp_cavi_topics *const model = state;
    const int K = model->theta.K;
    const double *const theta = ldp_line(model->theta.mean, K, row);
    const double *const a = ldp_line(model->theta.shape, K, row);
    for (int e = 0; e < n; e++) {
        const double *const phi = ldp_line(model->phi.mean, K, columns[e]);
        const double *const b = ldp_line(model->phi.shape, K, columns[e]);
        mean[e] = variance[e] = 0;
        for (int k = 0; k < K; k++) {
            const double each = theta[k] * phi[k];
            mean[e] += each;
            variance[e] += each * each * (1 / a[k] + 1 / b[k] + 1 / (a[k] * b[k]));
        }
    }
}

/* --- the local step --------------------------------------------------------------------------- */

static double clear_columns(void *state, int group, int from, int to) {
    const job *const j = state;
    (void)group;
    for (int g = 0; g < j->n_groups; g++)
        for (int v = from; v < to; v++)
            ldp_fill(j->model->phi.K, cavi_topics_counts_of(j, g, v), 0);
    return 0;
}

/* Row d; returns its part of the bound. */
static double walk_row(const job *j, int group, int d) {
    const ldp_cavi_topics *const model = j->model;
    const int K = model->theta.K;
    double *const counts = ldp_line(model->counts_theta, K, d);
    double *const active = ldp_line(model->active, K, d), *const observed = j->scratch + group * K;
    const double *const theta = ldp_line(model->theta.geo, K, d);
    const ldp_cavi_row row = {.K = K,
                              .row = d,
                              .group = group,
                              .left = theta,
                              .geo = model->phi.geo,
                              .mean = model->phi.mean,
                              .right = theta,
                              .gathered = counts,
                              .active = active,
                              .scattered = cavi_topics_counts_of(j, group, 0),
                              .moments = {cavi_topics_moments_at, model}};
    ldp_fill(K, counts, 0);
    ldp_fill(K, active, 0);
    const double sum = ldp_cavi_walk(j->local, j->cells, row);
    ldp_cavi_factor_times_geo(&model->theta, d, counts);
    ldp_margin_observed(ldp_cavi_factor_means(&model->phi), j->cells, d, j->total, observed);
    return sum +
           ldp_cavi_exposed(j->local, K, d, ldp_line(model->theta.mean, K, d), observed, active);
}

static double cavi_topics_walk_rows(void *state, int group, int from, int to) {
    double sum = 0;
    for (int d = from; d < to; d++)
        sum += walk_row(state, group, d);
    return sum;
}

static double join_columns(void *state, int group, int from, int to) {
    const job *const j = state;
    const int K = j->model->phi.K;
    (void)group;
    for (int v = from; v < to; v++) {
        double *const counts = cavi_topics_counts_of(j, 0, v);
        for (int g = 1; g < j->n_groups; g++)
            ldp_add(K, counts, 1, cavi_topics_counts_of(j, g, v));
        ldp_cavi_factor_times_geo(&j->model->phi, v, counts);
    }
    return 0;
}

static double cavi_topics_divergence(const ldp_cavi_topics *model, const ldp_cavi_local *local) {
    const double own = local->divergence ? local->divergence(local->state) : 0;
    return own + ldp_cavi_factor_divergence(&model->theta, local->team) +
           ldp_cavi_factor_divergence(&model->phi, local->team) +
           ldp_cavi_hyper_divergence(&model->theta, model->hyper) +
           ldp_cavi_hyper_divergence(&model->phi, model->hyper + LDP_CAVI_HYPER) +
           ldp_cavi_relative_divergence(model->relative);
}

double ldp_cavi_topics_local(const ldp_cavi_topics *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    job j = cavi_topics_new_job(model, local, cells, work);
    const ldp_cavi_lines columns = ldp_cavi_alike(cells->V, LDP_CAVI_LINE);
    const ldp_cavi_lines rows = {cells->D, j.n_groups, LDP_CAVI_LINE, cells->active,
                                 cells->missing};
    ldp_exposure_total(ldp_cavi_factor_means(&model->phi), j.total);
    ldp_cavi_run(local->team, &columns, clear_columns, &j);
    const double sum = ldp_cavi_run(local->team, &rows, cavi_topics_walk_rows, &j);
    ldp_cavi_run(local->team, &columns, join_columns, &j);
    return sum - cavi_topics_divergence(model, local);
}

/* --- updates of the factors ------------------------------------------------------------------- */

static double cavi_topics_set_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_topics *const model = j->model;
    const int K = model->theta.K;
    double *const exposure = j->scratch + group * K;
    for (int d = from; d < to; d++) {
        ldp_margin_row(K, model->phi.mean, j->cells, j->local->exposure_rest[d],
                       j->local->exposure_extra[d], d, j->total, ldp_line(model->active, K, d),
                       exposure);
        ldp_cavi_factor_set(&model->theta, d, ldp_line(model->counts_theta, K, d), exposure);
    }
    return 0;
}

static double set_columns(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_topics *const model = j->model;
    const int K = model->phi.K;
    double *const exposure = j->scratch + group * K;
    for (int v = from; v < to; v++) {
        ldp_margin_column(K, model->theta.mean, j->cells, j->local->exposure_rest, j->extra, v,
                          j->total, exposure);
        ldp_cavi_factor_set(&model->phi, v, ldp_line(model->counts_phi, K, v), exposure);
    }
    return 0;
}

static void cavi_topics_update_theta(ldp_cavi_topics *model, job *j) {
    const ldp_cells *const cells = j->cells;
    const ldp_cavi_lines rows = {
        cells->D, LDP_CAVI_GROUPS, LDP_CAVI_LINE, {NULL, NULL}, cells->missing};
    ldp_exposure_total(ldp_cavi_factor_means(&model->phi), j->total);
    ldp_cavi_run(j->local->team, &rows, cavi_topics_set_rows, j);
    ldp_cavi_factor_refresh(&model->theta, j->local->team);
}

static void cavi_topics_update_phi(ldp_cavi_topics *model, job *j) {
    const ldp_cells *const cells = j->cells;
    const ldp_lists active = j->extra ? cells->active_t : (ldp_lists){NULL, NULL};
    const ldp_cavi_lines columns = {cells->V, LDP_CAVI_GROUPS, LDP_CAVI_LINE, active,
                                    cells->missing_t};
    ldp_exposure_total(
        (ldp_weighted){model->theta.K, 0, cells->D, model->theta.mean, j->local->exposure_rest},
        j->total);
    ldp_cavi_run(j->local->team, &columns, set_columns, j);
    ldp_cavi_factor_refresh(&model->phi, j->local->team);
}

double ldp_cavi_topics_pass(ldp_cavi_topics *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    if (local->update)
        local->update(local->state, cells, local->team);
    job j = cavi_topics_new_job(model, local, cells, work);
    cavi_topics_update_theta(model, &j);
    cavi_topics_update_phi(model, &j);
    ldp_cavi_factor_balance(&model->theta, &model->phi, local->team, work);
    ldp_cavi_relative_balance(model->relative, &model->theta, &model->phi, local->team, work);
    ldp_cavi_relative_update(model->relative, &model->theta);
    ldp_cavi_hyper_update(&model->theta, local->team, model->hyper);
    ldp_cavi_hyper_update(&model->phi, local->team, model->hyper + LDP_CAVI_HYPER);
    return ldp_cavi_topics_local(model, local, cells, work);
}
