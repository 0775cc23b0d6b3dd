/* Packed whole numbers: the same after packing and unpacking, in as few bytes as possible; and
 * which doubles are whole numbers. */
#include <Rmath.h>

#include "check.h"
#include "ldp_bytes.h"

enum { N = 100 };

static int bytes_of(uint64_t x) {
    int bytes = 1;
    while (x > 255) {
        x /= 256;
        bytes++;
    }
    return bytes;
}

/* Numbers of up to `bits` bits, and what they need. */
static void check_width(int bits) {
    uint64_t x[N], again[N], most = 0;
    unsigned char packed[8 * N + 1];
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        for (int bit = 0; bit < bits; bit++)
            x[i] = 2 * x[i] + (unif_rand() < 0.5);
        most = x[i] > most ? x[i] : most;
    }
    const int width = ldp_bytes_width(x, N);
    CHECK(width == bytes_of(most), "%d bytes for %d bits", width, bits);
    packed[width * N] = 123;
    ldp_to_bytes(x, N, width, packed);
    ldp_from_bytes(packed, N, width, again);
    CHECK(memcmp(x, again, sizeof x) == 0, "numbers of %d bits have changed", bits);
    CHECK(packed[width * N] == 123, "more than %d bytes per number", width);
}

static void test_widths(void) {
    for (int bits = 0; bits <= 64; bits++)
        check_width(bits);
    const uint64_t edges[] = {
        0, 255, 256, 65535, 65536, UINT64_MAX >> 8, (UINT64_MAX >> 8) + 1, UINT64_MAX};
    const int widths[] = {1, 1, 2, 2, 3, 7, 8, 8};
    for (int i = 0; i < 8; i++)
        CHECK(ldp_bytes_width(edges + i, 1) == widths[i], "edge %d", i);
    CHECK(ldp_bytes_width(edges, 0) == 1, "no number");
}

static void test_whole_numbers(void) {
    const double some[] = {0, -0.0, 1, 255, 4294967296.0, 9007199254740992.0};
    const double others[] = {0.5,   -1,        NAN,        INFINITY, -INFINITY, 9007199254740994.0,
                             1e300, 0x1p-1074, 1 + 0x1p-52};
    uint64_t whole[6];
    CHECK(ldp_whole_numbers(some, 6, whole), "whole numbers");
    for (int i = 0; i < 6; i++)
        CHECK_NEAR((double)whole[i], some[i], TOL_EXACT);
    for (int i = 0; i < 9; i++) {
        const double x[] = {3, others[i], 4};
        CHECK(!ldp_whole_numbers(x, 3, whole), "%g is not a whole number", others[i]);
    }
}

int main(void) {
    check_begin();
    test_widths();
    test_whole_numbers();
    return check_report("bytes");
}
