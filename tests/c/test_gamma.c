/* Conjugate gamma draws: never 0, the right distribution, the right parameters. */
#include <float.h>

#include "check.h"
#include "ldp_gamma.h"
#include "random.h"

enum { N = 100000 };

static ldp_stream stream;

/* How draws are made: alone, or many at a time. */
static void draw(int many, int K, ldp_gamma_prior prior, const double *counts,
                 const double *exposure, double *x) {
    if (many)
        ldp_gamma_move_many(&stream, 0, K, prior, counts, exposure, x);
    else
        ldp_gamma_draw(&stream, K, prior, counts, exposure, x);
}

/* One component of three: the others must not matter. */
static void check_law(ldp_gamma_prior prior, double count, double exposure, int many) {
    const double shape = prior.shape + count, rate = prior.rate + exposure;
    const double counts[] = {7, count, 0}, exposures[] = {0.3, exposure, 11};
    double *const x = new_doubles(3);
    double sum = 0, sum_of_squares = 0;
    law uniform = law_uniform();
    char name[120];
    snprintf(name, sizeof name, "Gamma(%g, %g)", shape, rate);
    for (int i = 0; i < N; i++) {
        draw(many, 3, prior, counts, exposures, x);
        sum += x[1];
        sum_of_squares += (x[1] - shape / rate) * (x[1] - shape / rate);
        law_see_uniform(&uniform, pgamma(x[1], shape, 1 / rate, 1, 0));
    }
    const double variance = shape / (rate * rate);
    law_check(&uniform, name);
    check_mean(sum, N, shape / rate, variance, name);
    /* the fourth central moment of a gamma distribution is 3 variance^2 (1 + 2/shape) */
    check_mean(sum_of_squares, N, variance, variance * variance * (2 + 6 / shape), name);
    law_free(&uniform);
    free(x);
}

/* Shape 0.003: 12 % of the distribution lies below DBL_MIN, and is drawn as DBL_MIN; the rest of
 * the distribution function is uniform above that. */
static void test_small_shape(int many) {
    const double counts[] = {0}, exposures[] = {0};
    const double below = pgamma(DBL_MIN, 0.003, 1, 1, 0);
    double *const x = new_doubles(1);
    double smallest = INFINITY;
    law l = law_new(0, UNIFORM_BINS + 1); /* the first bin is DBL_MIN itself */
    l.p[0] = below;
    for (int i = 1; i < l.n; i++)
        l.p[i] = (1 - below) / UNIFORM_BINS;
    for (int i = 0; i < N; i++) {
        draw(many, 1, (ldp_gamma_prior){0.003, 1, 0, 0, 0, 0}, counts, exposures, x);
        smallest = fmin(smallest, x[0]);
        const double u = (pgamma(x[0], 0.003, 1, 1, 0) - below) / (1 - below);
        law_see(&l, x[0] <= DBL_MIN ? 0 : 1 + fmin(floor(u * UNIFORM_BINS), UNIFORM_BINS - 1));
    }
    CHECK_NEAR(smallest, DBL_MIN, TOL_EXACT);
    CHECK(below > 0.11 && below < 0.13 && l.seen[0] > 0, "below DBL_MIN: %g", below);
    law_check(&l, "shape 0.003");
    law_free(&l);
    free(x);
}

