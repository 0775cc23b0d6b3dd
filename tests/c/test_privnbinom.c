/* The distributions of overdispersed counts: the negative binomial distribution itself, that of a
 * release and of the truth behind one, against sums over all terms; draws on every shape of the
 * distribution. */
#include <Rmath.h>

#include "cdf.h"
#include "check.h"
#include "ldp_nbinom.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_rtruenbinom.h"
#include "ldp_truecount.h"
#include "ldp_truenbinom.h"
#include "random.h"

/* theta = (mu, excess, alpha), and k for the truth */
static double priv_log_pmf(double k, const double *theta) {
    return ldp_privnbinom_log_pmf(k, theta[0], theta[1], theta[2]);
}

static double priv_log_cdf(double k, int lower, const double *theta) {
    return ldp_privnbinom_log_cdf(k, lower, theta[0], theta[1], theta[2]);
}

static double priv_quantile(double log_p, int lower, const double *theta) {
    return ldp_privnbinom_quantile((ldp_probability){log_p, 0, lower}, theta[0], theta[1],
                                   theta[2]);
}

static double true_log_pmf(double y, const double *theta) {
    return ldp_truenbinom_log_pmf(y, theta[3], theta[0], theta[1], theta[2]);
}

static double true_log_cdf(double y, int lower, const double *theta) {
    return ldp_truenbinom_log_cdf(y, lower, theta[3], theta[0], theta[1], theta[2]);
}

static double true_quantile(double log_p, int lower, const double *theta) {
    return ldp_truenbinom_quantile((ldp_probability){log_p, 0, lower}, theta[3], theta[0], theta[1],
                                   theta[2]);
}

/* p = excess/(1 + excess) below, at and above alpha; sizes below and above 1 */
static const double thetas[][4] = {
    {1e-8, 0.5, 0.4, 3}, {0.5, 4, 1e-6, 2},   {7, 0.25, 0.9, 30}, {60, 1, 0.3, 40},
    {0.2, 1, 0.5, 100},  {0.2, 3, 0.6, 100},  {5, 1, 0.5, 120},   {9, 4, 0.7, 1},
    {0.01, 1, 0.9, 150}, {40, 0.01, 0.2, 80}, {3, 3, 0.75, 60},
};
enum { N_THETA = sizeof thetas / sizeof *thetas };

static void test_tails(void) {
    static const law_functions priv = {priv_log_pmf, priv_log_cdf, priv_quantile};
    static const law_functions truth = {true_log_pmf, true_log_cdf, true_quantile};
    for (int i = 0; i < N_THETA; i++) {
        check_cdf(priv, thetas[i], -350, 500);
        check_cdf(truth, thetas[i], 0, 400);
        for (double k = -100; k <= 200; k += 3)
            check_quantile(priv, thetas[i], k);
        for (double y = 0; y <= 200; y += 3)
            check_quantile(truth, thetas[i], y);
    }
}

/* sum_y NB(y) (1-al)/(1+al) al^|k-y| as it stands, and the moments of y */
typedef struct sums {
    double log_pmf, mean, var;
} sums;

static sums by_definition(double k, const double *theta) {
    const double mu = theta[0], excess = theta[1], alpha = theta[2];
    enum { N = 3000 };
    double log_weight[N], largest = -INFINITY, sum = 0, first = 0, second = 0, log_term = 0;
    log_term = -mu / excess * log1p(excess);
    for (int y = 0; y < N; y++) {
        log_weight[y] = log_term + fabs(k - y) * log(alpha);
        largest = fmax(largest, log_weight[y]);
        log_term += log((mu + y * excess) / (1 + excess)) - log(y + 1.0);
    }
    for (int y = 0; y < N; y++) {
        const double weight = exp(log_weight[y] - largest);
        sum += weight;
        first += weight * y;
        second += weight * y * y;
    }
    const double mean = first / sum;
    const sums s = {largest + log(sum) + log1p(-alpha) - log1p(alpha), mean,
                    second / sum - mean * mean};
    return s;
}

static void test_definition(void) {
    static const double ks[] = {-30, -1, 0, 1, 2, 8, 25, 120, 900};
    for (int i = 0; i < N_THETA; i++)
        for (size_t j = 0; j < sizeof ks / sizeof *ks; j++) {
            const double *const t = thetas[i], k = ks[j];
            const sums s = by_definition(k, t);
            CHECK_NEAR(ldp_privnbinom_log_pmf(k, t[0], t[1], t[2]), s.log_pmf, TOL_SERIES);
            CHECK_NEAR(ldp_truenbinom_mean(k, t[0], t[1], t[2]), s.mean, TOL_SERIES);
            CHECK_NEAR(ldp_truenbinom_var(k, t[0], t[1], t[2]), s.var, TOL_DIFFERENCE);
        }
}

