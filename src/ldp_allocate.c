/* A multinomial split of y tokens with weights a_k b_k. Few tokens are placed one by one by
 * their cumulative weights; many by conditional binomials, whose cost does not grow with y.
 * (rmultinom of Rmath stops the program when probabilities miss 1 by 1e-7.) */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_allocate.h"

/* A binomial draw costs about as much as placing two tokens. */
static int by_tokens(double y, int K) {
    return y <= 2.0 * K;
}

/* Below this, products of weights have lost digits to underflow. */
static const double SMALL_TOTAL = 1e-290;

static int in_range(double total) {
    return total >= SMALL_TOTAL && total <= DBL_MAX;
}

/* The same weights relative to the largest, by way of their logarithms; all equal where every
 * one is exactly 0, as then nothing tells the components apart. */
static void log_scale_weights(int K, const double *a, const double *b, double *weight) {
    double largest = -INFINITY;
    for (int k = 0; k < K; k++) {
        weight[k] = log(a[k]) + log(b[k]);
        largest = fmax(largest, weight[k]);
    }
    for (int k = 0; k < K; k++)
        weight[k] = isfinite(largest) ? exp(weight[k] - largest) : 1;
}

/* Cumulative weights: place_tokens looks them up, split_binomially takes their ratios. */
static void cumulative_weights(int K, const double *a, const double *b, double *weight) {
    double total = 0;
    for (int k = 0; k < K; k++)
        total += weight[k] = a[k] * b[k];
    if (!in_range(total))
        log_scale_weights(K, a, b, weight);
    for (int k = 1; k < K; k++)
        weight[k] += weight[k - 1];
}

static void place_tokens(double y, int K, const double *cumulative, double *first, double *second) {
    for (double token = 0; token < y; token++) {
        const double u = unif_rand() * cumulative[K - 1];
        int k = 0;
        while (k < K - 1 && u >= cumulative[k])
            k++;
        first[k]++;
        second[k]++;
    }
}

/* From the last component down, so that the lowest one with any weight gets a share of
 * exactly 1, and rounding gives nothing to a component of weight 0. */
static void split_binomially(double y, int K, const double *cumulative, double *first,
                             double *second) {
    for (int k = K - 1; k >= 0 && y > 0; k--) {
        const double below = k > 0 ? cumulative[k - 1] : 0;
        const double n = rbinom(y, (cumulative[k] - below) / cumulative[k]);
        first[k] += n;
        second[k] += n;
        y -= n;
    }
}

void ldp_allocate(double y, int K, const double *a, const double *b, double *first, double *second,
                  double *work) {
    cumulative_weights(K, a, b, work);
    if (by_tokens(y, K))
        place_tokens(y, K, work, first, second);
    else
        split_binomially(y, K, work, first, second);
}
