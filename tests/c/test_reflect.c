/* The reflection of a gamma variable, alone and in ldp_gamma_move: the distribution stays, the
 * sides change. */
#include <float.h>

#include "check.h"
#include "ldp_gamma.h"
#include "ldp_reflect.h"
#include "random.h"

enum { N = 100000 };

static ldp_stream stream;

/* Density of w = (x/d)^(1/3), to check the ratio of step 3 against. */
static double log_density(double d, double w) {
    return 3 * d * log(w) - d * w * w * w;
}

/* Moves between w = 1 - t and 1 + t are accepted as the densities ask: just below and just above
 * that ratio they differ. Up, with any u. */
static void check_ratio(double shape, double t) {
    const double d = shape - 1. / 3;
    const double low = d * pow(1 - t, 3), high = d * pow(1 + t, 3);
    const double ratio = exp(log_density(d, 1 - t) - log_density(d, 1 + t));
    CHECK_NEAR(ldp_reflect(1 - 1e-16, shape, low), high, TOL_ROUNDING);
    if (ratio > 1e-9)
        CHECK_NEAR(ldp_reflect(ratio * (1 - 1e-7), shape, high), low, TOL_ROUNDING);
    if (ratio < 1 - 1e-6)
        CHECK_NEAR(ldp_reflect(ratio * (1 + 1e-7), shape, high), high, TOL_EXACT);
}

/* How weights are moved: alone, or many at a time. */
static void move(int many, double reflect, int K, ldp_gamma_prior prior, const double *counts,
                 const double *exposure, double *x) {
    if (many)
        ldp_gamma_move_many(&stream, reflect, K, prior, counts, exposure, x);
    else
        ldp_gamma_move(&stream, reflect, K, prior, counts, exposure, x);
}

/* Draws of the distribution, moved: still of the distribution, and on average on the other side. */
static void check_law(int many, double shape, double reflect, double most_correlation) {
    const ldp_gamma_prior prior = {.shape = 0.1, .rate = 1};
    const double counts[] = {0, shape - 0.1}, exposure[] = {3, 2};
    double *const x = new_doubles(2);
    double product = 0;
    law moved = law_uniform();
    char name[120];
    snprintf(name, sizeof name, "shape %g, reflect %g, many %d", shape, reflect, many);
    const int n = check_some(N);
    for (int i = 0; i < n; i++) {
        ldp_gamma_draw(&stream, 2, prior, counts, exposure, x);
        const double before = 3 * x[1] - shape;
        move(many, reflect, 2, prior, counts, exposure, x);
        product += before * (3 * x[1] - shape);
        law_see_uniform(&moved, pgamma(3 * x[1], shape, 1, 1, 0));
    }
    law_check(&moved, name);
    CHECK(product / n / shape < most_correlation, "%s: correlation %g", name, product / n / shape);
    law_free(&moved);
    free(x);
}

static void test_extremes(void) {
    static const double shapes[] = {1, 1.1, 40, 1e9}, starts[] = {DBL_MIN, 1e-3, 1, 1e9, 1e300};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof starts / sizeof *starts; j++) {
            const double y = ldp_reflect(0.5, shapes[i], starts[j]);
            CHECK(y >= 0 && isfinite(y), "%g from %g: %g", shapes[i], starts[j], y);
        }
    /* nothing lies opposite */
    CHECK_NEAR(ldp_reflect(1e-300, 2, 20), 20, TOL_EXACT);
}

/* However far off, numbers find to their distribution. */
static void test_bad_start(int many) {
    const double counts[] = {50, 0, 3}, exposure[] = {10, 10, 10};
    double x[] = {1e12, 1e12, DBL_MIN};
    for (int i = 0; i < 200; i++)
        move(many, 0.75, 3, (ldp_gamma_prior){.shape = 0.5, .rate = 1}, counts, exposure, x);
    CHECK(x[0] > 0.5 && x[0] < 20 && x[1] < 10 && x[2] > 1e-6, "%g %g %g", x[0], x[1], x[2]);
}

/* Without reflection a move is a draw, from the same uniforms. */
static void test_none(void) {
    const double counts[] = {5, 0, 1e6}, exposure[] = {1, 2, 3};
    double x[] = {1, 1, 1}, y[3];
    const ldp_gamma_prior prior = {.shape = 0.3, .rate = 1};
    ldp_stream again = stream;
    set_seed(42, 1);
    ldp_gamma_move(&stream, 0, 3, prior, counts, exposure, x);
    set_seed(42, 1);
    ldp_gamma_draw(&again, 3, prior, counts, exposure, y);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(x[k], y[k], TOL_EXACT);
}

int main(void) {
    check_begin();
    random_budget(29);
    set_seed(41, 1);
    stream = ldp_stream_seeded(41);
    static const double shapes[] = {1, 1.1, 1.9, 2.5, 16.1, 1e3, 1e6};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int many = 0; many < 2; many++) {
            check_law(many, shapes[i], 1, shapes[i] < 2 ? -0.1 : -0.7);
            check_law(many, shapes[i], 0.75, shapes[i] < 2 ? -0.05 : -0.45);
        }
        for (int j = 1; j < 20; j++)
            check_ratio(shapes[i], j / 20.);
    }
    check_ratio(5, 1e-3);
    check_law(0, 0.7, 1, 0.05); /* below 1 it is drawn */
    test_extremes();
    test_bad_start(0);
    test_bad_start(1);
    test_none();
    random_budget_kept();
    return check_report("reflect");
}
