/* Derivatives of log P(k), y_tilde = y + tau, with respect to mu and theta = log(excess).
 *
 * For k <= 0 (ldp_privnbinom), with e = excess,
 *
 *     log P(k) = const - mu log(1 + (1 - alpha) e)/e.
 *
 * For k > 0 there are two methods.
 *
 * 1. Sums over the true count, for overdispersed counts, and for Poisson counts with little noise.
 * Up to a constant, with size s = mu/e and p = e/(1 + e),
 *
 *     log P(k) = log sum_y exp(f(y)) alpha^|k - y|/y!,
 *     f(y) = log Gamma(s + y) - log Gamma(s) + y log(p) - mu log(1 + e)/e.
 *
 * The first terms depend on x = log(s) only, the third on q = log(p) only. So with a reference
 * count c
 *
 *     log P(k) = f(c) + Q(x, q) + const,
 *
 * where Q is the log of the sum of exp(f(y) - f(c)) alpha^|k - y|/y! over y. The derivatives of Q
 * are the joint cumulants, given k, of j = y - c (the derivative of f(y) - f(c) by q) and of
 * g_1(y), ..., g_4(y) (its derivatives by x), combined as those of a log of a sum: with B_1 = g_1,
 * B_2 = g_2 + g_1^2, ..., the derivative of order (a, b) of exp(Q) is exp(Q) E[B_a j^b | k]
 * (identities of Fisher and Louis). With z = s/(s + i),
 *
 *     g_1(y) = sum_{c <= i < y} z,  g_2: z (1 - z),  g_3: z (1 - z) (1 - 2 z),
 *     g_4: z (1 - z) (1 - 6 z (1 - z)),
 *
 * minus the same sum over y <= i < c if y < c. They are accumulated with the terms. The sum begins
 * at its largest term and ends where terms are negligible. For s < 1 there can be two peaks, 0 and
 * k. Terms that are far from 0 and from k are smooth. If there are many, their sum is replaced by
 * an integral, in panels (as in ldp_nbinom), so that the cost does not grow with the counts.
 * Finally x = log(mu) - theta and q = theta - log(1 + e) give the derivatives by log(mu) and theta.
 *
 * 2. A differential equation, for Poisson counts with so much noise that G = g mu is small, with
 * g = (1 - alpha^2)/alpha. With v = P(y >= k | k) and r = P(y = k | k), which ldp_truecount
 * computes,
 *
 *     d log P(k)/d mu = (1 - alpha)/alpha - g v,
 *     d v/d log(mu) = -G v (1 - v) + k r,     d r/d log(mu) = r (k - mu/alpha + G v),
 *
 * and higher derivatives follow by differentiation. Its errors are about G^n rounding errors, n the
 * order.
 *
 * Sources: Fisher (1925), Theory of statistical estimation, Proceedings of the Cambridge
 * Philosophical Society 22; Louis (1982), Finding the observed information matrix when using the EM
 * algorithm, JRSS B
 * 44. The recurrences are new in this package.
 *
 * For regressions (families for mgcv): derivatives of the log density, which neither the exact nor
 * the fast density returns, and whose sums need other scales. */
#include <math.h>
#include <string.h>

#include <Rmath.h>

#include "ldp_derivatives.h"
#include "ldp_nbinom.h"
#include "ldp_privnbinom.h"
#include "ldp_truecount.h"

/* Terms below this share of the sum are negligible, even times the fourth power of their distance.
 */
static const double TERM_NEGLIGIBLE = 1e-22;

/* Derivatives of order n by the differential equation have errors of about G^n rounding errors.
 * Second derivatives are accurate to 1e-12 of mu if g G is below the second number. */
static const double G_SMALL = 4, G_SMALL_SECOND = 1e3;

/* Terms of the sum over true counts that are this small a share of the next can be left out. */
static const double NOISE_NEGLIGIBLE = 1e-30;

/* The first terms of a sum over i < c, before the formula of Euler and Maclaurin is accurate. */
enum { FIRST_TERMS = 64 };

