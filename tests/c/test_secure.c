/* Test T1: the exact sampler on scripted bits. Every answer, and the number of bits that it
 * takes, is worked out by hand. Tapes are written first bit first; spaces are for the eye. */
#include <string.h>

#include "check.h"
#include "ldp_secure.h"

/* ---- a source that reads a tape ------------------------------------------------------- */

typedef struct tape {
    const char *bits;
    int n_failures;
} tape;

static const char *skip_spaces(const char *bits) {
    while (*bits == ' ')
        bits++;
    return bits;
}

/* n bytes from the next 8 n characters, the first into the lowest place of a byte; the end of
 * a tape is padded with zeros, and past the end there is nothing. */
static ldp_status read_tape(void *source, unsigned char *bytes, size_t n) {
    tape *const from = source;
    if (*(from->bits = skip_spaces(from->bits)) == '\0') {
        from->n_failures++;
        return LDP_NO_ENTROPY;
    }
    for (size_t i = 0; i < n; i++) {
        bytes[i] = 0;
        for (unsigned place = 0; place < 8; place++) {
            from->bits = skip_spaces(from->bits);
            if (*from->bits != '\0')
                bytes[i] |= (unsigned char)((*from->bits++ == '1') << place);
        }
    }
    return LDP_OK;
}

static size_t count_bits(const char *bits) {
    size_t n = 0;
    for (; *bits; bits++)
        n += *bits != ' ';
    return n;
}

/* A source that has exactly the first `n` bits of a tape and fails at the next: what does not
 * fill a byte is in the buffer from the start, so the end can lie between any two bits. */
static ldp_bits open_first(tape *from, const char *bits, size_t n, char *storage) {
    size_t length = 0;
    for (; length < n; bits++)
        if (*bits != ' ')
            storage[length++] = *bits;
    storage[n] = '\0';
    const size_t head = n % 8;
    *from = (tape){storage + head, 0};
    ldp_bits source;
    ldp_bits_open(&source, read_tape, from, 1);
    source.used = 8 - head;
    source.bytes[0] = 0;
    for (size_t i = 0; i < head; i++)
        source.bytes[0] |= (unsigned char)((storage[i] == '1') << (8 - head + i));
    return source;
}

static size_t bits_left(const ldp_bits *source, const tape *from) {
    return 8 * source->n_bytes - source->used + count_bits(from->bits);
}

/* ---- one call of any sampler, as a case ------------------------------------------------ */

typedef enum { BIT, BERNOULLI, UNIFORM, BERNOULLI_EXP, TWOGEOM } sampler;
static const char *const sampler_names[] = {"bit", "bernoulli", "uniform", "bernoulli_exp",
                                            "twogeom"};

static ldp_status draw(sampler which, ldp_bits *source, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    uint64_t size = 99;
    ldp_status status = LDP_OK;
    switch (which) {
    case BIT:
        status = ldp_secure_bit(source, &success);
        *value = success;
        break;
    case BERNOULLI:
        status = ldp_secure_bernoulli(source, p, q, &success);
        *value = success;
        break;
    case UNIFORM:
        status = ldp_secure_uniform(source, p, &size);
        *value = (int64_t)size;
        break;
    case BERNOULLI_EXP:
        status = ldp_secure_bernoulli_exp(source, p, q, &success);
        *value = success;
        break;
    case TWOGEOM:
        status = ldp_secure_twogeom(source, p, q, value);
    }
    return status;
}

/* The answer on the whole tape, all of it used; and on every shorter tape the same status,
 * after the source has been asked in vain once and no more. */
