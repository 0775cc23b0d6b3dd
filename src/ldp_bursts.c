/* The truth behind a release of a negative binomial count,
 *
 *     P(y | k) prop. to w(y) = (s)_y/y! p^y alpha^(|k - y| - k),   w(0) = 1,  k > 0,
 *
 * whose neighbours have the ratios
 *
 *     w(y)/w(y - 1) = (s + y - 1)/y * p/alpha   up to k,   and * p alpha above.
 *
 * With s >= 1 the law has one peak: terms fall from there on both sides. With s < 1 those of 1 .. k
 * are log-convex, high at both ends, and y = 0 stands apart; those above k fall. So the law is a
 * few runs of terms that fall from their first, and a draw by inversion adds up the runs and looks
 * for the place of u in them, y = 0 first.
 *
 * Worked example: k = 20, p = 0.5, alpha = 0.37, s = 1e-4: P(0) = 0.99, y = 3 is the least likely
 * of 1 .. 20, and y = 20 the most.
 *
 * How many events: given y, l ~ sum_{t=1..y} Bern(s/(s + t - 1)), since y is the number of
 * customers in a Chinese restaurant and l that of its tables. After a success at t = a there is
 * none up to m with probability B(m, s)/B(a, s).
 *
 * Sources: Quenouille (1949), A relation between the logarithmic, Poisson, and negative binomial
 * series, Biometrics 5, for bursts; Zhou and Carin (2015), Negative binomial process count and
 * mixture modeling, IEEE Trans. PAMI 37, for l given y; the law behind a release is ours. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"

/* Terms below this part of their sum end a run. */
static const double TERM_NEGLIGIBLE = 1e-20;

/* Up to this release, and with ratios up to this, all terms are computed from y = 0 on. */
enum { K_SMALL = 32 };
static const double RATIO_SMALL = 1e6;

/* From here on terms are not added up where one law will do: that of a release so many standard
 * deviations, and so many units of log, away. */
static const double LARGE = 1e4;
static const double FAR = 12;
static const double TAIL = 60;

/* Bounds are cut here: no lambda is settled by it. */
static const double BOUND_MOST = 1e100;

/* Steps that a number of events may take; above, its normal or Poisson limit is nearer than a
 * double could tell. */
static const double STEPS_MOST = 1e6;

/* Up to this count its customers are seated one by one. */
static const double SEATED_MOST = 32;

/* H_k = (1/q) [ sum_{j <= k} (p/alpha)^j/j + (p/alpha)^k B_k ],  B_k = sum_{i >= 1} (p alpha)^i/(k
 * + i), where B_{k-1} = p alpha (1/k + B_k). Any bound from above serves for the last B. */
void ldp_bursts_bounds(double excess, double alpha, double *bound) {
    const double p = excess / (1 + excess), q = log1p(excess), z = p * alpha, x = p / alpha;
    double beyond = z / ((LDP_BURSTS_BOUNDS + 1) * (1 - z)), power = 1, sum = 0;
    for (int k = LDP_BURSTS_BOUNDS; k >= 1; k--) {
        bound[k - 1] = beyond;
        beyond = z * (1.0 / k + beyond);
    }
    for (int k = 1; k <= LDP_BURSTS_BOUNDS; k++) {
        power = fmin(power * x, BOUND_MOST);
        sum += power / k;
        bound[k - 1] = fmin((sum + power * bound[k - 1]) / q, BOUND_MOST);
    }
}

/* w(y)/w(y-1) = (first + (y-1) step)/y, with one pair up to k and another above. */
typedef struct weights {
    double k;
    double first, step; /* s p/alpha, p/alpha */
    double first_above, step_above; /* s p alpha, p alpha */
} weights;

static weights make_weights(double k, double s, double p, double alpha) {
    return (weights){k, s * p / alpha, p / alpha, s * p * alpha, p * alpha};
}

static double ratio(const weights *law, double y) {
    return y <= law->k ? (law->first + (y - 1) * law->step) / y
                       : (law->first_above + (y - 1) * law->step_above) / y;
}

/* The terms at from, from + by, ... while they count and until `last`, the one at `from` being
 * `term`. */
typedef struct run {
    double from, by, last, term;
} run;

static double next_term(const weights *law, const run *at, double y, double term) {
    return at->by > 0 ? term * ratio(law, y + 1) : term / ratio(law, y);
}

