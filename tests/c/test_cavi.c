/* What the local steps of variational inference are made of, against plain sums in long double. */
#include <Rmath.h>

#include "check.h"
#include "ldp_bursts.h"
#include "ldp_cavi_team.h"
#include "ldp_digamma.h"
#include "ldp_small.h"
#include "ldp_truenbinom.h"

static void test_log_gamma(void) {
    static const double at[] = {1e-300, 1e-8, 0.003, 0.1, 0.5, 1,   1.4616321449683623,
                                2,      3.7,  9.99,  10,  25,  1e4, 1e12};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const ldp_gamma_logs logs = ldp_log_gamma(at[i]);
        CHECK_NEAR(logs.log_gamma, lgammafn(at[i]), TOL_ROUNDING);
        CHECK_NEAR(logs.digamma, digamma(at[i]), TOL_ROUNDING);
    }
}

/* sum_{t < y} s/(s + t) */
static double events_of(double y, double s) {
    long double sum = 0;
    for (double t = 0; t < y; t++)
        sum += (long double)s / ((long double)s + (long double)t);
    return (double)sum;
}

static void test_mean_events(void) {
    for (double s = 1e-12; s < 1e13; s *= 10)
        for (double y = 0; y < 3e5; y = floor(y * 1.7) + 1)
            CHECK_NEAR(ldp_bursts_mean_events(y, s), events_of(y, s), TOL_SERIES);
}

/* log of sum_y w(y), and means of y and of the events behind it, w(y) = (s)_y/y! x^y alpha^|k-y|,
 * or mean^y/y! alpha^|k-y| where x = 0. */
typedef struct answer {
    double log_sum, count, events;
} answer;

static answer plain(double k, double mean, double s, double x, double alpha) {
    const long double log_mean = logl(mean), log_x = logl(x), log_alpha = logl(alpha);
    long double sum = 0, count = 0, events = 0, each = 0;
    long double log_w = k * log_alpha, highest = log_w, weight = 0;
    for (int pass = 0; pass < 2; pass++) {
        weight = 0;
        each = 0;
        for (double y = 0; y < 6000; y++) {
            if (y > 0) {
                weight += (x > 0 ? log_x + logl((long double)s + (y - 1)) : log_mean) - logl(y);
                each += x > 0 ? (long double)s / ((long double)s + (y - 1)) : 1;
            }
            log_w = weight + fabsl(k - y) * log_alpha;
            if (pass == 0) {
                highest = fmaxl(highest, log_w);
                continue;
            }
            const long double w = expl(log_w - highest);
            sum += w;
            count += w * y;
            events += w * each;
        }
    }
    return (answer){(double)(highest + logl(sum)), (double)(count / sum), (double)(events / sum)};
}

static void test_small(void) {
    static const double alphas[] = {0.05, 0.37, 0.8}, means[] = {1e-200, 1e-6, 0.03, 0.4, 2, 7};
    static const double odds[] = {0, 1e-3, 0.3, 2, 40};
    for (int a = 0; a < 3; a++)
        for (int o = 0; o < 5; o++)
            for (int m = 0; m < 6; m++)
                for (double k = 1; k <= LDP_SMALL_MOST; k += 3) {
                    const double alpha = alphas[a], x = odds[o] / (1 + odds[o]), q = log1p(odds[o]);
                    ldp_small small = {0};
                    double w, count;
                    int left, n_left;
                    ldp_small_prepare(&small, alpha, x > 0 ? x / (q * alpha) : 1 / alpha,
                                      x / alpha);
                    const double sum =
                        ldp_small_weigh(&small, 1, &k, &means[m], &w, &count, &left, &n_left);
                    if (n_left > 0)
                        continue;
                    const answer truth = plain(k, means[m], means[m] / q, x, alpha);
                    CHECK_NEAR(sum, truth.log_sum + log1p(-alpha) - log1p(alpha), TOL_SERIES);
                    CHECK_NEAR(count / truth.count, 1, TOL_SERIES);
                    CHECK_NEAR(w * means[m] / truth.events, 1, TOL_SERIES);
                }
}

static void test_events(void) {
    static const double ks[] = {1, 5, 20, 90, 700}, mus[] = {1e-9, 0.02, 1, 30, 400};
    static const double excesses[] = {1e-6, 0.2, 1.3, 12};
    for (int i = 0; i < 5; i++)
        for (int m = 0; m < 5; m++)
            for (int e = 0; e < 4; e++)
                for (double alpha = 0.1; alpha < 0.95; alpha += 0.4) {
                    const double x = excesses[e] / (1 + excesses[e]), s = mus[m] / excesses[e];
                    const answer truth = plain(ks[i], mus[m], s, x, alpha);
                    CHECK_NEAR(ldp_truenbinom_events(ks[i], mus[m], excesses[e], alpha) /
                                   truth.events,
                               1, TOL_SERIES);
                }
}

/* Lines in order within each group; each once. */
enum { MOST_LINES = 300000 };

typedef struct visit {
    unsigned char seen[MOST_LINES];
    int next[LDP_CAVI_GROUPS], n_groups, n_wrong;
} visit;

static double visit_lines(void *state, int group, int from, int to) {
    visit *const v = state;
    double sum = 0;
    v->n_wrong += from >= to || group >= v->n_groups || (v->next[group] && from != v->next[group]);
    v->next[group] = to;
    for (int i = from; i < to; i++) {
        v->n_wrong += v->seen[i]++ > 0;
        sum += 1.0 / (i + 1);
    }
    return sum;
}

static int n_pauses;

static void count_pause(void) {
    n_pauses++;
}

static void test_team(void) {
    static const int ns[] = {1, 3, 8, 9, 1000, MOST_LINES};
    static const size_t costs[] = {1, 30, 1000000};
    visit *const v = check_alloc(1, sizeof *v);
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 3; c++)
            for (int n_groups = 1; n_groups <= LDP_CAVI_GROUPS; n_groups += 7) {
                ldp_cavi_lines lines = ldp_cavi_alike(ns[i], costs[c]);
                const double cost = (double)ns[i] * (double)costs[c];
                long double sum = 0;
                double found[2];
                lines.n_groups = n_groups;
                for (int t = 0; t < 2; t++) {
                    *v = (visit){.n_groups = n_groups};
                    n_pauses = 0;
                    found[t] = ldp_cavi_run((ldp_cavi_team){1 + 2 * t, count_pause}, &lines,
                                            visit_lines, v);
                    int n_seen = 0;
                    for (int l = 0; l < ns[i]; l++)
                        n_seen += v->seen[l];
                    CHECK(v->n_wrong == 0 && n_seen == ns[i], "%d lines, %d groups", ns[i],
                          n_groups);
                }
                for (int l = 0; l < ns[i]; l++)
                    sum += 1.0L / (l + 1);
                CHECK(found[0] == found[1], "%.17g and %.17g", found[0], found[1]);
                CHECK_NEAR(found[0], (double)sum, TOL_SERIES);
                CHECK(n_pauses >= fmin(cost / 2e6, ns[i] / n_groups), "%d pauses", n_pauses);
            }
    free(v);
}

int main(void) {
    check_begin();
    test_log_gamma();
    test_mean_events();
    test_small();
    test_events();
    test_team();
    return check_report("cavi");
}
