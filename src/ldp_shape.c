#include <math.h>

#include <Rmath.h>

#include "ldp_random.h"
#include "ldp_shape.h"
#include "ldp_slice.h"

/* Up to this multiple of the shape, trials are done one by one. After it they are done by leaps. */
static const double TRIALS_PER_SHAPE = 8;

/* Shapes above 1 are increased by this for leaps, which then are not too long. */
static const double LEAP_EXCESS = 1.125;

int ldp_shape_is_estimated(ldp_gamma_prior prior) {
    return prior.shape_shape > 0;
}

int ldp_shape_is_due(uint64_t seed, double reflect) {
    ldp_stream stream = ldp_stream_for(seed, LDP_USE_SHAPE, 0, 1);
    return !(ldp_stream_uniform(&stream) < reflect);
}

double ldp_shape_reflect(ldp_gamma_prior prior, int is_due, double reflect) {
    if (!ldp_shape_is_estimated(prior))
        return reflect;
    return is_due ? 0 : 1;
}

/* The trials after the first `done` of n, by thinning. Leaps have the survivor function
 * ((a + done)/(a + j))^c, so that trial j succeeds with probability q = 1 - (1 - x)^c, x = 1/(a +
 * j). This is at least a x, the probability wanted, for c = a <= 1; and for c = 1.125 a where x <=
 * 1/(9 a), since then q >= c x (1 - c x/2). */
static double leap(ldp_stream *stream, double done, double n, double a) {
    const double c = a <= 1 ? a : a * LEAP_EXCESS;
    double successes = 0;
    for (;;) {
        const double to = (a + done) * exp(-log(ldp_stream_uniform(stream)) / c) - a;
        if (!(to < n))
            return successes;
        done = floor(to) + 1;
        const double x = 1 / (a + done), q = -expm1(c * log1p(-x));
        successes += ldp_stream_uniform(stream) * q < a * x;
    }
}

double ldp_shape_tables(ldp_stream *stream, double y, double a) {
    if (!(y > 0))
        return 0;
    const double n = y - 1, one_by_one = a <= 1 ? fmin(n, 2) : fmin(n, ceil(TRIALS_PER_SHAPE * a));
    double tables = 1;
    for (double j = 1; j <= one_by_one; j++)
        tables += ldp_stream_uniform(stream) * (a + j) < a;
    return one_by_one < n ? tables + leap(stream, one_by_one, n, a) : tables;
}

/* Products of 1 + e/b stay below this before a logarithm is taken. */
static const double PRODUCT_LARGE = 1e150;

void ldp_shape_add(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *relative,
                   const double *counts, const double *exposure, ldp_shape_sums *sums) {
    double tables = 0, logs = 0, product = 1;
    for (int k = 0; k < K; k++) {
        const double b = relative ? prior.rate * relative[k] : prior.rate;
        const double by = 1 + exposure[k] / b;
        tables += ldp_shape_tables(stream, counts[k], prior.shape);
        if (by < PRODUCT_LARGE) { /* an absolute error of 1e-16 is enough */
            product *= by;
            if (product > PRODUCT_LARGE) {
                logs += log(product);
                product = 1;
            }
        } else {
            logs += log(exposure[k]) - log(b);
        }
    }
    sums->tables += (int64_t)tables;
    sums->logs += llrint(ldexp(logs + log(product), LDP_SHAPE_BITS));
}

static double within_limits(double shape) {
    return fmax(LDP_SHAPE_LEAST, fmin(LDP_SHAPE_MOST, shape));
}

double ldp_shape_draw(ldp_stream *stream, ldp_gamma_prior prior, ldp_shape_sums sums) {
    const double logs = ldexp((double)sums.logs, -LDP_SHAPE_BITS);
    return within_limits(ldp_random_gamma(stream, prior.shape_shape + (double)sums.tables) /
                         (prior.shape_rate + logs));
}

/* The log density of t = log(a), up to a constant. */
static double shape_log_density(ldp_gamma_prior prior, double n, double logs, double t) {
    const double a = exp(t);
    return prior.shape_shape * t - prior.shape_rate * a + a * logs - n * lgammafn(a);
}

double ldp_shape_draw_given(ldp_stream *stream, ldp_gamma_prior prior, double n, double logs) {
    const double t = log(prior.shape);
    /* n weights of a small shape determine log(a) up to 1/sqrt(n) */
    ldp_slice slice = ldp_slice_open(stream, t, shape_log_density(prior, n, logs, t),
                                     4 / sqrt(1 + n), LDP_SLICE_STEPS);
    while (ldp_slice_is_asking(&slice))
        ldp_slice_tell(&slice, stream, shape_log_density(prior, n, logs, slice.asked));
    return within_limits(exp(slice.at));
}