/* Terms that are added one by one on either side of 0 and of k. Beyond them a log density that
 * falls by more than 40 is smooth, since it falls by less than 1/6 per term. */
static const double DIRECT_TERMS = 256;

/* The sum over y > a of f(y) minus the integral from a is - sum_j end_share[j] f(a - j): Gregory's
 * formula f/2 + D f/12 + D^2 f/24 + 19/720 D^3 f + ... up to D^8, with backward differences D. */
enum { END_TERMS = 9 };
static const double end_share[END_TERMS] = {
    0.7130245535714286, -0.5890197861552028,  0.9640148258377425,
    -1.240890376984127, 1.1405643738977072,   -0.7209438381834216,
    0.2978546626984127, -0.07249696869488537, 0.00789255401234568};

/* What the sum needs to know. */
typedef struct cell {
    double k, mu, excess, alpha;
    double low_first, low_x; /* w(y+1)/w(y) = (first + y x)/(y + 1) for y < k */
    double high_first, high_x; /* and from k on */
} cell;

/* Derivatives by x, sums over i of functions of z = s/(s + i). */
typedef struct by_size {
    double g1, g2, g3, g4;
} by_size;

/* E[B_a j^b], before they are divided by m00. */
typedef struct moments {
    double m00, m10, m20, m30, m40, m01, m11, m21, m02, m12, m22, m31;
} moments;

/* Of Poisson counts z is 1. */
static inline void add_step(by_size *g, double way, double i, const cell *of, int is_nbinom) {
    if (!is_nbinom) {
        g->g1 += way;
        return;
    }
    const double total = of->mu + of->excess * i, z = of->mu / total;
    const double zq = z * (of->excess * i / total);
    g->g1 += way * z;
    g->g2 += way * zq;
    g->g3 += way * zq * (1 - 2 * z);
    g->g4 += way * zq * (1 - 6 * zq);
}

static inline void derivatives_add_term(moments *m, double w, by_size g, double j, int level,
                                        int is_nbinom) {
    const double w1 = w * g.g1, square = g.g2 + g.g1 * g.g1, w2 = w * square;
    m->m00 += w;
    m->m10 += w1;
    m->m20 += w2;
    if (level == 0)
        return;
    const double w3 = w * (g.g3 + g.g1 * (2 * g.g2 + square));
    m->m30 += w3;
    if (level == 2)
        m->m40 +=
            w * (g.g4 + 4 * g.g1 * g.g3 + 3 * square * square - 2 * g.g1 * g.g1 * g.g1 * g.g1);
    if (!is_nbinom)
        return;
    m->m01 += w * j;
    m->m11 += w1 * j;
    m->m21 += w2 * j;
    if (level == 1)
        return;
    const double j2 = j * j;
    m->m02 += w * j2;
    m->m12 += w1 * j2;
    m->m22 += w2 * j2;
    m->m31 += w3 * j;
}

/* A term of the sum: its count, its weight relative to the reference, and g(y). */
typedef struct place {
    double y, weight;
    by_size g;
} place;

/* The sum to which terms are compared. If the largest term is that of 0, it is the part of the
 * terms above 0, on which all derivatives depend. */
static inline double derivatives_whole(const moments *m, double c) {
    return c > 0 || m->m00 < m->m10 ? m->m00 : m->m10;
}

/* sum_{a <= i < b} z^n for n = 1, ..., 4, by the formula of Euler and Maclaurin. The derivative of
 * order m of z^n by i is (-1)^m (n)_m z^n/(s + i)^m. */
