/* Passes of variational inference in blocks of exactly the right size: whatever the model and the
 * scheme, no read or write goes astray and no pass lowers the bound. What the bound should be is
 * tested in R (test-cavi.R). */
#include <Rmath.h>

#include "cavi.h"

/* Of the bound's size: what rounding may take off. */
#define TOL_MONOTONE 1e-10

enum { PASSES = 40 };

static void check_step(double before, double now, scheme which) {
    CHECK(isfinite(now), "%g", now);
    if (which != SCHEME_DELTA)
        CHECK(now >= before - TOL_MONOTONE * fabs(now), "%.17g after %.17g", now, before);
}

/* Returns the last bound. */
static double run_passes(const ldp_cells *cells, shape of, scheme which) {
    posterior p;
    posterior_open(&p, cells, of, which, 3, 1);
    double before = posterior_pass(&p);
    for (int i = 0; i < PASSES; i++) {
        const double now = posterior_pass(&p);
        check_step(before, now, which);
        before = now;
    }
    posterior_close(&p);
    return before;
}

/* A topic model, and the same table as tensors. With two modes the bounds are those of topics. */
static void run_modes(const ldp_cells *cells, scheme which) {
    static const int two[] = {6, 6}, three[] = {6, 3, 2}, five[] = {6, 1, 3, 1, 2};
    CHECK_NEAR(run_passes(cells, (shape){LDP_TABLE, 2, two}, which),
               run_passes(cells, (shape){LDP_TABLE, 0, NULL}, which), TOL_SERIES);
    run_passes(cells, (shape){LDP_TABLE, 3, three}, which);
    run_passes(cells, (shape){LDP_TABLE, 5, five}, which);
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
                               .all_active = scheme_is_augmented(which),
                               .table = table};
    example x = example_new(&source, table == LDP_UNDIRECTED ? same : alpha);
    if (table == LDP_TABLE)
        run_modes(&x.cells, which);
    else
        run_passes(&x.cells, (shape){table, 0, NULL}, which);
    example_free(&x);
}

int main(void) {
    check_begin();
    for (int which = 0; which < N_SCHEMES; which++) {
        run_table(LDP_TABLE, (scheme)which);
        run_table(LDP_DIRECTED, (scheme)which);
        if (which != SCHEME_BURSTS_BY_ROW)
            run_table(LDP_UNDIRECTED, (scheme)which);
    }
    return check_report("cavi_models");
}
