/* At small shapes a draw underflows (12 % are below DBL_MIN at a shape of 0.003), and a factor of
 * exactly 0 has no logarithm. Only this file deals with underflow: a draw is at least DBL_MIN,
 * which is so small that it has the same effect as 0 in any product. */
#include <float.h>

#include "ldp_gamma.h"
#include "ldp_random.h"
#include "ldp_reflect.h"

static double proper(double value) {
    return value < DBL_MIN ? DBL_MIN : value;
}

void ldp_gamma_draw(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *counts,
                    const double *exposure, double *x) {
    for (int k = 0; k < K; k++)
        x[k] =
            proper(ldp_random_gamma(stream, prior.shape + counts[k]) / (prior.rate + exposure[k]));
}

/* The decision whether to reflect must not depend on x. The uniform that decides it is rescaled and
 * used again. */
void ldp_gamma_move(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                    const double *counts, const double *exposure, double *x) {
    if (reflect <= 0) {
        ldp_gamma_draw(stream, K, prior, counts, exposure, x);
        return;
    }
    for (int k = 0; k < K; k++) {
        const double shape = prior.shape + counts[k], rate = prior.rate + exposure[k];
        const double u = shape >= 1 ? ldp_stream_uniform(stream) : 1;
        const double value = u < reflect ? ldp_reflect(u / reflect, shape, rate * x[k])
                                         : ldp_random_gamma(stream, shape);
        x[k] = proper(value / rate);
    }
}

double ldp_gamma_rate(ldp_stream *stream, ldp_gamma_prior prior, double n, double sum) {
    if (prior.hyper_shape <= 0)
        return prior.rate;
    const double rate =
        ldp_random_gamma(stream, prior.hyper_shape + n * prior.shape) / (prior.hyper_rate + sum);
    return rate < DBL_MIN ? DBL_MIN : rate;
}
