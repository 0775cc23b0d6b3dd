/* Sums go from the peak outwards, until the terms that are left are negligible: for a log-concave
 * function they are at most those of a geometric series. Given listed evidence, they go from the
 * most probable count outwards, and what is left is at most the largest L times the tail of the
 * count.
 *
 * A draw is by inversion if few counts matter or the evidence is listed, otherwise by rejection.
 * The envelope of a log-concave function g with its peak at m is flat up to the distance t, where g
 * has fallen by a factor of e or more while at t/2 it has not, and exponential beyond, through g(m)
 * and g(m + t). For a size below 1, f(y) = g(y)/y is drawn in pieces with y from 2^j to 2^(j+1) -
 * 1, in which 1/y varies by at most a factor of 2; y = 0 is a piece by itself.
 *
 * Source of the envelope: Devroye (1987), A simple generator for discrete log-concave
 * distributions, Computing 39, whose scale is the height of the peak. The pieces are new in this
 * package. */
#include <float.h>
#include <math.h>

#include "ldp_behind.h"
#include "ldp_math.h"
#include "ldp_poisson.h"

static const double NEGLIGIBLE = 1e-19; /* parts of a sum below this are left out */
static const double MOST_TERMS = 268435456; /* of a sum: 2^28 */
static const double MOST_OF_RANGE = 1000; /* longer flat ranges are differences of probabilities */

/* --- f and g ---------------------------------------------------------------------------------- */

static double step_of_count(const ldp_behind *b, double y) {
    return b->excess > 0 ? ldp_nbinom_log_step(y, &b->terms) : log(b->mu) - log1p(y);
}

/* log f(y+1)/f(y) */
static double f_step(const ldp_behind *b, double y) {
    return step_of_count(b, y) + ldp_evidence_step(&b->evidence, y);
}

/* The same for g, which is y f(y) if the size is below 1, otherwise f. */
static double g_step(const ldp_behind *b, double y) {
    return f_step(b, y) + (b->is_small ? log1p(1 / y) : 0);
}

/* log P(y)/P(from) of a count */
static double count_ratio(const ldp_behind *b, double y, double from) {
    if (b->excess > 0)
        return ldp_nbinom_log_ratio(y, from, &b->terms);
    return from > 0 ? ldp_poisson_log_ratio(y, from) + (y - from) * (log(b->mu) - log(from))
                    : y * log(b->mu) - lgamma(y + 1);
}

static double f_ratio(const ldp_behind *b, double y, double from) {
    return count_ratio(b, y, from) + ldp_evidence_ratio(&b->evidence, y, from);
}

static double g_ratio(const ldp_behind *b, double y, double from) {
    return f_ratio(b, y, from) + (b->is_small ? log(y / from) : 0);
}

static double log_of_count(const ldp_behind *b, double y) {
    return b->excess > 0 ? ldp_nbinom_log_pmf(y, b->mu, b->excess)
                         : ldp_poisson_log_pmf(y, b->mu, y - b->mu);
}

static double log_cdf_of_count(const ldp_behind *b, double k, int lower) {
    return b->excess > 0 ? ldp_nbinom_log_cdf(k, lower, b->mu, b->excess)
                         : ldp_poisson_log_cdf(k, b->mu, lower);
}

/* Is y = 0 not part of the log-concave part? */
static int has_zero(const ldp_behind *b) {
    return b->is_small && b->low <= 0 && b->high > 0;
}

/* log f(0)/f(peak); -Inf where y = 0 is a part of the log-concave part. */
static double log_zero(const ldp_behind *b) {
    return has_zero(b) ? f_ratio(b, 0, b->peak) : -INFINITY;
}

/* The least count of the log-concave part. */
static double g_low(const ldp_behind *b) {
    return b->is_small ? fmax(b->low, 1) : b->low;
}

static int rises_at(ldp_behind *b, double y) {
    b->n_evaluations++;
    return g_step(b, y) > 0;
}

/* The first y in low..high at which g does not rise any more, if it rises at low - 1 and not at
 * high. */
