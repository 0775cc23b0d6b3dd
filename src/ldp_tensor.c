/* One Gibbs sweep of mu_i = sum_k prod_m theta^(m)_{im k}, i = (i_0 .. i_{M-1}), under Gamma
 * priors:
 *
 *     y_i | .            drawn for every active cell, split over k by prod_m theta^(m)_{im k}
 *     theta^(m)_jk | .   Gamma(a + sum_i y_ik, b + sum_i e_i prod_{l != m} theta^(l)_{il k})
 *
 * mode by mode, with sums over all i with i_m = j, and exposures e_i = rest_{i0} for an observed
 * cell, rest_{i0} + extra_{i0} for an active one and 0 for a missing one (ldp_modes): only active
 * and missing cells are visited, once per mode.
 *
 * Sources: Schein et al. (2019), section 3, for the class of models; Schein, Paisley, Blei and
 * Wallach (2015), Bayesian Poisson tensor factorization, KDD, for this one; the collapsed scheme is
 * new in this package. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ldp_allocate.h"
#include "ldp_exposure.h"
#include "ldp_fixed.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"
#include "ldp_shape.h"
#include "ldp_team.h"
#include "ldp_tensor.h"
#include "ldp_tokens.h"
#include "ldp_wanted.h"

static size_t mode_length(const ldp_tensor *model, int m) {
    return (size_t)model->K * (size_t)model->mode[m].n;
}

static ldp_modes tensor_modes_of(const ldp_tensor *model) {
    ldp_modes modes = {.K = model->K, .M = model->M};
    for (int m = 0; m < model->M; m++) {
        modes.n[m] = model->mode[m].n;
        modes.weights[m] = model->mode[m].theta;
    }
    return modes;
}

/* Memory for a sweep. The first fields are shared by all threads; while threads run, each line of
 * them is written by one thread only. The other fields have a copy per thread. */
typedef struct room {
    double *totals; /* M x K: sum_i theta_ik per mode, in mode 0 times rest_i */
    double *total_plain; /* K: sum_i theta_ik of mode 0 */
    double *scale; /* K: quanta per unit (ldp_fixed.h), for the current sums */
    double *total; /* K: the product of the totals of the other modes */
    /* Exposures that cannot be computed by subtraction (see lost_index): those found so far, per
     * index of the current mode; the terms of the current one, K per part of all rows; its index */
    double *recovered, *terms, *lost;
    /* If the shape of mode 0 is estimated, its weights are drawn after all counts, from these. */
    double *kept; /* D x 2 K: the counts of each row, then its exposures */
    /* If exposures depend on the last mode: for each noise level its weights times the exposures of
     * observed and of active cells, as they are at the beginning of a phase; K per level: the sums
     * of the former, and of the weights of mode 0 */
    double *observed_last, *active_last, *total_observed, *total_rows;
    /* If counts are proposed by tokens: for each mode 1 .. M-1, K tables of its indices */
    ldp_alias *alias[LDP_MODES];
    /* One copy per thread. Those of the first thread become sums over all threads. */
    double *most; /* K: the largest weights of mode 0 in its rows */
    double *counts[LDP_MODES]; /* K counts for each index of modes 1 .. M-1; after `most` */
    int64_t *active, *missing; /* per index of the current mode: see add_exposures */
    int64_t *parts; /* 2 K: the two totals of mode 0, in quanta */
    double *products; /* LDP_FEW lines */
    double *scratch; /* LINES_OF_SCRATCH lines */
    int64_t *of_groups; /* K per combination of groups: sums of the weights of mode 0, in quanta */
    int64_t *of_levels; /* the same per noise level, if exposures depend on the last mode */
    ldp_shape_sums *shape; /* of the shape that is estimated next */
    double *of_tokens;
} room;

enum { SHARED_LINES = 4, LINES_OF_SCRATCH = 6, LINES_OF_THREAD = LDP_FEW + 3 + LINES_OF_SCRATCH };

static size_t longest_mode(const ldp_tensor *model) {
    size_t longest = 0;
    for (int m = 1; m < model->M; m++)
        if (mode_length(model, m) > longest)
            longest = mode_length(model, m);
    return longest;
}

static int estimates_shape(const ldp_tensor *model, int m) {
    return ldp_shape_is_estimated(model->mode[m].prior);
}

/* In this sweep: see ldp_shape_is_due(). */
static int tensor_draws_shape(const ldp_tensor *model, int m) {
    return estimates_shape(model, m) && model->is_shape_due;
}

static double tensor_reflect_of(const ldp_tensor *model, int m) {
    return ldp_shape_reflect(model->mode[m].prior, model->is_shape_due, model->reflect);
}

/* The copies of the last mode for all levels. */
static size_t copies_length(const ldp_tensor *model) {
    return (size_t)model->n_levels * mode_length(model, model->M - 1);
}

/* The counts of modes 1 .. M-1 together. */
static size_t counts_length(const ldp_tensor *model) {
    size_t n = 0;
    for (int m = 1; m < model->M; m++)
        n += mode_length(model, m);
    return n;
}

static size_t tensor_shared_size(const ldp_tensor *model, const ldp_cells *cells) {
    const size_t lines = (size_t)(model->M + SHARED_LINES + ldp_parts(cells->D_all));
    const size_t n_kept = estimates_shape(model, 0) ? 2 * (size_t)cells->D : 0;
    return (size_t)model->K * (lines + n_kept + 2 * (size_t)model->n_levels) + longest_mode(model) +
           2 * copies_length(model) + (cells->code ? counts_length(model) : 0);
}

static size_t tensor_n_combinations(const ldp_tensor *model) {
    return model->groups ? (size_t)model->groups->n_combinations : 0;
}

static size_t tensor_thread_size(const ldp_tensor *model, const ldp_cells *cells) {
    return (size_t)model->K *
               (LINES_OF_THREAD + tensor_n_combinations(model) + (size_t)model->n_levels) +
           2 * longest_mode(model) + counts_length(model) + LDP_SHAPE_NUMBERS +
           (cells->code ? ldp_tokens_room(model->K, cells->V) : 0);
}

