/* Draws of the true count y behind a release k > 0 of a negative binomial count with size s,
 *
 *     w(y) = s g(y) x^y  for 1 <= y <= k,   s g(y) z^y alpha^(-2k)  for y > k,   w(0) = 1,
 *     g(y) = Gamma(y + s)/(Gamma(1 + s) y!),   x = p/alpha,   z = p alpha.
 *
 * The parameters alone decide which of four exact methods is used. Their expected cost is bounded
 * for all releases, noise levels and dispersions, because the probability that a try is refused is
 * bounded.
 *
 * 1. By events. Propose l ~ Pois(lambda H_k) events (see make_bounds), each of a size j with
 *    probability prop. to p^j/j alpha^(|k - j| - k), and accept their sum y with
 *
 *        alpha^(|k - y| - k - sum_j (|k - j| - k)),
 *
 *    whose exponent is never negative, and 0 if y <= k. The sum of all weights is at least 1, and
 *    that of the proposals is exp(lambda H_k). So a proposal is accepted with probability at least
 *    1/e if lambda H_k <= 1, and by Markov's inequality at least 1/2 if the mean of y is at most
 *    k/2. This method also gives the number of events.
 * 2. Term by term, if k <= 32: the terms of 0 .. k and, above k, a geometric series that is larger
 *    than the terms, if its sum is at most that of the terms below. Accepted with probability at
 *    least 1/2.
 * 3. For s >= 1 the terms are log-concave. The hat (the upper bound of rejection sampling) is flat
 *    around the peak until the terms have fallen by about 1/e, and geometric beyond, with the ratio
 *    of two neighbouring terms.
 * 4. s < 1: by Gautschi's inequality g(y) is at most y^(s-1)/Gamma(1 + s), and at least
 *    (y/(y+1))^(1-s) of that; 1/Gamma(1 + s) is between 0.98 b(s) and b(s) = 1 + 0.57722 s (1 - s).
 *    The hat is y = 0; y = 1; a power law y^(s-1) while x^y changes by less than e; and geometric
 *    series from there on. If x > 1, terms rise up to k, and one series goes from k down to k/2,
 *    another from k/2 down. The same hat is used above k, with z.
 *
 * Worked example of 4: k = 40, p = 0.5, alpha = 0.37, s = 1e-4. x = 1.35 and y^(s-1) is used up to
 * 3; from 40 down to 21 the hat is that of y = 21 times 1.35^y, from 20 down to 4 that of y = 4.
 *
 * If all of LDP_TRIES tries are refused, the result is k or the peak. By the rates above this has a
 * probability below 1e-100; it happens only because of rounding, for counts so large that the
 * spacing of doubles exceeds the width of the distribution.
 *
 * Sources: Devroye (1987), A simple generator for discrete log-concave distributions, Computing 39,
 * for the idea of 3; Gautschi (1959), J. Math. Phys. 38, for the inequality (DLMF 5.6.4); DLMF
 * 18.13 and 3.10 for the continued fraction of the bounds; the methods are new. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_math.h"
#include "ldp_nbinom.h"
#include "ldp_poisson.h"
#include "ldp_rtruenbinom.h"
#include "ldp_truecount.h"

/* Method 2 is for releases up to this. */
enum { K_SMALL = 32 };

/* The largest expected number of proposed events for method 1. */
static const double RATE_MOST = 8;

/* Ratios of terms at most this far apart are products of neighbouring ratios. */
static const double NEAR = 24;

/* Below this size expm1(s x)/s is x to a double. */
static const double SIZE_TINY = 1e-20;

typedef ldp_rtruenbinom_law law;

/* The terms up to k, and those above. */
typedef struct sides {
    ldp_nbinom_terms low, high;
} sides;

static sides with_mean(const law *of, double mu) {
    sides w = {ldp_nbinom_terms_given(of->excess, of->alpha, -1, -of->log_alpha, of->log_x),
               ldp_nbinom_terms_given(of->excess, of->alpha, 1, of->log_alpha, of->log_z)};
    ldp_nbinom_set_mean(&w.low, mu);
    ldp_nbinom_set_mean(&w.high, mu);
    return w;
}

/* w(y)/w(y - 1), with `first` and x of the side of y */
static double ratio_of(double first, double x, double y) {
    return (first + (y - 1) * x) / y;
}