static void expect(int line, sampler which, uint64_t p, uint64_t q, const char *bits,
                   int64_t answer) {
    const size_t n = count_bits(bits);
    char *const storage = check_alloc(n + 1, 1);
    tape from;
    int64_t value = 0;
    ldp_bits source = open_first(&from, bits, n, storage);
    ldp_status status = draw(which, &source, p, q, &value);
    CHECK(status == LDP_OK && value == answer && bits_left(&source, &from) == 0,
          "line %d: %s(%llu, %llu) on '%s': status %d, answer %lld, should be %lld, bits left %zu",
          line, sampler_names[which], (unsigned long long)p, (unsigned long long)q, bits,
          (int)status, (long long)value, (long long)answer, bits_left(&source, &from));
    for (size_t end = 0; end < n; end++) {
        source = open_first(&from, bits, end, storage);
        status = draw(which, &source, p, q, &value);
        CHECK(status == LDP_NO_ENTROPY && from.n_failures == 1,
              "line %d: %s on the first %zu bits of '%s': status %d, %d failures", line,
              sampler_names[which], end, bits, (int)status, from.n_failures);
    }
    free(storage);
}

#define EXPECT(...) expect(__LINE__, __VA_ARGS__)

/* ---- the cases ------------------------------------------------------------------------ */

/* U < p/q, U = 0.b1 b2 ...: the first bit that differs from the binary digit of p/q decides,
 * and it is a success if the digit is 1. */
static void test_bernoulli(void) {
    EXPECT(BERNOULLI, 0, 1, "", 0); /* certain either way: no bits */
    EXPECT(BERNOULLI, 0, 7, "", 0);
    EXPECT(BERNOULLI, 1, 1, "", 1);
    EXPECT(BERNOULLI, 7, 7, "", 1);
    EXPECT(BERNOULLI, 1, 2, "0", 1); /* 1/2 = .1 */
    EXPECT(BERNOULLI, 1, 2, "1", 0); /* equal to the end: U >= 1/2 */
    EXPECT(BERNOULLI, 1, 4, "1", 0); /* 1/4 = .01 */
    EXPECT(BERNOULLI, 1, 4, "00", 1);
    EXPECT(BERNOULLI, 1, 4, "01", 0);
    EXPECT(BERNOULLI, 3, 4, "0", 1); /* 3/4 = .11 */
    EXPECT(BERNOULLI, 3, 4, "10", 1);
    EXPECT(BERNOULLI, 3, 4, "11", 0);
    EXPECT(BERNOULLI, 1, 3, "1", 0); /* 1/3 = .0101... */
    EXPECT(BERNOULLI, 1, 3, "00", 1);
    EXPECT(BERNOULLI, 1, 3, "011", 0);
    EXPECT(BERNOULLI, 1, 3, "0100", 1);
    EXPECT(BERNOULLI, 1, 3, "0101 0101 00", 1);
    EXPECT(BERNOULLI, 2, 3, "0", 1); /* 2/3 = .1010... */
    EXPECT(BERNOULLI, 2, 3, "11", 0);
    EXPECT(BERNOULLI, 2, 3, "100", 1);
    EXPECT(BERNOULLI, 2, 3, "1011", 0);
    EXPECT(BERNOULLI, 5, 8, "0", 1); /* 5/8 = .101 */
    EXPECT(BERNOULLI, 5, 8, "11", 0);
    EXPECT(BERNOULLI, 5, 8, "100", 1);
    EXPECT(BERNOULLI, 5, 8, "101", 0);
    EXPECT(BERNOULLI, 10, 16, "101", 0); /* the same not in lowest terms */
    EXPECT(BERNOULLI, 693, 1000, "0", 1); /* .693 = .1011 0001 ... */
    EXPECT(BERNOULLI, 693, 1000, "11", 0);
    EXPECT(BERNOULLI, 693, 1000, "100", 1);
    EXPECT(BERNOULLI, 693, 1000, "1010", 1);
    EXPECT(BERNOULLI, 693, 1000, "10111", 0);
    EXPECT(BERNOULLI, 693, 1000, "10110000", 1);
    /* the largest denominator: 1 - 2^-63 has 63 ones, and 2^-63 has one, in place 63 */
    const uint64_t q = (uint64_t)1 << 63;
    const char *const ones =
        "11111111 11111111 11111111 11111111 11111111 11111111 11111111 1111111";
    EXPECT(BERNOULLI, q - 1, q, ones, 0);
    EXPECT(BERNOULLI, q - 1, q, "11111110", 1);
    EXPECT(BERNOULLI, 1, q, "00000001", 0);
}

