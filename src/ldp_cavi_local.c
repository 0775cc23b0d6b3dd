/* The collapsed local step. Let p(k; r) be the probability of a release k if the true count has
 * mean r (ldp_privpois). The bound of a positive cell is log p(k; r) + r, and its derivative is the
 * weight
 *
 *     w = d/dr [log p(k; r) + r] = E[y | k; r]/r = p(k - 1; r)/p(k; r),
 *
 * and w -> 1/alpha as r -> 0; without noise w = k/r.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix, for variational inference under this
 * noise; with the noise integrated out it is new in this package. */
#include <math.h>

#include <Rmath.h>

#include "ldp_cavi_local.h"
#include "ldp_math.h"
#include "ldp_noise.h"
#include "ldp_privpois.h"
#include "ldp_rows.h"
#include "ldp_truecount.h"

/* For means below this, the true count is 0 or 1. */
static const double MEAN_TINY = 1e-150;

double ldp_cavi_known(double count, double *x) {
    const double r = *x;
    *x = count / r;
    return count > 0 ? count * log(r) - (count > 1 ? lgammafn(count + 1) : 0) : 0;
}

static double cavi_local_weigh(void *state, int group, int row, size_t first, int n,
                               const double *y_tilde, double alpha, const double *mean,
                               const double *variance, double *x) {
    ldp_small *const small = (ldp_small *)state + group;
    double w[LDP_FEW];
    int n_left, left[LDP_FEW];
    (void)row;
    (void)first;
    (void)mean;
    (void)variance;
    if (alpha <= 0) {
        double known = 0;
        for (int e = 0; e < n; e++)
            known += ldp_cavi_known(y_tilde[e], &x[e]);
        return known;
    }
    ldp_small_prepare(small, alpha, 1 / alpha, 0);
    double sum = ldp_small_weigh(small, n, y_tilde, x, w, NULL, left, &n_left);
    for (int i = 0; i < n_left; i++) {
        const int e = left[i];
        const double k = y_tilde[e], r = x[e];
        sum += ldp_privpois_log_pmf(k, r, alpha) + r;
        w[e] = r < MEAN_TINY ? 1 / alpha : ldp_truecount_mean(k, r, alpha) / r;
    }
    for (int e = 0; e < n; e++)
        x[e] = w[e];
    return sum;
}

ldp_cavi_local ldp_cavi_collapsed(int D, const double *alpha, double *rest, double *extra,
                                  ldp_small *small) {
    const ldp_noise noise = ldp_noise_collapsed(D, alpha, rest, extra);
    return (ldp_cavi_local){.exposure_rest = noise.exposure_rest,
                            .exposure_extra = noise.exposure_extra,
                            .weigh = cavi_local_weigh,
                            .state = small};
}

double ldp_cavi_few(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row at,
                    size_t first, int n, const int *index) {
    const int K = at.K;
    double x[LDP_FEW], mean[LDP_FEW], variance[LDP_FEW];
    for (int i = 0; i < n; i++)
        x[i] = ldp_dot(K, at.left, at.geo + (size_t)index[i] * (size_t)K);
    if (local->wants_moments)
        at.moments.at(at.moments.state, at.row, cells->active.index + first, n, mean, variance);
    const double sum =
        local->weigh(local->state, at.group, at.row, first, n, cells->y_tilde + first,
                     cells->alpha[at.row], mean, variance, x);
    ldp_rows_exchange(K, x, at.geo, index, n, at.gathered, at.right, at.scattered);
    ldp_rows_add(K, at.mean, NULL, index, (size_t)n, at.active);
    return sum;
}

double ldp_cavi_walk(const ldp_cavi_local *local, const ldp_cells *cells, ldp_cavi_row at) {
    const size_t end = cells->active.start[at.row + 1];
    double sum = 0;
    for (size_t e = cells->active.start[at.row]; e < end; e += LDP_FEW) {
        const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
        sum += ldp_cavi_few(local, cells, at, e, n, cells->active.index + e);
    }
    return sum;
}

double ldp_cavi_exposed(const ldp_cavi_local *local, int K, int row, const double *mean,
                        const double *observed, const double *active) {
    const double of_active = ldp_dot(K, mean, active);
    const double rest = fmax(ldp_dot(K, mean, observed) - of_active, 0);
    if (local->row)
        local->row(local->state, row, of_active, rest);
    return -(local->exposure_rest[row] + local->exposure_extra[row]) * of_active -
           local->exposure_rest[row] * rest;
}