static double ratio(const sides *w, double k, double y) {
    const ldp_nbinom_terms *const side = y <= k ? &w->low : &w->high;
    return ratio_of(side->first, side->x, y);
}

/* log w(y)/w(from) if k does not lie between */
static double rtruenbinom_log_far(const ldp_nbinom_terms *terms, double y, double from) {
    return ldp_nbinom_log_ratio(y, from, terms);
}

/* w(y)/w(from) */
static double weight_over(const sides *w, double k, double y, double from) {
    if (fabs(y - from) <= NEAR && y + from < 1 / DBL_EPSILON) {
        double weight = 1;
        for (double i = from; i < y; i++)
            weight *= ratio(w, k, i + 1);
        for (double i = from; i > y; i--)
            weight /= ratio(w, k, i);
        return weight;
    }
    if (fmax(y, from) <= k)
        return exp(rtruenbinom_log_far(&w->low, y, from));
    if (fmin(y, from) >= k)
        return exp(rtruenbinom_log_far(&w->high, y, from));
    return from < k
               ? exp(rtruenbinom_log_far(&w->low, k, from) + rtruenbinom_log_far(&w->high, y, k))
               : exp(rtruenbinom_log_far(&w->high, k, from) + rtruenbinom_log_far(&w->low, y, k));
}

/* --- pieces of a hat -------------------------------------------------------------------------- */

/* A piece of a hat: `count` values (which may be Inf), starting at `from`, in the direction `way`,
 * with height exp(log_height + j log_ratio) at the j-th. If `way` is 0: the real numbers t from
 * `from` to `count`, with height exp(log_height) t^(s-1), which stand for the whole numbers above
 * them. */
typedef struct piece {
    double from, way, count, log_height, log_ratio, mass;
} piece;

enum { MOST_PIECES = 7 };

typedef struct hat {
    int n;
    double size, mass; /* s, the sum of all masses */
    piece piece[MOST_PIECES];
} hat;

static void add_steps(hat *h, double from, double way, double count, double log_height,
                      double log_ratio) {
    if (count > 0)
        h->piece[h->n++] = (piece){from, way, count, log_height, log_ratio, 0};
}

static void add_power(hat *h, double from, double to, double log_height) {
    if (to > from)
        h->piece[h->n++] = (piece){from, 0, to, log_height, 0, 0};
}

/* sum over j < count of exp(j log_ratio) */
static double sum_of_steps(const piece *p) {
    if (!(p->log_ratio < 0))
        return p->count;
    return expm1(p->count * p->log_ratio) / expm1(p->log_ratio);
}

/* int_a^b t^(s-1) dt */
static double power_integral(double a, double b, double s) {
    const double width = log(b / a);
    return s < SIZE_TINY ? width : exp(s * log(a)) * expm1(s * width) / s;
}

static void rtruenbinom_weigh(hat *h) {
    double largest = -INFINITY;
    for (int i = 0; i < h->n; i++)
        largest = fmax(largest, h->piece[i].log_height);
    h->mass = 0;
    for (int i = 0; i < h->n; i++) {
        piece *const p = &h->piece[i];
        const double sum =
            p->way != 0 ? sum_of_steps(p) : power_integral(p->from, p->count, h->size);
        h->mass += p->mass = exp(p->log_height - largest) * sum;
    }
}

static const piece *pick(const hat *h, double u) {
    double rest = u * h->mass;
    int i = 0;
    while (i < h->n - 1 && (rest -= h->piece[i].mass) >= 0)
        i++;
    return &h->piece[i];
}

/* j < count with probability prop. to exp(j log_ratio) */
static double step_at(double u, const piece *p) {
    const double j =
        p->log_ratio < 0 ? log1p(u * expm1(p->count * p->log_ratio)) / p->log_ratio : u * p->count;
    return fmin(floor(j), p->count - 1);
}

/* t with density prop. to t^(s-1) */
static double power_at(double u, const piece *p, double s) {
    const double width = log(p->count / p->from);
    return p->from * exp(s < SIZE_TINY ? u * width : log1p(u * expm1(s * width)) / s);
}

/* --- methods 4 and 1: a power times a geometric term ------------------------------------------ */

