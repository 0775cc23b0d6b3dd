/* The true count behind a release,
 *
 *     P(y | k) prop. to NB(y) alpha^|k - y|,   y = 0, 1, ...
 *
 * For k <= 0 that is NB(s, 1 - alpha p), as for k = 0: a negative binomial distribution of mean
 * mu alpha/h and excess alpha excess/h, h = 1 + (1 - alpha) excess. For k > 0 its terms are
 *
 *     (s)_y/y! (p/alpha)^y  for y <= k,     (s)_y/y! (p alpha)^y alpha^(-2k)  for y > k,
 *
 * and everything is a sum of their runs (ldp_nbinom), on a scale on which a largest term is 1. For
 * s >= 1 there is one peak: that of the first terms if it is below k, that of the second if it is
 * above k, else k. For s < 1 there may be two, 0 and k. For a run that decreases from its first
 * term, the variance E j^2 - (E j)^2 loses at most two bits.
 *
 * The distribution is new in this package.
 *
 * The distribution of a true count given its release, for dtruecount() and for the exact
 * densities: ldp_privnbinom has the sum of its terms as the constant of its density. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_math.h"
#include "ldp_nbinom.h"
#include "ldp_truecount.h"
#include "ldp_truenbinom.h"

typedef struct truth {
    double k;
    ldp_nbinom_terms low, high; /* up to k, and above */
    double scale; /* the y whose weight is 1 */
} truth;

/* log of the weight of y over that of from */
static double log_weight_from(double y, double from, const truth *w) {
    if (y <= w->k && from <= w->k)
        return ldp_nbinom_log_ratio(y, from, &w->low);
    if (y >= w->k && from >= w->k)
        return ldp_nbinom_log_ratio(y, from, &w->high);
    return log_weight_from(w->k, from, w) + log_weight_from(y, w->k, w);
}

static double truenbinom_log_weight(double y, const truth *w) {
    return log_weight_from(y, w->scale, w);
}

static double largest(const truth *w) {
    if (w->low.size_less_1 < 0)
        return ldp_nbinom_log_ratio(w->k, 0, &w->low) > 0 ? w->k : 0;
    const double below = ldp_nbinom_peak(0, w->k, &w->low);
    return below < w->k ? below : ldp_nbinom_peak(w->k, INFINITY, &w->high);
}

/* mu > 0, alpha > 0, size within doubles */
static truth truenbinom_make_truth(double k, double mu, double excess, double alpha) {
    truth w = {fmax(k, 0), ldp_nbinom_make_terms(mu, excess, alpha, -1),
               ldp_nbinom_make_terms(mu, excess, alpha, 1), 0};
    w.scale = largest(&w);
    return w;
}

/* Weights of lowest..highest as runs, at most four. */
typedef struct part {
    ldp_nbinom_run run;
    const ldp_nbinom_terms *terms;
} part;

enum { MOST_PARTS = 4 };

static int truenbinom_split(double lowest, double highest, const truth *w, part parts[MOST_PARTS]) {
    ldp_nbinom_run run[MOST_PARTS] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (lowest <= w->k)
        ldp_nbinom_split(lowest, fmin(highest, w->k), &w->low, run);
    if (highest > w->k)
        ldp_nbinom_split(fmax(lowest, w->k + 1), highest, &w->high, run + 2);
    int n = 0;
    for (int i = 0; i < MOST_PARTS; i++)
        if (run[i].way != 0) {
            parts[n].run = run[i];
            parts[n++].terms = i < 2 ? &w->low : &w->high;
        }
    return n;
}

/* The weight of lowest..highest. */
static double truenbinom_weigh(double lowest, double highest, const truth *w) {
    part parts[MOST_PARTS];
    const int n = truenbinom_split(lowest, highest, w, parts);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp(truenbinom_log_weight(parts[i].run.from, w)) *
               ldp_nbinom_sum(parts[i].run, parts[i].terms, LDP_NBINOM_SUM).sum;
    return sum;
}

