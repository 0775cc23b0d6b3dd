/* Counts are sums of the sizes of l ~ Pois(lambda) events. The dispersion has a distribution q(p):
 *
 *     x = exp E[log p],   s = r exp(-E[log q]),   Z(k) = sum_y (s)_y/y! x^y alpha^|k - y|
 *     bound of a positive cell  log((1-alpha)/(1+alpha)) + log Z(k),   w = E[l | k]/r = d log Z/dr
 *     exposures                 1 of a positive cell, 1 - E[G(alpha)] of another
 *     q(p) prop. to  prior(p) p^E[Y+] q^-E[L+] exp(sum_d G(alpha_d; p) Lambda0_d)
 *
 * with Y+ and L+ the counts and the events of the positive cells, Lambda0_d the sum of E[lambda]
 * over the other cells of row d. Up to a factor (1 - x)^s, the sum in Z is that of a release with
 * excess x/(1 - x). If it is small, it is computed as a power series (ldp_small).
 *
 * q(p) is a density in t = log(p/(1-p)). Integrals over it are computed by the trapezoidal rule,
 * which for such a smooth density is exact up to rounding if a dozen points cover its width. At
 * each update a new grid is placed where the density is concentrated. The prior is continuous.
 *
 * The method is new in this package. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_cavi_nbinom1.h"
#include "ldp_math.h"
#include "ldp_nbinom.h"
#include "ldp_noise.h"
#include "ldp_privnbinom.h"
#include "ldp_truenbinom.h"

enum { N = LDP_CAVI_GRID };

/* The density is truncated where its log is this much below its maximum. */
static const double DEPTH = 45;

/* The smallest number of grid points above that limit. */
enum { POINTS_ENOUGH = N / 3 };

/* The largest absolute value of t: see ldp_nbinom1. */
static const double FURTHEST = 600;

static const double MEAN_TINY = 1e-150;

static int cavi_nbinom1_is_fixed(const ldp_cavi_nbinom1 *state) {
    return state->shape1 <= 0;
}

static int cavi_nbinom1_law_of(const ldp_cavi_nbinom1 *state, int row) {
    return state->by_row ? row : 0;
}

static int n_laws(const ldp_cavi_nbinom1 *state) {
    return state->by_row ? state->D : 1;
}

/* --- the local step --------------------------------------------------------------------------- */

/* log Z of a release, which is its log density without the factor (1 - x)^s, and the moments. */
static double weigh_left(double k, double r, double size, double odds, double alpha, double *w,
                         double *count) {
    const double mu = size * odds, whole = size * log1p(odds);
    *count = ldp_truenbinom_mean(k, mu, odds, alpha);
    const double events =
        alpha > 0 ? ldp_truenbinom_events(k, mu, odds, alpha) : ldp_bursts_mean_events(k, size);
    *w = events / r;
    return whole + (alpha > 0 ? ldp_privnbinom_log_pmf(k, mu, odds, alpha)
                              : ldp_nbinom_log_pmf(k, mu, odds));
}

static double cavi_nbinom1_weigh(void *state, int group, int row, size_t first, int n,
                                 const double *y_tilde, double alpha, const double *mean,
                                 const double *variance, double *x) {
    ldp_cavi_nbinom1 *const s = state;
    const ldp_cavi_dispersion law = s->laws[cavi_nbinom1_law_of(s, row)];
    const double per_event = exp(-law.log_q), step = exp(law.log_p) / alpha;
    double w[LDP_FEW], counts[LDP_FEW];
    int n_left, left[LDP_FEW];
    (void)first;
    (void)mean;
    (void)variance;
    ldp_small_prepare(&s->small[group], alpha, per_event * step, step);
    double sum = ldp_small_weigh(&s->small[group], n, y_tilde, x, w, counts, left, &n_left);
    for (int i = 0; i < n_left; i++) {
        const int e = left[i];
        const double r = fmax(x[e], MEAN_TINY);
        sum += weigh_left(y_tilde[e], r, r * per_event, law.odds, alpha, &w[e], &counts[e]);
    }
    for (int e = 0; e < n; e++) {
        s->shown[row].counts += counts[e];
        s->shown[row].events += x[e] * w[e];
        x[e] = w[e];
    }
    return sum;
}

static void cavi_nbinom1_show_row(void *state, int row, double active, double rest) {
    ldp_cavi_nbinom1 *const s = state;
    (void)active;
    s->shown[row].rest = rest;
}