static size_t tensor_work_size(const void *model, const ldp_setting *at) {
    return tensor_shared_size(model, at->cells) +
           (size_t)at->n_threads * tensor_thread_size(model, at->cells);
}

static room tensor_room_of(const ldp_tensor *model, const ldp_cells *cells, int thread,
                           double *work) {
    const size_t K = (size_t)model->K;
    room r = {.totals = work};
    r.total_plain = work + (size_t)model->M * K;
    r.scale = r.total_plain + K;
    r.total = r.scale + K;
    r.lost = r.total + K;
    r.terms = r.lost + K;
    r.recovered = r.terms + K * (size_t)ldp_parts(cells->D_all);
    r.observed_last = r.recovered + longest_mode(model);
    r.active_last = r.observed_last + copies_length(model);
    r.total_observed = r.active_last + copies_length(model);
    r.total_rows = r.total_observed + K * (size_t)model->n_levels;
    r.kept = r.total_rows + K * (size_t)model->n_levels;
    ldp_alias *next =
        (ldp_alias *)(void *)(r.kept + (estimates_shape(model, 0) ? 2 * K * (size_t)cells->D : 0));
    for (int m = 1; m < model->M; m++) {
        r.alias[m] = next;
        next += mode_length(model, m);
    }
    work += tensor_shared_size(model, cells) + (size_t)thread * tensor_thread_size(model, cells);
    r.most = work;
    work += K;
    for (int m = 1; m < model->M; m++) {
        r.counts[m] = work;
        work += mode_length(model, m);
    }
    r.active = (int64_t *)(void *)work;
    r.missing = r.active + longest_mode(model);
    work += 2 * longest_mode(model);
    r.parts = (int64_t *)(void *)work;
    r.products = work + 2 * K;
    r.scratch = r.products + LDP_FEW * K;
    r.of_groups = (int64_t *)(void *)(r.scratch + LINES_OF_SCRATCH * K);
    r.of_levels = r.of_groups + K * tensor_n_combinations(model);
    r.shape = (ldp_shape_sums *)(void *)(r.of_levels + K * (size_t)model->n_levels);
    r.of_tokens = (double *)(void *)(r.shape + 1);
    return r;
}

typedef struct job {
    ldp_tensor *model;
    const ldp_setting *at;
    int m; /* the current mode */
    int from, to;
    ldp_modes modes; /* the weights of the model, for reading */
    double *work;
} job;

static job tensor_new_job(const void *model, const ldp_setting *at, int m, double *work) {
    return (job){(ldp_tensor *)model, at, m, 0, 0, tensor_modes_of(model), work};
}

static room room_at(const job *j, int thread) {
    return tensor_room_of(j->model, j->at->cells, thread, j->work);
}

/* --- exposures that depend on the last mode -------------------------------------------------- */

static void copy_last(const job *j) {
    const ldp_tensor_mode *const last = &j->model->mode[j->model->M - 1];
    const room r = room_at(j, 0);
    if (j->at->noise->columns)
        ldp_columns_copy(j->at->noise->columns, j->model->K, last->theta, 0, last->n,
                         r.observed_last, r.active_last);
}

/* The modes, with the copies for the level of row d in the place of the last one. */
static ldp_modes tensor_copies_of(const job *j, const double *copies, int d) {
    const ldp_columns *const columns = j->at->noise->columns;
    const int last = j->model->M - 1;
    ldp_modes modes = j->modes;
    if (columns)
        modes.weights[last] = copies + (size_t)columns->level[d] * mode_length(j->model, last);
    return modes;
}

static ldp_modes modes_of_observed(const job *j, const room *r, int d) {
    return tensor_copies_of(j, r->observed_last, d);
}

static ldp_modes modes_of_active(const job *j, const room *r, int d) {
    return tensor_copies_of(j, r->active_last, d);
}

/* The exposure of the observed cells of row d, and the extra one of its active ones, apart from
 * what is in the copies. */
static double tensor_rest_of(const ldp_noise *noise, int d) {
    return noise->columns ? 1 : noise->exposure_rest[d];
}

static double tensor_extra_of(const ldp_noise *noise, int d) {
    const ldp_columns *const columns = noise->columns;
    return columns ? ldp_columns_noisy(columns, columns->level[d]) : noise->exposure_extra[d];
}

/* --- mode 0, and latent counts --------------------------------------------------------------- */

/* The lines of scratch, while a row is drawn. */
typedef struct row_lines {
    double *counts, *active, *exposure, *split, *work, *ones;
} row_lines;

static row_lines tensor_lines_of(double *scratch, int K) {
    return (row_lines){scratch,         scratch + K,     scratch + 2 * K,
                       scratch + 3 * K, scratch + 4 * K, scratch + 5 * K};
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
static void tensor_split_count(const ldp_tensor *model, ldp_stream *stream, double y, int d,
                               const double *row, const ldp_modes_few *cells, int e, const room *r,
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
        ldp_add(K, ldp_line(r->counts[m], K, cells->index[m][e]), 1, lines.split);
}

/* Row d, a few active cells at a time: computes their means and, from the same rows, their sum
 * `active`; draws latent counts, and splits them. */
static void tensor_draw_counts(const job *j, const ldp_noise *noise, ldp_stream *stream, int d,
                               const room *r, row_lines lines) {
    const ldp_tensor *const model = j->model;
    const ldp_cells *const cells = j->at->cells;
    const int K = model->K;
    const double *const theta = ldp_line(model->mode[0].theta, K, d);
    const size_t end = cells->active.start[d + 1];
    const ldp_modes modes = modes_of_active(j, r, d);
    ldp_tally of_mode_1 = {.to = r->counts[1]};
    ldp_modes_few some;
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        double x[LDP_FEW];
        int positive[LDP_FEW], index[LDP_FEW];
        ldp_modes_next(&modes, cells->active.index, e, end, &some);
        const double *const rows = ldp_modes_rows(&modes, &some, r->products, index);
        ldp_rows_dot(K, theta, rows, index, some.n, x, lines.active);
        const int n_positive = noise->draw(noise->state, stream, d, e, some.n, cells->y_tilde + e,
                                           cells->alpha[d], x, positive);
        for (int i = 0; i < n_positive; i++) {
            const int at = positive[i];
            tensor_split_count(model, stream, x[at], d, rows + (size_t)index[at] * (size_t)K, &some,
                               at, r, lines, &of_mode_1);
        }
    }
    ldp_tally_settle(&of_mode_1);
}

