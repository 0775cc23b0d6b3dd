/* Sums of terms of the negative binomial distribution, in runs of terms that decrease from the
 * first. To avoid cancellation, no sum is computed as 1 minus another, and no term as a difference
 * of larger ones.
 *
 * A run is summed term by term until the rest is negligible, or for about a hundred terms. The
 * remaining terms are then smooth (their log falls by 42 in at least as many steps), and their sum
 * is replaced by an integral, with the Euler-Maclaurin formula
 *
 *     sum_{y <= i < z} f(i) = int_y^z f - [f/2 - f'/12 + f'''/720]_y^z,
 *
 * in panels by Gauss-Legendre quadrature, so that no sum costs more than about a thousand terms.
 *
 * The ratio of two terms that are far apart, with m0 = y0 + 1, n0 = y0 + s, m = m0 + t, n = n0 + t,
 * a = s - 1, z = t a/(m n0), delta the error of Stirling's formula, and log1pmx(x) = log(1 + x) -
 * x:
 *
 *     log w(y0 + t)/w(y0) = t log(n0 x/m0) + a log1pmx(t/n0) + (m - 1/2) log1pmx(-z) + z/2
 *                           + delta(n) - delta(n0) - delta(m) + delta(m0),
 *
 * If s >= 1 and t points away from the peak, all large terms are negative, so that nothing cancels.
 * For s < 1, the formula is
 *
 *     t log x + a log(n/n0) + m log1pmx(a/m) - m0 log1pmx(a/m0) - log1p(-z)/2 + the deltas,
 *
 * whose terms are all small, except the first.
 *
 * Sources: Loader (2000) for the form of the density; DLMF 2.10.1 (Euler and Maclaurin), 3.5.18
 * (Gauss and Legendre), 5.11.1 (Stirling). */
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_math.h"
#include "ldp_nbinom.h"
#include "ldp_poisson.h"

/* The precision of a sum.
 *
 *     negligible   terms are ignored if they, times the number of terms left, are below this share
 *     direct       the number of terms that are summed before an integral replaces the others;
 *                  also the smallest y of an integral (the first term omitted by the formula at
 *                  its ends is f'''''/30240)
 *     fall, bend, times
 *                  the length of a panel of the integral: the log of the terms falls by `fall`, or
 *                  y changes by `bend` standard deviations or by a factor of `times` */
typedef struct precision {
    double negligible, direct, fall, bend, times;
    int is_quick;
} precision;

static const precision FINE = {1e-19, 128, 3, 2, 2, 0}; /* to 1e-15 */
static const precision QUICK = {1e-11, 64, 10, 4, 4, 1}; /* to 1e-10 */

/* The maximum number of panels of a run: 15 for terms that fall by exp(-45), and one per doubling
 * of y before that. */
enum { MOST_PANELS = 1100 };

/* The positive zeros of the Legendre polynomial of degree 12, and their weights. */
enum { HALF_NODES = 6 };
static const double node[HALF_NODES] = {0.12523340851146891547, 0.36783149899818019375,
                                        0.58731795428661744730, 0.76990267419430468704,
                                        0.90411725637047485668, 0.98156063424671925069};
static const double node_weight[HALF_NODES] = {0.24914704581340278500, 0.23349253653835480876,
                                               0.20316742672306592175, 0.16007832854334622633,
                                               0.10693932599531843096, 0.04717533638651182719};

ldp_node ldp_nbinom_node(int i) {
    const double x = node[i % HALF_NODES], weight = node_weight[i % HALF_NODES];
    return (ldp_node){(1 + (i < HALF_NODES ? x : -x)) / 2, weight / 2};
}

int ldp_nbinom_is_poisson(double mu, double excess) {
    return excess <= 0 || !isfinite(mu / excess);
}

static double log_p(double excess) {
    return excess < 1 ? log(excess) - log1p(excess) : -log1p(1 / excess);
}

/* P(Y = 0) = exp(-lambda), lambda the expected number of events */
static double lambda(double mu, double excess) {
    return mu / ldp_bursts_size(excess);
}

double ldp_nbinom_exposure(double mu, double excess, double alpha) {
    return lambda(mu, excess) * ldp_bursts_exposure(excess, alpha);
}

