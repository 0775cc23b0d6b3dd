/* Random numbers from standard distributions, drawn from a stream.
 *
 * The generators of Rmath share one state, and some of them remember the parameters of the last
 * call. With them, the draws of a row would depend on the rows that were drawn before it, and on
 * how rows are divided among threads. */
#ifndef LDP_RANDOM_H
#define LDP_RANDOM_H

#include "ldp_stream.h"

/* The exponential distribution with mean 1. */
double ldp_random_exponential(ldp_stream *stream);

/* The normal distribution with mean 0 and variance 1. */
double ldp_random_normal(ldp_stream *stream);

/* The gamma distribution with rate 1. Requires shape > 0, not checked; NaN if the shape is NaN. */
double ldp_random_gamma(ldp_stream *stream, double shape);

/* The Poisson distribution. Requires mean >= 0, not checked; NaN if the mean is not finite. */
double ldp_random_poisson(ldp_stream *stream, double mean);

/* The number of successes in n trials with success probability p. Requires a whole n >= 0 and 0 <=
 * p <= 1, not checked; NaN if n or p is NaN. */
double ldp_random_binomial(ldp_stream *stream, double n, double p);

#endif
