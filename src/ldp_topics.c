/* One Gibbs sweep of mu_dv = sum_k theta_dk phi_kv under Gamma priors:
 *
 *     y_dv | .       drawn for every active cell, split over k with weights theta_dk phi_kv
 *     theta_dk | .   Gamma(a + sum_v y_dvk, b + sum_v e_dv phi_kv)
 *     phi_kv | .     Gamma(a + sum_d y_dvk, b + sum_d e_dv theta_dk)
 *
 * with exposures e_dv = rest_d for an observed cell, rest_d + extra_d for an active one and
 * 0 for a missing one: only active and missing cells are visited.
 *
 * Source: Schein et al. (2019), section 5.1; the collapsed scheme is new in this package. */
#include <math.h>
#include <string.h>

#include "ldp_allocate.h"
#include "ldp_density.h"
#include "ldp_exposure.h"
#include "ldp_fixed.h"
#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"
#include "ldp_shape.h"
#include "ldp_team.h"
#include "ldp_tokens.h"
#include "ldp_topics.h"

static size_t factor_length(int K, int n) {
    return (size_t)K * (size_t)n;
}

/* Memory for a sweep. The first fields are shared by all threads; while threads run, each line of
 * them is written by one thread only. */
typedef struct room {
    double *total_phi; /* K: sum_v phi_kv */
    double *total_theta; /* K: sum_d theta_dk */
    double *scale; /* K: quanta per unit (ldp_fixed.h), for sums over documents */
    int64_t *terms; /* D x K: extra_d theta_dk, in quanta */
    double *exposures; /* D x K, in the place of `terms` until these are computed; see `kept` */
    int64_t *sums; /* V x K: sums of terms over the cells of each word, laid out as phi */
    /* If exposures depend on words: for each noise level phi times the exposure of active cells (V
     * x K), and the sum over words of phi times that of observed ones. */
    double *phi_active, *total_observed;
    /* If the shape of theta is estimated, its weights are drawn after all counts, from these and
     * from `exposures`. */
    double *kept; /* D x K: the counts of each document */
    ldp_alias *alias; /* if counts are drawn by tokens: K tables of V entries */
    /* One copy per thread. Those of the first thread become sums over all threads. */
    int64_t *totals; /* 2 K: sums of rest_d theta_dk and of theta_dk, in quanta; after `sums` */
    double *most; /* K: the largest theta_dk of its documents */
    double *words; /* V x K: counts of words, laid out as phi */
    double *scratch; /* LINES_OF_SCRATCH lines, see document_lines */
    int64_t *of_groups; /* K per combination: sums of theta_dk, in quanta */
    ldp_shape_sums *shape; /* of the shape that is estimated next */
    int64_t *of_levels; /* K per noise level: sums of theta_dk over its documents, in quanta */
    double *of_tokens; /* if counts are drawn by tokens */
} room;

enum { LINES_OF_SCRATCH = 3, SHARED_LINES = 3, LINES_OF_THREAD = 3 + LINES_OF_SCRATCH };

static int estimates_theta(const ldp_topics *model) {
    return ldp_shape_is_estimated(model->prior_theta);
}

/* In this sweep: see ldp_shape_is_due(). */
static int topics_draws_shape(const ldp_topics *model, ldp_gamma_prior prior) {
    return ldp_shape_is_estimated(prior) && model->is_shape_due;
}

static double topics_reflect_of(const ldp_topics *model, ldp_gamma_prior prior) {
    return ldp_shape_reflect(prior, model->is_shape_due, model->reflect);
}

static size_t topics_n_combinations(const ldp_topics *model) {
    return model->groups ? (size_t)model->groups->n_combinations : 0;
}

static size_t lines_of_thread(const ldp_topics *model, const ldp_cells *cells) {
    return (size_t)cells->V + LINES_OF_THREAD + topics_n_combinations(model) +
           (size_t)model->n_levels;
}

/* The lines of `phi_active` and `total_observed`. */
static size_t lines_of_levels(const ldp_topics *model, const ldp_cells *cells) {
    return (size_t)model->n_levels * ((size_t)cells->V + 1);
}

/* The memory of a thread for tokens. */
static size_t tokens_size(const ldp_topics *model, const ldp_cells *cells) {
    return cells->code ? ldp_tokens_room(model->K, cells->V) : 0;
}