static void add_powers(double a, double b, const cell *of, double sum[4]) {
    const double za = of->mu / (of->mu + of->excess * a), zb = of->mu / (of->mu + of->excess * b);
    const double ca = of->excess / (of->mu + of->excess * a),
                 cb = of->excess / (of->mu + of->excess * b);
    const double size = of->mu / of->excess, straight = za * zb * (b - a);
    const double integral[] = {of->excess > 0 ? size * log1p((b - a) * ca) : b - a, straight,
                               straight * (za + zb) / 2,
                               straight * (za * za + za * zb + zb * zb) / 3};
    double pa = 1, pb = 1;
    for (int n = 1; n <= 4; n++) {
        static const double bernoulli[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600};
        pa *= za;
        pb *= zb;
        double ta = pa, tb = pb, rising = n;
        sum[n - 1] += integral[n - 1] + (pa - pb) / 2;
        for (int i = 0; i < 4; i++) {
            ta *= rising * ca;
            tb *= rising * cb;
            sum[n - 1] += bernoulli[i] * (ta - tb);
            ta *= (rising + 1) * ca;
            tb *= (rising + 1) * cb;
            rising += 2;
        }
    }
}

/* The sums of g_1, ..., g_4 over a <= i < b, also for a and b that are no whole numbers. */
static by_size from_to(double a, double b, const cell *of) {
    double z[4] = {0, 0, 0, 0};
    add_powers(a, b, of, z);
    return (by_size){z[0], z[0] - z[1], z[0] - 3 * z[1] + 2 * z[2],
                     z[0] - 7 * z[1] + 12 * z[2] - 6 * z[3]};
}

static by_size add_way(by_size a, by_size b, double way) {
    return (by_size){a.g1 + way * b.g1, a.g2 + way * b.g2, a.g3 + way * b.g3, a.g4 + way * b.g4};
}

/* The derivatives by x of log Gamma(s + c) - log Gamma(s) */
static by_size from_zero(double c, const cell *of) {
    by_size g = {0, 0, 0, 0};
    const double first = fmin(c, FIRST_TERMS);
    for (double i = 0; i < first; i++)
        add_step(&g, 1, i, of, of->excess > 0);
    return c > first ? add_way(g, from_to(first, c, of), 1) : g;
}

/* True also of NaN and 0, with which a sum ends. */
static inline int derivatives_is_negligible(double weight, double next, const moments *m,
                                            double c) {
    return !(next > weight) && !(next > 0 && next >= TERM_NEGLIGIBLE * derivatives_whole(m, c));
}

/* The weight of the next place on the way, 1 or -1. */
static inline double next_weight(const place *from, double way, const cell *of) {
    const double y = way > 0 ? from->y : from->y - 1;
    const double ratio =
        (y < of->k ? of->low_first + y * of->low_x : of->high_first + y * of->high_x) / (y + 1);
    return way > 0 ? from->weight * ratio : from->weight / ratio;
}

/* Moves to the next place, which has this weight. */
static inline void move_on(place *at, double weight, double way, const cell *of, int is_nbinom) {
    add_step(&at->g, way, way > 0 ? at->y : at->y - 1, of, is_nbinom);
    at->weight = weight;
    at->y += way;
}

/* Adds terms after `from`, up to `to` and at most DIRECT_TERMS. Returns 0 if the rest is
 * negligible. */
static inline int derivatives_add_terms(moments *m, place *from, double to, double way, double c,
                                        const cell *of, int *room, int level, int is_nbinom) {
    const double n = fmin(DIRECT_TERMS, way * (to - from->y));
    place at = *from; /* a copy stays in registers */
    double i = 0;
    for (; i < n; i++) {
        const double next = next_weight(&at, way, of);
        if ((*room)-- <= 0 || derivatives_is_negligible(at.weight, next, m, c))
            break;
        move_on(&at, next, way, of, is_nbinom);
        derivatives_add_term(m, at.weight, at.g, at.y - c, level, is_nbinom);
    }
    *from = at;
    return i >= n;
}

/* Subtracts the part of the terms at an end of an integral by which it differs from the sum,
 * without that end: the terms at the end and at those behind it, on the way. */
static void derivatives_add_end(moments *m, place at, double way, double c, const cell *of,
                                int level, int is_nbinom) {
    for (int i = 0; i < END_TERMS; i++) {
        derivatives_add_term(m, -end_share[i] * at.weight, at.g, at.y - c, level, is_nbinom);
        move_on(&at, next_weight(&at, way, of), way, of, is_nbinom);
    }
}

