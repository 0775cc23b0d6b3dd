/* Exposures against plain loops in long double. */
#include <string.h>

#include <Rmath.h>

#include "check.h"
#include "ldp_exposure.h"

static double weight_of(ldp_weighted rows, int j) {
    return rows.weight ? rows.weight[j] : 1;
}

/* The definition: the rows of from .. to-1 that are missing, or that are not, less self. */
static double by_definition(ldp_weighted rows, const char *is_missing, int missing, int self,
                            int k) {
    long double sum = 0;
    for (int j = rows.from; j < rows.to; j++)
        if (j != self && is_missing[j] == missing)
            sum += (long double)weight_of(rows, j) * rows.factor[j * rows.K + k];
    return (double)sum;
}

/* All functions, for one choice of missing rows. */
static void check_rows(ldp_weighted rows, const char *is_missing, int self) {
    const size_t K = (size_t)rows.K;
    double *const total = new_doubles(K), *const out = new_doubles(K),
                  *const listed = new_doubles(K);
    size_t n_missing = 0;
    for (int j = rows.from; j < rows.to; j++)
        n_missing += is_missing[j] != 0;
    int *const missing = check_alloc(n_missing, sizeof *missing);
    n_missing = 0;
    for (int j = rows.from; j < rows.to; j++)
        if (is_missing[j])
            missing[n_missing++] = j;
    /* a row that is mostly missing is added up: no digit is lost */
    const int mostly_missing = 2 * n_missing > (size_t)(rows.to - rows.from);
    const double tolerance = mostly_missing ? TOL_ROUNDING : TOL_DIFFERENCE;
    ldp_exposure_total(rows, total);
    for (int k = 0; k < rows.K; k++) {
        const double all = by_definition(rows, is_missing, 0, LDP_NO_SELF, k) +
                           by_definition(rows, is_missing, 1, LDP_NO_SELF, k);
        CHECK_NEAR(total[k] / all, 1, TOL_ROUNDING);
    }
    if (self != LDP_NO_SELF)
        ldp_exposure_leave_out(rows, self, total);
    ldp_exposure_observed(rows, total, missing, n_missing, self, out);
    for (int k = 0; k < rows.K; k++)
        listed[k] = k + 0.5;
    ldp_exposure_listed(rows, missing, n_missing, listed);
    for (int k = 0; k < rows.K; k++) {
        const double observed = by_definition(rows, is_missing, 0, self, k);
        const double left = by_definition(rows, is_missing, 1, LDP_NO_SELF, k);
        CHECK_NEAR(listed[k], k + 0.5 + left, TOL_ROUNDING);
        CHECK(out[k] >= 0, "%g below 0", out[k]);
        CHECK_NEAR(observed > 0 ? out[k] / observed : 1 + out[k], 1, tolerance);
    }
    free(total);
    free(out);
    free(listed);
    free(missing);
}

/* Few, half, most and all rows missing; factors over many orders of magnitude. */
static void test_random_rows(int K, int n, double missing_rate, double spread, int weighted) {
    double *const factor = new_doubles((size_t)(n * K)), *const weight = new_doubles((size_t)n);
    char *const is_missing = check_alloc((size_t)n, 1);
    for (int i = 0; i < n * K; i++)
        factor[i] = exp(spread * norm_rand());
    for (int j = 0; j < n; j++) {
        weight[j] = unif_rand();
        is_missing[j] = unif_rand() < missing_rate;
    }
    const double *const w = weighted ? weight : NULL;
    check_rows((ldp_weighted){K, 0, n, factor, w}, is_missing, LDP_NO_SELF);
    if (n > 8)
        check_rows((ldp_weighted){K, 3, n - 2, factor, w}, is_missing, LDP_NO_SELF);
    const int self = n / 2;
    is_missing[self] = 0;
    check_rows((ldp_weighted){K, 0, n, factor, w}, is_missing, self);
    free(factor);
    free(weight);
    free(is_missing);
}

