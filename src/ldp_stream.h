/* Short streams of uniform random numbers. In each sweep every row has its own stream, which is a
 * function of the row and the seed of the sweep only. So rows can be drawn in any order, by any
 * thread or process. */
#ifndef LDP_STREAM_H
#define LDP_STREAM_H

#include <math.h>
#include <stdint.h>

typedef struct ldp_stream {
    uint64_t s[4];
} ldp_stream;

/* The stream of a given seed. */
ldp_stream ldp_stream_seeded(uint64_t seed);

/* A seed made of two numbers of R's generator, and the stream of such a seed, for functions whose
 * draws are determined by set.seed(). No state is kept after a stream, so that their draws depend
 * only on the state of R's generator. */
uint64_t ldp_stream_seed(void);
ldp_stream ldp_stream_open(void);

/* What a stream is used for in a sweep. */
typedef enum ldp_use {
    LDP_USE_ROW, /* a row of the data: its latent counts and its weights */
    LDP_USE_ITEM, /* a line of another factor: a word, an actor, an index of a mode, a line of pi */
    LDP_USE_SCALE, /* the scales of components, and the rates of priors */
    LDP_USE_DISPERSION, /* the dispersion of a group of rows */
    LDP_USE_GROUPS, /* the relative rates of groups of rows */
    LDP_USE_SHAPE, /* the shape of a prior, and the tables of a line of another factor */
    LDP_USE_WEIGHTS /* the weights of a row, if they are drawn after their shape */
} ldp_use;

/* The stream of a line for one use in a sweep; `mode` and `index` identify the line. */
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

/* Uniform on the odd multiples of 2^-53 below 1, so never 0 or 1. */
static inline double ldp_stream_uniform(ldp_stream *stream) {
    return ((double)(int64_t)(ldp_stream_next(stream) >> 12) + 0.5) * (1 / 4503599627370496.0);
}

/* The same comparison as ldp_stream_uniform(stream) < p, in whole numbers: `below` is
 * ldp_stream_values_below(p), the number of the 2^52 values that are below p. */
static inline uint64_t ldp_stream_values_below(double p) {
    return (uint64_t)ceil(p * 4503599627370496.0 - 0.5);
}

static inline int ldp_stream_is_below(ldp_stream *stream, uint64_t below) {
    return ldp_stream_next(stream) >> 12 < below;
}

#endif