static int ascending(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Dvoretzky, Kiefer and Wolfowitz with Massart's constant: P(sup |F_n - F| > d) <= 2 exp(-2 n d^2).
 * A shape takes one, two or three parts: below 1, an Erlang number, a large shape. */
static void check_dkw(double shape, int many) {
    const double counts[] = {0}, exposures[] = {2};
    const int n = check_some(N);
    double *const x = new_doubles((size_t)n);
    double largest = 0;
    for (int i = 0; i < n; i++)
        draw(many, 1, (ldp_gamma_prior){shape, 1, 0, 0, 0, 0}, counts, exposures, &x[i]);
    qsort(x, (size_t)n, sizeof *x, ascending);
    for (int i = 0; i < n; i++) {
        if (i + 1 < n && x[i + 1] <= x[i])
            continue; /* what lies below DBL_MIN is one step */
        const double f = pgamma(x[i], shape, 1. / 3, 1, 0);
        largest = fmax(largest, fabs((i + 1.) / n - f));
        if (x[i] > DBL_MIN)
            largest = fmax(largest, fabs(f - (double)i / n));
    }
    const double limit = sqrt(log(2 / random_level()) / (2. * n));
    CHECK(largest <= limit, "shape %g: %g, limit %g", shape, largest, limit);
    free(x);
}

static void test_extremes(void) {
    const double counts[] = {0, 1e9, 0, 0}, exposures[] = {1e300, 1e3, 0, 1e-300};
    double *const x = new_doubles(4);
    for (int i = 0; i < 1000; i++) {
        ldp_gamma_draw(&stream, 4, (ldp_gamma_prior){1e-5, 1e-3, 0, 0, 0, 0}, counts, exposures, x);
        int n_right = 0;
        for (int k = 0; k < 4; k++)
            n_right += x[k] >= DBL_MIN && isfinite(x[k]);
        CHECK(n_right == 4, "%g %g %g %g", x[0], x[1], x[2], x[3]);
    }
    ldp_gamma_draw(&stream, 0, (ldp_gamma_prior){1, 1, 0, 0, 0, 0}, counts, exposures, x);
    free(x);
}

/* Gamma(2 + 10 times 0.3, 3 + 7), or the fixed one. */
static void test_rate(void) {
    CHECK_NEAR(ldp_gamma_rate(&stream, (ldp_gamma_prior){0.3, 1.7, 0, 0, 0, 0}, 10, 7), 1.7,
               TOL_EXACT);
    law uniform = law_uniform();
    for (int i = 0; i < 20000; i++) {
        const double rate = ldp_gamma_rate(&stream, (ldp_gamma_prior){0.3, 1.7, 2, 3, 0, 0}, 10, 7);
        law_see_uniform(&uniform, pgamma(rate, 5, 0.1, 1, 0));
    }
    law_check(&uniform, "rate");
    law_free(&uniform);
}

/* More components than are drawn at a time, counts of 0 and others mixed: each has its own law. */
static void check_many_places(void) {
    enum { MANY = 150, TIMES = 4000 };
    static double counts[MANY], exposure[MANY], x[MANY];
    const ldp_gamma_prior prior = {0.2, 1, 0, 0, 0, 0};
    double z = 0;
    for (int k = 0; k < MANY; k++) {
        counts[k] = k % 7 == 3 ? k : 0;
        exposure[k] = k;
    }
    for (int i = 0; i < TIMES; i++) {
        ldp_gamma_move_many(&stream, 0, MANY, prior, counts, exposure, x);
        for (int k = 0; k < MANY; k++) {
            const double shape = 0.2 + counts[k];
            z += (x[k] * (1 + k) - shape) / sqrt(shape);
        }
    }
    check_mean(z, (double)TIMES * MANY, 0, 1, "many places");
}

int main(void) {
    check_begin();
    random_budget(51);
    set_seed(40, 1);
    stream = ldp_stream_seeded(40);
    static const double shapes[] = {0.003, 0.1, 0.5, 0.95, 1, 1.1, 2.5, 15.9, 16, 1e3, 1e6};
    for (int many = 0; many < 2; many++) {
        check_law((ldp_gamma_prior){0.3, 1, 0, 0, 0, 0}, 0, 0, many);
        check_law((ldp_gamma_prior){0.3, 2, 0, 0, 0, 0}, 0, 5.5, many);
        check_law((ldp_gamma_prior){0.1, 0.5, 0, 0, 0, 0}, 1, 0.25, many);
        check_law((ldp_gamma_prior){0.1, 1, 0, 0, 0, 0}, 30, 100, many);
        check_law((ldp_gamma_prior){2, 1, 0, 0, 0, 0}, 1e6, 1e-3, many);
        for (size_t i = 0; i < (many ? 5 : sizeof shapes / sizeof *shapes); i++)
            check_dkw(shapes[i], many);
        test_small_shape(many);
    }
    check_many_places();
    test_extremes();
    test_rate();
    random_budget_kept();
    return check_report("gamma");
}
