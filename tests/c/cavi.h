/* Variational posteriors of every model under every scheme for the noise, in blocks of exactly the
 * right size. */
#ifndef CAVI_H
#define CAVI_H

#include <string.h>

#include "example.h"
#include "ldp_cavi_bessel.h"
#include "ldp_cavi_blocks.h"
#include "ldp_cavi_nbinom1.h"
#include "ldp_cavi_tensor.h"
#include "ldp_cavi_topics.h"

typedef enum {
    SCHEME_COLLAPSED,
    SCHEME_BESSEL,
    SCHEME_DELTA,
    SCHEME_BURSTS,
    SCHEME_BURSTS_BY_ROW,
    N_SCHEMES
} scheme;

/* A topic model, a network if `table` is one, or a tensor of these extents if M > 0. */
typedef struct shape {
    ldp_table table;
    int M;
    const int *n;
} shape;

enum { MOST_LAWS = LDP_MODES };

typedef struct posterior {
    const ldp_cells *cells;
    shape of;
    double *rest, *extra, *g1, *g2, *points, *weights, *divergence;
    ldp_small small[LDP_CAVI_GROUPS];
    ldp_cavi_bessel bessel;
    ldp_cavi_nbinom1 bursts;
    ldp_cavi_shown *shown;
    ldp_cavi_dispersion *laws;
    ldp_cavi_local local;
    int n_factors;
    ldp_cavi_factor factor[MOST_LAWS];
    double *counts[MOST_LAWS], *active, *work;
    double hyper[LDP_CAVI_HYPER * MOST_LAWS];
    ldp_cavi_topics topics;
    ldp_cavi_blocks blocks;
    ldp_cavi_tensor tensor;
} posterior;

static inline int scheme_is_augmented(scheme which) {
    return which == SCHEME_BESSEL || which == SCHEME_DELTA;
}

static inline ldp_cavi_local open_scheme(posterior *p, scheme which) {
    const ldp_cells *const cells = p->cells;
    const int D = cells->D, n = which == SCHEME_BURSTS_BY_ROW ? D : 1;
    const size_t n_active = cells->active.start[D], n_grid = (size_t)n * LDP_CAVI_GRID;
    p->rest = new_doubles((size_t)D);
    p->extra = new_doubles((size_t)D);
    p->g1 = new_doubles(n_active);
    p->g2 = new_doubles(n_active);
    p->points = new_doubles(n_grid);
    p->weights = new_doubles(n_grid);
    p->divergence = new_doubles((size_t)n);
    p->shown = check_alloc((size_t)D, sizeof *p->shown);
    p->laws = check_alloc((size_t)n, sizeof *p->laws);
    if (which == SCHEME_COLLAPSED)
        return ldp_cavi_collapsed(D, cells->alpha, p->rest, p->extra, p->small);
    if (scheme_is_augmented(which)) {
        p->bessel = (ldp_cavi_bessel){p->g1, p->g2, which == SCHEME_DELTA};
        return ldp_cavi_augmented(D, &p->bessel, p->rest, p->extra);
    }
    for (size_t i = 0; i < n_grid; i++)
        p->weights[i] = 1.0 / LDP_CAVI_GRID; /* at t = 0 */
    p->bursts = (ldp_cavi_nbinom1){.D = D,
                                   .by_row = n > 1,
                                   .shape1 = 1,
                                   .shape2 = 1,
                                   .points = p->points,
                                   .weights = p->weights,
                                   .divergence = p->divergence,
                                   .shown = p->shown,
                                   .laws = p->laws,
                                   .rest = p->rest,
                                   .extra = p->extra};
    return ldp_cavi_bursts(&p->bursts, cells->alpha);
}

/* Unequal weights about 1; of a symmetric square symmetric ones. */
static inline ldp_cavi_factor add_factor(posterior *p, int K, int n, int symmetric) {
    const size_t size = (size_t)K * (size_t)n;
    double *const hyper = p->hyper + LDP_CAVI_HYPER * p->n_factors;
    ldp_cavi_factor f = {.K = K,
                         .n = n,
                         .symmetric = symmetric,
                         .prior = {0.3, 1, symmetric ? 2 : 0, 1},
                         .shape = new_doubles(size),
                         .rate = new_doubles(size),
                         .unit = new_doubles(size),
                         .mean = new_doubles(size),
                         .geo = new_doubles(size)};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < K; k++) {
            f.shape[i * K + k] = 100;
            f.rate[i * K + k] = 60 + (symmetric ? 11 * (i + k) + 7 * i * k : 37 * i + 23 * k) % 90;
        }
    hyper[0] = hyper[1] = 1;
    hyper[2] = 0.3;
    ldp_cavi_hyper_read(&f, hyper);
    ldp_cavi_factor_refresh(&f, p->local.team);
    p->counts[p->n_factors] = new_doubles(size);
    p->factor[p->n_factors++] = f;
    return f;
}

