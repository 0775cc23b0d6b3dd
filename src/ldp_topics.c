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
#include <math.h>
#include <string.h>

#include "ldp_allocate.h"
#include "ldp_exposure.h"
#include "ldp_fixed.h"
#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_rescale.h"
#include "ldp_rows.h"
#include "ldp_team.h"
#include "ldp_topics.h"

static size_t factor_length(int K, int n) {
    return (size_t)K * (size_t)n;
}

/* Memory for a sweep. The first fields are shared by all threads; while threads run, each line of
 * them is written by one thread only. The other fields have a copy per thread. */
typedef struct room {
    double *total_phi; /* K: sum_v phi_kv */
    double *total_theta; /* K: sum_d theta_dk */
    double *scale; /* K: quanta per unit (ldp_fixed.h), for sums over documents */
    int64_t *total_rest; /* K: sum_d rest_d theta_dk, in quanta */
    int64_t *terms; /* D x K: excess_d theta_dk, in quanta */
    /* One copy per thread: */
    double *words; /* V x K: counts of words, laid out as phi */
    double *most; /* K: the largest theta_dk of its documents */
    int64_t *totals; /* 2 K: partial sums of total_rest and total_theta, in quanta */
    double *scratch; /* LINES_OF_SCRATCH lines */
} room;

enum { LINES_OF_SCRATCH = 4, SHARED_LINES = 4, LINES_OF_THREAD = 3 + LINES_OF_SCRATCH };

static size_t work_size(const void *model, const ldp_setting *at) {
    const int K = ((const ldp_topics *)model)->K;
    const size_t lines_of_thread = (size_t)at->cells->V + LINES_OF_THREAD;
    return (size_t)K *
           (SHARED_LINES + (size_t)at->cells->D + (size_t)at->n_threads * lines_of_thread);
}

static int64_t *whole(double *place) {
    return (int64_t *)(void *)place;
}

/* The memory that a thread uses: the shared fields and its own. */
static room room_of(int K, const ldp_cells *cells, int thread, double *work) {
    const size_t k = (size_t)K;
    room r;
    r.total_phi = work;
    r.total_theta = work + k;
    r.scale = work + 2 * k;
    r.total_rest = whole(work + 3 * k);
    r.terms = whole(work + SHARED_LINES * k);
    work += (SHARED_LINES + (size_t)cells->D) * k;
    work += (size_t)thread * k * ((size_t)cells->V + LINES_OF_THREAD);
    r.words = work;
    r.most = work + factor_length(K, cells->V);
    r.totals = whole(r.most + k);
    r.scratch = r.most + 3 * k;
    return r;
}

typedef struct job {
    ldp_topics *model;
    const ldp_setting *at;
    int from, to;
    double *work;
} job;

/* --- documents ------------------------------------------------------------------------------- */

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
 * so that results do not depend on how documents are divided into ranges, or among threads. */
static void draw_document(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int d, const room *r) {
    const int K = model->K;
    double *const counts = r->scratch, *const active = counts + K, *const scratch = active + K;
    double *const theta = ldp_line(model->theta, K, d);
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ROW, 0, d);
    ldp_fill(2 * K, counts, 0);
    draw_counts(model, cells, noise, &stream, d, counts, active, r->words, scratch);
    ldp_margin_row(K, model->phi, cells, noise->exposure_rest[d], noise->exposure_excess[d], d,
                   r->total_phi, active, scratch);
    ldp_gamma_move(&stream, model->reflect, K, model->prior_theta, counts, scratch, theta);
    for (int k = 0; k < K; k++)
        r->most[k] = fmax(r->most[k], theta[k]);
}

static void draw_documents(void *state, int part, int thread) {
    const job *const j = state;
    const room r = room_of(j->model->K, j->at->cells, thread, j->work);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    for (int d = from; d < to; d++)
        draw_document(j->model, j->at->cells, &j->at->noise[thread], d, &r);
}

/* --- sums over documents ---------------------------------------------------------------------- */