/* Terms of a run summed here one by one, however many there are. */
static void check_sum(ldp_nbinom_run run, const ldp_nbinom_terms *w) {
    double term = 1, sum = 0, first = 0, second = 0;
    for (double y = run.from, j = 0; run.way * (run.to - y) >= 0 && (j < 1e4 || term > 1e-25);
         j++, y += run.way) {
        sum += term;
        first += term * j;
        second += term * j * j;
        term *= run.way > 0 ? (w->first + y * w->x) / (y + 1) : y / (w->first + (y - 1) * w->x);
    }
    const ldp_nbinom_sums s = ldp_nbinom_sum(run, w, 1);
    CHECK_NEAR(s.sum / sum, 1, 1e4 * TOL_ROUNDING); /* of the million products above */
    CHECK_NEAR(s.first / first, 1, 1e4 * TOL_ROUNDING);
    CHECK_NEAR(s.second / second, 1, 1e4 * TOL_ROUNDING);
    CHECK_NEAR(ldp_nbinom_sum(run, w, 0).sum / s.sum, 1, TOL_ROUNDING);
}

/* Where an integral takes over: long tails, power laws next to alpha = p, both ends of 0..k. */
static void test_long_sums(void) {
    static const struct {
        double mu, excess, alpha, k;
        int power;
    } cells[] = {
        {3e4, 2e4, 0.5, 2e4, 0},     {50, 2e4, 0.5, 100, 0},       {0.01, 1, 0.5, 3e5, -1},
        {2.5, 1, 0.5, 3e5, -1},      {40, 1, 0.5000001, 3e5, -1},  {0.7, 1, 0.49998, 3e5, -1},
        {0.7, 1, 0.50002, 3e5, -1},  {1e6, 0.01, 0.9, 1000100, 0}, {1e6, 0.01, 0.999, 999000, 1},
        {1e6, 0.01, 0.999, 1e6, -1}, {3, 1e5, 0.9999, 50, 1},      {0.2, 1e-3, 0.001, 2e5, -1},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const ldp_nbinom_terms w =
            ldp_nbinom_make_terms(cells[i].mu, cells[i].excess, cells[i].alpha, cells[i].power);
        ldp_nbinom_run run[2];
        for (int above = cells[i].power >= 0; above >= (cells[i].power > 0); above--) {
            ldp_nbinom_split(above ? cells[i].k + 1 : 0, above ? INFINITY : cells[i].k, &w, run);
            for (int r = 0; r < 2; r++)
                if (run[r].way != 0 && run[r].from != run[r].to)
                    check_sum(run[r], &w);
        }
    }
}

/* log w(y)/w(from) is the sum of its steps, and from has no influence on it. */
static void test_ratios(void) {
    for (int i = 0; i < N_THETA; i++)
        for (int power = -1; power <= 1; power++) {
            const ldp_nbinom_terms w =
                ldp_nbinom_make_terms(thetas[i][0], thetas[i][1], thetas[i][2], power);
            double sum = 0;
            for (double y = 0; y < 300; y++) {
                CHECK_NEAR(ldp_nbinom_log_ratio(y, 0, &w), sum, TOL_SERIES);
                CHECK_NEAR(ldp_nbinom_log_ratio(0, y, &w), -sum, TOL_SERIES);
                CHECK_NEAR(ldp_nbinom_log_ratio(40, 0, &w) - sum, ldp_nbinom_log_ratio(40, y, &w),
                           TOL_SERIES);
                sum += ldp_nbinom_log_step(y, &w);
            }
        }
}

/* R's own density where it has its digits, sizes that no double holds, and the smallest excess. */
static void test_density(void) {
    static const double mus[] = {1e-300, 1e-9, 0.4, 15, 1e4};
    static const double excesses[] = {1e-12, 0.01, 1, 40, 1e5};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (double y = 0; y < 200; y += 7) {
                const double log_pmf = ldp_nbinom_log_pmf(y, mus[i], excesses[j]);
                CHECK_NEAR(log_pmf, dnbinom_mu(y, mus[i] / excesses[j], mus[i], 1), TOL_DIFFERENCE);
            }
    CHECK_NEAR(ldp_nbinom_log_pmf(20, 1e300, 1e-300), dpois(20, 1e300, 1), TOL_SERIES);
    CHECK_NEAR(ldp_nbinom_log_pmf(20, 3, 1e-300), dpois(20, 3, 1), TOL_SERIES);
    CHECK_NEAR(ldp_nbinom_log_pmf(20, 1e-250, 1e250), log(1e-250) - log(1e250) - log(20.0),
               TOL_SERIES);
    CHECK(ldp_nbinom_log_pmf(-1, 2, 3) == -INFINITY, "below 0");
    CHECK_NEAR(ldp_privnbinom_log_pmf(4, 0, 3, 0.5), ldp_privpois_log_pmf(4, 0, 0.5), TOL_EXACT);
    CHECK_NEAR(ldp_truenbinom_mean(4, 3, 1e-320, 0.5), ldp_truecount_mean(4, 3, 0.5), TOL_EXACT);
}

