/* The Bessel distribution: 80-digit values, sums, quantiles; draws against the pmf normalised term
 * by term.
 */
#include "cdf.h"
#include "check.h"
#include "ldp_bessel.h"
#include "random.h"

/* log of (a/2)^(2m+nu) / (m! Gamma(m+nu+1)), from its peak outward as far as it matters. */
static law bessel_law(double nu, double a) {
    const double l1 = (hypot(nu, a) + nu) / 2, peak = a * a / (4 * l1);
    const double lowest = floor(fmax(0, peak - 60 - 12 * sqrt(peak)));
    law l = law_new(lowest, (int)(peak + 60 + 12 * sqrt(peak) - lowest));
    for (int i = 0; i < l.n; i++) {
        const double m = lowest + i;
        l.p[i] = (2 * m + nu) * log(a / 2) - lgammafn(m + 1) - lgammafn(m + nu + 1);
    }
    law_normalise(&l);
    return l;
}

static void check_law(double nu, double a, int n) {
    char name[120];
    snprintf(name, sizeof name, "Bessel(%g, %g)", nu, a);
    law l = bessel_law(nu, a);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_rbessel(nu, a));
    law_check(&l, name);
    law_free(&l);
}

static void check_table_law(double nu, double a, int n) {
    char name[120];
    snprintf(name, sizeof name, "table of Bessel(%g, %g)", nu, a);
    ldp_bessel_table table;
    CHECK(ldp_bessel_tabulate(&table, nu, a), "%s does not fit", name);
    law l = bessel_law(nu, a);
    ldp_stream stream = ldp_stream_open();
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_bessel_look_up(&table, &stream));
    law_check(&l, name);
    law_free(&l);
}

typedef struct value {
    double nu, a, m, log_pmf, log_lower, log_upper;
} value;

/* Summed outward with 80 digits; parameters stand for the doubles nearest to them. */
static const value values[] = {
    {0, 1e-05, 2, -5.0210584943265585210e+1, -4.3402777776760546477e-34, -7.6819954811660589388e+1},
    {0, 2, 7, -1.7874316263613784883e+1, -2.7320292121990949215e-10, -2.2020806295819862119e+1},
    {0, 30, 20, -3.7339263105905032694, -2.1953812123890787555e-2, -3.8297713055350037346},
    {0, 300, 151, -3.0925001484102087077, -5.3834120852489764231e-1, -8.7638686844937905561e-1},
    {0, 30000, 14827, -7.3716646337073287784, -3.7638505173275161758, -2.3467478147842335863e-2},
    {3, 0.3, 0, -5.6218398863913652452e-3, -5.6218398863913652452e-3, -5.1839058897991878192},
    {3, 30, 0, -2.0899853149970536853e+1, -2.0899853149970536853e+1, -8.3812559703112321778e-10},
    {3, 300, 0, -2.8297441621543243390e+2, -2.8297441621543243390e+2, -1.2757703890377148506e-123},
    {3, 30000, 15171, -7.3679045500870072040, -2.3142836744718294986e-2, -3.7776190763912863178},
    {40, 0.3, 10, -9.1204488284711406221e+1, -9.8543805572415361323e-45, -1.0132841310178612706e+2},
    {40, 30, 6, -1.8935876668936946572, -2.4381549459468164416e-1, -1.5307755661120578716},
    {40, 300, 130, -3.0777288360503051524, -7.4023038660339423571e-1, -6.4818147752354343559e-1},
    {3000, 1e-05, 10, -3.3930785314189358050e+2, -3.2984376725109639286e-163,
     -3.7412792123423403148e+2},
    {3000, 30, 0, -7.4974072110576896798e-2, -7.4974072110576896798e-2, -2.6278657644547019939},
    {3000, 300, 13, -3.8768818647281926290, -2.1203392175365700348e-2, -3.8641770653300370476},
    {3000, 30000, 13574, -5.3777851765144255463, -6.9297859271875559748e-1,
     -6.9331579682778767370e-1},
    {0.25, 0.3, 2, -9.3336294147710534117, -2.0427212632274039534e-7, -1.5403812881600088636e+1},
    {0.25, 30, 2, -1.7503377505769925127e+1, -1.7483465951944581561e+1, -2.5528612903753572472e-8},
    {0.25, 300, 2, -2.7656323236385979497e+2, -2.7656303237274823943e+2,
     -7.7660671623810150785e-121},
};

