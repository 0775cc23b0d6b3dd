/* Every model with every family of counts, on made-up data of several parts: what has to be true of
 * any kernel is tested with each of them. */
#ifndef MODELS_H
#define MODELS_H

#include <limits.h>
#include <string.h>

#include "example.h"
#include "ldp_blocks.h"
#include "ldp_nbinom1.h"
#include "ldp_random.h"
#include "ldp_stream.h"
#include "ldp_team.h"
#include "ldp_tensor.h"
#include "ldp_topics.h"

typedef enum { TOPICS, DOCUMENTS, DIRECTED, UNDIRECTED, TENSOR_2, TENSOR_4, N_MODELS } model_kind;
typedef enum { COLLAPSED, BESSEL, NBINOM1, NBINOM1_BY_ROW, NBINOM1_FIXED, N_FAMILIES } family_kind;

static const char *const model_names[] = {
    "topics",     "documents alone",     "directed",
    "undirected", "tensor of two modes", "tensor of four modes"};
static const char *const family_names[] = {"collapsed", "Bessel", "negative binomial",
                                           "one dispersion per row", "fixed dispersion"};

/* 5 parts of rows, the last of 6; 6 of columns, the last of 10. 90 = 18 x 5 x 1. */
enum { ROWS = 70, COLUMNS = 90, MOST_ARRAYS = 8 };

typedef struct subject {
    model_kind kind;
    family_kind family;
    int K, D, V, n_threads;
    int D_before, D_all; /* of a shard */
    int *counts; /* D x V, by columns; INT_MIN where missing */
    double alpha[COLUMNS];
    example x;
    const ldp_kernel *kernel;
    void *model;
    ldp_topics topics;
    ldp_blocks blocks;
    ldp_tensor tensor;
    /* The state of a chain: the factors, then what the family keeps. */
    int n_factors, n_arrays;
    double *array[MOST_ARRAYS];
    size_t length[MOST_ARRAYS];
    double rates[LDP_MODES];
    /* rooms of the family */
    double *rest, *extra, *answers;
    ldp_bessel_state bessel;
    ldp_nbinom1_state *nbinom1; /* one for each thread */
    ldp_nbinom1_row *rows;
    ldp_nbinom1_cell *above;
    ldp_noise *noise;
    ldp_setting at;
    double *work;
} subject;

/* --- data ------------------------------------------------------------------------------------ */

/* Row 20 and column 7 are missing altogether, row 33 and column 40 for the most part, and one cell
 * in 12 of the others. */
static inline int subject_is_missing(ldp_stream *stream, int d, int v) {
    const double u = ldp_stream_uniform(stream);
    return d == 20 || v == 7 || ((d == 33 || v == 40) && u < 0.8) || u < 1.0 / 12;
}

/* Small counts, a few large ones, and releases beyond all tables; below zero too, under noise. */
static inline int subject_count(ldp_stream *stream, double alpha) {
    const double u = ldp_stream_uniform(stream), mean = ldp_stream_uniform(stream) < 0.3 ? 4 : 0.6;
    double y = ldp_random_poisson(stream, ldp_random_gamma(stream, 1) * mean);
    if (u < 0.004)
        y = u < 0.001 ? 5000 : 60 + 1e5 * u;
    if (alpha > 0)
        y += floor(log(ldp_stream_uniform(stream)) / log(alpha)) -
             floor(log(ldp_stream_uniform(stream)) / log(alpha));
    return (int)y;
}

/* Rows with five noise levels; neighbours share one. */
static inline void subject_data(subject *s) {
    static const double levels[] = {0.3, 0.6, 0.9, 0.05, 0};
    ldp_stream stream = ldp_stream_seeded(2026);
    s->counts = check_alloc((size_t)(s->D * s->V), sizeof *s->counts);
    for (int d = 0; d < s->D; d++)
        s->alpha[d] = levels[(s->D_before + d) / 3 % 5];
    for (int v = 0; v < s->V; v++)
        for (int d = 0; d < s->D_all; d++) {
            const int row = d - s->D_before;
            const int count = subject_is_missing(&stream, d, v)
                                  ? INT_MIN
                                  : subject_count(&stream, levels[d / 3 % 5]);
            if (row >= 0 && row < s->D)
                s->counts[row + v * s->D] = count;
        }
}

static inline int subject_is_network(model_kind kind) {
    return kind == DIRECTED || kind == UNDIRECTED;
}

