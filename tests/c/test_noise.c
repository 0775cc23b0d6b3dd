/* The two schemes for the noise: exposures, what a draw keeps exactly, and its distribution. */
#include <string.h>

#include "check.h"
#include "ldp_noise.h"
#include "ldp_truecount.h"
#include "random.h"

static void test_exposures(void) {
    static const double alpha[] = {0, 0.25, 0.5, 0.99};
    double *const rest = new_doubles(4), *const extra = new_doubles(4);
    const ldp_noise collapsed = ldp_noise_collapsed(4, alpha, rest, extra);
    CHECK(collapsed.exposure_rest == rest && collapsed.exposure_extra == extra, "pointers");
    for (int d = 0; d < 4; d++) {
        CHECK_NEAR(rest[d], 1 - alpha[d], TOL_EXACT);
        CHECK_NEAR(rest[d] + extra[d], 1, TOL_EXACT);
    }
    ldp_bessel_state state = {NULL, NULL};
    const ldp_noise bessel = ldp_noise_bessel(4, &state, rest, extra);
    CHECK(bessel.state == &state, "state");
    for (int d = 0; d < 4; d++) {
        CHECK_NEAR(bessel.exposure_rest[d], 1, TOL_EXACT);
        CHECK_NEAR(bessel.exposure_extra[d], 0, TOL_EXACT);
    }
    free(rest);
    free(extra);
}

/* One cell: its count if it is listed, else 0; NaN if the list is no list. */
static double draw_one(ldp_noise noise, ldp_stream *stream, size_t cell, double y_tilde, double mu,
                       double alpha) {
    double x = mu;
    int positive = 77;
    const int n = noise.draw(noise.state, stream, 0, cell, 1, &y_tilde, alpha, &x, &positive);
    return n == 0 ? 0 : n == 1 && positive == 0 && x > 0 ? x : NAN;
}

/* The collapsed draw is that of ldp_truecount, whichever cells come with it. */
static void test_collapsed(void) {
    static const double alpha[] = {0.4};
    double rest[1], extra[1];
    const ldp_noise noise = ldp_noise_collapsed(1, alpha, rest, extra);
    ldp_stream stream = ldp_stream_seeded(80), twin = stream;
    int n_equal = 0, n_listed = 0, n_apart = 0;
    for (unsigned i = 0; i < 200; i++) {
        double k[LDP_FEW], mu[LDP_FEW], x[LDP_FEW], y[LDP_FEW] = {0};
        int positive[LDP_FEW];
        const int n = 1 + (int)i % LDP_FEW;
        for (int e = 0; e < n; e++) {
            k[e] = 1 + (i + (unsigned)e) % 20;
            x[e] = mu[e] = 0.01 * (i + 1) * (1 + e % 9);
        }
        const int n_positive = noise.draw(noise.state, &stream, 0, i, n, k, 0.4, x, positive);
        for (int p = 0; p < n_positive; p++)
            y[positive[p]] = x[positive[p]];
        double u[LDP_FEW];
        for (int e = 0; e < n; e++)
            u[e] = ldp_stream_uniform(&twin);
        for (int e = 0; e < n; e++) {
            const double right =
                u[e] < 1 - mu[e] / 0.4 ? 0 : ldp_rtruecount_by(&twin, u[e], k[e], mu[e], 0.4);
            n_equal += y[e] == right;
            n_listed++;
        }
        n_apart += memcmp(&stream, &twin, sizeof stream) != 0;
    }
    CHECK(n_equal == n_listed, "%d of %d", n_equal, n_listed);
    CHECK(n_apart == 0, "%d streams have gone on differently", n_apart);
    CHECK_NEAR(draw_one(noise, &stream, 0, 5, 0.1, 0), 5, TOL_EXACT);
}

/* y_tilde = y + g1 - g2 in whole numbers, for releases of every sign and size; one cell's
 * draw touches no other cell. */
static void test_bessel_identity(void) {
    static const double releases[] = {-1e6, -300, -7, -1, 0, 1, 2, 50, 1e4, 1e9};
    static const double mus[] = {0, 1e-300, 1e-3, 1, 40, 1e5, 1e9};
    static const double alphas[] = {1e-4, 0.3, 0.9, 0.9999};
    double *const g1 = new_doubles(3), *const g2 = new_doubles(3);
    double rest[1], extra[1];
    ldp_bessel_state state = {g1, g2};
    const ldp_noise noise = ldp_noise_bessel(1, &state, rest, extra);
    ldp_stream stream = ldp_stream_seeded(81);
    g1[0] = g2[0] = g1[2] = g2[2] = 77;
    for (size_t r = 0; r < sizeof releases / sizeof *releases; r++)
        for (size_t m = 0; m < sizeof mus / sizeof *mus; m++)
            for (size_t c = 0; c < sizeof alphas / sizeof *alphas; c++) {
                int n_wrong = 0;
                g1[1] = g2[1] = 0;
                for (int i = 0; i < 50; i++) {
                    const double y = draw_one(noise, &stream, 1, releases[r], mus[m], alphas[c]);
                    n_wrong += !(y >= 0 && g1[1] >= 0 && g2[1] >= 0 && y == floor(y) &&
                                 g1[1] == floor(g1[1]) && y + g1[1] - g2[1] == releases[r]);
                    n_wrong += mus[m] <= 0 && y > 0;
                }
                CHECK(n_wrong == 0, "y_tilde = %g, mu = %g, alpha = %g: %d wrong", releases[r],
                      mus[m], alphas[c], n_wrong);
            }
    CHECK(g1[0] == 77 && g2[0] == 77 && g1[2] == 77 && g2[2] == 77, "neighbours");
    free(g1);
    free(g2);
}

