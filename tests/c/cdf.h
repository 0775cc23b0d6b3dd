/* What d, p and q of any distribution on whole numbers owe one another. */
#ifndef CDF_H
#define CDF_H

#include "check.h"

typedef struct law_functions {
    double (*log_pmf)(double x, const double *theta);
    double (*log_cdf)(double x, int lower, const double *theta);
    double (*quantile)(double log_p, int lower, const double *theta);
} law_functions;

/* The tails against sums of the pmf from lowest up and from highest down, outside of which there
 * is nothing to speak of. */
static inline void check_cdf(law_functions f, const double *theta, double lowest, double highest) {
    double sum = 0;
    for (double x = lowest; x <= highest; x++) {
        sum += exp(f.log_pmf(x, theta));
        CHECK_NEAR(exp(f.log_cdf(x, 1, theta)), sum, TOL_SERIES);
    }
    CHECK_NEAR(sum, 1, TOL_SERIES);
    sum = 0;
    for (double x = highest; x > lowest; x--) {
        sum += exp(f.log_pmf(x, theta));
        CHECK_NEAR(exp(f.log_cdf(x - 1, 0, theta)), sum, TOL_SERIES);
    }
}

/* The quantile of a tail's probability is where the tail ends. */
static inline void check_quantile(law_functions f, const double *theta, double x) {
    const double log_pmf = f.log_pmf(x, theta);
    for (int lower = 0; lower <= 1; lower++) {
        const double log_tail = f.log_cdf(x, lower, theta);
        if (log_tail > -1e-300 || log_tail < -1e6 || log_pmf - log_tail < -20 || log_pmf < -600)
            continue; /* a step that rounding hides */
        CHECK_NEAR(f.quantile(log_tail, lower, theta), x, TOL_EXACT);
    }
}

#endif