/* Lumbroso: a uniform candidate on 0 .. range-1, doubled by each bit; once range >= n, a
 * candidate below n is the answer, another is uniform on 0 .. range-n-1 and goes on as such. */
static void test_uniform(void) {
    EXPECT(UNIFORM, 1, 0, "", 0);
    EXPECT(UNIFORM, 2, 0, "0", 0);
    EXPECT(UNIFORM, 2, 0, "1", 1);
    EXPECT(UNIFORM, 3, 0, "00", 0);
    EXPECT(UNIFORM, 3, 0, "01", 1);
    EXPECT(UNIFORM, 3, 0, "10", 2);
    EXPECT(UNIFORM, 3, 0, "11 00", 0); /* 3 of 4 is refused, and leaves 0 of 1: afresh */
    EXPECT(UNIFORM, 3, 0, "11 11 01", 1);
    EXPECT(UNIFORM, 5, 0, "000", 0);
    EXPECT(UNIFORM, 5, 0, "100", 4);
    EXPECT(UNIFORM, 5, 0, "101 0", 0); /* 5, 6, 7 of 8 leave 0, 1, 2 of 3, doubled: 6 */
    EXPECT(UNIFORM, 5, 0, "101 1", 1);
    EXPECT(UNIFORM, 5, 0, "110 0", 2);
    EXPECT(UNIFORM, 5, 0, "110 1", 3);
    EXPECT(UNIFORM, 5, 0, "111 0", 4);
    EXPECT(UNIFORM, 5, 0, "111 1 100", 4); /* 5 of 6 leaves 0 of 1 */
    EXPECT(UNIFORM, 5, 0, "111 1 111 1 010", 2);
    EXPECT(UNIFORM, 6, 0, "000", 0);
    EXPECT(UNIFORM, 6, 0, "101", 5);
    EXPECT(UNIFORM, 6, 0, "110 00", 0); /* 6, 7 of 8 leave 0, 1 of 2, doubled twice: 8 */
    EXPECT(UNIFORM, 6, 0, "110 11", 3);
    EXPECT(UNIFORM, 6, 0, "111 00", 4);
    EXPECT(UNIFORM, 6, 0, "111 01", 5);
    EXPECT(UNIFORM, 6, 0, "111 10 10", 2); /* 6 of 8 again: 0 of 2, then 0 * 4 + 2 */
    EXPECT(UNIFORM, 6, 0, "111 11 01", 5); /* 7 of 8: 1 of 2, then 1 * 4 + 1 */
}

/* The first K = 1, 2, ... at which Bern(p/(q K)) fails; success if K is odd. */
static void test_bernoulli_exp(void) {
    EXPECT(BERNOULLI_EXP, 0, 1, "", 1); /* Bern(0) fails at K = 1; exp(0) = 1 */
    EXPECT(BERNOULLI_EXP, 0, 5, "", 1);
    /* p/q = 1: K = 1 is certain; then Bern(1/2), Bern(1/3), Bern(1/4), Bern(1/5) = .0011... */
    EXPECT(BERNOULLI_EXP, 1, 1, "1", 0);
    EXPECT(BERNOULLI_EXP, 1, 1, "0 1", 1);
    EXPECT(BERNOULLI_EXP, 1, 1, "0 011", 1);
    EXPECT(BERNOULLI_EXP, 1, 1, "0 00 1", 0);
    EXPECT(BERNOULLI_EXP, 1, 1, "0 00 01", 0);
    EXPECT(BERNOULLI_EXP, 1, 1, "0 00 00 1", 1);
    EXPECT(BERNOULLI_EXP, 3, 3, "0 00 00 01", 1);
    /* p/q = 1/2: Bern(1/2), Bern(1/4), Bern(1/6) = .0010101... */
    EXPECT(BERNOULLI_EXP, 1, 2, "1", 1);
    EXPECT(BERNOULLI_EXP, 1, 2, "0 1", 0);
    EXPECT(BERNOULLI_EXP, 1, 2, "0 01", 0);
    EXPECT(BERNOULLI_EXP, 1, 2, "0 00 1", 1);
    EXPECT(BERNOULLI_EXP, 1, 2, "0 00 01", 1);
    /* p/q = 2/3: Bern(2/3) = .1010..., Bern(2/6) = .0101..., Bern(2/9) = .0011100... */
    EXPECT(BERNOULLI_EXP, 2, 3, "11", 1);
    EXPECT(BERNOULLI_EXP, 2, 3, "0 1", 0);
    EXPECT(BERNOULLI_EXP, 2, 3, "100 011", 0);
    EXPECT(BERNOULLI_EXP, 2, 3, "0 00 01", 1);
    EXPECT(BERNOULLI_EXP, 2, 3, "0 0100 1", 1);
}

