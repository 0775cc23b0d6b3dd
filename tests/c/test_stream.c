/* The generator against published answers, and the stream as the samplers see it. */
#include <string.h>

#include "check.h"
#include "ldp_stream.h"
#include "random.h"

/* SplitMix64 of the seed 1234567 fills the state. */
static void test_seed(void) {
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431)};
    const ldp_stream stream = ldp_stream_seeded(1234567);
    CHECK(memcmp(stream.s, expected, sizeof expected) == 0, "the first is %llu",
          (unsigned long long)stream.s[0]);
}

/* xoshiro256++ from the state 1, 2, 3, 4. */
static void test_numbers(void) {
    static const uint64_t expected[] = {
        41943041,
        58720359,
        UINT64_C(3588806011781223),
        UINT64_C(3591011842654386),
        UINT64_C(9228616714210784205),
        UINT64_C(9973669472204895162),
        UINT64_C(14011001112246962877),
        UINT64_C(12406186145184390807),
        UINT64_C(15849039046786891736),
        UINT64_C(10450023813501588000),
    };
    ldp_stream stream = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const uint64_t x = ldp_stream_next(&stream);
        CHECK(x == expected[i], "number %zu is %llu", i, (unsigned long long)x);
    }
}

/* A stream is opened with two numbers of R's generator, and with nothing else. */
static void test_open(void) {
    set_seed(7, 8);
    const ldp_stream one = ldp_stream_open(), two = ldp_stream_open();
    const double after = unif_rand();
    set_seed(7, 8);
    const ldp_stream again = ldp_stream_open();
    unif_rand();
    unif_rand();
    CHECK(memcmp(&one, &again, sizeof one) == 0, "the same seed");
    CHECK(memcmp(&one, &two, sizeof one) != 0, "the next stream");
    CHECK_NEAR(unif_rand(), after, TOL_EXACT);
}

/* Open interval, uniform, and no memory from one number to the next. */
static void test_uniform(void) {
    enum { N = 1000000 };
    ldp_stream stream = ldp_stream_seeded(90);
    law one = law_uniform(), product = law_uniform();
    double before = 0.5;
    for (int i = 0; i < N; i++) {
        const double u = ldp_stream_uniform(&stream);
        law_see_uniform(&one, u);
        if (i % 2) /* P(u v <= t) = t (1 - log t) */
            law_see_uniform(&product, u * before * (1 - log(u * before)));
        before = u;
    }
    law_check(&one, "uniform");
    law_check(&product, "product of two");
    law_free(&one);
    law_free(&product);
    ldp_stream least = {{0, 0, 0, 0}};
    CHECK_NEAR(ldp_stream_uniform(&least), ldexp(1, -53), TOL_EXACT);
    ldp_stream most = {{UINT64_MAX, 0, 0, 0}}; /* all bits set: 2^64 - 1 - 1 + 1 */
    const double u = ldp_stream_uniform(&most);
    CHECK(u > 0 && u < 1, "%.17g", u);
}

/* The comparison in whole numbers is that of doubles, at values of the stream and beside them. */
static void test_below(void) {
    for (uint64_t seed = 0; seed < 1000; seed++) {
        ldp_stream one = ldp_stream_seeded(seed);
        const double at = ldp_stream_uniform(&one);
        const double p[] = {0, nextafter(at, 0), at, nextafter(at, 1), 0.25, 1};
        for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
            ldp_stream stream = ldp_stream_seeded(seed);
            const int is_below = ldp_stream_is_below(&stream, ldp_stream_values_below(p[i]));
            CHECK(is_below == (at < p[i]), "%.17g < %.17g: %d", at, p[i], is_below);
        }
    }
}

/* Streams of neighbouring seeds are strangers: the first numbers of many are uniform. */
static void test_first_numbers(void) {
    law first = law_uniform(), product = law_uniform();
    for (uint64_t seed = 0; seed < 200000; seed++) {
        ldp_stream stream = ldp_stream_seeded(seed), next = ldp_stream_seeded(seed + 1);
        const double u = ldp_stream_uniform(&stream), v = ldp_stream_uniform(&next);
        law_see_uniform(&first, u);
        if (seed % 2)
            law_see_uniform(&product, u * v * (1 - log(u * v)));
    }
    law_check(&first, "first numbers");
    law_check(&product, "first numbers of neighbours");
    law_free(&first);
    law_free(&product);
}

int main(void) {
    check_begin();
    random_budget(4);
    test_seed();
    test_numbers();
    test_open();
    test_uniform();
    test_below();
    test_first_numbers();
    random_budget_kept();
    return check_report("stream");
}
