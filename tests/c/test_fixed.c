/* Sums of whole quanta: the same in any order and any split, to the last bit; their error; and
 * extremes. */
#include <float.h>
#include <stdint.h>

#include <Rmath.h>

#include "check.h"
#include "ldp_fixed.h"

enum { MOST_K = 9 };

/* n lines of K weights above 0, the largest `most`, over so many powers of e. */
static double *random_lines(int K, int n, double most, double spread) {
    double *const x = new_doubles((size_t)(K * n));
    for (int k = 0; k < K; k++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = fmax(largest, x[j * K + k] = exp(-spread * unif_rand()));
        for (int j = 0; j < n; j++)
            x[j * K + k] = fmax(x[j * K + k] / largest * most, DBL_MIN);
    }
    return x;
}

static void scales_for(int K, int n, const double *x, double *scale) {
    for (int k = 0; k < K; k++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, x[j * K + k]);
        scale[k] = ldp_fixed_scale(most, n);
    }
}

static int *random_order(int n) {
    int *const order = check_alloc((size_t)n, sizeof *order);
    for (int i = 0; i < n; i++) {
        const int j = (int)floor(unif_rand() * (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static int same(const int64_t *a, const int64_t *b, int n) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* --- order, splits and what is left out ------------------------------------------------------ */

/* Line by line in this order, in two sums that are joined. */
static void add_split(int K, int n, const double *scale, const double *weight, const double *x,
                      const int *order, int middle, int64_t *sum) {
    int64_t other[MOST_K] = {0};
    memset(sum, 0, (size_t)K * sizeof *sum);
    for (int i = 0; i < n; i++)
        ldp_fixed_add(K, scale, weight[order[i]], x + order[i] * K, i < middle ? sum : other);
    ldp_fixed_join((size_t)K, other, sum);
}

/* All lines less those that are left out; `alone`: the others alone. */
static void leave_out(int K, int n, const double *scale, const double *weight, const double *x,
                      const int64_t *all, int64_t *less, int64_t *alone) {
    for (int k = 0; k < K; k++) {
        less[k] = all[k];
        alone[k] = 0;
    }
    for (int j = 0; j < n; j++) {
        const int is_out = unif_rand() < 0.9;
        ldp_fixed_add(K, scale, is_out ? -weight[j] : weight[j], x + j * K, is_out ? less : alone);
    }
}

static void test_order(int K, int n, double most, double spread) {
    double *const x = random_lines(K, n, most, spread), *const weight = new_doubles((size_t)n);
    double scale[MOST_K];
    int64_t sum[MOST_K], again[MOST_K],
        less[MOST_K], *const terms = check_alloc((size_t)(K * n), sizeof *terms);
    for (int j = 0; j < n; j++)
        weight[j] = j % 7 ? unif_rand() : j % 2;
    scales_for(K, n, x, scale);
    for (int j = 0; j < n; j++)
        ldp_fixed_round(K, scale, weight[j], x + j * K, terms + j * K);
    for (int repeat = 0; repeat < 5; repeat++) {
        int *const order = random_order(n);
        add_split(K, n, scale, weight, x, order, n * repeat / 4, again);
        if (repeat == 0)
            memcpy(sum, again, sizeof sum);
        CHECK(same(sum, again, K), "K = %d, n = %d: order and split", K, n);
        memset(again, 0, sizeof again);
        ldp_fixed_listed(K, terms, order, (size_t)(n / 2), again);
        ldp_fixed_listed(K, terms, order + n / 2, (size_t)(n - n / 2), again);
        CHECK(same(sum, again, K), "K = %d, n = %d: listed", K, n);
        leave_out(K, n, scale, weight, x, sum, less, again);
        CHECK(same(less, again, K), "K = %d, n = %d: less what is left out", K, n);
        free(order);
    }
    free(terms);
    free(weight);
    free(x);
}

/* --- error ----------------------------------------------------------------------------------- */

/* |sum - right| <= n q/2 with q <= x n 2^-60 or q = 2^-1023, as the header says; and quanta stay
 * below 2^62. */
static void test_error(int n, double most, double spread) {
    double *const x = random_lines(3, n, most, spread);
    double scale[3], value[3];
    int64_t sum[3] = {0};
    scales_for(3, n, x, scale);
    for (int j = 0; j < n; j++)
        ldp_fixed_add(3, scale, 1, x + 3 * j, sum);
    ldp_fixed_value(3, scale, sum, value);
    for (int k = 0; k < 3; k++) {
        long double right = 0, error;
        for (int j = 0; j < n; j++)
            right += x[3 * j + k];
        error = fabsl((long double)sum[k] / scale[k] - right);
        const long double bound = fmaxl(ldexpl((long double)most * n * n, -61), ldexpl(n, -1024));
        CHECK(error <= bound, "n = %d, most = %g: error %Lg, bound %Lg", n, most, error, bound);
        CHECK(sum[k] > 0 && sum[k] < INT64_C(1) << 62, "%lld quanta", (long long)sum[k]);
        CHECK_NEAR(value[k] * scale[k], (double)sum[k], TOL_EXACT);
    }
    free(x);
}

/* Equal terms, as large as they may be: n times the rounded one. */
static void test_equal(double most, int n) {
    const double scale = ldp_fixed_scale(most, n);
    int64_t sum = 0;
    double value;
    CHECK(log2(scale) == floor(log2(scale)) && isfinite(scale), "scale %g", scale);
    for (int j = 0; j < n; j++)
        ldp_fixed_add(1, &scale, 1, &most, &sum);
    ldp_fixed_value(1, &scale, &sum, &value);
    CHECK(sum > 0 && sum <= INT64_C(1) << 62, "%lld quanta", (long long)sum);
    CHECK(sum == n * llrint(most * scale), "%lld quanta", (long long)sum);
    if (most * n < DBL_MAX)
        CHECK(fabs(value / n - most) <= 0.5 / scale * (1 + 1e-9) + most * 1e-15, "%g, should be %g",
              value / n, most);
}

/* Nothing below DBL_MIN is ever a weight: its sums are not 0, nor do they lose more than a quantum
 * of 2^-1023 per term. */
static void test_smallest(int n) {
    const double x[] = {DBL_MIN, 1.25 * DBL_MIN, 5 * DBL_MIN};
    double scale[3], value[3];
    int64_t sum[3] = {0};
    for (int k = 0; k < 3; k++)
        scale[k] = ldp_fixed_scale(x[k], n);
    for (int j = 0; j < n; j++)
        ldp_fixed_add(3, scale, 1, x, sum);
    ldp_fixed_value(3, scale, sum, value);
    for (int k = 0; k < 3; k++) {
        CHECK(isfinite(scale[k]) && value[k] >= n * DBL_MIN, "%g", value[k]);
        CHECK(fabs(value[k] - n * x[k]) <= n * 0.25 * DBL_MIN, "%g, should be %g", value[k],
              n * x[k]);
    }
}

/* --- scatter --------------------------------------------------------------------------------- */

/* `most` quanta at most, of either sign; halves too, which are rounded to even. */
static void test_scatter(int K, int n, double most) {
    enum { LINES = 5 };
    double *const x = new_doubles((size_t)(K * n));
    int *const index = check_alloc((size_t)n, sizeof *index);
    int64_t *const sums = check_alloc((size_t)(LINES * K), sizeof *sums);
    int64_t *const right = check_alloc((size_t)(LINES * K), sizeof *right);
    for (int i = 0; i < K * n; i++) {
        const double u = (2 * unif_rand() - 1) * most;
        x[i] = i % 3 == 0 ? u : i % 3 == 1 ? floor(u) + 0.5 : floor(u);
        x[i] = i % 11 == 0 ? most : i % 13 == 0 ? -most : x[i];
    }
    for (int e = 0; e < n; e++)
        index[e] = (int)floor(unif_rand() * LINES);
    for (int i = 0; i < LINES * K; i++)
        sums[i] = right[i] = i - 7;
    ldp_fixed_scatter(K, x, index, n, sums);
    for (int e = 0; e < n; e++)
        for (int k = 0; k < K; k++)
            right[index[e] * K + k] += llrint(x[e * K + k]);
    CHECK(same(sums, right, LINES * K), "K = %d, n = %d, most = %g", K, n, most);
    free(x);
    free(index);
    free(sums);
    free(right);
}

static void test_scatters(void) {
    const double limit = 2251799813685248.0; /* 2^51 */
    const double mosts[] = {0.5, 1, 1e3, 1e9, limit / 2, limit - 0.5, limit - 0.25};
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++)
        for (int K = 1; K <= MOST_K; K++)
            for (int n = 0; n < 40; n += 13)
                test_scatter(K, n, mosts[i]);
}

/* Terms as large as they may be stay below 2^51 quanta, and their sum below 2^62. */
static void test_few(double most, double n) {
    const double scale = ldp_fixed_scale_few(most, n);
    CHECK(most * scale < 2251799813685248.0 && most * scale * n < 4611686018427387904.0,
          "most = %g, n = %g: %g quanta", most, n, most * scale);
    CHECK(scale <= ldp_fixed_scale(most, n), "finer than for few: %g", scale);
}

int main(void) {
    static const double mosts[] = {DBL_MIN, 3e-300, 1e-20, 0.3, 1, 1.5, 2, 12345.678, 1e200, 1e300};
    check_begin();
    set_seed(61, 1);
    for (int K = 1; K <= MOST_K; K++)
        for (int n = 1; n < 300; n += 1 + n / 2)
            test_order(K, n, mosts[(K + n) % 10], 3.0 * (n % 9));
    test_order(4, 20000, 1, 20);
    for (size_t i = 1; i < sizeof mosts / sizeof *mosts; i++) {
        test_error(1, mosts[i], 0);
        for (int n = 2; n < 30000; n *= 3)
            test_error(n, mosts[i], n % 40);
        for (int n = 1; n < 5000; n = 2 * n + n % 3)
            test_equal(mosts[i], n);
    }
    for (int n = 1; n < 100000; n *= 5)
        test_smallest(n);
    test_scatters();
    for (size_t i = 0; i < sizeof mosts / sizeof *mosts; i++)
        for (double n = 1; n < 2e9; n *= 3)
            test_few(mosts[i], n);
    test_few(DBL_MAX, 1);
    return check_report("fixed");
}
