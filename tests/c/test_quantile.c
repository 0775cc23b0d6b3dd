/* The search for quantiles: its definition, the rounding of p, the number of its steps. */
#include <float.h>

#include <Rmath.h>

#include "check.h"
#include "ldp_poisson.h"
#include "ldp_quantile.h"
#include "ldp_skellam.h"
#include "ldp_twogeom.h"

static int n_steps;

static double twogeom(double x, int lower, const double *alpha) {
    n_steps++;
    return ldp_twogeom_log_cdf(x, lower, *alpha);
}

static double poisson(double x, int lower, const double *mu) {
    n_steps++;
    return ldp_poisson_log_cdf(x, *mu, lower);
}

static double skellam(double x, int lower, const double *rates) {
    n_steps++;
    return ldp_skellam_log_cdf(x, lower, rates[0], rates[1]);
}

/* All mass is at *where. */
static double jump(double x, int lower, const double *where) {
    n_steps++;
    return (x >= *where) == (lower != 0) ? 0 : -INFINITY;
}

/* No distribution at all. */
static double nonsense(double x, int lower, const double *theta) {
    n_steps++;
    return x > 0 && lower ? *theta : NAN;
}

static ldp_probability as_log(double log_p, int lower) {
    return (ldp_probability){log_p, 0, lower};
}

static double before(double x) {
    return fmin(x - 1, nextafter(x, -INFINITY));
}

static int is_enough(const ldp_quantile_law *law, double x, ldp_probability p) {
    const double log_tail = law->log_cdf(x, p.lower, law->theta);
    return p.lower ? log_tail >= p.log_p : log_tail <= p.log_p;
}

/* Not the smallest x, but the one before it, only where p is its probability but for rounding. */
static void check_definition(const ldp_quantile_law *law, ldp_probability p) {
    const double q = ldp_quantile(law, p);
    const double rounding = p.rounding + 4 * DBL_EPSILON * fabs(p.log_p);
    CHECK(isfinite(q), "log p = %g, lower = %d: %g", p.log_p, p.lower, q);
    CHECK(!is_enough(law, before(q), p), "log p = %g, lower = %d: %g is too large", p.log_p,
          p.lower, q);
    if (!is_enough(law, q, p)) {
        const double off = fabs(law->log_cdf(q, p.lower, law->theta) - p.log_p);
        const double mass =
            fabs(law->log_cdf(q + 1, p.lower, law->theta) - law->log_cdf(q, p.lower, law->theta));
        CHECK(off <= rounding && mass >= LDP_IDENTIFIES * rounding,
              "log p = %g, lower = %d: %g is too small", p.log_p, p.lower, q);
    }
}

/* Next to 1, anywhere, next to 0 */
static double random_log_p(void) {
    const double u = unif_rand(), v = unif_rand();
    return u < 0.4 ? -pow(10, -15 * v) : u < 0.7 ? log(v) : -700 * v;
}

static double random_rate(void) {
    return pow(10, -2 + 7 * unif_rand());
}

static ldp_quantile_law skellam_law(const double *rates) {
    return (ldp_quantile_law){skellam, rates, -INFINITY, rates[0] - rates[1],
                              sqrt(rates[0] + rates[1])};
}

static void test_definition(void) {
    for (int i = 0; i < 3000; i++) {
        const double alpha = 1 - pow(10, -13 * unif_rand());
        const ldp_quantile_law noise = {twogeom, &alpha, -INFINITY, 0, 1 / (1 - alpha)};
        const double rounding = unif_rand() < 0.5 ? 0 : DBL_EPSILON;
        check_definition(&noise, (ldp_probability){random_log_p(), rounding, i % 2});
    }
    for (int i = 0; i < 300; i++) {
        const double rates[] = {random_rate(), random_rate()};
        const ldp_quantile_law law = skellam_law(rates);
        check_definition(&law, as_log(random_log_p(), i % 2));
    }
}

/* Where doubles are further apart than whole numbers are. The search must neither stop short of
 * the answer nor run off to infinity, from a start nearby or far away. */
static void test_beyond_doubles(void) {
    static const double mus[] = {1e16, 1e18, 1e20, 1e25, 1e30};
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++)
        for (int j = 0; j < (check_extended() ? 20 : 6); j++) {
            const double mu = mus[i], sd = sqrt(mu);
            const ldp_quantile_law near = {poisson, &mu, 0, mu, sd}, far = {poisson, &mu, 0, 0, 0};
            const ldp_probability p = as_log(log(unif_rand()), j % 2);
            check_definition(&near, p);
            check_definition(&far, p);
        }
}

/* With alpha = 1/2 values have much mass; with alpha = 1 - 1e-12 they have less at p = 1 - 1e-10
 * than the rounding of p. */
