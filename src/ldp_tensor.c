/* One Gibbs sweep of mu_i = sum_k prod_m theta^(m)_{im k}, i = (i_0 .. i_{M-1}), under Gamma
 * priors:
 *
 *     y_i | .            drawn for every active cell, split over k by prod_m theta^(m)_{im k}
 *     theta^(m)_jk | .   Gamma(a + sum_i y_ik, b + sum_i e_i prod_{l != m} theta^(l)_{il k})
 *
 * mode by mode, with sums over all i with i_m = j, and exposures e_i = rest_{i0} for an observed
 * cell, rest_{i0} + excess_{i0} for an active one and 0 for a missing one (ldp_modes): only active
 * and missing cells are visited, once per mode.
 *
 * Sources: Schein et al. (2019), section 3, for the class of models; Schein, Paisley, Blei and
 * Wallach (2015), Bayesian Poisson tensor factorization, KDD, for this one; the collapsed scheme is
 * new in this package. */
#include <math.h>

#include "ldp_allocate.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"
#include "ldp_tensor.h"

enum { LINES_OF_SCRATCH = 7 };

static size_t mode_length(const ldp_tensor *model, int m) {
    return (size_t)model->K * (size_t)model->mode[m].n;
}

static ldp_modes modes_of(const ldp_tensor *model) {
    ldp_modes modes = {.K = model->K, .M = model->M};
    for (int m = 0; m < model->M; m++) {
        modes.n[m] = model->mode[m].n;
        modes.weights[m] = model->mode[m].theta;
    }
    return modes;
}

/* --- mode 0, and latent counts --------------------------------------------------------------- */

/* The lines of scratch, while a row is drawn. */
typedef struct row_lines {
    double *total, *counts, *active, *exposure, *split, *work, *ones;
} row_lines;

static row_lines lines_of(double *scratch, int K) {
    return (row_lines){scratch,         scratch + K,     scratch + 2 * K, scratch + 3 * K,
                       scratch + 4 * K, scratch + 5 * K, scratch + 6 * K};
}

/* Products over modes below this have lost digits to underflow. */
static const double SMALL_MEAN = 1e-290;

/* The products over all modes relative to the largest, computed from their logarithms. */
static void log_scale_products(const ldp_tensor *model, int d, const ldp_modes_few *cells, int e,
                               double *weight) {
    const int K = model->K;
    double largest = -INFINITY;
    for (int k = 0; k < K; k++) {
        weight[k] = log(ldp_line(model->mode[0].theta, K, d)[k]);
        for (int m = 1; m < model->M; m++)
            weight[k] += log(ldp_line(model->mode[m].theta, K, cells->index[m][e])[k]);
        largest = fmax(largest, weight[k]);
    }
    for (int k = 0; k < K; k++)
        weight[k] = exp(weight[k] - largest);
}

/* Splits the y counts of cell e over components with weights theta_dk row_k, and adds the results
 * to the counts of all modes. */
static void split_count(const ldp_tensor *model, ldp_stream *stream, double y, int d,
                        const double *row, const ldp_modes_few *cells, int e,
                        ldp_tensor_round *round, row_lines lines, ldp_tally *of_mode_1) {
    const int K = model->K;
    const double *theta = ldp_line(model->mode[0].theta, K, d);
    ldp_fill(K, lines.split, 0);
    if (model->M > 2 && ldp_dot(K, theta, row) < SMALL_MEAN) {
        log_scale_products(model, d, cells, e, lines.exposure);
        ldp_fill(K, lines.ones, 1);
        theta = lines.exposure;
        row = lines.ones;
    }
    ldp_allocate(stream, y, K, theta, row, lines.split, of_mode_1,
                 (size_t)K * (size_t)cells->index[1][e], lines.work);
    ldp_add(K, lines.counts, 1, lines.split);
    for (int m = 2; m < model->M; m++)
        ldp_add(K, ldp_line(round->counts[m], K, cells->index[m][e]), 1, lines.split);
}

