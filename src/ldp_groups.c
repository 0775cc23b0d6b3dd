/* The conditional distributions of relative rates are gamma distributions, because the gamma prior
 * of a weight is proportional to rho^shape exp(-rate rho theta). Sums of weights over the rows of
 * each combination are all that they need. Sums over rows would otherwise be needed per factor.
 *
 * Scales are hardly determined by the data: a component can have large weights and small rates, and
 * the rate of the prior can be large if all relative rates are small. The moves along these
 * directions are exact draws (ldp_scale.h). */
#include <float.h>
#include <math.h>

#include "ldp_groups.h"
#include "ldp_math.h"

/* The limits of a product of relative rates. */
static const double LEAST = DBL_MIN, MOST = 1e200;

size_t ldp_groups_work(int K, int n_levels) {
    return (size_t)K * ((size_t)n_levels + 2) + (size_t)n_levels;
}

static const int *levels_of(const ldp_groups *groups, int combination) {
    return groups->level + (size_t)combination * (size_t)groups->n_factors;
}

/* The product of rho over the levels of a combination, without those of factor `except` (-1: all).
 */
static void groups_multiply(const ldp_groups *groups, int combination, int except,
                            double *product) {
    const int *const level = levels_of(groups, combination);
    ldp_fill(groups->K, product, 1);
    for (int f = 0; f < groups->n_factors; f++) {
        const double *const rho = ldp_line(groups->rho, groups->K, level[f]);
        for (int k = 0; f != except && k < groups->K; k++)
            product[k] = fmin(fmax(product[k] * rho[k], LEAST), MOST);
    }
}

void ldp_groups_relate(const ldp_groups *groups) {
    for (int c = 0; c < groups->n_combinations; c++)
        groups_multiply(groups, c, -1, ldp_line(groups->relative, groups->K, c));
}

const double *ldp_groups_of_row(const ldp_groups *groups, int row) {
    return ldp_line(groups->relative, groups->K, groups->combination[row]);
}

ldp_gamma_prior ldp_groups_prior(const ldp_groups *groups, ldp_gamma_prior prior, int row,
                                 double *exposure) {
    if (!groups)
        return prior;
    ldp_add(groups->K, exposure, prior.rate, ldp_groups_of_row(groups, row));
    prior.rate = 0;
    return prior;
}

void ldp_groups_add_up(const ldp_groups *groups, int n, const double *factor) {
    const int K = groups->K;
    for (int c = 0; c < groups->n_combinations; c++)
        ldp_fill(K, ldp_line(groups->sums, K, c), 0);
    for (int d = 0; d < n; d++)
        ldp_add(K, ldp_line(groups->sums, K, groups->combination[d]), 1,
                factor + (size_t)d * (size_t)K);
}

void ldp_groups_total(const ldp_groups *groups, double *total) {
    const int K = groups->K;
    ldp_fill(K, total, 0);
    for (int c = 0; c < groups->n_combinations; c++) {
        const double *const sum = ldp_line(groups->sums, K, c);
        const double *const relative = ldp_line(groups->relative, K, c);
        for (int k = 0; k < K; k++)
            total[k] += relative[k] * sum[k];
    }
}

void ldp_groups_scale(const ldp_groups *groups, const double *by) {
    for (int c = 0; c < groups->n_combinations; c++)
        for (int k = 0; k < groups->K; k++)
            ldp_line(groups->sums, groups->K, c)[k] *= by[k];
}

static int groups_n_levels(const ldp_groups *groups, int f) {
    return groups->first[f + 1] - groups->first[f];
}

void ldp_groups_exposures(const ldp_groups *groups, int f, double rate, double *exposure,
                          double *count) {
    const int K = groups->K, n = groups_n_levels(groups, f), first = groups->first[f];
    double *const product = groups->work;
    for (int l = 0; l < n; l++) {
        ldp_fill(K, ldp_line(exposure, K, l), 0);
        count[l] = 0;
    }
    for (int c = 0; c < groups->n_combinations; c++) {
        const int l = levels_of(groups, c)[f] - first;
        const double *const sum = ldp_line(groups->sums, K, c);
        double *const of_level = ldp_line(exposure, K, l);
        groups_multiply(groups, c, f, product);
        count[l] += groups->n_rows[c];
        for (int k = 0; k < K; k++)
            of_level[k] += rate * product[k] * sum[k];
    }
}

