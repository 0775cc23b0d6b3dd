/* One Gibbs sweep of mu_i = sum_k prod_m theta^(m)_{im k}, i = (i_0 .. i_{M-1}), under Gamma
 * priors:
 *
 *     y_i | .            drawn for every active cell, split over k by prod_m theta^(m)_{im k}
 *     theta^(m)_jk | .   Gamma(a + sum_i y_ik, b + sum_i e_i prod_{l != m} theta^(l)_{il k})
 *
 * mode by mode, with sums over all i with i_m = j, and exposures e_i = rest_{i0} for an observed
 * cell, rest_{i0} + excess_{i0} for an active one and 0 for a missing one. So the sum in a rate is,
 * with rest_j in T^(0),
 *
 *     prod_{l != m} T^(l)_k - (missing cells of j) + (active cells of j),
 *     T^(l)_k = sum_j theta^(l)_jk
 *
 * and only active and missing cells are visited, once a mode.
 *
 * Sources: Schein et al. (2019), section 3, for the class of models; Schein, Paisley, Blei and
 * Wallach (2015), Bayesian Poisson tensor factorization, KDD, for this one; the collapsed scheme is
 * ours. */
#include <math.h>

#include "ldp_allocate.h"
#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"
#include "ldp_tensor.h"

enum { NO_MODE = -1, LINES_OF_SCRATCH = 7 };

static size_t mode_length(const ldp_tensor *model, int m) {
    return (size_t)model->K * (size_t)model->mode[m].n;
}

/* --- products over modes --------------------------------------------------------------------- */

/* A few cells of one row of the table: for each mode but the first, the index of each cell. */
typedef struct few {
    int n;
    int index[LDP_TENSOR_MODES][LDP_FEW];
} few;

static int few_of(size_t first, size_t end) {
    return end - first < LDP_FEW ? (int)(end - first) : LDP_FEW;
}

static void decode(const ldp_tensor *model, const int *column, int n, few *cells) {
    cells->n = n;
    for (int e = 0; e < n; e++) {
        int left = column[e];
        for (int m = 1; m < model->M - 1; m++) {
            cells->index[m][e] = left % model->mode[m].n;
            left /= model->mode[m].n;
        }
        cells->index[model->M - 1][e] = left;
    }
}

/* products_ek *= the weights of cell e in all modes but the first and `skip` */
static void multiply_modes(const ldp_tensor *model, const few *cells, int skip, double *products) {
    for (int m = 1; m < model->M; m++)
        if (m != skip)
            ldp_rows_multiply(model->K, model->mode[m].theta, cells->index[m], cells->n, products);
}

/* products_ek = x_k times these weights */
static void start_from(const ldp_tensor *model, const double *x, const few *cells, int skip,
                       double *products) {
    for (int e = 0; e < cells->n; e++)
        for (int k = 0; k < model->K; k++)
            products[(size_t)e * (size_t)model->K + (size_t)k] = x[k];
    multiply_modes(model, cells, skip, products);
}

/* out = prod_m totals^(m), over all modes but one */
static void product_of_totals(const ldp_tensor *model, const double *totals, int skip,
                              double *out) {
    ldp_fill(model->K, out, 1);
    for (int m = 0; m < model->M; m++)
        for (int k = 0; m != skip && k < model->K; k++)
            out[k] *= totals[m * model->K + k];
}

static void total_of_mode(const ldp_tensor *model, int m, const double *weight, double *totals) {
    const ldp_weighted rows = {model->K, 0, model->mode[m].n, model->mode[m].theta, weight};
    ldp_exposure_total(rows, totals + m * model->K);
}

/* The rows that stand for a few cells against those of mode 0: of two modes the second itself, of
 * more their products. Returns them; `index`: which row is whose. */
static const double *rows_of_cells(const ldp_tensor *model, const few *cells, double *products,
                                   int *index) {
    const int last = model->M - 1;
    for (int e = 0; e < cells->n; e++)
        index[e] = last == 1 ? cells->index[1][e] : e;
    if (last == 1)
        return model->mode[1].theta;
    ldp_fill(cells->n * model->K, products, 1);
    multiply_modes(model, cells, NO_MODE, products);
    return products;
}

/* --- where missing cells hold nearly everything ---------------------------------------------- */

/* Is column v the next of the ascending columns that are missing? */
static int is_missing(int v, const int *missing, size_t n, size_t *next) {
    while (*next < n && missing[*next] < v)
        (*next)++;
    return *next < n && missing[*next] == v;
}

/* out += x times the products over the modes but the first and m, over the observed cells of row d
 * whose index in mode m is j; of mode 0 over all of them. */