/* The place y. Requires that from.y and y are at least FIRST_TERMS, and on the same side of k. */
static place far_place(place from, double y, const ldp_nbinom_terms *w, const cell *of) {
    const double way = y > from.y ? 1 : -1;
    const by_size g = from_to(fmin(from.y, y), fmax(from.y, y), of);
    return (place){y, from.weight * exp(ldp_nbinom_log_ratio(y, from.y, w)),
                   add_way(from.g, g, way)};
}

/* The width of a panel, in which the log of the terms falls by 3, or y changes by 2 standard
 * deviations, or by a factor of 2. */
static double derivatives_panel_width(double y, double way, const ldp_nbinom_terms *w,
                                      const cell *of) {
    const double bend = fabs(of->mu - of->excess) / (of->mu + of->excess * y) / (y + 1);
    const double of_slope = 3 / fabs(ldp_nbinom_log_step(y, w)), of_bend = 2 / sqrt(bend);
    return fmin(way > 0 ? y : y / 2, fmin(of_slope, of_bend));
}

/* Adds the terms after `from`, up to `to`, as an integral. Returns 0 if the rest is negligible. */
static int derivatives_add_integral(moments *m, place *from, double to, double way, double c,
                                    const cell *of, int *room, int level, int is_nbinom) {
    const ldp_nbinom_terms w =
        ldp_nbinom_make_terms(of->mu, of->excess, of->alpha, from->y < of->k ? -1 : 1);
    const place start = *from;
    derivatives_add_end(m, start, -way, c, of, level, is_nbinom);
    while (way * (to - from->y) > 0) {
        const double left = way * (to - from->y);
        const double width = fmin(derivatives_panel_width(from->y, way, &w, of), left);
        for (int i = 0; i < LDP_NODES; i++) {
            const ldp_node node = ldp_nbinom_node(i);
            const place at = far_place(start, from->y + way * width * node.at, &w, of);
            derivatives_add_term(m, node.weight * width * at.weight, at.g, at.y - c, level,
                                 is_nbinom);
        }
        *room -= LDP_NODES;
        const place next = far_place(start, width < left ? from->y + way * width : to, &w, of);
        const int is_last =
            derivatives_is_negligible(from->weight * width, next.weight * width, m, c);
        *from = next;
        if (is_last || *room <= 0)
            return 0;
    }
    derivatives_add_end(m, *from, way, c, of, level, is_nbinom);
    derivatives_add_term(m, from->weight, from->g, from->y - c, level, is_nbinom);
    return 1;
}

/* Adds the terms after `from`, of which DIRECT_TERMS have been added. The terms are smooth except
 * at 0 and at k, next to which they are added one by one. A function of its own, because it is
 * rarely called. */
static void add_far_terms(moments *m, place *from, double to, double way, double c, const cell *of,
                          int *room, int level, int is_nbinom) {
    while (way * (to - from->y) > 0) {
        const double past = way * (from->y - of->k);
        const double seam = past < 0 && way * (to - of->k) > 0 ? of->k : to;
        const double stop = seam - way * DIRECT_TERMS;
        if ((past < 0 || past >= DIRECT_TERMS) && way * (stop - from->y) > DIRECT_TERMS &&
            !derivatives_add_integral(m, from, stop, way, c, of, room, level, is_nbinom))
            return;
        if (!derivatives_add_terms(m, from, to, way, c, of, room, level, is_nbinom))
            return;
    }
}

/* Adds the terms after `from`, on the way up to `to`, and returns the last one that was added. */
static inline place add_run(moments *m, place from, double to, double way, double c, const cell *of,
                            int *room, int level, int is_nbinom) {
    if (way * (to - from.y) > 0 &&
        derivatives_add_terms(m, &from, to, way, c, of, room, level, is_nbinom) &&
        way * (to - from.y) > 0)
        add_far_terms(m, &from, to, way, c, of, room, level, is_nbinom);
    return from;
}