/* A row of 1e20 is left out of rows of 1: the difference with the total would be 0 or worse. */
static void check_cancellation(int n, int huge_self, const double *weight, double expected) {
    double *const factor = new_doubles(2 * (size_t)n);
    for (int i = 0; i < 2 * n; i++)
        factor[i] = 1;
    factor[2 * 3] = factor[2 * 3 + 1] = 1e20;
    factor[2 * 7 + 1] = 5;
    const ldp_weighted rows = {2, 0, n, factor, weight};
    double total[2], out[2];
    const int missing[] = {3};
    ldp_exposure_total(rows, total);
    if (huge_self)
        ldp_exposure_leave_out(rows, 3, total);
    ldp_exposure_observed(rows, total, missing, huge_self ? 0 : 1, huge_self ? 3 : LDP_NO_SELF,
                          out);
    CHECK_NEAR(out[0], expected, TOL_EXACT);
    CHECK_NEAR(out[1], expected + 4 * (weight ? weight[7] : 1), TOL_EXACT);
    free(factor);
}

static void test_cancellation(void) {
    double weight[20];
    for (int j = 0; j < 20; j++)
        weight[j] = 0.5;
    check_cancellation(20, 0, NULL, 19);
    check_cancellation(20, 1, NULL, 19);
    check_cancellation(20, 0, weight, 9.5);
    check_cancellation(20, 1, weight, 9.5);
}

/* Only one of two components loses its digits; and a huge row that stays is no trouble. */
static void test_one_component(void) {
    const double factor[] = {1, 1, 1, 1e20, 1, 1, 2, 1};
    const ldp_weighted rows = {2, 0, 4, factor, NULL};
    const int second[] = {1}, first[] = {0};
    double total[2], out[2];
    ldp_exposure_total(rows, total);
    ldp_exposure_observed(rows, total, second, 1, LDP_NO_SELF, out);
    CHECK_NEAR(out[0], 4, TOL_EXACT);
    CHECK_NEAR(out[1], 3, TOL_EXACT);
    ldp_exposure_leave_out(rows, 3, total);
    ldp_exposure_observed(rows, total, first, 1, 3, out);
    CHECK_NEAR(out[0], 2, TOL_EXACT);
    CHECK_NEAR(out[1], 1e20, TOL_EXACT);
}

/* Whole numbers, by hand: nothing missing, all missing, only self left, no rows. */
static void test_by_hand(void) {
    const double factor[] = {1, 10, 2, 20, 4, 40}, weight[] = {3, 5, 7};
    const ldp_weighted plain = {2, 0, 3, factor, NULL}, weighted = {2, 0, 3, factor, weight};
    const ldp_weighted none = {2, 1, 1, factor, weight};
    const int all[] = {0, 1, 2}, ends[] = {0, 2};
    double total[2], out[2];
    ldp_exposure_total(plain, total);
    CHECK(total[0] == 7 && total[1] == 70, "%g %g", total[0], total[1]);
    ldp_exposure_observed(plain, total, NULL, 0, LDP_NO_SELF, out);
    CHECK(out[0] == 7 && out[1] == 70, "%g %g", out[0], out[1]);
    ldp_exposure_observed(plain, total, all, 3, LDP_NO_SELF, out);
    CHECK(out[0] == 0 && out[1] == 0, "%g %g", out[0], out[1]);
    ldp_exposure_leave_out(plain, 1, total);
    CHECK(total[0] == 5 && total[1] == 50, "%g %g", total[0], total[1]);
    ldp_exposure_observed(plain, total, ends, 2, 1, out);
    CHECK(out[0] == 0 && out[1] == 0, "%g %g", out[0], out[1]);
    ldp_exposure_total(weighted, total);
    CHECK(total[0] == 41 && total[1] == 410, "%g %g", total[0], total[1]);
    ldp_exposure_leave_out(weighted, 1, total);
    ldp_exposure_observed(weighted, total, ends, 1, 1, out);
    CHECK(out[0] == 28 && out[1] == 280, "%g %g", out[0], out[1]);
    out[0] = out[1] = 1;
    ldp_exposure_listed(weighted, ends, 2, out);
    CHECK(out[0] == 32 && out[1] == 311, "%g %g", out[0], out[1]);
    ldp_exposure_total(none, total);
    CHECK(total[0] == 0 && total[1] == 0, "%g %g", total[0], total[1]);
}

int main(void) {
    static const double rates[] = {0, 0.1, 0.45, 0.55, 0.95, 1};
    check_begin();
    set_seed(60, 1);
    test_by_hand();
    test_cancellation();
    test_one_component();
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (int repeat = 0; repeat < 40; repeat++)
            test_random_rows(1 + repeat % 5, 1 + 2 * repeat, rates[r], 4.0 * (repeat % 4),
                             repeat / 2 % 2);
    return check_report("exposure");
}