static size_t topics_work_size(const void *model, const ldp_setting *at) {
    const size_t D = (size_t)at->cells->D, V = (size_t)at->cells->V;
    const size_t n_kept = estimates_theta(model) ? D : 0;
    const size_t n_tables = at->cells->code ? V : 0;
    return (size_t)((const ldp_topics *)model)->K *
               (SHARED_LINES + D + V + n_kept + n_tables + lines_of_levels(model, at->cells) +
                (size_t)at->n_threads * lines_of_thread(model, at->cells)) +
           (size_t)at->n_threads * (LDP_SHAPE_NUMBERS + tokens_size(model, at->cells));
}

static int64_t *topics_whole(double *place) {
    return (int64_t *)(void *)place;
}

/* The memory that a thread uses: the shared fields and its own. */
static room topics_room_of(const ldp_topics *model, const ldp_cells *cells, int thread,
                           double *work) {
    const size_t k = (size_t)model->K;
    room r;
    r.total_phi = work;
    r.total_theta = work + k;
    r.scale = work + 2 * k;
    r.exposures = work + SHARED_LINES * k;
    r.terms = topics_whole(r.exposures);
    work += (SHARED_LINES + (size_t)cells->D) * k;
    r.kept = work;
    if (estimates_theta(model))
        work += k * (size_t)cells->D;
    r.alias = (ldp_alias *)(void *)work;
    if (cells->code)
        work += k * (size_t)cells->V;
    r.phi_active = work;
    r.total_observed = r.phi_active + (size_t)model->n_levels * k * (size_t)cells->V;
    work += k * lines_of_levels(model, cells);
    r.sums = topics_whole(work); /* the totals of the first thread come right after it */
    work += k * (size_t)cells->V;
    work += (size_t)thread *
            (k * lines_of_thread(model, cells) + LDP_SHAPE_NUMBERS + tokens_size(model, cells));
    r.totals = topics_whole(work);
    r.most = work + 2 * k;
    r.words = work + 3 * k;
    r.scratch = r.words + factor_length(model->K, cells->V);
    r.of_groups = topics_whole(r.scratch + LINES_OF_SCRATCH * k);
    r.of_levels = r.of_groups + k * topics_n_combinations(model);
    r.shape = (ldp_shape_sums *)(void *)(r.of_levels + k * (size_t)model->n_levels);
    r.of_tokens = (double *)(void *)(r.shape + 1);
    return r;
}

typedef struct job {
    ldp_topics *model;
    const ldp_setting *at;
    int from, to;
    double *work;
} job;

/* --- documents ------------------------------------------------------------------------------- */

/* The lines of scratch while a document is drawn: its counts, the sum of the lines of phi of its
 * active cells, and the exposures of its weights, which before are work space of ldp_allocate(). */
typedef struct document_lines {
    double *counts, *active, *exposure;
} document_lines;

static document_lines topics_lines_of(const room *r, int K) {
    return (document_lines){r->scratch, r->scratch + K, r->scratch + 2 * K};
}

/* Document d, a few active cells at a time: computes their means, which it shows to `visitor` if
 * this is not NULL, and, from the same rows of phi, the sum `active`; draws latent counts, and
 * splits them over topics into `counts` (of the document) and `r->words` (of the words). `phi`:
 * that of the model, or a copy for active cells. */
static void topics_draw_counts(const ldp_topics *model, const double *phi, const ldp_cells *cells,
                               const ldp_noise *noise, ldp_stream *stream, int d, double *counts,
                               double *active, const room *r, double *work,
                               const ldp_visitor *visitor) {
    const int K = model->K;
    const double *const theta = ldp_line(model->theta, K, d);
    const size_t end = cells->active.start[d + 1];
    ldp_tally of_words = {.to = r->words};
    double sum =
        visitor ? ldp_margin_sum(K, theta, model->phi, r->total_phi, cells, d, *visitor) : 0;
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
        const int *const word = cells->active.index + e;
        double x[LDP_FEW];
        int positive[LDP_FEW];
        ldp_rows_dot(K, theta, phi, word, n, x, active);
        if (visitor)
            sum = ldp_visitor_show(*visitor, d, e, n, cells->y_tilde + e, x, sum);
        const int n_positive = noise->draw(noise->state, stream, d, e, n, cells->y_tilde + e,
                                           cells->alpha[d], x, positive);
        for (int i = 0; i < n_positive; i++) {
            const int v = word[positive[i]];
            ldp_allocate(stream, x[positive[i]], K, theta, phi + factor_length(K, v), counts,
                         &of_words, factor_length(K, v), work);
        }
    }
    ldp_tally_settle(&of_words);
    if (visitor)
        ldp_visitor_end(*visitor, d, sum);
}

