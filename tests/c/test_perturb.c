#include "check.h"
#include "ldp_gaussian.h"
#include "ldp_perturb.h"
#include "ldp_stream.h"
#include "random.h"

/* ---- bits from a seed ----------------------------------------------------------------------- */

static ldp_status refill(void *source, unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(ldp_stream_next(source) >> 56);
    return LDP_OK;
}

static ldp_status refuse(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    (void)bytes;
    (void)n;
    return LDP_NO_ENTROPY;
}

static ldp_bits open_seeded(ldp_stream *stream, uint64_t seed) {
    ldp_bits bits;
    *stream = ldp_stream_seeded(seed);
    ldp_bits_open(&bits, refill, stream, LDP_BITS_BUFFER);
    return bits;
}

/* ---- the discrete Gaussian distribution
 * -------------------------------------------------------------- */

/* Small sigma value by value; at 2^20, where it is the normal distribution but for 1e-10, by way of
 * its distribution function, and whether it is even. */
static void test_gaussian(void) {
    enum { N_DRAWS = 200000 };
    static const int sigmas[] = {1, 2, 5, 30};
    ldp_stream stream;
    ldp_bits bits = open_seeded(&stream, 1);
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        const int sigma = sigmas[i];
        int n_failures = 0;
        law seen = law_new(-10 * sigma, 20 * sigma + 1);
        for (int z = -10 * sigma; z <= 10 * sigma; z++)
            seen.p[z + 10 * sigma] = -z * z / (2.0 * sigma * sigma);
        law_normalise(&seen);
        for (int draw = 0; draw < N_DRAWS; draw++) {
            int64_t z = 0;
            n_failures += ldp_gaussian_draw(&bits, (uint64_t)sigma, &z) != LDP_OK;
            law_see(&seen, (double)z);
        }
        CHECK(n_failures == 0, "sigma %d: %d failures", sigma, n_failures);
        law_check(&seen, "discrete Gaussian");
        law_free(&seen);
    }
    law uniform = law_uniform(), parity = law_new(0, 2);
    parity.p[0] = parity.p[1] = 0.5;
    for (int draw = 0; draw < N_DRAWS; draw++) {
        int64_t z = 0;
        ldp_gaussian_draw(&bits, LDP_STEPS, &z);
        law_see_uniform(&uniform, pnorm((double)z / LDP_STEPS, 0, 1, 1, 0));
        law_see(&parity, (double)(z & 1));
    }
    law_check(&uniform, "discrete Gaussian, sigma = 2^20");
    law_check(&parity, "parity");
    law_free(&uniform);
    law_free(&parity);
    int64_t z;
    ldp_bits_open(&bits, refuse, NULL, 1);
    CHECK(ldp_gaussian_draw(&bits, 3, &z) == LDP_NO_ENTROPY, "a source that fails");
}

/* ---- noise for real numbers ----------------------------------------------------------------- */

/* Around 5, of scale 0.25, from bits and from R's generator. */
static void test_laws(void) {
    enum { N_DRAWS = 100000 };
    double *const x = new_doubles(N_DRAWS);
    for (int case_ = 0; case_ < 3; case_++) {
        const ldp_law which = (ldp_law)(case_ % 2);
        ldp_stream stream;
        ldp_bits bits = open_seeded(&stream, 2 + (uint64_t)case_);
        const ldp_perturber noise = {which, case_ < 2 ? &bits : NULL};
        law seen = law_uniform();
        for (int i = 0; i < N_DRAWS; i++)
            x[i] = 5;
        CHECK(ldp_perturb(&noise, N_DRAWS, 0.25, x) == LDP_OK, "status");
        for (int i = 0; i < N_DRAWS; i++) {
            const double z = (x[i] - 5) / 0.25;
            law_see_uniform(&seen, pnorm(z, 0, 1, 1, 0));
        }
        law_check(&seen, which == LDP_NORMAL ? "normal" : "discrete");
        law_free(&seen);
    }
    free(x);
}

/* Discrete noise: what comes out is a multiple of the step, and where x lies between two of them
 * tells nothing but to which of them it goes. */
static void test_grid(void) {
    enum { n = 1000 };
    const double scale = 0.3, step = scale / LDP_STEPS;
    static const double places[] = {0.6, 0.2, -0.4, 1.4};
    double x[4][n];
    for (int place = 0; place < 4; place++) {
        ldp_stream stream;
        ldp_bits bits = open_seeded(&stream, 9);
        const ldp_perturber noise = {LDP_DISCRETE, &bits};
        for (int i = 0; i < n; i++)
            x[place][i] = (i + places[place]) * step;
        CHECK(ldp_perturb(&noise, n, scale, x[place]) == LDP_OK, "status");
        for (int i = 0; i < n; i++)
            CHECK(x[place][i] == nearbyint(x[place][i] / step) * step, "%.17g", x[place][i]);
    }
    for (int i = 0; i < n; i++) {
        CHECK(x[0][i] == x[3][i] && x[1][i] == x[2][i], "places %d", i);
        CHECK_NEAR((x[0][i] - x[1][i]) / step, 1, TOL_DIFFERENCE);
    }
    const ldp_perturber noise = {LDP_DISCRETE, NULL};
    double far = 1, none = NAN;
    CHECK(ldp_perturb(&noise, 1, 1e-13, &far) == LDP_OVERFLOW, "a grid that is too fine");
    CHECK(ldp_perturb(&noise, 1, 1, &none) == LDP_OVERFLOW, "no number");
}

int main(void) {
    check_begin();
    random_budget(20);
    set_seed(3, 4);
    test_gaussian();
    test_laws();
    test_grid();
    random_budget_kept();
    return check_report("perturb");
}
