/* Overdispersed counts: the models draw events l, whose Poisson means lambda are determined by the
 * factors. A cell at or below zero has the likelihood of a Poisson zero with exposure 1 - G(alpha).
 *
 * The dispersion is updated between sweeps, given the counts y of the positive cells. The events
 * are integrated out, because they are drawn anew right after, and so are the counts of all other
 * cells. In t = log(w), w = dispersion - 1 (that is logit p), and with G' = G(alpha; w'),
 *
 *     log density = log Beta(p'; ...) + log p'(1 - p')                          the Jacobian dp/dt
 *         - r Lambda+ - r sum_d (1 - G'_d) Lambda0_d
 *         + sum_{y > 0} log m' + sum_{y > 1} sum_{t=1}^{y-1} log(m' + t p')
 *         + n a log r - b (r - 1) sum theta
 *
 * where m' = s' p' is the first of the factors (s' + t) p' of NB(y), Lambda+ and Lambda0 are the
 * sums of lambda over the active and the other cells, and theta are n weights with a Gamma(a, b)
 * prior that are multiplied by r. There are two such moves:
 *
 *     lambda stays        r = 1,  m' = lambda (1 - p') w'/q'       no weight moves
 *     the mean stays      r = rho(w')/rho(w),  rho(w) = log1p(w)/w,  m' = mu (1 - p')
 *
 * The first alone would make small steps if the data determine the means well, because it keeps
 * lambda fixed and so changes the means. Both are slice samplers in t.
 *
 * Sources: Neal (2003), Slice sampling, Annals of Statistics 31, figures 3 and 5; the moves are new
 * in this package. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_nbinom1.h"
#include "ldp_poisson.h"

/* The initial width of slices if counts have no information on t, and the largest absolute value of
 * t. */
static const double SLICE_WIDTH = 1;
static const double SLICE_FURTHEST = 600;

/* The maximum numbers of steps outward, and of tries within the interval found. Each try leaves 3/4
 * of the interval on average, so that after 200 its ends are equal in double precision. */
enum { SLICE_STEPS = 64, SLICE_TRIES = 200 };

/* Up to this count, the factors are multiplied one by one. */
static const double FACTORS_MOST = 64;

static double excess_of(const ldp_nbinom1_state *state, int row) {
    return state->excess[state->by_row ? row : 0];
}

static int is_same(double a, double b) {
    return !(a < b || a > b);
}

static int is_fixed(const ldp_nbinom1_state *state) {
    return state->shape1 <= 0;
}

/* --- counts --------------------------------------------------------------------------------- */

/* The number of bounds to compute: enough for the largest of these releases, and at least twice as
 * many as before, so that they are seldom computed again. */
static int bounds_wanted(const double *y_tilde, int n) {
    double largest = 1;
    int wanted = 64;
    for (int e = 0; e < n; e++)
        largest = fmax(largest, y_tilde[e]);
    while (wanted < largest && wanted < LDP_RTRUENBINOM_BOUNDS)
        wanted *= 2;
    return wanted;
}

static ldp_rtruenbinom_law *law_for(ldp_nbinom1_state *state, double excess, double alpha,
                                    const double *y_tilde, int n) {
    ldp_rtruenbinom_law *const law = &state->law;
    const int wanted = bounds_wanted(y_tilde, n);
    if (!is_same(law->excess, excess) || !is_same(law->alpha, alpha) || law->n_bounds < wanted)
        ldp_rtruenbinom_prepare(law, excess, alpha, wanted);
    return law;
}

static void remember(ldp_nbinom1_state *state, int row, size_t place, double y) {
    if (is_fixed(state))
        return;
    state->rows[row].n_positive++;
    if (y > 1) {
        state->above[state->n_above++] = (ldp_nbinom1_cell){place, y, 0};
        state->rows[row].n_above++;
    }
}

/* Without noise the counts are known: x becomes the numbers of their events. */
static int draw_events(ldp_nbinom1_state *state, ldp_stream *stream, int row, size_t first,
                       const double *y, int n, double *x, int *positive) {
    const double excess = excess_of(state, row);
    int n_positive = 0;
    for (int e = 0; e < n; e++) {
        if (!(y[e] > 0))
            continue;
        remember(state, row, first + (size_t)e, y[e]);
        x[e] = ldp_bursts_events(stream, y[e], x[e], excess);
        positive[n_positive++] = e;
    }
    return n_positive;
}

