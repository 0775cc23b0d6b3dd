/* With Gamma(a, b) priors of the n weights up_ik and of the m weights down_jk, c of component k has
 * the distribution of ldp_scale.h with
 *
 *     p = n a_up - m a_down,   A = b_up sum_i up_ik,   B = b_down sum_j down_jk */
#include <math.h>

#include "ldp_exposure.h"
#include "ldp_rescale.h"
#include "ldp_scale.h"

void ldp_rescale(ldp_stream *stream, int K, ldp_rescaled up, ldp_rescaled down, double *work) {
    double *const of_up = work, *const of_down = work + K;
    double sum_up = 0, sum_down = 0;
    ldp_exposure_total((ldp_weighted){K, 0, up.n, up.factor, NULL}, of_up);
    ldp_exposure_total((ldp_weighted){K, 0, down.n, down.factor, NULL}, of_down);
    for (int k = 0; k < K; k++) {
        const double t = ldp_scale_draw(
            stream, (ldp_scale){up.n * up.prior->shape - down.n * down.prior->shape,
                                up.prior->rate * of_up[k], down.prior->rate * of_down[k], 0});
        sum_up += of_up[k] * exp(t);
        sum_down += of_down[k] * exp(-t);
        of_up[k] = exp(t);
        of_down[k] = exp(-t);
    }
    ldp_scale_lines(K, up.n, up.factor, of_up);
    ldp_scale_lines(K, down.n, down.factor, of_down);
    up.prior->rate = ldp_gamma_rate(stream, *up.prior, (double)K * up.n, sum_up);
    down.prior->rate = ldp_gamma_rate(stream, *down.prior, (double)K * down.n, sum_down);
}
