/* With x ~ Gamma(a, b) under q, and a prior Gamma(a0, b0):
 *
 *     E[x] = a/b,   G[x] = exp E[log x] = exp(psi(a))/b,
 *     KL(q || prior) = (a - a0) psi(a) - log Gamma(a) + log Gamma(a0) + a0 (log b - E log b0)
 *                      + a (E b0 - b)/b.
 *
 * An estimated shape a0 of n weights is the number that maximizes the bound, to which the density
 * of log a0 is added. With the optimal q(b0) for each a0, if the rate has a prior Gamma(s, r), this
 * is
 *
 *     log Gamma(s + n a0) - (s + n a0) log(r + sum E[x]) + a0 sum E[log x] - n log Gamma(a0)
 *                      + log density,
 *
 * which has one maximum in log a0; with a fixed rate the first two terms are n a0 log b0 instead.
 *
 * Source: Cemgil (2009), Bayesian inference for nonnegative matrix factorisation models,
 * Computational Intelligence and Neuroscience, section 3. */
#include <math.h>

#include "ldp_cavi_factor.h"
#include "ldp_digamma.h"
#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_scale.h"
#include "ldp_shape.h"

double ldp_cavi_factor_least(int n_factors) {
    return n_factors > 3 ? pow(10, -270.0 / n_factors) : 1e-90;
}

/* The number of weights of line i, which are its first entries: the weights of a symmetric square
 * are in one triangle. */
static int n_of_line(const ldp_cavi_factor *factor, int i) {
    return factor->symmetric ? i + 1 : factor->K;
}

static double cavi_factor_n_weights(const ldp_cavi_factor *factor) {
    const double K = factor->K;
    return factor->symmetric ? K * (K + 1) / 2 : K * factor->n;
}

/* The sum of all means, times their relative rates. */
static double sum_of_means(const ldp_cavi_factor *factor) {
    double sum = 0;
    if (factor->groups) {
        for (int i = 0; i < factor->n; i++)
            sum += ldp_dot(factor->K, ldp_line(factor->mean, factor->K, i),
                           ldp_groups_of_row(factor->groups, i));
        return sum;
    }
    for (int i = 0; i < factor->n; i++)
        for (int k = 0; k < n_of_line(factor, i); k++)
            sum += ldp_line(factor->mean, factor->K, i)[k];
    return sum;
}

void ldp_cavi_factor_set(const ldp_cavi_factor *factor, int i, const double *counts,
                         const double *exposure) {
    const int K = factor->K;
    double *const shape = ldp_line(factor->shape, K, i), *const rate = ldp_line(factor->rate, K, i);
    double *const mean = ldp_line(factor->mean, K, i);
    const double *const relative = factor->groups ? ldp_groups_of_row(factor->groups, i) : NULL;
    for (int k = 0; k < K; k++) {
        shape[k] = factor->prior.shape + counts[k];
        rate[k] = factor->prior.rate * (relative ? relative[k] : 1) + exposure[k];
        mean[k] = shape[k] / rate[k];
    }
}

void ldp_cavi_factor_clear(const ldp_cavi_factor *factor, double *x) {
    for (int i = 0; i < factor->n; i++)
        ldp_fill(factor->K, ldp_line(x, factor->K, i), 0);
}

void ldp_cavi_factor_times_geo(const ldp_cavi_factor *factor, int i, double *x) {
    const double *const geo = ldp_line(factor->geo, factor->K, i);
    for (int k = 0; k < factor->K; k++)
        x[k] *= geo[k];
}

static void take_rate(const ldp_cavi_factor *factor, size_t i) {
    factor->mean[i] = factor->shape[i] / factor->rate[i];
    factor->geo[i] = fmax(factor->unit[i] / factor->rate[i], factor->least);
}

/* Returns the part of the divergence that depends on the shapes of line i. */
static double refresh_line(const ldp_cavi_factor *factor, int i) {
    double sum = 0;
    for (int k = 0; k < factor->K; k++) {
        const size_t place = (size_t)i * (size_t)factor->K + (size_t)k;
        const double a = factor->shape[place];
        const ldp_gamma_logs logs = ldp_log_gamma(a);
        if (k < n_of_line(factor, i))
            sum += (a - factor->prior.shape) * logs.digamma - logs.log_gamma - a;
        factor->unit[place] = exp(logs.digamma);
        take_rate(factor, place);
    }
    return sum;
}

void ldp_cavi_factor_refresh_line(const ldp_cavi_factor *factor, int i) {
    refresh_line(factor, i);
}

