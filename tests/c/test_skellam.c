/* The Skellam distribution: 80-digit values, sums, symmetry, limits, quantiles, draws. */
#include "cdf.h"
#include "check.h"
#include "ldp_skellam.h"
#include "random.h"

typedef struct value {
    double l1, l2, k, log_pmf, log_lower, log_upper;
} value;

/* Summed outward with 80 digits; rates stand for the doubles nearest to them. */
static const value values[] = {
    {0.0001, 0.0001, 0, -1.9999000000002500958e-4, -9.9990000500008335208e-5,
     -9.2104903665595993590},
    {0.0001, 0.3, 1, -9.5104253720136824896, -3.7038812183930141366e-9, -1.9413884590997031851e+1},
    {0.0001, 3, 4, -4.3019455318552672944e+1, -4.1487840680583002881e-24,
     -5.3839226936194702932e+1},
    {0.0001, 50, -1, -4.6085578035371332169e+1, -1.9384051756139209388e-22,
     -4.9995006485308064985e+1},
    {0.3, 0.0001, 4, -8.2940390476546897236, -1.5783665017403621648e-5, -1.1056542904213014627e+1},
};

static void test_values(void) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value v = values[i];
        CHECK_NEAR(ldp_skellam_log_pmf(v.k, v.l1, v.l2), v.log_pmf, TOL_ROUNDING);
        CHECK_NEAR(ldp_skellam_log_cdf(v.k, 1, v.l1, v.l2), v.log_lower, TOL_SERIES);
        CHECK_NEAR(ldp_skellam_log_cdf(v.k, 0, v.l1, v.l2), v.log_upper, TOL_SERIES);
    }
}

typedef struct tails {
    double l1, l2, k, log_lower, log_upper;
} tails;

/* One tail is next to 1; by data-raw/quantile_reference.py. */
static const tails small_rates[] = {
    {1e-14, 1e-15, -1, -34.538776394910695683, -9.9999999999999007771e-16},
    {1e-14, 1e-15, 0, -9.9999999999999899882e-15, -32.236191301916645577},
    {1e-10, 1e-20, -1, -46.051701859980913735, -9.9999999989999994516e-21},
    {1e-10, 1e-20, 0, -1.0000000000000000364e-10, -23.025850929990456804},
    {1e-10, 2e-11, -1, -24.635288842484557275, -1.999999999799999879e-11},
    {1e-10, 2e-11, 0, -9.9999999998000003643e-11, -23.025850930010456804},
    {1e-5, 1e-7, -1, -16.118105700957819417, -9.9999000004999979058e-8},
    {1e-5, 1e-7, 0, -9.9999990000000508183e-6, -11.512930564965561672},
};

static void test_small_rates(void) {
    for (size_t i = 0; i < sizeof small_rates / sizeof *small_rates; i++) {
        const tails v = small_rates[i];
        for (int lower = 0; lower <= 1; lower++) {
            const double reference = lower ? v.log_lower : v.log_upper;
            CHECK_NEAR(ldp_skellam_log_cdf(v.k, lower, v.l1, v.l2) / reference, 1, TOL_SERIES);
        }
    }
}

static double log_pmf(double k, const double *l) {
    return ldp_skellam_log_pmf(k, l[0], l[1]);
}

static double log_cdf(double k, int lower, const double *l) {
    return ldp_skellam_log_cdf(k, lower, l[0], l[1]);
}

static double quantile(double log_p, int lower, const double *l) {
    return ldp_skellam_quantile((ldp_probability){log_p, 0, lower}, l[0], l[1]);
}

static const law_functions functions = {log_pmf, log_cdf, quantile};

static void test_sums_and_quantiles(void) {
    static const double rates[][2] = {{1e-5, 1e-3}, {0.3, 2},   {7, 7},
                                      {60, 0.01},   {0.01, 60}, {200, 90}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        const double *const l = rates[i], sd = sqrt(l[0] + l[1]);
        const double lowest = floor(l[0] - l[1] - 12 * sd - 15),
                     highest = 2 * (l[0] - l[1]) - lowest;
        check_cdf(functions, l, lowest, floor(highest));
        for (double k = lowest; k <= highest; k++)
            check_quantile(functions, l, k);
    }
}

static void test_mirror(void) {
    for (double k = -400; k <= 400; k += 13) {
        CHECK_NEAR(ldp_skellam_log_pmf(k, 80, 3), ldp_skellam_log_pmf(-k, 3, 80), TOL_EXACT);
        CHECK_NEAR(ldp_skellam_log_cdf(k, 1, 80, 3), ldp_skellam_log_cdf(-k - 1, 0, 3, 80),
                   TOL_EXACT);
    }
}

static void test_limits(void) {
    for (double k = 0; k < 40; k++) {
        CHECK_NEAR(ldp_skellam_log_pmf(k, 9, 0), dpois(k, 9, 1), TOL_ROUNDING);
        CHECK_NEAR(ldp_skellam_log_pmf(k, 9, 1e-300), dpois(k, 9, 1), TOL_ROUNDING);
        CHECK_NEAR(ldp_skellam_log_cdf(k, 0, 9, 0), ppois(k, 9, 0, 1), TOL_SERIES);
        CHECK_NEAR(ldp_skellam_log_cdf(-k, 1, 0, 9), ppois(k - 1, 9, 0, 1), TOL_SERIES);
    }
    CHECK_NEAR(ldp_skellam_log_pmf(0, 0, 0), 0, TOL_EXACT);
    CHECK(ldp_skellam_log_pmf(1, 0, 3) == -INFINITY, "no value above 0");
    CHECK_NEAR(ldp_skellam_quantile((ldp_probability){-3, 0, 1}, 0, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_skellam_quantile((ldp_probability){0, 0, 1}, 0, 4), 0, TOL_EXACT);
    CHECK(ldp_skellam_quantile((ldp_probability){-INFINITY, 0, 1}, 0, 4) == -INFINITY, "lowest");
    CHECK(ldp_skellam_quantile((ldp_probability){0, 0, 1}, 4, 0) == INFINITY, "highest");
}

static void check_draws(double l1, double l2) {
    char name[80];
    snprintf(name, sizeof name, "Skellam(%g, %g)", l1, l2);
    const double sd = sqrt(l1 + l2), lowest = floor(l1 - l2 - 12 * sd - 20);
    law l = law_new(lowest, (int)(24 * sd + 42));
    for (int i = 0; i < l.n; i++)
        l.p[i] = exp(ldp_skellam_log_pmf(lowest + i, l1, l2));
    for (int i = 0; i < 200000; i++)
        law_see(&l, ldp_rskellam(l1, l2));
    law_check(&l, name);
    law_free(&l);
}

int main(void) {
    check_begin();
    random_budget(3);
    set_seed(40, 1);
    test_values();
    test_small_rates();
    test_sums_and_quantiles();
    test_mirror();
    test_limits();
    check_draws(0.3, 0.1);
    check_draws(4, 90);
    check_draws(2000, 1500);
    random_budget_kept();
    return check_report("skellam");
}
