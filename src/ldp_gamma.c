/* At small shapes a draw underflows (12 % are below DBL_MIN at a shape of 0.003), and a factor of
 * exactly 0 has no logarithm. Only this file deals with underflow: a draw is at least DBL_MIN,
 * which is so small that it has the same effect as 0 in any product. */
#include <float.h>
#include <math.h>

#include "ldp_gamma.h"
#include "ldp_lanes.h"
#include "ldp_logs.h"
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

/* --- many draws with the shape of the prior ----------------------------------------------------
 */

enum { AT_ONCE = 64 };

/* The rest of algorithm GS (ldp_random.c), for a proposal x = p^(1/a) that u < 1 - x does not
 * accept. */
static double gamma_finish(ldp_stream *stream, double a, double b, double p, double u, double x) {
    if (p <= 1 && u < exp(-x))
        return x;
    if (p > 1) {
        const double above = -log((b - p) / a);
        if (u <= pow(above, a - 1))
            return above;
    }
    return ldp_random_gamma(stream, a);
}

/* x_i ~ Gamma(a, 1), i < n <= AT_ONCE */
static void draw_small(ldp_stream *stream, int n, double a, double *x) {
    const double b = 1 + a * 0.36787944117144232160;
    double p[AT_ONCE], u[AT_ONCE];
    if (n <= 0)
        return;
    for (int i = 0; i < n; i++) {
        p[i] = b * ldp_stream_uniform(stream);
        u[i] = ldp_stream_uniform(stream);
    }
    for (int i = n; i % LDP_LANES != 0; i++)
        p[i] = 1;
    ldp_roots(n, a, p, x);
    for (int i = 0; i < n; i++)
        if (!(p[i] <= 1 && u[i] < 1 - x[i]))
            x[i] = gamma_finish(stream, a, b, p[i], u[i], x[i]);
}

/* Reflects x_k, k = place[i], i < n <= AT_ONCE. */
static void reflect_many(int n, const int *place, double *u, ldp_gamma_prior prior,
                         const double *counts, const double *exposure, double *x) {
    double p[AT_ONCE], root[AT_ONCE];
    if (n <= 0)
        return;
    for (int i = 0; i < n; i++) {
        const int k = place[i];
        p[i] = x[k] * (prior.rate + exposure[k]) / ldp_reflect_centre(prior.shape + counts[k]);
    }
    for (int i = n; i % LDP_LANES != 0; i++)
        p[i] = 1;
    ldp_roots(n, 3, p, root);
    for (int i = 0; i < n; i++) {
        const int k = place[i];
        const double d = ldp_reflect_centre(prior.shape + counts[k]),
                     rate = prior.rate + exposure[k];
        x[k] = proper(ldp_reflect_from(u[i], d, root[i], rate * x[k]) / rate);
    }
}

/* K <= AT_ONCE. Shapes are the prior shape, below 1, and a count: a new number is the sum of one
 * for each. Places are listed without a branch, which would often be mispredicted. */
static void move_some(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                      const double *counts, const double *exposure, double *x) {
    int full[AT_ONCE], drawn[AT_ONCE], reflected[AT_ONCE];
    int n_full = 0, n_drawn = 0, n_reflected = 0;
    double u[AT_ONCE], small[AT_ONCE];
    for (int k = 0; k < K; k++) {
        const int is_full = counts[k] > 0;
        full[n_full] = drawn[n_drawn] = k;
        n_full += is_full;
        n_drawn += !is_full;
    }
    const int n_empty = n_drawn;
    for (int i = 0; i < n_full; i++) {
        const double at = ldp_stream_uniform(stream);
        const int is_reflected = at < reflect;
        u[n_reflected] = at / reflect;
        drawn[n_drawn] = reflected[n_reflected] = full[i];
        n_reflected += is_reflected;
        n_drawn += !is_reflected;
    }
    reflect_many(n_reflected, reflected, u, prior, counts, exposure, x);
    draw_small(stream, n_drawn, prior.shape, small);
    for (int i = 0; i < n_drawn; i++) {
        const int k = drawn[i];
        const double large = i < n_empty ? 0 : ldp_random_gamma(stream, counts[k]);
        x[k] = proper((small[i] + large) / (prior.rate + exposure[k]));
    }
}

void ldp_gamma_move_many(ldp_stream *stream, double reflect, int K, ldp_gamma_prior prior,
                         const double *counts, const double *exposure, double *x) {
    if (!(prior.shape < 1)) {
        ldp_gamma_move(stream, reflect, K, prior, counts, exposure, x);
        return;
    }
    for (int k = 0; k < K; k += AT_ONCE)
        move_some(stream, reflect, K - k < AT_ONCE ? K - k : AT_ONCE, prior, counts + k,
                  exposure + k, x + k);
}

double ldp_gamma_rate(ldp_stream *stream, ldp_gamma_prior prior, double n, double sum) {
    if (prior.hyper_shape <= 0)
        return prior.rate;
    const double rate =
        ldp_random_gamma(stream, prior.hyper_shape + n * prior.shape) / (prior.hyper_rate + sum);
    return rate < DBL_MIN ? DBL_MIN : rate;
}