/* U = Unif(t) until BernExp(U/t); V = successes of BernExp(1) ("01" each, ended by "1");
 * tau = (U + t V) div s, then the sign; minus zero starts again. */
static void test_twogeom(void) {
    EXPECT(TWOGEOM, 1, 1, "1 0", 0); /* t = 1: U = 0 and its acceptance need no bits */
    EXPECT(TWOGEOM, 1, 1, "01 1 0", 1);
    EXPECT(TWOGEOM, 1, 1, "01 1 1", -1);
    EXPECT(TWOGEOM, 1, 1, "01 01 01 1 0", 3);
    EXPECT(TWOGEOM, 1, 1, "1 1  1 0", 0); /* -0 is refused */
    EXPECT(TWOGEOM, 1, 1, "1 1  01 1 1", -1);
    EXPECT(TWOGEOM, 1, 1, "1 1  1 1  1 1  01 01 1 1", -2);
    /* s = 2, t = 1: V is halved, so V = 1 gives a zero as well */
    EXPECT(TWOGEOM, 2, 1, "01 1 0", 0);
    EXPECT(TWOGEOM, 2, 1, "01 1 1  01 01 01 1 1", -1);
    EXPECT(TWOGEOM, 2, 1, "01 01 1 0", 1);
    EXPECT(TWOGEOM, 2, 1, "01 01 01 01 1 1", -2);
    /* s = 1, t = 2: U one bit; U = 1 accepted by BernExp(1/2) = "1", refused by "01" */
    EXPECT(TWOGEOM, 1, 2, "0 1 0", 0);
    EXPECT(TWOGEOM, 1, 2, "1 1 1 0", 1);
    EXPECT(TWOGEOM, 1, 2, "1 01  0 01 1 1", -2);
    EXPECT(TWOGEOM, 1, 2, "0 1 1  1 1 01 1 0", 3); /* -0, then 1 + 2 */
    /* s = 3, t = 2: 1 + 2 * 4 = 9 = 3 * 3; 1 + 2 * 0 is a zero; 0 + 2 * 2 = 4 gives 1 */
    EXPECT(TWOGEOM, 3, 2, "1 1 01010101 1 1", -3);
    EXPECT(TWOGEOM, 3, 2, "1 1 1 0", 0);
    EXPECT(TWOGEOM, 3, 2, "1 1 1 1  0 01 01 1 0", 1);
    /* s = 2, t = 3: U = 2 accepted by BernExp(2/3) = "11"; (2 + 3 * 1) div 2 = 2 */
    EXPECT(TWOGEOM, 2, 3, "10 11 01 1 1", -2);
    EXPECT(TWOGEOM, 2, 3, "10 01  00 01 1 0", 1); /* U = 2 refused; 3 div 2 */
    /* U = 3 refused, then U = 1 accepted by Bern(1/3) = "1"; (1 + 3 * 1) div 2 = 2 */
    EXPECT(TWOGEOM, 2, 3, "11 01 1 01 1 0", 2);
    /* U = 1 refused: Bern(1/3) = "00" goes on, Bern(1/6) = "1" ends it at K = 2 */
    EXPECT(TWOGEOM, 2, 3, "01 00 1 00 1 0", 0);
}

