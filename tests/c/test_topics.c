/* The topic sampler: conditional distributions with scripted counts, shards, the schemes for the
 * noise, the prior, and the size of its work space. */
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
static const ldp_gamma_prior prior_theta = {0.7, 1.3, 0, 0}, prior_phi = {0.6, 0.8, 0, 0};

typedef struct fit {
    int K;
    example x;
    double *theta, *phi, *rest, *excess, *work, *g1, *g2;
    ldp_bessel_state bessel;
    ldp_topics model;
    ldp_noise noise;
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
    f->excess = new_doubles(D);
    f->work = new_doubles(ldp_topics_work(K, V));
    f->g1 = new_doubles(n_cells);
    f->g2 = new_doubles(n_cells);
    f->bessel = (ldp_bessel_state){f->g1, f->g2};
    for (size_t e = 0; e < n_cells; e++) /* y = max(y_tilde, 0), the rest is noise */
        f->g2[e] = fmax(-f->x.y_tilde[e], 0);
    f->noise = kind == BESSEL ? ldp_noise_bessel(D, &f->bessel, f->rest, f->excess)
                              : ldp_noise_collapsed(D, alpha, f->rest, f->excess);
    f->model = (ldp_topics){K, prior_theta, prior_phi, f->theta, f->phi, 0, 0};
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
    free(f->excess);
    free(f->work);
    free(f->g1);
    free(f->g2);
}

static void sweep(fit *f) {
    topics_sweep(&f->model, &f->x.cells, &f->noise, f->work);
}