/* b(s) */
static double gamma_bound(double s) {
    return 1 + 0.57722 * s * (1 - s);
}

/* g(y) y^(1-s)/b(s), between 0.98 (y/(y+1))^(1-s) and 1 */
static double of_bound(double y, double s) {
    const double power = (1 - s) * log(y);
    if (y >= LDP_STIRLING_FROM)
        return exp(ldp_nbinom_log_quotient(y, s - 1) - lgamma1p(s) + power) / gamma_bound(s);
    double product = 1;
    for (double i = 1; i < y; i++)
        product *= (i + s) / (i + 1);
    return product * exp(power) / gamma_bound(s);
}

/* Is a value y kept that was proposed from t^(s-1)? `left`: the share that is left of the geometric
 * term. Most are kept because of 0.98 left t/(y+1), a lower bound of the probability that is quick
 * to compute. */
static int keeps(ldp_stream *stream, double y, double t, double s, double left) {
    const double u = ldp_stream_uniform(stream);
    if (u < 0.98 * left * t / (y + 1))
        return 1;
    return u < left && u < left * of_bound(y, s) * exp((1 - s) * log(t / y));
}

/* The hat over the terms y^(s-1) z^(y-k) for y > k, times exp(log_scale): a power until z^y has
 * fallen by a factor of e, then a geometric series. */
static void cover_above(hat *h, const sides *w, double k, double s, double log_scale) {
    const double log_z = w->high.log_x, end = fmax(k, floor(-1 / log_z));
    add_power(h, k, end, log_scale + log_z);
    add_steps(h, end + 1, 1, INFINITY, log_scale + (end + 1 - k) * log_z + (s - 1) * log(end + 1),
              log_z);
}

/* The same over the terms y^(s-1) x^y for y = 2 .. k. */
static void cover_below(hat *h, const sides *w, double k, double s, double log_scale) {
    const double log_x = w->low.log_x, end = fmax(1, fmin(k, floor(1 / fabs(log_x))));
    add_power(h, 1, end, log_scale + (log_x < 0 ? 2 : end) * log_x);
    const double at_end = log_scale + (s - 1) * log(end + 1);
    if (log_x < 0) {
        add_steps(h, end + 1, 1, k - end, at_end + (end + 1) * log_x, log_x);
        return;
    }
    const double half = fmax(end, floor(k / 2));
    add_steps(h, k, -1, k - half, log_scale + (s - 1) * log(half + 1) + k * log_x, -log_x);
    add_steps(h, half, -1, half - end, at_end + half * log_x, -log_x);
}

/* A value proposed by the hat, or -1 if it is refused. */
static double try_piece(const hat *h, const sides *w, ldp_stream *stream, double k) {
    const piece *const p = pick(h, ldp_stream_uniform(stream));
    const double u = ldp_stream_uniform(stream), s = h->size;
    if (p->count <= 1 && p->way > 0 && p->from <= 1)
        return p->from; /* 0 and 1, as they are */
    if (p->way != 0) {
        const double y = p->from + p->way * step_at(u, p);
        const double least = p->way > 0 ? p->from : p->from - p->count + 1;
        return keeps(stream, y, least, s, 1) ? y : -1;
    }
    const double t = power_at(u, p, s), y = fmin(fmax(ceil(t), p->from + 1), p->count);
    const double log_x = y <= k ? w->low.log_x : w->high.log_x;
    const double top = log_x < 0 ? p->from + 1 : p->count;
    return keeps(stream, y, fmin(t, y), s, exp((y - top) * log_x)) ? y : -1;
}

/* `otherwise` after LDP_TRIES refusals. */
static double draw_pieces(const hat *h, const sides *w, ldp_stream *stream, double k,
                          double otherwise) {
    for (int i = 0; i < LDP_TRIES; i++) {
        const double y = try_piece(h, w, stream, k);
        if (y >= 0)
            return y;
    }
    return otherwise;
}

static double draw_power(const sides *w, ldp_stream *stream, double k) {
    const double s = w->low.size, log_scale = log(s * gamma_bound(s));
    hat h = {.size = s};
    add_steps(&h, 0, 1, 1, 0, 0);
    add_steps(&h, 1, 1, 1, log(w->low.first), 0);
    cover_below(&h, w, k, s, log_scale);
    cover_above(&h, w, k, s, log_scale + k * w->low.log_x);
    rtruenbinom_weigh(&h);
    return draw_pieces(&h, w, stream, k, k);
}

