/* Counts that come in bursts: the truth behind a release and the number of events behind a count,
 * each against the normalised law on every branch; exposures and bounds against sums. */
#include <string.h>

#include "check.h"
#include "ldp_bursts.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_small.h"
#include "random.h"

/* G(z) = sum_j p^j/(j q) z^j */
static double pgf_by_terms(double excess, double z) {
    const double p = excess / (1 + excess), q = log1p(excess);
    double sum = 0, power = 1;
    for (int j = 1; j < 4000; j++) {
        power *= p * z;
        sum += power / (j * q);
    }
    return sum;
}

static void check_exposures(void) {
    static const double excess[] = {1e-12, 0.01, 0.5, 1.5, 30};
    static const double alpha[] = {0, 1e-6, 0.3, 0.6, 0.95};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            const double g = ldp_bursts_pgf(excess[i], alpha[j]);
            CHECK_NEAR(g, pgf_by_terms(excess[i], alpha[j]), TOL_SERIES);
            CHECK_NEAR(ldp_bursts_exposure(excess[i], alpha[j]) + g, 1, TOL_ROUNDING);
        }
    CHECK_NEAR(ldp_bursts_size(1e-12), 1 + 0.5e-12, TOL_ROUNDING);
    CHECK_NEAR(ldp_bursts_size(0), 1, TOL_EXACT);
    /* nearly Poisson: an exposure of 1 - alpha */
    CHECK_NEAR(ldp_bursts_exposure(1e-300, 0.25), 0.75, TOL_ROUNDING);
}

typedef struct set {
    double k, lambda, excess, alpha;
    const char *branch;
} set;

static const set sets[] = {
    {1, 0.05, 0.5, 0.37, "small"},
    {3, 2, 1e-6, 0.35, "small"},
    {20, 1e-4, 1, 0.37, "small"}, /* mass at both ends */
    {7, 0.4, 1 / 0.6 - 1, 0.4, "small"}, /* p = alpha */
    {40, 1e-4, 1, 0.37, "two ends"},
    {40, 0.3, 1 / 0.6 - 1, 0.4, "two ends"},
    {300, 0.3, 0.6667, 0.4, "two ends"}, /* p just above alpha */
    {300, 1, 4, 0.9, "two ends"}, /* weights below k fall throughout */
    {5000, 0.5, 30, 0.96, "two ends"}, /* p = 0.968 */
    {60, 2, 200, 0.99, "two ends"},
    {2, 1, 30, 0.97, "small"}, /* with a long tail */
    {8, 2, 60, 0.999, "two ends"}, /* but for its tail small */
    {50, 3, 1.5, 0.2, "one peak, at the release"},
    {400, 400, 1.2, 0.5, "one peak, at the release"},
    {400, 30, 1.2, 0.9, "one peak, below"},
    {5, 200, 1.2, 0.8, "one peak, above"},
    {3000, 700, 3, 0.76, "one peak, at the release"}, /* p near alpha */
    {40, 0.9, 0.4, 0.8, "one peak, at zero"},
    {1000, 900, 1e-3, 0.99, "one peak, below"},
    {5, 13000, 0.02, 0.9, "far below"},
    {12000, 300, 0.3, 0.8, "far above"},
};

static double weight(double y, set s) {
    const double size = s.lambda / log1p(s.excess);
    return dnbinom(y, size, 1 / (1 + s.excess), 1) + fabs(s.k - y) * log(s.alpha);
}

/* As the conditions of ldp_bursts_truth choose. */
static const char *branch_of(set s) {
    const double p = s.excess / (1 + s.excess), size = s.lambda / log1p(s.excess);
    const double above = (size + s.k) * p * s.alpha / (s.k + 1);
    if (s.k <= 32 && above < 0.9)
        return "small";
    if (size < 1)
        return "two ends";
    if (s.k < 10 && s.lambda > 1e4)
        return "far below";
    if (s.k > 1e4)
        return "far above";
    double peak = 0;
    for (double y = 1; y < 20000; y++)
        if (weight(y, s) > weight(peak, s))
            peak = y;
    return peak < 1     ? "one peak, at zero"
           : peak < s.k ? "one peak, below"
           : peak > s.k ? "one peak, above"
                        : "one peak, at the release";
}

static void check_truth(set s, int n) {
    char name[160];
    snprintf(name, sizeof name, "k = %g, lambda = %g, excess = %g, alpha = %g, %s", s.k, s.lambda,
             s.excess, s.alpha, s.branch);
    CHECK(strcmp(branch_of(s), s.branch) == 0, "%s, but the branch is %s", name, branch_of(s));
    law l = law_new(0, 20000);
    for (int i = 0; i < l.n; i++)
        l.p[i] = weight(i, s);
    law_normalise(&l);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_bursts_truth((unif_rand() + i) / n, s.k, s.lambda, s.excess, s.alpha));
    law_check(&l, name);
    /* y = 0 comes first */
    if (l.p[0] > 1e-6) {
        const double below = l.p[0] * (1 - 1e-7), above = l.p[0] * (1 + 1e-7);
        CHECK(ldp_bursts_truth(below, s.k, s.lambda, s.excess, s.alpha) <= 0, "%s", name);
        CHECK(l.p[0] > 1 - 1e-6 || ldp_bursts_truth(above, s.k, s.lambda, s.excess, s.alpha) > 0,
              "%s", name);
    }
    if (s.k <= LDP_BURSTS_BOUNDS) {
        double bound[LDP_BURSTS_BOUNDS];
        ldp_bursts_bounds(s.excess, s.alpha, bound);
        CHECK(exp(-s.lambda * bound[(int)s.k - 1]) <= l.p[0] * (1 + 1e-9), "%s: bound %g, P(0) %g",
              name, exp(-s.lambda * bound[(int)s.k - 1]), l.p[0]);
    }
    law_free(&l);
}

