/* The true count behind a release of any mechanism: the number of evaluations of a draw is bounded,
 * whatever the noise, the release and the mean; draws are possible counts; and the terms of a
 * mixture are the probabilities. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "ldp_behind.h"
#include "ldp_behind_derivatives.h"

/* Of f or its steps: about 60 for a peak, 64 for a list, and, for each of at most 40 pieces, 80 for
 * an envelope; then a few for each of the proposals, of which more than a quarter are accepted. */
static const int MOST_OF_LOG_CONCAVE = 400, MOST_OF_SMALL_SIZES = 4000;

static const double releases[] = {-1e9, -1e5, -40, -1, 0, 1, 2, 7, 300, 1e5, 1e9};
static const double means[] = {1e-300, 1e-9, 0.01, 0.9, 5, 1e3, 1e6, 1e9};
static const double excesses[] = {0, 1e-9, 0.3, 8, 1e4};

#define LENGTH(x) (sizeof(x) / sizeof *(x))

static int most_seen;

/* A few draws each, for `most` evaluations per draw. */
static void test_draws(const ldp_mechanism *mechanism, double release, double mu, double excess,
                       ldp_stream *stream) {
    const ldp_evidence evidence = ldp_evidence_of(mechanism, LDP_IS, release);
    ldp_behind b = ldp_behind_open(evidence, mu, excess);
    const int most = b.is_small ? MOST_OF_SMALL_SIZES : MOST_OF_LOG_CONCAVE;
    const int n_draws = check_extended() ? 10 : 3;
    for (int i = 0; i < n_draws; i++) {
        ldp_behind fresh = b;
        const double y = ldp_behind_draw(&fresh, stream);
        CHECK(y >= b.low && y <= b.high && floor(y) == y, "kind %d release %g mu %g excess %g: %g",
              mechanism->kind, release, mu, excess, y);
        CHECK(fresh.n_evaluations <= most, "kind %d (%g) release %g mu %g excess %g: %d",
              mechanism->kind, mechanism->parameter[0], release, mu, excess, fresh.n_evaluations);
        if (fresh.n_evaluations > most_seen)
            most_seen = fresh.n_evaluations;
    }
}

static void test_grid(ldp_mechanism_kind kind, int n, const double *parameter, double below,
                      const double *release, size_t n_releases) {
    const ldp_mechanism mechanism = ldp_mechanism_make(kind, n, parameter, below);
    ldp_stream stream = ldp_stream_seeded(7);
    for (size_t r = 0; r < n_releases; r++)
        for (size_t m = 0; m < LENGTH(means); m++)
            for (size_t e = 0; e < LENGTH(excesses); e++)
                test_draws(&mechanism, release[r], means[m], excesses[e], &stream);
}

static void test_terms(double release, double mu, double excess, double sd) {
    const ldp_mechanism mechanism = ldp_mechanism_make(LDP_BY_DISCRETE_GAUSSIAN, 1, &sd, -INFINITY);
    const ldp_behind b = ldp_behind_open(ldp_evidence_of(&mechanism, LDP_IS, release), mu, excess);
    double terms[4096], sum = 0;
    const int n = ldp_behind_terms(&b, 4096, terms);
    const double mass = ldp_behind_log_mass(&b);
    CHECK(n > 0, "%d", n);
    for (int y = 0; y < n; y++)
        sum += terms[y];
    for (int y = 0; y < n; y++)
        CHECK_NEAR(terms[y] / sum, exp(ldp_behind_log(&b, y) - mass), TOL_SERIES);
}

/* Derivatives by log(mu) are differences of cumulants, for Poisson counts. */
static void test_derivatives(const ldp_mechanism *mechanism, double release, double mu,
                             double excess) {
    const ldp_behind b = ldp_behind_open(ldp_evidence_of(mechanism, LDP_IS, release), mu, excess);
    double d[LDP_N_LEVEL_2], cumulant[LDP_CUMULANTS];
    if (b.low > b.high)
        return;
    ldp_behind_derivatives(&b, 2, d);
    for (int i = 0; i < LDP_N_LEVEL_2; i++)
        CHECK(isfinite(d[i]), "release %g mu %g excess %g, derivative %d", release, mu, excess, i);
    if (excess > 0)
        return;
    ldp_behind_cumulants(&b, cumulant);
    const double scale = fmax(mu, fabs(cumulant[0]));
    CHECK(fabs(d[LDP_BY_MU] - (cumulant[0] - mu)) <= 1e-11 * scale, "release %g mu %g", release,
          mu);
    CHECK(fabs(d[LDP_BY_MU2] + d[LDP_BY_MU] - (cumulant[1] - mu)) <= 1e-9 * scale,
          "release %g mu %g", release, mu);
}

