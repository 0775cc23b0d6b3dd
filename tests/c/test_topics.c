/* The topic sampler: conditional distributions with scripted counts, the schemes for the noise, the
 * prior, and the size of its work space. test_ranges.c and test_large.c: larger data, ranges of
 * rows and columns, and threads. */
#include "ldp_density.h"
#include "ldp_privpois.h"
#include "ldp_topics.h"
#include "sampler.h"
#include "sweep.h"

#define NO INT_MIN
enum { D = 6, V = 5 };

/* By columns. Row 3 is mostly missing, and so is column 4; row 5 holds no positive count. */
static const int table[D * V] = {
    3,  0,  -2, NO, 7,  0, /* */
    1,  NO, 4,  NO, 0,  -1, /* */
    0,  2,  -9, 5,  1,  0, /* */
    6,  -1, 0,  NO, 2,  -4, /* */
    NO, 1,  NO, NO, NO, 0,
};
static const double alphas[D] = {0.3, 0.6, 0.9, 0.05, 0, 0.5};
static const double zeros[D] = {0};
static const ldp_gamma_prior prior_theta = {0.7, 1.3, 0, 0, 0, 0},
                             prior_phi = {0.6, 0.8, 0, 0, 0, 0};

typedef struct fit {
    int K;
    example x;
    double *theta, *phi, *rest, *extra, *work, *g1, *g2;
    ldp_bessel_state bessel;
    ldp_topics model;
    ldp_noise noise;
    ldp_setting at;
} fit;

typedef enum { COLLAPSED, BESSEL } scheme;

/* In place, because the noise of the Bessel scheme points into it. */
static void fit_open(fit *f, int K, const int *counts, const double *alpha, scheme kind) {
    const ldp_source source = {D, V, NULL, NULL, counts, NULL, kind == BESSEL, 0};
    f->K = K;
    f->x = example_new(&source, alpha);
    const size_t n_cells = f->x.active_start[D];
    f->theta = new_doubles((size_t)(D * K));
    f->phi = new_doubles((size_t)(V * K));
    f->rest = new_doubles(D);
    f->extra = new_doubles(D);
    f->g1 = new_doubles(n_cells);
    f->g2 = new_doubles(n_cells);
    f->bessel = (ldp_bessel_state){f->g1, f->g2};
    for (size_t e = 0; e < n_cells; e++) /* y = max(y_tilde, 0), the rest is noise */
        f->g2[e] = fmax(-f->x.y_tilde[e], 0);
    f->noise = kind == BESSEL ? ldp_noise_bessel(D, &f->bessel, f->rest, f->extra)
                              : ldp_noise_collapsed(D, alpha, f->rest, f->extra);
    f->model = (ldp_topics){.K = K,
                            .prior_theta = prior_theta,
                            .prior_phi = prior_phi,
                            .theta = f->theta,
                            .phi = f->phi};
    f->at = (ldp_setting){.cells = &f->x.cells, .noise = &f->noise, .n_threads = 1};
    f->work = new_garbage(ldp_topics_kernel.work(&f->model, &f->at));
    for (int i = 0; i < D * K; i++)
        f->theta[i] = 0.2 + 0.3 * (i % 4);
    for (int i = 0; i < V * K; i++)
        f->phi[i] = 0.1 + 0.4 * (i % 5);
}

static void fit_close(fit *f) {
    example_free(&f->x);
    free(f->theta);
    free(f->phi);
    free(f->rest);
    free(f->extra);
    free(f->work);
    free(f->g1);
    free(f->g2);
}

static void sweep(fit *f) {
    sweep_once(&ldp_topics_kernel, &f->model, &f->at, f->work);
}

/* A sweep but for the rescaling at its end; returns its last phase. */
static int half_sweep(fit *f) {
    return sweep_open(&ldp_topics_kernel, &f->model, &f->at, ldp_stream_seed(), SWEEP_WHOLE,
                      f->work);
}

static double exposure(const fit *f, int d, int v) {
    return example_exposure(&f->x.cells, f->rest, f->extra, d, v);
}

/* The scripted count of a cell, 0 where it is not active. */
static double count_of(const fit *f, const script *s, int d, int v) {
    for (size_t e = f->x.active_start[d]; e < f->x.active_start[d + 1]; e++)
        if (f->x.active_col[e] == v)
            return s->count[e];
    return 0;
}

/* ---- conditional distributions -----------------------------------------------------------------
 * */

