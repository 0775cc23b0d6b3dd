/* Draws of the true count behind a release of a negative binomial count and of its events, by each
 * method, against the normalised distributions; bounds of P(y = 0) against sums. */
#include <float.h>
#include <string.h>

#include "check.h"
#include "ldp_bursts.h"
#include "ldp_rtruenbinom.h"
#include "random.h"

typedef struct set {
    double k, lambda, excess, alpha;
    const char *method;
} set;

static const set sets[] = {
    {1, 0.05, 0.5, 0.37, "events"},
    {20, 0.05, 1, 0.37, "terms"}, /* mass at both ends */
    {7, 0.15, 1 / 0.6 - 1, 0.4, "events"}, /* p = alpha */
    {3, 0.9, 0.02, 0.97, "events"},
    {300, 0.2, 100, 0.995, "events"}, /* sizes above the release, to thousands */
    {2, 0.4, 30, 0.97, "events"},
    {64, 0.2, 30, 0.97, "events"}, /* p just below alpha */
    {4, 0.5, 1e-8, 0.6, "events"},
    {3, 2, 1e-6, 0.35, "terms"},
    {8, 5, 0.5, 0.4, "terms"},
    {32, 8, 1.2, 0.7, "terms"},
    {3, 1e-2, 100, 0.05, "terms"},
    {2, 10, 30, 0.97, "log-concave"}, /* with a long tail */
    {8, 2, 60, 0.999, "power"}, /* but for its tail small */
    {40, 1e-4, 1, 0.37, "power"},
    {40, 0.3, 1 / 0.6 - 1, 0.4, "power"},
    {300, 0.3, 0.6667, 0.4, "power"}, /* p just above alpha */
    {600, 1.5, 4, 0.9, "power"}, /* weights below k fall throughout */
    {5000, 0.5, 30, 0.96, "power"}, /* p = 0.968 */
    {60, 2, 200, 0.99, "power"},
    {33, 3.2, 30, 0.5, "power"}, /* s next to 1 */
    {500, 1e-10, 20, 0.9, "power"},
    {50, 3, 1.5, 0.2, "log-concave"},
    {400, 400, 1.2, 0.5, "log-concave"},
    {400, 30, 1.2, 0.9, "log-concave"},
    {5, 200, 1.2, 0.8, "log-concave"},
    {3000, 700, 3, 0.76, "log-concave"}, /* p near alpha */
    {600, 0.9, 0.4, 0.8, "log-concave"}, /* peak at zero */
    {1000, 900, 1e-3, 0.99, "log-concave"},
    {5, 13000, 0.02, 0.9, "log-concave"},
    {12000, 300, 0.3, 0.8, "log-concave"},
    {33, 3.5, 30, 0.5, "log-concave"}, /* s next to 1 */
};

enum { N_SETS = sizeof sets / sizeof *sets, N_VALUES = 20000 };

static double weight(double y, set s) {
    const double size = s.lambda / log1p(s.excess);
    return dnbinom(y, size, 1 / (1 + s.excess), 1) + fabs(s.k - y) * log(s.alpha);
}

/* As the parameters decide. */
static const char *method_of(const ldp_rtruenbinom_law *w, set s) {
    if (ldp_rtruenbinom_is_by_events(w, s.k, s.lambda))
        return "events";
    if (s.k <= 32) {
        double below = 0, above = 0;
        for (double y = 0; y < N_VALUES; y++)
            *(y <= s.k ? &below : &above) += exp(weight(y, s));
        return above < below / 2 ? "terms" : s.lambda < log1p(s.excess) ? "power" : "log-concave";
    }
    return s.lambda < log1p(s.excess) ? "power" : "log-concave";
}

static law law_of(set s) {
    law l = law_new(0, N_VALUES);
    for (int i = 0; i < l.n; i++)
        l.p[i] = weight(i, s);
    law_normalise(&l);
    return l;
}

static ldp_rtruenbinom_law prepared(set s, int n_bounds) {
    ldp_rtruenbinom_law w = {.bound = new_doubles(LDP_RTRUENBINOM_BOUNDS),
                             .lower = new_doubles(LDP_RTRUENBINOM_BOUNDS)};
    ldp_rtruenbinom_prepare(&w, s.excess, s.alpha, n_bounds);
    return w;
}

static void forget(ldp_rtruenbinom_law w) {
    free(w.bound);
    free(w.lower);
}

static void name_set(char name[200], set s) {
    snprintf(name, 200, "k = %g, lambda = %g, excess = %g, alpha = %g, %s", s.k, s.lambda, s.excess,
             s.alpha, s.method);
}

/* As the models draw: first the comparison that settles most. */
static double draw_as_models(ldp_rtruenbinom_law *w, ldp_stream *stream, set s, double *events) {
    const double u = ldp_stream_uniform(stream);
    *events = 0;
    if (s.k <= w->n_bounds && u < 1 - w->bound[(int)s.k - 1] * s.lambda)
        return 0;
    return ldp_rtruenbinom_draw(w, stream, u, s.k, s.lambda, events);
}

static void check_draws(set s, int n) {
    char name[200];
    name_set(name, s);
    ldp_rtruenbinom_law w = prepared(s, 512);
    CHECK(strcmp(method_of(&w, s), s.method) == 0, "%s, but it is by %s", name, method_of(&w, s));
    ldp_stream stream = ldp_stream_open();
    law l = law_of(s);
    int n_wrong = 0;
    for (int i = 0; i < n; i++) {
        double events;
        const double y = draw_as_models(&w, &stream, s, &events);
        law_see(&l, y);
        n_wrong += !(events >= (y > 0) && events <= y && events == floor(events));
    }
    CHECK(n_wrong == 0, "%s: %d numbers of events", name, n_wrong);
    law_check(&l, name);
    if (s.k <= w.n_bounds)
        CHECK(exp(-s.lambda * w.bound[(int)s.k - 1]) <= l.p[0] * (1 + 1e-9),
              "%s: bound %g, P(0) %g", name, exp(-s.lambda * w.bound[(int)s.k - 1]), l.p[0]);
    law_free(&l);
    forget(w);
}

