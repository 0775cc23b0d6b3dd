/* The samplers of ldp_random against the distribution functions of Rmath: shape, moments and tails
 * of every branch, arguments at the edge, and what a draw may depend on: its stream alone. Then the
 * streams of a sweep: those of neighbouring rows, modes, uses and seeds have nothing in common. */
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "ldp_math.h"
#include "ldp_random.h"
#include "ldp_stream.h"
#include "random.h"

enum { MOST = 1000000, BINS = 200 };

static const double SHAPES[] = {0.003, 0.1, 0.5, 0.95, 1, 2, 7.3, 15, 15.9, 16, 40, 1e4, 1e12};
static const double MEANS[] = {0.1, 1, 3, 9.99, 10, 12, 30, 1e3, 1e9, 1e14};
/* n p or n (1 - p) is below 10, where the binomial distribution is inverted, or at least 10. */
static const double TRIALS[][2] = {
    {1, 1e-9},     {1, 0.3},      {7, 0.5},      {19, 0.5},         {20, 0.5},     {21, 0.5},
    {33, 0.3},     {34, 0.3},     {40, 0.75},    {1000, 0.00999},   {1000, 0.01},  {1000, 0.99},
    {1000, 0.991}, {1e5, 0.4},    {1e6, 1e-7},   {1e6, 0.3},        {1e9, 0.9999}, {1e9, 5e-9},
    {1e12, 1e-3},  {1e15, 3e-15}, {1e15, 1e-14}, {1e15, 1 - 1e-13}, {1e15, 0.5},
};
#define LENGTH(x) (sizeof(x) / sizeof *(x))

/* A sampler with the distribution that it should have. */
typedef struct sampler {
    double (*draw)(ldp_stream *stream, const double *theta);
    double (*cdf)(double x, int lower, const double *theta);
    double (*quantile)(double p, int lower, const double *theta);
    double (*pmf)(double x, const double *theta); /* NULL for a continuous one */
    double theta[2];
    double mean, variance, fourth; /* central moments; fourth is 0 where its own error is too large
                                    * for the central limit theorem */
    double least; /* a number below this counts as one that underflows; -INFINITY if none does */
    char name[80];
} sampler;

static ldp_stream stream;
static double draws[MOST];
static int N = MOST / 10; /* of each sampler; in the extended tests, MOST */

/* ---- tests of many draws --------------------------------------------------------------------- */

static void check_two_sided(double lower, double upper, const char *name, const char *what) {
    const double level = random_level() / 2;
    CHECK(lower >= level && upper >= level, "%s, %s: tails %.3g and %.3g, level %.3g", name, what,
          lower, upper, level);
}

/* How many of n draws lie where a share p of them should. */
static void check_share(double n_seen, double n, double p, const char *name, const char *what) {
    check_two_sided(pbinom(n_seen, n, p, 1, 0), pbinom(n_seen - 1, n, p, 0, 0), name, what);
}

/* The distribution function of a continuous number is uniform, but for what underflows. Of a whole
 * number it is made uniform: P(X < x) + V P(X = x), V uniform. */
static void check_uniform(const sampler *s) {
    const double below = s->cdf(s->least, 1, s->theta);
    law bins = law_new(0, BINS + 1); /* the first is for numbers that underflow */
    bins.p[0] = below;
    for (int i = 1; i <= BINS; i++)
        bins.p[i] = (1 - below) / BINS;
    for (int i = 0; i < N; i++) {
        const double x = draws[i];
        double u;
        if (s->pmf)
            u = s->cdf(x - 1, 1, s->theta) + unif_rand() * s->pmf(x, s->theta);
        else
            u = (s->cdf(x, 1, s->theta) - below) / (1 - below);
        law_see(&bins, x < s->least ? 0 : 1 + fmin(floor(u * BINS), BINS - 1));
    }
    law_check(&bins, s->name);
    law_free(&bins);
}

/* Values one by one. */
static void check_values(const sampler *s) {
    const double reach = 12 * sqrt(s->variance) + 60;
    const double lowest = fmax(0, floor(s->mean - reach));
    law values = law_new(lowest, (int)(ceil(s->mean + reach) - lowest));
    for (int i = 0; i < values.n; i++)
        values.p[i] = s->pmf(lowest + i, s->theta);
    for (int i = 0; i < N; i++)
        law_see(&values, draws[i]);
    law_check(&values, s->name);
    law_free(&values);
}