static inline void open_topics(posterior *p, int K) {
    p->topics.theta = add_factor(p, K, p->cells->D, 0);
    p->topics.phi = add_factor(p, K, p->cells->V, 0);
    p->topics.counts_theta = p->counts[0];
    p->topics.counts_phi = p->counts[1];
    p->topics.active = p->active;
    p->topics.hyper = p->hyper;
    p->work = new_doubles(ldp_cavi_topics_work(K, p->cells));
}

static inline void open_blocks(posterior *p, int C) {
    p->blocks.directed = p->of.table == LDP_DIRECTED;
    p->blocks.theta = add_factor(p, C, p->cells->V, 0);
    p->blocks.pi = add_factor(p, C, C, !p->blocks.directed);
    p->blocks.counts_theta = p->counts[0];
    p->blocks.counts_pi = p->counts[1];
    p->blocks.hyper = p->hyper;
    p->work = new_doubles(ldp_cavi_blocks_work(C, p->cells));
}

static inline void open_tensor(posterior *p, int K) {
    p->tensor.K = K;
    p->tensor.M = p->of.M;
    p->tensor.active = p->active;
    p->tensor.hyper = p->hyper;
    for (int m = 0; m < p->of.M; m++) {
        p->tensor.theta[m] = add_factor(p, K, p->of.n[m], 0);
        p->tensor.counts[m] = p->counts[m];
    }
    p->work = new_doubles(ldp_cavi_tensor_work(&p->tensor, p->cells));
}

/* In place, because much of it points into it. Ends with a local step. */
static inline void posterior_open(posterior *p, const ldp_cells *cells, shape of, scheme which,
                                  int K, int n_threads) {
    *p = (posterior){.cells = cells, .of = of};
    p->local = open_scheme(p, which);
    p->local.team = (ldp_cavi_team){n_threads, NULL};
    p->active = new_doubles((size_t)(K * cells->D));
    if (of.M > 0) {
        open_tensor(p, K);
        ldp_cavi_tensor_local(&p->tensor, &p->local, cells, p->work);
    } else if (of.table == LDP_TABLE) {
        open_topics(p, K);
        ldp_cavi_topics_local(&p->topics, &p->local, cells, p->work);
    } else {
        open_blocks(p, K);
        ldp_cavi_blocks_local(&p->blocks, &p->local, cells, p->work);
    }
}

/* An iteration. */
static inline double posterior_pass(posterior *p) {
    if (p->of.M > 0)
        return ldp_cavi_tensor_pass(&p->tensor, &p->local, p->cells, p->work);
    if (p->of.table == LDP_TABLE)
        return ldp_cavi_topics_pass(&p->topics, &p->local, p->cells, p->work);
    return ldp_cavi_blocks_pass(&p->blocks, &p->local, p->cells, p->work);
}

static inline void posterior_close(posterior *p) {
    double *const own[] = {p->rest,    p->extra,      p->g1,     p->g2,  p->points,
                           p->weights, p->divergence, p->active, p->work};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
    for (int i = 0; i < p->n_factors; i++) {
        free(p->factor[i].shape);
        free(p->factor[i].rate);
        free(p->factor[i].unit);
        free(p->factor[i].mean);
        free(p->factor[i].geo);
        free(p->counts[i]);
    }
    free(p->shown);
    free(p->laws);
}

/* Are the factors, and what is kept of the last local step, the same to the last bit? */
static inline int posterior_equal(const posterior *a, const posterior *b) {
    const size_t n_active = a->cells->active.start[a->cells->D];
    for (int i = 0; i < a->n_factors; i++) {
        const ldp_cavi_factor *const f = &a->factor[i], *const g = &b->factor[i];
        const size_t size = (size_t)f->K * (size_t)f->n * sizeof(double);
        if (memcmp(f->shape, g->shape, size) != 0 || memcmp(f->rate, g->rate, size) != 0 ||
            memcmp(a->counts[i], b->counts[i], size) != 0)
            return 0;
    }
    return memcmp(a->g1, b->g1, n_active * sizeof(double)) == 0 &&
           memcmp(a->rest, b->rest, (size_t)a->cells->D * sizeof(double)) == 0;
}

#endif