/* Component k. The memory of tokens is not yet in use, and empty afterwards. */
static void build_table(void *state, int k, int thread) {
    const job *const j = state;
    const int V = j->at->cells->V;
    const room r = topics_room_of(j->model, j->at->cells, thread, j->work);
    ldp_alias_build(V, j->model->phi + k, (size_t)j->model->K, r.alias + factor_length(V, k),
                    r.of_tokens);
    memset(r.of_tokens, 0, 2 * (size_t)V * sizeof *r.of_tokens);
}

/* A document whose tokens are drawn. */
typedef struct drawn {
    int K;
    const double *theta;
    double *phi, *counts, *work;
    ldp_tally words;
} drawn;

static double mean_of_word(void *state, int v) {
    const drawn *const document = state;
    return ldp_dot(document->K, document->theta, ldp_line(document->phi, document->K, v));
}

static void put_tokens(void *state, ldp_stream *stream, int n, const ldp_token *token) {
    const drawn *const document = state;
    (void)stream;
    for (int i = 0; i < n; i++) {
        document->counts[token[i].k]++;
        document->words.to[factor_length(document->K, token[i].v) + (size_t)token[i].k]++;
    }
}

static void split_word(void *state, ldp_stream *stream, int v, double y) {
    drawn *const document = state;
    ldp_allocate(stream, y, document->K, document->theta, ldp_line(document->phi, document->K, v),
                 document->counts, &document->words, factor_length(document->K, v), document->work);
}

static void draw_tokens(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                        ldp_stream *stream, int d, double *counts, const room *r, double *work) {
    const double *const theta = ldp_line(model->theta, model->K, d);
    drawn document = {.K = model->K,
                      .theta = theta,
                      .phi = model->phi,
                      .counts = counts,
                      .work = work,
                      .words = {.to = r->words}};
    const ldp_tokens tokens = {.K = model->K,
                               .n_tables = 1,
                               .n = {cells->V},
                               .alias = {r->alias},
                               .total = r->total_phi,
                               .x = theta,
                               .model = &document,
                               .mean = mean_of_word,
                               .put = put_tokens,
                               .split = split_word};
    ldp_tokens_draw(&tokens, cells, noise, stream, d, r->of_tokens);
    ldp_tally_settle(&document.words);
}

/* By tokens, the weights take a large part of the time. */
static void move_weights(const ldp_topics *model, const ldp_cells *cells, ldp_stream *stream,
                         ldp_gamma_prior prior, const double *counts, const double *exposure,
                         double *x) {
    const double reflect = topics_reflect_of(model, prior);
    if (cells->code)
        ldp_gamma_move_many(stream, reflect, model->K, prior, counts, exposure, x);
    else
        ldp_gamma_move(stream, reflect, model->K, prior, counts, exposure, x);
}

/* Draws theta of document d. `exposure` is overwritten. */
static void topics_draw_weights(const ldp_topics *model, const ldp_cells *cells, ldp_stream *stream,
                                int d, const double *counts, double *exposure, const room *r) {
    const int K = model->K;
    double *const theta = ldp_line(model->theta, K, d);
    const ldp_gamma_prior prior = ldp_groups_prior(model->groups, model->prior_theta, d, exposure);
    move_weights(model, cells, stream, prior, counts, exposure, theta);
    for (int k = 0; k < K; k++)
        r->most[k] = r->most[k] > theta[k] ? r->most[k] : theta[k];
}

/* The counts of document d and, after these, the exposures of its weights, if they depend on words:
 * those are in the copies of phi. */
