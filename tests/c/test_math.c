/* The inner loops, at every length around the step of four that they take. */
#include "check.h"
#include "ldp_math.h"

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
    return check_report("math");
}
