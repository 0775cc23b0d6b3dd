/* Gamma draws whose shapes are mostly a small prior shape and a small count. In three parts:
 *
 *     shape a < 1           by rejection, from u^(1/a) or the tail of an exponential distribution
 *     shape a = n + b       an Erlang number, -log(u_1 ... u_n), and one of shape b < 1
 *     shape a > ERLANG_MOST rgamma of Rmath
 *
 * At small shapes a draw underflows (12 % are below DBL_MIN at a shape of 0.003), and a factor
 * of exactly 0 has no logarithm. Only this file deals with underflow: a draw is at least DBL_MIN,
 * which is so small that it has the same effect as 0 in any product.
 *
 * Source: Ahrens and Dieter (1974), Computer methods for sampling from gamma, beta, Poisson and
 * binomial distributions, Computing 12, algorithm GS; its acceptance is above 0.72 everywhere,
 * and 0.92 at a shape of 0.1. */
#include <Rmath.h>
#include <float.h>
#include <math.h>

#include "ldp_gamma.h"
#include "ldp_math.h"
#include "ldp_reflect.h"

/* The logarithm of a product costs less than the logarithms of its factors, and a product of 16
 * numbers of at least 2^-53 does not underflow. */
static const double ERLANG_MOST = 16;

/* u < exp(-x), where exp(-x) >= 1 - x saves most exponentials */
static int is_below_exp(double u, double x) {
    return u < 1 - x || u < exp(-x);
}

/* Algorithm GS, 0 < a < 1; 0 where u^(1/a) underflows. */
static double draw_small(ldp_stream *stream, double a) {
    const double b = 1 + a * 0.36787944117144232160; /* (e + a)/e */
    for (int i = 0; i < LDP_TRIES; i++) {
        const double p = b * ldp_stream_uniform(stream); /* step 1 */
        const double u = ldp_stream_uniform(stream);
        if (p <= 1) {
            const double x = exp(log(p) / a); /* step 2 */
            if (is_below_exp(u, x))
                return x;
        } else {
            const double x = -log((b - p) / a); /* step 3 */
            if (u <= pow(x, a - 1))
                return x;
        }
    }
    return a;
}

static double draw_erlang(ldp_stream *stream, int n) {
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= ldp_stream_uniform(stream);
    return -log(product);
}

static double draw(ldp_stream *stream, double shape) {
    if (!(shape < ERLANG_MOST))
        return rgamma(shape, 1); /* a NaN is kept, because it would show an error in the program */
    const int n = (int)shape;
    const double whole = n > 0 ? draw_erlang(stream, n) : 0;
    return shape > n ? whole + draw_small(stream, shape - n) : whole;
}

static double proper(double value) {
    return value < DBL_MIN ? DBL_MIN : value;
}

void ldp_gamma_draw(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *counts,
                    const double *exposure, double *x) {
    for (int k = 0; k < K; k++)
        x[k] = proper(draw(stream, prior.shape + counts[k]) / (prior.rate + exposure[k]));
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
        const double value =
            u < reflect ? ldp_reflect(u / reflect, shape, rate * x[k]) : draw(stream, shape);
        x[k] = proper(value / rate);
    }
}

double ldp_gamma_rate(ldp_gamma_prior prior, double n, double sum) {
    if (prior.hyper_shape <= 0)
        return prior.rate;
    const double rate = rgamma(prior.hyper_shape + n * prior.shape, 1 / (prior.hyper_rate + sum));
    return rate < DBL_MIN ? DBL_MIN : rate;
}