static double refresh_lines(void *state, int group, int from, int to) {
    double sum = 0;
    (void)group;
    for (int i = from; i < to; i++)
        sum += refresh_line((const ldp_cavi_factor *)state, i);
    return sum;
}

void ldp_cavi_factor_refresh(ldp_cavi_factor *factor, ldp_cavi_team team) {
    const ldp_cavi_lines lines = ldp_cavi_alike(factor->n, LDP_CAVI_LINE);
    factor->divergence =
        ldp_cavi_run(team, &lines, refresh_lines, factor) +
        cavi_factor_n_weights(factor) * ldp_log_gamma(factor->prior.shape).log_gamma;
}

void ldp_cavi_factor_scale_one(const ldp_cavi_factor *factor, size_t place, double by) {
    factor->rate[place] /= by;
    take_rate(factor, place);
}

typedef struct job {
    const ldp_cavi_factor *factor;
    const double *by;
} job;

static double scale_lines(void *state, int group, int from, int to) {
    const job *const j = state;
    (void)group;
    for (int i = from; i < to; i++)
        for (int k = 0; k < j->factor->K; k++)
            ldp_cavi_factor_scale_one(j->factor, (size_t)i * (size_t)j->factor->K + (size_t)k,
                                      j->by[k]);
    return 0;
}

void ldp_cavi_factor_scale(const ldp_cavi_factor *factor, ldp_cavi_team team, const double *by) {
    const ldp_cavi_lines lines = ldp_cavi_alike(factor->n, LDP_CAVI_LINE);
    job j = {factor, by};
    ldp_cavi_run(team, &lines, scale_lines, &j);
}

ldp_weighted ldp_cavi_factor_means(const ldp_cavi_factor *factor) {
    return (ldp_weighted){factor->K, 0, factor->n, factor->mean, NULL};
}

void ldp_cavi_factor_total(const ldp_cavi_factor *factor, double *total) {
    if (!factor->groups) {
        ldp_exposure_total(ldp_cavi_factor_means(factor), total);
        return;
    }
    ldp_groups_add_up(factor->groups, factor->n, factor->mean);
    ldp_groups_total(factor->groups, total);
}

void ldp_cavi_factor_balance(const ldp_cavi_factor *up, const ldp_cavi_factor *down,
                             ldp_cavi_team team, double *work) {
    const int K = up->K;
    ldp_cavi_factor_total(up, work);
    ldp_cavi_factor_balance_part(up, up->n, down, team, work, work + K);
}

void ldp_cavi_factor_balance_part(const ldp_cavi_factor *up, double n_up,
                                  const ldp_cavi_factor *down, ldp_cavi_team team, double *of_up,
                                  double *of_down) {
    const int K = up->K;
    ldp_exposure_total(ldp_cavi_factor_means(down), of_down);
    for (int k = 0; k < K; k++) {
        const double t = ldp_scale_best(
            (ldp_scale){n_up * up->prior.shape - down->n * down->prior.shape,
                        up->prior.rate * of_up[k], down->prior.rate * of_down[k], 0});
        of_up[k] = exp(t);
        of_down[k] = exp(-t);
    }
    ldp_cavi_factor_scale(up, team, of_up);
    ldp_cavi_factor_scale(down, team, of_down);
}

static double log_rates(void *state, int group, int from, int to) {
    const ldp_cavi_factor *const factor = ((const job *)state)->factor;
    double sum = 0;
    (void)group;
    for (int i = from; i < to; i++)
        for (int k = 0; k < n_of_line(factor, i); k++)
            sum += log(ldp_line(factor->rate, factor->K, i)[k]);
    return sum;
}

static double sum_over_lines(const ldp_cavi_factor *factor, ldp_cavi_team team,
                             ldp_cavi_task task) {
    const ldp_cavi_lines lines = ldp_cavi_alike(factor->n, LDP_CAVI_LINE);
    job j = {factor, NULL};
    return ldp_cavi_run(team, &lines, task, &j);
}

double ldp_cavi_factor_divergence(const ldp_cavi_factor *factor, ldp_cavi_team team) {
    const double logs = sum_over_lines(factor, team, log_rates);
    return factor->divergence +
           factor->prior.shape *
               (logs - cavi_factor_n_weights(factor) * factor->log_rate - factor->log_relative) +
           factor->prior.rate * sum_of_means(factor);
}

double ldp_cavi_divergence(double a, double b, double a0, double b0) {
    const ldp_gamma_logs logs = ldp_log_gamma(a);
    return (a - a0) * logs.digamma - logs.log_gamma + ldp_log_gamma(a0).log_gamma +
           a0 * (log(b) - log(b0)) + a * (b0 - b) / b;
}