static double exposure(const fit *f, int d, int v) {
    return example_exposure(&f->x.cells, f->rest, f->excess, d, v);
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
    for (int i = 0; i < 10000; i++) {
        reset(&f);
        sweep(&f);
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

/* ---- ranges of documents -------------------------------------------------------------- */

static ldp_topics_sums sums_new(int K) {
    return (ldp_topics_sums){new_doubles((size_t)(V * K)), new_doubles((size_t)(V * K))};
}

static void sums_free(ldp_topics_sums *sums) {
    free(sums->counts);
    free(sums->exposure);
}

/* Documents from .. to-1, with work space of exactly 3 K. */
static void rows(fit *f, int from, int to, ldp_topics_sums sums) {
    double *const work = new_doubles(3 * (size_t)f->K), *const total = new_doubles((size_t)f->K);
    for (int i = 0; i < V * f->K; i++)
        total[i % f->K] += f->phi[i];
    ldp_topics_rows(&f->model, &f->x.cells, &f->noise, from, to, total, sums, work);
    free(work);
    free(total);
}

/* sums.exposure of a range, from the definition, with the theta that the range has now. */
static void check_exposure(const fit *f, int from, int to, const double *sums) {
    for (int v = 0; v < V; v++)
        for (int k = 0; k < f->K; k++) {
            double expected = 0;
            for (int d = from; d < to; d++)
                expected += exposure(f, d, v) * f->theta[d * f->K + k];
            CHECK_NEAR(sums[v * f->K + k], expected, TOL_SERIES);
        }
}

/* Two ranges, the later one first, draw what the whole draws: a row has a stream of its own. Their
 * sums add up to the sums of the whole. */
static void test_shards(int K, int middle, scheme kind) {
    fit whole, parts;
    fit_open(&whole, K, table, alphas, kind);
    fit_open(&parts, K, table, alphas, kind);
    ldp_topics_sums all = sums_new(K), one = sums_new(K), two = sums_new(K);
    whole.model.seed = parts.model.seed = (uint64_t)(K + 10 * middle);
    rows(&whole, 0, D, all);
    rows(&parts, middle, D, two);
    rows(&parts, 0, middle, one);
    for (int i = 0; i < D * K; i++)
        CHECK_NEAR(parts.theta[i], whole.theta[i], TOL_EXACT);
    for (int i = 0; i < V * K; i++) {
        CHECK_NEAR(one.counts[i] + two.counts[i], all.counts[i], TOL_EXACT);
        CHECK_NEAR(one.exposure[i] + two.exposure[i], all.exposure[i], TOL_SERIES);
    }
    check_exposure(&whole, 0, D, all.exposure);
    check_exposure(&parts, 0, middle, one.exposure);
    check_exposure(&parts, middle, D, two.exposure);
    sums_free(&all);
    sums_free(&one);
    sums_free(&two);
    fit_close(&whole);
    fit_close(&parts);
}

/* A range adds to what the sums already hold, and leaves other documents alone. */
static void test_range_adds(void) {
    fit f;
    fit_open(&f, 2, table, alphas, COLLAPSED);
    ldp_topics_sums sums = sums_new(2);
    double before[2 * D];
    memcpy(before, f.theta, sizeof before);
    for (int i = 0; i < 2 * V; i++)
        sums.counts[i] = sums.exposure[i] = 100;
    rows(&f, 2, 4, sums);
    for (int i = 0; i < 2 * V; i++) {
        CHECK(sums.counts[i] >= 100 && sums.exposure[i] >= 100, "%g %g", sums.counts[i],
              sums.exposure[i]);
        sums.exposure[i] -= 100;
    }
    check_exposure(&f, 2, 4, sums.exposure);
    for (int i = 0; i < 2 * D; i++)
        CHECK((f.theta[i] == before[i]) == (i / 2 < 2 || i / 2 >= 4), "theta[%d]", i);
    sums_free(&sums);
    fit_close(&f);
}

/* ---- latent counts -------------------------------------------------------------------- */

/* The counts of a word over all topics are the latent counts of its column. */
static void check_word_counts(const ldp_topics_sums sums, int K, const double *expected) {
    for (int v = 0; v < V; v++) {
        double total = 0;
        for (int k = 0; k < K; k++)
            total += sums.counts[v * K + k];
        CHECK_NEAR(total, expected[v], TOL_EXACT);
    }
}

/* alpha = 0: the counts are what was observed, negative ones count as none. */
static void test_no_noise(int K) {
    static const double expected[V] = {10, 5, 8, 8, 1};
    fit f;
    fit_open(&f, K, table, zeros, COLLAPSED);
    ldp_topics_sums sums = sums_new(K);
    rows(&f, 0, D, sums);
    check_word_counts(sums, K, expected);
    check_exposure(&f, 0, D, sums.exposure);
    for (int d = 0; d < D; d++)
        CHECK(f.rest[d] == 1 && f.excess[d] == 0, "exposures of row %d", d);
    sums_free(&sums);
    fit_close(&f);
}

/* Bessel scheme: y = y_tilde - g1 + g2 of every observed cell is what was split. */
static void test_bessel(int K) {
    static const double some[D] = {0.3, 0.6, 0.9, 0.05, 0.2, 0.5};
    fit f;
    fit_open(&f, K, table, some, BESSEL);
    for (int i = 0; i < 20; i++) {
        ldp_topics_sums sums = sums_new(K);
        double expected[V] = {0};
        f.model.seed = (uint64_t)i;
        rows(&f, 0, D, sums);
        for (size_t e = 0; e < f.x.active_start[D]; e++) {
            const double y = f.x.y_tilde[e] - f.g1[e] + f.g2[e];
            CHECK(y >= 0 && f.g1[e] >= 0 && f.g2[e] >= 0, "cell %zu: %g", e, y);
            expected[f.x.active_col[e]] += y;
        }
        check_word_counts(sums, K, expected);
        check_exposure(&f, 0, D, sums.exposure);
        sums_free(&sums);
    }
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
    ldp_topics_visit(&f.model, &f.x.cells, ldp_density_reader(&density), f.work);
    CHECK_NEAR(density.sum, expected, TOL_SERIES);
    fit_close(&f);
}

static void test_rescale(int K) {
    fit f;
    fit_open(&f, K, table, alphas, COLLAPSED);
    double before[D * V];
    for (int i = 0; i < D * V; i++)
        before[i] = mean_of(&f, i % D, i / D);
    const double first = f.theta[0];
    ldp_topics_rescale(&f.model, D, V, f.work);
    CHECK(fabs(f.theta[0] / first - 1) > 1e-6, "theta stays %g", first);
    for (int i = 0; i < D * V; i++)
        CHECK_NEAR(mean_of(&f, i % D, i / D), before[i], TOL_ROUNDING);
    CHECK_NEAR(f.model.prior_theta.rate, prior_theta.rate, TOL_EXACT);
    f.model.prior_phi.hyper_shape = 2;
    f.model.prior_phi.hyper_rate = 3;
    ldp_topics_rescale(&f.model, D, V, f.work);
    CHECK_NEAR(f.model.prior_theta.rate, prior_theta.rate, TOL_EXACT);
    CHECK(fabs(f.model.prior_phi.rate - prior_phi.rate) > 1e-6, "the rate stays");
    fit_close(&f);
}

int main(void) {
    check_begin();
    random_budget((1 + 3 + 2 + 2) * (D + V)); /* topics of the four tests that follow */
    set_seed(90, 1);
    test_conditionals(1);
    test_conditionals(3);
    test_prior(COLLAPSED);
    test_prior(BESSEL);
    test_range_adds();
    for (int K = 1; K <= 5; K += 2) {
        for (int middle = 0; middle <= D; middle++) {
            test_shards(K, middle, COLLAPSED);
            test_shards(K, middle, BESSEL);
        }
        test_no_noise(K);
        test_bessel(K);
        test_sweeps(K, alphas, COLLAPSED);
        test_sweeps(K, zeros, COLLAPSED);
        test_sweeps(K, alphas, BESSEL);
        test_smallest_factors(K);
        test_log_density(K, COLLAPSED);
        test_log_density(K, BESSEL);
        test_rescale(K);
    }
    random_budget_kept();
    return check_report("topics");
}