/* Document d has weight on topic d mod K alone, so that is where all its counts go. */
static void reset(fit *f) {
    for (int d = 0; d < D; d++)
        for (int k = 0; k < f->K; k++)
            f->theta[d * f->K + k] = k == d % f->K ? 0.5 + d : 0;
    for (int i = 0; i < V * f->K; i++)
        f->phi[i] = 0.1 + 0.3 * (i % 7);
}

static void see_theta(const fit *f, const script *s, const double *phi, law *uniform) {
    const int K = f->K;
    for (int d = 0; d < D; d++)
        for (int k = 0; k < K; k++) {
            double count = 0, rate = 0;
            for (int v = 0; v < V; v++) {
                count += k == d % K ? count_of(f, s, d, v) : 0;
                rate += exposure(f, d, v) * phi[v * K + k];
            }
            see_gamma(&uniform[d * K + k], f->theta[d * K + k], prior_theta, count, rate);
        }
}

static void see_phi(const fit *f, const script *s, law *uniform) {
    const int K = f->K;
    for (int v = 0; v < V; v++)
        for (int k = 0; k < K; k++) {
            double count = 0, rate = 0;
            for (int d = 0; d < D; d++) {
                count += k == d % K ? count_of(f, s, d, v) : 0;
                rate += exposure(f, d, v) * f->theta[d * K + k];
            }
            see_gamma(&uniform[v * K + k], f->phi[v * K + k], prior_phi, count, rate);
        }
}

/* What the sampler told the draw of a latent count. */
static void check_script(const fit *f, const script *s) {
    for (int d = 0; d < D; d++)
        for (size_t e = f->x.active_start[d]; e < f->x.active_start[d + 1]; e++) {
            const int v = f->x.active_col[e], k = d % f->K;
            CHECK_NEAR(s->mu[e], (0.5 + d) * (0.1 + 0.3 * ((v * f->K + k) % 7)), TOL_ROUNDING);
            CHECK_NEAR(s->alpha[e], alphas[d], TOL_EXACT);
            CHECK_NEAR(s->y_tilde[e], table[d + v * D], TOL_EXACT);
        }
}

static void test_conditionals(int K) {
    fit f;
    fit_open(&f, K, table, alphas, COLLAPSED);
    const size_t n_cells = f.x.active_start[D];
    script s = script_new(n_cells);
    for (size_t e = 0; e < n_cells; e++)
        s.count[e] = (double)(e % 3 == 2 ? 40 : e % 3); /* none, one token, binomials */
    f.noise.draw = script_draw;
    f.noise.state = &s;
    law *const theta = uniforms_new(D * K), *const phi = uniforms_new(V * K);
    double *const phi_before = new_doubles((size_t)(V * K));
    reset(&f);
    memcpy(phi_before, f.phi, (size_t)(V * K) * sizeof *phi_before);
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        reset(&f);
        half_sweep(&f);
        see_theta(&f, &s, phi_before, theta);
        see_phi(&f, &s, phi);
    }
    check_script(&f, &s);
    uniforms_check(theta, D * K, "theta");
    uniforms_check(phi, V * K, "phi");
    free(phi_before);
    script_free(&s);
    fit_close(&f);
}

/* ---- latent counts -------------------------------------------------------------------- */

/* One topic: all counts of a row, or of a column, are those of its weight. */
static void see_one_topic(const fit *f, const script *s, const double *phi_before, law *uniform) {
    see_theta(f, s, phi_before, uniform);
    see_phi(f, s, uniform + D);
}

static void check_one_topic(law *uniform) {
    uniforms_check(uniform, D + V, "one topic");
}

/* alpha = 0: the counts are what was observed, negative ones count as none. */
static void test_no_noise(void) {
    fit f;
    fit_open(&f, 1, table, zeros, COLLAPSED);
    script y = script_new(f.x.active_start[D]);
    law *const uniform = uniforms_new(D + V);
    double phi_before[V];
    memcpy(y.count, f.x.y_tilde, f.x.active_start[D] * sizeof *y.count);
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        reset(&f);
        memcpy(phi_before, f.phi, sizeof phi_before);
        half_sweep(&f);
        see_one_topic(&f, &y, phi_before, uniform);
    }
    for (int d = 0; d < D; d++)
        CHECK(f.rest[d] == 1 && f.extra[d] == 0, "exposures of row %d", d);
    check_one_topic(uniform);
    script_free(&y);
    fit_close(&f);
}