static void draw_by_levels(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                           ldp_stream *stream, int d, document_lines lines, const room *r) {
    const ldp_columns *const columns = noise->columns;
    const int K = model->K, level = columns->level[d];
    const ldp_weighted observed = {K, 0, cells->V, model->phi, ldp_columns_rest(columns, level)};
    topics_draw_counts(model, r->phi_active + (size_t)level * factor_length(K, cells->V), cells,
                       noise, stream, d, lines.counts, lines.active, r, lines.exposure, NULL);
    ldp_margin_observed(observed, cells, d, ldp_line(r->total_observed, K, level), lines.exposure);
    if (ldp_columns_noisy(columns, level))
        ldp_add(K, lines.exposure, 1, lines.active);
}

/* Document d: draws latent counts, then theta. Each document has its own stream of random numbers,
 * so that results do not depend on how documents are divided into ranges, or among threads. */
static void draw_document(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int d, const room *r, const ldp_visitor *visitor) {
    const int K = model->K;
    const document_lines lines = topics_lines_of(r, K);
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ROW, 0, cells->D_before + d);
    ldp_fill(K, lines.counts, 0);
    ldp_fill(K, lines.active, 0);
    if (noise->columns) {
        draw_by_levels(model, cells, noise, &stream, d, lines, r);
    } else {
        if (cells->code)
            draw_tokens(model, cells, noise, &stream, d, lines.counts, r, lines.exposure);
        else
            topics_draw_counts(model, model->phi, cells, noise, &stream, d, lines.counts,
                               lines.active, r, lines.exposure, visitor);
        ldp_margin_row(K, model->phi, cells, noise->exposure_rest[d], noise->exposure_extra[d], d,
                       r->total_phi, lines.active, lines.exposure);
    }
    if (topics_draws_shape(model, model->prior_theta)) {
        memcpy(ldp_line(r->kept, K, d), lines.counts, (size_t)K * sizeof(double));
        memcpy(ldp_line(r->exposures, K, d), lines.exposure, (size_t)K * sizeof(double));
        ldp_shape_add(&stream, K, model->prior_theta,
                      model->groups ? ldp_groups_of_row(model->groups, d) : NULL, lines.counts,
                      lines.exposure, r->shape);
    } else {
        topics_draw_weights(model, cells, &stream, d, lines.counts, lines.exposure, r);
    }
}

static void draw_documents(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_setting *const at = j->at;
    const room r = topics_room_of(j->model, at->cells, thread, j->work);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    ldp_density density = {&at->noise[thread], at->cells, 0, at->owed ? &at->quick[thread] : NULL};
    const ldp_visitor visitor = ldp_density_reader(&density);
    for (int d = from; d < to; d++)
        draw_document(j->model, at->cells, &at->noise[thread], d, &r, at->owed ? &visitor : NULL);
    if (at->owed)
        at->owed[(at->cells->D_before + from) / LDP_PART] = density.sum;
}

/* The weights of documents, after their shape was drawn. */
static void topics_draw_theta(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K;
    const room r = topics_room_of(j->model, j->at->cells, thread, j->work);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    for (int d = from; d < to; d++) {
        ldp_stream stream =
            ldp_stream_for(j->model->seed, LDP_USE_WEIGHTS, 0, j->at->cells->D_before + d);
        topics_draw_weights(j->model, j->at->cells, &stream, d, ldp_line(r.kept, K, d),
                            ldp_line(r.exposures, K, d), &r);
    }
}

/* Combines what the threads found, in the memory of the first: the counts of words of a part. */
static void join_words(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, V = j->at->cells->V, from = part * LDP_PART;
    const int n = K * (ldp_part_end(from, V) - from);
    double *const counts =
        ldp_line(topics_room_of(j->model, j->at->cells, 0, j->work).words, K, from);
    (void)thread;
    for (int t = 1; t < j->at->n_threads; t++)
        ldp_add(n, counts, 1,
                ldp_line(topics_room_of(j->model, j->at->cells, t, j->work).words, K, from));
}

static void join_documents(job *j) {
    if (j->at->n_threads > 1)
        ldp_team_run(j->at->n_threads, ldp_parts(j->at->cells->V), join_words, j);
}

static void topics_join_most(const job *j) {
    const int K = j->model->K;
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = topics_room_of(j->model, j->at->cells, t, j->work);
        for (int k = 0; k < K; k++)
            first.most[k] = fmax(first.most[k], r.most[k]);
    }
}

static void topics_join_shape(const job *j) {
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = topics_room_of(j->model, j->at->cells, t, j->work);
        ldp_fixed_join(LDP_SHAPE_NUMBERS, &r.shape->tables, &first.shape->tables);
    }
}