/* The largest y with w(y) >= w(y-1), for the ratios (first + y x)/(y + 1), which decrease. */
static double peak_of(double first, double x) {
    if (x >= 1)
        return INFINITY;
    return first >= 1 ? floor((first - 1) / (1 - x)) + 1 : 0;
}

/* For s >= 1. */
static double find_peak(const cell *of) {
    const double low = peak_of(of->low_first, of->low_x);
    return low < of->k ? low : fmax(of->k, peak_of(of->high_first, of->high_x));
}

/* log w(k)/w(0), for s < 1 */
static double log_k_by_0(const cell *of) {
    const double s = of->mu / of->excess;
    const double step = of->low_x > 0 ? log(of->low_x) : -INFINITY;
    return lgammafn(s + of->k) - lgammafn(s + 1) + log(s) - lgammafn(of->k + 1) + of->k * step;
}

/* All terms for s < 1, from both ends of 0..k. */
static inline double sum_two_peaks(moments *m, by_size *base, const cell *of, int *room, int level,
                                   int is_nbinom) {
    const by_size none = {0, 0, 0, 0}, of_k = from_zero(of->k, of);
    const double log_ratio = log_k_by_0(of);
    const int at_k = log_ratio > 0;
    const double c = at_k ? of->k : 0;
    place zero = {0, at_k ? exp(-log_ratio) : 1, at_k ? add_way(none, of_k, -1) : none};
    place k = {of->k, at_k ? 1 : exp(log_ratio), at_k ? none : of_k};
    *base = at_k ? of_k : none;
    derivatives_add_term(m, 1, none, 0, level, is_nbinom);
    if (at_k) {
        add_run(m, k, INFINITY, 1, c, of, room, level, is_nbinom);
        const place last = add_run(m, k, 0, -1, c, of, room, level, is_nbinom);
        if (last.y > 0 && zero.weight >= TERM_NEGLIGIBLE * derivatives_whole(m, c)) {
            derivatives_add_term(m, zero.weight, zero.g, -c, level, is_nbinom);
            add_run(m, zero, last.y - 1, 1, c, of, room, level, is_nbinom);
        }
    } else {
        const place last = add_run(m, zero, of->k, 1, c, of, room, level, is_nbinom);
        if (last.y >= of->k) {
            add_run(m, last, INFINITY, 1, c, of, room, level, is_nbinom);
        } else if (k.weight >= TERM_NEGLIGIBLE * derivatives_whole(m, c)) {
            derivatives_add_term(m, k.weight, k.g, of->k, level, is_nbinom);
            add_run(m, k, last.y + 1, -1, c, of, room, level, is_nbinom);
            add_run(m, k, INFINITY, 1, c, of, room, level, is_nbinom);
        }
    }
    return c;
}

static inline double sum_one_peak(moments *m, by_size *base, const cell *of, int *room, int level,
                                  int is_nbinom) {
    const double c = find_peak(of);
    const place peak = {c, 1, {0, 0, 0, 0}};
    derivatives_add_term(m, 1, peak.g, 0, level, is_nbinom);
    add_run(m, peak, 0, -1, c, of, room, level, is_nbinom);
    add_run(m, peak, INFINITY, 1, c, of, room, level, is_nbinom);
    *base = from_zero(c, of);
    return c;
}

/* Fills in the moments and returns the reference count. */
static inline double sum_terms(moments *m, by_size *base, const cell *of, int *room, int level,
                               int is_nbinom) {
    return is_nbinom && of->mu < of->excess ? sum_two_peaks(m, base, of, room, level, is_nbinom)
                                            : sum_one_peak(m, base, of, room, level, is_nbinom);
}

/* The same; each call is compiled for its level. */
static double sum_level(moments *m, by_size *base, const cell *of, int *room, int level) {
    const int is_nbinom = of->excess > 0;
    if (is_nbinom)
        return level == 0   ? sum_terms(m, base, of, room, 0, 1)
               : level == 1 ? sum_terms(m, base, of, room, 1, 1)
                            : sum_terms(m, base, of, room, 2, 1);
    return level == 0   ? sum_terms(m, base, of, room, 0, 0)
           : level == 1 ? sum_terms(m, base, of, room, 1, 0)
                        : sum_terms(m, base, of, room, 2, 0);
}