/* Four cells, two rows: cells 0 and 2 have t = 1, cells 1 and 3 have t = 2. */
static void test_noise(void) {
    static const char bits[] = "1 0  1 1 1 0  01 1 0  0 1 1 1 1 1 1";
    const ldp_rate rates[] = {{1, 1}, {1, 2}};
    const int64_t answer[] = {0, 1, 1, -1}; /* the last cell: -0 first, then U = 1, V = 0 */
    const size_t length = count_bits(bits);
    char storage[sizeof bits];
    tape from;
    int64_t *const tau = check_alloc(4, sizeof *tau);
    ldp_bits source = open_first(&from, bits, length, storage);
    CHECK(ldp_secure_noise(&source, 4, 2, rates, NULL, tau) == LDP_OK, "status");
    for (int i = 0; i < 4; i++)
        CHECK(tau[i] == answer[i], "cell %d: %lld", i, (long long)tau[i]);
    CHECK(bits_left(&source, &from) == 0, "bits left: %zu", bits_left(&source, &from));
    for (size_t end = 0; end < length; end++) {
        source = open_first(&from, bits, end, storage);
        const ldp_status status = ldp_secure_noise(&source, 4, 2, rates, NULL, tau);
        CHECK(status == LDP_NO_ENTROPY && from.n_failures == 1, "%zu bits: status %d", end,
              (int)status);
    }
    source = open_first(&from, "", 0, storage);
    CHECK(ldp_secure_noise(&source, 0, 2, rates, NULL, tau) == LDP_OK, "no cells need no bits");
    free(tau);
}

/* The same bits one rate for all, and with more rates than cells. */
static void test_noise_rates(void) {
    static const char bits[] = "1 0  01 1 1  01 01 1 0";
    const ldp_rate rates[] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    for (size_t n_rates = 1; n_rates <= 5; n_rates += 4) {
        char storage[sizeof bits];
        tape from;
        int64_t *const tau = check_alloc(3, sizeof *tau);
        ldp_bits source = open_first(&from, bits, count_bits(bits), storage);
        CHECK(ldp_secure_noise(&source, 3, n_rates, rates, NULL, tau) == LDP_OK, "status");
        CHECK(tau[0] == 0 && tau[1] == -1 && tau[2] == 2, "%lld %lld %lld", (long long)tau[0],
              (long long)tau[1], (long long)tau[2]);
        free(tau);
    }
}

/* From gamma = 2 to gamma = 1, a = 1, b = 2, q = 1: J is a number of successes of coins of exp(-1),
 * which succeed at "01" and fail at "1", refused from 2 on; J = 0 means 0, else a geometric number
 * follows. From 1/2 to 1/4, a = 1, b = 2, q = 4: J is a bit, kept at 1 where the next bit is 1. */
