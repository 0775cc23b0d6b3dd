#include "ldp_bytes.h"

static const double LARGEST = 9007199254740992.0; /* 2^53 */

int ldp_whole_numbers(const double *x, size_t n, uint64_t *whole) {
    int are_whole = 1;
    for (size_t i = 0; i < n; i++) {
        const int is_in_range = x[i] >= 0 && x[i] <= LARGEST;
        whole[i] = is_in_range ? (uint64_t)x[i] : 0;
        are_whole &= is_in_range && x[i] <= (double)whole[i];
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

void ldp_to_bytes(const uint64_t *x, size_t n, int width, unsigned char *packed) {
    for (size_t i = 0; i < n; i++)
        for (int byte = 0; byte < width; byte++)
            *packed++ = (unsigned char)(x[i] >> (8 * byte) & 0xff);
}

void ldp_from_bytes(const unsigned char *packed, size_t n, int width, uint64_t *x) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        for (int byte = 0; byte < width; byte++)
            x[i] |= (uint64_t)*packed++ << (8 * byte);
    }
}