/* Lists the cells for which P(y = 0) >= exp(-lambda H_k) >= 1 - lambda H_k does not settle that y =
 * 0. As for Poisson counts, one uniform and one comparison settle most cells. Returns the number of
 * cells listed. */
static int find_open(const ldp_rtruenbinom_law *law, ldp_stream *stream, int n,
                     const double *y_tilde, const double *x, double *u, int *open) {
    int n_open = 0;
    for (int e = 0; e < n; e++) {
        const double bound =
            y_tilde[e] <= law->n_bounds ? law->bound[(int)y_tilde[e] - 1] : DBL_MAX;
        u[n_open] = ldp_stream_uniform(stream);
        open[n_open] = e;
        n_open += !(u[n_open] < 1 - bound * x[e]);
    }
    return n_open;
}

/* If a mean is out of range, because of bad starting values, the count is taken to be 0; the next
 * sweep corrects this. */
static int draw(void *state, ldp_stream *stream, int row, size_t first, int n,
                const double *y_tilde, double alpha, double *x, int *positive) {
    ldp_nbinom1_state *const s = state;
    if (alpha <= 0)
        return draw_events(s, stream, row, first, y_tilde, n, x, positive);
    ldp_rtruenbinom_law *const law = law_for(s, excess_of(s, row), alpha, y_tilde, n);
    double u[LDP_FEW];
    int n_positive = 0, open[LDP_FEW];
    const int n_open = find_open(law, stream, n, y_tilde, x, u, open);
    for (int i = 0; i < n_open; i++) {
        const int e = open[i];
        const double lambda = x[e];
        if (!(lambda > 0 && lambda / law->q <= DBL_MAX))
            continue;
        const double y = ldp_rtruenbinom_draw(law, stream, u[i], y_tilde[e], lambda, &x[e]);
        if (y > 0) {
            remember(s, row, first + (size_t)e, y);
            positive[n_positive++] = e;
        }
    }
    return n_positive;
}

static double log_density(const void *state, ldp_quick *quick, int row, int n,
                          const double *y_tilde, double alpha, const double *mean) {
    ldp_quick_prepare(quick, excess_of(state, row), alpha);
    return ldp_quick_log_density(quick, n, y_tilde, mean);
}

/* --- statistics for the moves ----------------------------------------------------------------- */

static void read_cells(void *state, int row, size_t first, int n, const double *mean) {
    ldp_nbinom1_state *const s = state;
    double sum = 0;
    for (int e = 0; e < n; e++)
        sum += mean[e];
    s->rows[row].active += sum;
    for (; s->n_shown < s->n_above && s->above[s->n_shown].place < first + (size_t)n; s->n_shown++)
        s->above[s->n_shown].mean = mean[s->above[s->n_shown].place - first];
}

static void read_rest(void *state, int row, double sum) {
    ldp_nbinom1_state *const s = state;
    s->rows[row].rest = sum;
}

/* --- the moves ------------------------------------------------------------------------------ */

/* A group of rows with one dispersion, and which of the two moves. */
typedef struct target {
    const ldp_nbinom1_state *state;
    const double *alpha;
    int from, to; /* rows */
    const ldp_nbinom1_cell *above;
    size_t n_above;
    double n_positive, active;
    double excess; /* the current one */
    int keeps_mean;
    double n_shape, rate_sum; /* n a, b sum theta */
} target;

static double rho(double excess) {
    return 1 / ldp_bursts_size(excess);
}

static double ratio_of_scales(const target *at, double excess) {
    return at->keeps_mean ? rho(excess) / rho(at->excess) : 1;
}

/* m'/lambda, with m' = mu (1 - p') or lambda (1 - p') w'/q'. Both moves have the same value at
 * their starting point. */
static double first_factor(const target *at, double excess) {
    return ldp_bursts_size(at->keeps_mean ? at->excess : excess) / (1 + excess);
}