static void test_further(void) {
    static const struct {
        ldp_rate now, then;
        const char *bits;
        int64_t answer;
    } cases[] = {
        {{2, 1}, {1, 1}, "1  1", 0},
        {{2, 1}, {1, 1}, "011 1  1", 1},
        {{2, 1}, {1, 1}, "1  011 1", -1},
        {{2, 1}, {1, 1}, "011 011  1", 2},
        {{2, 1}, {1, 1}, "011 1  011 011", -1},
        {{2, 1}, {1, 1}, "01011 1  011 1", -1}, /* J = 2 first */
        {{1, 2}, {1, 4}, "0  0", 0},
        {{1, 2}, {1, 4}, "1 1 00 1  0", 1},
        {{3, 7}, {3, 7}, "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char storage[80];
        tape from;
        int64_t tau = 99;
        ldp_step step;
        CHECK(ldp_secure_step(cases[i].now, cases[i].then, &step) == LDP_OK, "case %zu", i);
        const size_t length = count_bits(cases[i].bits);
        ldp_bits source = open_first(&from, cases[i].bits, length, storage);
        const ldp_status status = ldp_secure_noise(&source, 1, 1, &cases[i].then, &step, &tau);
        CHECK(status == LDP_OK && tau == cases[i].answer, "case %zu: %lld", i, (long long)tau);
        CHECK(bits_left(&source, &from) == 0, "case %zu: bits left", i);
        if (length == 0)
            continue;
        source = open_first(&from, cases[i].bits, length - 1, storage);
        CHECK(ldp_secure_further(&source, step, &tau) == LDP_NO_ENTROPY, "case %zu", i);
    }
}

static void test_step(void) {
    static const uint64_t large = (uint64_t)1 << 31;
    static const struct {
        ldp_rate now, then;
        uint64_t a, b, q;
    } cases[] = {
        {{2, 1}, {1, 3}, 1, 6, 3},
        {{3, 10}, {1, 5}, 2, 3, 10},
        {{7, 3}, {7, 3}, 7, 7, 3},
        {{(uint64_t)1 << 31, 1}, {1, 1 << 20}, 1, (uint64_t)1 << 51, 1 << 20},
    };
    ldp_step found;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(ldp_secure_step(cases[i].now, cases[i].then, &found) == LDP_OK, "case %zu", i);
        CHECK(found.a == cases[i].a && found.b == cases[i].b && found.q == cases[i].q, "case %zu",
              i);
    }
    CHECK(ldp_secure_step((ldp_rate){5, 2000003}, (ldp_rate){4, 2000029}, &found) == LDP_TOO_FINE,
          "a denominator of 4e12");
    const ldp_rate fine = {1, 1}, wrong[] = {{0, 1}, {1, 0}, {large + 1, 1}, {1, large + 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(ldp_secure_step(wrong[i], fine, &found) == LDP_OVERFLOW, "now %zu", i);
        CHECK(ldp_secure_step(fine, wrong[i], &found) == LDP_OVERFLOW, "then %zu", i);
    }
}

/* 64-bit integers that would not hold a value: a status, not a wrong answer. */
static void test_overflow(void) {
    char storage[80];
    tape from;
    /* q = 2^63: K = 1 is certain, and 2 q does not fit */
    ldp_bits source = open_first(&from, "00000000", 8, storage);
    unsigned success;
    ldp_status status =
        ldp_secure_bernoulli_exp(&source, (uint64_t)1 << 63, (uint64_t)1 << 63, &success);
    CHECK(status == LDP_OVERFLOW, "status %d", (int)status);
    /* t = 2^62, beyond what callers may ask: U = 0 takes 62 bits, V = 1 fits, V = 2 does not */
    static const char zero[] =
        "00000000 00000000 00000000 00000000 00000000 00000000 00000000 000000";
    char bits[sizeof zero + 8];
    int64_t tau = 0;
    snprintf(bits, sizeof bits, "%s011 0", zero);
    source = open_first(&from, bits, count_bits(bits), storage);
    status = ldp_secure_twogeom(&source, 1, (uint64_t)1 << 62, &tau);
    CHECK(status == LDP_OK && tau == (int64_t)1 << 62, "status %d", (int)status);
    snprintf(bits, sizeof bits, "%s01011", zero);
    source = open_first(&from, bits, count_bits(bits), storage);
    status = ldp_secure_twogeom(&source, 1, (uint64_t)1 << 62, &tau);
    CHECK(status == LDP_OVERFLOW, "status %d", (int)status);
}

/* ---- the buffer ----------------------------------------------------------------------- */

typedef struct pattern {
    size_t n_asked, n_bytes_asked;
    unsigned char next;
} pattern;

static ldp_status read_pattern(void *source, unsigned char *bytes, size_t n) {
    pattern *const from = source;
    from->n_asked++;
    from->n_bytes_asked = n;
    for (size_t i = 0; i < n; i++)
        bytes[i] = from->next++;
    return LDP_OK;
}

/* Lowest bit of a byte first, first byte first, and a refill when all are used. */
static void test_bit_order(void) {
    static const size_t sizes[] = {1, 2, 5, LDP_BITS_BUFFER};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        pattern from = {0, 0, 0xA6}; /* 1010 0110, so 0 1 1 0 0 1 0 1; then 0xA7, 0xA8 ... */
        ldp_bits source;
        ldp_bits_open(&source, read_pattern, &from, sizes[c]);
        CHECK(from.n_asked == 0, "nothing is asked for before it is needed");
        int n_right = 0;
        for (unsigned i = 0; i < 8 * 300; i++) {
            const unsigned byte = (0xA6 + i / 8) % 256;
            unsigned bit = 9;
            n_right += ldp_secure_bit(&source, &bit) == LDP_OK && bit == ((byte >> i % 8) & 1u);
        }
        CHECK(n_right == 8 * 300, "%d bits of 2400, buffer of %zu", n_right, sizes[c]);
        CHECK(from.n_asked == (300 + sizes[c] - 1) / sizes[c] && from.n_bytes_asked == sizes[c],
              "asked %zu times for %zu bytes", from.n_asked, from.n_bytes_asked);
    }
    EXPECT(BIT, 0, 0, "0", 0);
    EXPECT(BIT, 0, 0, "1", 1);
}

