/* Passes of variational inference in blocks of exactly the right size: whatever the model and the
 * scheme, no read or write goes astray and no pass lowers the bound. What the bound should be is
 * tested in R (test-cavi.R). */
#include <string.h>

#include <Rmath.h>

#include "example.h"
#include "ldp_cavi_bessel.h"
#include "ldp_cavi_blocks.h"
#include "ldp_cavi_nbinom1.h"
#include "ldp_cavi_tensor.h"
#include "ldp_cavi_topics.h"

/* Of the bound's size: what rounding may take off. */
#define TOL_MONOTONE 1e-10

enum { PASSES = 40 };

typedef enum { COLLAPSED, BESSEL, DELTA, BURSTS, BURSTS_BY_ROW, N_SCHEMES } scheme;

typedef struct room {
    double *rest, *excess, *g1, *g2, *points, *weights, *divergence;
    ldp_small small;
    ldp_cavi_bessel bessel;
    ldp_cavi_nbinom1 bursts;
    ldp_cavi_shown *shown;
    ldp_cavi_dispersion *laws;
} room;

static ldp_cavi_local open_scheme(room *r, scheme which, const ldp_cells *cells) {
    const int D = cells->D, n = which == BURSTS_BY_ROW ? D : 1;
    const size_t n_active = cells->active.start[D], n_grid = (size_t)n * LDP_CAVI_GRID;
    memset(r, 0, sizeof *r);
    r->rest = new_doubles((size_t)D);
    r->excess = new_doubles((size_t)D);
    r->g1 = new_doubles(n_active);
    r->g2 = new_doubles(n_active);
    r->points = new_doubles(n_grid);
    r->weights = new_doubles(n_grid);
    r->divergence = new_doubles((size_t)n);
    r->shown = check_alloc((size_t)D, sizeof *r->shown);
    r->laws = check_alloc((size_t)n, sizeof *r->laws);
    if (which == COLLAPSED)
        return ldp_cavi_collapsed(D, cells->alpha, r->rest, r->excess, &r->small);
    if (which == BESSEL || which == DELTA) {
        r->bessel = (ldp_cavi_bessel){r->g1, r->g2, which == DELTA};
        return ldp_cavi_augmented(D, &r->bessel, r->rest, r->excess);
    }
    for (size_t i = 0; i < n_grid; i++)
        r->weights[i] = 1.0 / LDP_CAVI_GRID; /* at t = 0 */
    r->bursts = (ldp_cavi_nbinom1){.D = D,
                                   .by_row = n > 1,
                                   .shape1 = 1,
                                   .shape2 = 1,
                                   .points = r->points,
                                   .weights = r->weights,
                                   .divergence = r->divergence,
                                   .shown = r->shown,
                                   .laws = r->laws,
                                   .rest = r->rest,
                                   .excess = r->excess};
    return ldp_cavi_bursts(&r->bursts, cells->alpha);
}

static void close_scheme(room *r) {
    free(r->rest);
    free(r->excess);
    free(r->g1);
    free(r->g2);
    free(r->points);
    free(r->weights);
    free(r->divergence);
    free(r->shown);
    free(r->laws);
}

/* Unequal weights about 1; of a symmetric square symmetric ones. */
static ldp_cavi_factor new_factor(int K, int n, int symmetric, double *rates) {
    const size_t size = (size_t)K * (size_t)n;
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
    rates[0] = rates[1] = 1;
    ldp_cavi_rate_read(&f, rates);
    ldp_cavi_factor_refresh(&f);
    return f;
}

static void free_factor(ldp_cavi_factor *f) {
    free(f->shape);
    free(f->rate);
    free(f->unit);
    free(f->mean);
    free(f->geo);
}

static void check_step(double before, double now, scheme which) {
    CHECK(isfinite(now), "%g", now);
    if (which != DELTA)
        CHECK(now >= before - TOL_MONOTONE * fabs(now), "%.17g after %.17g", now, before);
}

/* Returns the last bound. */
static double run_topics(const ldp_cells *cells, scheme which) {
    const int K = 3;
    const size_t n_theta = (size_t)(K * cells->D), n_phi = (size_t)(K * cells->V);
    double rates[4];
    room r;
    const ldp_cavi_local local = open_scheme(&r, which, cells);
    ldp_cavi_topics model = {new_factor(K, cells->D, 0, rates),
                             new_factor(K, cells->V, 0, rates + 2),
                             new_doubles(n_theta),
                             new_doubles(n_phi),
                             new_doubles(n_theta),
                             rates};
    double *const work = new_doubles(ldp_cavi_topics_work(K, cells->V));
    ldp_cavi_topics_local(&model, &local, cells, work);
    double before = ldp_cavi_topics_pass(&model, &local, cells, work);
    for (int i = 0; i < PASSES; i++) {
        const double now = ldp_cavi_topics_pass(&model, &local, cells, work);
        check_step(before, now, which);
        before = now;
    }
    free(work);
    free(model.counts_theta);
    free(model.counts_phi);
    free(model.active);
    free_factor(&model.theta);
    free_factor(&model.phi);
    close_scheme(&r);
    return before;
}