/* The size j > k of an event, with probability prop. to z^j/j. */
static double draw_size_above(const law *of, ldp_stream *stream, double k) {
    const sides w = with_mean(of, 0);
    hat h = {.size = 0};
    cover_above(&h, &w, k, 0, 0);
    rtruenbinom_weigh(&h);
    return draw_pieces(&h, &w, stream, k, k + 1);
}

/* The size of an event, by bisection in the sums of x^i/i: at most 13 steps. */
static double draw_size(const law *w, ldp_stream *stream, double k) {
    const int at = (int)k - 1;
    const double rest = ldp_stream_uniform(stream) * w->bound[at] * w->q;
    if (!(rest < w->lower[at]))
        return draw_size_above(w, stream, k);
    int below = -1, found = at; /* lower[below] <= rest < lower[found] */
    while (found - below > 1) {
        const int middle = (below + found) / 2;
        if (rest < w->lower[middle])
            found = middle;
        else
            below = middle;
    }
    return found + 1;
}

static double rtruenbinom_log_power(double y, double k, double log_alpha) {
    return (fabs(k - y) - k) * log_alpha;
}

static double draw_by_events(const law *w, ldp_stream *stream, double u, double k, double lambda,
                             double *events) {
    const double rate = lambda * w->bound[(int)k - 1], log_alpha = w->log_alpha;
    for (int i = 0; i < LDP_TRIES; i++, u = ldp_stream_uniform(stream)) {
        const double l = ldp_poisson_invert(u, rate);
        double y = 0, of_sizes = 0;
        for (double event = 0; event < l; event++) {
            const double size = draw_size(w, stream, k);
            y += size;
            of_sizes += rtruenbinom_log_power(size, k, log_alpha);
        }
        const double log_keep = rtruenbinom_log_power(y, k, log_alpha) - of_sizes;
        if (l <= 1 || log_keep >= 0 || ldp_stream_uniform(stream) < exp(log_keep)) {
            *events = l;
            return y;
        }
    }
    return *events = 0;
}

/* The mean of a sum of events is at most lambda sum_j x^j/q. */
int ldp_rtruenbinom_is_by_events(const law *w, double k, double lambda) {
    const double rate = k <= w->n_bounds ? lambda * w->bound[(int)k - 1] : INFINITY;
    return rate <= 1 || (rate <= RATE_MOST && 2 * lambda * w->mean_size <= k);
}

/* --- method 2 --------------------------------------------------------------------------------- */

/* The index at which the cumulative sum of the terms 0 .. k exceeds `rest`. */
static double walk(const double *term, int k, double rest) {
    int y = 0;
    while (y < k && (rest -= term[y]) >= 0)
        y++;
    return y;
}

/* Method 2; returns -1 if the series above k is too large. Most draws need no more of the
 * distribution than is read here: `first` and `first_above` are those of its terms with this mean.
 */
static double draw_term(const law *of_all, ldp_stream *stream, int k, double mu) {
    const double excess = of_all->excess, x = of_all->x, z = of_all->z;
    const double first = mu / of_all->alpha / (1 + excess);
    const double first_above = mu * of_all->alpha / (1 + excess);
    double term[K_SMALL + 1], sum = 1;
    term[0] = 1;
    for (int y = 1; y <= k; y++)
        sum += term[y] = term[y - 1] * ratio_of(first, x, y);
    const double fall = mu < excess ? z : ratio_of(first_above, z, k + 2.0);
    const double above = term[k] * ratio_of(first_above, z, k + 1.0) / (1 - fall);
    if (!(fall < 1 && above <= sum && sum <= DBL_MAX))
        return -1;
    for (int i = 0; i < LDP_TRIES; i++) {
        const double rest = ldp_stream_uniform(stream) * (sum + above);
        if (rest < sum)
            return walk(term, k, rest);
        const sides w = with_mean(of_all, mu);
        const double j = floor(log(ldp_stream_uniform(stream)) / log(fall)), y = k + 1 + j;
        const double keep = weight_over(&w, k, y, k + 1.0) / pow(fall, j);
        if (ldp_stream_uniform(stream) < keep)
            return y;
    }
    return k;
}