/* Ones among the next n bits, whatever part of a byte comes first. */
static void test_ones(void) {
    static const size_t sizes[] = {1, 3, LDP_BITS_BUFFER};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        for (size_t first = 0; first < 20; first++) {
            for (uint64_t n = 0; n < 70; n++) {
                pattern one = {0, 0, 0xB5}, other = {0, 0, 0xB5};
                ldp_bits source, again;
                ldp_bits_open(&source, read_pattern, &one, sizes[c]);
                ldp_bits_open(&again, read_pattern, &other, sizes[c]);
                uint64_t ones = 99, counted = 0;
                unsigned bit = 0;
                for (size_t i = 0; i < first + n; i++) {
                    ldp_secure_bit(&again, &bit);
                    counted += i >= first && bit;
                }
                for (size_t i = 0; i < first; i++)
                    ldp_secure_bit(&source, &bit);
                CHECK(ldp_secure_ones(&source, n, &ones) == LDP_OK && ones == counted &&
                          source.used == again.used,
                      "%d of %d bits after %d", (int)ones, (int)n, (int)first);
            }
        }
    }
}

static void test_close(void) {
    static const size_t sizes[] = {1, 7, LDP_BITS_BUFFER};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        pattern from = {0, 0, 0xFF};
        ldp_bits source;
        memset(source.bytes, 0x5A, sizeof source.bytes);
        ldp_bits_open(&source, read_pattern, &from, sizes[c]);
        unsigned bit = 9;
        CHECK(ldp_secure_bit(&source, &bit) == LDP_OK && bit == 1, "bit %u", bit);
        ldp_bits_close(&source);
        int n_left = 0;
        for (size_t i = 0; i < sizeof source.bytes; i++)
            n_left += source.bytes[i] != 0;
        CHECK(n_left == 0, "%d bytes are left", n_left);
        CHECK(source.used == 8 * source.n_bytes, "a closed source gives no bit of its zeros");
    }
}

/* A failed refill may have written part of the buffer; its bits are not given out later. */
static ldp_status fail_halfway(void *source, unsigned char *bytes, size_t n) {
    ++*(int *)source;
    memset(bytes, 0xFF, n);
    return LDP_NO_ENTROPY;
}

static void test_failure_stays(void) {
    int n_asked = 0;
    ldp_bits source;
    ldp_bits_open(&source, fail_halfway, &n_asked, 4);
    for (int i = 1; i <= 3; i++) {
        unsigned bit;
        CHECK(ldp_secure_bit(&source, &bit) == LDP_NO_ENTROPY && n_asked == i, "asked %d times",
              n_asked);
    }
}

int main(void) {
    check_begin();
    test_bernoulli();
    test_uniform();
    test_bernoulli_exp();
    test_twogeom();
    test_noise();
    test_noise_rates();
    test_further();
    test_step();
    test_overflow();
    test_bit_order();
    test_ones();
    test_close();
    test_failure_stays();
    return check_report("secure");
}
