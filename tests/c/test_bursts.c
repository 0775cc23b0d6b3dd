/* Overdispersed counts: the number of events behind a count, on every branch; exposures
 * against sums; densities of many small releases. */
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
    double events[N];
    int left[N], n_left, next = 0;
    if (excess > 0)
        ldp_small_prepare(&small, alpha, ldp_bursts_size(excess) / ((1 + excess) * alpha),
                          excess / ((1 + excess) * alpha));
    else
        ldp_small_prepare(&small, alpha, 1 / alpha, 0);
    for (int e = 0; e < N; e++) {
        const double sum =
            ldp_small_weigh(&small, 1, k + e, mean + e, events, NULL, left, &n_left) - mean[e];
        const double mu = mean[e] * ldp_bursts_size(excess);
        if (n_left == 0)
            CHECK_NEAR(sum,
                       excess > 0 ? ldp_privnbinom_log_pmf(k[e], mu, excess, alpha)
                                  : ldp_privpois_log_pmf(k[e], mu, alpha),
                       TOL_SERIES);
    }
    const double together = ldp_small_weigh(&small, N, k, mean, events, NULL, left, &n_left);
    double sum = 0;
    CHECK(n_left == n_listed, "excess %g, alpha %g: %d left", excess, alpha, n_left);
    for (int e = 0, one; e < N; e++)
        if (next < n_left && left[next] == e)
            next++;
        else
            sum += ldp_small_weigh(&small, 1, k + e, mean + e, events, NULL, left + N - 1, &one);
    CHECK_NEAR(together, sum, TOL_SERIES);
}

int main(void) {
    check_begin();
    set_seed(71, 17);
    random_budget(20);
    check_exposures();
    check_certain_events();
    check_events(2, 0.3, 100000);
    check_events(20, 1.5, 100000);
    check_events(300, 0.4, 100000); /* by jumps */
    check_events(300, 2, 100000);
    check_events(300, 500, 20000); /* one by one */
    check_events(300, 2e4, 100000); /* by those who join */
    check_events(40, 900, 100000);
    check_many_events(1e6, 1e9, 5000);
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
