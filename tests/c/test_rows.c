/* The two passes over listed rows, against plain loops in long double; and the tally. */
#include <string.h>

#include <Rmath.h>

#include "check.h"
#include "ldp_rows.h"
#include "ldp_tally.h"

enum { ROWS = 9 };

/* n rows out of ROWS, some of them twice; every buffer is of exact size. */
static void check_passes(int K, int n) {
    double *const x = new_doubles((size_t)K), *const factor = new_doubles((size_t)(ROWS * K));
    double *const out = new_doubles((size_t)n), *const sum = new_doubles((size_t)K);
    double *const plain = new_doubles((size_t)K), *const weighted = new_doubles((size_t)K);
    double weight[ROWS];
    int *const index = check_alloc((size_t)n, sizeof *index);
    for (int k = 0; k < K; k++)
        x[k] = unif_rand();
    for (int i = 0; i < ROWS * K; i++)
        factor[i] = exp(norm_rand());
    for (int i = 0; i < ROWS; i++)
        weight[i] = unif_rand();
    for (int e = 0; e < n; e++)
        index[e] = (int)(ROWS * unif_rand());
    for (int k = 0; k < K; k++)
        sum[k] = plain[k] = weighted[k] = 100 + k; /* what a pass adds to */
    ldp_rows_dot(K, x, factor, index, n, out, sum);
    ldp_rows_add(K, factor, NULL, index, (size_t)n, plain);
    ldp_rows_add(K, factor, weight, index, (size_t)n, weighted);
    for (int e = 0; e < n; e++) {
        long double dot = 0;
        for (int k = 0; k < K; k++)
            dot += (long double)x[k] * factor[index[e] * K + k];
        CHECK_NEAR(out[e], (double)dot, TOL_ROUNDING);
    }
    for (int k = 0; k < K; k++) {
        long double all = 100 + k, of_weight = 100 + k;
        for (int e = 0; e < n; e++) {
            all += factor[index[e] * K + k];
            of_weight += (long double)weight[index[e]] * factor[index[e] * K + k];
        }
        CHECK_NEAR(sum[k], (double)all, TOL_ROUNDING);
        CHECK_NEAR(plain[k], (double)all, TOL_ROUNDING);
        CHECK_NEAR(weighted[k], (double)of_weight, TOL_ROUNDING);
    }
    free(x);
    free(factor);
    free(out);
    free(sum);
    free(plain);
    free(weighted);
    free(index);
}

/* Every addition is made once, whatever was put off when. */
static void test_tally(void) {
    double to[5] = {0}, expected[5] = {0};
    ldp_tally tally = {.to = to};
    for (int i = 0; i < 5 * LDP_TALLY_ROOM + 3; i++) {
        const size_t place = (size_t)(5 * unif_rand());
        ldp_tally_add(&tally, place);
        expected[place]++;
    }
    ldp_tally_settle(&tally);
    CHECK(memcmp(to, expected, sizeof to) == 0, "%g %g %g %g %g", to[0], to[1], to[2], to[3],
          to[4]);
    ldp_tally_settle(&tally);
    CHECK(memcmp(to, expected, sizeof to) == 0, "settled twice");
}

int main(void) {
    check_begin();
    set_seed(95, 1);
    for (int K = 1; K <= 13; K++)
        for (int n = 0; n <= 13; n++)
            check_passes(K, n);
    check_passes(50, 64);
    test_tally();
    return check_report("rows");
}
