/* One Gibbs sweep of mu_dv = sum_k theta_dk phi_kv under Gamma priors:
 *
 *     y_dv | .       drawn for every active cell, split over k with weights theta_dk phi_kv
 *     theta_dk | .   Gamma(a + sum_v y_dvk, b + sum_v e_dv phi_kv)
 *     phi_kv | .     Gamma(a + sum_d y_dvk, b + sum_d e_dv theta_dk)
 *
 * with exposures e_dv = rest_d for an observed cell, rest_d + excess_d for an active one and
 * 0 for a missing one: only active and missing cells are visited.
 *
 * Source: Schein et al. (2019), section 5.1; the collapsed scheme is ours. */
#include "ldp_topics.h"
#include "ldp_allocate.h"
#include "ldp_density.h"
#include "ldp_exposure.h"
#include "ldp_math.h"

static size_t factor_length(int K, int n) {
    return (size_t)K * (size_t)n;
}

/* Latent counts of document d, split over topics into `counts` (the document's, K) and into
 * sums.counts (the words'). */
static void draw_counts(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                        int d, double *counts, ldp_topics_sums sums, double *weights) {
    const int K = model->K;
    const double *const theta = ldp_line(model->theta, K, d);
    for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++) {
        const int v = cells->active.index[e];
        const double *const phi = ldp_line(model->phi, K, v);
        const double mu = ldp_dot(K, theta, phi);
        const double y = noise->draw(noise->state, e, cells->y_tilde[e], mu, cells->alpha[d]);
        if (y > 0)
            ldp_allocate(y, K, theta, phi, counts, ldp_line(sums.counts, K, v), weights);
    }
}

/* exposure = sum_v e_dv phi_kv */
static void document_exposure(const ldp_topics *model, const ldp_cells *cells,
                              const ldp_noise *noise, int d, const double *total_phi,
                              double *exposure, double *active) {
    const int K = model->K;
    const ldp_weighted phi = {K, 0, cells->V, model->phi, NULL};
    const double excess = noise->exposure_excess[d];
    ldp_exposure_observed(phi, total_phi, cells->missing.index + cells->missing.start[d],
                          ldp_lists_length(cells->missing, d), LDP_NO_SELF, exposure);
    for (int k = 0; k < K; k++)
        exposure[k] *= noise->exposure_rest[d];
    if (excess > 0) {
        ldp_fill(K, active, 0);
        ldp_exposure_listed(phi, cells->active.index + cells->active.start[d],
                            ldp_lists_length(cells->active, d), active);
        ldp_add(K, exposure, excess, active);
    }
}

static void add_excess(const ldp_topics *model, const ldp_cells *cells, double excess, int d,
                       ldp_topics_sums sums) {
    const int K = model->K;
    if (excess <= 0)
        return;
    for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++)
        ldp_add(K, ldp_line(sums.exposure, K, cells->active.index[e]), excess,
                ldp_line(model->theta, K, d));
}

/* How many of n ascending indices lie below a limit. */
static size_t count_below(const int *ascending, size_t n, int limit) {
    size_t i = 0;
    while (i < n && ascending[i] < limit)
        i++;
    return i;
}

/* sums.exposure += sum over the observed d in from .. to-1 of rest_d theta_dk, for every word */
static void add_rest(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, ldp_topics_sums sums, double *work) {
    const int K = model->K;
    const ldp_weighted theta = {K, from, to, model->theta, noise->exposure_rest};
    double *const total = work, *const observed = work + K;
    ldp_exposure_total(theta, total);
    for (int v = 0; v < cells->V; v++) {
        const int *const missing = cells->missing_t.index + cells->missing_t.start[v];
        const size_t n = ldp_lists_length(cells->missing_t, v);
        const size_t before = count_below(missing, n, from);
        const size_t within = count_below(missing, n, to) - before;
        if (within > 0)
            ldp_exposure_observed(theta, total, missing + before, within, LDP_NO_SELF, observed);
        ldp_add(K, ldp_line(sums.exposure, K, v), 1, within > 0 ? observed : total);
    }
}

void ldp_topics_rows(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, const double *total_phi, ldp_topics_sums sums,
                     double *work) {
    const int K = model->K;
    double *const counts = work, *const exposure = work + K, *const scratch = work + 2 * K;
    for (int d = from; d < to; d++) {
        ldp_fill(K, counts, 0);
        draw_counts(model, cells, noise, d, counts, sums, scratch);
        document_exposure(model, cells, noise, d, total_phi, exposure, scratch);
        ldp_gamma_draw(K, model->prior_theta, counts, exposure, ldp_line(model->theta, K, d));
        add_excess(model, cells, noise->exposure_excess[d], d, sums);
    }
    add_rest(model, cells, noise, from, to, sums, work);
}

void ldp_topics_columns(const ldp_topics *model, int V, ldp_topics_sums sums) {
    const int K = model->K;
    for (int v = 0; v < V; v++)
        ldp_gamma_draw(K, model->prior_phi, ldp_line(sums.counts, K, v),
                       ldp_line(sums.exposure, K, v), ldp_line(model->phi, K, v));
}

size_t ldp_topics_work(int K, int V) {
    return 2 * factor_length(K, V) + 4 * (size_t)K;
}

void ldp_topics_sweep(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                      double *work) {
    const size_t n_phi = factor_length(model->K, cells->V);
    const ldp_topics_sums sums = {work, work + n_phi};
    double *const total_phi = work + 2 * n_phi;
    for (size_t i = 0; i < 2 * n_phi; i++)
        work[i] = 0;
    ldp_exposure_total((ldp_weighted){model->K, 0, cells->V, model->phi, NULL}, total_phi);
    ldp_topics_rows(model, cells, noise, 0, cells->D, total_phi, sums, total_phi + model->K);
    ldp_topics_columns(model, cells->V, sums);
}

double ldp_topics_log_density(const ldp_topics *model, const ldp_cells *cells, double *work) {
    const int K = model->K;
    double sum = 0;
    ldp_exposure_total((ldp_weighted){K, 0, cells->V, model->phi, NULL}, work);
    for (int d = 0; d < cells->D; d++) {
        const double *const theta = ldp_line(model->theta, K, d);
        double rest = ldp_dot(K, theta, work); /* sum of mu over the cells not listed */
        for (size_t e = cells->missing.start[d]; e < cells->missing.start[d + 1]; e++)
            rest -= ldp_dot(K, theta, ldp_line(model->phi, K, cells->missing.index[e]));
        for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++) {
            const double mu = ldp_dot(K, theta, ldp_line(model->phi, K, cells->active.index[e]));
            sum += ldp_density_cell(cells->y_tilde[e], mu, cells->alpha[d]);
            rest -= mu;
        }
        sum += ldp_density_rest(rest > 0 ? rest : 0, cells->alpha[d]);
    }
    return sum;
}
