/* Counts that come in bursts: the models draw events l, whose Poisson means lambda are made of the
 * factors, and a cell at or below zero is a Poisson zero with exposure 1 - G(alpha).
 *
 * The dispersion moves between sweeps, given the counts y of the positive cells, with the events
 * integrated out, as they are drawn afresh right after, and with the counts of all other cells
 * integrated out. In t = log(w), w = dispersion - 1 (that is logit p), and with G' = G(alpha; w'),
 *
 *     log density = log Beta(p'; ...) + log p'(1 - p')                          the Jacobian dp/dt
 *         - r Lambda+ - r sum_d (1 - G'_d) Lambda0_d
 *         + sum_{y > 0} log m' + sum_{y > 1} sum_{t=1}^{y-1} log(m' + t p')
 *         + n a log r - b (r - 1) sum theta
 *
 * where s' p' = m' is what the first of the factors (s' + t) p' of NB(y) becomes, Lambda+ and
 * Lambda0 are the sums of lambda over the active and the other cells, and theta are n weights with
 * a Gamma(a, b) prior that are multiplied by r. There are two such moves:
 *
 *     lambda stays        r = 1,  m' = lambda (1 - p') w'/q'       no weight moves
 *     the mean stays      r = rho(w')/rho(w),  rho(w) = log1p(w)/w,  m' = mu (1 - p')
 *
 * The first alone moves little: where the means are well known it can change lambda by no more than
 * they are known. Both are slices in t.
 *
 * Sources: Neal (2003), Slice sampling, Annals of Statistics 31, figures 3 and 5; the moves are
 * ours. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_nbinom1.h"
#include "ldp_privnbinom.h"

/* Slices are first tried this wide, about the place where they are, and no further than that. */
static const double SLICE_WIDTH = 1;
static const double SLICE_FURTHEST = 600;

/* Up to this count its factors are multiplied one by one. */
static const double FACTORS_MOST = 64;

static double excess_of(const ldp_nbinom1_state *state, int row) {
    return state->excess[state->by_row ? row : 0];
}

static int is_fixed(const ldp_nbinom1_state *state) {
    return state->shape1 <= 0;
}

/* --- counts --------------------------------------------------------------------------------- */

static const double *bounds_for(ldp_nbinom1_state *state, double excess, double alpha) {
    if (state->bound_excess < excess || state->bound_excess > excess ||
        state->bound_alpha < alpha || state->bound_alpha > alpha) {
        ldp_bursts_bounds(excess, alpha, state->bound);
        state->bound_excess = excess;
        state->bound_alpha = alpha;
    }
    return state->bound;
}

static void remember(ldp_nbinom1_state *state, int row, size_t place, double y) {
    state->rows[row].n_positive++;
    if (y > 1) {
        state->above[state->n_above++] = (ldp_nbinom1_cell){place, y, 0};
        state->rows[row].n_above++;
    }
}

/* Whichever counts could be above zero are so, one by one: x becomes their numbers of events. */
static int draw_events(ldp_nbinom1_state *state, ldp_stream *stream, int row, size_t first,
                       const double *y, int n, double *x, int *positive) {
    const double excess = excess_of(state, row);
    int n_positive = 0;
    for (int i = 0; i < n; i++) {
        const int e = positive[i];
        if (!(y[i] > 0))
            continue;
        if (!is_fixed(state))
            remember(state, row, first + (size_t)e, y[i]);
        x[e] = ldp_bursts_events(stream, y[i], x[e], excess);
        positive[n_positive++] = e;
    }
    return n_positive;
}

/* P(y = 0) >= exp(-lambda H_k) >= 1 - lambda H_k: as for Poisson counts one uniform and one
 * comparison settle most cells, and the rest goes on with the same uniform. A mean out of range,
 * from a start far off, counts as no count, and the next sweep mends it. */
static int draw(void *state, ldp_stream *stream, int row, size_t first, int n,
                const double *y_tilde, double alpha, double *x, int *positive) {
    ldp_nbinom1_state *const s = state;
    const double excess = excess_of(s, row);
    double y[LDP_FEW], u[LDP_FEW], bound[LDP_FEW];
    int n_open = 0, n_left = 0, open[LDP_FEW];
    if (alpha <= 0) {
        for (int e = 0; e < n; e++) {
            positive[e] = e;
            y[e] = y_tilde[e];
        }
        return draw_events(s, stream, row, first, y, n, x, positive);
    }
    const double *const bounds = bounds_for(s, excess, alpha);
    for (int e = 0; e < n; e++) {
        const int has_bound = y_tilde[e] <= LDP_BURSTS_BOUNDS;
        bound[n_open] = has_bound ? bounds[(int)y_tilde[e] - 1] : DBL_MAX;
        u[n_open] = ldp_stream_uniform(stream);
        open[n_open] = e;
        n_open += !(u[n_open] < 1 - bound[n_open] * x[e]);
    }
    for (int i = 0; i < n_open; i++) {
        const int e = open[i];
        if (!(x[e] > 0 && x[e] <= DBL_MAX) || u[i] < exp(-bound[i] * x[e]))
            continue;
        positive[n_left] = e;
        y[n_left++] = ldp_bursts_truth(u[i], y_tilde[e], x[e], excess, alpha);
    }
    return draw_events(s, stream, row, first, y, n_left, x, positive);
}