/* Draws the estimated shape of a factor, 0 for theta and 1 for phi, and empties its sums. */
static void topics_draw_shape(const job *j, int factor, ldp_gamma_prior *prior) {
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    ldp_stream stream = ldp_stream_for(j->model->seed, LDP_USE_SHAPE, factor, 0);
    prior->shape = ldp_shape_draw(&stream, *prior, *first.shape);
    for (int t = 0; t < j->at->n_threads; t++)
        *topics_room_of(j->model, j->at->cells, t, j->work).shape = (ldp_shape_sums){0, 0};
}

/* --- sums over documents, of which the exposures of words consist ------------------------------
 */

static void topics_choose_quanta(const job *j) {
    const room r = topics_room_of(j->model, j->at->cells, 0, j->work);
    for (int k = 0; k < j->model->K; k++)
        r.scale[k] = ldp_fixed_scale(r.most[k], j->at->cells->D_all);
}

/* The sum that theta_d is part of: that of all documents or, with groups, of its combination. */
static int64_t *topics_sum_of_row(const ldp_groups *groups, int d, int K, const room *r) {
    if (!groups)
        return r->totals + K;
    return r->of_groups + factor_length(K, groups->combination[d]);
}

static void round_documents(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_columns *const columns = j->at->noise->columns;
    const int K = j->model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room r = topics_room_of(j->model, j->at->cells, thread, j->work);
    for (int d = from; d < to; d++) {
        const double *const theta = ldp_line(j->model->theta, K, d);
        const double extra = columns ? 1 : j->at->noise->exposure_extra[d];
        if (!j->at->cells->code) /* by tokens, no active cell needs them */
            ldp_fixed_round(K, r.scale, extra, theta, r.terms + factor_length(K, d));
        if (columns)
            ldp_fixed_add(K, r.scale, 1, theta, r.of_levels + factor_length(K, columns->level[d]));
        else
            ldp_fixed_add(K, r.scale, j->at->noise->exposure_rest[d], theta, r.totals);
        ldp_fixed_add(K, r.scale, 1, theta, topics_sum_of_row(j->model->groups, d, K, &r));
    }
}

static void topics_join_totals(const job *j) {
    const int K = j->model->K;
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = topics_room_of(j->model, j->at->cells, t, j->work);
        ldp_fixed_join(2 * (size_t)K, r.totals, first.totals);
        ldp_fixed_join((size_t)K * topics_n_combinations(j->model), r.of_groups, first.of_groups);
        ldp_fixed_join(factor_length(K, j->model->n_levels), r.of_levels, first.of_levels);
    }
}

/* The sum for word v of extra_dv theta_d over its active cells, if exposures depend on words. All
 * documents of a level have the same, so with one level the sum of the terms is multiplied. */
static void add_active(const job *j, int v, const room *r, int64_t *sum) {
    const ldp_columns *const columns = j->at->noise->columns;
    const ldp_lists active = j->at->cells->active_t;
    const int K = j->model->K;
    if (columns->n_levels == 1) {
        ldp_fixed_listed(K, r->terms, active.index + active.start[v], ldp_lists_length(active, v),
                         sum);
        for (int k = 0; k < K; k++)
            sum[k] = llrint(columns->extra[v] * (double)sum[k]);
        return;
    }
    for (size_t e = active.start[v]; e < active.start[v + 1]; e++) {
        const int d = active.index[e];
        ldp_fixed_add(K, r->scale, columns->extra[ldp_columns_place(columns, d, v)],
                      ldp_line(j->model->theta, K, d), sum);
    }
}

/* sums_v = sum_d (e_dv - rest_dv) theta_d, which has a term for each listed cell of the word. */
static void sum_words(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_columns *const columns = j->at->noise->columns;
    const ldp_cells *const cells = j->at->cells;
    const int K = j->model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room r = topics_room_of(j->model, cells, thread, j->work);
    for (int v = from; v < to; v++) {
        int64_t *const sum = r.sums + factor_length(K, v);
        if (columns && cells->active_t.start)
            add_active(j, v, &r, sum);
        for (size_t e = cells->missing_t.start[v]; e < cells->missing_t.start[v + 1]; e++) {
            const int d = cells->missing_t.index[e];
            const double rest = columns ? columns->rest[ldp_columns_place(columns, d, v)]
                                        : j->at->noise->exposure_rest[d];
            ldp_fixed_add(K, r.scale, -rest, ldp_line(j->model->theta, K, d), sum);
        }
        if (!columns && cells->active_t.start)
            ldp_fixed_listed(K, r.terms, cells->active_t.index + cells->active_t.start[v],
                             ldp_lists_length(cells->active_t, v), sum);
    }
}

