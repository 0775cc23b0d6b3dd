/* Two exact schemes for a Poisson count under two-sided geometric noise.
 *
 * Collapsed: a release k <= 0 has likelihood alpha^|k| E[alpha^y] = alpha^|k| exp(-(1-alpha) mu),
 * that of a Poisson zero with exposure 1 - alpha; only positive cells need a draw of y.
 *
 * Bessel augmentation (Schein et al. 2019, section 4, with its misprints corrected):
 *
 *     tau = g1 - g2,  g_i ~ Pois(lambda_i),  lambda_i ~ Exp(mean alpha/(1-alpha))
 *     lambda_i | g_i ~ Gamma(1 + g_i, scale alpha)
 *     m ~ Bes(|y_tilde|, 2 sqrt((lambda_1 + mu) lambda_2))
 *     y+ = m + max(y_tilde, 0),   g2 = m + max(-y_tilde, 0)
 *     y ~ Binom(y+, mu/(mu + lambda_1)),   g1 = y+ - y */
#include <math.h>

#include <Rmath.h>

#include "ldp_bessel.h"
#include "ldp_noise.h"
#include "ldp_truecount.h"

static double log_density(const void *state, ldp_quick *quick, int row, int n,
                          const double *y_tilde, double alpha, const double *mean) {
    (void)state;
    (void)row;
    ldp_quick_prepare(quick, 0, alpha);
    return ldp_quick_log_density(quick, n, y_tilde, mean);
}

/* P(y = 0) >= exp(-mu/alpha) >= 1 - mu/alpha: one uniform and one comparison settle nearly every
 * cell. The other cells are drawn with the same uniform. They, and the counts above zero, are
 * listed without a branch, which would often be mispredicted. */
static int draw_collapsed(void *state, ldp_stream *stream, int row, size_t first, int n,
                          const double *y_tilde, double alpha, double *x, int *positive) {
    const double inverse = 1 / alpha;
    double u[LDP_FEW];
    int n_open = 0, n_positive = 0, open[LDP_FEW];
    (void)state;
    (void)row;
    (void)first;
    for (int e = 0; e < n; e++) {
        u[n_open] = ldp_stream_uniform(stream);
        open[n_open] = e;
        n_open += !(u[n_open] < 1 - inverse * x[e]);
    }
    for (int i = 0; i < n_open; i++) {
        const int e = open[i];
        x[e] = ldp_rtruecount_by(u[i], y_tilde[e], x[e], alpha);
        positive[n_positive] = e;
        n_positive += x[e] > 0;
    }
    return n_positive;
}

ldp_noise ldp_noise_collapsed(int D, const double *alpha, double *rest, double *excess) {
    for (int d = 0; d < D; d++) {
        rest[d] = 1 - alpha[d];
        excess[d] = alpha[d];
    }
    return (ldp_noise){.exposure_rest = rest,
                       .exposure_excess = excess,
                       .draw = draw_collapsed,
                       .log_density = log_density};
}

/* Gamma(1 + g, scale alpha); for g = 0, as in most cells, an exponential distribution. */
static double noise_rate(double g, double alpha) {
    return alpha * (g > 0 ? rgamma(1 + g, 1) : exp_rand());
}

static double draw_augmented(double *g1, double *g2, double y_tilde, double mu, double alpha) {
    if (alpha <= 0)
        return y_tilde;
    const double lambda1 = noise_rate(*g1, alpha), lambda2 = noise_rate(*g2, alpha);
    const double m = ldp_rbessel(fabs(y_tilde), 2 * sqrt((lambda1 + mu) * lambda2));
    const double y_plus = m + fmax(y_tilde, 0);
    const double y = y_plus > 0 ? rbinom(y_plus, mu / (mu + lambda1)) : 0;
    *g1 = y_plus - y;
    *g2 = m + fmax(-y_tilde, 0);
    return y;
}

static int draw_bessel(void *state, ldp_stream *stream, int row, size_t first, int n,
                       const double *y_tilde, double alpha, double *x, int *positive) {
    const ldp_bessel_state *const parts = state;
    int n_positive = 0;
    (void)stream;
    (void)row;
    for (int e = 0; e < n; e++) {
        double *const g1 = &parts->g1[first + (size_t)e], *const g2 = &parts->g2[first + (size_t)e];
        x[e] = draw_augmented(g1, g2, y_tilde[e], x[e], alpha);
        positive[n_positive] = e;
        n_positive += x[e] > 0;
    }
    return n_positive;
}

ldp_noise ldp_noise_bessel(int D, ldp_bessel_state *state, double *rest, double *excess) {
    for (int d = 0; d < D; d++) {
        rest[d] = 1;
        excess[d] = 0;
    }
    return (ldp_noise){.exposure_rest = rest,
                       .exposure_excess = excess,
                       .draw = draw_bessel,
                       .log_density = log_density,
                       .state = state};
}
