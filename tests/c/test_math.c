/* The inner loops, at every length around the step of four that they take. */
#include <float.h>

#include "check.h"
#include "ldp_logs.h"
#include "ldp_math.h"

/* The first and last numbers of every length, and those around 1 and powers of 2. */
static void test_logs(void) {
    const double p[] = {
        DBL_MIN, 0.5, 1 - DBL_EPSILON, 1,     1 + DBL_EPSILON, 0.70710678, 0.7071068,
        2,       3,   1e-300,          1e300, DBL_MAX};
    for (int n = 0; n <= 12; n++) {
        double log_p[13];
        log_p[n] = 7;
        ldp_logs(n, p, log_p);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(log_p[i], log(p[i]), TOL_SERIES);
        CHECK_NEAR(log_p[n], 7, TOL_EXACT);
    }
}

int main(void) {
    check_begin();
    for (int K = 0; K <= 13; K++) {
        double *const x = new_doubles((size_t)K), *const z = new_doubles((size_t)K);
        double dot = 0;
        for (int k = 0; k < K; k++) {
            x[k] = k + 1;
            z[k] = 2 * k - 5;
            dot += x[k] * z[k]; /* small whole numbers: exact in every order */
        }
        CHECK_NEAR(ldp_dot(K, x, z), dot, TOL_EXACT);
        ldp_add(K, x, -3, z);
        for (int k = 0; k < K; k++)
            CHECK_NEAR(x[k], k + 1 - 3 * (2 * k - 5), TOL_EXACT);
        ldp_fill(K, x, 0.25);
        for (int k = 0; k < K; k++)
            CHECK_NEAR(x[k], 0.25, TOL_EXACT);
        free(x);
        free(z);
    }
    test_logs();
    return check_report("math");
}