/* log of w(i+1)/w(i) at tilt 1, for small i */
static double log_factor(double i, double mu, double excess) {
    if (i <= 0)
        return log(mu) - log1p(excess);
    return log((mu / (1 + excess) + i * (excess / (1 + excess))) / (i + 1));
}

static double log_pmf_small_y(double y, double mu, double excess) {
    double sum = 0;
    for (double i = 0; i < y; i++)
        sum += log_factor(i, mu, excess);
    return sum - lambda(mu, excess);
}

/* log 1/Gamma(s), also if s itself underflows */
static double log_inverse_gamma(double mu, double excess) {
    const double s = mu / excess;
    return s < 0.5 ? log(mu) - log(excess) - lgamma1p(s) : -lgammafn(s);
}

double ldp_nbinom_log_quotient(double y, double size_less_1) {
    const double a = size_less_1, m = y + 1, n = m + a;
    return a * log(n) + m * log1pmx(a / m) - log1p(a / m) / 2 + ldp_stirling_error(n) -
           ldp_stirling_error(m);
}

static double log_pmf_small_size(double y, double mu, double excess) {
    return ldp_nbinom_log_quotient(y, (mu - excess) / excess) + log_inverse_gamma(mu, excess) +
           y * log_p(excess) - lambda(mu, excess);
}

/* The binomial probability of y successes among n = y + s, times s/n, in Loader's form */
static double log_pmf_large(double y, double mu, double excess) {
    const double s = mu / excess, n = y + s, lack = (mu - y) / (1 + excess);
    return ldp_stirling_error(n) - ldp_stirling_error(s) - ldp_stirling_error(y) -
           log1p(y / s) / 2 - log(2 * M_PI * y) / 2 -
           ldp_poisson_deviance(s, n / (1 + excess), lack) -
           ldp_poisson_deviance(y, mu / (1 + excess) + y * (excess / (1 + excess)), -lack);
}

double ldp_nbinom_log_pmf(double y, double mu, double excess) {
    if (y < 0)
        return -INFINITY;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_poisson_log_pmf(y, mu, y - mu);
    if (y < LDP_STIRLING_FROM)
        return log_pmf_small_y(y, mu, excess);
    if (mu / excess < LDP_STIRLING_FROM)
        return log_pmf_small_size(y, mu, excess);
    return log_pmf_large(y, mu, excess);
}

/* 1 - p tilt, computed without cancellation if p tilt is near 1 */
static double one_less_x(double excess, double alpha, int power) {
    const double d = 1 - alpha;
    if (power < 0)
        return (1 - excess / alpha * d) / (1 + excess);
    return power > 0 ? (1 + excess * d) / (1 + excess) : 1 / (1 + excess);
}

ldp_nbinom_terms ldp_nbinom_terms_given(double excess, double alpha, int power, double log_tilt,
                                        double log_x) {
    ldp_nbinom_terms w = {.excess = excess, .tilt = 1, .times = 1, .over = 1};
    if (power != 0) {
        w.times = power < 0 ? 1 : alpha;
        w.over = power < 0 ? alpha : 1;
        w.tilt = w.times / w.over;
        w.tilt_less_1 = power < 0 ? (1 - alpha) / alpha : alpha - 1;
        w.log_tilt = log_tilt;
    }
    w.x = excess * w.times / w.over / (1 + excess);
    w.one_less_x = one_less_x(excess, alpha, power);
    w.log_x = log_x;
    return w;
}

ldp_nbinom_terms ldp_nbinom_terms_of(double excess, double alpha, int power) {
    const double log_tilt = power != 0 ? power * log(alpha) : 0;
    const double less = one_less_x(excess, alpha, power);
    const double log_x = fabs(less) < 0.5 ? log1p(-less) : log_p(excess) + log_tilt;
    return ldp_nbinom_terms_given(excess, alpha, power, log_tilt, log_x);
}

void ldp_nbinom_set_mean(ldp_nbinom_terms *w, double mu) {
    w->mu = mu;
    w->size = mu / w->excess;
    w->size_less_1 = (mu - w->excess) / w->excess;
    w->first = mu * w->times / w->over / (1 + w->excess);
}

ldp_nbinom_terms ldp_nbinom_make_terms(double mu, double excess, double alpha, int power) {
    ldp_nbinom_terms w = ldp_nbinom_terms_of(excess, alpha, power);
    ldp_nbinom_set_mean(&w, mu);
    return w;
}