static double cavi_nbinom1_divergence(const void *state) {
    const ldp_cavi_nbinom1 *const s = state;
    double sum = 0;
    for (int i = 0; i < n_laws(s) && !cavi_nbinom1_is_fixed(s); i++)
        sum += s->divergence[i];
    return sum;
}

/* --- the distribution of a dispersion ------------------------------------------------------- */

/* Rows from .. to-1, which have the same dispersion, and the results of their local step; `team`
 * shares the points of the grid. */
typedef struct target {
    const ldp_cavi_nbinom1 *state;
    const double *alpha;
    int from, to;
    ldp_cavi_team team;
    double counts, events;
} target;

/* sum_d G(alpha_d) Lambda0_d; neighbouring rows with the same alpha are processed together */
static double rest_of(const target *at, double excess) {
    double sum = 0;
    for (int d = at->from; d < at->to;) {
        const double alpha = at->alpha[d];
        double rest = 0;
        for (; d < at->to && !(at->alpha[d] < alpha || at->alpha[d] > alpha); d++)
            rest += at->state->shown[d].rest;
        sum += alpha > 0 ? ldp_bursts_pgf(excess, alpha) * rest : 0;
    }
    return sum;
}

/* Without its constant. */
static double log_prior(const ldp_cavi_nbinom1 *state, double t) {
    return state->shape1 * t - (state->shape1 + state->shape2) * log1p(exp(t));
}

/* p^Y q^-L with log p = t - log1p(w) and log q = log(w) + log(log1p(w)/w), near 1 for small w */
static double log_likelihood(const target *at, double t) {
    const double excess = exp(t), size = ldp_bursts_size(excess);
    return (at->counts - at->events) * t - at->counts * log1p(excess) + at->events * log(size) +
           rest_of(at, excess);
}

typedef struct grid {
    const target *at;
    double lowest, highest;
    double *points, *density;
} grid;

static double evaluate_points(void *state, int group, int from, int to) {
    const grid *const g = state;
    (void)group;
    for (int i = from; i < to; i++) {
        g->points[i] = g->lowest + (g->highest - g->lowest) * i / (N - 1);
        g->density[i] = log_prior(g->at->state, g->points[i]) + log_likelihood(g->at, g->points[i]);
    }
    return 0;
}

/* Computes the log density at N points of lowest..highest. Returns the position of its maximum. */
static int cavi_nbinom1_evaluate(const target *at, double lowest, double highest, double *points,
                                 double *density) {
    ldp_cavi_lines lines = ldp_cavi_alike(N, LDP_CAVI_LINE + (size_t)(at->to - at->from));
    if (at->state->by_row)
        lines.n_groups = 1; /* rows are shared, but not their points */
    grid g = {at, lowest, highest, points, density};
    ldp_cavi_run(at->team, &lines, evaluate_points, &g);
    int best = 0;
    for (int i = 0; i < N; i++)
        if (density[i] > density[best])
            best = i;
    return best;
}

/* Places the grid around the maximum on the previous grid, until enough points are above the limit.
 * */
static int lay_grid(const target *at, double *points, double *density) {
    double lowest = -FURTHEST, highest = FURTHEST;
    for (;;) {
        const int best = cavi_nbinom1_evaluate(at, lowest, highest, points, density);
        int left = best, right = best;
        while (left > 0 && density[left] > density[best] - DEPTH)
            left--;
        while (right < N - 1 && density[right] > density[best] - DEPTH)
            right++;
        const double step = points[1] - points[0];
        if (right - left >= POINTS_ENOUGH || step < 1e-12 * fmax(1, fabs(points[best])))
            return best;
        lowest = points[left];
        highest = points[right];
    }
}

static void update_law(ldp_cavi_nbinom1 *state, const double *alpha, ldp_cavi_team team, int i) {
    target at = {state, alpha, state->by_row ? i : 0, state->by_row ? i + 1 : state->D, team, 0, 0};
    for (int d = at.from; d < at.to; d++) {
        at.counts += state->shown[d].counts;
        at.events += state->shown[d].events;
    }
    double *const points = ldp_line(state->points, N, i);
    double *const weights = ldp_line(state->weights, N, i);
    double log_density[N], total = 0, mean = 0;
    const int best = lay_grid(&at, points, log_density);
    for (int n = 0; n < N; n++)
        total += weights[n] = exp(log_density[n] - log_density[best]);
    for (int n = 0; n < N; n++) {
        weights[n] /= total;
        if (weights[n] > 0)
            mean += weights[n] * (log_density[n] - log_prior(state, points[n]));
    }
    /* KL = E[log likelihood] - log of the integral of prior times likelihood */
    state->divergence[i] = mean - (log_density[best] + log(total) + log(points[1] - points[0])) +
                           lbeta(state->shape1, state->shape2);
}