/* --- by tokens -------------------------------------------------------------------------------- */

/* Component k of modes 1 .. M-1. */
static void tensor_build_tables(void *state, int k, int thread) {
    const job *const j = state;
    const room r = room_at(j, thread);
    for (int m = 1; m < j->model->M; m++) {
        const int n = j->model->mode[m].n;
        ldp_alias_build(n, j->model->mode[m].theta + k, (size_t)j->model->K,
                        r.alias[m] + (size_t)n * (size_t)k, r.of_tokens);
    }
    memset(r.of_tokens, 0, 2 * (size_t)j->at->cells->V * sizeof *r.of_tokens);
}

/* A row whose tokens are drawn. */
typedef struct drawn {
    const job *j;
    int d;
    const room *r;
    row_lines lines;
    ldp_tally of_mode_1;
} drawn;

/* The line of K products of column v; `some`: its indices. */
static const double *line_of(const drawn *row, int v, ldp_modes_few *some) {
    int index[LDP_FEW];
    ldp_modes_decode(&row->j->modes, &v, 1, some);
    const double *const lines = ldp_modes_rows(&row->j->modes, some, row->r->products, index);
    return lines + (size_t)index[0] * (size_t)row->j->model->K;
}

static double mean_of_column(void *state, int v) {
    const drawn *const row = state;
    const int K = row->j->model->K;
    ldp_modes_few some;
    return ldp_dot(K, ldp_line(row->j->model->mode[0].theta, K, row->d), line_of(row, v, &some));
}

static void tensor_put_token(const drawn *row, int v, int k) {
    const int K = row->j->model->K;
    row->lines.counts[k]++;
    for (int m = 1; m < row->j->model->M; m++) {
        const int n = row->j->model->mode[m].n;
        ldp_line(row->r->counts[m], K, v % n)[k]++;
        v /= n;
    }
}

static void tensor_put_tokens(void *state, ldp_stream *stream, int n, const ldp_token *token) {
    (void)stream;
    for (int i = 0; i < n; i++)
        tensor_put_token(state, token[i].v, token[i].k);
}

static void split_column(void *state, ldp_stream *stream, int v, double y) {
    drawn *const row = state;
    ldp_modes_few some;
    const double *const line = line_of(row, v, &some);
    tensor_split_count(row->j->model, stream, y, row->d, line, &some, 0, row->r, row->lines,
                       &row->of_mode_1);
}

static void draw_tokens_of_row(const job *j, const ldp_noise *noise, ldp_stream *stream, int d,
                               const room *r, row_lines lines) {
    const ldp_tensor *const model = j->model;
    drawn row = {.j = j, .d = d, .r = r, .lines = lines, .of_mode_1 = {.to = r->counts[1]}};
    ldp_tokens tokens = {.K = model->K,
                         .n_tables = model->M - 1,
                         .total = r->total,
                         .x = ldp_line(model->mode[0].theta, model->K, d),
                         .model = &row,
                         .mean = mean_of_column,
                         .put = tensor_put_tokens,
                         .split = split_column};
    for (int m = 1; m < model->M; m++) {
        tokens.n[m - 1] = model->mode[m].n;
        tokens.alias[m - 1] = r->alias[m];
    }
    ldp_tokens_draw(&tokens, j->at->cells, noise, stream, d, r->of_tokens);
    ldp_tally_settle(&row.of_mode_1);
}

/* exposure = sum_v e_dv times the products over modes 1 .. M-1 */
static void row_exposure(const job *j, const ldp_noise *noise, int d, const room *r,
                         row_lines lines) {
    const ldp_modes modes = modes_of_observed(j, r, d);
    const double rest = tensor_rest_of(noise, d), extra = tensor_extra_of(noise, d);
    const double *const total =
        noise->columns ? ldp_line(r->total_observed, modes.K, noise->columns->level[d]) : r->total;
    ldp_modes_observed_row(&modes, j->at->cells, d, total, r->products, lines.work, lines.exposure);
    for (int k = 0; k < j->model->K; k++)
        lines.exposure[k] = rest * lines.exposure[k] + extra * lines.active[k];
}

/* Draws the weights of row d. `exposure` is overwritten. */
static void tensor_draw_weights(const ldp_tensor *model, ldp_stream *stream, int d,
                                const double *counts, double *exposure, const room *r) {
    const int K = model->K;
    double *const theta = ldp_line(model->mode[0].theta, K, d);
    const ldp_gamma_prior prior =
        ldp_groups_prior(model->groups, model->mode[0].prior, d, exposure);
    ldp_gamma_move(stream, tensor_reflect_of(model, 0), K, prior, counts, exposure, theta);
    for (int k = 0; k < K; k++)
        r->most[k] = fmax(r->most[k], theta[k]);
}

/* Draws row d: its latent counts, then its weights. Each row has its own stream of random numbers,
 * so that results do not depend on how rows are divided into ranges, or among threads. */
static void draw_row(const job *j, const ldp_noise *noise, int d, const room *r, row_lines lines) {
    const ldp_tensor *const model = j->model;
    const int K = model->K;
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ROW, 0, j->at->cells->D_before + d);
    ldp_fill(2 * K, lines.counts, 0); /* those of `active` follow */
    if (j->at->cells->code)
        draw_tokens_of_row(j, noise, &stream, d, r, lines);
    else
        tensor_draw_counts(j, noise, &stream, d, r, lines);
    row_exposure(j, noise, d, r, lines);
    if (tensor_draws_shape(model, 0)) {
        double *const kept = ldp_line(r->kept, 2 * K, d);
        memcpy(kept, lines.counts, (size_t)K * sizeof *kept);
        memcpy(kept + K, lines.exposure, (size_t)K * sizeof *kept);
        ldp_shape_add(&stream, K, model->mode[0].prior,
                      model->groups ? ldp_groups_of_row(model->groups, d) : NULL, lines.counts,
                      lines.exposure, r->shape);
    } else {
        tensor_draw_weights(model, &stream, d, lines.counts, lines.exposure, r);
    }
}

