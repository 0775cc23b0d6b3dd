/* With Gamma(a, b) priors of the n weights up_ik and of the m weights down_jk, c of component k has
 * the distribution of ldp_scale.h with
 *
 *     p = n a_up - m a_down,   A = b_up sum_i up_ik,   B = b_down sum_j down_jk */
#include <math.h>

#include "ldp_rescale.h"

/* Replaces the totals of each component by the numbers that its weights are to be multiplied by.
 * Adds the new totals to sum_up and sum_down. */
static void draw_scales(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down,
                        double *sum_up, double *sum_down) {
    for (int k = 0; k < K; k++) {
        const double t = ldp_scale_draw(
            stream, (ldp_scale){up.n_all * up.prior->shape - down.n_all * down.prior->shape,
                                up.prior->rate * up.total[k], down.prior->rate * down.total[k], 0});
        *sum_up += up.total[k] * exp(t);
        *sum_down += down.total[k] * exp(-t);
        up.total[k] = exp(t);
        down.total[k] = exp(-t);
    }
}

void ldp_rescale(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down) {
    double sum_up = 0, sum_down = 0;
    draw_scales(stream, K, up, down, &sum_up, &sum_down);
    ldp_scale_lines(K, up.n, up.factor, up.total);
    ldp_scale_lines(K, down.n, down.factor, down.total);
    up.prior->rate = ldp_gamma_rate(stream, *up.prior, (double)K * up.n_all, sum_up);
    down.prior->rate = ldp_gamma_rate(stream, *down.prior, (double)K * down.n_all, sum_down);
}

/* Multiplies up_.k by c, and divides down_.k and the relative rates of component k by c. */
static void shift(ldp_stream *stream, int K, const ldp_groups *groups, ldp_rescaled up,
                  ldp_rescaled down) {
    for (int k = 0; k < K; k++) {
        const double t = ldp_groups_shift(
            stream, groups, k,
            (ldp_scale){-down.n_all * down.prior->shape, 0, down.prior->rate * down.total[k], 0});
        up.total[k] = exp(-t);
        down.total[k] *= exp(-t);
    }
    ldp_scale_lines(K, down.n, down.factor, up.total);
    for (int k = 0; k < K; k++)
        up.total[k] = 1 / up.total[k];
    ldp_scale_lines(K, up.n, up.factor, up.total);
    ldp_groups_scale(groups, up.total);
    ldp_groups_relate(groups);
}

void ldp_rescale_groups(ldp_stream *stream, int K, uint64_t seed, const ldp_groups *groups,
                        ldp_rescaled up, ldp_rescaled down) {
    if (!groups) {
        ldp_rescale(stream, K, up, down);
        return;
    }
    ldp_stream of_groups = ldp_stream_for(seed, LDP_USE_GROUPS, 0, 0);
    shift(&of_groups, K, groups, up, down);
    ldp_groups_total(groups, up.total);
    ldp_rescale(stream, K, up, down);
    ldp_groups_scale(groups, up.total); /* now the scales */
    ldp_groups_draw(&of_groups, groups, *up.prior);
    up.prior->rate = ldp_groups_balance(&of_groups, groups, *up.prior);
}