static int in_run(const run *at, double y, double term, double sum) {
    return (at->by > 0 ? y <= at->last : y >= at->last) && term > sum * TERM_NEGLIGIBLE;
}

static double sum_run(const weights *law, const run *at) {
    double sum = 0, term = at->term;
    for (double y = at->from; in_run(at, y, term, sum); y += at->by) {
        sum += term;
        term = next_term(law, at, y, term);
    }
    return sum;
}

/* The place in the run where the sum reaches `rest`. */
static double search_run(const weights *law, const run *at, double rest) {
    double sum = 0, term = at->term, y = at->from, found = at->from;
    for (; in_run(at, y, term, sum) && sum <= rest; y += at->by) {
        found = y;
        sum += term;
        term = next_term(law, at, y, term);
    }
    return found;
}

/* u falls on y = 0, of weight `zero`, or into one of the runs. */
static double invert(double u, double zero, const weights *law, const run *runs, int n) {
    double sums[3], total = zero;
    for (int i = 0; i < n; i++)
        total += sums[i] = sum_run(law, &runs[i]);
    double rest = u * total - zero;
    if (rest < 0)
        return 0;
    for (int i = 0; i < n - 1; i++) {
        if (rest < sums[i])
            return search_run(law, &runs[i], rest);
        rest -= sums[i];
    }
    return search_run(law, &runs[n - 1], rest);
}

/* Small releases, of which sparse data consist: everything from y = 0 up. */
static int is_small(const weights *law) {
    return law->k <= K_SMALL && law->first + law->k * law->step <= RATIO_SMALL &&
           ratio(law, law->k + 1) < 0.9;
}

static double invert_small(double u, const weights *law) {
    const int k = (int)law->k;
    double term[K_SMALL + 1] = {1}, sum = 1;
    for (int y = 1; y <= k; y++) {
        term[y] = term[y - 1] * (law->first + (y - 1) * law->step) / y;
        sum += term[y];
    }
    const run above = {k + 1.0, 1, INFINITY, term[k] * ratio(law, k + 1.0)};
    double rest = u * (sum + sum_run(law, &above));
    for (int y = 0; y <= k; y++) {
        rest -= term[y];
        if (rest < 0)
            return y;
    }
    return search_run(law, &above, rest);
}

/* log w(y) for y <= k: log of (s)_y/y! (p/alpha)^y, to more digits than a draw can show */
static double log_weight(double y, double s, double p, double alpha) {
    return lgammafn(s + y) - lgammafn(s) - lgammafn(y + 1) + y * (log(p) - log(alpha));
}

/* The peak for s >= 1: the last y whose ratio is at least 1. */
static double peak(const weights *law) {
    const double below =
        law->step < 1 ? floor((law->first - law->step) / (1 - law->step)) : INFINITY;
    if (below < law->k)
        return fmax(below, 0);
    return fmax(law->k, floor((law->first_above - law->step_above) / (1 - law->step_above)));
}

/* s >= 1: one peak. Terms are relative to it; that of y = 0, where it counts at all, is found on
 * the way down. */
static double invert_one_peak(double u, const weights *law) {
    const double top = peak(law);
    double zero = 1, sum = 1;
    for (double y = top; y > 0 && zero > sum * TERM_NEGLIGIBLE; y--)
        sum += zero /= ratio(law, y);
    if (zero <= sum * TERM_NEGLIGIBLE)
        zero = 0;
    const run runs[] = {{top, -1, 1, 1}, {top + 1, 1, INFINITY, ratio(law, top + 1)}};
    return top > 0 ? invert(u, zero, law, runs, 2) : invert(u, 1, law, &runs[1], 1);
}

/* s < 1: from y = 1 up to where terms are smallest, from k down to there, and from k + 1 up. */
static double invert_two_ends(double u, const weights *law, double s, double p, double alpha) {
    const double k = law->k;
    const double turn = law->step > 1 ? (law->step - law->first) / (law->step - 1) : k;
    const double middle = floor(fmin(turn, k)), at_k = log_weight(k, s, p, alpha);
    const double scale = exp(-fmax(at_k, 0)), end = exp(fmin(at_k, 0));
    const run runs[] = {{1, 1, middle, scale * law->first},
                        {k, -1, middle + 1, end},
                        {k + 1, 1, INFINITY, end * ratio(law, k + 1)}};
    return invert(u, scale, law, runs, 3);
}

/* A large release far out in a tail of one of its two laws: then it is the other that counts,
 * whole, and not so many of its terms. Returns its step p/alpha or p alpha, or -1 where both count.
 */
