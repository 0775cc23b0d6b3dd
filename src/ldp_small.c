/* All terms from y = 0 up, without a division, and one logarithm for many cells. */
#include <math.h>

#include "ldp_small.h"

/* Small is: k up to this, with a ratio of terms of at most RATIO_MOST below k and RATIO_ABOVE above
 * it, so that terms above have ended, to rounding, at TERMS. */
enum { K_MOST = 16, TERMS = 80 };
static const double RATIO_MOST = 1e6;
static const double RATIO_ABOVE = 0.5;
static const double TERM_NEGLIGIBLE = 1e-17;

/* A product of sums, each of them below 1e100, has its logarithm taken from here on. */
static const double PRODUCT_LARGE = 1e200;

static double sum_of_weights(int k, double first, double step, double alpha,
                             const double *inverse) {
    double term = 1, sum = 1;
    int y = 1;
    for (; y <= k; y++) {
        term *= (first + (y - 1) * step) * inverse[y];
        sum += term;
    }
    first *= alpha * alpha;
    step *= alpha * alpha;
    for (; y < TERMS && term > sum * TERM_NEGLIGIBLE; y++) {
        term *= (first + (y - 1) * step) * inverse[y];
        sum += term;
    }
    return sum;
}

double ldp_small_log_density(int n, const double *k, double alpha, const double *mean,
                             double per_mean, double step, int *left, int *n_left) {
    const double log_alpha = log(alpha), log_scale = log1p(-alpha) - log1p(alpha);
    double inverse[TERMS], sum = 0, product = 1;
    *n_left = 0;
    for (int y = 1; y < TERMS; y++)
        inverse[y] = 1.0 / y;
    for (int e = 0; e < n; e++) {
        const double first = mean[e] * per_mean, last = first + k[e] * step;
        if (!(k[e] > 0 && k[e] <= K_MOST && last <= RATIO_MOST &&
              last * alpha * alpha <= RATIO_ABOVE * (k[e] + 1) &&
              step * alpha * alpha <= RATIO_ABOVE)) {
            left[(*n_left)++] = e;
            continue;
        }
        product *= sum_of_weights((int)k[e], first, step, alpha, inverse);
        sum += k[e] * log_alpha + log_scale - mean[e];
        if (product > PRODUCT_LARGE) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}
