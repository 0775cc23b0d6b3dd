/* The sampler of src/ldp_secure.c on scripted bits, to be compared with that of the collection page
 * (tapes.js). Usage:
 *
 *   tapes primitives DEPTH DEPTH_EXP
 *       on every tape of DEPTH bits: the draws of Bern(p/q) and Unif(n), q and n up to 64; on every
 *       tape of DEPTH_EXP bits those of Bern(exp(-p/q)). These are the tapes of test T2
 *       (tests/c/test_tapes.c), where the depths are 56 and 40. One line per case: how many draws
 *       there are, and a hash of the bits that each used and of its value
 *   tapes tapes S T LENGTH
 *       a draw from each tape of LENGTH bytes of standard input: the noise and the bits used, or
 *       "dry"
 *   tapes row S T
 *       draws from one tape on standard input, until it ends
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ldp_secure.h"

typedef ldp_status (*sampler)(ldp_bits *bits, uint64_t a, uint64_t b, int64_t *value);

static ldp_status dry(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    (void)bytes;
    (void)n;
    return LDP_NO_ENTROPY;
}

/* The `depth` binary digits of `tape`, the highest first, at the end of a buffer whose head counts
 * as used. */
static ldp_bits open_tape(uint64_t tape, unsigned depth) {
    ldp_bits bits;
    ldp_bits_open(&bits, dry, NULL, 8);
    memset(bits.bytes, 0, 8);
    bits.used = 64 - depth;
    for (size_t place = bits.used; place < 64; place++)
        bits.bytes[place / 8] |= (unsigned char)(((tape >> (63 - place)) & 1u) << (place % 8));
    return bits;
}

static uint32_t add(uint32_t hash, uint64_t x) {
    return (hash ^ (uint32_t)x) * 16777619u;
}

static void enumerate(const char *name, sampler draw, uint64_t a, uint64_t b, unsigned depth) {
    uint32_t hash = 2166136261u;
    size_t draws = 0;
    for (uint64_t tape = 0; tape < (uint64_t)1 << depth; draws++) {
        ldp_bits bits = open_tape(tape, depth);
        int64_t value = 0;
        const int done = draw(&bits, a, b, &value) == LDP_OK;
        const uint64_t used = bits.used - (64 - depth);
        hash = add(add(hash, done ? used : 255), done ? (uint64_t)value : 255);
        tape += done ? (uint64_t)1 << (depth - used) : 1;
    }
    printf("%s %" PRIu64 " %" PRIu64 " %zu %" PRIu32 "\n", name, a, b, draws, hash);
}

static ldp_status bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    const ldp_status status = ldp_secure_bernoulli(bits, p, q, &success);
    *value = success;
    return status;
}

static ldp_status uniform(ldp_bits *bits, uint64_t n, uint64_t unused, int64_t *value) {
    uint64_t number = 0;
    const ldp_status status = ldp_secure_uniform(bits, n, &number);
    (void)unused;
    *value = (int64_t)number;
    return status;
}

static ldp_status bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    const ldp_status status = ldp_secure_bernoulli_exp(bits, p, q, &success);
    *value = success;
    return status;
}

static void primitives(unsigned depth, unsigned depth_exp) {
    static const uint64_t denominators[] = {1, 2, 3, 10};
    for (uint64_t q = 1; q <= 64; q++) {
        for (uint64_t p = 0; p <= q; p++)
            enumerate("bernoulli", bernoulli, p, q, depth);
        enumerate("uniform", uniform, q, 0, depth);
    }
    for (size_t c = 0; c < sizeof denominators / sizeof *denominators; c++)
        for (uint64_t p = 0; p <= denominators[c]; p++)
            enumerate("bernoulli_exp", bernoulli_exp, p, denominators[c], depth_exp);
}

/* Standard input, a byte at a time; `left` of a tape's bytes remain. */
typedef struct input {
    size_t left, taken;
} input;

static ldp_status from_input(void *source, unsigned char *bytes, size_t n) {
    input *const tape = source;
    const int byte = tape->left > 0 ? getchar() : EOF;
    if (byte == EOF || n != 1)
        return LDP_NO_ENTROPY;
    bytes[0] = (unsigned char)byte;
    tape->left--;
    tape->taken++;
    return LDP_OK;
}

static int say_draw(ldp_bits *bits, const input *tape, uint64_t s, uint64_t t) {
    int64_t tau;
    if (ldp_secure_twogeom(bits, s, t, &tau) != LDP_OK)
        return 0;
    printf("%" PRId64 " %zu\n", tau, 8 * tape->taken - (8 - bits->used));
    return 1;
}

static void tapes(uint64_t s, uint64_t t, size_t length) {
    for (int next; (next = getchar()) != EOF;) {
        ungetc(next, stdin);
        input tape = {length, 0};
        ldp_bits bits;
        ldp_bits_open(&bits, from_input, &tape, 1);
        if (!say_draw(&bits, &tape, s, t))
            puts("dry");
        while (tape.left-- > 0)
            getchar();
    }
}

static void row(uint64_t s, uint64_t t) {
    input tape = {SIZE_MAX, 0};
    ldp_bits bits;
    ldp_bits_open(&bits, from_input, &tape, 1);
    while (say_draw(&bits, &tape, s, t))
        ;
}

int main(int n, char **args) {
    if (n == 4 && strcmp(args[1], "primitives") == 0)
        primitives((unsigned)atoi(args[2]), (unsigned)atoi(args[3]));
    else if (n == 5 && strcmp(args[1], "tapes") == 0)
        tapes(strtoull(args[2], NULL, 10), strtoull(args[3], NULL, 10), (size_t)atoi(args[4]));
    else if (n == 4 && strcmp(args[1], "row") == 0)
        row(strtoull(args[2], NULL, 10), strtoull(args[3], NULL, 10));
    else
        return 1;
    return 0;
}