/* Sums of differences from the mean, which keep their digits. */
static void check_moments(const sampler *s) {
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        const double d = draws[i] - s->mean;
        sum += d;
        squares += d * d;
    }
    check_mean(sum, N, 0, s->variance, s->name);
    check_mean(squares, N, s->variance, s->fourth - s->variance * s->variance, s->name);
}

/* Beyond the quantiles of 1e-4. */
static void check_tails(const sampler *s) {
    const double step = s->pmf ? 1 : 0;
    const double low = s->quantile(1e-4, 1, s->theta), high = s->quantile(1e-4, 0, s->theta);
    double n_low = 0, n_high = 0;
    for (int i = 0; i < N; i++) {
        n_low += draws[i] < low;
        n_high += draws[i] > high;
    }
    check_share(n_low, N, s->cdf(low - step, 1, s->theta), s->name, "lower tail");
    check_share(n_high, N, s->cdf(high, 0, s->theta), s->name, "upper tail");
}

enum { TESTS_OF_SAMPLER = 5 };

static void check_sampler(const sampler *s) {
    int n_whole = 0;
    for (int i = 0; i < N; i++) {
        draws[i] = s->draw(&stream, s->theta);
        n_whole += draws[i] == floor(draws[i]);
    }
    CHECK(!s->pmf || n_whole == N, "%s: %d whole numbers of %d", s->name, n_whole, N);
    /* a chi-square of one bin is none */
    if (s->pmf && s->variance < 1e4 && N * s->variance > 1000)
        check_values(s);
    if (N * s->variance > 1000)
        check_uniform(s);
    if (s->fourth > 0)
        check_moments(s);
    check_tails(s);
}

/* ---- exponential and normal ------------------------------------------------------------------ */

static double draw_exponential(ldp_stream *of, const double *theta) {
    (void)theta;
    return ldp_random_exponential(of);
}
static double exponential_cdf(double x, int lower, const double *theta) {
    return pexp(x, theta[0], lower, 0);
}
static double exponential_quantile(double p, int lower, const double *theta) {
    return qexp(p, theta[0], lower, 0);
}

static double draw_normal(ldp_stream *of, const double *theta) {
    (void)theta;
    return ldp_random_normal(of);
}
static double normal_cdf(double x, int lower, const double *theta) {
    return pnorm(x, theta[0], theta[1], lower, 0);
}
static double normal_quantile(double p, int lower, const double *theta) {
    return qnorm(p, theta[0], theta[1], lower, 0);
}

/* Where the exponential distribution starts again. */
static const double AGAIN = 16 * M_LN2;

/* Beyond that it is an exponential distribution again. */
static void test_exponential_again(void) {
    enum { N_FAR = 10 * MOST };
    double n_beyond = 0;
    law beyond = law_uniform();
    for (int i = 0; i < N_FAR; i++) {
        const double x = ldp_random_exponential(&stream);
        if (x < AGAIN)
            continue;
        n_beyond++;
        law_see_uniform(&beyond, -expm1(AGAIN - x));
    }
    check_share(n_beyond, N_FAR, 1. / 65536, "exponential", "beyond 16 log 2");
    law_check(&beyond, "exponential beyond 16 log 2");
    law_free(&beyond);
    ldp_stream once = {{0, UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), 0}},
               copy = once; /* its first number is 2^-53 */
    CHECK_NEAR(ldp_stream_uniform(&copy), ldexp(1, -53), TOL_EXACT);
    const double u = ldp_stream_uniform(&copy);
    CHECK(u > 1. / 65536, "%g", u);
    CHECK_NEAR(ldp_random_exponential(&once), AGAIN - log(u), TOL_ROUNDING);
    CHECK(memcmp(&once, &copy, sizeof once) == 0, "two numbers are taken");
}

