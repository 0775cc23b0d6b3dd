/* Short streams of uniforms: one for each row of each sweep, a function of the sweep's seed and the
 * row alone, so that rows may be drawn in any order, by any thread or process. */
#ifndef LDP_STREAM_H
#define LDP_STREAM_H

#include <stdint.h>

typedef struct ldp_stream {
    uint64_t s[4];
} ldp_stream;

/* The stream of a given seed. */
ldp_stream ldp_stream_seeded(uint64_t seed);

/* A seed made of two numbers of R's generator, and its stream: for the functions that draw under
 * set.seed(). Nothing is left over when a stream is forgotten. */
uint64_t ldp_stream_seed(void);
ldp_stream ldp_stream_open(void);

/* What a stream of a sweep is for. */
typedef enum ldp_use {
    LDP_USE_ROW, /* a row of the data: its latent counts and its weights */
    LDP_USE_ITEM, /* a line of another factor: a word, an actor, an index of a mode, a line of pi */
    LDP_USE_SCALE, /* a move of the scale of a component */
    LDP_USE_RATE, /* the rate of a prior */
    LDP_USE_DISPERSION /* the dispersion of a group of rows */
} ldp_use;

/* The stream of one use in a sweep; `mode` and `index` tell its lines apart. */
ldp_stream ldp_stream_for(uint64_t seed, ldp_use use, int mode, int index);

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

/* Uniform on the odd multiples of 2^-53 below 1: 0 and 1 never come. */
static inline double ldp_stream_uniform(ldp_stream *stream) {
    return ((double)(int64_t)(ldp_stream_next(stream) >> 12) + 0.5) * (1 / 4503599627370496.0);
}

#endif