/* --- what is estimated of the prior ----------------------------------------------------------- */

static int has_fixed_rate(const ldp_cavi_factor *factor) {
    return factor->prior.hyper_shape <= 0;
}

void ldp_cavi_hyper_read(ldp_cavi_factor *factor, const double *q) {
    if (ldp_shape_is_estimated(factor->prior))
        factor->prior.shape = q[2];
    if (has_fixed_rate(factor)) {
        factor->log_rate = log(factor->prior.rate);
    } else {
        factor->prior.rate = q[0] / q[1];
        factor->log_rate = ldp_log_gamma(q[0]).digamma - log(q[1]);
    }
}

static double digammas(void *state, int group, int from, int to) {
    const ldp_cavi_factor *const factor = ((const job *)state)->factor;
    double sum = 0;
    (void)group;
    for (int i = from; i < to; i++)
        for (int k = 0; k < n_of_line(factor, i); k++)
            sum += ldp_log_gamma(ldp_line(factor->shape, factor->K, i)[k]).digamma;
    return sum;
}

double ldp_cavi_factor_logs(const ldp_cavi_factor *factor, ldp_cavi_team team) {
    return sum_over_lines(factor, team, digammas) - sum_over_lines(factor, team, log_rates);
}

/* The derivative of the bound with respect to the log of the shape, which has one root. */
static double slope_of_shape(const ldp_cavi_factor *factor, ldp_cavi_sums sums, double shape) {
    const ldp_gamma_prior prior = factor->prior;
    const double log_rate = has_fixed_rate(factor)
                                ? factor->log_rate
                                : ldp_log_gamma(prior.hyper_shape + sums.n * shape).digamma -
                                      log(prior.hyper_rate + sums.means);
    const double of_one =
        log_rate - ldp_log_gamma(shape).digamma + (sums.logs + factor->log_relative) / sums.n;
    return prior.shape_shape + shape * (sums.n * of_one - prior.shape_rate);
}

enum { HALVINGS = 50 };

static double best_shape(const ldp_cavi_factor *factor, ldp_cavi_sums sums) {
    double from = log(LDP_SHAPE_LEAST), to = log(LDP_SHAPE_MOST);
    for (int i = 0; i < HALVINGS; i++) {
        const double half = from + (to - from) / 2;
        if (slope_of_shape(factor, sums, exp(half)) > 0)
            from = half;
        else
            to = half;
    }
    return exp(from);
}

void ldp_cavi_hyper_update_from(ldp_cavi_factor *factor, ldp_cavi_sums sums, double *q) {
    if (ldp_shape_is_estimated(factor->prior))
        q[2] = factor->prior.shape = best_shape(factor, sums);
    if (!has_fixed_rate(factor)) {
        q[0] = factor->prior.hyper_shape + sums.n * factor->prior.shape;
        q[1] = factor->prior.hyper_rate + sums.means;
        ldp_cavi_hyper_read(factor, q);
    }
}

void ldp_cavi_hyper_update(ldp_cavi_factor *factor, ldp_cavi_team team, double *q) {
    ldp_cavi_sums sums = {.n = cavi_factor_n_weights(factor), .means = sum_of_means(factor)};
    if (!ldp_shape_is_estimated(factor->prior)) {
        ldp_cavi_hyper_update_from(factor, sums, q);
        return;
    }
    const double before = factor->prior.shape, of_shapes = sum_over_lines(factor, team, digammas);
    sums.logs = of_shapes - sum_over_lines(factor, team, log_rates);
    ldp_cavi_hyper_update_from(factor, sums, q);
    factor->divergence +=
        (before - factor->prior.shape) * of_shapes +
        sums.n * (ldp_log_gamma(factor->prior.shape).log_gamma - ldp_log_gamma(before).log_gamma);
}

double ldp_cavi_hyper_divergence(const ldp_cavi_factor *factor, const double *q) {
    const ldp_gamma_prior prior = factor->prior;
    const double of_rate =
        has_fixed_rate(factor)
            ? 0
            : ldp_cavi_divergence(q[0], q[1], prior.hyper_shape, prior.hyper_rate);
    if (!ldp_shape_is_estimated(prior))
        return of_rate;
    return of_rate - prior.shape_shape * log(prior.shape_rate * prior.shape) +
           prior.shape_rate * prior.shape + ldp_log_gamma(prior.shape_shape).log_gamma;
}