/* --- method 3 --------------------------------------------------------------------------------- */

/* The distance in which a log with this slope and curvature falls by `depth`. */
static double distance(double slope, double curvature, double depth) {
    return 2 * depth / (slope + sqrt(slope * slope + 2 * curvature * depth));
}

/* The number of values on one side of the peak before the terms have fallen by a factor of about e:
 * at least 1. Slopes are computed from the first steps from the peak and from k. */
static double rtruenbinom_reach(const sides *w, double k, double peak, double way) {
    const double y = fmax(peak, 1), s = w->low.size;
    const double curvature = 1 / (y * (1 + y / s));
    const double slope = -way * log(ratio(w, k, way > 0 ? peak + 1 : peak));
    const double whole = distance(fmax(slope, 0), curvature, 1), to_k = way * (k - peak);
    if (!(to_k > 0 && to_k < whole))
        return fmax(floor(whole), 1);
    const double left = 1 - to_k * (slope + curvature * to_k / 2);
    const double from_k = -way * log(ratio(w, k, way > 0 ? k + 1 : k));
    return fmax(floor(to_k + distance(fmax(from_k, 0), curvature, fmax(left, 0.1))), 1);
}

/* The hat over a tail from `from` on, where every ratio is at most the first. */
static void cover_tail(hat *h, const sides *w, double k, double peak, double from, double way) {
    const double log_height = log(weight_over(w, k, from, peak));
    const double log_ratio = way * log(ratio(w, k, way > 0 ? from + 1 : from));
    if (log_ratio < 0)
        add_steps(h, from, way, way > 0 ? INFINITY : from + 1, log_height, log_ratio);
}

