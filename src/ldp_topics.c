/* One Gibbs sweep of mu_dv = sum_k theta_dk phi_kv under Gamma priors:
 *
 *     y_dv | .       drawn for every active cell, split over k with weights theta_dk phi_kv
 *     theta_dk | .   Gamma(a + sum_v y_dvk, b + sum_v e_dv phi_kv)
 *     phi_kv | .     Gamma(a + sum_d y_dvk, b + sum_d e_dv theta_dk)
 *
 * with exposures e_dv = rest_d for an observed cell, rest_d + excess_d for an active one and
 * 0 for a missing one: only active and missing cells are visited.
 *
 * Source: Schein et al. (2019), section 5.1; the collapsed scheme is new in this package. */
#include "ldp_topics.h"
#include "ldp_allocate.h"
#include "ldp_exposure.h"
#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"

static size_t factor_length(int K, int n) {
    return (size_t)K * (size_t)n;
}

/* Document d, a few active cells at a time: computes their means and, from the same rows of phi,
 * the sum `active`; draws latent counts, and splits them over topics into `counts` (of the
 * document) and `words` (of the words). */
static void draw_counts(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                        ldp_stream *stream, int d, double *counts, double *active, double *words,
                        double *work) {
    const int K = model->K;
    const double *const theta = ldp_line(model->theta, K, d);
    const size_t end = cells->active.start[d + 1];
    ldp_tally of_words = {.to = words};
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
        const int *const word = cells->active.index + e;
        double x[LDP_FEW];
        int positive[LDP_FEW];
        ldp_rows_dot(K, theta, model->phi, word, n, x, active);
        const int n_positive = noise->draw(noise->state, stream, d, e, n, cells->y_tilde + e,
                                           cells->alpha[d], x, positive);
        for (int i = 0; i < n_positive; i++) {
            const int v = word[positive[i]];
            ldp_allocate(stream, x[positive[i]], K, theta, ldp_line(model->phi, K, v), counts,
                         &of_words, factor_length(K, v), work);
        }
    }
    ldp_tally_settle(&of_words);
}

/* Document d: draws latent counts, then theta. Each document has its own stream of random numbers,
 * so that results do not depend on how documents are divided into ranges. */
static void draw_document(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int d, const double *total_phi, double *words, double *work) {
    const int K = model->K;
    double *const counts = work, *const active = work + K, *const scratch = work + 2 * K;
    ldp_stream stream = ldp_stream_open();
    ldp_fill(2 * K, work, 0);
    draw_counts(model, cells, noise, &stream, d, counts, active, words, scratch);
    ldp_margin_row(K, model->phi, cells, noise->exposure_rest[d], noise->exposure_excess[d], d,
                   total_phi, active, scratch);
    ldp_gamma_move(&stream, model->reflect, K, model->prior_theta, counts, scratch,
                   ldp_line(model->theta, K, d));
}

void ldp_topics_documents(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int from, int to, const double *total_phi, double *words, double *work) {
    for (int d = from; d < to; d++)
        draw_document(model, cells, noise, d, total_phi, words, work);
}

void ldp_topics_rows(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, const double *total_phi, ldp_topics_sums sums,
                     double *work) {
    ldp_topics_documents(model, cells, noise, from, to, total_phi, sums.counts, work);
    ldp_margin_columns(model->K, model->theta, cells, noise->exposure_rest, noise->exposure_excess,
                       from, to, sums.exposure, work);
}

void ldp_topics_columns(const ldp_topics *model, int V, ldp_topics_sums sums) {
    const int K = model->K;
    ldp_stream stream = ldp_stream_open();
    for (int v = 0; v < V; v++)
        ldp_gamma_move(&stream, model->reflect, K, model->prior_phi, ldp_line(sums.counts, K, v),
                       ldp_line(sums.exposure, K, v), ldp_line(model->phi, K, v));
}

size_t ldp_topics_work(int K, int V) {
    return 2 * factor_length(K, V) + 4 * (size_t)K;
}

ldp_topics_round ldp_topics_open(const ldp_topics *model, int V, double *work) {
    const size_t n_phi = factor_length(model->K, V);
    const ldp_topics_round round = {
        {work, work + n_phi}, work + 2 * n_phi, work + 2 * n_phi + model->K};
    for (size_t i = 0; i < 2 * n_phi; i++)
        work[i] = 0;
    ldp_exposure_total((ldp_weighted){model->K, 0, V, model->phi, NULL}, round.total_phi);
    return round;
}

void ldp_topics_rescale(ldp_topics *model, int D, int V, double *work) {
    ldp_rescale(model->K, (ldp_rescaled){D, model->theta, &model->prior_theta},
                (ldp_rescaled){V, model->phi, &model->prior_phi}, work);
}

ldp_scalable ldp_topics_scalable(const ldp_topics *model, int D) {
    return (ldp_scalable){
        D, model->K, model->theta, model->prior_theta.shape, model->prior_theta.rate, 1};
}

void ldp_topics_visit(const ldp_topics *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work) {
    const int K = model->K;
    double *const total_phi = work;
    ldp_exposure_total((ldp_weighted){K, 0, cells->V, model->phi, NULL}, total_phi);
    for (int d = 0; d < cells->D; d++) {
        const double *const theta = ldp_line(model->theta, K, d);
        const size_t end = cells->active.start[d + 1];
        double rest = ldp_dot(K, theta, total_phi);
        for (size_t e = cells->missing.start[d]; e < cells->missing.start[d + 1]; e++)
            rest -= ldp_dot(K, theta, ldp_line(model->phi, K, cells->missing.index[e]));
        for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
            const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
            double mean[LDP_FEW];
            ldp_rows_means(K, theta, model->phi, cells->active.index + e, n, mean);
            visitor.cells(visitor.state, d, e, n, mean);
            for (int i = 0; i < n; i++)
                rest -= mean[i];
        }
        visitor.rest(visitor.state, d, rest > 0 ? rest : 0);
    }
}