static void add_up_row(const ldp_tensor *model, const ldp_cells *cells, int m, int j, int d,
                       const double *x, double *products, double *out) {
    const int *const missing = cells->missing.index + cells->missing.start[d];
    const size_t n_missing = ldp_lists_length(cells->missing, d);
    size_t next = 0;
    int stride = 1, n = 1;
    for (int l = 1; l < m; l++)
        stride *= model->mode[l].n;
    if (m > 0)
        n = model->mode[m].n;
    else
        stride = cells->V;
    for (int block = m > 0 ? j * stride : 0; block < cells->V; block += n * stride) {
        for (int v = block; v < block + stride; v++) {
            few cell;
            if (is_missing(v, missing, n_missing, &next))
                continue;
            decode(model, &v, 1, &cell);
            start_from(model, x, &cell, m, products);
            ldp_add(model->K, out, 1, products);
        }
        if (block > cells->V - n * stride)
            break;
    }
}

/* The exposure of the observed cells of index j in mode m, all taken for the rest, term by term. */
static void add_up(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise, int m,
                   int j, double *products, double *x, double *out) {
    const int K = model->K;
    ldp_fill(K, out, 0);
    if (m == 0) {
        ldp_fill(K, x, 1);
        add_up_row(model, cells, m, j, j, x, products, out);
        return;
    }
    for (int d = 0; d < cells->D; d++) {
        ldp_fill(K, x, 0);
        ldp_add(K, x, noise->exposure_rest[d], ldp_line(model->mode[0].theta, K, d));
        add_up_row(model, cells, m, j, d, x, products, out);
    }
}