static double draw_log_concave(const sides *w, ldp_stream *stream, double k) {
    const double below = ldp_nbinom_peak(0, k, &w->low);
    const double peak = below < k ? below : ldp_nbinom_peak(k, INFINITY, &w->high);
    const double right = peak + rtruenbinom_reach(w, k, peak, 1);
    const double left = peak > 0 ? fmax(peak - rtruenbinom_reach(w, k, peak, -1), -1) : -1;
    hat h = {0};
    if (!(right > peak && right <= DBL_MAX))
        return peak; /* the spacing of doubles exceeds the width of the distribution */
    add_steps(&h, left + 1, 1, right - left - 1, 0, 0);
    cover_tail(&h, w, k, peak, right, 1);
    if (left >= 0)
        cover_tail(&h, w, k, peak, left, -1);
    rtruenbinom_weigh(&h);
    for (int i = 0; i < LDP_TRIES; i++) {
        const piece *const p = pick(&h, ldp_stream_uniform(stream));
        const double j = step_at(ldp_stream_uniform(stream), p), y = p->from + p->way * j;
        const double height = exp(p->log_height + j * p->log_ratio);
        if (ldp_stream_uniform(stream) * height < weight_over(w, k, y, peak))
            return y;
    }
    return peak;
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* Bounds are truncated here; such bounds do not settle any lambda. */
static const double BOUND_MOST = 1e100;

/* B_n = sum_{i >= 1} z^i/(n + i) = int_0^1 t^n/(1/z - t) dt, as the continued fraction of a
 * Stieltjes transform, with the recurrence of the Jacobi polynomials on (0, 1). `to_one` is 1/z
 * - 1. The number of its terms is that from which the rest is below 1e-15, for n to_one >= 1: at
 * most 85. */
static double sum_beyond(double n, double to_one) {
    double rest = 0;
    for (double i = floor(5 + 80 / (n * to_one)); i > 0; i--) {
        const double m = 2 * i + n, root = i * (i + n) / m;
        const double off_centre = (2 * i * (i + n + 1) + n) / (m * (m + 2)); /* 1 - a_i */
        rest = root * root / ((m - 1) * (m + 1)) / (to_one + off_centre - rest);
    }
    return 1 / (n + 1) / (to_one + 1 / (n + 2) - rest);
}

/* B_1 .. B_n in the place of the bounds. The first, up to k to_one < 1, are computed upwards from
 * B_0 = -log(1 - z), which loses little there; the others downwards, in blocks that end at 8, 16,
 * 32 and so on. None depends on n: what is drawn must not depend on how many bounds there are. */
static void sum_all_beyond(law *w, double one_less_z) {
    const double to_one = one_less_z / w->z;
    double beyond = -log(one_less_z);
    int done = 0;
    for (; done < w->n_bounds && (done + 1) * to_one < 1; done++)
        w->bound[done] = beyond += to_one * beyond - 1.0 / (done + 1);
    for (int to = 8; done < w->n_bounds; to *= 2) {
        if (to <= done)
            continue;
        beyond = sum_beyond(to, to_one);
        for (int k = to; k > done; k--) {
            if (k <= w->n_bounds)
                w->bound[k - 1] = beyond;
            beyond = w->z * (1.0 / k + beyond);
        }
        done = to;
    }
}

/* P(y = 0 | k) >= exp(-lambda H_k) with
 *
 *     H_k = (1/q) sum_j p^j/j alpha^(|k - j| - k) = (1/q) [ sum_{j <= k} x^j/j + x^k B_k ],
 *     B_k = sum_{i >= 1} z^i/(k + i),   B_{k-1} = z (1/k + B_k),
 *
 * because |k - y| - k is superadditive in y: the weight of a sum of events is at most the product
 * of the weights of the events. */
static void make_bounds(law *w, double one_less_z) {
    double power = 1, sum = 0;
    sum_all_beyond(w, one_less_z);
    for (int k = 1; k <= w->n_bounds; k++) {
        power = fmin(power * w->x, BOUND_MOST);
        w->lower[k - 1] = sum += power / k;
        w->bound[k - 1] = fmin((sum + power * w->bound[k - 1]) / w->q, BOUND_MOST);
    }
}

/* --- entry points ----------------------------------------------------------------------------- */

void ldp_rtruenbinom_prepare(law *w, double excess, double alpha, int n_bounds) {
    w->excess = excess;
    w->alpha = alpha;
    w->q = log1p(excess);
    const ldp_nbinom_terms low = ldp_nbinom_terms_of(excess, alpha, -1);
    const ldp_nbinom_terms high = ldp_nbinom_terms_of(excess, alpha, 1);
    w->log_alpha = high.log_tilt;
    w->x = low.x;
    w->z = high.x;
    w->log_x = low.log_x;
    w->log_z = high.log_x;
    w->mean_size = w->x < 1 ? w->x / (low.one_less_x * w->q) : INFINITY;
    w->n_bounds = n_bounds;
    if (n_bounds > 0)
        make_bounds(w, high.one_less_x);
}

static double draw_count(const law *of_all, ldp_stream *stream, double k, double mu) {
    const double term = k <= K_SMALL ? draw_term(of_all, stream, (int)k, mu) : -1;
    if (term >= 0)
        return term;
    const sides w = with_mean(of_all, mu);
    return w.low.size_less_1 < 0 ? draw_power(&w, stream, k) : draw_log_concave(&w, stream, k);
}

double ldp_rtruenbinom_draw(const law *w, ldp_stream *stream, double u, double k, double lambda,
                            double *events) {
    if (ldp_rtruenbinom_is_by_events(w, k, lambda)) {
        double l = 0;
        const double y = draw_by_events(w, stream, u, k, lambda, &l);
        if (events)
            *events = l;
        return y;
    }
    const double size = w->excess / w->q; /* ldp_bursts_size() */
    const double y = draw_count(w, stream, k, lambda * size);
    if (events)
        *events = y > 0 ? ldp_bursts_events(stream, y, lambda, w->excess) : 0;
    return y;
}

double ldp_rtruenbinom(double k, double mu, double excess, double alpha) {
    if (alpha <= 0)
        return k;
    if (!isfinite(mu))
        return NAN;
    if (mu <= 0)
        return 0;
    if (ldp_nbinom_is_poisson(mu, excess))
        return ldp_rtruecount(k, mu, alpha);
    if (k <= 0) {
        const double h = 1 + (1 - alpha) * excess;
        return ldp_rnbinom(mu * (alpha / h), excess * (alpha / h));
    }
    law w = {0};
    ldp_stream stream = ldp_stream_open();
    ldp_rtruenbinom_prepare(&w, excess, alpha, 0);
    return draw_count(&w, &stream, k, mu);
}