/* --- words ----------------------------------------------------------------------------------- */

/* exposure_k = sum_d e_dv theta_dk */
static void topics_set_exposure(int K, const ldp_columns *columns, const room *first, int v,
                                double *exposure) {
    const int64_t *const sum = first->sums + factor_length(K, v);
    for (int k = 0; k < K; k++) {
        double quanta = columns ? (double)sum[k] : (double)(first->totals[k] + sum[k]);
        for (int l = 0; columns && l < columns->n_levels; l++)
            quanta += ldp_columns_rest(columns, l)[v] *
                      (double)first->of_levels[factor_length(K, l) + (size_t)k];
        exposure[k] = (quanta > 0 ? quanta : 0) / first->scale[k];
    }
}

static void add_words_to_shape(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_topics *const model = j->model;
    const int K = model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    const room r = topics_room_of(j->model, j->at->cells, thread, j->work);
    for (int v = from; v < to; v++) {
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SHAPE, 2, v);
        topics_set_exposure(K, j->at->noise->columns, &first, v, r.scratch);
        ldp_shape_add(&stream, K, model->prior_phi, NULL, ldp_line(first.words, K, v), r.scratch,
                      r.shape);
    }
}

static void draw_words(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_topics *const model = j->model;
    const int K = model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room first = topics_room_of(j->model, j->at->cells, 0, j->work);
    double *const exposure = topics_room_of(j->model, j->at->cells, thread, j->work).scratch;
    for (int v = from; v < to; v++) {
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ITEM, 1, v);
        topics_set_exposure(K, j->at->noise->columns, &first, v, exposure);
        move_weights(model, j->at->cells, &stream, model->prior_phi, ldp_line(first.words, K, v),
                     exposure, ldp_line(model->phi, K, v));
    }
}

static void value_sums(const ldp_groups *groups, const room *r) {
    for (int c = 0; c < groups->n_combinations; c++)
        ldp_fixed_value(groups->K, r->scale, r->of_groups + factor_length(groups->K, c),
                        ldp_line(groups->sums, groups->K, c));
}

/* Moves that leave every mu unchanged: the scale of each topic between theta and phi, the estimated
 * rates of priors, and the relative rates of groups. */
static void topics_rescale(const job *j) {
    ldp_topics *const model = j->model;
    const ldp_cells *const cells = j->at->cells;
    const room r = topics_room_of(model, cells, 0, j->work);
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SCALE, 1, 0);
    if (model->groups)
        value_sums(model->groups, &r);
    else
        ldp_fixed_value(model->K, r.scale, r.totals + model->K, r.total_theta);
    ldp_exposure_total((ldp_weighted){model->K, 0, cells->V, model->phi, NULL}, r.total_phi);
    ldp_rescale_groups(
        &stream, model->K, model->seed, model->groups,
        (ldp_rescaled){cells->D, cells->D_all, model->theta, &model->prior_theta, r.total_theta},
        (ldp_rescaled){cells->V, cells->V, model->phi, &model->prior_phi, r.total_phi});
    if (model->rates) {
        model->rates[0] = model->prior_theta.rate;
        model->rates[1] = model->prior_phi.rate;
    }
    if (model->shapes) {
        model->shapes[0] = model->prior_theta.shape;
        model->shapes[1] = model->prior_phi.shape;
    }
}

/* --- a sweep: documents, sums, words --------------------------------------------------------- */

/* WEIGHTS and WORDS_TO_SHAPE are phases only in sweeps that draw a shape. */
typedef enum phase { DOCUMENTS, WEIGHTS, ROUND, SUMS, WORDS_TO_SHAPE, WORDS, N_PHASES } phase;