static void draw_rows(void *state, int part, int thread) {
    const job *const j = state;
    const room r = room_at(j, thread);
    const row_lines lines = tensor_lines_of(r.scratch, j->model->K);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    for (int d = from; d < to; d++)
        draw_row(j, &j->at->noise[thread], d, &r, lines);
}

/* The weights of rows, after their shape was drawn. */
static void draw_weights_of_rows(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room r = room_at(j, thread);
    for (int d = from; d < to; d++) {
        ldp_stream stream =
            ldp_stream_for(j->model->seed, LDP_USE_WEIGHTS, 0, j->at->cells->D_before + d);
        double *const kept = ldp_line(r.kept, 2 * K, d);
        tensor_draw_weights(j->model, &stream, d, kept, kept + K, &r);
    }
}

static void tensor_join_shape(const job *j) {
    const room first = room_at(j, 0);
    for (int t = 1; t < j->at->n_threads; t++)
        ldp_fixed_join(LDP_SHAPE_NUMBERS, &room_at(j, t).shape->tables, &first.shape->tables);
}

/* Draws the estimated shape of mode m, and empties its sums. */
static void tensor_draw_shape(const job *j, int m) {
    ldp_gamma_prior *const prior = &j->model->mode[m].prior;
    ldp_stream stream = ldp_stream_for(j->model->seed, LDP_USE_SHAPE, m, 0);
    prior->shape = ldp_shape_draw(&stream, *prior, *room_at(j, 0).shape);
    for (int t = 0; t < j->at->n_threads; t++)
        *room_at(j, t).shape = (ldp_shape_sums){0, 0};
}

/* Combines what the threads found, in the memory of the first: the counts of some indices of all
 * modes together. */
static void tensor_join_counts(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, n = (int)(counts_length(j->model) / (size_t)K);
    const int from = part * LDP_PART, to = ldp_part_end(from, n);
    (void)thread;
    for (int t = 1; t < j->at->n_threads; t++)
        ldp_add(K * (to - from), ldp_line(room_at(j, 0).counts[1], K, from), 1,
                ldp_line(room_at(j, t).counts[1], K, from));
}

static void join_rows(job *j) {
    const int n = (int)(counts_length(j->model) / (size_t)j->model->K);
    if (j->at->n_threads > 1)
        ldp_team_run(j->at->n_threads, ldp_parts(n), tensor_join_counts, j);
}

static void tensor_join_most(const job *j) {
    const room first = room_at(j, 0);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = room_at(j, t);
        for (int k = 0; k < j->model->K; k++)
            first.most[k] = fmax(first.most[k], r.most[k]);
    }
}

static void choose_quanta_of_rows(const job *j) {
    const room r = room_at(j, 0);
    for (int k = 0; k < j->model->K; k++)
        r.scale[k] = ldp_fixed_scale(r.most[k], j->at->cells->D_all);
}

/* The sum that the weights of row d are part of: that of all rows or, with groups, of its
 * combination. */
static int64_t *tensor_sum_of_row(const ldp_groups *groups, int d, int K, const room *r) {
    if (!groups)
        return r->parts + K;
    return r->of_groups + (size_t)K * (size_t)groups->combination[d];
}

static void add_rows(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_columns *const columns = j->at->noise->columns;
    const int K = j->model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room r = room_at(j, thread);
    for (int d = from; d < to; d++) {
        const double *const theta = ldp_line(j->model->mode[0].theta, K, d);
        if (columns)
            ldp_fixed_add(K, r.scale, 1, theta,
                          r.of_levels + (size_t)K * (size_t)columns->level[d]);
        else
            ldp_fixed_add(K, r.scale, j->at->noise->exposure_rest[d], theta, r.parts);
        ldp_fixed_add(K, r.scale, 1, theta, tensor_sum_of_row(j->model->groups, d, K, &r));
    }
}

static void tensor_join_totals(const job *j) {
    const size_t K = (size_t)j->model->K;
    const room first = room_at(j, 0);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = room_at(j, t);
        ldp_fixed_join(2 * K, r.parts, first.parts);
        ldp_fixed_join(K * tensor_n_combinations(j->model), r.of_groups, first.of_groups);
        ldp_fixed_join(K * (size_t)j->model->n_levels, r.of_levels, first.of_levels);
    }
}

/* Computes the two totals of mode 0. */
static void value_totals(const job *j) {
    const int K = j->model->K;
    const room r = room_at(j, 0);
    ldp_fixed_value(K, r.scale, r.parts, r.totals);
    ldp_fixed_value(K, r.scale, r.parts + K, r.total_plain);
    for (int c = 0; c < (int)tensor_n_combinations(j->model); c++)
        ldp_fixed_value(K, r.scale, r.of_groups + (size_t)K * (size_t)c,
                        ldp_line(j->model->groups->sums, K, c));
    for (int l = 0; l < j->model->n_levels; l++)
        ldp_fixed_value(K, r.scale, r.of_levels + (size_t)K * (size_t)l,
                        ldp_line(r.total_rows, K, l));
}

/* --- the other modes ------------------------------------------------------------------------- */

/* The largest power of two that may multiply x without overflow. */
static double largest_scale(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, DBL_MAX_EXP - 1 - exponent);
}

/* Chooses the quanta for the sums of mode m. No term is above the product of the largest weights of
 * the other modes. The scale is multiplied with the first weight of a term, and the product must
 * not overflow before all weights are in it. This makes the scale smaller only if the largest
 * weights below 1 have a product below 1e-290. */