/* Where the truth has forgotten the release, a quantile is still that of its own cdf. */
static void test_forgotten(void) {
    static const double mus[] = {1e10, 1e11, 3e13};
    static const double excesses[] = {0.001, 1, 40};
    static const double ps[] = {1e-300, 1e-9, 0.3, 0.999};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int m = 0; m < 4; m++)
                for (int lower = 0; lower < 2; lower++) {
                    const double theta[] = {mus[i], excesses[j], 0.5, 2}, log_p = log(ps[m]);
                    const double y = true_quantile(log_p, lower, theta);
                    const double here = true_log_cdf(y, lower, theta),
                                 before = true_log_cdf(y - 1, lower, theta);
                    CHECK(lower ? here >= log_p && before < log_p : here <= log_p && before > log_p,
                          "mu = %g, excess = %g, p = %g, lower %d: %g", theta[0], theta[1], ps[m],
                          lower, y);
                }
}

typedef struct set {
    double k, mu, excess, alpha;
    const char *shape;
} set;

static const set sets[] = {
    {-3, 4, 2, 0.5, "non-positive"},
    {0, 0.5, 200, 0.9, "non-positive"},
    {1, 0.05, 0.5, 0.37, "nearly all at 0"},
    {20, 1e-3, 1, 0.37, "0 and k, p above alpha"},
    {25, 1e-3, 1, 0.5, "0 and k, p at alpha"},
    {30, 0.1, 1, 0.52, "0 and k, p below alpha"},
    {300, 2, 1, 0.5, "flat up to k, p at alpha"},
    {900, 1, 100, 0.99, "a power law up to k"},
    {60, 20, 3, 0.9, "peak below k"},
    {30, 300, 3, 0.9, "peak above k"},
    {100, 100, 0.5, 0.4, "peak at k"},
    {400, 390, 1e-9, 0.99, "nearly Poisson"},
    {2, 1500, 1e4, 0.999, "a long tail above k"},
};

static void check_set(set s, int n) {
    char name[120];
    snprintf(name, sizeof name, "k = %g, mu = %g, excess = %g, alpha = %g, %s", s.k, s.mu, s.excess,
             s.alpha, s.shape);
    law l = law_new(0, 20000);
    double largest = -INFINITY;
    for (int y = 0; y < l.n; y++) { /* beyond k and mu the probabilities fall */
        const int is_nil = y > s.k + s.mu && l.p[y - 1] < largest - 60;
        l.p[y] = is_nil ? -INFINITY : ldp_truenbinom_log_pmf(y, s.k, s.mu, s.excess, s.alpha);
        largest = fmax(largest, l.p[y]);
    }
    law_normalise(&l);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_rtruenbinom(s.k, s.mu, s.excess, s.alpha));
    law_check(&l, name);
    law_free(&l);
}

/* Counts beyond 2^53, sizes from 1e-300 to 1e300, alpha next to 0 and to 1: ends, and no NaN. */
static void test_extremes(void) {
    static const double mus[] = {1e-300, 1e-5, 3, 1e8, 1e16, 1e300};
    static const double excesses[] = {1e-300, 2e-16, 1, 1e8, 1e17, 1e300};
    static const double alphas[] = {1e-320, 1e-300, 0.5, 1 - 1e-10};
    static const double ks[] = {-1e15, 0, 1, 20, 1e8, 1e16};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int a = 0; a < 4; a++)
                for (int c = 0; c < 6; c++) {
                    const double mu = mus[i], excess = excesses[j], alpha = alphas[a], k = ks[c];
                    const double all =
                        ldp_privnbinom_log_pmf(k, mu, excess, alpha) +
                        ldp_privnbinom_log_cdf(k, 1, mu, excess, alpha) +
                        ldp_truenbinom_log_pmf(7, k, mu, excess, alpha) +
                        ldp_truenbinom_log_cdf(7, 0, k, mu, excess, alpha) +
                        ldp_truenbinom_mean(k, mu, excess, alpha) +
                        ldp_rtruenbinom(k, mu, excess, alpha) +
                        ldp_truenbinom_quantile((ldp_probability){-9, 0, 0}, k, mu, excess, alpha) +
                        ldp_rprivnbinom(mu, excess, alpha);
                    CHECK(!isnan(all), "mu = %g, excess = %g, alpha = %g, k = %g", mu, excess,
                          alpha, k);
                }
}

int main(void) {
    check_begin();
    random_budget(sizeof sets / sizeof *sets);
    set_seed(71, 72);
    test_density();
    test_ratios();
    test_long_sums();
    test_definition();
    test_tails();
    test_forgotten();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        check_set(sets[i], check_some(40000));
    test_extremes();
    random_budget_kept();
    return check_report("privnbinom");
}