/* w(y+1)/w(y) - 1, times y + 1. If the tilt is near 1, it is computed from mu - y, which is exact
 * near mu; otherwise from x, because the tilt can overflow. */
static double step_less_1(double y, const ldp_nbinom_terms *w) {
    if (fabs(w->log_tilt) > 0.5)
        return w->first - 1 - y * w->one_less_x;
    return w->tilt * ((w->mu - y) / (1 + w->excess)) + w->tilt_less_1 * y - 1;
}

double ldp_nbinom_log_step(double y, const ldp_nbinom_terms *w) {
    const double change = step_less_1(y, w) / (y + 1);
    if (fabs(change) < 0.5)
        return log1p(change);
    return log_factor(y, w->mu, w->excess) + w->log_tilt;
}

/* The term y0 >= 16 relative to which ratios are computed. */
typedef struct base {
    double y, m, n, log_step, stirling;
} base;

static base make_base(double y, const ldp_nbinom_terms *w) {
    base b = {y, y + 1, y + w->size, 0, 0};
    b.log_step = ldp_nbinom_log_step(y, w);
    b.stirling = ldp_stirling_error(b.m) - ldp_stirling_error(b.n);
    return b;
}

/* log1pmx(change), given `ratio`, which is 1 + change with more digits than that sum */
static double log1pmx_of(double change, double ratio) {
    return change < -0.5 ? log(ratio) - change : log1pmx(change);
}

/* The same for the terms l^y/y! of a Poisson distribution, the limit of large sizes. */
static double log_far_poisson(double y, double t, const base *b) {
    const double m = y + 1;
    return t * b->log_step + (m - 0.5) * log1pmx_of(-t / m, b->m / m) + t / m / 2 -
           ldp_stirling_error(m) + b->stirling;
}

/* log w(y)/w(b.y) for real y >= 16, given t = y - b.y to full precision */
static double nbinom_log_far(double y, double t, const base *b, const ldp_nbinom_terms *w) {
    if (w->excess <= 0)
        return log_far_poisson(y, t, b);
    const double a = w->size_less_1, m = y + 1, n = y + w->size;
    const double stirling = ldp_stirling_error(n) - ldp_stirling_error(m) + b->stirling;
    const double change = t / b->n, z = (t / m) * (a / b->n);
    const double of_z = log1pmx_of(-z, (n / b->n) / (m / b->m));
    if (a >= 0)
        return t * b->log_step + a * log1pmx_of(change, n / b->n) + (m - 0.5) * of_z + z / 2 +
               stirling;
    const double log_n = change < -0.5 ? log(n / b->n) : log1p(change);
    return t * w->log_x + a * log_n + (m * log1pmx(a / m) - b->m * log1pmx(a / b->m)) -
           (of_z - z) / 2 + stirling;
}

/* The same to 1e-11 at less than half the cost, for a size that is small relative to y: with v = y
 * + s/2
 *
 *     log Gamma(y+s)/Gamma(y+1) = (s - 1) log(v) - s (s-1) (s-2)/(24 v^2) + O(s^5/v^4). */
static double log_far_quick(double y, double t, const base *b, const ldp_nbinom_terms *w) {
    const double s = w->size, v = y + s / 2, v0 = b->y + s / 2;
    if (!(s * s < v0 / 2 && s < 5))
        return nbinom_log_far(y, t, b, w);
    const double third = s * (s - 1) * (s - 2) / 24;
    return t * w->log_x + (s - 1) * log(v / v0) - third * (1 / (v * v) - 1 / (v0 * v0));
}

/* log w(y)/w(from) for y >= from, up to the y from which Stirling's formula is used */
static double nbinom_log_near(double y, double from, const ldp_nbinom_terms *w) {
    double sum = (y - from) * w->log_tilt;
    for (double i = from; i < y; i++)
        sum += log_factor(i, w->mu, w->excess);
    return sum;
}

double ldp_nbinom_log_ratio(double y, double from, const ldp_nbinom_terms *w) {
    if (!(y < from) && !(y > from))
        return 0;
    if (y < from && y < LDP_STIRLING_FROM) {
        const double seam = fmin(from, LDP_STIRLING_FROM);
        return ldp_nbinom_log_ratio(seam, from, w) - nbinom_log_near(seam, y, w);
    }
    if (from < LDP_STIRLING_FROM) {
        const double seam = fmin(y, LDP_STIRLING_FROM);
        return nbinom_log_near(seam, from, w) + ldp_nbinom_log_ratio(y, seam, w);
    }
    const base b = make_base(from, w);
    return nbinom_log_far(y, y - from, &b, w);
}