static void check_values(void) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value v = values[i];
        CHECK_NEAR(ldp_bessel_log_pmf(v.m, v.nu, v.a), v.log_pmf, TOL_ROUNDING);
        CHECK_NEAR(ldp_bessel_log_cdf(v.m, 1, v.nu, v.a), v.log_lower, TOL_SERIES);
        CHECK_NEAR(ldp_bessel_log_cdf(v.m, 0, v.nu, v.a), v.log_upper, TOL_SERIES);
    }
}

static double log_pmf(double m, const double *theta) {
    return ldp_bessel_log_pmf(m, theta[0], theta[1]);
}

static double log_cdf(double m, int lower, const double *theta) {
    return ldp_bessel_log_cdf(m, lower, theta[0], theta[1]);
}

static double quantile(double log_p, int lower, const double *theta) {
    return ldp_bessel_quantile((ldp_probability){log_p, 0, lower}, theta[0], theta[1]);
}

static void check_sums_and_quantiles(void) {
    static const law_functions functions = {log_pmf, log_cdf, quantile};
    static const double thetas[][2] = {{-0.99, 1e-3}, {-0.3, 40}, {0, 5}, {2.5, 300}, {1e4, 90}};
    for (size_t i = 0; i < sizeof thetas / sizeof *thetas; i++) {
        check_cdf(functions, thetas[i], 0, 320);
        for (double m = 0; m <= 320; m++)
            check_quantile(functions, thetas[i], m);
    }
    CHECK_NEAR(ldp_bessel_quantile((ldp_probability){-1, 0, 1}, 3, 0), 0, TOL_EXACT);
    CHECK_NEAR(ldp_bessel_log_pmf(0, 3, 0), 0, TOL_EXACT);
    CHECK(ldp_bessel_log_pmf(-1, 3, 2) == -INFINITY, "no value below 0");
    CHECK_NEAR(ldp_bessel_log_pmf(1, 1e6, 1e-300), 2 * log(0.5e-300) - log(1e6 + 1), TOL_ROUNDING);
}

/* What makes the ratio of uniforms exact: its rectangle covers, and not by far. */
static void check_rectangle(double nu, double a) {
    const double t = hypot(nu, a), n2 = a * (a / (2 * (t + nu))), v = n2 * ((t + nu) / (2 * t));
    const double s = sqrt(2 / M_E * v) + 0.54, mode = floor(n2);
    const double log_mode = ldp_bessel_log_pmf(mode, nu, a), reach = 20 + 8 * sqrt(v);
    double widest = 0;
    for (double m = fmax(0, floor(mode - reach)); m < mode + reach; m++) {
        const double farther = fmax(fabs(m - n2), fabs(m + 1 - n2));
        widest = fmax(widest, farther * exp((ldp_bessel_log_pmf(m, nu, a) - log_mode) / 2));
    }
    CHECK(widest <= s && widest > 0.85 * s, "Bessel(%g, %g): rectangle of %g for %g", nu, a, s,
          widest);
}

static void check_rectangles(void) {
    static const double nus[] = {-0.99, -0.5, 0, 0.3, 1, 5, 30, 1e3, 1e6};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++)
        for (double v = 4.0001; v < 1e5; v *= 1.037) {
            const double t = 2 * v + sqrt(4 * v * v + nus[i] * nus[i]);
            check_rectangle(nus[i], 2 * sqrt(v * t));
        }
}

static void check_table(double nu, double a) {
    ldp_bessel_table table;
    CHECK(ldp_bessel_tabulate(&table, nu, a), "Bessel(%g, %g) does not fit", nu, a);
    const double lowest = table.lowest, highest = lowest + table.n - 1;
    for (int i = 0; i < table.n; i++) {
        const double lower = exp(ldp_bessel_log_cdf(lowest + i, 1, nu, a));
        CHECK_NEAR(table.cdf[i], lower, TOL_ROUNDING);
        CHECK(i == 0 || table.cdf[i] >= table.cdf[i - 1], "falls at %d", i);
    }
    CHECK_NEAR(table.cdf[table.n - 1], 1, TOL_EXACT);
    CHECK(lowest >= 0 && ldp_bessel_log_cdf(lowest - 1, 1, nu, a) < log(1e-18), "the lowest is %g",
          lowest);
    CHECK(ldp_bessel_log_cdf(highest, 0, nu, a) < log(1e-18), "the highest is %g", highest);
    for (int g = 0; g < LDP_BESSEL_TABLE_GUIDE; g++) {
        const int i = table.guide[g];
        const double u = (double)g / LDP_BESSEL_TABLE_GUIDE;
        CHECK(table.cdf[i] > u && (i == 0 || table.cdf[i - 1] <= u), "guide[%d] = %d", g, i);
    }
}

