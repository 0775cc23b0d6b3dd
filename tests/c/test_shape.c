/* The estimated shape of a gamma prior: the number of tables, and the draws given it or given
 * weights. */
#include "ldp_random.h"
#include "ldp_shape.h"
#include "random.h"

enum { N = 100000, N_SHAPES = 20000 };

static ldp_stream stream;

/* P(L = l) for y customers, by the recursion over customers. */
static void check_tables(int y, double a) {
    law l = law_new(1, y);
    char name[60];
    l.p[0] = 1;
    for (int j = 1; j < y; j++)
        for (int t = j; t >= 0; t--)
            l.p[t] = (t < j ? l.p[t] * j / (a + j) : 0) + (t > 0 ? l.p[t - 1] * a / (a + j) : 0);
    const int n = check_some(N);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_shape_tables(&stream, y, a));
    snprintf(name, sizeof name, "tables of %d at %g", y, a);
    law_check(&l, name);
    law_free(&l);
}

/* For many customers, the mean and the variance of a sum of independent successes. */
static void check_many(double y, double a) {
    const int n = check_some(20000);
    char name[60];
    double sum = 0, mean = 1, variance = 0;
    for (double j = 1; j < y; j++) {
        const double p = a / (a + j);
        mean += p;
        variance += p * (1 - p);
    }
    for (int i = 0; i < n; i++)
        sum += ldp_shape_tables(&stream, y, a);
    snprintf(name, sizeof name, "tables of %g at %g", y, a);
    check_mean(sum, n, mean, variance, name);
}

static void test_tables(void) {
    const double shapes[] = {0.01, 0.3, 1, 1.2, 4, 30};
    const int counts[] = {2, 3, 9, 60, 300};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            check_tables(counts[j], shapes[i]);
    check_many(1e5, 0.3);
    check_many(1e5, 2.5);
    check_many(3e4, 900);
    CHECK_NEAR(ldp_shape_tables(&stream, 0, 0.3), 0, TOL_EXACT);
    CHECK_NEAR(ldp_shape_tables(&stream, 1, 0.3), 1, TOL_EXACT);
    for (int i = 0; i < 100; i++) {
        CHECK_NEAR(ldp_shape_tables(&stream, 1e15, LDP_SHAPE_LEAST), 1, 2);
        const double most = ldp_shape_tables(&stream, 1e15, LDP_SHAPE_MOST);
        CHECK(most > 1e4 && most < 1e5, "%g tables", most);
    }
}

/* Sums of logarithms, for any relative rates, and for ratios that overflow. */
static void test_sums(void) {
    const ldp_gamma_prior prior = {.shape = 0.3, .rate = 2, .shape_shape = 1, .shape_rate = 1};
    const double counts[] = {0, 1, 1, 0}, exposure[] = {0, 1e-3, 7, 1e300};
    const double relative[] = {1, 2, 0.5, 1e-20};
    ldp_shape_sums sums = {0, 0};
    ldp_shape_add(&stream, 4, prior, relative, counts, exposure, &sums);
    const double logs = log1p(1e-3 / 4) + log1p(7) + log(1e300) - log(2e-20);
    CHECK_NEAR(ldexp((double)sums.logs, -LDP_SHAPE_BITS), logs, 1e-7);
    CHECK(sums.tables == 2, "tables");
    ldp_shape_add(&stream, 3, prior, NULL, counts, exposure, &sums);
    CHECK_NEAR(ldexp((double)sums.logs, -LDP_SHAPE_BITS), logs + log1p(5e-4) + log1p(3.5), 1e-7);
    CHECK(sums.tables == 4, "tables");
    CHECK(ldp_shape_is_estimated(prior) && !ldp_shape_is_estimated((ldp_gamma_prior){.shape = 1}),
          "which shapes are estimated");
}

/* Gamma(2 + 5, 3 + 4) */
static void test_draw(void) {
    const ldp_gamma_prior prior = {.shape = 0.3, .rate = 2, .shape_shape = 2, .shape_rate = 3};
    const ldp_shape_sums sums = {5, (int64_t)4 << LDP_SHAPE_BITS};
    law uniform = law_uniform();
    for (int i = 0; i < N_SHAPES; i++)
        law_see_uniform(&uniform, pgamma(ldp_shape_draw(&stream, prior, sums), 7, 1. / 7, 1, 0));
    law_check(&uniform, "shape");
    law_free(&uniform);
    const ldp_gamma_prior none = {.shape_shape = 1e-9, .shape_rate = 1};
    CHECK_NEAR(ldp_shape_draw(&stream, none, (ldp_shape_sums){0, 0}), LDP_SHAPE_LEAST, TOL_EXACT);
}

/* If the shape is drawn from its prior, and then weights given it, an update given these leaves the
 * prior as it is. */
static void check_given(int n) {
    ldp_gamma_prior prior = {.rate = 2, .shape_shape = 2, .shape_rate = 3};
    law uniform = law_uniform();
    double moved = 0;
    for (int i = 0; i < N_SHAPES; i++) {
        prior.shape = ldp_random_gamma(&stream, 2) / 3;
        double logs = 0;
        for (int j = 0; j < n; j++)
            logs += log(fmax(ldp_random_gamma(&stream, prior.shape), 1e-300));
        const double shape = ldp_shape_draw_given(&stream, prior, n, logs);
        moved += fabs(log(shape / prior.shape)) > 1e-3;
        law_see_uniform(&uniform, pgamma(shape, 2, 1. / 3, 1, 0));
    }
    law_check(&uniform, "shape given weights");
    law_free(&uniform);
    CHECK(moved > 0.9 * N_SHAPES, "only %g moved", moved);
}

int main(void) {
    check_begin();
    random_budget(37);
    set_seed(44, 1);
    stream = ldp_stream_seeded(44);
    test_tables();
    test_sums();
    test_draw();
    check_given(1);
    check_given(40);
    return check_report("shape");
}