/* Runs */

double ldp_nbinom_peak(double lowest, double highest, const ldp_nbinom_terms *w) {
    if (w->one_less_x <= 0)
        return highest;
    const double most = (w->mu - w->excess) / (1 + w->excess) * w->tilt / w->one_less_x;
    return fmin(fmax(floor(most), lowest), highest);
}

/* For s < 1: the y from which terms increase instead of decreasing; Inf if there is none */
static double trough(double lowest, double highest, const ldp_nbinom_terms *w) {
    if (w->first >= 1)
        return lowest;
    if (w->one_less_x >= 0)
        return highest;
    return fmin(fmax(ceil((1 - w->first) / -w->one_less_x), lowest), highest);
}

void ldp_nbinom_split(double lowest, double highest, const ldp_nbinom_terms *w,
                      ldp_nbinom_run run[2]) {
    const int is_peaked = w->size_less_1 >= 0;
    const double at = is_peaked ? ldp_nbinom_peak(lowest, highest, w) : trough(lowest, highest, w);
    const ldp_nbinom_run none = {0, -1, 0};
    const ldp_nbinom_run up = {is_peaked ? at : lowest, is_peaked ? highest : at, 1};
    const ldp_nbinom_run down = {is_peaked ? at - 1 : highest, is_peaked ? lowest : at + 1, -1};
    run[0] = up.from <= up.to ? up : none;
    run[1] = down.from >= down.to && isfinite(down.from) ? down : none;
}

/* Sums over one run */

/* The progress of a sum: its next term is that of y = from + way j, where w(y)/w(from) = term. j is
 * stored as well as y, because it is exact when y is beyond 2^53. */
typedef struct progress {
    ldp_nbinom_run run;
    const ldp_nbinom_terms *w;
    const precision *to;
    ldp_nbinom_wanted wanted;
    double j, term;
    ldp_nbinom_sums sums;
} progress;

static double place(const progress *at) {
    return at->run.from + at->run.way * at->j;
}

/* How many terms follow the first. */
static double length(ldp_nbinom_run run) {
    return run.way * (run.to - run.from);
}

/* Is a part of this size negligible for all sums that are wanted? */
static int nbinom_is_negligible(ldp_nbinom_sums part, const progress *at) {
    const double least = at->to->negligible;
    if (at->wanted == LDP_NBINOM_MOMENTS && part.second > at->sums.second * least)
        return 0;
    if (at->wanted == LDP_NBINOM_EVENTS && part.first > at->sums.first * least)
        return 0;
    return part.sum <= at->sums.sum * least;
}

/* The variable of the first moment: j, or the expected number of events of a count. */
static double value_at(double y, double j, const progress *at) {
    return at->wanted == LDP_NBINOM_EVENTS ? ldp_bursts_mean_events(y, at->w->size) : j;
}

static ldp_nbinom_sums nbinom_weigh(double weight, double y, double j, const progress *at) {
    const ldp_nbinom_sums one = {weight, weight * value_at(y, j, at), weight * j * j};
    return one;
}

static void nbinom_add(progress *at, ldp_nbinom_sums part) {
    at->sums.sum += part.sum;
    at->sums.first += part.first;
    at->sums.second += part.second;
}

static void nbinom_step(progress *at) {
    const ldp_nbinom_terms *const w = at->w;
    const double y = place(at);
    at->term *= at->run.way > 0 ? (w->first + y * w->x) / (y + 1) : y / (w->first + (y - 1) * w->x);
    at->j++;
}

/* Adds up to `direct` terms. Returns 0 if none are left. */
static int nbinom_add_terms(progress *at) {
    const double last = length(at->run);
    for (double i = 0; i < at->to->direct; i++) {
        const ldp_nbinom_sums part = nbinom_weigh(at->term, place(at), at->j, at);
        if (!(at->term > 0) || nbinom_is_negligible(part, at))
            return 0;
        nbinom_add(at, part);
        if (at->j >= last || at->j + 1 <= at->j) /* beyond 2^53, adding 1 may change nothing */
            return 0;
        nbinom_step(at);
    }
    return 1;
}