/* The log of the same, also if it underflows. */
static double log_weigh(double lowest, double highest, const truth *w) {
    part parts[MOST_PARTS];
    const int n = truenbinom_split(lowest, highest, w, parts);
    double sum = -INFINITY;
    for (int i = 0; i < n; i++)
        sum = logspace_add(
            sum, truenbinom_log_weight(parts[i].run.from, w) +
                     log(ldp_nbinom_sum(parts[i].run, parts[i].terms, LDP_NBINOM_SUM).sum));
    return sum;
}

static double truenbinom_total(const truth *w) {
    return truenbinom_weigh(0, INFINITY, w);
}

ldp_truenbinom_pieces ldp_truenbinom_weigh(double k, double mu, double excess, double alpha) {
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    const double log_scale =
        ldp_nbinom_log_pmf(w.scale, mu, excess) + fabs(k - w.scale) * log(alpha);
    const ldp_truenbinom_pieces pieces = {log_scale + log_weigh(0, k, &w),
                                          log_scale + log_weigh(k + 1, INFINITY, &w)};
    return pieces;
}

/* Without noise the true count is the release, and if mu is 0 it is 0. */
static int truenbinom_is_certain(double mu, double alpha) {
    return alpha <= 0 || mu <= 0;
}

static double truenbinom_certain_value(double k, double alpha) {
    return alpha <= 0 ? k : 0;
}

/* The distribution for k <= 0 */
typedef struct law {
    double mu, excess;
} law;

static law law_of_zero(double mu, double excess, double alpha) {
    const double h = 1 + (1 - alpha) * excess;
    const law zero = {mu * (alpha / h), excess * (alpha / h)};
    return zero;
}

/* Are products so small that they lose digits? The sums for k = 0 are then computed on the log
 * scale. */
static int is_tiny(law zero) {
    return zero.mu < 1e-290 || zero.excess < 1e-290;
}

double ldp_truenbinom_log_pmf(double y, double k, double mu, double excess, double alpha) {
    if (y < 0)
        return -INFINITY;
    if (truenbinom_is_certain(mu, alpha))
        return y < truenbinom_certain_value(k, alpha) || y > truenbinom_certain_value(k, alpha)
                   ? -INFINITY
                   : 0;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_log_pmf(y, k, mu, alpha);
    const law zero = law_of_zero(mu, excess, alpha);
    if (k <= 0 && !is_tiny(zero))
        return ldp_nbinom_log_pmf(y, zero.mu, zero.excess);
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    return truenbinom_log_weight(y, &w) - log(truenbinom_total(&w));
}

static double truenbinom_log_tail(double y, int lower, const truth *w) {
    return lower ? log_weigh(0, y, w) : log_weigh(y + 1, INFINITY, w);
}

/* The smaller tail is summed, and the other is computed as 1 minus it. */
static double log_cdf_positive(double y, int lower, const truth *w) {
    const double log_total = log(truenbinom_total(w));
    int is_lower = y < w->scale;
    double tail = truenbinom_log_tail(y, is_lower, w) - log_total;
    if (tail > -M_LN2) {
        is_lower = !is_lower;
        tail = truenbinom_log_tail(y, is_lower, w) - log_total;
    }
    return is_lower == (lower != 0) ? tail : ldp_log1m_exp(tail);
}

double ldp_truenbinom_log_cdf(double y, int lower, double k, double mu, double excess,
                              double alpha) {
    if (y < 0)
        return lower ? -INFINITY : 0;
    if (truenbinom_is_certain(mu, alpha))
        return (y >= truenbinom_certain_value(k, alpha)) == (lower != 0) ? 0 : -INFINITY;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_log_cdf(y, lower, k, mu, alpha);
    const law zero = law_of_zero(mu, excess, alpha);
    if (k <= 0 && !is_tiny(zero))
        return ldp_nbinom_log_cdf(y, lower, zero.mu, zero.excess);
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    return log_cdf_positive(y, lower, &w);
}

/* The mean minus `scale`, and the variance */
typedef struct moments {
    double shift, variance;
} moments;

