/* A multinomial split of y tokens with weights a_k b_k. A few tokens are placed one by one by their
 * cumulative weights. Many tokens are split by conditional binomials, whose cost does not grow with
 * y; so are tokens whose weights must be computed on the log scale. (rmultinom of Rmath stops the
 * program when probabilities miss 1 by 1e-7.) */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_allocate.h"
#include "ldp_lanes.h"

enum { BLOCK = 8 };

/* A binomial draw costs about as much as placing two tokens. */
static int by_tokens(double y, int K) {
    return y <= 2.0 * K;
}

/* Below this, products of weights have lost digits to underflow. */
static const double SMALL_TOTAL = 1e-290;

static int in_range(double total) {
    return total >= SMALL_TOTAL && total <= DBL_MAX;
}

/* The same weights relative to the largest, computed from their logarithms. They are all equal if
 * every weight is exactly 0, because nothing then distinguishes the components. */
static void log_scale_weights(int K, const double *a, const double *b, double *weight) {
    double largest = -INFINITY;
    for (int k = 0; k < K; k++) {
        weight[k] = log(a[k]) + log(b[k]);
        largest = fmax(largest, weight[k]);
    }
    for (int k = 0; k < K; k++)
        weight[k] = isfinite(largest) ? exp(weight[k] - largest) : 1;
}

static void cumulative_weights(int K, const double *a, const double *b, double *weight) {
    double total = 0;
    for (int k = 0; k < K; k++)
        total += weight[k] = a[k] * b[k];
    if (!in_range(total))
        log_scale_weights(K, a, b, weight);
    for (int k = 1; k < K; k++)
        weight[k] += weight[k - 1];
}

/* From the last component to the first: the lowest component with a positive weight then gets a
 * share of exactly 1, so that rounding errors cannot give tokens to a component of weight 0. */
static void split_binomially(double y, int K, const double *a, const double *b, double *first,
                             double *second, double *cumulative) {
    cumulative_weights(K, a, b, cumulative);
    for (int k = K - 1; k >= 0 && y > 0; k--) {
        const double below = k > 0 ? cumulative[k - 1] : 0;
        const double n = rbinom(y, (cumulative[k] - below) / cumulative[k]);
        first[k] += n;
        second[k] += n;
        y -= n;
    }
}

/* ends[i]: sum of the weights of the first i+1 blocks of 8 components. Returns their number. */
LDP_CLONES
static int sum_blocks(int K, const double *a, const double *b, double *ends) {
    double total = 0;
    int n = 0, k = 0;
    for (; k + BLOCK <= K; k += BLOCK) {
        ldp_lanes products = {0};
        for (int j = k; j < k + BLOCK; j += LDP_LANES)
            products += *ldp_lanes_at(a + j) * *ldp_lanes_at(b + j);
        ends[n++] = total += ldp_lanes_sum(&products);
    }
    if (k < K) {
        for (; k < K; k++)
            total += a[k] * b[k];
        ends[n++] = total;
    }
    return n;
}

/* The component at u: first the block is found, then the component. The sums that are at most u are
 * counted, without a branch, because a branch would be mispredicted for nearly every token. */
static int component_at(double u, int K, const double *a, const double *b, const double *ends,
                        int n) {
    int block = 0, within = 0;
    for (int i = 0; i < n - 1; i++)
        block += u >= ends[i];
    const int from = block * BLOCK, last = (from + BLOCK < K ? from + BLOCK : K) - 1;
    double sum = block > 0 ? ends[block - 1] : 0;
    for (int k = from; k < last; k++) {
        sum += a[k] * b[k];
        within += u >= sum;
    }
    while (within > 0 && a[from + within] * b[from + within] <= 0)
        within--; /* rounding must not give tokens to a component of weight 0 */
    return from + within;
}

/* Places tokens one by one; all tokens of a cell use the same sums. Returns 0 and places none if
 * the weights have lost digits. */
static int place_tokens(ldp_stream *stream, double y, int K, const double *a, const double *b,
                        double *first, ldp_tally *second, size_t offset, double *ends) {
    const int n = sum_blocks(K, a, b, ends);
    const double total = ends[n - 1];
    if (!in_range(total))
        return 0;
    for (double token = 0; token < y; token++) {
        const int k = component_at(ldp_stream_uniform(stream) * total, K, a, b, ends, n);
        first[k]++;
        ldp_tally_add(second, offset + (size_t)k);
    }
    return 1;
}

void ldp_allocate(ldp_stream *stream, double y, int K, const double *a, const double *b,
                  double *first, ldp_tally *second, size_t offset, double *work) {
    if (!by_tokens(y, K) || !place_tokens(stream, y, K, a, b, first, second, offset, work))
        split_binomially(y, K, a, b, first, second->to + offset, work);
}