static void check_tables(void) {
    static const double nus[] = {-0.99, -0.5, 0, 0.3, 7, 1e3, 1e6};
    static const double as[] = {1e-300, 1e-3, 0.1, 1, 10, 100, 1000, 1999.9, 2000};
    ldp_bessel_table table;
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++)
        for (size_t j = 0; j < sizeof as / sizeof *as; j++)
            check_table(nus[i], as[j]);
    check_table(1e6, 4.4e4); /* nearly Poisson(484) */
    CHECK(!ldp_bessel_tabulate(&table, 0, 0), "a = 0 is no table");
    CHECK(!ldp_bessel_tabulate(&table, 0, 2001), "2001 is beyond");
    CHECK(!ldp_bessel_tabulate(&table, 0, 1e300), "1e300 is beyond");
    CHECK(!ldp_bessel_tabulate(&table, 1e6, 1e6), "1e6 is beyond");
}

/* The first value whose cdf lies above the uniform, to the last bit; the last value where none
 * does. */
static void check_look_up(void) {
    for (uint64_t seed = 1; seed <= 50; seed++) {
        ldp_stream stream = ldp_stream_seeded(seed);
        const double u = ldp_stream_uniform(&stream);
        const double firsts[] = {u, nextafter(u, 1)}, seconds[] = {1, u};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                const ldp_bessel_table table = {
                    .lowest = 3, .n = 2, .cdf = {firsts[i], fmax(firsts[i], seconds[j])}};
                ldp_stream again = ldp_stream_seeded(seed);
                CHECK_NEAR(ldp_bessel_look_up(&table, &again), i == 0 ? 4 : 3, TOL_EXACT);
            }
    }
}

static void check_edges(void) {
    static const double nus[] = {0, 1, 5, 50, 1e6};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        CHECK_NEAR(ldp_rbessel(nus[i], 0), 0, TOL_EXACT);
        CHECK_NEAR(ldp_rbessel(nus[i], 1e-300), 0, TOL_EXACT); /* P(m > 0) is 1e-600 */
        const double m = ldp_rbessel(nus[i], 1e9);
        CHECK(m >= 0 && m == floor(m) && fabs(m - 5e8) < 2e6, "m = %g", m);
    }
}

/* P(m > 0) is about (a/2)^2/(nu + 1), below 1e-12 for all of these: every draw is 0. A sum
 * sqrt(nu^2 + a^2) + nu loses its digits here. */
static void check_small_negative_order(void) {
    static const double nus[] = {-0.01, -0.5, -0.9, -0.99};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        int n_wrong = 0;
        double last_wrong = 0;
        for (double a = 1e-300; a < 2e-7; a *= a < 1e-12 ? 1e8 : 1.2)
            for (int j = 0; j < 100; j++)
                if (ldp_rbessel(nus[i], a) != 0) {
                    n_wrong++;
                    last_wrong = a;
                }
        CHECK(n_wrong == 0, "nu = %g: %d draws are not 0, at a up to %g", nus[i], n_wrong,
              last_wrong);
    }
}

int main(void) {
    static const double nus[] = {0, 1, 5, 50, -0.5};
    static const double as[] = {0.3, 2, 20, 300};
    check_begin();
    random_budget(30);
    set_seed(20, 1);
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++)
        for (size_t j = 0; j < sizeof as / sizeof *as; j++)
            check_law(nus[i], as[j], as[j] < 1 && nus[i] == 50 ? 2000000 : check_some(300000));
    check_law(
        0, 2e4,
        check_some(
            300000)); /* ratios of Poisson terms: draws are often more than 24 from the mode */
    check_law(1000, 3000, check_some(300000));
    check_law(-0.99, 1, check_some(300000));
    check_law(0, 15.9, check_some(1000000)); /* the longest series, and the smallest rectangles */
    check_law(0, 16.1, check_some(1000000));
    check_law(1e4, 410, check_some(1000000));
    check_table_law(0, 0.3, check_some(1000000));
    check_table_law(-0.5, 20, check_some(1000000));
    check_table_law(40, 2000, check_some(1000000));
    check_table_law(1e4, 4000, check_some(1000000));
    check_rectangles();
    check_tables();
    check_look_up();
    check_values();
    check_sums_and_quantiles();
    check_edges();
    check_small_negative_order();
    random_budget_kept();
    return check_report("bessel");
}