static void tensor_choose_quanta(const job *j, int m, const room *r) {
    const int K = j->model->K;
    const double n = (double)j->at->cells->D_all * j->at->cells->V / j->model->mode[m].n;
    for (int k = 0; k < K; k++) {
        double most = r->most[k], most_so_far = r->most[k];
        for (int l = 1; l < j->model->M; l++) {
            double largest = 0;
            for (int i = 0; l != m && i < j->model->mode[l].n; i++)
                largest = fmax(largest, ldp_line(j->model->mode[l].theta, K, i)[k]);
            most *= l != m ? largest : 1;
            most_so_far *= l != m ? fmax(largest, 1) : 1;
        }
        r->scale[k] = fmin(ldp_fixed_scale_few(fmin(fmax(most, DBL_MIN), DBL_MAX), n),
                           largest_scale(fmin(most_so_far, DBL_MAX)));
    }
}

/* Multiplies the products of a few cells of row d by their exposures, if these depend on the
 * current mode. */
static void multiply_products(const job *j, const double *exposure, int d,
                              const ldp_modes_few *some, double *products) {
    const ldp_columns *const columns = j->at->noise->columns;
    const int K = j->model->K;
    if (!columns || j->m < j->model->M - 1)
        return;
    for (int e = 0; e < some->n; e++) {
        const double weight =
            exposure[(size_t)columns->level[d] * (size_t)columns->n + (size_t)some->index[j->m][e]];
        for (int k = 0; k < K; k++)
            ldp_line(products, K, e)[k] *= weight;
    }
}

/* sums_j += weight theta_d times the products over all modes except 0 and m, in quanta, over the
 * listed cells of row d with index j in mode m; `exposure`: of ldp_columns */
static void tensor_add_listed(const job *j, const ldp_modes *modes, ldp_lists lists, int d,
                              double weight, const double *exposure, const room *r, int64_t *sums) {
    const int K = j->model->K, m = j->m;
    const double *const theta = ldp_line(j->model->mode[0].theta, K, d);
    const size_t end = lists.start[d + 1];
    ldp_modes_few some;
    for (int k = 0; k < K; k++)
        r->scratch[k] = weight * theta[k] * r->scale[k];
    for (size_t e = lists.start[d]; e < end; e += LDP_FEW) {
        ldp_modes_next(modes, lists.index, e, end, &some);
        ldp_modes_products(modes, r->scratch, &some, m, r->products);
        multiply_products(j, exposure, d, &some, r->products);
        ldp_fixed_scatter(K, r->products, some.index[m], some.n, sums);
    }
}

/* Mode m >= 1. The listed cells of a part of the rows are added to r.active and r.missing, which
 * have for each index the sums of e_i0 theta^(0)_{i0 k} prod_{l != 0, m} theta^(l)_{il k}, where e
 * is `extra` for active cells and `rest` for missing ones. */
static void tensor_add_exposures(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_noise *const noise = j->at->noise;
    const ldp_columns *const columns = noise->columns;
    const room r = room_at(j, thread);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    for (int d = from; d < to; d++) {
        const ldp_modes active = modes_of_active(j, &r, d), observed = modes_of_observed(j, &r, d);
        const double rest = tensor_rest_of(noise, d), extra = tensor_extra_of(noise, d);
        if (extra > 0)
            tensor_add_listed(j, &active, j->at->cells->active, d, extra,
                              columns ? columns->extra : NULL, &r, r.active);
        tensor_add_listed(j, &observed, j->at->cells->missing, d, rest,
                          columns ? columns->rest : NULL, &r, r.missing);
    }
}

/* Combines the sums of all threads for some indices of the mode. */
static void join_indices(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, from = part * LDP_PART;
    const size_t at = (size_t)K * (size_t)from;
    const size_t n = (size_t)K * (size_t)(ldp_part_end(from, j->model->mode[j->m].n) - from);
    const room first = room_at(j, 0);
    (void)thread;
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = room_at(j, t);
        ldp_fixed_join(n, r.active + at, first.active + at);
        ldp_fixed_join(n, r.missing + at, first.missing + at);
    }
}

static void join_exposures(job *j) {
    if (j->at->n_threads > 1)
        ldp_team_run(j->at->n_threads, ldp_parts(j->model->mode[j->m].n), join_indices, j);
}

/* --- if nearly all of a sum is in missing cells ------------------------------------------------
 */

/* The exposure of index i of the current mode, if all its cells were observed and not active; in
 * `total` if it depends on the index. */
static const double *total_of_index(const job *j, int i, double *total) {
    const ldp_columns *const columns = j->at->noise->columns;
    const int K = j->model->K;
    const room r = room_at(j, 0);
    if (!columns || j->m < j->model->M - 1)
        return r.total;
    ldp_fill(K, total, 0);
    for (int l = 0; l < columns->n_levels; l++)
        ldp_add(K, total, ldp_columns_rest(columns, l)[i], ldp_line(r.total_rows, K, l));
    for (int k = 0; k < K; k++)
        total[k] *= r.total[k];
    return total;
}

/* exposure = the sum over the observed cells with index i of the mode, without their extra one;
 * returns whether it has lost its digits. `work`: 2 K doubles. */
static int subtract_missing(const job *j, int i, double *work, double *exposure) {
    const int K = j->model->K;
    const room r = room_at(j, 0);
    ldp_fixed_value(K, r.scale, r.missing + (size_t)K * (size_t)i, work);
    return ldp_modes_subtract(K, total_of_index(j, i, work + K), work, exposure);
}

/* The first index, after the one that was last, whose exposure has lost its digits, so that it must
 * be computed by adding up all its cells; if there is none, the number of indices. */
static int lost_index(const job *j) {
    const room r = room_at(j, 0);
    const int n = j->model->mode[j->m].n;
    int i = (int)r.lost[0] + 1;
    while (i < n && !subtract_missing(j, i, r.scratch, r.scratch + 2 * j->model->K))
        i++;
    return i;
}