/* Without a table, as rtruecount() draws. */
static void check_alone(set s, int n) {
    char name[200];
    name_set(name, s);
    law l = law_of(s);
    for (int i = 0; i < n; i++)
        law_see(&l, ldp_rtruenbinom(s.k, s.lambda * ldp_bursts_size(s.excess), s.excess, s.alpha));
    law_check(&l, name);
    law_free(&l);
}

/* l given y is that of a Chinese restaurant; together over all y, where l comes with the count. */
static void check_events(set s, int n) {
    char name[200];
    name_set(name, s);
    ldp_rtruenbinom_law w = prepared(s, 512);
    ldp_stream stream = ldp_stream_open();
    const double size = s.lambda / log1p(s.excess);
    law truth = law_of(s), l = law_new(0, 40);
    double tables[41] = {1}; /* P(l) given y */
    for (int y = 0; y < truth.n; y++) {
        for (int i = 0; i < l.n; i++)
            l.p[i] += truth.p[y] * tables[i];
        for (int i = l.n - 1; i >= 0; i--)
            tables[i] = (i > 0 ? tables[i - 1] * size : 0) / (size + y) +
                        (y > 0 ? tables[i] * y / (size + y) : 0);
    }
    for (int i = 0; i < n; i++) {
        double events;
        draw_as_models(&w, &stream, s, &events);
        law_see(&l, events);
    }
    law_check(&l, name);
    law_free(&l);
    law_free(&truth);
    forget(w);
}

/* H_k by its sum. */
static void check_bounds(double excess, double alpha, int n) {
    const set s = {.excess = excess, .alpha = alpha};
    const double p = excess / (1 + excess), q = log1p(excess);
    ldp_rtruenbinom_law w = prepared(s, n);
    for (int k = 1; k <= n; k += 1 + n / 20) {
        double sum = 0, lower = 0;
        for (int j = 1; j < 30000; j++) {
            sum += exp(j * log(p) + (abs(k - j) - k) * log(alpha)) / j;
            lower = j == k ? sum : lower;
        }
        CHECK_NEAR(w.bound[k - 1] / (sum / q), 1, TOL_SERIES);
        CHECK_NEAR(w.lower[k - 1] / lower, 1, TOL_SERIES);
    }
    forget(w);
}

/* Without noise H_k = 1 for all k: sizes of events that are as likely near 1 as beyond all bounds.
 */
static void check_bounds_of_little_noise(double excess) {
    ldp_rtruenbinom_law w =
        prepared((set){.excess = excess, .alpha = 1 - DBL_EPSILON}, LDP_RTRUENBINOM_BOUNDS);
    for (int k = 1; k <= LDP_RTRUENBINOM_BOUNDS; k++)
        CHECK_NEAR(w.bound[k - 1], 1, TOL_SERIES + excess * DBL_EPSILON);
    forget(w);
}

/* A bound is the same, to the last bit, however many there are: how many a thread has made depends
 * on the releases that it met before. */
static void test_number_of_bounds(double excess, double alpha) {
    ldp_rtruenbinom_law all = {0}, some = {0};
    all.bound = new_doubles(LDP_RTRUENBINOM_BOUNDS);
    all.lower = new_doubles(LDP_RTRUENBINOM_BOUNDS);
    ldp_rtruenbinom_prepare(&all, excess, alpha, LDP_RTRUENBINOM_BOUNDS);
    for (int n = 64; n < LDP_RTRUENBINOM_BOUNDS; n *= 2) {
        const size_t size = (size_t)n;
        some.bound = new_doubles(size);
        some.lower = new_doubles(size);
        ldp_rtruenbinom_prepare(&some, excess, alpha, n);
        CHECK(memcmp(some.bound, all.bound, size * sizeof(double)) == 0 &&
                  memcmp(some.lower, all.lower, size * sizeof(double)) == 0,
              "%d bounds, excess = %g, alpha = %g", n, excess, alpha);
        free(some.bound);
        free(some.lower);
    }
    free(all.bound);
    free(all.lower);
}

int main(void) {
    check_begin();
    set_seed(71, 18);
    random_budget(2 * N_SETS + 6);
    check_bounds(0.5, 0.37, 64);
    check_bounds(1e-8, 0.9, 20);
    check_bounds(1 / 0.6 - 1, 0.4, 20);
    check_bounds(3, 0.2, 20);
    check_bounds(100, 0.99, 300);
    for (double excess = 1e-6; excess < 1e9; excess *= 7)
        check_bounds_of_little_noise(excess);
    for (double alpha = 0.05; alpha < 1; alpha += 0.09)
        for (double excess = 1e-6; excess < 1e6; excess *= 7)
            test_number_of_bounds(excess, alpha);
    for (int i = 0; i < N_SETS; i++)
        check_draws(sets[i], check_some(100000));
    for (int i = 0; i < N_SETS; i++)
        check_alone(sets[i], check_some(50000));
    for (int i = 0; i < 6; i++)
        check_events(sets[i + (i > 0)], check_some(100000));
    random_budget_kept();
    return check_report("rtruenbinom");
}
