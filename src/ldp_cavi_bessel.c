/* The augmentation of a cell k = y + g1 - g2, g_i ~ Pois(lambda_i), lambda_i ~ Exp(mean
 * alpha/(1-alpha)), with q(lambda_i) = Gamma(s_i, rate 1/alpha):
 *
 *     s = G[lambda_1] + r,   g = G[lambda_2],   G[lambda_i] = alpha exp(psi(s_i))
 *     m ~ Bes(|k|, a),   a = 2 sqrt(s g),   E[m] = (a/2) I_{|k|+1}(a)/I_|k|(a)
 *     E[y+] = E[m] + max(k, 0),   E[g2] = E[m] + max(-k, 0)
 *     w = E[y+]/s,   E[g1] = w G[lambda_1],   then s_i = 1 + E[g_i]
 *
 * The cell adds to the bound
 *
 *     (k/2) log(s/g) + log I_|k|(a) - sum_i [ E[lambda_i] + KL(q(lambda_i) || prior) ],
 *     E[lambda_i] + KL(...) = (s_i - 1) psi(s_i) - log Gamma(s_i) - log(1 - alpha),
 *
 * computed before q(lambda) is updated, so that it belongs to the current factors.
 *
 * The first version of the paper uses G[mu] instead of r, and G[lambda_1 + mu] instead of s. Both
 * are approximated by the delta method, which expands exp(E log X) to second order about the mean
 * of X:
 *
 *     G[X] ~ E[X] exp(-Var[X]/(2 E[X]^2))
 *     a = 2 sqrt(G[lambda_1 + mu] g)
 *     E[y] : E[g1] = G[mu] : G[lambda_1],   their sum E[y+],   w = E[y]/r
 *
 * The bound is computed as for the exact update, at the same distributions of factors and noise.
 * This approximate update does not always increase it.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix, eq. 61 for the joint distribution of
 * the counts and eqs. 66 to 70 for the delta method; the exact update is new in this package. */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel_i.h"
#include "ldp_cavi_bessel.h"
#include "ldp_digamma.h"
#include "ldp_noise.h"

typedef struct noise_law {
    double geo, mean, cost; /* G[lambda], E[lambda], and the term subtracted from the bound */
} noise_law;

static noise_law cavi_bessel_law_of(double expected, double alpha) {
    const double shape = 1 + expected;
    const ldp_gamma_logs logs = ldp_log_gamma(shape);
    return (noise_law){alpha * exp(logs.digamma), alpha * shape,
                       expected * logs.digamma - logs.log_gamma - log1p(-alpha)};
}

/* G[X] by the delta method. */
static double geo_by_delta(double mean, double variance) {
    return mean > 0 ? mean * exp(-variance / mean / mean / 2) : 0;
}

/* The values of G[mu] and G[lambda_1 + mu] that the local step uses. */
typedef struct geometric_means {
    double mu, sum;
} geometric_means;

static geometric_means geo_of(noise_law first, double alpha, double mean, double variance) {
    const double of_mu = geo_by_delta(mean, variance);
    const double of_sum = geo_by_delta(first.mean + mean, alpha * first.mean + variance);
    return (geometric_means){of_mu, of_sum};
}

static double weigh_one(double *g1, double *g2, int delta, double k, double alpha, double mean,
                        double variance, double *x) {
    const noise_law first = cavi_bessel_law_of(*g1, alpha), second = cavi_bessel_law_of(*g2, alpha);
    const double r = *x, s = first.geo + r, g = second.geo, size = fabs(k);
    const double sum =
        k / 2 * log(s / g) + ldp_log_bessel_i(size, 2 * sqrt(s * g)) - first.cost - second.cost;
    const geometric_means geo =
        delta ? geo_of(first, alpha, mean, variance) : (geometric_means){r, s};
    const double a = 2 * sqrt(geo.sum * g), m = a / 2 * ldp_bessel_i_ratio(size, a);
    const double each = (m + fmax(k, 0)) / (first.geo + geo.mu); /* E[y+] over its total weight */
    *x = delta ? (r > 0 ? each * (geo.mu / r) : 0) : each;
    *g1 = each * first.geo;
    *g2 = m + fmax(-k, 0);
    return k > 0 ? sum : sum - size * log(alpha) - (log1p(-alpha) - log1p(alpha));
}

static double cavi_bessel_weigh(void *state, int group, int row, size_t first, int n,
                                const double *y_tilde, double alpha, const double *mean,
                                const double *variance, double *x) {
    const ldp_cavi_bessel *const s = state;
    double sum = 0;
    (void)group;
    (void)row;
    for (int e = 0; e < n; e++) {
        const size_t place = first + (size_t)e;
        sum += alpha <= 0 ? ldp_cavi_known(y_tilde[e], &x[e])
                          : weigh_one(&s->g1[place], &s->g2[place], s->delta, y_tilde[e], alpha,
                                      s->delta ? mean[e] : 0, s->delta ? variance[e] : 0, &x[e]);
    }
    return sum;
}

ldp_cavi_local ldp_cavi_augmented(int D, ldp_cavi_bessel *state, double *rest, double *extra) {
    const ldp_noise noise = ldp_noise_bessel(D, NULL, rest, extra);
    return (ldp_cavi_local){.exposure_rest = noise.exposure_rest,
                            .exposure_extra = noise.exposure_extra,
                            .weigh = cavi_bessel_weigh,
                            .wants_moments = state->delta,
                            .state = state};
}