/* Beyond 4 on either side, and neighbours, of which the polar method could make a pair. */
static void test_normal_far(void) {
    const int N_FAR = 4 * N;
    double n_below = 0, n_above = 0, before = 0, products = 0;
    for (int i = 0; i < N_FAR; i++) {
        const double x = ldp_random_normal(&stream);
        n_below += x < -4;
        n_above += x > 4;
        products += x * before;
        before = x;
    }
    check_share(n_below, N_FAR, pnorm(-4, 0, 1, 1, 0), "normal", "below -4");
    check_share(n_above, N_FAR, pnorm(-4, 0, 1, 1, 0), "normal", "above 4");
    check_mean(products, N_FAR, 0, 1, "products of normal neighbours");
}

static void test_exponential_and_normal(void) {
    const sampler exponential = {
        draw_exponential, exponential_cdf, exponential_quantile, NULL, {1, 0}, 1, 1, 9, 0,
        "exponential"};
    const sampler normal = {draw_normal, normal_cdf, normal_quantile, NULL,    {0, 1}, 0,
                            1,           3,          -INFINITY,       "normal"};
    check_sampler(&exponential);
    check_sampler(&normal);
    test_exponential_again();
    test_normal_far();
}

/* ---- gamma ----------------------------------------------------------------------------------- */

static double draw_gamma(ldp_stream *of, const double *theta) {
    return ldp_random_gamma(of, theta[0]);
}
static double gamma_cdf(double x, int lower, const double *theta) {
    return pgamma(x, theta[0], theta[1], lower, 0);
}
static double gamma_quantile(double p, int lower, const double *theta) {
    return qgamma(p, theta[0], theta[1], lower, 0);
}

/* For small shapes: the sum of all draws is a gamma number as well. */
static void check_gamma_sum(double shape, const char *name) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += draws[i];
    check_two_sided(pgamma(sum, N * shape, 1, 1, 0), pgamma(sum, N * shape, 1, 0, 0), name, "sum");
}

static void test_gamma(void) {
    for (size_t i = 0; i < LENGTH(SHAPES); i++) {
        const double a = SHAPES[i];
        sampler gamma = {draw_gamma, gamma_cdf, gamma_quantile,  NULL,    {a, 1},
                         a,          a,         3 * a * (a + 2), DBL_MIN, ""};
        snprintf(gamma.name, sizeof gamma.name, "Gamma(%g)", a);
        if (a < 0.5)
            gamma.fourth = 0;
        check_sampler(&gamma);
        if (a < 0.5)
            check_gamma_sum(a, gamma.name);
    }
}

/* ---- Poisson and binomial -------------------------------------------------------------------- */

static double draw_poisson(ldp_stream *of, const double *theta) {
    return ldp_random_poisson(of, theta[0]);
}
static double poisson_cdf(double x, int lower, const double *theta) {
    return ppois(x, theta[0], lower, 0);
}
static double poisson_quantile(double p, int lower, const double *theta) {
    return qpois(p, theta[0], lower, 0);
}
static double poisson_pmf(double x, const double *theta) {
    return dpois(x, theta[0], 0);
}

static void test_poisson(void) {
    for (size_t i = 0; i < LENGTH(MEANS); i++) {
        const double m = MEANS[i];
        sampler poisson = {
            draw_poisson, poisson_cdf, poisson_quantile, poisson_pmf, {m, 0}, m, m, m + 3 * m * m,
            -INFINITY,    ""};
        snprintf(poisson.name, sizeof poisson.name, "Poisson(%g)", m);
        check_sampler(&poisson);
    }
}

static double draw_binomial(ldp_stream *of, const double *theta) {
    return ldp_random_binomial(of, theta[0], theta[1]);
}
static double binomial_cdf(double x, int lower, const double *theta) {
    return pbinom(x, theta[0], theta[1], lower, 0);
}
static double binomial_quantile(double p, int lower, const double *theta) {
    return qbinom(p, theta[0], theta[1], lower, 0);
}
/* Near n, dbinom loses the digits of 1 - x/n. */
static double binomial_pmf(double x, const double *theta) {
    const double n = theta[0], p = theta[1];
    return p > 0.5 ? dbinom(n - x, n, 1 - p, 0) : dbinom(x, n, p, 0);
}

static void test_binomial(void) {
    for (size_t i = 0; i < LENGTH(TRIALS); i++) {
        const double n = TRIALS[i][0], p = TRIALS[i][1], v = n * p * (1 - p);
        sampler binomial = {draw_binomial,
                            binomial_cdf,
                            binomial_quantile,
                            binomial_pmf,
                            {n, p},
                            n * p,
                            v,
                            v * (1 + 3 * v - 6 * p * (1 - p)),
                            -INFINITY,
                            ""};
        snprintf(binomial.name, sizeof binomial.name, "Binomial(%g, %g)", n, p);
        if (N * v < 1000)
            binomial.fourth = 0;
        check_sampler(&binomial);
    }
}

