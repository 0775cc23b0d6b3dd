/* The two-sided geometric distribution: sums, symmetry, limits, quantiles, draws. */
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
    return ldp_twogeom_quantile((ldp_probability){log_p, 0, lower}, *alpha);
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

typedef struct exact {
    double alpha, p;
    int lower;
    double q;
} exact;

/* Of 120 digits, by data-raw/quantile_reference.py: alpha = 1 - 1e-3, 1 - 1e-6, 1 - 1e-12 and
 * p = 1e-300, 0.5, 0.99999, 1 - 1e-10, 1 - 2^-53. */
static const exact exact_quantiles[] = {
    {0x1.ff7ced916872bp-1, 0x1.56e1fc2f8f359p-997, 1, -689737},
    {0x1.ff7ced916872bp-1, 0x1.56e1fc2f8f359p-997, 0, 689737},
    {0x1.ff7ced916872bp-1, 0x1.0000000000000p-1, 1, 0},
    {0x1.ff7ced916872bp-1, 0x1.0000000000000p-1, 0, 0},
    {0x1.ff7ced916872bp-1, 0x1.fffeb074a771dp-1, 1, 10814},
    {0x1.ff7ced916872bp-1, 0x1.fffeb074a771dp-1, 0, -10814},
    {0x1.ff7ced916872bp-1, 0x1.ffffffff24190p-1, 1, 22322},
    {0x1.ff7ced916872bp-1, 0x1.ffffffff24190p-1, 0, -22322},
    {0x1.ff7ced916872bp-1, 0x1.fffffffffffffp-1, 1, 36026},
    {0x1.ff7ced916872bp-1, 0x1.fffffffffffffp-1, 0, -36026},
    {0x1.ffffde7210be9p-1, 0x1.56e1fc2f8f359p-997, 1, -690082036},
    {0x1.ffffde7210be9p-1, 0x1.56e1fc2f8f359p-997, 0, 690082036},
    {0x1.ffffde7210be9p-1, 0x1.0000000000000p-1, 1, 0},
    {0x1.ffffde7210be9p-1, 0x1.0000000000000p-1, 0, 0},
    {0x1.ffffde7210be9p-1, 0x1.fffeb074a771dp-1, 1, 10819773},
    {0x1.ffffde7210be9p-1, 0x1.fffeb074a771dp-1, 0, -10819773},
    {0x1.ffffde7210be9p-1, 0x1.ffffffff24190p-1, 1, 22332692},
    {0x1.ffffde7210be9p-1, 0x1.ffffffff24190p-1, 0, -22332692},
    {0x1.ffffde7210be9p-1, 0x1.fffffffffffffp-1, 1, 36043635},
    {0x1.ffffde7210be9p-1, 0x1.fffffffffffffp-1, 0, -36043635},
    {0x1.fffffffffdcd1p-1, 0x1.56e1fc2f8f359p-997, 1, -690097646864309},
    {0x1.fffffffffdcd1p-1, 0x1.56e1fc2f8f359p-997, 0, 690097646864309},
    {0x1.fffffffffdcd1p-1, 0x1.0000000000000p-1, 1, 0},
    {0x1.fffffffffdcd1p-1, 0x1.0000000000000p-1, 0, 0},
    {0x1.fffffffffdcd1p-1, 0x1.fffeb074a771dp-1, 1, 10820017641811},
    {0x1.fffffffffdcd1p-1, 0x1.fffeb074a771dp-1, 0, -10820017641811},
    {0x1.fffffffffdcd1p-1, 0x1.ffffffff24190p-1, 1, 22333197715378},
    {0x1.fffffffffdcd1p-1, 0x1.ffffffff24190p-1, 0, -22333197715378},
    {0x1.fffffffffdcd1p-1, 0x1.fffffffffffffp-1, 1, 36044450754351},
    {0x1.fffffffffdcd1p-1, 0x1.fffffffffffffp-1, 0, -36044450754351},
};

/* Whatever the rounding of p: a value has less probability than that, or p is not next to one. */
static void test_exact_quantiles(void) {
    for (size_t i = 0; i < sizeof exact_quantiles / sizeof *exact_quantiles; i++) {
        const exact e = exact_quantiles[i];
        const ldp_probability p = {log(e.p), 0, e.lower};
        const ldp_probability rounded = {log(e.p), fmin(DBL_EPSILON, -log(e.p) / 2), e.lower};
        CHECK_NEAR(ldp_twogeom_quantile(p, e.alpha), e.q, TOL_EXACT);
        CHECK_NEAR(ldp_twogeom_quantile(rounded, e.alpha), e.q, TOL_EXACT);
    }
}

static void test_edges(void) {
    CHECK_NEAR(ldp_twogeom_log_pmf(0, 0), 0, TOL_EXACT);
    CHECK(ldp_twogeom_log_pmf(-2, 0) == -INFINITY, "0 is certain");
    CHECK_NEAR(ldp_twogeom_log_cdf(0, 1, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_twogeom_quantile((ldp_probability){-1, 0, 1}, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_rtwogeom(0), 0, TOL_EXACT);
    CHECK(ldp_twogeom_quantile((ldp_probability){0, 0, 1}, 0.5) == INFINITY, "highest");
    CHECK(ldp_twogeom_quantile((ldp_probability){0, 0, 0}, 0.5) == -INFINITY, "lowest");
    const double near_one = 1 - DBL_EPSILON / 2; /* quantiles beyond 2^53 */
    const double far = ldp_twogeom_quantile((ldp_probability){-1e4, 0, 0}, near_one);
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
    test_exact_quantiles();
    test_edges();
    check_draws(0.01);
    check_draws(0.37);
    check_draws(0.94);
    random_budget_kept();
    return check_report("twogeom");
}