static void add_up_lost(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_noise *const noise = j->at->noise;
    const ldp_cells *const cells = j->at->cells;
    const room r = room_at(j, thread);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    double *const terms = ldp_line(r.terms, j->model->K, (cells->D_before + from) / LDP_PART);
    for (int d = from; d < to; d++) {
        const ldp_modes modes = modes_of_observed(j, &r, d);
        double rest = tensor_rest_of(noise, d);
        if (noise->columns && j->m == modes.M - 1)
            rest = ldp_columns_rest(noise->columns, noise->columns->level[d])[(size_t)r.lost[0]];
        ldp_modes_add_up(&modes, cells, rest, j->m, (int)r.lost[0], d, r.products, r.scratch,
                         terms);
    }
}

/* Adds up the terms of the last index, if there was one. */
static void recover(const job *j) {
    const int K = j->model->K;
    const room r = room_at(j, 0);
    if (r.lost[0] < 0)
        return;
    double *const exposure = ldp_line(r.recovered, K, (int)r.lost[0]);
    ldp_fill(K, exposure, 0);
    for (int part = 0; part < ldp_parts(j->at->cells->D_all); part++)
        ldp_add(K, exposure, 1, ldp_line(r.terms, K, part));
}

static void begin_lost(const job *j) {
    const room r = room_at(j, 0);
    recover(j);
    r.lost[0] = lost_index(j);
    ldp_fill(j->model->K * ldp_parts(j->at->cells->D_all), r.terms, 0);
}

/* --- draws ----------------------------------------------------------------------------------- */

/* exposure: that of index i of the current mode; `x`: 2 K doubles */
static void tensor_set_exposure(const job *j, int i, double *x, double *exposure) {
    const int K = j->model->K;
    const size_t at = (size_t)K * (size_t)i;
    const room first = room_at(j, 0);
    if (subtract_missing(j, i, x, exposure))
        memcpy(exposure, first.recovered + at, (size_t)K * sizeof *exposure);
    ldp_fixed_value(K, first.scale, first.active + at, x);
    ldp_add(K, exposure, 1, x);
}

static void add_indices_to_shape(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, m = j->m;
    const int from = part * LDP_PART, to = ldp_part_end(from, j->model->mode[m].n);
    const room first = room_at(j, 0), r = room_at(j, thread);
    for (int i = from; i < to; i++) {
        ldp_stream stream = ldp_stream_for(j->model->seed, LDP_USE_SHAPE, LDP_MODES + m, i);
        tensor_set_exposure(j, i, r.scratch + K, r.scratch);
        ldp_shape_add(&stream, K, j->model->mode[m].prior, NULL, ldp_line(first.counts[m], K, i),
                      r.scratch, r.shape);
    }
}

static void draw_indices(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, m = j->m;
    const int from = part * LDP_PART, to = ldp_part_end(from, j->model->mode[m].n);
    const room first = room_at(j, 0);
    double *const exposure = room_at(j, thread).scratch, *const x = exposure + K;
    for (int i = from; i < to; i++) {
        const size_t at = (size_t)K * (size_t)i;
        ldp_stream stream = ldp_stream_for(j->model->seed, LDP_USE_ITEM, m, i);
        tensor_set_exposure(j, i, x, exposure);
        ldp_gamma_move(&stream, tensor_reflect_of(j->model, m), K, j->model->mode[m].prior,
                       first.counts[m] + at, exposure, j->model->mode[m].theta + at);
    }
}

/* Moves that leave every mu unchanged: the scale of each component between neighbouring modes, and
 * the estimated rates of priors, and the relative rates of groups. */
static void tensor_rescale(job *j) {
    ldp_tensor *const model = j->model;
    const room r = room_at(j, 0);
    for (int m = 1; m < model->M; m++) {
        const int n_up = m > 1 ? model->mode[m - 1].n : j->at->cells->D_all;
        ldp_tensor_mode *const up = &model->mode[m - 1], *const down = &model->mode[m];
        double *const of_up = m > 1 ? r.total : r.total_plain, *const of_down = r.scale;
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SCALE, m, 0);
        if (m > 1)
            ldp_exposure_total((ldp_weighted){model->K, 0, up->n, up->theta, NULL}, of_up);
        ldp_exposure_total((ldp_weighted){model->K, 0, down->n, down->theta, NULL}, of_down);
        ldp_rescale_groups(&stream, model->K, model->seed, m > 1 ? NULL : model->groups,
                           (ldp_rescaled){up->n, n_up, up->theta, &up->prior, of_up},
                           (ldp_rescaled){down->n, down->n, down->theta, &down->prior, of_down});
    }
    for (int m = 0; model->rates && m < model->M; m++)
        model->rates[m] = model->mode[m].prior.rate;
    for (int m = 0; model->shapes && m < model->M; m++)
        model->shapes[m] = model->mode[m].prior.shape;
}

/* --- a sweep --------------------------------------------------------------------------------- */

/* The phases: mode 0 and the latent counts (in WEIGHTS, if the shape of mode 0 is drawn, its
 * weights), its totals, and then three for each further mode, of which LOST is done once for each
 * index that it is about. */
enum { ROWS, WEIGHTS, TOTALS, EXPOSURES, LOST, INDICES, PHASES_PER_MODE = 3 };

static int tensor_kind_of(int phase) {
    return phase < EXPOSURES ? phase : EXPOSURES + (phase - EXPOSURES) % PHASES_PER_MODE;
}

static int mode_of(int phase) {
    return phase < EXPOSURES ? 0 : 1 + (phase - EXPOSURES) / PHASES_PER_MODE;
}

static int tensor_next(const void *model, const ldp_setting *at, int phase, const double *work) {
    const job j = tensor_new_job(model, at, mode_of(phase), (double *)work);
    const int kind = tensor_kind_of(phase);
    if (kind == INDICES && j.m == j.model->M - 1)
        return LDP_NO_PHASE;
    if (kind == ROWS && !tensor_draws_shape(j.model, 0))
        return TOTALS;
    if (kind < EXPOSURES || kind == INDICES)
        return phase + 1;
    if (lost_index(&j) < j.model->mode[j.m].n)
        return phase - kind + LOST;
    return phase - kind + INDICES;
}

static ldp_lines tensor_lines(const void *model, int phase) {
    (void)model;
    return tensor_kind_of(phase) == INDICES ? LDP_WHOLE : LDP_ROWS;
}