/* Combines the largest weights that the threads found, and chooses the quanta accordingly. */
static void choose_quanta(const job *j, const room *first) {
    const int K = j->model->K;
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = room_of(K, j->at->cells, t, j->work);
        for (int k = 0; k < K; k++)
            first->most[k] = fmax(first->most[k], r.most[k]);
    }
    for (int k = 0; k < K; k++)
        first->scale[k] = ldp_fixed_scale(first->most[k], j->at->cells->D);
}

static void round_documents(void *state, int part, int thread) {
    const job *const j = state;
    const int K = j->model->K, from = part * LDP_PART, to = ldp_part_end(from, j->at->cells->D);
    const room r = room_of(K, j->at->cells, thread, j->work);
    for (int d = from; d < to; d++) {
        const double *const theta = ldp_line(j->model->theta, K, d);
        ldp_fixed_round(K, r.scale, j->at->noise->exposure_excess[d], theta,
                        r.terms + factor_length(K, d));
        ldp_fixed_add(K, r.scale, j->at->noise->exposure_rest[d], theta, r.totals);
        ldp_fixed_add(K, r.scale, 1, theta, r.totals + K);
    }
}

/* Computes the sums over documents that the exposures of words consist of. */
static void sum_documents(job *j) {
    const int K = j->model->K, n_threads = j->at->n_threads;
    const room first = room_of(K, j->at->cells, 0, j->work);
    choose_quanta(j, &first);
    ldp_team_run(n_threads, ldp_parts(j->at->cells->D), round_documents, j);
    for (int t = 1; t < n_threads; t++) {
        const room r = room_of(K, j->at->cells, t, j->work);
        ldp_fixed_join(2 * (size_t)K, r.totals, first.totals);
    }
    for (int k = 0; k < K; k++)
        first.total_rest[k] = first.totals[k];
    ldp_fixed_value(K, first.scale, first.totals + K, first.total_theta);
}

/* --- words ----------------------------------------------------------------------------------- */

/* exposure = sum_d e_dv theta_dk */
static void word_exposure(const job *j, int v, const room *r, int64_t *sum, double *exposure) {
    const int K = j->model->K;
    const ldp_cells *const cells = j->at->cells;
    for (int k = 0; k < K; k++)
        sum[k] = r->total_rest[k];
    for (size_t e = cells->missing_t.start[v]; e < cells->missing_t.start[v + 1]; e++) {
        const int d = cells->missing_t.index[e];
        ldp_fixed_add(K, r->scale, -j->at->noise->exposure_rest[d], ldp_line(j->model->theta, K, d),
                      sum);
    }
    if (cells->active_t.start)
        ldp_fixed_listed(K, r->terms, cells->active_t.index + cells->active_t.start[v],
                         ldp_lists_length(cells->active_t, v), sum);
    ldp_fixed_value(K, r->scale, sum, exposure);
}

/* Adds up the counts of word v of all threads, in the memory of the first thread. */
static double *word_counts(const job *j, int v) {
    const int K = j->model->K;
    double *const counts = ldp_line(room_of(K, j->at->cells, 0, j->work).words, K, v);
    for (int t = 1; t < j->at->n_threads; t++)
        ldp_add(K, counts, 1, ldp_line(room_of(K, j->at->cells, t, j->work).words, K, v));
    return counts;
}

static void draw_words(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_topics *const model = j->model;
    const int K = model->K, from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    const room first = room_of(K, j->at->cells, 0, j->work);
    const room mine = room_of(K, j->at->cells, thread, j->work);
    for (int v = from; v < to; v++) {
        double *const exposure = mine.scratch + K;
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ITEM, 1, v);
        word_exposure(j, v, &first, whole(mine.scratch), exposure);
        ldp_gamma_move(&stream, model->reflect, K, model->prior_phi, word_counts(j, v), exposure,
                       ldp_line(model->phi, K, v));
    }
}

/* Moves that leave every mu unchanged: the scale of each topic between theta and phi, and the
 * estimated rates of priors. */