/* exposure = total - missing; where that loses its digits the sum over what is not missing. */
static void observed_exposure(const ldp_tensor *model, const ldp_cells *cells,
                              const ldp_noise *noise, int m, int j, const double *total,
                              const double *missing, double *products, double *x,
                              double *exposure) {
    for (int k = 0; k < model->K; k++)
        exposure[k] = total[k] - missing[k];
    if (ldp_exposure_digits_lost(model->K, total, exposure))
        add_up(model, cells, noise, m, j, products, x, exposure);
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

/* Below this, a product over modes has lost digits to underflow, or all of them. */
static const double SMALL_MEAN = 1e-290;

/* The products over all modes relative to the largest, by way of their logarithms. */
static void log_scale_products(const ldp_tensor *model, int d, const few *cells, int e,
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

/* y counts of cell e, over components with weights theta_dk row_k, and into the counts of all
 * modes. */
static void split_count(const ldp_tensor *model, ldp_stream *stream, double y, int d,
                        const double *row, const few *cells, int e, ldp_tensor_round *round,
                        row_lines lines, ldp_tally *of_mode_1) {
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

/* Row d, a few active cells at a time: their means and, with the same rows at hand, `active`, the
 * sum of these; latent counts; and the split of these. */
static void draw_counts(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                        ldp_stream *stream, int d, ldp_tensor_round *round, row_lines lines) {
    const int K = model->K;
    const double *const theta = ldp_line(model->mode[0].theta, K, d);
    const size_t end = cells->active.start[d + 1];
    ldp_tally of_mode_1 = {.to = round->counts[1]};
    few some;
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        double x[LDP_FEW];
        int positive[LDP_FEW], index[LDP_FEW];
        decode(model, cells->active.index + e, few_of(e, end), &some);
        const double *const rows = rows_of_cells(model, &some, round->products, index);
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

/* out += the products over modes 1 .. M-1 of the missing cells of row d */
static void add_missing(const ldp_tensor *model, const ldp_cells *cells, int d, double *products,
                        double *out) {
    const size_t end = cells->missing.start[d + 1];
    few some;
    for (size_t e = cells->missing.start[d]; e < end; e += LDP_FEW) {
        int index[LDP_FEW];
        decode(model, cells->missing.index + e, few_of(e, end), &some);
        const double *const rows = rows_of_cells(model, &some, products, index);
        ldp_rows_add(model->K, rows, NULL, index, (size_t)some.n, out);
    }
}

/* exposure = sum_v e_dv times the products over modes 1 .. M-1 */
static void row_exposure(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                         int d, ldp_tensor_round *round, row_lines lines) {
    const int K = model->K;
    ldp_fill(K, lines.split, 0);
    add_missing(model, cells, d, round->products, lines.split);
    observed_exposure(model, cells, noise, 0, d, lines.total, lines.split, round->products,
                      lines.work, lines.exposure);
    for (int k = 0; k < K; k++)
        lines.exposure[k] = noise->exposure_rest[d] * lines.exposure[k] +
                            noise->exposure_excess[d] * lines.active[k];
}

/* A row has a stream of its own, so that ranges may be cut anywhere. */
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
    product_of_totals(model, round->totals, 0, lines.total);
    for (int d = from; d < to; d++)
        draw_row(model, cells, noise, d, round, lines);
    if (to == cells->D)
        total_of_mode(model, 0, noise->exposure_rest, round->totals);
}

/* --- the other modes ------------------------------------------------------------------------- */

/* sums_j += weight theta^(0)_d times the products over modes, for the listed cells of row d */
static void add_listed(const ldp_tensor *model, int m, ldp_lists lists, int d, double weight,
                       ldp_tensor_round *round, double *sums) {
    const int K = model->K;
    const size_t end = lists.start[d + 1];
    double *const x = round->scratch;
    few some;
    ldp_fill(K, x, 0);
    ldp_add(K, x, weight, ldp_line(model->mode[0].theta, K, d));
    for (size_t e = lists.start[d]; e < end; e += LDP_FEW) {
        decode(model, lists.index + e, few_of(e, end), &some);
        start_from(model, x, &some, m, round->products);
        ldp_rows_scatter(K, round->products, some.index[m], some.n, sums);
    }
}

void ldp_tensor_begin(const ldp_tensor *model, int m, ldp_tensor_round *round) {
    for (size_t i = 0; i < mode_length(model, m); i++)
        round->active[i] = round->missing[i] = 0;
}

void ldp_tensor_listed(const ldp_tensor *model, int m, const ldp_cells *cells,
                       const ldp_noise *noise, int from, int to, ldp_tensor_round *round) {
    for (int d = from; d < to; d++) {
        const double excess = noise->exposure_excess[d];
        if (excess > 0)
            add_listed(model, m, cells->active, d, excess, round, round->active);
        add_listed(model, m, cells->missing, d, noise->exposure_rest[d], round, round->missing);
    }
}

void ldp_tensor_draw(const ldp_tensor *model, int m, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_tensor_round *round) {
    const int K = model->K;
    double *const total = round->scratch, *const exposure = total + K, *const x = total + 2 * K;
    ldp_stream stream = ldp_stream_open();
    product_of_totals(model, round->totals, m, total);
    for (int j = 0; j < model->mode[m].n; j++) {
        observed_exposure(model, cells, noise, m, j, total, ldp_line(round->missing, K, j),
                          round->products, x, exposure);
        ldp_add(K, exposure, 1, ldp_line(round->active, K, j));
        ldp_gamma_move(&stream, model->reflect, K, model->mode[m].prior,
                       ldp_line(round->counts[m], K, j), exposure,
                       ldp_line(model->mode[m].theta, K, j));
    }
    total_of_mode(model, m, NULL, round->totals);
}

/* --- a round --------------------------------------------------------------------------------- */

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
    ldp_tensor_round round = {.totals = work};
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
        total_of_mode(model, m, NULL, round.totals);
    }
    return round;
}

void ldp_tensor_sweep(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                      double *work) {
    ldp_tensor_round round = ldp_tensor_open(model, work);
    ldp_tensor_rows(model, cells, noise, 0, cells->D, &round);
    for (int m = 1; m < model->M; m++) {
        ldp_tensor_begin(model, m, &round);
        ldp_tensor_listed(model, m, cells, noise, 0, cells->D, &round);
        ldp_tensor_draw(model, m, cells, noise, &round);
    }
}

/* --- means, and moves that leave them -------------------------------------------------------- */

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
    few some;
    product_of_totals(model, round.totals, 0, lines.total);
    ldp_fill(K, lines.active, 0); /* a sum that nobody reads */
    for (int d = 0; d < cells->D; d++) {
        const double *const theta = ldp_line(model->mode[0].theta, K, d);
        const size_t end = cells->active.start[d + 1];
        ldp_fill(K, lines.split, 0);
        add_missing(model, cells, d, round.products, lines.split);
        double rest = ldp_dot(K, theta, lines.total) - ldp_dot(K, theta, lines.split);
        for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
            double mean[LDP_FEW];
            int index[LDP_FEW];
            decode(model, cells->active.index + e, few_of(e, end), &some);
            const double *const rows = rows_of_cells(model, &some, round.products, index);
            ldp_rows_dot(K, theta, rows, index, some.n, mean, lines.active);
            visitor.cells(visitor.state, d, e, some.n, mean);
            for (int i = 0; i < some.n; i++)
                rest -= mean[i];
        }
        visitor.rest(visitor.state, d, rest > 0 ? rest : 0);
    }
}