/* The derivative of log f by j, the distance from `from`, and its first two derivatives, from
 * digamma(x) = log(x) - 1/(2x) - 1/(12 x^2) */
typedef struct slopes {
    double first, second, third;
} slopes;

static slopes make_slopes(double y, double log_step, const progress *at) {
    const double m = y + 1, n = y + at->w->size, a = at->w->size_less_1;
    const double way = at->run.way, once = (at->w->excess > 0 ? a / n : 1) / m;
    const double twice = once * (1 / m + 1 / n);
    const slopes s = {way * (log_step + once / 2 + twice / 12), -once - twice / 2, way * twice};
    return s;
}

/* f/2 - f'/12 + f'''/720 for f(j) = exp(..), g exp(..), j^2 exp(..), where g is j or the number of
 * events, whose slope is s/(s + y) (1 + 1/(2 (s + y))) and whose further derivatives are negligible
 */
static ldp_nbinom_sums end_part(double f, slopes s, const progress *at) {
    const double j = at->j, n = place(at) + at->w->size;
    const double f1 = f * s.first, f2 = f * (s.first * s.first + s.second);
    const double f3 = f * (s.first * s.first * s.first + 3 * s.first * s.second + s.third);
    const double g = value_at(place(at), j, at);
    const double g1 =
        at->wanted == LDP_NBINOM_EVENTS ? at->run.way * at->w->size / n * (1 + 1 / (2 * n)) : 1;
    const ldp_nbinom_sums part = {f / 2 - f1 / 12 + f3 / 720,
                                  g * f / 2 - (g1 * f + g * f1) / 12 + (3 * g1 * f2 + g * f3) / 720,
                                  j * j * f / 2 - (2 * j * f + j * j * f1) / 12 +
                                      (6 * f1 + 6 * j * f2 + j * j * f3) / 720};
    return part;
}

/* The width of the next panel. */
static double nbinom_panel_width(double y, slopes s, const progress *at) {
    const double of_slope = at->to->fall / fmax(fabs(s.first), 1e-300);
    const double of_curve = at->to->bend / sqrt(fmax(fabs(s.second), 1e-300));
    const double of_y = at->run.way > 0 ? (at->to->times - 1) * y : y * (1 - 1 / at->to->times);
    return fmin(of_y, fmin(of_slope, of_curve));
}

static double log_ratio_at(double y, double t, const base *b, const progress *at) {
    return at->to->is_quick ? log_far_quick(y, t, b, at->w) : nbinom_log_far(y, t, b, at->w);
}

/* The integral over the next `width`. `b` is the term at j = `base_j`, whose value is `scale`. */
static ldp_nbinom_sums panel(double width, double scale, const base *b, double base_j,
                             const progress *at) {
    ldp_nbinom_sums part = {0, 0, 0};
    for (int i = 0; i < 2 * HALF_NODES; i++) {
        const double at_node = i < HALF_NODES ? node[i] : -node[i - HALF_NODES];
        const double j = at->j + width * (1 + at_node) / 2;
        const double y = at->run.from + at->run.way * j, t = at->run.way * (j - base_j);
        const double f = scale * exp(fmin(log_ratio_at(y, t, b, at), 0));
        const ldp_nbinom_sums one =
            nbinom_weigh(f * node_weight[i % HALF_NODES] * width / 2, y, j, at);
        part.sum += one.sum;
        part.first += one.first;
        part.second += one.second;
    }
    return part;
}

static void nbinom_add_end(progress *at, double sign, slopes s) {
    const ldp_nbinom_sums part = end_part(sign * at->term, s, at);
    nbinom_add(at, part);
}

/* Adds the terms of j up to, but not including, `stop`. Returns 0 if the rest is negligible. */
static int nbinom_add_integral(progress *at, double stop) {
    const base b = make_base(place(at), at->w);
    const double scale = at->term, base_j = at->j;
    slopes s = make_slopes(b.y, b.log_step, at);
    nbinom_add_end(at, 1, s);
    for (int i = 0; i < MOST_PANELS && at->j < stop; i++) {
        const double width = fmin(nbinom_panel_width(place(at), s, at), stop - at->j);
        const ldp_nbinom_sums part = panel(width, scale, &b, base_j, at);
        nbinom_add(at, part);
        at->j = width < stop - at->j ? at->j + width : stop;
        const double t = at->run.way * (at->j - base_j);
        at->term = scale * exp(fmin(log_ratio_at(place(at), t, &b, at), 0));
        if (!(at->term > 0) || nbinom_is_negligible(part, at))
            return 0;
        s = make_slopes(place(at), ldp_nbinom_log_step(place(at), at->w), at);
    }
    nbinom_add_end(at, -1, s);
    return at->j >= stop;
}

