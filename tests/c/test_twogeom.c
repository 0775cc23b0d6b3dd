/* The two-sided geometric law: sums, symmetry, limits, quantiles, draws. */
#include <float.h>

#include "cdf.h"
#include "check.h"
#include "ldp_twogeom.h"
#include "random.h"

static double log_pmf(double t, const double *alpha) {
    return ldp_twogeom_log_pmf(t, *alpha);
}

static double log_cdf(double t, int lower, const double *alpha) {
    return ldp_twogeom_log_cdf(t, lower, *alpha);
}

static double quantile(double log_p, int lower, const double *alpha) {
    return ldp_twogeom_quantile(log_p, lower, *alpha);
}

static const law_functions functions = {log_pmf, log_cdf, quantile};

static void test_sums_and_quantiles(void) {
    static const double alphas[] = {1e-300, 1e-8, 0.2, 0.75, 0.97};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        check_cdf(functions, &alphas[i], -1200, 1200);
        for (double t = -600; t <= 600; t++)
            check_quantile(functions, &alphas[i], t);
    }
}

static void test_edges(void) {
    CHECK_NEAR(ldp_twogeom_log_pmf(0, 0), 0, TOL_EXACT);
    CHECK(ldp_twogeom_log_pmf(-2, 0) == -INFINITY, "0 is certain");
    CHECK_NEAR(ldp_twogeom_log_cdf(0, 1, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_twogeom_quantile(-1, 1, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_rtwogeom(0), 0, TOL_EXACT);
    CHECK(ldp_twogeom_quantile(0, 1, 0.5) == INFINITY, "highest");
    CHECK(ldp_twogeom_quantile(0, 0, 0.5) == -INFINITY, "lowest");
    const double near_one = 1 - DBL_EPSILON / 2; /* quantiles beyond 2^53 */
    const double far = ldp_twogeom_quantile(-1e4, 0, near_one);
    CHECK_NEAR(far / (1e4 - log(2)) * (DBL_EPSILON / 2), 1, TOL_SERIES);
    CHECK_NEAR(ldp_twogeom_log_cdf(-5, 1, 0.5), -5 * log(2) - log(1.5), TOL_ROUNDING);
}

static void check_draws(double alpha) {
    char name[80];
    snprintf(name, sizeof name, "2Geo(%g)", alpha);
    law l = law_new(-800, 1601);
    for (int i = 0; i < l.n; i++)
        l.p[i] = exp(ldp_twogeom_log_pmf(i - 800, alpha));
    for (int i = 0; i < 200000; i++)
        law_see(&l, ldp_rtwogeom(alpha));
    law_check(&l, name);
    law_free(&l);
}

int main(void) {
    check_begin();
    random_budget(3);
    set_seed(41, 1);
    test_sums_and_quantiles();
    test_edges();
    check_draws(0.01);
    check_draws(0.37);
    check_draws(0.94);
    random_budget_kept();
    return check_report("twogeom");
}
