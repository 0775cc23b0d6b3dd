/* Counts that come in bursts: l ~ Pois(lambda) events, each of a size with the logarithmic law
 * P(j) = p^j/(j q), q = -log(1 - p), and y their sum, which is negative binomial with variance/mean
 * = 1/(1 - p).
 *
 * The parameter is the excess of the dispersion, w = 1/(1 - p) - 1 = p/(1 - p), which keeps its
 * digits at both ends: q = log1p(w). With size s = lambda/q the mean of y is s w. */
#ifndef LDP_BURSTS_H
#define LDP_BURSTS_H

#include <math.h>

#include "ldp_stream.h"

/* The mean size of an event, (mean of y)/lambda. */
static inline double ldp_bursts_size(double excess) {
    return excess > 0 ? excess / log1p(excess) : 1;
}

/* What an event is worth to a release at or below zero: 1 - G(alpha), the exposure of the cell, and
 * G(alpha) = E[alpha^size]. */
static inline double ldp_bursts_exposure(double excess, double alpha) {
    return log1p((1 - alpha) * excess) / log1p(excess);
}
static inline double ldp_bursts_pgf(double excess, double alpha) {
    return -log1p(-alpha * excess / (1 + excess)) / log1p(excess);
}

/* No count behind a positive release is settled by these bounds beyond their end. */
enum { LDP_BURSTS_BOUNDS = 64 };

/* H_1 .. H_64 with P(y = 0 | k) >= exp(-lambda H_k), at the places 0 .. 63. Requires 0 < alpha < 1.
 */
void ldp_bursts_bounds(double excess, double alpha, double *bound);

/* The count behind a release k > 0, by inversion of u, with y = 0 at the smallest u: so u may have
 * been compared with a lower bound of P(y = 0) before. Requires lambda > 0, excess > 0 and 0 <
 * alpha < 1. */
double ldp_bursts_truth(double u, double k, double lambda, double excess, double alpha);

/* The expected number of events behind a count y, given the size s = lambda/q:
 * sum_{t < y} s/(s + t). */
double ldp_bursts_mean_events(double y, double size);

/* The number of events behind a count y. */
double ldp_bursts_events(ldp_stream *stream, double y, double lambda, double excess);

#endif
