/* Bessel augmentation: an exact scheme for a Poisson count under two-sided geometric noise, in
 * which the two parts of the noise of every cell are drawn too (Schein et al. 2019, section 4, with
 * its misprints corrected):
 *
 *     tau = g1 - g2,  g_i ~ Pois(lambda_i),  lambda_i ~ Exp(mean alpha/(1-alpha))
 *     lambda_i | g_i ~ Gamma(1 + g_i, scale alpha)
 *     m ~ Bes(|y_tilde|, 2 sqrt((lambda_1 + mu) lambda_2))
 *     y+ = m + max(y_tilde, 0),   g2 = m + max(-y_tilde, 0)
 *     y ~ Binom(y+, mu/(mu + lambda_1)),   g1 = y+ - y */
#include <math.h>

#include "ldp_bessel.h"
#include "ldp_noise.h"
#include "ldp_random.h"

/* Gamma(1 + g, scale alpha) */
static double noise_rate(ldp_stream *stream, double g, double alpha) {
    return alpha * ldp_random_gamma(stream, 1 + g);
}

static double draw_augmented(ldp_stream *stream, double *g1, double *g2, double y_tilde, double mu,
                             double alpha) {
    if (alpha <= 0)
        return y_tilde;
    const double lambda1 = noise_rate(stream, *g1, alpha), lambda2 = noise_rate(stream, *g2, alpha);
    const double m = ldp_rbessel_by(stream, fabs(y_tilde), 2 * sqrt((lambda1 + mu) * lambda2));
    const double y_plus = m + fmax(y_tilde, 0);
    const double y = y_plus > 0 ? ldp_random_binomial(stream, y_plus, mu / (mu + lambda1)) : 0;
    *g1 = y_plus - y;
    *g2 = m + fmax(-y_tilde, 0);
    return y;
}

static int draw_bessel(void *state, ldp_stream *stream, int row, size_t first, int n,
                       const double *y_tilde, double alpha, double *x, int *positive) {
    const ldp_bessel_state *const parts = state;
    int n_positive = 0;
    (void)row;
    for (int e = 0; e < n; e++) {
        double *const g1 = &parts->g1[first + (size_t)e], *const g2 = &parts->g2[first + (size_t)e];
        x[e] = draw_augmented(stream, g1, g2, y_tilde[e], x[e], alpha);
        positive[n_positive] = e;
        n_positive += x[e] > 0;
    }
    return n_positive;
}

ldp_noise ldp_noise_bessel(int D, ldp_bessel_state *state, double *rest, double *extra) {
    ldp_noise noise = {.density_rest = rest,
                       .draw = draw_bessel,
                       .log_density = ldp_noise_log_density,
                       .state = state};
    ldp_noise_expose_all(&noise, D, rest, extra);
    return noise;
}