/* What makes transformed rejection exact. With x(U) of ldp_random.c and its derivative g(u) =
 * a/u^2 + b, u = 1/2 - |U|, a proposal is accepted with probability P(x) g(u)/t, which must not
 * exceed 1, and from u = 0.07 on must not be below v. As g falls with u, the edges of each x tell.
 */
typedef struct envelope {
    double a, b, c, v, t, lowest_accepted, largest;
} envelope;

/* The u at which x(U) - c is y: b u^2 + (2 a - b/2 + |y|) u - a = 0. */
static double edge_at(const envelope *e, double y) {
    const double linear = 2 * e->a - e->b / 2 + fabs(y);
    const double root = sqrt(linear * linear + 4 * e->a * e->b);
    return linear > 0 ? 2 * e->a / (linear + root) : (root - linear) / (2 * e->b);
}

static void see_value(envelope *e, double x, double p) {
    const double low = x - e->c, high = low + 1, one = edge_at(e, low), other = edge_at(e, high);
    const double nearest = low <= 0 && high > 0 ? 0.5 : fmax(one, other), far = fmin(one, other);
    e->largest = fmax(e->largest, p * (e->a / (far * far) + e->b) / e->t);
    if (nearest >= 0.07)
        e->lowest_accepted =
            fmin(e->lowest_accepted, p * (e->a / (nearest * nearest) + e->b) / e->t);
}

static void check_envelope(const envelope *e, const char *name, double n, double p) {
    CHECK(e->largest <= 1 && e->largest > 0.93, "%s(%g, %g): accepted with probability %.6f", name,
          n, p, e->largest);
    CHECK(e->lowest_accepted >= e->v, "%s(%g, %g): %.6f is accepted, %.6f should be", name, n, p,
          e->v, e->lowest_accepted);
}

static void check_envelope_poisson(double mean) {
    const double b = 0.931 + 2.53 * sqrt(mean), reach = 20 + 20 * sqrt(mean);
    envelope e = {-0.059 + 0.02483 * b,
                  b,
                  mean + 0.43,
                  0.9277 - 3.73 / (b - 2),
                  1.1239 + 1.196 / (b - 3.4),
                  1,
                  0};
    for (double x = fmax(0, floor(mean - reach)); x < mean + reach; x++)
        see_value(&e, x, dpois(x, mean, 0));
    check_envelope(&e, "Poisson", mean, 0);
}

static void check_envelope_binomial(double n, double p) {
    const double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    const double reach = 20 + 20 * deviation, log_mode = dbinom(floor((n + 1) * p), n, p, 1);
    envelope e = {-0.0873 + 0.0248 * b + 0.01 * p,
                  b,
                  n * p + 0.5,
                  0.92 - 4.2 / b,
                  (2.83 + 5.1 / b) * deviation,
                  1,
                  0};
    for (double x = fmax(0, floor(n * p - reach)); x <= fmin(n, n * p + reach); x++)
        see_value(&e, x, exp(dbinom(x, n, p, 1) - log_mode));
    check_envelope(&e, "Binomial", n, p);
}