static inline ldp_table subject_table(model_kind kind) {
    return kind == DIRECTED ? LDP_DIRECTED : kind == UNDIRECTED ? LDP_UNDIRECTED : LDP_TABLE;
}

/* --- models ---------------------------------------------------------------------------------- */

/* `before`: how many numbers of the array belong to rows before those of a shard. */
static inline double *subject_array(subject *s, size_t n, double start, size_t before) {
    double *const array = new_doubles(n);
    for (size_t i = 0; i < n; i++)
        array[i] = start * (0.4 + 0.3 * (double)(((before + i) * 7 + (size_t)s->n_arrays) % 5));
    s->array[s->n_arrays] = array;
    s->length[s->n_arrays++] = n;
    return array;
}

static inline void subject_topics(subject *s, ldp_gamma_prior prior) {
    const size_t K = (size_t)s->K;
    s->kernel = &ldp_topics_kernel;
    s->model = &s->topics;
    s->topics = (ldp_topics){.K = s->K,
                             .prior_theta = prior,
                             .prior_phi = prior,
                             .rates = s->rates,
                             .reflect = 0.75,
                             .only_documents = s->kind == DOCUMENTS};
    s->topics.theta = subject_array(s, K * (size_t)s->D, 1, K * (size_t)s->D_before);
    s->topics.phi = subject_array(s, K * (size_t)s->V, 1, 0);
}

static inline void subject_blocks(subject *s, ldp_gamma_prior prior) {
    const size_t K = (size_t)s->K;
    s->kernel = &ldp_blocks_kernel;
    s->model = &s->blocks;
    s->blocks = (ldp_blocks){.C = s->K,
                             .prior_theta = prior,
                             .prior_pi = prior,
                             .rates = s->rates,
                             .reflect = 0.75,
                             .directed = s->kind == DIRECTED};
    s->blocks.theta = subject_array(s, K * (size_t)s->V, 1, 0);
    s->blocks.pi = subject_array(s, K * K, 1, 0);
    for (size_t d = 0; d < K; d++)
        for (size_t c = 0; c < d && s->kind == UNDIRECTED; c++)
            s->blocks.pi[d + c * K] = s->blocks.pi[c + d * K];
}

static inline void subject_tensor(subject *s, ldp_gamma_prior prior) {
    const int n[] = {s->D, s->kind == TENSOR_2 ? s->V : 18, 5, 1};
    s->kernel = &ldp_tensor_kernel;
    s->model = &s->tensor;
    s->tensor = (ldp_tensor){
        .K = s->K, .M = s->kind == TENSOR_2 ? 2 : 4, .rates = s->rates, .reflect = 0.75};
    for (int m = 0; m < s->tensor.M; m++)
        s->tensor.mode[m] = (ldp_tensor_mode){
            n[m], prior,
            subject_array(s, (size_t)(s->K * n[m]), 1, m > 0 ? 0 : (size_t)(s->K * s->D_before))};
}

/* --- families -------------------------------------------------------------------------------- */

static inline void subject_nbinom1(subject *s) {
    const size_t D = (size_t)s->D, n = s->x.active_start[s->D];
    const int by_row = s->family == NBINOM1_BY_ROW;
    double *const excess = subject_array(s, by_row ? D : 1, 0.8, by_row ? (size_t)s->D_before : 0);
    s->nbinom1 = check_alloc((size_t)s->n_threads, sizeof *s->nbinom1);
    s->rows = check_alloc(D, sizeof *s->rows);
    s->above = check_alloc(n, sizeof *s->above);
    s->answers = new_garbage(LDP_ANSWERS * (size_t)ldp_parts(s->D_all));
    for (int t = 0; t < s->n_threads; t++) {
        s->nbinom1[t] = (ldp_nbinom1_state){.D = s->D,
                                            .excess = excess,
                                            .by_row = by_row,
                                            .shape1 = s->family == NBINOM1_FIXED ? 0 : 1,
                                            .shape2 = 1,
                                            .rest = s->rest,
                                            .extra = s->extra,
                                            .rows = s->rows,
                                            .above = s->above,
                                            .first = s->x.active_start,
                                            .answers = s->answers};
        s->nbinom1[t].law.bound = new_garbage(LDP_RTRUENBINOM_BOUNDS);
        s->nbinom1[t].law.lower = new_garbage(LDP_RTRUENBINOM_BOUNDS);
        s->noise[t] = ldp_noise_nbinom1(s->alpha, &s->nbinom1[t], 1);
    }
}

