#include "ldp_bytes.h"

static const double LARGEST = 9007199254740992.0; /* 2^53 */

int ldp_whole_numbers(const double *x, size_t n, uint64_t *whole) {
    int are_whole = 1;
    for (size_t i = 0; i < n; i++) {
        const int is_in_range = x[i] >= 0 && x[i] <= LARGEST;
        const int64_t nearest = is_in_range ? (int64_t)x[i] : 0;
        whole[i] = (uint64_t)nearest;
        are_whole &= is_in_range && x[i] <= (double)nearest;
    }
    return are_whole;
}

int ldp_bytes_width(const uint64_t *x, size_t n) {
    uint64_t bits = 0;
    int width = 1;
    for (size_t i = 0; i < n; i++)
        bits |= x[i];
    while (width < 8 && bits >> (8 * width) != 0)
        width++;
    return width;
}

/* Compilers make one instruction of each of these two functions. */
static inline void store_eight(uint64_t x, unsigned char *to) {
    to[0] = (unsigned char)x;
    to[1] = (unsigned char)(x >> 8);
    to[2] = (unsigned char)(x >> 16);
    to[3] = (unsigned char)(x >> 24);
    to[4] = (unsigned char)(x >> 32);
    to[5] = (unsigned char)(x >> 40);
    to[6] = (unsigned char)(x >> 48);
    to[7] = (unsigned char)(x >> 56);
}

static inline uint64_t load_eight(const unsigned char *from) {
    return (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
           (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
           (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
}

/* How many of n numbers can be stored, or loaded, as eight bytes: the last of these bytes are
 * those of the numbers after it. */
static size_t n_followed(size_t n, int width) {
    const size_t last = (8 + (size_t)width - 1) / (size_t)width - 1;
    return n > last ? n - last : 0;
}

void ldp_to_bytes(const uint64_t *x, size_t n, int width, unsigned char *packed) {
    const size_t followed = n_followed(n, width);
    for (size_t i = 0; i < followed; i++)
        store_eight(x[i], packed + i * (size_t)width);
    for (size_t i = followed; i < n; i++)
        for (int byte = 0; byte < width; byte++)
            packed[i * (size_t)width + (size_t)byte] = (unsigned char)(x[i] >> (8 * byte) & 0xff);
}

void ldp_from_bytes(const unsigned char *packed, size_t n, int width, uint64_t *x) {
    const size_t followed = n_followed(n, width);
    const uint64_t mask = UINT64_MAX >> (64 - 8 * width);
    for (size_t i = 0; i < followed; i++)
        x[i] = load_eight(packed + i * (size_t)width) & mask;
    for (size_t i = followed; i < n; i++) {
        x[i] = 0;
        for (int byte = 0; byte < width; byte++)
            x[i] |= (uint64_t)packed[i * (size_t)width + (size_t)byte] << (8 * byte);
    }
}
