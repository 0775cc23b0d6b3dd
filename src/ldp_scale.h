/* The distribution of the scale between two factors: an exact draw for one-parameter moves that
 * leave all means mu as they are. */
#ifndef LDP_SCALE_H
#define LDP_SCALE_H

#include "ldp_stream.h"

/* Density of t = log(scale), prop. to exp(h(t)),
 *
 *     h(t) = p t - A exp(t) - B exp(-t) - E exp(-2 t).
 *
 * Finite; A >= 0, B >= 0, E >= 0, p > 0 where B and E are 0, and p < 0 and B > 0 where A is 0; not
 * checked. */
typedef struct ldp_scale {
    double p, A, B, E;
} ldp_scale;

/* The t where h is largest. */
double ldp_scale_mode(ldp_scale law);

/* The same, or 0 if h is as large at 0, up to rounding. */
double ldp_scale_best(ldp_scale law);

/* A draw of t. */
double ldp_scale_draw(ldp_stream *stream, ldp_scale law);

/* x_k *= factor_k for each of n lines of K numbers; nothing falls below DBL_MIN. */
void ldp_scale_lines(int K, int n, double *lines, const double *factor);

#endif