/* Row d, a few active cells at a time: computes their means and, from the same rows, their sum
 * `active`; draws latent counts, and splits them. */
static void draw_counts(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                        ldp_stream *stream, int d, ldp_tensor_round *round, row_lines lines) {
    const int K = model->K;
    const double *const theta = ldp_line(model->mode[0].theta, K, d);
    const size_t end = cells->active.start[d + 1];
    ldp_tally of_mode_1 = {.to = round->counts[1]};
    ldp_modes_few some;
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        double x[LDP_FEW];
        int positive[LDP_FEW], index[LDP_FEW];
        ldp_modes_next(&round->modes, cells->active.index, e, end, &some);
        const double *const rows = ldp_modes_rows(&round->modes, &some, round->products, index);
        ldp_rows_dot(K, theta, rows, index, some.n, x, lines.active);
        const int n_positive = noise->draw(noise->state, stream, d, e, some.n, cells->y_tilde + e,
                                           cells->alpha[d], x, positive);
        for (int i = 0; i < n_positive; i++) {
            const int at = positive[i];
            split_count(model, stream, x[at], d, rows + (size_t)index[at] * (size_t)K, &some, at,
                        round, lines, &of_mode_1);
        }
    }
    ldp_tally_settle(&of_mode_1);
}

/* exposure = sum_v e_dv times the products over modes 1 .. M-1 */
static void row_exposure(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                         int d, const ldp_tensor_round *round, row_lines lines) {
    ldp_modes_observed_row(&round->modes, cells, d, lines.total, round->products, lines.work,
                           lines.exposure);
    for (int k = 0; k < model->K; k++)
        lines.exposure[k] = noise->exposure_rest[d] * lines.exposure[k] +
                            noise->exposure_excess[d] * lines.active[k];
}

/* Each row has its own stream of random numbers, so that results do not depend on how rows are
 * divided into ranges. */
static void draw_row(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise, int d,
                     ldp_tensor_round *round, row_lines lines) {
    const int K = model->K;
    ldp_stream stream = ldp_stream_open();
    ldp_fill(2 * K, lines.counts, 0); /* those of `active` follow */
    draw_counts(model, cells, noise, &stream, d, round, lines);
    row_exposure(model, cells, noise, d, round, lines);
    ldp_gamma_move(&stream, model->reflect, K, model->mode[0].prior, lines.counts, lines.exposure,
                   ldp_line(model->mode[0].theta, K, d));
}

void ldp_tensor_rows(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, ldp_tensor_round *round) {
    const row_lines lines = lines_of(round->scratch, model->K);
    ldp_modes_total_product(&round->modes, round->totals, 0, lines.total);
    for (int d = from; d < to; d++)
        draw_row(model, cells, noise, d, round, lines);
    if (to == cells->D)
        ldp_modes_total(&round->modes, 0, noise->exposure_rest, round->totals);
}

/* --- the other modes ------------------------------------------------------------------------- */

void ldp_tensor_begin(const ldp_tensor *model, int m, ldp_tensor_round *round) {
    for (size_t i = 0; i < mode_length(model, m); i++)
        round->active[i] = round->missing[i] = 0;
}

void ldp_tensor_listed(int m, const ldp_cells *cells, const ldp_noise *noise, int from, int to,
                       ldp_tensor_round *round) {
    for (int d = from; d < to; d++)
        ldp_modes_listed(&round->modes, m, cells, d, noise->exposure_rest[d],
                         noise->exposure_excess[d], round->products, round->scratch, round->active,
                         round->missing);
}

void ldp_tensor_draw(const ldp_tensor *model, int m, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_tensor_round *round) {
    const int K = model->K;
    double *const total = round->scratch, *const exposure = total + K, *const x = total + 2 * K;
    ldp_stream stream = ldp_stream_open();
    ldp_modes_total_product(&round->modes, round->totals, m, total);
    for (int j = 0; j < model->mode[m].n; j++) {
        ldp_modes_observed(&round->modes, cells, noise->exposure_rest, m, j, total,
                           ldp_line(round->missing, K, j), round->products, x, exposure);
        ldp_add(K, exposure, 1, ldp_line(round->active, K, j));
        ldp_gamma_move(&stream, model->reflect, K, model->mode[m].prior,
                       ldp_line(round->counts[m], K, j), exposure,
                       ldp_line(model->mode[m].theta, K, j));
    }
    ldp_modes_total(&round->modes, m, NULL, round->totals);
}