static moments find_moments(const truth *w) {
    part parts[MOST_PARTS];
    const int n = truenbinom_split(0, INFINITY, w, parts);
    double weight[MOST_PARTS], shift[MOST_PARTS], sum = 0;
    moments all = {0, 0};
    for (int i = 0; i < n; i++) {
        const ldp_nbinom_run run = parts[i].run;
        const ldp_nbinom_sums sums = ldp_nbinom_sum(run, parts[i].terms, LDP_NBINOM_MOMENTS);
        const double mean = sums.first / sums.sum;
        weight[i] = exp(truenbinom_log_weight(run.from, w)) * sums.sum;
        shift[i] = (run.from - w->scale) + run.way * mean;
        sum += weight[i];
        all.shift += weight[i] * shift[i];
        all.variance += weight[i] * (sums.second / sums.sum - mean * mean);
    }
    all.shift /= sum;
    for (int i = 0; i < n; i++)
        all.variance += weight[i] * (shift[i] - all.shift) * (shift[i] - all.shift);
    all.variance /= sum;
    return all;
}

double ldp_truenbinom_mean(double k, double mu, double excess, double alpha) {
    if (truenbinom_is_certain(mu, alpha))
        return truenbinom_certain_value(k, alpha);
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_mean(k, mu, alpha);
    if (k <= 0)
        return law_of_zero(mu, excess, alpha).mu;
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    return w.scale + find_moments(&w).shift;
}

double ldp_truenbinom_var(double k, double mu, double excess, double alpha) {
    if (truenbinom_is_certain(mu, alpha))
        return 0;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_var(k, mu, alpha);
    const law zero = law_of_zero(mu, excess, alpha);
    if (k <= 0)
        return zero.mu * (1 + zero.excess);
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    return find_moments(&w).variance;
}

double ldp_truenbinom_events(double k, double mu, double excess, double alpha) {
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_mean(k, mu, alpha);
    const truth w = truenbinom_make_truth(k, mu, excess, alpha);
    part parts[MOST_PARTS];
    const int n = truenbinom_split(0, INFINITY, &w, parts);
    double sum = 0, mean = 0;
    for (int i = 0; i < n; i++) {
        const double height = exp(truenbinom_log_weight(parts[i].run.from, &w));
        const ldp_nbinom_sums all = ldp_nbinom_sum(parts[i].run, parts[i].terms, LDP_NBINOM_EVENTS);
        sum += height * all.sum;
        mean += height * all.first;
    }
    return mean / sum;
}

/* If the true count must be far above k > 0, its distribution is that for k = 0, except at values
 * up to k. The probability of these values is smaller for k than for 0, and for 0 it underflows:
 * with the mean m and the excess e, P(0) < exp(-m/(1 + e)), and P(y)/P(0) < (m + y)^y. */
static int forgets_release(double k, law zero) {
    return k > 0 && zero.mu > 1e9 * (k + 1) * (1 + zero.excess);
}

static const double LOG_SMALLEST = -700;

static double truenbinom_log_cdf(double y, int lower, const double *theta) {
    return ldp_truenbinom_log_cdf(y, lower, theta[0], theta[1], theta[2], theta[3]);
}

double ldp_truenbinom_quantile(ldp_probability p, double k, double mu, double excess,
                               double alpha) {
    if (truenbinom_is_certain(mu, alpha))
        return truenbinom_certain_value(k, alpha);
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_truecount_quantile(p, k, mu, alpha);
    if ((!p.lower || p.log_p > LOG_SMALLEST) && forgets_release(k, law_of_zero(mu, excess, alpha)))
        k = 0;
    const double theta[] = {k, mu, excess, alpha};
    const ldp_quantile_law search = {truenbinom_log_cdf, theta, 0,
                                     ldp_truenbinom_mean(k, mu, excess, alpha),
                                     sqrt(ldp_truenbinom_var(k, mu, excess, alpha))};
    return ldp_quantile(&search, p);
}
