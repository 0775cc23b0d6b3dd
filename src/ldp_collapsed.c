/* Collapsed scheme: an exact scheme for a Poisson count under two-sided geometric noise, which is
 * integrated out.
 *
 * A release k <= 0 has likelihood alpha^|k| E[alpha^y] = alpha^|k| exp(-(1-alpha) mu), that of a
 * Poisson zero with exposure 1 - alpha; only positive cells, which have exposure 1, need a draw of
 * y (ldp_truecount.h). */
#include <math.h>

#include "ldp_codes.h"
#include "ldp_noise.h"
#include "ldp_truecount.h"

double ldp_noise_log_density(const void *state, ldp_quick *quick, int row, size_t first, int n,
                             const double *y_tilde, double alpha, const double *mean) {
    (void)state;
    (void)row;
    (void)first;
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
        x[e] = ldp_rtruecount_by(stream, u[i], y_tilde[e], x[e], alpha);
        positive[n_positive] = e;
        n_positive += x[e] > 0;
    }
    return n_positive;
}

ldp_noise ldp_noise_collapsed(int D, const double *alpha, double *rest, double *extra) {
    for (int d = 0; d < D; d++) {
        rest[d] = 1 - alpha[d];
        extra[d] = alpha[d];
    }
    return (ldp_noise){.exposure_rest = rest,
                       .density_rest = rest,
                       .exposure_extra = extra,
                       .draw = draw_collapsed,
                       .log_density = ldp_noise_log_density};
}

/* --- tokens: the weights mu^y/y! alpha^(|k - y| - k) relative to those of Pois(mu/alpha)
 * ---------- */

/* On a release at or below zero, Pois(mu/alpha) thinned by alpha^2 is Pois(alpha mu). */
static double accept_all(const ldp_token_law *law, int v, double y, double over) {
    const double release = ldp_codes_release(law->cells, law->row, v);
    (void)over;
    return y <= release ? 1 : pow(law->square, y - release);
}

static double draw_alone(const ldp_token_law *law, ldp_stream *stream, int v, double mean) {
    const double release = ldp_codes_release(law->cells, law->row, v);
    const double u = ldp_stream_uniform(stream);
    if (release > 0 && u < 1 - mean / law->alpha)
        return 0;
    return ldp_rtruecount_by(stream, u, release, mean, law->alpha);
}

static ldp_token_law poisson_tokens(void *state, const ldp_cells *cells, int row, double total,
                                    double cost) {
    const double alpha = cells->alpha[row];
    (void)total;
    (void)cost;
    return (ldp_token_law){.rate = 1 / alpha,
                           .top = LDP_CODE_LISTED,
                           .square = alpha * alpha,
                           .accept = accept_all,
                           .alone = draw_alone,
                           .state = state,
                           .cells = cells,
                           .row = row,
                           .alpha = alpha};
}

ldp_noise ldp_noise_tokens(int D, const double *alpha, double *rest, double *ones, double *zeros) {
    ldp_noise noise = ldp_noise_collapsed(D, alpha, rest, zeros);
    ldp_noise_expose_all(&noise, D, ones, zeros);
    noise.tokens = poisson_tokens;
    return noise;
}
