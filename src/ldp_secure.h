/* Exact draws of the two-sided geometric distribution, in integers, from a source of random bits.
 * */
#ifndef LDP_SECURE_H
#define LDP_SECURE_H

#include <stddef.h>
#include <stdint.h>

#include "ldp_math.h"

enum { LDP_BITS_BUFFER = 256 };

/* A source of random bits. `refill` puts n random bytes into `bytes` and returns LDP_OK, or
 * LDP_NO_ENTROPY. The buffer is part of this struct, which lives in the caller's frame: never
 * static, because forked workers would then share their noise. */
typedef struct ldp_bits {
    ldp_status (*refill)(void *source, unsigned char *bytes, size_t n);
    void *source;
    unsigned char bytes[LDP_BITS_BUFFER];
    size_t n_bytes; /* bytes in the buffer after a refill */
    size_t used; /* bits of the buffer already given out */
} ldp_bits;

/* n_bytes: how many bytes a refill asks for, 1 to LDP_BITS_BUFFER. */
void ldp_bits_open(ldp_bits *bits, ldp_status (*refill)(void *, unsigned char *, size_t),
                   void *source, size_t n_bytes);

/* Overwrites the buffer, because bits that were used for noise must not stay in memory. */
void ldp_bits_close(ldp_bits *bits);

/* How many of the next n bits are 1. */
ldp_status ldp_secure_ones(ldp_bits *bits, uint64_t n, uint64_t *ones);

/* One bit; P(success) = p/q; uniform on 0 .. n-1; P(success) = exp(-p/q), p <= q. */
ldp_status ldp_secure_bit(ldp_bits *bits, unsigned *bit);
ldp_status ldp_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status ldp_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value);
ldp_status ldp_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);

/* tau ~ 2Geo(exp(-s/t)).  Requires 1 <= s, t <= 2^31, not checked. */
ldp_status ldp_secure_twogeom(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *tau);

/* A noise level, gamma = s/t, alpha = exp(-s/t). */
typedef struct ldp_rate {
    uint64_t s, t;
} ldp_rate;

/* A step adds noise to noise: counts with noise 2Geo(exp(-now)) have noise 2Geo(exp(-then)) after
 * it, exactly. Both distributions are differences of two geometric numbers; the quotient of the
 * generating functions of Geo(alpha) and Geo(alpha_now), for alpha_now <= alpha, is that of
 *
 *     0 with probability (1 - alpha)/(1 - alpha_now), else 1 + Geo(alpha).
 *
 * A step between levels: now = b/q, then = a/q. Returns LDP_TOO_FINE if q is too large for the
 * sampler, and LDP_OVERFLOW if s and t are not within 1 .. 2^31. Nothing is added if a >= b. After
 * Koufogiannis, Han and Pappas (2016), Gradual release of sensitive data under differential
 * privacy, who do this for Laplace noise. */
typedef struct ldp_step {
    uint64_t a, b, q;
    ldp_rate then;
} ldp_step;

ldp_status ldp_secure_step(ldp_rate now, ldp_rate then, ldp_step *step);
ldp_status ldp_secure_further(ldp_bits *bits, ldp_step step, int64_t *tau);

/* tau[i] ~ 2Geo(exp(-rates[r])) with r = i mod n_rates, so that a matrix stored by columns gets
 * one rate per row; with `steps` (otherwise NULL), only the noise of these steps. This function
 * knows the number of cells, but no count. */
ldp_status ldp_secure_noise(ldp_bits *bits, size_t n, size_t n_rates, const ldp_rate *rates,
                            const ldp_step *steps, int64_t *tau);

#endif