static ldp_cavi_dispersion cavi_nbinom1_summarise(const double *points, const double *weights) {
    double log_p = 0, log_q = 0;
    for (int i = 0; i < N; i++) {
        log_p -= weights[i] * log1p(exp(-points[i]));
        log_q += weights[i] * (points[i] - log(ldp_bursts_size(exp(points[i]))));
    }
    return (ldp_cavi_dispersion){log_p, log_q, exp(log_p) / -expm1(log_p)};
}

static double mean_pgf(const double *points, const double *weights, double alpha) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        if (weights[i] > 0)
            sum += weights[i] * ldp_bursts_pgf(exp(points[i]), alpha);
    return sum;
}

typedef struct job {
    ldp_cavi_nbinom1 *state;
    const double *alpha;
} job;

/* Computes the exposures of rows, and their dispersions if each row has its own. */
static double summarise_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    ldp_cavi_nbinom1 *const s = j->state;
    const double *const alpha = j->alpha;
    (void)group;
    for (int d = from; d < to; d++) {
        const double *const points = ldp_line(s->points, N, cavi_nbinom1_law_of(s, d));
        const double *const weights = ldp_line(s->weights, N, cavi_nbinom1_law_of(s, d));
        const int as_before =
            d > from && !s->by_row && !(alpha[d] < alpha[d - 1] || alpha[d] > alpha[d - 1]);
        if (s->by_row)
            s->laws[d] = cavi_nbinom1_summarise(points, weights);
        s->extra[d] = as_before      ? s->extra[d - 1]
                      : alpha[d] > 0 ? mean_pgf(points, weights, alpha[d])
                                     : 0;
        s->rest[d] = 1 - s->extra[d];
    }
    return 0;
}

static void summarise_all(ldp_cavi_nbinom1 *state, const double *alpha, ldp_cavi_team team) {
    const ldp_cavi_lines rows = ldp_cavi_alike(state->D, N);
    job j = {state, alpha};
    if (!state->by_row)
        state->laws[0] = cavi_nbinom1_summarise(state->points, state->weights);
    ldp_cavi_run(team, &rows, summarise_rows, &j);
}

static double cavi_nbinom1_update_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    (void)group;
    for (int d = from; d < to; d++)
        update_law(j->state, j->alpha, (ldp_cavi_team){1, NULL}, d);
    return 0;
}

static void begin_row(void *state, int row) {
    ((ldp_cavi_nbinom1 *)state)->shown[row] = (ldp_cavi_shown){0, 0, 0};
}

static void update_row(void *state, int row, const double *alpha) {
    job j = {state, alpha};
    if (cavi_nbinom1_is_fixed(state))
        return;
    cavi_nbinom1_update_rows(&j, 0, row, row + 1);
    summarise_rows(&j, 0, row, row + 1);
}

/* The number of points at which the density of a dispersion is computed, in a few grids. */
enum { POINTS_OF_LAW = 8 * N };

static void cavi_nbinom1_update(void *state, const ldp_cells *cells, ldp_cavi_team team) {
    ldp_cavi_nbinom1 *const s = state;
    const ldp_cavi_lines rows = ldp_cavi_alike(s->D, LDP_CAVI_LINE + POINTS_OF_LAW);
    job j = {s, cells->alpha};
    if (s->by_row && !cavi_nbinom1_is_fixed(s))
        ldp_cavi_run(team, &rows, cavi_nbinom1_update_rows, &j);
    else if (!cavi_nbinom1_is_fixed(s))
        update_law(s, cells->alpha, team, 0);
    summarise_all(s, cells->alpha, team);
    for (int d = 0; d < s->D; d++)
        s->shown[d] = (ldp_cavi_shown){0, 0, 0};
}

ldp_cavi_local ldp_cavi_bursts(ldp_cavi_nbinom1 *state, const double *alpha) {
    summarise_all(state, alpha, (ldp_cavi_team){1, NULL});
    return (ldp_cavi_local){.exposure_rest = state->rest,
                            .exposure_extra = state->extra,
                            .weigh = cavi_nbinom1_weigh,
                            .row = cavi_nbinom1_show_row,
                            .update = cavi_nbinom1_update,
                            .divergence = cavi_nbinom1_divergence,
                            .begin_row = begin_row,
                            .update_row = state->by_row ? update_row : NULL,
                            .state = state};
}