void ldp_groups_draw(ldp_stream *stream, const ldp_groups *groups, ldp_gamma_prior prior) {
    const int K = groups->K;
    const ldp_gamma_prior of_rho = {.shape = groups->shape, .rate = groups->shape};
    double *const counts = groups->work + K, *const exposure = counts + K;
    for (int f = 0; f < groups->n_factors; f++) {
        double *const n = ldp_line(exposure, K, groups_n_levels(groups, f));
        ldp_groups_exposures(groups, f, prior.rate, exposure, n);
        for (int l = 0; l < groups_n_levels(groups, f); l++) {
            ldp_fill(K, counts, n[l] * prior.shape);
            ldp_gamma_draw(stream, K, of_rho, counts, ldp_line(exposure, K, l),
                           ldp_line(groups->rho, K, groups->first[f] + l));
        }
    }
    ldp_groups_relate(groups);
}

/* The sum of rho of component k over the levels of factor f. */
static double sum_of_rho(const ldp_groups *groups, int f, int k) {
    double sum = 0;
    for (int l = groups->first[f]; l < groups->first[f + 1]; l++)
        sum += ldp_line(groups->rho, groups->K, l)[k];
    return sum;
}

static void scale_rho(const ldp_groups *groups, int f, int k, double by) {
    for (int l = groups->first[f]; l < groups->first[f + 1]; l++) {
        double *const rho = ldp_line(groups->rho, groups->K, l) + k;
        *rho = fmin(fmax(*rho * by, LEAST), MOST);
    }
}

ldp_scale ldp_groups_shift_scale(const ldp_groups *groups, int k, ldp_scale others) {
    others.p -= groups_n_levels(groups, 0) * groups->shape;
    others.B += groups->shape * sum_of_rho(groups, 0, k);
    return others;
}

double ldp_groups_shift(ldp_stream *stream, const ldp_groups *groups, int k, ldp_scale others) {
    const double t = ldp_scale_draw(stream, ldp_groups_shift_scale(groups, k, others));
    scale_rho(groups, 0, k, exp(-t));
    return t;
}

/* With rate ~ Gamma(h, b): p = h - K n_levels a, A = b rate, B = a sum rho. */
static double balance_rate(ldp_stream *stream, const ldp_groups *groups, ldp_gamma_prior prior) {
    double sum = 0;
    if (prior.hyper_shape <= 0)
        return prior.rate;
    for (int k = 0; k < groups->K; k++)
        sum += sum_of_rho(groups, 0, k);
    const double p =
        prior.hyper_shape - (double)groups->K * groups_n_levels(groups, 0) * groups->shape;
    const double t = ldp_scale_draw(
        stream, (ldp_scale){p, prior.hyper_rate * prior.rate, groups->shape * sum, 0});
    for (int k = 0; k < groups->K; k++)
        scale_rho(groups, 0, k, exp(-t));
    return prior.rate * exp(t);
}

static void balance_factors(ldp_stream *stream, const ldp_groups *groups, int f, int k) {
    const double a = groups->shape;
    const double t = ldp_scale_draw(
        stream, (ldp_scale){a * (groups_n_levels(groups, f) - groups_n_levels(groups, f + 1)),
                            a * sum_of_rho(groups, f, k), a * sum_of_rho(groups, f + 1, k), 0});
    scale_rho(groups, f, k, exp(t));
    scale_rho(groups, f + 1, k, exp(-t));
}

double ldp_groups_balance(ldp_stream *stream, const ldp_groups *groups, ldp_gamma_prior prior) {
    const double rate = fmax(balance_rate(stream, groups, prior), DBL_MIN);
    for (int f = 0; f + 1 < groups->n_factors; f++)
        for (int k = 0; k < groups->K; k++)
            balance_factors(stream, groups, f, k);
    ldp_groups_relate(groups);
    return rate;
}
