/* The density of every active cell is needed for each kept draw. It is computed from a prepared
 * series, without divisions or unpredictable branches, and with one logarithm for many cells. So it
 * costs less than the dot product of 50 terms for the mean of the cell.
 *
 * The part of ldp_quick for counts of at most LDP_SMALL_MOST, which are nearly all, many cells at
 * a time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ldp_small.h"

/* The largest factor by which terms may grow below k, or fall above k. */
static const double RATIO_MOST = 1e6;
static const double RATIO_ABOVE = 0.5;

/* Terms below this share of their sum are negligible; the truncation error of a series is below it
 * too. */
static const double NEGLIGIBLE = 1e-17;

/* The logarithm of a product of sums, each of them below 1e100, is taken when the product exceeds
 * this. */
static const double PRODUCT_LARGE = 1e200;

/* One coefficient more than the series uses, to bound its truncation error. */
enum { N = LDP_SMALL_DEGREE + 2 };

/* w(y) from w(y-1), as polynomials in the mean without their higher terms */
static void next_weight(double *w, double y, double per_mean, double step) {
    for (int i = N - 1; i > 0; i--)
        w[i] = (w[i - 1] * per_mean + w[i] * (y - 1) * step) / y;
    w[0] = w[0] * (y - 1) * step / y;
}

static double largest_of(const double *w) {
    double largest = 0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, w[i]);
    return largest;
}

/* The coefficients have c_{i+1} <= c_i c_1/(i+1), whatever the distribution of the sizes of events,
 * so that the terms after c_n mean^n sum to at most this term if c_1 mean <= (n+1)/2. If alpha is
 * so small that coefficients overflow, there is no series. */
static double most_of(const double *series) {
    const double last = series[N - 1], reach = pow(NEGLIGIBLE / (2 * last), 1.0 / (N - 1));
    return last <= DBL_MAX ? fmin(reach, N / (2 * series[1])) : 0;
}

static void add_weight(double *sum, double times, const double *w) {
    for (int i = 0; i < N; i++)
        sum[i] += times * w[i];
}

/* `at_k`, `sum` and `sum_y`: w(k), and the sums of w(y) and y w(y) over y = 0 .. k. */
static void make_series(ldp_small *small, int k, const double *at_k, const double *sum,
                        const double *sum_y) {
    const double square = small->alpha * small->alpha;
    double w[N], series[N], counts[N];
    memcpy(w, at_k, sizeof w);
    memcpy(series, sum, sizeof series);
    memcpy(counts, sum_y, sizeof counts);
    for (int y = k + 1; y < LDP_SMALL_TERMS; y++) {
        next_weight(w, y, small->per_mean * square, small->step * square);
        add_weight(series, 1, w);
        add_weight(counts, y, w);
        if (y > N && largest_of(w) < NEGLIGIBLE * series[N - 1])
            break;
    }
    memcpy(small->series[k - 1], series, sizeof small->series[k - 1]);
    memcpy(small->counts[k - 1], counts, sizeof small->counts[k - 1]);
    for (int i = 0; i < LDP_SMALL_DEGREE + 1; i++)
        small->slope[k - 1][i] = (i + 1) * series[i + 1];
    small->most[k - 1] = small->step * square <= RATIO_ABOVE ? most_of(series) : 0;
}

void ldp_small_prepare(ldp_small *small, double alpha, double per_mean, double step) {
    const double wanted[] = {alpha, per_mean, step};
    const double there[] = {small->alpha, small->per_mean, small->step};
    if (memcmp(wanted, there, sizeof wanted) == 0)
        return;
    small->alpha = alpha;
    small->per_mean = per_mean;
    small->step = step;
    if (alpha <= 0)
        return;
    small->log_alpha = log(alpha);
    small->log_scale = log1p(-alpha) - log1p(alpha);
    for (int y = 1; y < LDP_SMALL_TERMS; y++)
        small->inverse[y] = 1.0 / y;
    double w[N] = {1}, sum[N] = {1}, sum_y[N] = {0};
    for (int k = 1; k <= LDP_SMALL_MOST; k++) {
        next_weight(w, k, per_mean, step);
        add_weight(sum, 1, w);
        add_weight(sum_y, k, w);
        make_series(small, k, w, sum, sum_y);
    }
}

/* The sum of a series. Even and odd powers are summed separately, which processors can do in
 * parallel. */
static double sum_of_series(const double *series, double mean) {
    const double square = mean * mean;
    double even = series[LDP_SMALL_DEGREE], odd = series[LDP_SMALL_DEGREE - 1];
    for (int i = LDP_SMALL_DEGREE - 2; i > 0; i -= 2) {
        even = even * square + series[i];
        odd = odd * square + series[i - 1];
    }
    return (even * square + series[0]) + mean * odd;
}

static int small_ends_soon(const ldp_small *small, double k, double first) {
    const double last = first + k * small->step, square = small->alpha * small->alpha;
    return last <= RATIO_MOST && last * square <= RATIO_ABOVE * (k + 1) &&
           small->step * square <= RATIO_ABOVE;
}

/* Sums over y >= 1, with every term divided by the mean: of w(y), of y w(y), and of w(y) times the
 * expected number of events of y, which is sum_{t < y} s/(s + t) with s = first/step. */
typedef struct sums {
    double term, weight, count, events, per_count;
} sums;

static void small_add_term(sums *at, int y, double ratio, double share) {
    at->term *= ratio;
    at->per_count += share;
    at->weight += at->term;
    at->count += y * at->term;
    at->events += at->per_count * at->term;
}

static sums sum_all(const ldp_small *small, int k, double first) {
    const double square = small->alpha * small->alpha, step = small->step;
    sums at = {small->per_mean, 0, 0, 0, 0};
    small_add_term(&at, 1, 1, 1);
    for (int y = 2; y <= k || (y < LDP_SMALL_TERMS && at.term > at.weight * NEGLIGIBLE); y++) {
        const double next = first + (y - 1) * step;
        small_add_term(&at, y, next * (y <= k ? 1 : square) * small->inverse[y],
                       step > 0 ? first / next : 1);
    }
    return at;
}

double ldp_small_weigh(const ldp_small *small, int n, const double *k, const double *mean,
                       double *events, double *counts, int *left, int *n_left) {
    const double most = small->alpha > 0 ? LDP_SMALL_MOST : 0;
    double sum = 0, product = 1;
    *n_left = 0;
    for (int e = 0; e < n; e++) {
        const int is_small = k[e] > 0 && k[e] <= most;
        double total, of_events, of_counts;
        if (is_small && mean[e] <= small->most[(int)k[e] - 1]) {
            const int place = (int)k[e] - 1;
            total = sum_of_series(small->series[place], mean[e]);
            of_events = sum_of_series(small->slope[place], mean[e]);
            of_counts = counts ? sum_of_series(small->counts[place], mean[e]) : 0;
        } else if (is_small && small_ends_soon(small, k[e], mean[e] * small->per_mean)) {
            const sums all = sum_all(small, (int)k[e], mean[e] * small->per_mean);
            total = 1 + mean[e] * all.weight;
            of_events = all.events;
            of_counts = mean[e] * all.count;
        } else {
            left[(*n_left)++] = e;
            continue;
        }
        events[e] = of_events / total;
        if (counts)
            counts[e] = of_counts / total;
        product *= total;
        sum += k[e] * small->log_alpha + small->log_scale;
        if (product > PRODUCT_LARGE) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}
