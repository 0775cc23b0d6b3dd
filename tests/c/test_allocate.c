/* Splits of a count: totals, zero and tiny weights, and the distribution of every share. */
#include <string.h>

#include "check.h"
#include "ldp_allocate.h"
#include "random.h"

enum { MOST = 8, N = 60000 };

static ldp_stream stream;

/* One split in blocks of exact size, `first` and `second` starting from what they hold. */
static void split(double y, int K, const double *a, const double *b, double *first,
                  double *second) {
    const size_t size = (size_t)K;
    double *const work = new_doubles(size), *const one = new_doubles(size);
    double *const two = new_doubles(size);
    memcpy(one, first, size * sizeof *one);
    memcpy(two, second, size * sizeof *two);
    ldp_tally tally = {.to = two};
    ldp_allocate(&stream, y, K, a, b, one, &tally, 0, work);
    ldp_tally_settle(&tally);
    memcpy(first, one, size * sizeof *one);
    memcpy(second, two, size * sizeof *two);
    free(work);
    free(one);
    free(two);
}

/* `first` starts at 100 k, `second` at 1000: both must grow by the same whole numbers, y in all,
 * and none where the weight is 0. */
static void check_split(double y, int K, const double *a, const double *b) {
    double first[MOST], second[MOST], total = 0;
    for (int k = 0; k < K; k++) {
        first[k] = 100 * k;
        second[k] = 1000;
    }
    split(y, K, a, b, first, second);
    for (int k = 0; k < K; k++) {
        const double share = first[k] - 100 * k;
        CHECK(share >= 0 && share == floor(share), "y = %g, K = %d: share %g", y, K, share);
        CHECK(share == second[k] - 1000, "%g and %g", share, second[k] - 1000);
        CHECK(share == 0 || (a[k] > 0 && b[k] > 0), "weight 0 of %d got %g of %g", k, share, y);
        total += share;
    }
    CHECK_NEAR(total, y, TOL_EXACT);
}

/* Tokens up to y = 2 K, binomials beyond; 2^31 is where Rmath's rbinom changes its method. */
static const double ys[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 100, 12345, 1e9, 2147483647, 5e9, 1e15};
enum { N_YS = sizeof ys / sizeof *ys };

static void test_totals(void) {
    static const double plain[MOST] = {0.3, 2, 0.01, 5, 1, 1, 0.7, 3};
    static const double ones[MOST] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const double gaps[MOST] = {0, 2, 0, 5, 1e-30, 1, 0, 0};
    static const double last[MOST] = {0, 0, 0, 0, 0, 0, 0, 4};
    static const double first[MOST] = {4, 0, 0, 0, 0, 0, 0, 0};
    static const double third[MOST] = {1. / 3, 1. / 3, 1. / 3, 1. / 7, 1. / 7, 0, 1. / 9, 0};
    static const double huge[MOST] = {1e100, 1e-100, 0, 1e150, 3, 1e150, 1e-300, 0};
    static const double *const weights[] = {plain, ones, gaps, last, first, third, huge};
    for (size_t w = 0; w < sizeof weights / sizeof *weights; w++)
        for (int i = 0; i < N_YS; i++) {
            check_split(ys[i], MOST, weights[w], plain);
            check_split(ys[i], MOST, ones, weights[w]);
        }
    for (int i = 0; i < N_YS; i++) {
        check_split(ys[i], 1, plain, ones); /* K = 1: everything to the one component */
        check_split(ys[i], 1, &huge[6], &huge[6]);
        check_split(ys[i], 2, &gaps[1], ones);
    }
}

/* Every share is binomial, and so is the sum of the first two, which sees their dependence. */
static void check_law(const char *label, double y, int K, const double *a, const double *b,
                      const double *p) {
    law share[MOST + 1];
    char name[120];
    for (int k = 0; k <= K; k++) {
        share[k] = law_new(0, (int)y + 1);
        const double prob = k < K ? p[k] : p[0] + p[1];
        for (int i = 0; i <= y; i++)
            share[k].p[i] = dbinom(i, y, prob, 0);
    }
    for (int i = 0; i < N; i++) {
        double first[MOST] = {0}, second[MOST] = {0};
        split(y, K, a, b, first, second);
        for (int k = 0; k < K; k++)
            law_see(&share[k], first[k]);
        law_see(&share[K], first[0] + first[1]);
    }
    for (int k = 0; k <= K; k++) {
        snprintf(name, sizeof name, "%s, y = %g, share %d", label, y, k);
        law_check(&share[k], name);
        law_free(&share[k]);
    }
}

/* 5 tokens of K = 4 one by one, 40 by binomials; the same proportions with tiny weights. */
static void test_laws(void) {
    static const double a[] = {1, 0.5, 4, 0.25}, b[] = {2, 6, 0.5, 12}; /* 2, 3, 2, 3 */
    static const double p[] = {0.2, 0.3, 0.2, 0.3};
    static const double tiny_a[] = {1e-200, 0.5e-200, 4e-200, 0.25e-200};
    static const double tiny_b[] = {2e-200, 6e-200, 0.5e-200, 12e-200};
    /* products about 1e-320, where doubles have three digits left */
    static const double few_a[] = {1e-160, 0.5e-160, 4e-160, 0.25e-160};
    static const double few_b[] = {2e-160, 6e-160, 0.5e-160, 12e-160};
    static const double y[] = {5, 40};
    for (int i = 0; i < 2; i++) {
        check_law("plain", y[i], 4, a, b, p);
        check_law("underflow", y[i], 4, tiny_a, tiny_b, p);
        check_law("few digits", y[i], 4, few_a, few_b, p);
    }
}

/* Tiny weights beside an exact 0: all goes to the others, for both paths. */
static void test_tiny_and_zero(void) {
    static const double a[] = {0, 1e-200, 1e-200, 0}, b[] = {1e-200, 1e-200, 1e-200, 1};
    for (int i = 0; i < N_YS; i++)
        check_split(ys[i], 4, a, b);
    /* a tiny weight beside one that is 1e200 times larger gets nothing */
    static const double c[] = {1e-300, 1e-100};
    double first[2] = {0, 0}, second[2] = {0, 0};
    split(1e6, 2, c, c, first, second);
    CHECK(first[0] == 0 && first[1] == 1e6, "%g %g", first[0], first[1]);
}

/* A billion tokens: the mean share. */
static void test_billion(void) {
    static const double a[] = {1, 2, 5}, b[] = {1, 1, 1};
    double sum[3] = {0}, ignored[3] = {0};
    for (int i = 0; i < 100; i++)
        split(1e9, 3, a, b, sum, ignored);
    for (int k = 0; k < 3; k++) {
        const double p = a[k] / 8;
        check_mean(sum[k], 100, 1e9 * p, 1e9 * p * (1 - p), "share of a billion");
    }
}

int main(void) {
    check_begin();
    random_budget(33);
    set_seed(70, 1);
    stream = ldp_stream_seeded(70);
    test_totals();
    test_laws();
    test_tiny_and_zero();
    test_billion();
    random_budget_kept();
    return check_report("allocate");
}