static void set_totals(const job *j) {
    const room r = room_at(j, 0);
    for (int m = 1; m < j->model->M; m++)
        ldp_modes_total(&j->modes, m, NULL, r.totals);
    ldp_modes_total_product(&j->modes, r.totals, 0, r.total);
}

/* The copies of the last mode, and for each level the sum of their products with modes 1 .. M-2. */
static void set_totals_of_levels(const job *j) {
    const int K = j->model->K, last = j->model->M - 1;
    const room r = room_at(j, 0);
    copy_last(j);
    for (int l = 0; l < j->model->n_levels; l++) {
        double *const total = ldp_line(r.total_observed, K, l);
        const double *const copy = r.observed_last + (size_t)l * mode_length(j->model, last);
        ldp_exposure_total((ldp_weighted){K, 0, j->model->mode[last].n, copy, NULL}, total);
        for (int m = 1; m < last; m++)
            for (int k = 0; k < K; k++)
                total[k] *= r.totals[m * K + k];
    }
}

/* The first line of totals, which is that of mode 0 times its exposures, if these depend on the
 * last mode: for a mode before it, the sum over levels of the product of both; for the last, 1. */
static void set_total_of_rows(const job *j) {
    const int K = j->model->K, last = j->model->M - 1;
    const room r = room_at(j, 0);
    ldp_fill(K, r.totals, j->m == last ? 1 : 0);
    for (int l = 0; j->m < last && l < j->model->n_levels; l++) {
        const double *const copy = r.observed_last + (size_t)l * mode_length(j->model, last);
        ldp_exposure_total((ldp_weighted){K, 0, j->model->mode[last].n, copy, NULL}, r.total);
        for (int k = 0; k < K; k++)
            r.totals[k] += ldp_line(r.total_rows, K, l)[k] * r.total[k];
    }
}

/* Chooses the quanta of a mode, and sets the sums of all threads to zero. */
static void begin_exposures(const job *j) {
    const room first = room_at(j, 0);
    ldp_modes before_last = j->modes;
    before_last.M--;
    if (j->m == 1)
        value_totals(j);
    tensor_choose_quanta(j, j->m, &first);
    if (j->at->noise->columns) {
        set_total_of_rows(j);
        ldp_modes_total_product(&before_last, first.totals, j->m, first.total);
    } else {
        ldp_modes_total_product(&j->modes, first.totals, j->m, first.total);
    }
    first.lost[0] = -1;
    for (int t = 0; t < j->at->n_threads; t++)
        memset(room_at(j, t).active, 0, 2 * longest_mode(j->model) * sizeof(int64_t));
}

static void tensor_begin(void *model, const ldp_setting *at, int phase, uint64_t seed,
                         double *work) {
    const job j = tensor_new_job(model, at, mode_of(phase), work);
    switch (tensor_kind_of(phase)) {
    case ROWS:
        j.model->seed = seed;
        j.model->is_shape_due = ldp_shape_is_due(seed, j.model->reflect);
        memset(work, 0, tensor_work_size(model, at) * sizeof *work);
        set_totals(&j);
        set_totals_of_levels(&j);
        if (at->cells->code)
            ldp_team_run(at->n_threads, j.model->K, tensor_build_tables, (void *)&j);
        break;
    case WEIGHTS:
        tensor_draw_shape(&j, 0);
        break;
    case TOTALS:
        choose_quanta_of_rows(&j);
        break;
    case EXPOSURES:
        begin_exposures(&j);
        break;
    case LOST:
        begin_lost(&j);
        break;
    default:
        recover(&j);
    }
}

static void tensor_range(void *model, const ldp_setting *at, int phase, int from, int to,
                         double *work) {
    const ldp_task tasks[] = {[ROWS] = draw_rows,   [WEIGHTS] = draw_weights_of_rows,
                              [TOTALS] = add_rows,  [EXPOSURES] = tensor_add_exposures,
                              [LOST] = add_up_lost, [INDICES] = draw_indices};
    const int kind = tensor_kind_of(phase);
    job j = tensor_new_job(model, at, mode_of(phase), work);
    const int n_parts = ldp_parts(kind == INDICES ? j.model->mode[j.m].n : to - from);
    j.from = from;
    j.to = to;
    if (kind == INDICES && tensor_draws_shape(j.model, j.m)) {
        ldp_team_run(at->n_threads, n_parts, add_indices_to_shape, &j);
        tensor_join_shape(&j);
        tensor_draw_shape(&j, j.m);
    }
    ldp_team_run(at->n_threads, n_parts, tasks[kind], &j);
}

static void tensor_end(void *model, const ldp_setting *at, int phase, double *work) {
    job j = tensor_new_job(model, at, mode_of(phase), work);
    const int kind = tensor_kind_of(phase);
    if (kind == ROWS)
        join_rows(&j);
    if (kind == (tensor_draws_shape(j.model, 0) ? WEIGHTS : ROWS))
        tensor_join_most(&j);
    else if (kind == ROWS)
        tensor_join_shape(&j);
    else if (kind == TOTALS)
        tensor_join_totals(&j);
    else if (kind == EXPOSURES)
        join_exposures(&j);
    else if (kind == INDICES)
        ldp_modes_total(&j.modes, j.m, NULL, room_at(&j, 0).totals);
    if (kind == INDICES && j.m == j.model->M - 1)
        tensor_rescale(&j);
}