static double log_density(const void *state, ldp_small *small, int row, int n,
                          const double *y_tilde, double alpha, const double *mean) {
    const double excess = excess_of(state, row), size = ldp_bursts_size(excess);
    const double step = excess / ((1 + excess) * alpha);
    int n_left, left[LDP_FEW];
    ldp_small_prepare(small, alpha, size / ((1 + excess) * alpha), step);
    double sum = ldp_small_log_density(small, n, y_tilde, mean, left, &n_left);
    for (int i = 0; i < n_left; i++)
        sum += ldp_privnbinom_log_pmf(y_tilde[left[i]], mean[left[i]] * size, excess, alpha);
    return sum;
}

/* --- what a move wants to know -------------------------------------------------------------- */

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
    double excess; /* the one that there is */
    int keeps_mean;
    double n_shape, rate_sum; /* n a, b sum theta */
} target;

static double rho(double excess) {
    return 1 / ldp_bursts_size(excess);
}

static double ratio_of_scales(const target *at, double excess) {
    return at->keeps_mean ? rho(excess) / rho(at->excess) : 1;
}

/* m' = base * this, base being mu or lambda. */
static double first_factor(const target *at, double excess) {
    return (at->keeps_mean ? 1 : ldp_bursts_size(excess)) / (1 + excess);
}

/* sum_{t=1}^{y-1} log(m + t p) for a large y. */
static double log_factors(double y, double m, double p) {
    const double s = m / p;
    if (s > 1e8 * y)
        return (y - 1) * log(m) + y * (y - 1) / (2 * s);
    return lgammafn(s + y) - lgammafn(s + 1) + (y - 1) * log(p);
}

/* The factors of all counts above 1, as a product that is taken down to its logarithm now and then.
 */
static double log_all_factors(const target *at, double excess) {
    const double p = excess / (1 + excess), each = first_factor(at, excess);
    const double base = at->keeps_mean ? ldp_bursts_size(at->excess) : 1;
    double sum = 0, product = 1;
    for (size_t i = 0; i < at->n_above; i++) {
        const double m = at->above[i].mean * base * each, y = at->above[i].y;
        if (y > FACTORS_MOST) {
            sum += log_factors(y, m, p);
            continue;
        }
        for (double t = 1; t < y; t++) {
            product *= m + t * p;
            if (product < 1e-200 || product > 1e200) {
                sum += log(product);
                product = 1;
            }
        }
    }
    return sum + log(product);
}

/* sum_d (1 - G(alpha_d)) Lambda0_d */
static double rest_of(const target *at, double excess) {
    double sum = 0;
    for (int d = at->from; d < at->to; d++)
        sum += ldp_bursts_exposure(excess, at->alpha[d]) * at->state->rows[d].rest;
    return sum;
}

static double log_target(const target *at, double t) {
    const double excess = exp(t), r = ratio_of_scales(at, excess);
    /* log p = t - log1p(excess), log(1 - p) = -log1p(excess) */
    const double prior =
        at->state->shape1 * t - (at->state->shape1 + at->state->shape2) * log1p(excess);
    const double scale = at->keeps_mean ? at->n_shape * log(r) - at->rate_sum * (r - 1) : 0;
    return prior + scale - r * (at->active + rest_of(at, excess)) +
           at->n_positive * log(first_factor(at, excess)) + log_all_factors(at, excess);
}

static double slice(const target *at, ldp_stream *stream, double t) {
    const double height = log_target(at, t) + log(ldp_stream_uniform(stream));
    double left = t - SLICE_WIDTH * ldp_stream_uniform(stream), right = left + SLICE_WIDTH;
    while (left > -SLICE_FURTHEST && log_target(at, left) > height)
        left -= SLICE_WIDTH;
    while (right < SLICE_FURTHEST && log_target(at, right) > height)
        right += SLICE_WIDTH;
    for (;;) {
        const double tried = left + (right - left) * ldp_stream_uniform(stream);
        if (log_target(at, tried) >= height)
            return tried;
        if (right - left < DBL_EPSILON * fmax(1, fabs(t)))
            return t; /* a law narrower than doubles lie apart */
        if (tried < t)
            left = tried;
        else
            right = tried;
    }
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

/* Moves the dispersion of a group; lines from .. to-1 of the factor are what the group may scale,
 * none if from = to. */
static void move_group(target at, ldp_scalable factor, int from, int to, double *excess) {
    ldp_stream stream = ldp_stream_open();
    at.excess = *excess;
    at.keeps_mean = 0;
    at.excess = exp(slice(&at, &stream, log(at.excess)));
    if (from < to) {
        at.keeps_mean = 1;
        at.n_shape = (double)(to - from) * factor.K * factor.shape;
        at.rate_sum = factor.rate * sum_of(factor, from, to);
        const double moved = exp(slice(&at, &stream, log(at.excess)));
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
