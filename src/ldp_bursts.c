/* The number of events l of a count y with size s = lambda/q (ldp_bursts.h). Given y, l ~
 * sum_{t=1..y} Bern(s/(s + t - 1)). This is the number of tables in a Chinese restaurant process,
 * in which y customers (counts) choose tables (events) and customer t opens a new table with
 * probability s/(s + t - 1).
 *
 * For small counts, each customer is drawn. For many customers and few tables, the draw jumps from
 * one customer who opens a table to the next, by rejection from a bound on the probability that a
 * customer opens a table:
 *
 *     (a) customer t + 1 opens a table with probability s/(s + t),
 *     (b) s/(s + t) <= 1 - ((t - 1/2)/(t + 1/2))^s, as log(1 + s/t) <= s/t <= 2 s atanh(1/(2 t)).
 *
 * Candidates are drawn with the probabilities (b). The probability under (b) that there is no
 * candidate between customers a and m is ((a - 1/2)/(m - 1/2))^s, which is inverted to draw the
 * next candidate. A candidate is accepted with the ratio of (a) to (b) as its probability. There
 * are about s log(1 + y/s) jumps. A draw takes at most 1e6 steps (customers or jumps).
 *
 * Sources: Quenouille (1949), A relation between the logarithmic, Poisson, and negative binomial
 * series, Biometrics 5, for events; Zhou and Carin (2015), Negative binomial process count and
 * mixture modeling, IEEE Trans. PAMI 37, for l given y; the candidates are new. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_random.h"

/* The maximum number of steps of a draw. If more would be needed, the normal or the Poisson limit
 * is equal to the distribution in double precision. */
static const double STEPS_MOST = 1e6;

/* The computing time of a jump, relative to that of one customer. */
static const double JUMP = 16;

/* For counts up to this, each customer is drawn. */
static const double SEATED_MOST = 32;

/* Given 1 - (1 - p)^u, a size is geometric. Kemp (1981), Efficient generation of logarithmically
 * distributed pseudo-random variables, Applied Statistics 30. */
int ldp_bursts_draw_size(ldp_stream *stream, double p) {
    const double u = ldp_stream_uniform(stream);
    if (u >= p)
        return 1;
    const double mixed = -expm1(ldp_stream_uniform(stream) * log1p(-p));
    return (int)fmin(1 + floor(log(u) / log(mixed)), LDP_BURSTS_LARGEST);
}

/* After the first terms by the Euler-Maclaurin formula, with n = s + 16 and u = y - 16,
 *
 *     sum_{t < u} 1/(n + t) = log1p(u/n) + [1/2 d1 + 1/12 d2 - 1/120 d4 + 1/252 d6 - 1/240 d8],
 *
 * d_i = n^-i - (n + u)^-i. A difference of digammas would lose its digits at a large s. */
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

/* The customer before the next candidate, given that the last candidate was customer a >= 1. */
static double next_candidate(double u, double a, double s) {
    return floor((a - 0.5) * exp(-log(u) / s) + 0.5);
}

/* Is the candidate customer t + 1 accepted? */
static int opens_table(double u, double t, double s) {
    return u * -expm1(s * log1p(-1 / (t + 0.5))) * (s + t) < s;
}

static double tables_by_jumps(ldp_stream *stream, double y, double s) {
    double l = 1, t = next_candidate(ldp_stream_uniform(stream), 1, s);
    for (; t < y; t = next_candidate(ldp_stream_uniform(stream), t + 1, s))
        l += opens_table(ldp_stream_uniform(stream), t, s);
    return l;
}

/* If nearly all customers open a table, the draw jumps between those who join one. Customer t + 1
 * joins a table with probability t/(s + t) <= 1 - exp(-t/s). Candidates are drawn with the
 * probabilities of this bound, under which no candidate follows customers a .. m with probability
 * exp(-(a + .. + m)/s). */
static double tables_by_joiners(ldp_stream *stream, double y, double s) {
    double l = y, t = 0;
    for (;;) {
        const double reached = (t + 1) * t - 2 * s * log(ldp_stream_uniform(stream));
        t = fmax(t + 1, ceil((sqrt(1 + 4 * reached) - 1) / 2));
        if (!(t < y))
            return l;
        l -= ldp_stream_uniform(stream) * -expm1(-t / s) * (s + t) < t;
    }
}

static double tables_one_by_one(ldp_stream *stream, double y, double s) {
    double l = 1;
    for (double t = 1; t < y; t++)
        l += ldp_stream_uniform(stream) * (s + t) < s;
    return l;
}

/* For millions of customers: the number of tables is nearly normal or, if s is far above y, the
 * number of customers who join a table is nearly Poisson. */
static double tables_in_the_limit(ldp_stream *stream, double y, double s, double mean) {
    const double joined =
        ldp_random_poisson(stream, fmax(y - mean, 0)); /* used if s is far above y */
    const double spread =
        s * (digamma(s + y) - digamma(s)) - s * s * (trigamma(s) - trigamma(s + y));
    const double l = s > 1e3 * y
                         ? y - joined
                         : floor(mean + sqrt(fmax(spread, 0)) * ldp_random_normal(stream) + 0.5);
    return fmin(fmax(l, 1), y);
}

double ldp_bursts_events(ldp_stream *stream, double y, double lambda, double excess) {
    if (y <= 1)
        return y;
    const double s = lambda / log1p(excess);
    if (!(s < y * y * 1e20)) /* no two customers share a table */
        return y;
    if (y <= SEATED_MOST)
        return tables_one_by_one(stream, y, s);
    const double jumps = s * log1p(y / s) + 1, joiners = y / s * y / 2 + 1;
    const double steps = fmin(y, JUMP * fmin(jumps, joiners));
    if (steps > STEPS_MOST)
        return tables_in_the_limit(stream, y, s, s * (digamma(s + y) - digamma(s)));
    if (!(steps < y))
        return tables_one_by_one(stream, y, s);
    return jumps < joiners ? tables_by_jumps(stream, y, s) : tables_by_joiners(stream, y, s);
}