static int tensor_shared(const void *model, const ldp_setting *at, int phase, double *work,
                         ldp_shared *arrays) {
    const job j = tensor_new_job(model, at, mode_of(phase), work);
    const room r = room_at(&j, 0);
    const size_t K = (size_t)j.model->K, n = longest_mode(model);
    switch (tensor_kind_of(phase)) {
    case ROWS:
        arrays[0] = (ldp_shared){LDP_SUM, counts_length(model), r.counts[1]};
        arrays[1] = (ldp_shared){LDP_LARGEST, K, r.most};
        if (tensor_draws_shape(model, 0))
            arrays[1] = (ldp_shared){LDP_SUM_WHOLE, LDP_SHAPE_NUMBERS, (double *)(void *)r.shape};
        return 2;
    case WEIGHTS:
        arrays[0] = (ldp_shared){LDP_LARGEST, K, r.most};
        return 1;
    case TOTALS:
        arrays[0] = (ldp_shared){LDP_SUM_WHOLE, 2 * K, (double *)(void *)r.parts};
        return 1;
    case EXPOSURES: /* `missing` comes right after `active` */
        arrays[0] = (ldp_shared){LDP_SUM_WHOLE, 2 * n, (double *)(void *)r.active};
        return 1;
    case LOST:
        arrays[0] = (ldp_shared){LDP_SUM, K * (size_t)ldp_parts(at->cells->D_all), r.terms};
        return 1;
    default:
        return 0;
    }
}

static void tensor_begin_visit(const void *model, const ldp_setting *at, double *work) {
    const job j = tensor_new_job(model, at, 0, work);
    set_totals(&j);
}

/* The means of the missing cells of row d, if the visitor wants them. */
static void visit_missing(const job *j, int d, const room *r, ldp_visitor visitor) {
    const ldp_lists missing = j->at->cells->missing;
    const double *const theta = ldp_line(j->model->mode[0].theta, j->model->K, d);
    const size_t last = missing.start[d + 1];
    ldp_modes_few some;
    for (size_t e = missing.start[d]; visitor.missing && e < last; e += LDP_FEW) {
        double mean[LDP_FEW];
        int index[LDP_FEW];
        ldp_modes_next(&j->modes, missing.index, e, last, &some);
        const double *const rows = ldp_modes_rows(&j->modes, &some, r->products, index);
        ldp_rows_means(j->model->K, theta, rows, index, some.n, mean);
        visitor.missing(visitor.state, d, e, some.n, mean);
    }
}

static void visit_row(const job *j, int d, const room *r, ldp_visitor visitor) {
    const int K = j->model->K;
    const ldp_cells *const cells = j->at->cells;
    const row_lines lines = tensor_lines_of(r->scratch, K);
    const double *const theta = ldp_line(j->model->mode[0].theta, K, d);
    ldp_wanted wanted;
    ldp_modes_few some;
    ldp_modes_observed_row(&j->modes, cells, d, r->total, r->products, lines.work, lines.exposure);
    double rest = ldp_dot(K, theta, lines.exposure);
    visit_missing(j, d, r, visitor);
    ldp_wanted_begin(&wanted, cells, &visitor, d);
    while (ldp_wanted_next(&wanted, cells, &visitor, d) > 0) {
        double mean[LDP_FEW];
        int index[LDP_FEW];
        ldp_modes_decode(&j->modes, wanted.column, wanted.n, &some);
        const double *const rows = ldp_modes_rows(&j->modes, &some, r->products, index);
        ldp_rows_means(K, theta, rows, index, some.n, mean);
        rest = ldp_visitor_show(visitor, d, wanted.first, some.n, wanted.y_tilde, mean, rest);
    }
    ldp_visitor_end(visitor, d, rest);
}

static void tensor_visit(const void *model, const ldp_setting *at, int from, int to, int thread,
                         ldp_visitor visitor, double *work) {
    const job j = tensor_new_job(model, at, 0, work);
    const room r = room_at(&j, thread);
    for (int d = from; d < to; d++)
        visit_row(&j, d, &r, visitor);
}

static void tensor_column_totals(const void *model, const ldp_setting *at,
                                 const ldp_columns *columns, double *work) {
    const job j = tensor_new_job(model, at, 0, work);
    const int K = j.model->K, last = j.model->M - 1;
    const room r = room_at(&j, 0);
    ldp_fill(K * columns->n_levels, r.total_rows, 0);
    for (int d = 0; d < at->cells->D; d++)
        ldp_add(K, ldp_line(r.total_rows, K, columns->level[d]), 1,
                ldp_line(j.model->mode[0].theta, K, d));
    for (int l = 0; l < columns->n_levels; l++) {
        double *const total = ldp_line(r.total_rows, K, l);
        for (int m = 1; m < last; m++)
            for (int k = 0; k < K; k++)
                total[k] *= r.totals[m * K + k];
        for (int v = 0; v < columns->n; v++)
            columns->total[(size_t)l * (size_t)columns->n + (size_t)v] =
                ldp_dot(K, total, ldp_line(j.model->mode[last].theta, K, v));
    }
}

/* The scalable factor is that of mode 0, or of the last mode: every mean is linear in both, and
 * each of their lines belongs to one row, or column. */
static ldp_scalable tensor_scalable(const void *model, const ldp_setting *at) {
    const ldp_tensor_mode *const end =
        &((const ldp_tensor *)model)->mode[((const ldp_tensor *)model)->M - 1];
    if (at->noise->columns)
        return (ldp_scalable){.n = end->n,
                              .n_all = end->n,
                              .K = ((const ldp_tensor *)model)->K,
                              .factor = end->theta,
                              .shape = end->prior.shape,
                              .rate = end->prior.rate,
                              .by_row = 1};
    const ldp_tensor_mode *const mode = &((const ldp_tensor *)model)->mode[0];
    const ldp_groups *const groups = ((const ldp_tensor *)model)->groups;
    return (ldp_scalable){.n = mode->n,
                          .n_all = at->cells->D_all,
                          .K = ((const ldp_tensor *)model)->K,
                          .factor = mode->theta,
                          .shape = mode->prior.shape,
                          .rate = mode->prior.rate,
                          .by_row = 1,
                          .relative = groups ? groups->relative : NULL,
                          .combination = groups ? groups->combination : NULL};
}

const ldp_kernel ldp_tensor_kernel = {.next = tensor_next,
                                      .lines = tensor_lines,
                                      .work = tensor_work_size,
                                      .begin = tensor_begin,
                                      .range = tensor_range,
                                      .end = tensor_end,
                                      .shared = tensor_shared,
                                      .begin_visit = tensor_begin_visit,
                                      .visit = tensor_visit,
                                      .scalable = tensor_scalable,
                                      .column_totals = tensor_column_totals};
