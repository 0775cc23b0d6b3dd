/* xoshiro256++, its state filled by SplitMix64 from a seed of 64 bits.
 *
 * A sweep needs a uniform for every active cell and several for every gamma draw. Chains use
 * L'Ecuyer's generator, and one call of its unif_rand() costs as much as three dot products of 50
 * terms. So for every row, two of its numbers seed a generator that is ten times as fast, and gives
 * 52 random bits per number instead of 32.
 *
 * Sources: Blackman and Vigna (2021), Scrambled linear pseudorandom number generators, ACM
 * Trans. Math. Softw. 47, figure 3; they advise SplitMix64 for the seed: Steele, Lea and Flood
 * (2014), Fast splittable pseudorandom number generators, OOPSLA, figure 17 with the mixing
 * function of Stafford that they call Mix13. */
#include <math.h>

#include <Rmath.h>

#include "ldp_stream.h"

static uint64_t split_mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

ldp_stream ldp_stream_seeded(uint64_t seed) {
    ldp_stream stream;
    for (int i = 0; i < 4; i++)
        stream.s[i] = split_mix(&seed);
    return stream;
}

static uint64_t bits_32(void) {
    return (uint64_t)floor(unif_rand() * 4294967296.0);
}

ldp_stream ldp_stream_open(void) {
    const uint64_t high = bits_32(), low = bits_32();
    return ldp_stream_seeded((high << 32) ^ low);
}