/* Without noise the release is the count, and nothing is drawn. */
static void test_bessel_without_noise(void) {
    double g1[1] = {0}, g2[1] = {0}, rest[1], extra[1];
    ldp_bessel_state state = {g1, g2};
    const ldp_noise noise = ldp_noise_bessel(1, &state, rest, extra);
    ldp_stream stream = ldp_stream_seeded(82), before = stream;
    for (double k = 0; k < 9; k++)
        CHECK_NEAR(draw_one(noise, &stream, 0, k, 1.5, 0), k, TOL_EXACT);
    CHECK(g1[0] == 0 && g2[0] == 0, "%g %g", g1[0], g2[0]);
    CHECK(memcmp(&stream, &before, sizeof stream) == 0, "the stream stays where it was");
}

/* A geometric number, P(j) = (1 - alpha) alpha^j, as the model makes it. */
static double noise_part(double alpha) {
    return rpois(exp_rand() * alpha / (1 - alpha));
}

static law poisson_law(double mu, int n) {
    law l = law_new(0, n);
    for (int i = 0; i < n; i++)
        l.p[i] = dpois(i, mu, 1);
    law_normalise(&l);
    return l;
}

static law geometric_law(double alpha, int n) {
    law l = law_new(0, n);
    for (int i = 0; i < n; i++)
        l.p[i] = i * log(alpha);
    law_normalise(&l);
    return l;
}

/* The distribution of y behind one release, which the collapsed scheme draws from directly. */
static law truth_law(double k, double mu, double alpha, int n) {
    law l = law_new(0, n);
    for (int i = 0; i < n; i++)
        l.p[i] = dpois(i, mu, 1) + fabs(k - i) * log(alpha);
    law_normalise(&l);
    return l;
}

/* (y, g1, g2) from the model, then one draw given the release: what was Poisson, geometric and
 * geometric still is, and y has the collapsed distribution at each release. Every misprint of the
 * paper's augmentation breaks this. */
static void check_one_step(double mu, double alpha) {
    enum { N = 400000, N_RELEASES = 5 };
    static const double releases[N_RELEASES] = {-2, 0, 1, 3, 6};
    double g1[1], g2[1], rest[1], extra[1];
    ldp_bessel_state state = {g1, g2};
    const ldp_noise noise = ldp_noise_bessel(1, &state, rest, extra);
    ldp_stream stream = ldp_stream_open();
    law y_law = poisson_law(mu, 80), g1_law = geometric_law(alpha, 400);
    law g2_law = geometric_law(alpha, 400), given[N_RELEASES];
    for (int r = 0; r < N_RELEASES; r++)
        given[r] = truth_law(releases[r], mu, alpha, 80);
    for (int i = 0; i < N; i++) {
        g1[0] = noise_part(alpha);
        g2[0] = noise_part(alpha);
        const double y_tilde = rpois(mu) + g1[0] - g2[0];
        const double y = draw_one(noise, &stream, 0, y_tilde, mu, alpha);
        law_see(&y_law, y);
        law_see(&g1_law, g1[0]);
        law_see(&g2_law, g2[0]);
        for (int r = 0; r < N_RELEASES; r++)
            if (y_tilde == releases[r])
                law_see(&given[r], y);
    }
    law_check(&y_law, "y");
    law_check(&g1_law, "g1");
    law_check(&g2_law, "g2");
    for (int r = 0; r < N_RELEASES; r++) {
        char name[120];
        snprintf(name, sizeof name, "y given %g, mu = %g, alpha = %g", releases[r], mu, alpha);
        law_check(&given[r], name);
        law_free(&given[r]);
    }
    law_free(&y_law);
    law_free(&g1_law);
    law_free(&g2_law);
}

int main(void) {
    check_begin();
    random_budget(16);
    test_exposures();
    test_collapsed();
    set_seed(80, 1);
    test_bessel_identity();
    test_bessel_without_noise();
    check_one_step(2.5, 0.6);
    check_one_step(0.4, 0.3);
    random_budget_kept();
    return check_report("noise");
}
