/* The shape of a gamma prior, estimated with the weights integrated out.
 *
 * A weight with prior Gamma(a, b) and exposure e makes its count y negative binomial:
 *
 *     P(y) prop. to Gamma(a + y)/Gamma(a) (b/(b + e))^a (e/(b + e))^y.
 *
 * With L ~ CRT(y, a), the number of tables at which y customers of a Chinese restaurant sit, the
 * first ratio becomes a^L, so with a prior Gamma(s, r) of the shape
 *
 *     a | . ~ Gamma(s + sum L, r + sum log(1 + e/b)).
 *
 * The weights must be drawn anew after it. A sampler that kept them would hardly move, because the
 * tiny weights of a small shape tell its size.
 *
 * Source: Zhou and Carin (2015), Negative binomial process count and mixture modeling, IEEE
 * Transactions on Pattern Analysis and Machine Intelligence 37, 307-320. */
#ifndef LDP_SHAPE_H
#define LDP_SHAPE_H

#include <stdint.h>

#include "ldp_gamma.h"
#include "ldp_stream.h"

/* Estimated shapes lie between these. */
#define LDP_SHAPE_LEAST 1e-6
#define LDP_SHAPE_MOST 1e3

/* Sums over weights. They are whole numbers, so that they are the same for any order of the
 * weights. */
typedef struct ldp_shape_sums {
    int64_t tables; /* L */
    int64_t logs; /* log(1 + e/b), in units of 2^-LDP_SHAPE_BITS */
} ldp_shape_sums;

enum { LDP_SHAPE_BITS = 24, LDP_SHAPE_NUMBERS = 2 };

/* Does the prior have an estimated shape? */
int ldp_shape_is_estimated(ldp_gamma_prior prior);

/* Are shapes drawn in the sweep with this seed? With probability 1 - reflect: over-relaxation
 * (ldp_gamma_move) needs weights that the shape was not drawn without. So in the sweeps that draw
 * the shape all weights are drawn anew, and in the others they are over-relaxed. */
int ldp_shape_is_due(uint64_t seed, double reflect);

/* The probability that a weight with this prior is over-relaxed. */
double ldp_shape_reflect(ldp_gamma_prior prior, int is_due, double reflect);

/* L ~ CRT(y, a): 0 for y = 0, else 1 plus the number of successes in y - 1 trials with
 * probabilities a/(a + j), j = 1 .. y - 1. The number of steps is at most 8 a + 1, plus about a
 * log(y). Requires a whole y >= 0 and 0 < a <= LDP_SHAPE_MOST, not checked. */
double ldp_shape_tables(ldp_stream *stream, double y, double a);

/* Adds the sums of K weights. `relative`: NULL, or what the rate of each weight is multiplied by.
 */
void ldp_shape_add(ldp_stream *stream, int K, ldp_gamma_prior prior, const double *relative,
                   const double *counts, const double *exposure, ldp_shape_sums *sums);

/* A draw of the shape. */
double ldp_shape_draw(ldp_stream *stream, ldp_gamma_prior prior, ldp_shape_sums sums);

/* The same given n weights themselves, from `logs`, the sum of log(b weight): a slice sampler of
 * log(a), which starts at the current shape. */
double ldp_shape_draw_given(ldp_stream *stream, ldp_gamma_prior prior, double n, double logs);

#endif