/* --- a sweep --------------------------------------------------------------------------------- */

static size_t longest_mode(const ldp_tensor *model) {
    size_t longest = 0;
    for (int m = 1; m < model->M; m++)
        if (mode_length(model, m) > longest)
            longest = mode_length(model, m);
    return longest;
}

size_t ldp_tensor_work(const ldp_tensor *model) {
    size_t lines = (size_t)model->M + LDP_FEW + LINES_OF_SCRATCH;
    size_t n = lines * (size_t)model->K + 2 * longest_mode(model);
    for (int m = 1; m < model->M; m++)
        n += mode_length(model, m);
    return n;
}

static ldp_tensor_round lay_out(const ldp_tensor *model, double *work) {
    const size_t K = (size_t)model->K;
    ldp_tensor_round round = {.modes = modes_of(model), .totals = work};
    work += (size_t)model->M * K;
    for (int m = 1; m < model->M; m++) {
        round.counts[m] = work;
        work += mode_length(model, m);
    }
    round.active = work;
    round.missing = work + longest_mode(model);
    round.products = round.missing + longest_mode(model);
    round.scratch = round.products + LDP_FEW * K;
    return round;
}

ldp_tensor_round ldp_tensor_open(const ldp_tensor *model, double *work) {
    const ldp_tensor_round round = lay_out(model, work);
    for (int m = 1; m < model->M; m++) {
        for (size_t i = 0; i < mode_length(model, m); i++)
            round.counts[m][i] = 0;
        ldp_modes_total(&round.modes, m, NULL, round.totals);
    }
    return round;
}

/* --- means, and moves that do not change them ------------------------------------------------ */

static ldp_rescaled rescaled(ldp_tensor_mode *mode) {
    return (ldp_rescaled){mode->n, mode->theta, &mode->prior};
}

void ldp_tensor_rescale(ldp_tensor *model, double *work) {
    for (int m = 1; m < model->M; m++)
        ldp_rescale(model->K, rescaled(&model->mode[m - 1]), rescaled(&model->mode[m]), work);
}

ldp_scalable ldp_tensor_scalable(const ldp_tensor *model) {
    const ldp_tensor_mode *const mode = &model->mode[0];
    return (ldp_scalable){mode->n, model->K, mode->theta, mode->prior.shape, mode->prior.rate, 1};
}

void ldp_tensor_visit(const ldp_tensor *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work) {
    const int K = model->K;
    const ldp_tensor_round round = ldp_tensor_open(model, work);
    const row_lines lines = lines_of(round.scratch, K);
    ldp_modes_few some;
    ldp_modes_total_product(&round.modes, round.totals, 0, lines.total);
    for (int d = 0; d < cells->D; d++) {
        const double *const theta = ldp_line(model->mode[0].theta, K, d);
        const size_t end = cells->active.start[d + 1];
        ldp_modes_observed_row(&round.modes, cells, d, lines.total, round.products, lines.work,
                               lines.exposure);
        double rest = ldp_dot(K, theta, lines.exposure);
        for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
            double mean[LDP_FEW];
            int index[LDP_FEW];
            ldp_modes_next(&round.modes, cells->active.index, e, end, &some);
            const double *const rows = ldp_modes_rows(&round.modes, &some, round.products, index);
            ldp_rows_means(K, theta, rows, index, some.n, mean);
            visitor.cells(visitor.state, d, e, some.n, mean);
            for (int i = 0; i < some.n; i++)
                rest -= mean[i];
        }
        visitor.rest(visitor.state, d, rest > 0 ? rest : 0);
    }
}
