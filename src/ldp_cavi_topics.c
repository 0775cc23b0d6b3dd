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

size_t ldp_cavi_topics_work(int K, int V) {
    return (size_t)K * (size_t)V + 4 * (size_t)K;
}

/* Components are independent, so the variance of mu is the sum of their variances. */
static void moments_at(const void *state, int row, const int *columns, int n, double *mean,
                       double *variance) {
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

static ldp_cavi_row row_of(const ldp_cavi_topics *model, int d) {
    const int K = model->theta.K;
    const double *const theta = ldp_line(model->theta.geo, K, d);
    return (ldp_cavi_row){.K = K,
                          .row = d,
                          .left = theta,
                          .geo = model->phi.geo,
                          .mean = model->phi.mean,
                          .right = theta,
                          .gathered = ldp_line(model->counts_theta, K, d),
                          .active = ldp_line(model->active, K, d),
                          .scattered = model->counts_phi,
                          .moments = {moments_at, model}};
}

static double divergence(const ldp_cavi_topics *model, const ldp_cavi_local *local) {
    const double own = local->divergence ? local->divergence(local->state) : 0;
    return own + ldp_cavi_factor_divergence(&model->theta) +
           ldp_cavi_factor_divergence(&model->phi) +
           ldp_cavi_rate_divergence(&model->theta, model->rates) +
           ldp_cavi_rate_divergence(&model->phi, model->rates + 2);
}

double ldp_cavi_topics_local(const ldp_cavi_topics *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    const int K = model->theta.K, D = cells->D, V = cells->V;
    double *const total = work, *const observed = work + K;
    double sum = 0;
    ldp_cavi_factor_clear(&model->theta, model->counts_theta);
    ldp_cavi_factor_clear(&model->theta, model->active);
    ldp_cavi_factor_clear(&model->phi, model->counts_phi);
    ldp_exposure_total((ldp_weighted){K, 0, V, model->phi.mean, NULL}, total);
    for (int d = 0; d < D; d++) {
        sum += ldp_cavi_walk(local, cells, row_of(model, d));
        ldp_margin_observed(K, model->phi.mean, cells, d, total, observed);
        sum += ldp_cavi_exposed(local, K, d, ldp_line(model->theta.mean, K, d), observed,
                                ldp_line(model->active, K, d));
    }
    ldp_cavi_factor_times_geo(&model->theta, model->counts_theta);
    ldp_cavi_factor_times_geo(&model->phi, model->counts_phi);
    return sum - divergence(model, local);
}

static void update_theta(ldp_cavi_topics *model, const ldp_cavi_local *local,
                         const ldp_cells *cells, double *work) {
    const int K = model->theta.K;
    double *const total = work, *const exposure = work + K;
    ldp_exposure_total((ldp_weighted){K, 0, cells->V, model->phi.mean, NULL}, total);
    for (int d = 0; d < cells->D; d++) {
        ldp_margin_row(K, model->phi.mean, cells, local->exposure_rest[d],
                       local->exposure_excess[d], d, total, ldp_line(model->active, K, d),
                       exposure);
        ldp_cavi_factor_set(&model->theta, d, ldp_line(model->counts_theta, K, d), exposure);
    }
    ldp_cavi_factor_refresh(&model->theta);
}

static void update_phi(ldp_cavi_topics *model, const ldp_cavi_local *local, const ldp_cells *cells,
                       double *work) {
    const int K = model->theta.K;
    double *const exposure = work + 2 * K;
    ldp_margin_columns(K, model->theta.mean, cells, local->exposure_rest, local->exposure_excess,
                       exposure, work);
    ldp_cavi_factor_set_all(&model->phi, model->counts_phi, exposure);
}

double ldp_cavi_topics_pass(ldp_cavi_topics *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    if (local->update)
        local->update(local->state, cells);
    update_theta(model, local, cells, work);
    update_phi(model, local, cells, work);
    ldp_cavi_factor_balance(&model->theta, &model->phi, work);
    ldp_cavi_rate_update(&model->theta, model->rates);
    ldp_cavi_rate_update(&model->phi, model->rates + 2);
    return ldp_cavi_topics_local(model, local, cells, work);
}