/* H_k by its sum. */
static void check_bounds(double excess, double alpha) {
    const double p = excess / (1 + excess), q = log1p(excess);
    double bound[LDP_BURSTS_BOUNDS];
    ldp_bursts_bounds(excess, alpha, bound);
    for (int k = 1; k <= 20; k++) {
        double sum = 0;
        for (int j = 1; j < 3000; j++)
            sum += exp(j * log(p) + (abs(k - j) - k) * log(alpha)) / (j * q);
        CHECK_NEAR(bound[k - 1], sum, TOL_SERIES);
    }
}

/* P(l) given y, as tables of a Chinese restaurant: customer t sits alone with s/(s + t - 1). */
static void check_events(double y, double s, int n) {
    char name[80];
    snprintf(name, sizeof name, "events behind %g, s = %g", y, s);
    const double excess = 0.7, lambda = s * log1p(excess);
    law l = law_new(0, (int)y + 1);
    l.p[0] = 1;
    for (int t = 1; t <= y; t++)
        for (int i = t; i >= 0; i--)
            l.p[i] = (i > 0 ? l.p[i - 1] * s / (s + t - 1) : 0) + l.p[i] * (t - 1) / (s + t - 1);
    ldp_stream stream = ldp_stream_open();
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_bursts_events(&stream, y, lambda, excess));
    law_check(&l, name);
    law_free(&l);
}

static void check_many_events(double y, double s, int n) {
    char name[80];
    snprintf(name, sizeof name, "mean of events behind %g, s = %g", y, s);
    const double excess = 0.7, lambda = s * log1p(excess);
    const double mean = s * (digamma(s + y) - digamma(s));
    const double variance = mean - s * s * (trigamma(s) - trigamma(s + y));
    ldp_stream stream = ldp_stream_open();
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ldp_bursts_events(&stream, y, lambda, excess);
    check_mean(sum, n, mean, variance, name);
}

static void check_certain_events(void) {
    ldp_stream stream = ldp_stream_open();
    CHECK_NEAR(ldp_bursts_events(&stream, 1, 3, 0.5), 1, TOL_EXACT);
    CHECK_NEAR(ldp_bursts_events(&stream, 50, 3, 1e-300), 50, TOL_EXACT);
    CHECK_NEAR(ldp_bursts_events(&stream, 50, 0, 0.5), 1, TOL_EXACT);
    const double l = ldp_bursts_events(&stream, 1e12, 1e11, 0.5);
    CHECK(l >= 1 && l <= 1e12, "%g", l);
}

/* Many cells at a time as one by one, by series and by sums; those that are not small are listed.
 */
static void check_small(double excess, double alpha, int n_listed) {
    enum { N = 12 };
    static const double k[N] = {1, 16, 17, -3, 2, 5, 9, 3, 1, 4, 16, 2};
    static const double mean[N] = {0.01, 2, 0.1, 0.1, 3, 0.7, 1e7, 0.04, 0.3, 1e-9, 1e-3, 1e-5};
    ldp_small small = {0};
    int left[N], n_left, next = 0;
    if (excess > 0)
        ldp_small_prepare(&small, alpha, ldp_bursts_size(excess) / ((1 + excess) * alpha),
                          excess / ((1 + excess) * alpha));
    else
        ldp_small_prepare(&small, alpha, 1 / alpha, 0);
    for (int e = 0; e < N; e++) {
        double sum = ldp_small_log_density(&small, 1, k + e, mean + e, left, &n_left);
        const double mu = mean[e] * ldp_bursts_size(excess);
        if (n_left == 0)
            CHECK_NEAR(sum,
                       excess > 0 ? ldp_privnbinom_log_pmf(k[e], mu, excess, alpha)
                                  : ldp_privpois_log_pmf(k[e], mu, alpha),
                       TOL_SERIES);
    }
    double together = ldp_small_log_density(&small, N, k, mean, left, &n_left), sum = 0;
    CHECK(n_left == n_listed, "excess %g, alpha %g: %d left", excess, alpha, n_left);
    for (int e = 0, one; e < N; e++)
        if (next < n_left && left[next] == e)
            next++;
        else
            sum += ldp_small_log_density(&small, 1, k + e, mean + e, left + N - 1, &one);
    CHECK_NEAR(together, sum, TOL_SERIES);
}

int main(void) {
    check_begin();
    set_seed(71, 17);
    random_budget(40);
    check_exposures();
    check_bounds(0.5, 0.37);
    check_bounds(1e-8, 0.9);
    check_bounds(1 / 0.6 - 1, 0.4);
    check_bounds(3, 0.2);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        check_truth(sets[i], 20000);
    check_certain_events();
    check_events(2, 0.3, 100000);
    check_events(20, 1.5, 100000);
    check_events(300, 0.4, 100000); /* by jumps */
    check_events(300, 2, 100000);
    check_events(300, 500, 20000); /* one by one */
    check_many_events(1e6, 3, 5000);
    check_many_events(1e8, 1e6, 5000); /* in the limit */
    check_many_events(1e8, 1e13, 5000);
    check_small(0, 0, 12); /* no noise */
    check_small(0, 0.4, 3);
    check_small(0, 1e-3, 3);
    check_small(0, 1e-300, 12);
    check_small(0, 0.97, 4);
    check_small(0.5, 0.4, 3);
    check_small(1 / 0.6 - 1, 0.4, 3);
    check_small(1e-7, 0.2, 3);
    check_small(9, 0.9, 12); /* terms above fall too slowly */
    random_budget_kept();
    return check_report("bursts");
}