static void rescale(const job *j) {
    ldp_topics *const model = j->model;
    const ldp_cells *const cells = j->at->cells;
    const room r = room_of(model->K, cells, 0, j->work);
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SCALE, 1, 0);
    ldp_exposure_total((ldp_weighted){model->K, 0, cells->V, model->phi, NULL}, r.total_phi);
    ldp_rescale(&stream, model->K,
                (ldp_rescaled){cells->D, model->theta, &model->prior_theta, r.total_theta},
                (ldp_rescaled){cells->V, model->phi, &model->prior_phi, r.total_phi});
    if (model->rates) {
        model->rates[0] = model->prior_theta.rate;
        model->rates[1] = model->prior_phi.rate;
    }
}

/* --- a sweep: documents, then words ---------------------------------------------------------- */

static int n_phases(const void *model) {
    return ((const ldp_topics *)model)->only_documents ? 1 : 2;
}

static ldp_lines lines(const void *model, int phase) {
    (void)model;
    return phase == 0 ? LDP_ROWS : LDP_COLUMNS;
}

static void set_total_phi(const ldp_topics *model, const ldp_setting *at, double *work) {
    const room r = room_of(model->K, at->cells, 0, work);
    ldp_exposure_total((ldp_weighted){model->K, 0, at->cells->V, model->phi, NULL}, r.total_phi);
}

static void begin(void *model, const ldp_setting *at, int phase, uint64_t seed, double *work) {
    ldp_topics *const m = model;
    if (phase > 0)
        return;
    m->seed = seed;
    memset(work, 0, work_size(model, at) * sizeof *work);
    set_total_phi(m, at, work);
}

static void range(void *model, const ldp_setting *at, int phase, int from, int to, double *work) {
    job j = {model, at, from, to, work};
    ldp_team_run(at->n_threads, ldp_parts(to - from), phase == 0 ? draw_documents : draw_words, &j);
}

static void end(void *model, const ldp_setting *at, int phase, double *work) {
    job j = {model, at, 0, 0, work};
    if (phase == 1)
        rescale(&j);
    else if (!j.model->only_documents)
        sum_documents(&j);
}

static void begin_visit(const void *model, const ldp_setting *at, double *work) {
    set_total_phi(model, at, work);
}

static void visit_document(const ldp_topics *model, const ldp_cells *cells, int d,
                           const double *total_phi, ldp_visitor visitor) {
    const int K = model->K;
    const double *const theta = ldp_line(model->theta, K, d);
    const size_t last = cells->active.start[d + 1];
    double rest = ldp_dot(K, theta, total_phi);
    for (size_t e = cells->missing.start[d]; e < cells->missing.start[d + 1]; e++)
        rest -= ldp_dot(K, theta, ldp_line(model->phi, K, cells->missing.index[e]));
    for (size_t e = cells->active.start[d]; e < last; e += LDP_FEW) {
        const int n = last - e < LDP_FEW ? (int)(last - e) : LDP_FEW;
        double mean[LDP_FEW];
        ldp_rows_means(K, theta, model->phi, cells->active.index + e, n, mean);
        visitor.cells(visitor.state, d, e, n, mean);
        for (int i = 0; i < n; i++)
            rest -= mean[i];
    }
    visitor.rest(visitor.state, d, rest > 0 ? rest : 0);
}

static void visit(const void *model, const ldp_setting *at, int from, int to, int thread,
                  ldp_visitor visitor, double *work) {
    const ldp_topics *const m = model;
    const room r = room_of(m->K, at->cells, thread, work);
    for (int d = from; d < to; d++)
        visit_document(m, at->cells, d, r.total_phi, visitor);
}

/* The scalable factor is theta: every mean is linear in it, and each of its lines belongs to one
 * document. */
static ldp_scalable scalable(const void *model, const ldp_setting *at) {
    const ldp_topics *const m = model;
    return (ldp_scalable){at->cells->D,        m->K, m->theta, m->prior_theta.shape,
                          m->prior_theta.rate, 1};
}

const ldp_kernel ldp_topics_kernel = {n_phases, lines,       work_size, begin,   range,
                                      end,      begin_visit, visit,     scalable};