static int topics_next(const void *model, const ldp_setting *at, int now, const double *work) {
    const ldp_topics *const m = model;
    (void)at;
    (void)work;
    if (now == WORDS || m->only_documents)
        return LDP_NO_PHASE;
    if (now == DOCUMENTS && !topics_draws_shape(m, m->prior_theta))
        return ROUND;
    if (now == SUMS && !topics_draws_shape(m, m->prior_phi))
        return WORDS;
    return now + 1;
}

static ldp_lines topics_lines(const void *model, int now) {
    (void)model;
    return now <= ROUND ? LDP_ROWS : LDP_COLUMNS;
}

static void set_total_phi(const ldp_topics *model, const ldp_setting *at, double *work) {
    const room r = topics_room_of(model, at->cells, 0, work);
    ldp_exposure_total((ldp_weighted){model->K, 0, at->cells->V, model->phi, NULL}, r.total_phi);
}

static void copy_words(void *state, int part, int thread) {
    const job *const j = state;
    const int from = part * LDP_PART, to = ldp_part_end(from, j->at->cells->V);
    const room r = topics_room_of(j->model, j->at->cells, thread, j->work);
    ldp_columns_copy(j->at->noise->columns, j->model->K, j->model->phi, from, to, NULL,
                     r.phi_active);
}

/* The copies of phi, and for each level the sum over words for observed cells. */
static void copy_phi(job *j) {
    const ldp_columns *const columns = j->at->noise->columns;
    const int K = j->model->K, V = j->at->cells->V;
    const room r = topics_room_of(j->model, j->at->cells, 0, j->work);
    ldp_team_run(j->at->n_threads, ldp_parts(V), copy_words, j);
    for (int l = 0; l < columns->n_levels; l++)
        ldp_exposure_total((ldp_weighted){K, 0, V, j->model->phi, ldp_columns_rest(columns, l)},
                           ldp_line(r.total_observed, K, l));
}

/* Sets to zero all that is added up; what comes before it in memory is overwritten in each sweep.
 */
static void empty_sums(const job *j) {
    double *const sums = (double *)(void *)topics_room_of(j->model, j->at->cells, 0, j->work).sums;
    const double *const end = j->work + topics_work_size(j->model, j->at);
    memset(sums, 0, (size_t)(end - sums) * sizeof *sums);
}

static void topics_begin(void *model, const ldp_setting *at, int now, uint64_t seed, double *work) {
    job j = {model, at, 0, 0, work};
    if (now == DOCUMENTS) {
        j.model->seed = seed;
        j.model->is_shape_due = ldp_shape_is_due(seed, j.model->reflect);
        empty_sums(&j);
        set_total_phi(j.model, at, work);
        if (at->noise->columns)
            copy_phi(&j);
        if (at->cells->code)
            ldp_team_run(at->n_threads, j.model->K, build_table, &j);
    } else if (now == WEIGHTS) {
        topics_draw_shape(&j, 0, &j.model->prior_theta);
    } else if (now == ROUND) {
        topics_choose_quanta(&j);
    } else if (now == WORDS && topics_draws_shape(j.model, j.model->prior_phi)) {
        topics_draw_shape(&j, 1, &j.model->prior_phi);
    }
}

static void topics_range(void *model, const ldp_setting *at, int now, int from, int to,
                         double *work) {
    const ldp_task tasks[N_PHASES] = {[DOCUMENTS] = draw_documents,
                                      [WEIGHTS] = topics_draw_theta,
                                      [ROUND] = round_documents,
                                      [SUMS] = sum_words,
                                      [WORDS_TO_SHAPE] = add_words_to_shape,
                                      [WORDS] = draw_words};
    job j = {model, at, from, to, work};
    ldp_team_run(at->n_threads, ldp_parts(to - from), tasks[now], &j);
}

static void topics_end(void *model, const ldp_setting *at, int now, double *work) {
    job j = {model, at, 0, 0, work};
    if (now == DOCUMENTS && !j.model->only_documents)
        join_documents(&j);
    if (now == WORDS_TO_SHAPE ||
        (now == DOCUMENTS && topics_draws_shape(j.model, j.model->prior_theta)))
        topics_join_shape(&j);
    else if (now <= WEIGHTS)
        topics_join_most(&j);
    else if (now == ROUND)
        topics_join_totals(&j);
    else if (now == WORDS)
        topics_rescale(&j);
}