static double step_that_counts(const weights *law) {
    const double mean_above = law->first_above / (1 - law->step_above);
    const double mean = law->step < 1 ? law->first / (1 - law->step) : INFINITY;
    if (fmax(law->k, mean_above) < LARGE)
        return -1;
    if (law->k < mean_above - FAR * sqrt(mean_above / (1 - law->step_above)))
        return law->step_above;
    if (law->k > mean + FAR * sqrt(mean / (1 - law->step)) - TAIL / log(law->step))
        return law->step;
    return -1;
}

static double draw_whole(double s, double step) {
    return rpois(rgamma(s, step / (1 - step)));
}

double ldp_bursts_truth(double u, double k, double lambda, double excess, double alpha) {
    const double p = excess / (1 + excess), s = lambda / log1p(excess);
    const weights law = make_weights(k, s, p, alpha);
    if (is_small(&law))
        return invert_small(u, &law);
    const double step = s < 1 ? -1 : step_that_counts(&law);
    if (step > 0)
        return draw_whole(s, step);
    return s < 1 ? invert_two_ends(u, &law, s, p, alpha) : invert_one_peak(u, &law);
}

/* From the first terms on by the formula of Euler and Maclaurin, with n = s + 16 and u = y - 16,
 *
 *     sum_{t < u} 1/(n + t) = log1p(u/n) + [1/2 d1 + 1/12 d2 - 1/120 d4 + 1/252 d6 - 1/240 d8],
 *
 * d_i = n^-i - (n + u)^-i: no difference of digammas, whose digits are gone at a large s. */
double ldp_bursts_mean_events(double y, double size) {
    enum { FIRST = 16 };
    double sum = 0;
    for (double t = 0; t < fmin(y, FIRST); t++)
        sum += size / (size + t);
    if (y <= FIRST)
        return sum;
    const double n = size + FIRST, u = y - FIRST, a = 1 / n, b = 1 / (n + u);
    const double d1 = u * a * b, a2 = a * a, b2 = b * b, a4 = a2 * a2, b4 = b2 * b2;
    return sum + size * (log1p(u / n) + d1 / 2 + d1 * (a + b) / 12 - (a4 - b4) / 120 +
                         (a4 * a2 - b4 * b2) / 252 - (a4 * a4 - b4 * b4) / 240);
}

/* The first t > a with a success, or y + 1: the smallest m with B(m, s)/B(a, s) <= u. */
static double next_table(double u, double a, double y, double s) {
    const double goal = log(u) + lbeta(a, s);
    if (lbeta(y, s) > goal)
        return y + 1;
    double low = a, high = y; /* lbeta(low, s) > goal >= lbeta(high, s) */
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);
        if (lbeta(middle, s) > goal)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double tables_by_jumps(ldp_stream *stream, double y, double s) {
    double l = 0;
    for (double t = 1; t <= y; t = next_table(ldp_stream_uniform(stream), t, y, s))
        l++;
    return l;
}

static double tables_one_by_one(ldp_stream *stream, double y, double s) {
    double l = 1;
    for (double t = 1; t < y; t++)
        l += ldp_stream_uniform(stream) * (s + t) < s;
    return l;
}

/* Millions of customers: tables, or customers who find theirs, are then normal, or Poisson where
 * few. */
static double tables_in_the_limit(double y, double s, double mean) {
    const double joined = rpois(fmax(y - mean, 0)); /* right where s is far above y */
    const double spread =
        s * (digamma(s + y) - digamma(s)) - s * s * (trigamma(s) - trigamma(s + y));
    const double l =
        s > 1e3 * y ? y - joined : floor(mean + sqrt(fmax(spread, 0)) * norm_rand() + 0.5);
    return fmin(fmax(l, 1), y);
}

double ldp_bursts_events(ldp_stream *stream, double y, double lambda, double excess) {
    const double s = lambda / log1p(excess);
    if (y <= 1 || !(s < y * y * 1e20)) /* no two customers share a table */
        return y;
    if (y <= SEATED_MOST)
        return tables_one_by_one(stream, y, s);
    const double jumps = s * log1p(y / s) + 1;
    if (fmin(16 * jumps, y) > STEPS_MOST)
        return tables_in_the_limit(y, s, s * (digamma(s + y) - digamma(s)));
    return 16 * jumps < y ? tables_by_jumps(stream, y, s) : tables_one_by_one(stream, y, s);
}
