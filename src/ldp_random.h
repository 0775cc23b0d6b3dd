/* Random numbers of R's standard distributions, drawn from a stream.
 *
 * The generators of Rmath share one state, and some of them remember the parameters of the last
 * call, so what one row draws would depend on the rows before it and on the threads that share
 * them. */
#ifndef LDP_RANDOM_H
#define LDP_RANDOM_H

#include "ldp_stream.h"

/* Mean 1. */
double ldp_random_exponential(ldp_stream *stream);

/* Mean 0, variance 1. */
double ldp_random_normal(ldp_stream *stream);

/* Rate 1. Requires shape > 0, not checked; NaN for a NaN. */
double ldp_random_gamma(ldp_stream *stream, double shape);

/* Requires mean >= 0, not checked; NaN where it is not finite. */
double ldp_random_poisson(ldp_stream *stream, double mean);

/* n trials, each a success with probability p. Requires a whole n >= 0 and 0 <= p <= 1, not
 * checked; NaN for a NaN. */
double ldp_random_binomial(ldp_stream *stream, double n, double p);

#endif