static void normalise(moments *m) {
    const double by = 1 / m->m00;
    double *const all = &m->m00;
    for (size_t i = 0; i < sizeof *m / sizeof *all; i++)
        all[i] *= by;
}

/* Derivatives of f(c) + Q by x and q: xxq is that of order 2 by x and order 1 by q. */
typedef struct by_size_and_p {
    double x, xx, xxx, xxxx, q, qq, xq, xxq, xqq, xxxq, xxqq;
} by_size_and_p;

static by_size_and_p cumulants(const moments *m, by_size base, double c) {
    const double x = m->m10, q = m->m01, x2 = x * x, q2 = q * q;
    return (by_size_and_p){.x = base.g1 + x,
                           .xx = base.g2 + (m->m20 - x2),
                           .xxx = base.g3 + (m->m30 - 3 * m->m20 * x + 2 * x2 * x),
                           .xxxx = base.g4 + (m->m40 - 4 * m->m30 * x - 3 * m->m20 * m->m20 +
                                              12 * m->m20 * x2 - 6 * x2 * x2),
                           .q = c + q,
                           .qq = m->m02 - q2,
                           .xq = m->m11 - x * q,
                           .xxq = m->m21 - 2 * m->m11 * x - m->m20 * q + 2 * x2 * q,
                           .xqq = m->m12 - 2 * m->m11 * q - m->m02 * x + 2 * q2 * x,
                           .xxxq = m->m31 - 3 * m->m21 * x - m->m30 * q - 3 * m->m20 * m->m11 +
                                   6 * m->m11 * x2 + 6 * m->m20 * x * q - 6 * x2 * x * q,
                           .xxqq = m->m22 - 2 * m->m12 * x - 2 * m->m21 * q - m->m20 * m->m02 -
                                   2 * m->m11 * m->m11 + 2 * m->m20 * q2 + 2 * m->m02 * x2 +
                                   8 * m->m11 * x * q - 6 * x2 * q2};
}

/* log(1 + h e)/e, the rate at which log P falls with mu, and its first two derivatives by theta. */
typedef struct rate {
    double value, first, second;
} rate;

static rate make_rate(double h, double excess) {
    const double he = h * excess, share = h / (1 + he);
    rate r = {he > 1e-300 ? log1p(he) / excess : h, 0, 0};
    if (he < 1e-4) /* differences would lose digits */
        r.first = -h * he * (1.0 / 2 - he * (2.0 / 3 - he * (3.0 / 4 - he * (4.0 / 5))));
    else
        r.first = share - r.value;
    r.second = -share * share * excess - r.first;
    return r;
}

/* From derivatives by log(mu) to those by mu. */
static void write_derivatives(const by_size_and_p *f, const cell *of, int level, double *d) {
    const rate phi = make_rate(1, of->excess);
    const double all = of->mu * phi.value;
    const double e1 = f->x - all, e2 = f->xx - all, e3 = f->xxx - all, e4 = f->xxxx - all;
    d[LDP_BY_MU] = e1;
    d[LDP_BY_MU2] = e2 - e1;
    if (level == 0)
        return;
    d[LDP_BY_MU3] = e3 - 3 * e2 + 2 * e1;
    const double p1 = 1 / (1 + of->excess), p2 = -of->excess * p1 * p1;
    const double once = of->mu * phi.first, twice = of->mu * phi.second;
    const double e1t = -f->xx + p1 * f->xq - once, e2t = -f->xxx + p1 * f->xxq - once;
    const int is_nbinom = of->excess > 0;
    d[LDP_BY_THETA] = is_nbinom ? -f->x + p1 * f->q - once : 0;
    d[LDP_BY_MU_THETA] = is_nbinom ? e1t : 0;
    d[LDP_BY_MU2_THETA] = is_nbinom ? e2t - e1t : 0;
    if (level == 1)
        return;
    d[LDP_BY_MU4] = e4 - 6 * e3 + 11 * e2 - 6 * e1;
    const double e3t = -f->xxxx + p1 * f->xxxq - once;
    const double e1tt = f->xxx - 2 * p1 * f->xxq + p1 * p1 * f->xqq + p2 * f->xq - twice;
    const double e2tt = f->xxxx - 2 * p1 * f->xxxq + p1 * p1 * f->xxqq + p2 * f->xxq - twice;
    d[LDP_BY_THETA2] = is_nbinom ? f->xx - 2 * p1 * f->xq + p1 * p1 * f->qq + p2 * f->q - twice : 0;
    d[LDP_BY_MU_THETA2] = is_nbinom ? e1tt : 0;
    d[LDP_BY_MU2_THETA2] = is_nbinom ? e2tt - e1tt : 0;
    d[LDP_BY_MU3_THETA] = is_nbinom ? e3t - 3 * e2t + 2 * e1t : 0;
}