/* prod_{t=1}^{y-1} (m + t p), as four products that the processor can compute in parallel. */
static double multiply_factors(double y, double m, double p) {
    double product = 1, second = 1, third = 1, fourth = 1, t = 1;
    for (; t + 3 < y; t += 4) {
        product *= m + t * p;
        second *= m + (t + 1) * p;
        third *= m + (t + 2) * p;
        fourth *= m + (t + 3) * p;
    }
    for (; t < y; t++)
        product *= m + t * p;
    return (product * second) * (third * fourth);
}

/* Can up to 63 such factors, times 1e-100 or 1e100, be multiplied without overflow or underflow? */
static int is_in_range(double m, double p) {
    return m + p > 1e-3 && m + FACTORS_MOST * p < 1e3;
}

/* log prod_{t=1}^{y-1} (m + t p) for y <= FACTORS_MOST */
static double log_few_factors(double y, double m, double p) {
    if (is_in_range(m, p))
        return log(multiply_factors(y, m, p));
    double sum = 0;
    for (double t = 1; t < y; t++)
        sum += log(m + t * p);
    return sum;
}

/* The same for a large y: with a = m/p + 16 and n = y - 16, the log of the product of the factors
 * after the first 15 is n log(p) and, by Stirling's formula,
 *
 *     log Gamma(a + n)/Gamma(a) = (a + n - 1/2) log(1 + n/a) + n log(a) - n
 *                                 + delta(a + n) - delta(a). */
static double log_many_factors(double y, double m, double p) {
    const double a = m / p + 16, n = y - 16;
    if (!(a <= DBL_MAX))
        return (y - 1) * log(m);
    return log_few_factors(16, m, p) + (a + n - 0.5) * log1p(n / a) + n * (log(m + 16 * p) - 1) +
           ldp_stirling_error(a + n) - ldp_stirling_error(a);
}

/* The log of the product of the factors of all counts above 1; logarithms are taken only when the
 * product becomes very large or small.
 */