/* Bessel scheme: y = y_tilde - g1 + g2 of every observed cell is what was split. */
static void test_bessel(void) {
    static const double some[D] = {0.3, 0.6, 0.9, 0.05, 0.2, 0.5};
    fit f;
    fit_open(&f, 1, table, some, BESSEL);
    const size_t n_cells = f.x.active_start[D];
    script y = script_new(n_cells);
    law *const uniform = uniforms_new(D + V);
    double phi_before[V];
    int n_wrong = 0;
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        reset(&f);
        memcpy(phi_before, f.phi, sizeof phi_before);
        half_sweep(&f);
        for (size_t e = 0; e < n_cells; e++) {
            y.count[e] = f.x.y_tilde[e] - f.g1[e] + f.g2[e];
            n_wrong += !(y.count[e] >= 0 && f.g1[e] >= 0 && f.g2[e] >= 0);
        }
        see_one_topic(&f, &y, phi_before, uniform);
    }
    CHECK(n_wrong == 0, "%d cells", n_wrong);
    check_one_topic(uniform);
    script_free(&y);
    fit_close(&f);
}

/* ---- whole sweeps --------------------------------------------------------------------- */

static void test_sweeps(int K, const double *alpha, scheme kind) {
    fit f, again;
    fit_open(&f, K, table, alpha, kind);
    fit_open(&again, K, table, alpha, kind);
    set_seed(92, (unsigned)K);
    for (int i = 0; i < 30; i++) {
        sweep(&f);
        CHECK(all_proper(f.theta, D * K) && all_proper(f.phi, V * K), "sweep %d, K = %d", i, K);
    }
    set_seed(92, (unsigned)K);
    for (int i = 0; i < 30; i++)
        sweep(&again);
    CHECK(memcmp(f.theta, again.theta, (size_t)(D * K) * sizeof(double)) == 0, "same seed");
    CHECK(memcmp(f.phi, again.phi, (size_t)(V * K) * sizeof(double)) == 0, "same seed");
    sweep(&again);
    CHECK(f.theta[0] != again.theta[0] && f.phi[0] != again.phi[0], "a sweep moves");
    fit_close(&f);
    fit_close(&again);
}

/* Factors as small as ldp_gamma_draw makes them: their products are 0, yet without noise there
 * are counts to split, by tokens and by binomials. The shapes are above 0.5, so that no right
 * draw comes near DBL_MIN again: a factor that is there was given a count that is not a number. */
static void test_smallest_factors(int K) {
    fit f;
    fit_open(&f, K, table, zeros, COLLAPSED);
    for (int i = 0; i < D * K; i++)
        f.theta[i] = DBL_MIN;
    for (int i = 0; i < V * K; i++)
        f.phi[i] = DBL_MIN;
    sweep(&f);
    CHECK(all_above_floor(f.theta, D * K), "theta, K = %d", K);
    CHECK(all_above_floor(f.phi, V * K), "phi, K = %d", K);
    fit_close(&f);
}

/* Nothing observed: every sweep is an independent draw from the prior. */
static void test_prior(scheme kind) {
    enum { K = 2, N = 20000 };
    int missing[D * V];
    double theta[D * K] = {0}, phi[V * K] = {0};
    for (int i = 0; i < D * V; i++)
        missing[i] = NO;
    fit f;
    fit_open(&f, K, missing, alphas, kind);
    for (int i = 0; i < N; i++) {
        sweep(&f);
        for (int j = 0; j < D * K; j++)
            theta[j] += f.theta[j];
        for (int j = 0; j < V * K; j++)
            phi[j] += f.phi[j];
    }
    check_prior_means(theta, D * K, N, prior_theta, "theta from its prior");
    check_prior_means(phi, V * K, N, prior_phi, "phi from its prior");
    fit_close(&f);
}

/* ---- means, and moves that leave them -------------------------------------------------------- */

static double mean_of(const fit *f, int d, int v) {
    double mu = 0;
    for (int k = 0; k < f->K; k++)
        mu += f->theta[d * f->K + k] * f->phi[v * f->K + k];
    return mu;
}

