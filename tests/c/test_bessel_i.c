/* log I_nu(a) and I_{nu+1}(a)/I_nu(a): 80-digit values, recurrences, both sides of every switch. */
#include "check.h"
#include "ldp_bessel_i.h"
#include "ldp_debye.h"

typedef struct value {
    double nu, a, log_i, ratio;
} value;

/* Series and contour integral with 80 digits; the last rows lie where the leading term is 0. */
static const value values[] = {
    {0, 0.3, 2.2374688622041903242e-2, 1.4833742694087525726e-1},
    {0, 20, 1.7589610428244274291e+1, 9.7467050788980712590e-1},
    {0, 30000, 2.9993926589303209295e+4, 9.9998333319443981457e-1},
    {3, 300, 2.9621456262849314615e+2, 9.8838210609971264461e-1},
    {40, 20, -1.5844173874859163118e+1, 2.3115118441301776241e-1},
    {300, 0.3, -1.9840417706600110766e+3, 4.9833874708346291573e-4},
    {300, 300, 1.5590792488411674618e+2, 4.1338096705467814135e-1},
    {20000, 300, -7.7861790943152698850e+4, 7.4992032755477513510e-3},
    {20000, 30000, 2.3546445065261974089e+4, 5.3517222006954031957e-1},
    {50, 33, -3.2143557766573615335, -1},
    {1000, 663, -3.9995262858236511569, -1},
    {1000000, 662743, -8.6768143110758558737, -1},
};

static void test_values(void) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value v = values[i];
        CHECK_NEAR(ldp_log_bessel_i(v.nu, v.a), v.log_i, TOL_ROUNDING);
        if (v.ratio > 0)
            CHECK_NEAR(ldp_bessel_i_ratio(v.nu, v.a) / v.ratio, 1, TOL_ROUNDING);
    }
}

static const double nus[] = {-0.999, -0.5, 0, 1e-8, 0.5, 3, 17.5, 35, 200, 1e4, 1e6};
static const double as[] = {1e-300, 1e-20, 0.01, 1, 17, 35.9, 36.1, 84, 207, 1159, 1e5, 1e8};
enum { N_NU = sizeof nus / sizeof *nus, N_A = sizeof as / sizeof *as };

/* 1/r_nu = 2 (nu+1)/a + r_{nu+1}, and the ratio is that of neighbouring functions. */
static void test_recurrence(void) {
    for (int i = 0; i < N_NU; i++)
        for (int j = 0; j < N_A; j++) {
            const double nu = nus[i], a = as[j], r = ldp_bessel_i_ratio(nu, a);
            const double next = ldp_bessel_i_ratio(nu + 1, a);
            CHECK_NEAR(r * (nu + 1) / (a / 2) + r * next, 1, TOL_ROUNDING);
            const double step = ldp_log_bessel_i(nu + 1, a) - ldp_log_bessel_i(nu, a);
            const double size = fmax(1, fmax(fabs(ldp_log_bessel_i(nu, a)), -log(r)));
            CHECK(fabs(log(r) - step) < TOL_ROUNDING * size, "nu = %g, a = %g: %g, %g", nu, a,
                  log(r), step);
        }
}

/* The series and the expansion meet at t = 36, and expansions of different length at their
 * boundaries: the second difference of a smooth function across them is that of its own. */
static void test_boundaries(void) {
    static const double t[] = {36, 85, 206, 1160, 1e7};
    for (int i = 0; i < 5; i++)
        for (double q = 0; q < 1; q += 0.125) {
            const double nu = t[i] * sqrt(q), h = 1e-9 * t[i];
            const double a = sqrt(t[i] * t[i] * (1 - q) + 1e-12 * t[i] * t[i]);
            const double below = ldp_log_bessel_i(nu, a - 2 * h),
                         above = ldp_log_bessel_i(nu, a + 2 * h);
            const double slope = ldp_bessel_i_ratio(nu, a) + nu / a;
            const double size = fmax(1, fmax(fabs(below), nu)), change = 4 * h * slope;
            CHECK(fabs(above - below - change) < TOL_ROUNDING * size + 1e-8 * fabs(change),
                  "t = %g, q = %g: %g, should be %g", t[i], q, above - below, change);
        }
}

static void test_edges(void) {
    CHECK_NEAR(ldp_log_bessel_i(0, 0), 0, TOL_EXACT);
    CHECK(ldp_log_bessel_i(2, 0) == -INFINITY, "I_2(0) is 0");
    CHECK(ldp_log_bessel_i(-0.5, 0) == INFINITY, "I_-0.5(0) is infinite");
    CHECK_NEAR(ldp_bessel_i_ratio(2, 0), 0, TOL_EXACT);
    for (double q = 0; q <= 1; q += 0.25)
        CHECK(fabs(ldp_debye_log_sum(1e300, q)) < 1e-300, "the sum is 1 in the limit");
    CHECK_NEAR(ldp_debye_series(0.5, 0), 0, TOL_EXACT);
}

int main(void) {
    check_begin();
    test_values();
    test_recurrence();
    test_boundaries();
    test_edges();
    return check_report("bessel_i");
}