static double log_all_factors(const target *at, double excess) {
    const double p = excess / (1 + excess), each = first_factor(at, excess);
    double sum = 0, product = 1;
    for (size_t i = 0; i < at->n_above; i++) {
        const double m = at->above[i].mean * each, y = at->above[i].y;
        if (y > FACTORS_MOST || !is_in_range(m, p)) {
            sum += y > FACTORS_MOST ? log_many_factors(y, m, p) : log_few_factors(y, m, p);
            continue;
        }
        product *= multiply_factors(y, m, p);
        if (product < 1e-100 || product > 1e100) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

/* sum_d (1 - G(alpha_d)) Lambda0_d; neighbouring rows with the same alpha are processed together */
static double rest_of(const target *at, double excess) {
    double sum = 0;
    for (int d = at->from; d < at->to;) {
        const double alpha = at->alpha[d];
        double rest = 0;
        for (; d < at->to && is_same(at->alpha[d], alpha); d++)
            rest += at->state->rows[d].rest;
        sum += ldp_bursts_exposure(excess, alpha) * rest;
    }
    return sum;
}

static double log_target(const target *at, double t) {
    const double excess = exp(t), r = ratio_of_scales(at, excess);
    if (at->state->pause)
        at->state->pause();
    /* log p = t - log1p(excess), log(1 - p) = -log1p(excess) */
    const double prior =
        at->state->shape1 * t - (at->state->shape1 + at->state->shape2) * log1p(excess);
    const double scale = at->keeps_mean ? at->n_shape * log(r) - at->rate_sum * (r - 1) : 0;
    return prior + scale - r * (at->active + rest_of(at, excess)) +
           at->n_positive * log(first_factor(at, excess)) + log_all_factors(at, excess);
}

/* With n counts above 1, the standard deviation of t is about 2/sqrt(n). */
static double slice_width(const target *at) {
    return SLICE_WIDTH / sqrt(1 + (double)at->n_above / 36);
}

/* Neal's figure 3 with at most SLICE_STEPS steps out, then figure 5. `value`: the log density at t,
 * and afterwards at the place that is returned. */
static double slice(const target *at, ldp_stream *stream, double t, double *value) {
    const double height = *value + log(ldp_stream_uniform(stream));
    const double width = slice_width(at);
    double left = t - width * ldp_stream_uniform(stream), right = left + width;
    int to_left = (int)(SLICE_STEPS * ldp_stream_uniform(stream));
    int to_right = SLICE_STEPS - 1 - to_left;
    for (; to_left > 0 && left > -SLICE_FURTHEST && log_target(at, left) > height; to_left--)
        left -= width;
    for (; to_right > 0 && right < SLICE_FURTHEST && log_target(at, right) > height; to_right--)
        right += width;
    for (int i = 0; i < SLICE_TRIES; i++) {
        const double tried = left + (right - left) * ldp_stream_uniform(stream);
        const double found = log_target(at, tried);
        if (found >= height) {
            *value = found;
            return tried;
        }
        if (tried < t)
            left = tried;
        else
            right = tried;
    }
    return t; /* the density is narrower than the spacing of doubles */
}

static void multiply(ldp_scalable factor, int from, int to, double r) {
    double *const weights = factor.factor + (size_t)from * (size_t)factor.K;
    const size_t n = (size_t)(to - from) * (size_t)factor.K;
    for (size_t i = 0; i < n; i++)
        weights[i] = fmax(weights[i] * r, DBL_MIN);
}

static double sum_of(ldp_scalable factor, int from, int to) {
    const double *const weights = factor.factor + (size_t)from * (size_t)factor.K;
    const size_t n = (size_t)(to - from) * (size_t)factor.K;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    return sum;
}

/* Updates the dispersion of a group of rows. The move may scale lines from .. to-1 of the factor;
 * none if from = to. */
static void move_group(target at, ldp_scalable factor, int from, int to, double *excess) {
    ldp_stream stream = ldp_stream_open();
    at.excess = *excess;
    at.keeps_mean = 0;
    double t = log(at.excess), value = log_target(&at, t);
    t = slice(&at, &stream, t, &value);
    at.excess = exp(t);
    if (from < to) {
        at.keeps_mean = 1;
        at.n_shape = (double)(to - from) * factor.K * factor.shape;
        at.rate_sum = factor.rate * sum_of(factor, from, to);
        const double moved = exp(slice(&at, &stream, t, &value));
        multiply(factor, from, to, ratio_of_scales(&at, moved));
        at.excess = moved;
    }
    *excess = at.excess;
}

static target group_of(const ldp_nbinom1_state *state, const double *alpha, int from, int to,
                       size_t above) {
    target at = {
        .state = state, .alpha = alpha, .from = from, .to = to, .above = state->above + above};
    for (int d = from; d < to; d++) {
        at.n_positive += state->rows[d].n_positive;
        at.active += state->rows[d].active;
        at.n_above += state->rows[d].n_above;
    }
    return at;
}

static void set_exposures(const ldp_nbinom1_state *state, const double *alpha) {
    for (int d = 0; d < state->D; d++) {
        if (d > 0 && !state->by_row && is_same(alpha[d], alpha[d - 1])) {
            state->rest[d] = state->rest[d - 1];
            state->exposure[d] = state->exposure[d - 1];
            continue;
        }
        state->rest[d] = ldp_bursts_exposure(excess_of(state, d), alpha[d]);
        state->exposure[d] = ldp_bursts_pgf(excess_of(state, d), alpha[d]);
    }
}

static void move(void *state, const ldp_cells *cells, ldp_scalable factor) {
    ldp_nbinom1_state *const s = state;
    if (!s->by_row) {
        move_group(group_of(s, cells->alpha, 0, s->D, 0), factor, 0, factor.n, s->excess);
    } else {
        size_t above = 0;
        for (int d = 0; d < s->D; d++) {
            const target at = group_of(s, cells->alpha, d, d + 1, above);
            move_group(at, factor, d, factor.by_row ? d + 1 : d, &s->excess[d]);
            above += at.n_above;
        }
    }
    for (int d = 0; d < s->D; d++)
        s->rows[d] = (ldp_nbinom1_row){0};
    s->n_above = s->n_shown = 0;
    set_exposures(s, cells->alpha);
}

ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state) {
    set_exposures(state, alpha);
    return (ldp_noise){.exposure_rest = state->rest,
                       .exposure_excess = state->exposure,
                       .draw = draw,
                       .log_density = log_density,
                       .state = state,
                       .reader = {read_cells, read_rest, state},
                       .move = is_fixed(state) ? NULL : move};
}