/* Over the observed cells one by one, those at or below zero without what has no mu in it. */
static void test_log_density(int K, scheme kind) {
    fit f;
    fit_open(&f, K, table, alphas, kind);
    double expected = 0;
    for (int i = 0; i < D; i++)
        for (int j = 0; j < V; j++) {
            const int k = table[i + j * D];
            const double mu = mean_of(&f, i, j);
            if (k != NO)
                expected += k > 0 ? ldp_privpois_log_pmf(k, mu, alphas[i]) : -(1 - alphas[i]) * mu;
        }
    ldp_quick quick = {0};
    ldp_density density = {.noise = &f.noise, .cells = &f.x.cells, .quick = &quick};
    sweep_visit(&ldp_topics_kernel, &f.model, &f.at, ldp_density_reader(&density), f.work);
    CHECK_NEAR(density.sum, expected, TOL_SERIES);
    fit_close(&f);
}

/* The end of a sweep moves the scales of topics, and the rates that are random, and no mean. */
static void check_end(fit *f, double rate_phi) {
    double before[D * V];
    const int last = half_sweep(f);
    for (int i = 0; i < D * V; i++)
        before[i] = mean_of(f, i % D, i / D);
    const double first = f->theta[0];
    sweep_close(&ldp_topics_kernel, &f->model, &f->at, last, f->work);
    CHECK(fabs(f->theta[0] / first - 1) > 1e-6, "theta stays %g", first);
    for (int i = 0; i < D * V; i++)
        CHECK_NEAR(mean_of(f, i % D, i / D), before[i], TOL_ROUNDING);
    CHECK_NEAR(f->model.prior_theta.rate, prior_theta.rate, TOL_EXACT);
    CHECK((f->model.prior_phi.rate != prior_phi.rate) == (rate_phi > 0), "the rate of phi");
}

static void test_rescale(int K) {
    double rates[2];
    fit f;
    fit_open(&f, K, table, alphas, COLLAPSED);
    check_end(&f, 0);
    f.model.prior_phi.hyper_shape = 2;
    f.model.prior_phi.hyper_rate = 3;
    f.model.rates = rates;
    check_end(&f, 3);
    CHECK(rates[0] == f.model.prior_theta.rate && rates[1] == f.model.prior_phi.rate, "rates");
    const ldp_scalable scalable = ldp_topics_kernel.scalable(&f.model, &f.at);
    CHECK(scalable.n == D && scalable.K == K && scalable.by_row && scalable.factor == f.theta,
          "theta is what scales");
    fit_close(&f);
}

/* Documents alone: phi and the rates stay, and theta is what a whole sweep draws before it
 * rescales. */
static void test_only_documents(int K) {
    fit f, whole;
    fit_open(&f, K, table, alphas, COLLAPSED);
    fit_open(&whole, K, table, alphas, COLLAPSED);
    double *const phi = new_doubles((size_t)(V * K));
    memcpy(phi, f.phi, (size_t)(V * K) * sizeof *phi);
    f.model.only_documents = 1;
    f.model.prior_theta.hyper_shape = whole.model.prior_theta.hyper_shape = 2;
    sweep_cut(&ldp_topics_kernel, &f.model, &f.at, 8, SWEEP_WHOLE, f.work);
    sweep_open(&ldp_topics_kernel, &whole.model, &whole.at, 8, SWEEP_WHOLE, whole.work);
    CHECK(memcmp(f.theta, whole.theta, (size_t)(D * K) * sizeof(double)) == 0, "theta");
    CHECK(memcmp(f.phi, phi, (size_t)(V * K) * sizeof(double)) == 0, "phi has moved");
    CHECK(memcmp(f.phi, whole.phi, (size_t)(V * K) * sizeof(double)) != 0, "phi of a whole sweep");
    CHECK_NEAR(f.model.prior_theta.rate, prior_theta.rate, TOL_EXACT);
    free(phi);
    fit_close(&f);
    fit_close(&whole);
}

int main(void) {
    check_begin();
    random_budget((1 + 3 + 1 + 1 + 2 + 2) * (D + V)); /* topics of the tests that follow */
    set_seed(90, 1);
    test_conditionals(1);
    test_conditionals(3);
    test_no_noise();
    test_bessel();
    test_prior(COLLAPSED);
    test_prior(BESSEL);
    for (int K = 1; K <= 5; K += 2) {
        test_sweeps(K, alphas, COLLAPSED);
        test_sweeps(K, zeros, COLLAPSED);
        test_sweeps(K, alphas, BESSEL);
        test_smallest_factors(K);
        test_log_density(K, COLLAPSED);
        test_log_density(K, BESSEL);
        test_rescale(K);
        test_only_documents(K);
    }
    random_budget_kept();
    return check_report("topics");
}
