/* A short stream of uniforms for one row of one sweep, seeded by R's generator. */
#ifndef LDP_STREAM_H
#define LDP_STREAM_H

#include <stdint.h>

typedef struct ldp_stream {
    uint64_t s[4];
} ldp_stream;

/* Opens a stream with two numbers of R's generator. No state is kept after a stream, so that the
 * draws of a sampler depend only on the state of R's generator. */
ldp_stream ldp_stream_open(void);

/* The stream of a given seed. */
ldp_stream ldp_stream_seeded(uint64_t seed);

static inline uint64_t ldp_stream_rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static inline uint64_t ldp_stream_next(ldp_stream *stream) {
    uint64_t *const s = stream->s;
    const uint64_t result = ldp_stream_rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = ldp_stream_rotate(s[3], 45);
    return result;
}

/* Uniform on the odd multiples of 2^-53 below 1, so never 0 or 1. */
static inline double ldp_stream_uniform(ldp_stream *stream) {
    return ((double)(int64_t)(ldp_stream_next(stream) >> 12) + 0.5) * (1 / 4503599627370496.0);
}

#endif
