/* With rho_kl ~ Gamma(a, a) and weights theta_dk ~ Gamma(a0, b0 prod rho),
 *
 *     q(rho_kl)   shape a + n_l a0,
 *                 rate  a + E[b0] sum_{d in l} E[theta_dk] prod_{other factors} E[rho]
 *
 * because all are independent under q. */
#include <math.h>

#include "ldp_cavi_relative.h"
#include "ldp_digamma.h"
#include "ldp_exposure.h"
#include "ldp_math.h"

static int cavi_relative_n_levels(const ldp_groups *groups) {
    return groups->first[groups->n_factors];
}

/* The sum over rows and components of E[log] of the relative rate. */
static double sum_of_logs(const ldp_cavi_relative *relative) {
    const ldp_groups *const groups = &relative->groups;
    const int K = groups->K;
    double sum = 0;
    for (int c = 0; c < groups->n_combinations; c++)
        for (int f = 0; f < groups->n_factors; f++) {
            const int level = groups->level[c * groups->n_factors + f];
            const double *const shape = ldp_line(relative->shape, K, level);
            const double *const rate = ldp_line(relative->rate, K, level);
            for (int k = 0; k < K; k++)
                sum += groups->n_rows[c] * (ldp_log_gamma(shape[k]).digamma - log(rate[k]));
        }
    return sum;
}

static void set_means(const ldp_cavi_relative *relative, int from, int to) {
    const size_t K = (size_t)relative->groups.K;
    for (size_t i = (size_t)from * K; i < (size_t)to * K; i++)
        relative->groups.rho[i] = relative->shape[i] / relative->rate[i];
}

void ldp_cavi_relative_read(const ldp_cavi_relative *relative, ldp_cavi_factor *factor) {
    set_means(relative, 0, cavi_relative_n_levels(&relative->groups));
    ldp_groups_relate(&relative->groups);
    factor->groups = &relative->groups;
    factor->log_relative = sum_of_logs(relative);
}

void ldp_cavi_relative_update(const ldp_cavi_relative *relative, ldp_cavi_factor *factor) {
    if (!relative)
        return;
    const ldp_groups *const groups = &relative->groups;
    const int K = groups->K;
    double *const exposure = groups->work + 2 * (size_t)K;
    ldp_groups_add_up(groups, factor->n, factor->mean);
    for (int f = 0; f < groups->n_factors; f++) {
        const int first = groups->first[f], n = groups->first[f + 1] - first;
        double *const count = ldp_line(exposure, K, n);
        ldp_groups_exposures(groups, f, factor->prior.rate, exposure, count);
        for (int l = 0; l < n; l++)
            for (int k = 0; k < K; k++) {
                ldp_line(relative->shape, K, first + l)[k] =
                    groups->shape + count[l] * factor->prior.shape;
                ldp_line(relative->rate, K, first + l)[k] =
                    groups->shape + ldp_line(exposure, K, l)[k];
            }
        set_means(relative, first, first + n);
    }
    ldp_cavi_relative_read(relative, factor);
}

double ldp_cavi_relative_divergence(const ldp_cavi_relative *relative) {
    if (!relative)
        return 0;
    const double a = relative->groups.shape;
    const size_t n = (size_t)relative->groups.K * (size_t)cavi_relative_n_levels(&relative->groups);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ldp_cavi_divergence(relative->shape[i], relative->rate[i], a, a);
    return sum;
}

double ldp_cavi_relative_shift(const ldp_cavi_relative *relative, int k, ldp_scale others) {
    const ldp_groups *const groups = &relative->groups;
    const double t = ldp_scale_best(ldp_groups_shift_scale(groups, k, others));
    for (int l = groups->first[0]; l < groups->first[1]; l++)
        ldp_line(relative->rate, groups->K, l)[k] *= exp(t);
    return t;
}

void ldp_cavi_relative_balance(const ldp_cavi_relative *relative, ldp_cavi_factor *up,
                               const ldp_cavi_factor *down, ldp_cavi_team team, double *work) {
    if (!relative)
        return;
    const int K = up->K;
    double *const of_up = work, *const of_down = work + K;
    ldp_exposure_total(ldp_cavi_factor_means(down), of_down);
    for (int k = 0; k < K; k++) {
        const double t = ldp_cavi_relative_shift(
            relative, k,
            (ldp_scale){-down->n * down->prior.shape, 0, down->prior.rate * of_down[k], 0});
        of_up[k] = exp(t);
        of_down[k] = exp(-t);
    }
    ldp_cavi_factor_scale(up, team, of_up);
    ldp_cavi_factor_scale(down, team, of_down);
    ldp_cavi_relative_read(relative, up);
}