static int topics_shared(const void *model, const ldp_setting *at, int now, double *work,
                         ldp_shared *arrays) {
    const int K = ((const ldp_topics *)model)->K;
    const size_t k = (size_t)K, n = factor_length(K, at->cells->V);
    const room r = topics_room_of(model, at->cells, 0, work);
    if (now == DOCUMENTS && topics_draws_shape(model, ((const ldp_topics *)model)->prior_theta)) {
        arrays[0] = (ldp_shared){LDP_SUM_WHOLE, LDP_SHAPE_NUMBERS, (double *)(void *)r.shape};
        return 1;
    }
    if (now <= WEIGHTS) {
        arrays[0] = (ldp_shared){LDP_LARGEST, k, r.most};
        return 1;
    }
    if (now != SUMS)
        return 0;
    /* if counts are drawn by tokens, the sums are 0 where no cell is masked, and need few bytes */
    arrays[0] = (ldp_shared){LDP_SUM_WHOLE, n, (double *)(void *)r.sums};
    arrays[1] = (ldp_shared){LDP_SUM_WHOLE, 2 * k, (double *)(void *)r.totals};
    arrays[2] = (ldp_shared){LDP_SUM, n, r.words};
    return 3;
}

static void topics_begin_visit(const void *model, const ldp_setting *at, double *work) {
    set_total_phi(model, at, work);
}

static void topics_visit(const void *model, const ldp_setting *at, int from, int to, int thread,
                         ldp_visitor visitor, double *work) {
    const ldp_topics *const m = model;
    const room r = topics_room_of(m, at->cells, thread, work);
    for (int d = from; d < to; d++) {
        const double *const theta = ldp_line(m->theta, m->K, d);
        ldp_margin_visit(m->K, theta, m->phi, r.total_phi, at->cells, d, visitor);
    }
}

/* Not if counts are drawn by tokens, or if the means of active cells are multiplied by exposures.
 */
static int topics_shows_means(const void *model, const ldp_setting *at) {
    (void)model;
    return !at->cells->code && !at->noise->columns;
}

/* The sums of theta over the documents of each level, in the place of their sums in quanta. */
static void topics_column_totals(const void *model, const ldp_setting *at,
                                 const ldp_columns *columns, double *work) {
    const ldp_topics *const m = model;
    const int K = m->K;
    double *const of_levels = (double *)(void *)topics_room_of(m, at->cells, 0, work).of_levels;
    ldp_fill(K * columns->n_levels, of_levels, 0);
    for (int d = 0; d < at->cells->D; d++)
        ldp_add(K, ldp_line(of_levels, K, columns->level[d]), 1, ldp_line(m->theta, K, d));
    for (int l = 0; l < columns->n_levels; l++)
        for (int v = 0; v < columns->n; v++)
            columns->total[(size_t)l * (size_t)columns->n + (size_t)v] =
                ldp_dot(K, ldp_line(of_levels, K, l), ldp_line(m->phi, K, v));
}

/* The scalable factor is theta, or phi: every mean is linear in both, and each of their lines
 * belongs to one document, or word. */
static ldp_scalable topics_scalable(const void *model, const ldp_setting *at) {
    const ldp_topics *const m = model;
    if (at->noise->columns)
        return (ldp_scalable){.n = at->cells->V,
                              .n_all = at->cells->V,
                              .K = m->K,
                              .factor = m->phi,
                              .shape = m->prior_phi.shape,
                              .rate = m->prior_phi.rate,
                              .by_row = 1};
    return (ldp_scalable){.n = at->cells->D,
                          .n_all = at->cells->D_all,
                          .K = m->K,
                          .factor = m->theta,
                          .shape = m->prior_theta.shape,
                          .rate = m->prior_theta.rate,
                          .by_row = 1,
                          .relative = m->groups ? m->groups->relative : NULL,
                          .combination = m->groups ? m->groups->combination : NULL};
}

const ldp_kernel ldp_topics_kernel = {.next = topics_next,
                                      .lines = topics_lines,
                                      .work = topics_work_size,
                                      .begin = topics_begin,
                                      .range = topics_range,
                                      .end = topics_end,
                                      .shared = topics_shared,
                                      .begin_visit = topics_begin_visit,
                                      .visit = topics_visit,
                                      .scalable = topics_scalable,
                                      .shows_means = topics_shows_means,
                                      .column_totals = topics_column_totals};