static void test_slopes(ldp_mechanism_kind kind, double parameter, double release) {
    static const double mus[] = {1e-300, 1e-12, 0.2, 5, 300}, dispersions[] = {0, 1e-12, 0.5, 40};
    const ldp_mechanism mechanism = ldp_mechanism_make(kind, 1, &parameter, -INFINITY);
    for (size_t m = 0; m < LENGTH(mus); m++)
        for (size_t e = 0; e < LENGTH(dispersions); e++)
            test_derivatives(&mechanism, release, mus[m], dispersions[e]);
}

int main(void) {
    static const double sds[] = {0.3, 1, 30, 1e5}, base = 5, hidden = -INFINITY;
    static const double multiples[] = {0, 5, 100, 1e9},
                        ranges[][2] = {{0, 1e8}, {1, 9}, {5000, 9000}};
    static const double limits[] = {-300, 10, 1e6};
    static const double classes[] = {0, 1, 3, 6}, thin = 0.01;
    check_begin();
    for (size_t i = 0; i < LENGTH(sds); i++) {
        const double sd = sds[i], gamma = 1 / sd, variance = sd * sd;
        test_grid(LDP_BY_DISCRETE_GAUSSIAN, 1, &sd, -INFINITY, releases, LENGTH(releases));
        test_grid(LDP_BY_LAPLACE, 1, &sd, -INFINITY, releases, LENGTH(releases));
        test_grid(LDP_BY_GEOMETRIC, 1, &gamma, -INFINITY, releases, LENGTH(releases));
        test_grid(LDP_BY_GAUSSIAN, 1, &sd, -INFINITY, releases, LENGTH(releases));
        test_grid(LDP_BY_SKELLAM, 1, &variance, -INFINITY, releases, LENGTH(releases));
        for (size_t l = 0; l < LENGTH(limits); l++) {
            test_grid(LDP_BY_DISCRETE_GAUSSIAN, 1, &sd, limits[l], &hidden, 1);
            test_grid(LDP_BY_LAPLACE, 1, &sd, limits[l], &hidden, 1);
            test_grid(LDP_BY_GAUSSIAN, 1, &sd, limits[l], &hidden, 1);
            test_grid(LDP_BY_GEOMETRIC, 1, &gamma, limits[l], &hidden, 1);
            test_grid(LDP_BY_SKELLAM, 1, &variance, limits[l], &hidden, 1);
        }
    }
    test_grid(LDP_BY_RANDOM_ROUNDING, 1, &base, -INFINITY, multiples, LENGTH(multiples));
    test_grid(LDP_BY_ROUNDING, 1, &base, -INFINITY, multiples, LENGTH(multiples));
    test_grid(LDP_BY_THINNING, 1, &thin, -INFINITY, multiples, LENGTH(multiples));
    test_grid(LDP_BY_CLASSES, 4, classes, -INFINITY, classes, LENGTH(classes));
    for (size_t i = 0; i < LENGTH(ranges); i++)
        test_grid(LDP_BY_SUPPRESSION, 2, ranges[i], -INFINITY, &hidden, 1);
    test_terms(3, 2, 0, 1.5);
    test_terms(-10, 2, 9, 4);
    test_terms(300, 200, 30, 40);
    test_terms(-66, 1, 2, 0.3); /* f(0) is e^739 times what any other count has */
    for (size_t i = 0; i < LENGTH(sds) && sds[i] < 1e3; i++) {
        test_slopes(LDP_BY_DISCRETE_GAUSSIAN, sds[i], -3);
        test_slopes(LDP_BY_DISCRETE_GAUSSIAN, sds[i], 70);
        test_slopes(LDP_BY_LAPLACE, sds[i], 6.5);
    }
    test_slopes(LDP_BY_RANDOM_ROUNDING, base, 0);
    test_slopes(LDP_BY_RANDOM_ROUNDING, base, 100);
    test_slopes(LDP_BY_THINNING, thin, 4);
    printf("most evaluations of a draw: %d\n", most_seen);
    return check_report("behind");
}