static double bisect_peak(ldp_behind *b, double low, double high) {
    while (low < high) {
        const double middle = floor(low + (high - low) / 2);
        if (rises_at(b, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Goes up or down from a guess in steps that double. */
static double find_peak(ldp_behind *b) {
    const double low = g_low(b), high = b->high;
    const double guess = fmin(fmax(ldp_evidence_guess(&b->evidence), low), high);
    if (low >= high || !rises_at(b, low))
        return low;
    if (guess < high && guess > low && rises_at(b, guess)) {
        double from = guess + 1;
        for (double step = 1; from + step < high; step *= 2) {
            if (!rises_at(b, from + step))
                return bisect_peak(b, from, from + step);
            from += step + 1;
        }
        return bisect_peak(b, from, high);
    }
    double to = guess > low ? guess : high;
    if (isinf(to)) { /* the guess is the lowest count */
        for (to = low + 1; rises_at(b, to);)
            to = low + 2 * (to - low);
        return bisect_peak(b, low + 1, to);
    }
    for (double step = 1; to - step > low; step *= 2) {
        if (rises_at(b, to - step))
            return bisect_peak(b, to - step + 1, to);
        to -= step;
    }
    return bisect_peak(b, low + 1, to);
}

/* --- listed evidence ----------------------------------------------------------------------------
 */

/* From where sums go: the most probable count of a range. */
static double listed_start(const ldp_behind *b, double from, double to) {
    const double mode = floor(b->excess > 0 ? b->mu - b->excess : b->mu);
    return fmin(fmax(mode, from), to);
}

/* At least P(all counts beyond y on the way)/P(y), for a y beyond the most probable one. P falls by
 * at least as much per count as at y, or, if the size is below 1, as far away. */
static double listed_rest(const ldp_behind *b, double y, int way) {
    const double far = b->excess / (1 + b->excess),
                 size_less_1 = b->excess > 0 ? b->terms.size_less_1 : 0;
    const double ratio = way < 0           ? exp(-step_of_count(b, y - 1))
                         : size_less_1 < 0 ? far
                                           : exp(step_of_count(b, y));
    return ratio < 1 ? ratio / (1 - ratio) : INFINITY;
}

/* The count from..to with the largest f; -1 if all are 0. */
static double listed_peak(ldp_behind *b, double from, double to) {
    const double start = listed_start(b, from, to), most = ldp_evidence_most(&b->evidence);
    double peak = -1, best = -INFINITY;
    for (int way = 1; way >= -1; way -= 2) {
        double of_count = 0; /* log P(y)/P(start) */
        for (double y = start; of_count + most >= best; y += way) {
            const double value = of_count + ldp_evidence_log(&b->evidence, y);
            b->n_evaluations++;
            if (value > best) {
                best = value;
                peak = y;
            }
            if (way * ((way > 0 ? to : from) - y) <= 0)
                break;
            of_count += way > 0 ? step_of_count(b, y) : -step_of_count(b, y - 1);
        }
    }
    return peak;
}

ldp_behind ldp_behind_open(ldp_evidence evidence, double mu, double excess) {
    ldp_behind b = {.evidence = evidence, .mu = mu, .low = evidence.low, .high = evidence.high};
    if (mu <= 0)
        b.high = fmin(b.high, 0);
    else if (!ldp_nbinom_is_poisson(mu, excess)) {
        b.excess = excess;
        b.terms = ldp_nbinom_make_terms(mu, excess, 0.5, 0);
        b.is_small = b.terms.size_less_1 < 0 && !evidence.is_listed;
    }
    if (b.low <= b.high && b.high > 0)
        b.peak = evidence.is_listed ? listed_peak(&b, b.low, b.high) : find_peak(&b);
    return b;
}

/* --- sums ------------------------------------------------------------------------------------- */

enum { POWERS = LDP_CUMULANTS + 1 };

/* sum f(y)/f(reference) (y - center)^i for i = 0, ..., n_powers - 1, added to `sum` */
typedef struct run {
    double reference, center;
    int n_powers;
    double sum[POWERS];
} run;

/* What is left of g beyond y, in units of g(y). */
static double rest_of_g(const ldp_behind *b, double y, int way) {
    const double fall = way > 0 ? g_step(b, y) : -g_step(b, y - 1);
    return fall < 0 ? 1 / expm1(-fall) : INFINITY;
}

/* Adds the terms from `from` to `to`. */
static void add_run(const ldp_behind *b, run *r, double from, double to, int way) {
    double n = 0;
    for (double y = from; way * (to - y) >= 0 && n < MOST_TERMS; y += way, n++) {
        const double term = exp(f_ratio(b, y, r->reference)), away = y - r->center;
        double power = term;
        for (int i = 0; i < r->n_powers; i++, power *= away)
            r->sum[i] += power;
        const double rest =
            y + way < g_low(b) || !(y + way <= b->high) ? INFINITY : rest_of_g(b, y, way);
        /* f(y) = g(y)/y, and moments weigh what is far away */
        double most = term * rest * (b->is_small ? y : 1);
        for (int i = 1; i < r->n_powers; i++)
            most *= 1 + rest / fmax(1, fabs(away));
        if (most * pow(fmax(1, fabs(away)), r->n_powers - 1) <=
            NEGLIGIBLE * r->sum[r->n_powers - 1])
            return;
    }
}

/* Adds the terms from `from` to `to`, for listed evidence. Returns the count at which sum[0]
 * reaches `until`, or -1 if it does not. */
static double add_listed_run(const ldp_behind *b, run *r, double from, double to, int way,
                             double until) {
    const double most = ldp_evidence_most(&b->evidence);
    const double top = most - ldp_evidence_log(&b->evidence, r->reference);
    double n = 0;
    for (double y = from; way * (to - y) >= 0 && n < MOST_TERMS; y += way, n++) {
        const double of_count = count_ratio(b, y, r->reference), away = y - r->center;
        double power = exp(of_count + ldp_evidence_ratio(&b->evidence, y, r->reference));
        for (int i = 0; i < r->n_powers; i++, power *= away)
            r->sum[i] += power;
        if (r->sum[0] >= until)
            return y;
        const double rest = listed_rest(b, y, way), far = fmax(1, fabs(away)) + rest;
        if (exp(of_count + top) * rest * pow(far, r->n_powers - 1) <=
            NEGLIGIBLE * r->sum[r->n_powers - 1])
            break;
    }
    return -1;
}

static void add_listed(const ldp_behind *b, run *r, double from, double to) {
    const double start = listed_start(b, from, to);
    add_listed_run(b, r, start, to, 1, INFINITY);
    add_listed_run(b, r, start - 1, from, -1, INFINITY);
}

/* All terms, relative to the largest one: f(0) may be too large a multiple of f(peak) for a double.
 */
static run add_all(const ldp_behind *b, double center, int n_powers) {
    run r = {.reference = log_zero(b) > 0 ? 0 : b->peak, .center = center, .n_powers = n_powers};
    if (b->high > 0 && b->evidence.is_listed) {
        add_listed(b, &r, b->low, b->high);
    } else if (b->high > 0) {
        add_run(b, &r, b->peak, b->high, 1);
        add_run(b, &r, b->peak - 1, g_low(b), -1);
        if (has_zero(b))
            add_run(b, &r, 0, 0, 1);
    } else {
        add_run(b, &r, 0, 0, 1);
    }
    return r;
}

/* log P(low <= y <= high) of a count: the difference of the tails on the side of the mean where the
 * range is. */
static double log_range(const ldp_behind *b, double low, double high) {
    if (low > high)
        return -INFINITY;
    const double below = low > 0 ? log_cdf_of_count(b, low - 1, 1) : -INFINITY;
    const double above = isinf(high) ? -INFINITY : log_cdf_of_count(b, high, 0);
    if (below < -M_LN2 && above < -M_LN2)
        return log1p(-exp(below) - exp(above));
    if (below < above) {
        const double upto = log_cdf_of_count(b, high, 1);
        return upto + ldp_log1m_exp(below - upto);
    }
    const double from = log_cdf_of_count(b, low - 1, 0);
    return from + ldp_log1m_exp(above - from);
}

static int is_range(const ldp_behind *b) {
    return b->evidence.is_flat && b->mu > 0 && b->high - b->low > MOST_OF_RANGE;
}

double ldp_behind_log(const ldp_behind *b, double y) {
    const double of_count = b->mu > 0 ? log_of_count(b, y) : 0;
    return of_count + ldp_evidence_log(&b->evidence, y);
}

double ldp_behind_log_mass(const ldp_behind *b) {
    if (b->low > b->high)
        return -INFINITY;
    if (is_range(b))
        return log_range(b, b->low, b->high);
    if (b->high <= 0)
        return ldp_behind_log(b, 0);
    const run all = add_all(b, 0, 1);
    return ldp_behind_log(b, all.reference) + log(all.sum[0]);
}

/* log of the sum from..to, relative to f(peak) */
static double log_listed_sum(const ldp_behind *b, double from, double to) {
    ldp_behind part = *b;
    run r = {.reference = listed_peak(&part, from, to), .n_powers = 1};
    if (r.reference < 0)
        return -INFINITY;
    add_listed(b, &r, from, to);
    return log(r.sum[0]) + f_ratio(b, r.reference, b->peak);
}

/* log of the sum over y <= q, or y > q, relative to f(peak). It goes away from the peak, or over
 * it.
 */
static double log_sum(const ldp_behind *b, double q, int lower) {
    if (b->evidence.is_listed)
        return log_listed_sum(b, lower ? b->low : q + 1, lower ? q : b->high);
    const double low = g_low(b), from = lower ? q : q + 1;
    const int way = lower ? -1 : 1;
    const int is_over = lower ? q > b->peak : q < b->peak;
    const double start = fmin(fmax(is_over ? b->peak : from, low), b->high);
    run r = {.reference = start, .n_powers = 1};
    if (!lower || q >= low)
        add_run(b, &r, start, lower ? low : b->high, way);
    if (is_over)
        add_run(b, &r, start - way, lower ? q : fmax(from, low), -way);
    const double log_rest = log(r.sum[0]) + f_ratio(b, start, b->peak);
    const double zero = lower || from <= 0 ? log_zero(b) : -INFINITY;
    const double larger = fmax(zero, log_rest), smaller = fmin(zero, log_rest);
    return larger > -INFINITY ? larger + log1p(exp(smaller - larger)) : larger;
}

double ldp_behind_log_cdf(const ldp_behind *b, double q, int lower) {
    if (q < b->low || q >= b->high)
        return (q < b->low) == !lower ? 0 : -INFINITY;
    if (is_range(b)) {
        const double part = lower ? log_range(b, b->low, q) : log_range(b, q + 1, b->high);
        return part - log_range(b, b->low, b->high);
    }
    const double below = log_sum(b, q, 1), above = log_sum(b, q, 0);
    return below < above
               ? (lower ? below - above - log1p(exp(below - above)) : -log1p(exp(below - above)))
               : (lower ? -log1p(exp(above - below)) : above - below - log1p(exp(above - below)));
}

/* First the mean, then moments about it: a mean may be tiny, and variances far from 0. */
void ldp_behind_cumulants(const ldp_behind *b, double *cumulant) {
    const run first = add_all(b, 0, 2);
    const double mean = first.sum[1] / first.sum[0];
    const run central = add_all(b, mean, POWERS);
    const double variance = central.sum[2] / central.sum[0];
    cumulant[0] = mean;
    cumulant[1] = variance;
    cumulant[2] = central.sum[3] / central.sum[0];
    cumulant[3] = central.sum[4] / central.sum[0] - 3 * variance * variance;
}

/* Fills in terms from the peak to one side. Returns the last count, or -1 if there is no room. */
static int fill_side(const ldp_behind *b, int way, int room, double *terms) {
    const double last = way > 0 ? b->high : g_low(b);
    double sum = 1, term = 1, y = b->peak;
    while (way * (last - y) > 0) {
        if (term * rest_of_g(b, y, way) * (b->is_small ? y : 1) <= NEGLIGIBLE * sum)
            break;
        if (y + way >= room)
            return -1;
        term *= exp(way * f_step(b, way > 0 ? y : y - 1));
        y += way;
        sum += terms[(int)y] = term;
    }
    return (int)y;
}

/* The same for listed evidence, from 0 on. */
static int fill_listed(const ldp_behind *b, int room, double *terms) {
    const double top = ldp_evidence_most(&b->evidence) - ldp_evidence_log(&b->evidence, b->peak);
    double sum = 0;
    for (int y = 0; y < room; y++) {
        terms[y] = y < b->low ? 0 : exp(f_ratio(b, y, b->peak));
        sum += terms[y];
        const int is_beyond = y >= b->peak && y >= listed_start(b, b->low, b->high);
        if (is_beyond &&
            (y >= b->high ||
             exp(count_ratio(b, y, b->peak) + top) * listed_rest(b, y, 1) <= NEGLIGIBLE * sum))
            return y + 1;
    }
    return 0;
}

int ldp_behind_terms(const ldp_behind *b, int room, double *terms) {
    if (!(b->peak < room))
        return 0;
    if (b->evidence.is_listed && b->high > 0)
        return fill_listed(b, room, terms);
    for (int y = 0; y <= (int)b->peak; y++)
        terms[y] = 0;
    terms[(int)b->peak] = 1;
    if (b->high <= 0)
        return 1;
    fill_side(b, -1, room, terms);
    const int n = fill_side(b, 1, room, terms) + 1;
    const double zero = log_zero(b);
    for (int y = 1; y < n && zero > 0; y++)
        terms[y] *= exp(-zero);
    if (has_zero(b))
        terms[0] = exp(fmin(zero, 0));
    return n;
}

/* --- visits -----------------------------------------------------------------------------------
 */

/* Are the terms beyond y, which follow `term` on the way, negligible? */
static int ends_at(const ldp_behind *b, double y, double term, int way, double sum) {
    if (term < DBL_MIN && !b->evidence.is_listed) /* a subnormal term may not fall any more */
        return way * (y - b->peak) >= 0;
    if (!b->evidence.is_listed)
        return way * (y - b->peak) >= 0 && y >= g_low(b) &&
               term * rest_of_g(b, y, way) * (b->is_small ? y : 1) <= NEGLIGIBLE * sum;
    if (way * (y - listed_start(b, b->low, b->high)) < 0)
        return 0;
    const double top = ldp_evidence_most(&b->evidence) - ldp_evidence_log(&b->evidence, b->peak);
    return exp(count_ratio(b, y, b->peak) + top) * listed_rest(b, y, way) <= NEGLIGIBLE * sum;
}

static void visit_side(const ldp_behind *b, double from, int way, ldp_visit *visit, void *state) {
    const double last = way > 0 ? b->high : b->evidence.is_listed ? b->low : g_low(b);
    /* next to a dominant zero, moments are those of the other counts */
    double term = 1, sum = from > 0, y = from;
    for (double n = 0; n < MOST_TERMS && way * (last - y) > 0 && !ends_at(b, y, term, way, sum);
         n++) {
        const double step = b->evidence.is_listed ? 0 : way * f_step(b, way > 0 ? y : y - 1);
        y += way;
        term = b->evidence.is_listed ? exp(f_ratio(b, y, from)) : term * exp(step);
        sum += term;
        visit(state, y, term);
    }
}

double ldp_behind_visit(const ldp_behind *b, ldp_visit *visit, void *state) {
    const double zero = log_zero(b), from = zero > 0 ? 0 : b->peak;
    visit(state, from, 1);
    visit_side(b, from, 1, visit, state);
    if (from > 0)
        visit_side(b, from, -1, visit, state);
    if (from > 0 && has_zero(b))
        visit(state, 0, exp(zero));
    return from;
}

/* --- draws by inversion -------------------------------------------------------------------------
 */

enum { FEW = 32 };

/* The weights of counts from `first` on, relative to f(peak), and their sum; y = 0 by itself if the
 * log-concave part does not begin there. */
typedef struct list {
    double down[FEW], up[FEW], sum, zero;
    int n_down, n_up;
} list;

/* Lists counts on one side of the peak; returns 0 if there are too many. */
static int list_side(ldp_behind *b, int way, double *weight, int *n, double *sum) {
    const double last = way > 0 ? b->high : g_low(b);
    double term = 1, y = b->peak;
    for (*n = 0;; y += way) {
        if (way * (last - y) <= 0)
            return 1;
        const double from = way > 0 ? y : y - 1, step = way * f_step(b, from);
        const double fall = step + (b->is_small ? way * log1p(1 / from) : 0);
        b->n_evaluations++;
        if (fall < 0 && term * (b->is_small ? y : 1) <= NEGLIGIBLE * *sum * expm1(-fall))
            return 1;
        if (*n == FEW)
            return 0;
        weight[(*n)++] = term *= exp(step);
        *sum += term;
    }
}

/* Returns -1 if there are too many counts. */
static double draw_from_list(ldp_behind *b, ldp_stream *stream) {
    list few = {.sum = 1};
    if (!list_side(b, -1, few.down, &few.n_down, &few.sum) ||
        !list_side(b, 1, few.up, &few.n_up, &few.sum))
        return -1;
    if (has_zero(b))
        few.sum += few.zero =
            fmin(exp(log_zero(b)), DBL_MAX / 2); /* beyond, it has all probability */
    double u = ldp_stream_uniform(stream) * few.sum - few.zero;
    if (u < 0)
        return 0;
    if ((u -= 1) < 0)
        return b->peak;
    for (int i = 0; i < few.n_down; i++)
        if ((u -= few.down[i]) < 0)
            return b->peak - 1 - i;
    for (int i = 0; i < few.n_up; i++)
        if ((u -= few.up[i]) < 0)
            return b->peak + 1 + i;
    return b->peak;
}

/* --- draws by rejection --------------------------------------------------------------------------
 */

/* The envelope of g on one side of a peak: flat up to the distance `flat`, then exp(-fall -
 * rate j) at the distance flat + j; `tail` is the sum of the latter. */
typedef struct side {
    double flat, fall, rate, tail;
} side;

typedef struct piece {
    double from, to, peak;
    double log_top; /* log g(peak of the piece)/g(peak of all) */
    side down, up;
    double mass; /* of the envelope of f, in units of f(peak of all) */
} piece;

enum { PIECES = 64 };

static side side_of(ldp_behind *b, double peak, double last, int way) {
    const double room = fabs(last - peak);
    side s = {.flat = 1};
    if (!(room > 0))
        return (side){0};
    for (; s.flat < room; s.flat *= 2) {
        b->n_evaluations++;
        s.fall = -g_ratio(b, peak + way * s.flat, peak);
        if (s.fall >= 1)
            break;
    }
    if (s.flat >= room)
        return (side){.flat = room};
    s.rate = s.fall / s.flat;
    s.tail = exp(-s.fall) / expm1(s.rate);
    return s;
}

/* `least`: the smallest count of the piece, or 1 if f is g. */
static piece piece_of(ldp_behind *b, double from, double to) {
    piece p = {.from = from, .to = to, .peak = fmin(fmax(b->peak, from), to)};
    b->n_evaluations++;
    p.log_top = g_ratio(b, p.peak, b->peak);
    p.down = side_of(b, p.peak, from, -1);
    p.up = side_of(b, p.peak, to, 1);
    p.mass = exp(p.log_top) * (1 + p.down.flat + p.down.tail + p.up.flat + p.up.tail);
    if (b->is_small)
        p.mass *= b->peak / from;
    return p;
}

/* Is the sum of f over counts from..to, within a factor of 2 of each other, negligible? */
static int is_negligible(ldp_behind *b, double from, double to) {
    const double peak = fmin(fmax(b->peak, from), to);
    b->n_evaluations++;
    return g_ratio(b, peak, b->peak) + log(b->peak) < log(NEGLIGIBLE) - log(PIECES);
}

/* All pieces, of a size below 1. */
static int list_pieces(ldp_behind *b, piece *pieces) {
    int n = 0;
    if (b->low <= 0)
        pieces[n++] = (piece){.mass = exp(f_ratio(b, 0, b->peak))};
    for (double begin = exp2(floor(log2(g_low(b)))); begin <= b->high && n < PIECES; begin *= 2) {
        const double from = fmax(begin, g_low(b)), to = fmin(2 * begin - 1, b->high);
        if (!is_negligible(b, from, to))
            pieces[n++] = piece_of(b, from, to);
        else if (from > b->peak)
            break;
    }
    return n;
}

/* A count on one side of the peak of a piece, from its envelope, whose log is *log_envelope. */
static double propose_side(const piece *p, const side *s, int way, double u, ldp_stream *stream,
                           double *log_envelope) {
    if (u < s->flat)
        return p->peak + way * (1 + floor(u));
    const double j = 1 + floor(-log(ldp_stream_uniform(stream)) / s->rate);
    *log_envelope -= s->fall + s->rate * j;
    return p->peak + way * (s->flat + j);
}

/* A proposal; NaN if it is refused. */
static double try_piece(ldp_behind *b, const piece *p, ldp_stream *stream) {
    const double whole = 1 + p->down.flat + p->down.tail + p->up.flat + p->up.tail;
    double u = ldp_stream_uniform(stream) * whole - 1, log_envelope = p->log_top, y = p->peak;
    if (u >= 0 && u < p->down.flat + p->down.tail)
        y = propose_side(p, &p->down, -1, u, stream, &log_envelope);
    else if (u >= 0)
        y = propose_side(p, &p->up, 1, u - p->down.flat - p->down.tail, stream, &log_envelope);
    if (y < p->from || y > p->to)
        return NAN;
    b->n_evaluations++;
    const double log_kept = g_ratio(b, y, b->peak) - log_envelope;
    const double kept = exp(log_kept) * (b->is_small ? p->from / y : 1);
    return ldp_stream_uniform(stream) < kept ? y : NAN;
}

static double draw_from_pieces(ldp_behind *b, ldp_stream *stream) {
    piece pieces[PIECES];
    int n = 1;
    double mass = 0;
    if (b->is_small)
        n = list_pieces(b, pieces);
    else
        pieces[0] = piece_of(b, b->low, b->high);
    for (int i = 0; i < n; i++)
        mass += pieces[i].mass;
    for (int tries = 0; tries < LDP_TRIES; tries++) {
        double u = ldp_stream_uniform(stream) * mass;
        int i = 0;
        while (i + 1 < n && (u -= pieces[i].mass) >= 0)
            i++;
        if (b->is_small && pieces[i].to <= 0)
            return 0;
        const double y = try_piece(b, &pieces[i], stream);
        if (!isnan(y))
            return y;
    }
    return b->peak;
}

/* Adds the terms of all counts, and then again until a random part of their sum is reached. */
static double draw_listed(ldp_behind *b, ldp_stream *stream) {
    const double start = listed_start(b, b->low, b->high);
    const run all = add_all(b, 0, 1);
    run part = {.reference = b->peak, .n_powers = 1};
    const double until = ldp_stream_uniform(stream) * all.sum[0];
    double y = add_listed_run(b, &part, start, b->high, 1, until);
    if (y < 0)
        y = add_listed_run(b, &part, start - 1, b->low, -1, until);
    return y < 0 ? b->peak : y;
}

double ldp_behind_draw(ldp_behind *b, ldp_stream *stream) {
    if (b->low >= b->high)
        return b->low;
    if (b->evidence.is_listed)
        return draw_listed(b, stream);
    const double y = draw_from_list(b, stream);
    return y >= 0 ? y : draw_from_pieces(b, stream);
}