static void test_envelopes(void) {
    static const double ps[] = {1e-12, 1e-4, 0.01, 0.1, 0.3, 0.45, 0.5};
    for (double mean = 10; mean < 1e6; mean *= mean < 1000 ? 1.003 : 1.3)
        check_envelope_poisson(mean);
    for (size_t i = 0; i < LENGTH(ps); i++)
        for (double mean = 10; mean < 1e6; mean *= mean < 1000 ? 1.01 : 1.3)
            check_envelope_binomial(ceil(mean / ps[i]), ps[i]);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Whole, and no further from the mean than ten standard deviations and its rounding. */
static int is_near(double x, double mean, double variance) {
    return x == floor(x) && fabs(x - mean) <= 10 * sqrt(variance) + 4 * DBL_EPSILON * mean;
}

static void test_edges_poisson(void) {
    static const double huge[] = {1e15, 9007199254740993., 1e18, 1e100, 1e300, DBL_MAX};
    CHECK(isnan(ldp_random_poisson(&stream, NAN)), "NaN");
    CHECK(isnan(ldp_random_poisson(&stream, INFINITY)), "infinite");
    for (int i = 0; i < 1000; i++) {
        CHECK_NEAR(ldp_random_poisson(&stream, 0), 0, TOL_EXACT);
        CHECK_NEAR(ldp_random_poisson(&stream, 4.9406564584124654e-324), 0, TOL_EXACT);
        for (size_t j = 0; j < LENGTH(huge); j++) {
            const double x = ldp_random_poisson(&stream, huge[j]);
            CHECK(is_near(x, huge[j], huge[j]), "Poisson(%g): %.17g", huge[j], x);
        }
    }
}

static void test_edges_binomial(void) {
    static const double ns[] = {0, 1, 19, 1e9, 1e15, 1e18, 1e300};
    static const double ps[] = {4.9406564584124654e-324, 1e-300, 1e-17, 0.5, 1 - DBL_EPSILON / 2};
    CHECK(isnan(ldp_random_binomial(&stream, NAN, 0.5)), "NaN");
    CHECK(isnan(ldp_random_binomial(&stream, 3, NAN)), "NaN");
    for (int i = 0; i < 1000; i++)
        for (size_t j = 0; j < LENGTH(ns); j++) {
            CHECK_NEAR(ldp_random_binomial(&stream, ns[j], 0), 0, TOL_EXACT);
            CHECK_NEAR(ldp_random_binomial(&stream, ns[j], 1), ns[j], TOL_EXACT);
            for (size_t k = 0; k < LENGTH(ps); k++) {
                const double n = ns[j], p = ps[k], x = ldp_random_binomial(&stream, n, p);
                CHECK(x >= 0 && x <= n && is_near(x, n * p, n * p * (1 - p) + 10),
                      "Binomial(%g, %g): %.17g", n, p, x);
            }
        }
}

static void test_edges_gamma(void) {
    static const double huge[] = {1e15, 1e18, 1e100, 1e300, DBL_MAX};
    CHECK(isnan(ldp_random_gamma(&stream, NAN)), "NaN");
    for (int i = 0; i < 1000; i++) {
        CHECK(isinf(ldp_random_gamma(&stream, INFINITY)), "infinite");
        CHECK_NEAR(ldp_random_gamma(&stream, 0), 0, TOL_EXACT);
        CHECK_NEAR(ldp_random_gamma(&stream, 4.9406564584124654e-324), 0, TOL_EXACT);
        for (size_t j = 0; j < LENGTH(huge); j++) {
            const double x = ldp_random_gamma(&stream, huge[j]);
            CHECK(fabs(x - huge[j]) <= 10 * sqrt(huge[j]) + DBL_EPSILON * huge[j],
                  "Gamma(%g): %.17g", huge[j], x);
        }
    }
}

/* A stream that gives 2^-53 for ever: tries come to an end, with a number at the centre of the
 * distribution. */
static void test_broken_stream(void) {
    ldp_stream broken = {{0, 0, 0, 0}};
    CHECK_NEAR(ldp_random_exponential(&broken), LDP_TRIES * AGAIN, TOL_SERIES);
    CHECK_NEAR(ldp_random_normal(&broken), 0, TOL_EXACT);
    CHECK_NEAR(ldp_random_poisson(&broken, 3), 0, TOL_EXACT);
    CHECK_NEAR(ldp_random_poisson(&broken, 33.5), 33, TOL_EXACT);
    CHECK_NEAR(ldp_random_binomial(&broken, 100, 0.3), 30, TOL_EXACT);
    CHECK_NEAR(ldp_random_binomial(&broken, 100, 0.7), 70, TOL_EXACT);
    for (size_t i = 0; i < LENGTH(SHAPES); i++)
        CHECK(isfinite(ldp_random_gamma(&broken, SHAPES[i])), "Gamma(%g)", SHAPES[i]);
}

/* ---- what a draw depends on ------------------------------------------------------------------ */

/* One number of every branch. */
enum { N_BRANCHES = 9 };

static double draw_branch(ldp_stream *of, int branch) {
    switch (branch) {
    case 0:
        return ldp_random_exponential(of);
    case 1:
        return ldp_random_normal(of);
    case 2:
        return ldp_random_gamma(of, 0.5);
    case 3:
        return ldp_random_gamma(of, 7.3);
    case 4:
        return ldp_random_gamma(of, 40);
    case 5:
        return ldp_random_poisson(of, 3);
    case 6:
        return ldp_random_poisson(of, 1000);
    case 7:
        return ldp_random_binomial(of, 20, 0.3);
    default:
        return ldp_random_binomial(of, 1000, 0.6);
    }
}

/* The same stream gives the same numbers, whatever is drawn of others in between. */
static void test_same_stream(void) {
    for (int branch = 0; branch < N_BRANCHES; branch++) {
        ldp_stream one = ldp_stream_for(11, LDP_USE_ROW, 0, branch), two = one;
        int n_equal = 0;
        for (int i = 0; i < 1000; i++) {
            const double x = draw_branch(&one, branch);
            for (int other = 0; other < N_BRANCHES; other++)
                draw_branch(&stream, other);
            n_equal += x == draw_branch(&two, branch);
        }
        CHECK(n_equal == 1000, "branch %d: %d of 1000 are equal", branch, n_equal);
        CHECK(memcmp(&one, &two, sizeof one) == 0, "branch %d: streams differ", branch);
    }
}

/* The second number of each branch of one stream, as it was when this test was written. Where these
 * change, so does every fit under a given seed. */
static void test_frozen(void) {
    static const double expected[N_BRANCHES] = {0.81967621789385836,
                                                -0.35699890545692969,
                                                3.1983651308707675,
                                                6.9131558211696422,
                                                36.773434640759746,
                                                3,
                                                974,
                                                6,
                                                613};
    for (int branch = 0; branch < N_BRANCHES; branch++) {
        ldp_stream one = ldp_stream_seeded(1234567);
        draw_branch(&one, branch);
        CHECK_NEAR(draw_branch(&one, branch), expected[branch], TOL_ROUNDING);
    }
}

/* ---- the streams of a sweep ------------------------------------------------------------------ */

enum { N_STREAMS = 200000 };

typedef struct place {
    uint64_t seed;
    ldp_use use;
    int mode, index;
} place;

static ldp_stream stream_of(place at) {
    return ldp_stream_for(at.seed, at.use, at.mode, at.index);
}

/* First numbers of N_STREAMS pairs of neighbours: uniform, and so is (but for a transformation)
 * their product; exponential numbers, which look at other bits, have no correlation. */
static void check_neighbours(place (*one)(int i), place (*other)(int i), const char *name) {
    law first = law_uniform(), second = law_uniform(), product = law_uniform();
    double products = 0;
    for (int i = 0; i < N_STREAMS; i++) {
        ldp_stream a = stream_of(one(i)), b = stream_of(other(i));
        const double u = ldp_stream_uniform(&a), v = ldp_stream_uniform(&b);
        law_see_uniform(&first, u);
        law_see_uniform(&second, v);
        law_see_uniform(&product, u * v * (1 - log(u * v))); /* P(u v <= t) = t (1 - log t) */
        products += (ldp_random_exponential(&a) - 1) * (ldp_random_exponential(&b) - 1);
    }
    law_check(&first, name);
    law_check(&second, name);
    law_check(&product, name);
    check_mean(products, N_STREAMS, 0, 1, name);
    law_free(&first);
    law_free(&second);
    law_free(&product);
}

enum { TESTS_OF_NEIGHBOURS = 4 };

/* Pairs have no member in common: what is tested is independent from pair to pair. */
static place even_row(int i) {
    return (place){1, LDP_USE_ROW, 0, 2 * i};
}
static place odd_row(int i) {
    return (place){1, LDP_USE_ROW, 0, 2 * i + 1};
}
static place of_mode_1(int i) {
    return (place){2, LDP_USE_ITEM, 1, i};
}
static place of_mode_2(int i) {
    return (place){2, LDP_USE_ITEM, 2, i};
}
static place of_rows(int i) {
    return (place){3, LDP_USE_ROW, 0, i};
}
static place of_items(int i) {
    return (place){3, LDP_USE_ITEM, 0, i};
}
static place of_scales(int i) {
    return (place){3, LDP_USE_SCALE, 0, i};
}
static place of_dispersions(int i) {
    return (place){3, LDP_USE_DISPERSION, 0, i};
}
static place even_seed(int i) {
    return (place){2 * (uint64_t)i, LDP_USE_ROW, 0, 7};
}
static place odd_seed(int i) {
    return (place){2 * (uint64_t)i + 1, LDP_USE_ROW, 0, 7};
}
/* Row i of one sweep and row i + 1 of the sweep before. */
static place diagonal(int i) {
    return (place){(uint64_t)i, LDP_USE_ROW, 0, i};
}
static place diagonal_before(int i) {
    return (place){(uint64_t)i - 1, LDP_USE_ROW, 0, i + 1};
}

enum { PAIRS_OF_NEIGHBOURS = 6 };

static void test_neighbours(void) {
    check_neighbours(even_row, odd_row, "rows");
    check_neighbours(of_mode_1, of_mode_2, "modes");
    check_neighbours(of_rows, of_items, "uses, rows and items");
    check_neighbours(of_scales, of_dispersions, "uses, scales and dispersions");
    check_neighbours(even_seed, odd_seed, "seeds");
    check_neighbours(diagonal, diagonal_before, "seeds and rows");
}

static int ascending(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* No two places share a stream: the first numbers of 5 uses, 4 modes, 100 rows and 100 seeds are
 * all different. By chance two of 2e5 numbers of 64 bits are equal with probability 1e-9. */
static void test_all_different(void) {
    enum { USES = LDP_USE_DISPERSION + 1, MODES = 4, ROWS = 100, SEEDS = 100 };
    const size_t n = (size_t)USES * MODES * ROWS * SEEDS;
    uint64_t *const firsts = check_alloc(n, sizeof *firsts);
    for (size_t i = 0; i < n; i++) {
        const size_t row = i % ROWS, mode = i / ROWS % MODES, use = i / ROWS / MODES % USES;
        const place at = {i / ROWS / MODES / USES, (ldp_use)use, (int)mode, (int)row};
        ldp_stream one = stream_of(at);
        firsts[i] = ldp_stream_next(&one);
    }
    qsort(firsts, n, sizeof *firsts, ascending);
    int n_equal = 0;
    for (size_t i = 1; i < n; i++)
        n_equal += firsts[i] == firsts[i - 1];
    random_level();
    CHECK(n_equal == 0, "%d pairs of streams begin alike", n_equal);
    free(firsts);
}

/* The largest numbers of rows and modes do not run into one another. */
static void test_largest(void) {
    static const place places[] = {
        {5, LDP_USE_ROW, 0, INT32_MAX}, {5, LDP_USE_ROW, 1, 0},  {5, LDP_USE_ROW, 1, INT32_MAX},
        {5, LDP_USE_ROW, 65535, 0},     {5, LDP_USE_ITEM, 0, 0}, {UINT64_MAX, LDP_USE_ROW, 0, 0},
        {0, LDP_USE_ROW, 0, 0},
    };
    for (size_t i = 0; i < LENGTH(places); i++)
        for (size_t j = 0; j < i; j++) {
            const ldp_stream one = stream_of(places[i]), other = stream_of(places[j]);
            for (int k = 0; k < 4; k++)
                CHECK(one.s[k] != other.s[k], "places %zu and %zu, word %d", i, j, k);
        }
}

int main(void) {
    check_begin();
    if (check_extended())
        N = MOST;
    random_budget(TESTS_OF_SAMPLER * (int)(2 + LENGTH(SHAPES) + LENGTH(MEANS) + LENGTH(TRIALS)) +
                  LENGTH(MEANS) + LENGTH(TRIALS) + 2 + 3 +
                  PAIRS_OF_NEIGHBOURS * TESTS_OF_NEIGHBOURS + 1);
    set_seed(1301, 2602);
    stream = ldp_stream_seeded(1301);
    test_exponential_and_normal();
    test_gamma();
    test_poisson();
    test_binomial();
    test_envelopes();
    test_edges_poisson();
    test_edges_binomial();
    test_edges_gamma();
    test_broken_stream();
    test_same_stream();
    test_frozen();
    test_neighbours();
    test_all_different();
    test_largest();
    random_budget_kept();
    return check_report("random");
}