/* The same as nbinom_add_terms() for the sum alone, written for speed. */
static int add_quickly(progress *at) {
    const double first = at->w->first, x = at->w->x, way = at->run.way, most = at->to->negligible;
    const double last = fmin(length(at->run) - at->j, at->to->direct - 1);
    double y = place(at), term = at->term, sum = at->sums.sum, j = 0;
    for (; j <= last && term > sum * most; j++, y += way) {
        sum += term;
        term *= way > 0 ? (first + y * x) / (y + 1) : y / (first + (y - 1) * x);
    }
    at->sums.sum = sum;
    at->term = term;
    at->j += j;
    return j > last && at->j <= length(at->run) && term > 0;
}

/* Are another hundred terms enough? They cost less than a panel. */
static int nbinom_ends_soon(const progress *at) {
    const double y = place(at), x = at->w->x, first = at->w->first;
    const double ratio = at->run.way > 0 ? (first + y * x) / (y + 1) : y / (first + (y - 1) * x);
    return at->to->is_quick &&
           log(at->sums.sum * at->to->negligible / at->term) > 100 * (ratio - 1);
}

static ldp_nbinom_sums sum_run(progress at, int (*add_some)(progress *)) {
    const double direct = at.to->direct;
    const double stop = at.run.way > 0 ? length(at.run) : at.run.from - fmax(at.run.to, direct);
    while (at.run.way != 0 && add_some(&at))
        if (stop - at.j > direct && !nbinom_ends_soon(&at) && !nbinom_add_integral(&at, stop))
            break;
    return at.sums;
}

ldp_nbinom_sums ldp_nbinom_sum(ldp_nbinom_run run, const ldp_nbinom_terms *w,
                               ldp_nbinom_wanted wanted) {
    return sum_run((progress){.run = run, .w = w, .to = &FINE, .wanted = wanted, .term = 1},
                   nbinom_add_terms);
}

double ldp_nbinom_quick_sum(ldp_nbinom_run run, const ldp_nbinom_terms *w) {
    return sum_run((progress){.run = run, .w = w, .to = &QUICK, .term = 1}, add_quickly).sum;
}

/* Tails */

static double nbinom_log_tail(double k, int lower, double mu, double excess) {
    const ldp_nbinom_terms w = ldp_nbinom_make_terms(mu, excess, 1, 0);
    ldp_nbinom_run run[2];
    ldp_nbinom_split(lower ? 0 : k + 1, lower ? k : INFINITY, &w, run);
    double sum = -INFINITY;
    for (int i = 0; i < 2; i++)
        if (run[i].way != 0)
            sum = logspace_add(sum, ldp_nbinom_log_pmf(run[i].from, mu, excess) +
                                        log(ldp_nbinom_sum(run[i], &w, LDP_NBINOM_SUM).sum));
    return fmin(sum, 0);
}

/* The smaller tail is summed, and the other is computed as 1 minus it. */
double ldp_nbinom_log_cdf(double k, int lower, double mu, double excess) {
    if (k < 0)
        return lower ? -INFINITY : 0;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_poisson_log_cdf(k, mu, lower);
    int is_lower = k < mu;
    double tail = nbinom_log_tail(k, is_lower, mu, excess);
    if (tail > -M_LN2) {
        is_lower = !is_lower;
        tail = nbinom_log_tail(k, is_lower, mu, excess);
    }
    return is_lower == (lower != 0) ? tail : ldp_log1m_exp(tail);
}

/* A gamma mean, then a Poisson count. If the size is tiny, rgamma() can underflow to 0; the count
 * is then 0 as well. */
double ldp_rnbinom(double mu, double excess) {
    if (mu <= 0 || ldp_nbinom_is_poisson(mu, excess))
        return rpois(mu);
    return rpois(rgamma(mu / excess, excess));
}