/* Is the true count k, although alpha is above 0? Each term of the sum over true counts is then a
 * negligible share of the next one towards k: those below k of at most alpha k/first, those above
 * of at most alpha (first + p k). */
static int has_no_noise(double k, double mu, double excess, double alpha) {
    const double first = mu / (1 + excess), p = excess / (1 + excess);
    return alpha * k < NOISE_NEGLIGIBLE * first && alpha * (first + p * k) < NOISE_NEGLIGIBLE;
}

static int by_sum(double k, double mu, double excess, double alpha, int level, double *d) {
    const double first = mu / (1 + excess), p = excess / (1 + excess);
    const cell of = {k, mu, excess, alpha, first / alpha, p / alpha, first * alpha, p * alpha};
    moments m = {0};
    by_size base = {0, 0, 0, 0};
    int room = LDP_DERIVATIVE_TERMS;
    const double c = sum_level(&m, &base, &of, &room, level);
    normalise(&m);
    const by_size_and_p f = cumulants(&m, base, c);
    write_derivatives(&f, &of, level, d);
    return LDP_DERIVATIVE_TERMS - room;
}

/* Without noise the true count is k. */
static void without_noise(double k, double mu, double excess, int level, double *d) {
    const cell of = {k, mu, excess, 0, 0, 0, 0, 0};
    const by_size base = from_zero(k, &of);
    const by_size_and_p f = {.x = base.g1, .xx = base.g2, .xxx = base.g3, .xxxx = base.g4, .q = k};
    write_derivatives(&f, &of, level, d);
    if (excess <= 0) { /* exactly */
        d[LDP_BY_MU2] = -k;
        if (level > 0)
            d[LDP_BY_MU3] = 2 * k;
        if (level > 1)
            d[LDP_BY_MU4] = -6 * k;
    }
}

static void at_most_zero(double mu, double excess, double alpha, int level, double *d) {
    const rate psi = make_rate(1 - alpha, excess);
    const double once = -mu * psi.first, twice = -mu * psi.second;
    memset(d, 0,
           (size_t)(level == 0   ? LDP_N_LEVEL_0
                    : level == 1 ? LDP_N_LEVEL_1
                                 : LDP_N_LEVEL_2) *
               sizeof *d);
    d[LDP_BY_MU] = -mu * psi.value;
    if (level > 0 && excess > 0) {
        d[LDP_BY_THETA] = once;
        d[LDP_BY_MU_THETA] = once;
    }
    if (level > 1 && excess > 0) {
        d[LDP_BY_THETA2] = twice;
        d[LDP_BY_MU_THETA2] = twice;
    }
}

/* v and r are P(y >= k | k) and P(y = k | k), a = v (1 - v), and numbers 1, 2, 3 their derivatives
 * by log(mu). Differences such as v2 - v1 are computed without cancellation, because they are of
 * the order of mu^2. */