static void test_rounding(void) {
    const double half = 0.5, unit = DBL_EPSILON;
    const ldp_quantile_law coarse = {twogeom, &half, -INFINITY, 0, 1};
    for (double x = -40; x <= 8; x++) {
        const double log_p = ldp_twogeom_log_cdf(x, 1, half), last = 4 * unit * fabs(log_p);
        CHECK_NEAR(ldp_quantile(&coarse, (ldp_probability){log_p, unit, 1}), x, TOL_EXACT);
        CHECK_NEAR(ldp_quantile(&coarse, (ldp_probability){log_p + unit, unit, 1}), x, TOL_EXACT);
        CHECK_NEAR(ldp_quantile(&coarse, (ldp_probability){log_p - unit, unit, 1}), x, TOL_EXACT);
        const ldp_probability beyond = {log_p + 2 * (unit + last), unit, 1};
        CHECK_NEAR(ldp_quantile(&coarse, beyond), x + 1, TOL_EXACT);
        const double log_upper = ldp_twogeom_log_cdf(-x, 0, half);
        const ldp_probability upper = {log_upper - unit, unit, 0};
        CHECK_NEAR(ldp_quantile(&coarse, upper), -x, TOL_EXACT);
    }
    const double near_one = 1 - 1e-12, log_p = log(0.9999999999);
    const ldp_quantile_law fine = {twogeom, &near_one, -INFINITY, 0, 1e12};
    const double exact = ldp_quantile(&fine, as_log(log_p, 1));
    CHECK_NEAR(ldp_quantile(&fine, (ldp_probability){log_p, unit, 1}), exact, TOL_EXACT);
}

static void test_ends(void) {
    const double mu = 3;
    const ldp_quantile_law counts = {poisson, &mu, 0, mu, 2};
    CHECK_NEAR(ldp_quantile(&counts, as_log(-INFINITY, 1)), 0, TOL_EXACT);
    CHECK_NEAR(ldp_quantile(&counts, as_log(0, 0)), 0, TOL_EXACT);
    CHECK_NEAR(ldp_quantile(&counts, as_log(-1e5, 1)), 0, TOL_EXACT);
    CHECK_NEAR(ldp_quantile(&counts, as_log(-3, 1)), 0, TOL_EXACT); /* P(X <= 0) itself */
    CHECK_NEAR(ldp_quantile(&counts, as_log(-3 + 1e-14, 1)), 1, TOL_EXACT);
    CHECK(ldp_quantile(&counts, as_log(0, 1)) == INFINITY, "highest");
    CHECK(ldp_quantile(&counts, as_log(-INFINITY, 0)) == INFINITY, "highest");
    const double nowhere = INFINITY;
    const ldp_quantile_law none = {jump, &nowhere, -INFINITY, 0, 1};
    CHECK(ldp_quantile(&none, as_log(-1, 1)) == INFINITY, "beyond all doubles");
    const double below_all = -INFINITY;
    const ldp_quantile_law all = {jump, &below_all, -INFINITY, 0, 1};
    CHECK(ldp_quantile(&all, as_log(-1, 1)) == -INFINITY, "below all doubles");
}

static int steps(const ldp_quantile_law *law, ldp_probability p) {
    n_steps = 0;
    ldp_quantile(law, p);
    return n_steps;
}

/* Usual distributions take few steps; what no distribution is like still keeps to the bound. */
static void test_steps(void) {
    int most = 0;
    double total = 0;
    for (int i = 0; i < 500; i++) {
        const double rates[] = {random_rate(), random_rate()};
        const ldp_quantile_law law = skellam_law(rates);
        const int n = steps(&law, as_log(random_log_p(), i % 2));
        most = n > most ? n : most;
        total += n;
    }
    CHECK(most <= 20, "%d steps", most);
    CHECK(total / 500 <= 5, "%g steps on average", total / 500);
    static const double places[] = {-1e307, -1e300, -1e17, -3, 0, 7, 1e17, 1e300, 1e307, INFINITY};
    static const double starts[] = {-INFINITY, -1e308, -1e100, 0, 1e16, 1e308, INFINITY, NAN};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t j = 0; j < sizeof starts / sizeof *starts; j++) {
            const ldp_quantile_law law = {jump, &places[i], -INFINITY, starts[j], 0};
            const ldp_quantile_law no_law = {nonsense, &places[i], -INFINITY, starts[j], 0};
            for (int lower = 0; lower <= 1; lower++) {
                CHECK(steps(&law, as_log(-1, lower)) <= LDP_QUANTILE_MOST_STEPS, "%d", n_steps);
                CHECK(steps(&no_law, as_log(-1, lower)) <= LDP_QUANTILE_MOST_STEPS, "%d", n_steps);
                CHECK_NEAR(ldp_quantile(&law, as_log(-1, lower)), places[i], TOL_EXACT);
            }
        }
}

int main(void) {
    check_begin();
    set_seed(45, 1);
    test_definition();
    test_beyond_doubles();
    test_rounding();
    test_ends();
    test_steps();
    return check_report("quantile");
}