/* The same table as a tensor of these extents. */
static double run_tensor(const ldp_cells *cells, scheme which, int M, const int *n) {
    const int K = 3;
    double rates[2 * LDP_MODES];
    room r;
    const ldp_cavi_local local = open_scheme(&r, which, cells);
    ldp_cavi_tensor model = {
        .K = K, .M = M, .active = new_doubles((size_t)(K * cells->D)), .rates = rates};
    for (int m = 0; m < M; m++) {
        model.theta[m] = new_factor(K, n[m], 0, rates + 2 * m);
        model.counts[m] = new_doubles((size_t)(K * n[m]));
    }
    double *const work = new_doubles(ldp_cavi_tensor_work(&model));
    ldp_cavi_tensor_local(&model, &local, cells, work);
    double before = ldp_cavi_tensor_pass(&model, &local, cells, work);
    for (int i = 0; i < PASSES; i++) {
        const double now = ldp_cavi_tensor_pass(&model, &local, cells, work);
        check_step(before, now, which);
        before = now;
    }
    free(work);
    free(model.active);
    for (int m = 0; m < M; m++) {
        free(model.counts[m]);
        free_factor(&model.theta[m]);
    }
    close_scheme(&r);
    return before;
}

/* Of two modes the bounds are those of topics. */
static void run_modes(const ldp_cells *cells, scheme which) {
    static const int two[] = {6, 6}, three[] = {6, 3, 2}, five[] = {6, 1, 3, 1, 2};
    CHECK_NEAR(run_tensor(cells, which, 2, two), run_topics(cells, which), TOL_SERIES);
    run_tensor(cells, which, 3, three);
    run_tensor(cells, which, 5, five);
}

static void run_blocks(const ldp_cells *cells, scheme which, int directed) {
    const int C = 3;
    double rates[4];
    room r;
    const ldp_cavi_local local = open_scheme(&r, which, cells);
    ldp_cavi_blocks model = {directed,
                             new_factor(C, cells->V, 0, rates),
                             new_factor(C, C, !directed, rates + 2),
                             new_doubles((size_t)(C * cells->V)),
                             new_doubles((size_t)(C * C)),
                             rates};
    double *const work = new_doubles(ldp_cavi_blocks_work(C, cells->V));
    ldp_cavi_blocks_local(&model, &local, cells, work);
    double before = ldp_cavi_blocks_pass(&model, &local, cells, work);
    for (int i = 0; i < PASSES; i++) {
        const double now = ldp_cavi_blocks_pass(&model, &local, cells, work);
        check_step(before, now, which);
        before = now;
    }
    free(work);
    free(model.counts_theta);
    free(model.counts_pi);
    free_factor(&model.theta);
    free_factor(&model.pi);
    close_scheme(&r);
}

enum { D = 6, V = 6 };

/* Counts of both signs, large and small, and masked ones; symmetric. */
static double count_at(int d, int v) {
    const int a = d < v ? d : v, b = d < v ? v : d, mixed = (a * 7 + b * 13) % 9;
    if ((a * 5 + b * 3) % 11 == 4)
        return (double)NAN;
    return mixed == 8 ? 90.0 : mixed - 3.0;
}

static void run_table(ldp_table table, scheme which) {
    static const double alpha[D] = {0.3, 0.3, 0.6, 0, 0.1, 0.8},
                        same[D] = {0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
    double counts[D * V];
    for (int d = 0; d < D; d++)
        for (int v = 0; v < V; v++)
            counts[d + v * D] =
                alpha[d] > 0 || table == LDP_UNDIRECTED ? count_at(d, v) : fabs(count_at(d, v));
    const ldp_source source = {.D = D,
                               .V = V,
                               .doubles = counts,
                               .all_active = which == BESSEL || which == DELTA,
                               .table = table};
    example x = example_new(&source, table == LDP_UNDIRECTED ? same : alpha);
    if (table == LDP_TABLE)
        run_modes(&x.cells, which);
    else
        run_blocks(&x.cells, which, table == LDP_DIRECTED);
    example_free(&x);
}

int main(void) {
    check_begin();
    for (int which = 0; which < N_SCHEMES; which++) {
        run_table(LDP_TABLE, (scheme)which);
        run_table(LDP_DIRECTED, (scheme)which);
        if (which != BURSTS_BY_ROW)
            run_table(LDP_UNDIRECTED, (scheme)which);
    }
    return check_report("cavi_models");
}