static void by_equation(double k, double mu, double alpha, int level, double *d) {
    const ldp_truecount_shares share = ldp_truecount_find_shares(k, mu, alpha);
    const double g = (1 - alpha) * (1 + alpha) / alpha * mu, v = share.at + share.above;
    const double w = share.below, r = share.at, a = v * w;
    const double v1 = k * r - g * a;
    d[LDP_BY_MU] = v < w ? (1 - alpha) / alpha * mu - g * v : g * w - (1 - alpha) * mu;
    d[LDP_BY_MU2] = -g * v1;
    if (level == 0)
        return;
    const double past = g * v - mu / alpha, c_less_1 = (k - 1) + past;
    const double v2_less_v1 = k * r * c_less_1 - g * (w - v) * v1;
    d[LDP_BY_THETA] = d[LDP_BY_MU_THETA] = d[LDP_BY_MU2_THETA] = 0;
    d[LDP_BY_MU3] = -g * v2_less_v1;
    if (level == 1)
        return;
    const double c1 = past + g * v1;
    const double a1_less_a2 = 2 * v1 * v1 - (w - v) * v2_less_v1;
    d[LDP_BY_MU4] = -g * (g * a1_less_a2 + k * r * (c_less_1 * ((k - 2) + past) + c1));
    d[LDP_BY_THETA2] = d[LDP_BY_MU_THETA2] = d[LDP_BY_MU2_THETA2] = d[LDP_BY_MU3_THETA] = 0;
}

static int uses_equation(double mu, double alpha, int level) {
    const double g = (1 - alpha) * (1 + alpha) / alpha;
    return g * mu <= G_SMALL || (level == 0 && g * g * mu <= G_SMALL_SECOND);
}

int ldp_derivatives(double k, double mu, double excess, double alpha, int level, double *d) {
    if (ldp_nbinom_is_poisson(mu, excess))
        excess = 0;
    if (alpha <= 0 || (k > 0 && has_no_noise(k, mu, excess, alpha))) {
        without_noise(k, mu, excess, level, d);
        return 0;
    }
    if (k <= 0) {
        at_most_zero(mu, excess, alpha, level, d);
        return 0;
    }
    alpha = fmax(alpha, 1e-307); /* so that 1/alpha is finite */
    if (excess <= 0 && uses_equation(mu, alpha, level)) {
        by_equation(k, mu, alpha, level, d);
        return 0;
    }
    return by_sum(k, mu, excess, alpha, level, d);
}

/* The log of a mean that hardly differs from 0: log P(k) changes by less than the mean. */
static const double LOG_MEAN_NIL = -40;

/* log P(k) increases by less than its rounding error. */
static const double GAIN_NEGLIGIBLE = 1e-15;

/* log P(k) has one maximum over mu, because the distributions of y are totally positive. For k > 0
 * it is found by Newton's method for log(mu) within a bracket. */
double ldp_saturated(double k, double excess, double alpha) {
    if (k <= 0)
        return ldp_privnbinom_log_pmf(k, 0, excess, alpha);
    if (alpha <= 0 && excess <= 0)
        return ldp_privnbinom_log_pmf(k, k, 0, 0);
    double least = -INFINITY, most = INFINITY, eta = log(k), reach = 1;
    for (int i = 0; i < 100 && eta > LOG_MEAN_NIL; i++) {
        double d[LDP_N_LEVEL_0];
        ldp_derivatives(k, exp(eta), excess, alpha, 0, d);
        if (d[LDP_BY_MU] > 0)
            least = eta;
        else
            most = eta;
        const double curvature = d[LDP_BY_MU] + d[LDP_BY_MU2];
        double next = eta - d[LDP_BY_MU] / curvature;
        if (!(curvature < 0) || fabs(next - eta) > 2 * reach) {
            next = eta + (d[LDP_BY_MU] > 0 ? reach : -reach);
            reach *= 2;
        }
        if (next < least || next > most)
            next = (least + most) / 2;
        const double step = fabs(next - eta);
        eta = next;
        if (step < 1e-9 || fabs(d[LDP_BY_MU]) * step < GAIN_NEGLIGIBLE)
            break;
    }
    return ldp_privnbinom_log_pmf(k, exp(eta), excess, alpha);
}