static inline void subject_bessel(subject *s) {
    const size_t n = s->x.active_start[s->D];
    s->bessel.g1 = subject_array(s, n, 0, 0);
    s->bessel.g2 = subject_array(s, n, 0, 0);
    for (size_t e = 0; e < n; e++) /* y = max(y_tilde, 0), the rest is noise */
        s->bessel.g2[e] = fmax(-s->x.y_tilde[e], 0);
    for (int t = 0; t < s->n_threads; t++)
        s->noise[t] = ldp_noise_bessel(s->D, &s->bessel, s->rest, s->extra);
}

static inline void subject_family(subject *s) {
    s->rest = new_doubles((size_t)s->D);
    s->extra = new_doubles((size_t)s->D);
    s->noise = check_alloc((size_t)s->n_threads, sizeof *s->noise);
    if (s->family == BESSEL)
        subject_bessel(s);
    else if (s->family != COLLAPSED)
        subject_nbinom1(s);
    for (int t = 0; t < s->n_threads && s->family == COLLAPSED; t++)
        s->noise[t] = ldp_noise_collapsed(s->D, s->alpha, s->rest, s->extra);
}

/* --- all of it ------------------------------------------------------------------------------- */

/* A subject without a family yet, from its counts. */
static inline void subject_lists(subject *s) {
    const ldp_source source = {
        s->D, s->V, NULL, NULL, s->counts, NULL, s->family == BESSEL, subject_table(s->kind)};
    s->x = example_new(&source, s->alpha);
    s->x.cells.D_before = s->D_before;
    s->x.cells.D_all = s->D_all;
}

/* Rows from .. to-1, as a shard. In place, because much of it points into it. */
static inline void subject_open_shard(subject *s, model_kind kind, family_kind family, int K,
                                      int n_threads, int from, int to) {
    const ldp_gamma_prior prior = {0.7, 1.3, 2, 2, 0, 0};
    *s = (subject){.kind = kind,
                   .family = family,
                   .K = K,
                   .D = to - from,
                   .D_before = from,
                   .D_all = ROWS,
                   .V = subject_is_network(kind) ? ROWS : COLUMNS,
                   .n_threads = n_threads};
    subject_data(s);
    subject_lists(s);
    if (subject_is_network(kind))
        subject_blocks(s, prior);
    else if (kind == TENSOR_2 || kind == TENSOR_4)
        subject_tensor(s, prior);
    else
        subject_topics(s, prior);
    s->n_factors = s->n_arrays;
    subject_family(s);
    s->at = (ldp_setting){.cells = &s->x.cells, .noise = s->noise, .n_threads = n_threads};
    s->work = new_garbage(s->kernel->work(s->model, &s->at));
}

static inline void subject_open(subject *s, model_kind kind, family_kind family, int K,
                                int n_threads) {
    subject_open_shard(s, kind, family, K, n_threads, 0, ROWS);
}

static inline void subject_close(subject *s) {
    for (int i = 0; i < s->n_arrays; i++)
        free(s->array[i]);
    for (int t = 0; t < s->n_threads && s->nbinom1; t++) {
        free(s->nbinom1[t].law.bound);
        free(s->nbinom1[t].law.lower);
    }
    free(s->counts);
    free(s->rest);
    free(s->extra);
    free(s->answers);
    free(s->nbinom1);
    free(s->rows);
    free(s->above);
    free(s->noise);
    free(s->work);
    example_free(&s->x);
}

/* Of a subject whose noise is collapsed, 19 of 20 cells become missing. */
static inline void subject_mask(subject *s) {
    for (int v = 0; v < s->V; v++)
        for (int d = 0; d < s->D; d++)
            if ((s->D_before + d + v * s->D_all) % 20 > 0)
                s->counts[d + v * s->D] = INT_MIN;
    example_free(&s->x);
    subject_lists(s);
}

/* Do two subjects have the same state, to the last bit? */
static inline int subject_equal(const subject *a, const subject *b) {
    for (int i = 0; i < a->n_arrays; i++)
        if (memcmp(a->array[i], b->array[i], a->length[i] * sizeof(double)) != 0)
            return 0;
    return memcmp(a->rates, b->rates, sizeof a->rates) == 0;
}

static inline int subject_proper(const subject *s) {
    for (int i = 0; i < s->n_factors; i++)
        for (size_t j = 0; j < s->length[i]; j++)
            if (!(s->array[i][j] > 0 && isfinite(s->array[i][j])))
                return 0;
    return 1;
}

#endif
