/* Overdispersed counts: l ~ Pois(lambda) events, each of a size with the logarithmic distribution
 * P(j) = p^j/(j q), q = -log(1 - p), and y their sum, which is negative binomial with variance/mean
 * = 1/(1 - p).
 *
 * The parameter is the excess of the dispersion, w = 1/(1 - p) - 1 = p/(1 - p), which is accurate
 * for small and for large dispersions: q = log1p(w). With size s = lambda/q the mean of y is s w.
 * */
#ifndef LDP_BURSTS_H
#define LDP_BURSTS_H

#include <math.h>

#include "ldp_stream.h"

/* The mean size of an event, (mean of y)/lambda. */
static inline double ldp_bursts_size(double excess) {
    return excess > 0 ? excess / log1p(excess) : 1;
}

/* For a release at or below zero: 1 - G(alpha), the exposure of the cell, and G(alpha) =
 * E[alpha^size], the probability generating function of the size of an event. */
static inline double ldp_bursts_exposure(double excess, double alpha) {
    return log1p((1 - alpha) * excess) / log1p(excess);
}
static inline double ldp_bursts_pgf(double excess, double alpha) {
    return -log1p(-alpha * excess / (1 + excess)) / log1p(excess);
}

/* The largest size of an event that is drawn; larger ones have probabilities below 1e-100 unless
 * p is within 1e-7 of 1. */
#define LDP_BURSTS_LARGEST 1e9

/* The size of an event, 0 < p < 1. */
int ldp_bursts_draw_size(ldp_stream *stream, double p);

/* The expected number of events behind a count y, given the size s = lambda/q:
 * sum_{t < y} s/(s + t). */
double ldp_bursts_mean_events(double y, double size);

/* The number of events behind a count y. */
double ldp_bursts_events(ldp_stream *stream, double y, double lambda, double excess);

#endif
