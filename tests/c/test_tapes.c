/* Test T2: the sampler of the noise on every tape of bits. A draw that took n bits has mass
 * 2^-n; a draw that finds its source dry after `depth` bits stays open. What the draws that
 * ended give to an outcome is never above its probability, and misses it by the open mass at
 * most. Of Bern(p/q) and Unif(n) that is said in whole numbers. (Decisions in place of bits:
 * test_decisions.c.) */
#include <string.h>

#include "check.h"
#include "ldp_secure.h"

/* ---- every tape ------------------------------------------------------------------------ */

/* Masses are counted in units of 2^-depth; values that have no place are summed up in `far`. */
enum { N_OUTCOMES = 65 };
typedef struct masses {
    unsigned depth;
    uint64_t at[N_OUTCOMES], far, open;
} masses;

typedef ldp_status (*sampler)(ldp_bits *bits, uint64_t a, uint64_t b, int64_t *value);

static ldp_status dry(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    (void)bytes;
    (void)n;
    return LDP_NO_ENTROPY;
}

/* The source that gives the `depth` binary digits of `tape`, the highest first, and is dry
 * after them: they stand at the end of a buffer whose head counts as used. */
static ldp_bits open_tape(uint64_t tape, unsigned depth) {
    ldp_bits bits;
    ldp_bits_open(&bits, dry, NULL, 8);
    memset(bits.bytes, 0, 8);
    bits.used = 64 - depth;
    for (size_t place = bits.used; place < 64; place++)
        bits.bytes[place / 8] |= (unsigned char)(((tape >> (63 - place)) & 1u) << (place % 8));
    return bits;
}

/* From the tape of zeros upwards. A draw that took n bits speaks for all 2^(depth-n) tapes
 * that begin with them, and the next draw reads the first tape that does not. A sampler that
 * leaves a million tapes open is wrong (no right one leaves a quarter of that), and the others
 * are not waited for. */
static masses enumerate(sampler draw, uint64_t a, uint64_t b, unsigned depth) {
    masses law = {.depth = depth};
    const uint64_t end = (uint64_t)1 << depth;
    uint64_t tape = 0;
    while (tape < end && law.open < 1000000) {
        ldp_bits bits = open_tape(tape, depth);
        int64_t value;
        if (draw(&bits, a, b, &value) != LDP_OK) {
            law.open++;
            tape++;
            continue;
        }
        const uint64_t width = (uint64_t)1 << (64 - bits.used);
        *(value >= 0 && value < N_OUTCOMES ? &law.at[value] : &law.far) += width;
        tape += width;
    }
    law.open += end - tape;
    return law;
}

/* mass <= p/q <= mass + open, in whole numbers. Requires p <= q <= 64 and depth <= 57. */
static int holds_fraction(const masses *law, size_t outcome, uint64_t p, uint64_t q) {
    const uint64_t exact = p << law->depth; /* q times the exact mass */
    return q * law->at[outcome] <= exact && exact <= q * (law->at[outcome] + law->open);
}

static double share(const masses *law, uint64_t mass) {
    return ldexp((double)mass, -(int)law->depth);
}

/* The same of a probability that is known to a few units in the last place. */
static int holds(const masses *law, size_t outcome, double probability) {
    return share(law, law->at[outcome]) <= probability * (1 + TOL_ROUNDING) &&
           probability * (1 - TOL_ROUNDING) <= share(law, law->at[outcome] + law->open);
}

/* ---- the samplers, in one form --------------------------------------------------------- */

static ldp_status draw_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    const ldp_status status = ldp_secure_bernoulli(bits, p, q, &success);
    *value = success;
    return status;
}

static ldp_status draw_uniform(ldp_bits *bits, uint64_t n, uint64_t unused, int64_t *value) {
    uint64_t number = N_OUTCOMES;
    const ldp_status status = ldp_secure_uniform(bits, n, &number);
    (void)unused;
    *value = (int64_t)number;
    return status;
}

static ldp_status draw_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    const ldp_status status = ldp_secure_bernoulli_exp(bits, p, q, &success);
    *value = success;
    return status;
}

/* ---- T2: Bern(p/q) and Unif(n), q and n up to 64 ----------------------------------------- */

enum { DEPTH = 56, LARGEST = 64 };

/* One tape at most is open at any depth: that of the digits of p/q themselves. */
static void test_bernoulli(void) {
    for (uint64_t q = 1; q <= LARGEST; q++)
        for (uint64_t p = 0; p <= q; p++) {
            const masses law = enumerate(draw_bernoulli, p, q, DEPTH);
            CHECK(holds_fraction(&law, 1, p, q) && holds_fraction(&law, 0, q - p, q) &&
                      law.open <= 1 && law.far == 0,
                  "Bern(%d/%d): %.17g, %.3g open", (int)p, (int)q, share(&law, law.at[1]),
                  share(&law, law.open));
        }
}

/* At most n - 1 tapes are open: a candidate that was refused is one of fewer than n. */
static void test_uniform(void) {
    for (uint64_t n = 1; n <= LARGEST; n++) {
        const masses law = enumerate(draw_uniform, n, 0, DEPTH);
        CHECK(law.open < n && law.far == 0, "Unif(%d): %.3g open", (int)n, share(&law, law.open));
        for (size_t value = 0; value < N_OUTCOMES; value++)
            CHECK(holds_fraction(&law, value, value < n, n), "Unif(%d): P(%zu) = %.17g", (int)n,
                  value, share(&law, law.at[value]));
    }
}

/* ---- Bern(exp(-p/q)), all the way down to the bits --------------------------------------- */

/* Tapes end at 2^-40 = 9e-13; many do, so that up to 2e-7 stays open. */
static void test_bernoulli_exp(void) {
    static const uint64_t denominators[] = {1, 2, 3, 10};
    for (size_t c = 0; c < sizeof denominators / sizeof *denominators; c++) {
        const uint64_t q = denominators[c];
        for (uint64_t p = 0; p <= q; p++) {
            const masses law = enumerate(draw_bernoulli_exp, p, q, 40);
            const double success = exp(-(double)p / (double)q);
            CHECK(holds(&law, 1, success) && holds(&law, 0, 1 - success) && law.far == 0 &&
                      share(&law, law.open) < 2e-7,
                  "exp(-%d/%d): %.17g, should be %.17g, %.3g open", (int)p, (int)q,
                  share(&law, law.at[1]), success, share(&law, law.open));
        }
    }
}

int main(void) {
    check_begin();
    test_bernoulli();
    test_uniform();
    test_bernoulli_exp();
    return check_report("tapes");
}
