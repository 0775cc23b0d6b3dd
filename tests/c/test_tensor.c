/* The tensor sampler: conditional distributions of all modes with scripted counts, the schemes for
 * the noise, the prior, weights that underflow, and two modes against the topic sampler.
 * test_ranges.c and test_large.c: larger data, ranges of rows, and threads. */
#include "ldp_density.h"
#include "ldp_privpois.h"
#include "ldp_tensor.h"
#include "ldp_topics.h"
#include "sampler.h"
#include "tensor_sweep.h"

#define NO INT_MIN
enum { D = 4, V = 12, MOST = 16 };

/* By columns. As 4 x 3 x 2 x 2: row 2 is mostly missing, index 1 of mode 1 and index 0 of mode 3
 * are missing altogether; row 3 holds no positive count. */
static const int table[D * V] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    3,  0,  -2, 0,  NO, NO, NO, NO, 1,  NO, NO, -1, 0,  2,  NO, 0,  NO, NO, NO, NO, 6,  -1, NO, -4,
};
/* No mode is missing: for tests of what takes few cells away. */
static const int mostly_there[D * V] = {
    3, 0, -2, NO, 7, 0, 1, NO, 4,  -1, 0, -1, 0, 2, -9, 5, 1, 0, 6,  -1, 0, 2, 2, -4,
    1, 1, 0,  0,  2, 0, 0, 3,  -2, 0,  1, 1,  0, 0, 5,  0, 8, 2, -1, 0,  0, 0, 1, 0,
};
static const double alphas[D] = {0.3, 0.6, 0.9, 0.05}, zeros[D] = {0};
static const ldp_gamma_prior priors[] = {
    {0.7, 1.3, 0, 0, 0, 0}, {0.6, 0.8, 0, 0, 0, 0}, {1.1, 0.9, 0, 0, 0, 0}, {0.9, 1.1, 0, 0, 0, 0}};

/* The same table with two, three or four modes. */
typedef struct shape {
    int M, n[4];
} shape;
static const shape two = {2, {D, V, 1, 1}}, three = {3, {D, 3, 4, 1}}, four = {4, {D, 3, 2, 2}};

typedef struct fit {
    int K;
    example x;
    double *rest, *extra, *work, *g1, *g2;
    ldp_bessel_state bessel;
    ldp_tensor model;
    ldp_noise noise;
    ldp_setting at;
} fit;

typedef enum { COLLAPSED, BESSEL } scheme;

static void fill_weights(fit *f) {
    for (int m = 0; m < f->model.M; m++)
        for (int i = 0; i < f->model.mode[m].n * f->K; i++)
            f->model.mode[m].theta[i] = 0.2 + 0.3 * ((i + m) % (4 + m));
}

/* In place, because the noise of the Bessel scheme points into it. */
static void fit_open(fit *f, int K, shape s, const int *counts, const double *alpha, scheme kind) {
    const ldp_source source = {D, V, NULL, NULL, counts, NULL, kind == BESSEL, 0};
    f->K = K;
    f->x = example_new(&source, alpha);
    const size_t n_cells = f->x.active_start[D];
    f->rest = new_doubles(D);
    f->extra = new_doubles(D);
    f->g1 = new_doubles(n_cells);
    f->g2 = new_doubles(n_cells);
    f->bessel = (ldp_bessel_state){f->g1, f->g2};
    for (size_t e = 0; e < n_cells; e++) /* y = max(y_tilde, 0), the rest is noise */
        f->g2[e] = fmax(-f->x.y_tilde[e], 0);
    f->noise = kind == BESSEL ? ldp_noise_bessel(D, &f->bessel, f->rest, f->extra)
                              : ldp_noise_collapsed(D, alpha, f->rest, f->extra);
    f->model = (ldp_tensor){.K = K, .M = s.M};
    for (int m = 0; m < s.M; m++)
        f->model.mode[m] = (ldp_tensor_mode){s.n[m], priors[m], new_doubles((size_t)(s.n[m] * K))};
    f->at = (ldp_setting){.cells = &f->x.cells, .noise = &f->noise, .n_threads = 1};
    f->work = new_garbage(ldp_tensor_kernel.work(&f->model, &f->at));
    fill_weights(f);
}

static void fit_close(fit *f) {
    example_free(&f->x);
    for (int m = 0; m < f->model.M; m++)
        free(f->model.mode[m].theta);
    free(f->rest);
    free(f->extra);
    free(f->work);
    free(f->g1);
    free(f->g2);
}

static void sweep(fit *f) {
    sweep_once(&ldp_tensor_kernel, &f->model, &f->at, f->work);
}

static void half_sweep(fit *f) {
    tensor_half_sweep(&f->model, &f->at, f->work);
}

/* The index of cell (d, v) in mode m, from the definition. */
static int index_of(const fit *f, int m, int d, int v) {
    if (m == 0)
        return d;
    for (int l = 1; l < m; l++)
        v /= f->model.mode[l].n;
    return v % f->model.mode[m].n;
}

static double weight(const fit *f, int m, int d, int v, int k) {
    return f->model.mode[m].theta[index_of(f, m, d, v) * f->K + k];
}

static double mean_of(const fit *f, int d, int v) {
    double mu = 0;
    for (int k = 0; k < f->K; k++) {
        double product = 1;
        for (int m = 0; m < f->model.M; m++)
            product *= weight(f, m, d, v, k);
        mu += product;
    }
    return mu;
}

/* ---- conditional distributions -----------------------------------------------------------------
 * */

/* The scripted count of a cell, 0 where it is not active. */
static double count_of(const fit *f, const script *s, int d, int v) {
    for (size_t e = f->x.active_start[d]; e < f->x.active_start[d + 1]; e++)
        if (f->x.active_col[e] == v)
            return s->count[e];
    return 0;
}

/* Row d has weight on component d mod K alone, so that is where all its counts go. */
static void reset(fit *f) {
    fill_weights(f);
    for (int d = 0; d < D; d++)
        for (int k = 0; k < f->K; k++)
            f->model.mode[0].theta[d * f->K + k] = k == d % f->K ? 0.5 + d : 0;
}

/* Mode m was drawn given what the modes before it are now, and those after it `before`. */
static void see_mode(const fit *f, const fit *before, const script *s, int m, law *uniform) {
    const ldp_tensor_mode *const mode = &f->model.mode[m];
    for (int j = 0; j < mode->n; j++)
        for (int k = 0; k < f->K; k++) {
            double count = 0, rate = 0;
            for (int d = 0; d < D; d++)
                for (int v = 0; v < V; v++) {
                    if (index_of(f, m, d, v) != j)
                        continue;
                    double product = example_exposure(&f->x.cells, f->rest, f->extra, d, v);
                    for (int l = 0; l < f->model.M; l++)
                        if (l != m)
                            product *= weight(l < m ? f : before, l, d, v, k);
                    rate += product;
                    count += k == d % f->K ? count_of(f, s, d, v) : 0;
                }
            see_gamma(&uniform[j * f->K + k], mode->theta[j * f->K + k], mode->prior, count, rate);
        }
}

/* What the sampler told the draw of a latent count. */
static void check_script(const fit *f, const fit *before, const script *s, const int *counts) {
    for (int d = 0; d < D; d++)
        for (size_t e = f->x.active_start[d]; e < f->x.active_start[d + 1]; e++) {
            const int v = f->x.active_col[e];
            CHECK_NEAR(s->mu[e], mean_of(before, d, v), TOL_ROUNDING);
            CHECK_NEAR(s->alpha[e], alphas[d], TOL_EXACT);
            CHECK_NEAR(s->y_tilde[e], counts[d + v * D], TOL_EXACT);
        }
}

static void test_conditionals(int K, shape form, const int *counts) {
    fit f, before;
    fit_open(&f, K, form, counts, alphas, COLLAPSED);
    fit_open(&before, K, form, counts, alphas, COLLAPSED);
    reset(&before);
    const size_t n_cells = f.x.active_start[D];
    script s = script_new(n_cells);
    for (size_t e = 0; e < n_cells; e++)
        s.count[e] = (double)(e % 3 == 2 ? 40 : e % 3); /* none, one token, binomials */
    f.noise.draw = script_draw;
    f.noise.state = &s;
    law *uniform[4];
    for (int m = 0; m < form.M; m++)
        uniform[m] = uniforms_new(form.n[m] * K);
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        reset(&f);
        half_sweep(&f);
        for (int m = 0; m < form.M; m++)
            see_mode(&f, &before, &s, m, uniform[m]);
    }
    check_script(&f, &before, &s, counts);
    for (int m = 0; m < form.M; m++)
        uniforms_check(uniform[m], form.n[m] * K, "theta of a mode");
    script_free(&s);
    fit_close(&f);
    fit_close(&before);
}

/* ---- latent counts -------------------------------------------------------------------- */

/* One component: all counts of an index are those of its weight. */
static void test_one_component(shape form, const double *alpha, scheme kind) {
    fit f, before;
    fit_open(&f, 1, form, mostly_there, alpha, kind);
    fit_open(&before, 1, form, mostly_there, alpha, kind);
    const size_t n_cells = f.x.active_start[D];
    script y = script_new(n_cells);
    law *uniform[4];
    int n_wrong = 0;
    for (int m = 0; m < form.M; m++)
        uniform[m] = uniforms_new(form.n[m]);
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        fill_weights(&f);
        half_sweep(&f);
        for (size_t e = 0; e < n_cells; e++) {
            y.count[e] = f.x.y_tilde[e] - f.g1[e] + f.g2[e];
            n_wrong += !(y.count[e] >= 0 && f.g1[e] >= 0 && f.g2[e] >= 0);
        }
        for (int m = 0; m < form.M; m++)
            see_mode(&f, &before, &y, m, uniform[m]);
    }
    CHECK(n_wrong == 0, "%d cells", n_wrong);
    for (int m = 0; m < form.M; m++)
        uniforms_check(uniform[m], form.n[m], "one component");
    script_free(&y);
    fit_close(&f);
    fit_close(&before);
}

/* Products over modes that are 0 in doubles still tell the components apart: of weights 1 to 3, a
 * quarter of the counts falls on the first. Without noise, so that there are counts; exposures are
 * 0 in doubles, so that the mean of a weight tells the mean of its counts. */
static void test_underflow(void) {
    enum { N = 1000, DRAWS_MODE_2 = 8 };
    const double a = priors[2].shape, b = priors[2].rate;
    double first = 0, all = 0;
    fit f;
    fit_open(&f, 2, four, mostly_there, zeros, COLLAPSED);
    for (int cell = 0; cell < D * V; cell++)
        all += fmax(mostly_there[cell], 0);
    for (int i = 0; i < N; i++) {
        for (int m = 0; m < 4; m++)
            for (int j = 0; j < f.model.mode[m].n * 2; j++)
                f.model.mode[m].theta[j] = 1e-100 * (m == 3 && j % 2 == 1 ? 3 : 1);
        const ldp_kernel *const kernel = &ldp_tensor_kernel;
        const uint64_t seed = ldp_stream_seed();
        for (int phase = 0; phase <= DRAWS_MODE_2;
             phase = kernel->next(&f.model, &f.at, phase, f.work)) {
            sweep_open_phase(kernel, &f.model, &f.at, phase, seed, SWEEP_WHOLE, f.work);
            kernel->end(&f.model, &f.at, phase, f.work);
            if (phase == 0)
                CHECK(all_above_floor(f.model.mode[0].theta, 2 * D), "weights of rows");
        }
        for (int j = 0; j < f.model.mode[2].n; j++)
            first += f.model.mode[2].theta[2 * j];
    }
    /* n weights Gamma(a + count, b), whose counts are Binom(all, 1/4) in all */
    const double n = f.model.mode[2].n;
    check_mean(first, N, (n * a + all / 4) / b, (n * a + all / 4 + all * 3 / 16) / (b * b),
               "counts whose means underflow");
    fit_close(&f);
}

/* The same with weights of which some products overflow before they are multiplied with others:
 * 1e100 quanta, and more than 1e308. The exposures are next to 0. */
static void test_small_products(int K) {
    fit f;
    fit_open(&f, K, four, mostly_there, alphas, COLLAPSED);
    for (int m = 0; m < 4; m++)
        f.model.mode[m].prior.rate = 1e-3;
    for (int i = 0; i < 20; i++) {
        for (int m = 0; m < 4; m++)
            for (int j = 0; j < f.model.mode[m].n * K; j++)
                f.model.mode[m].theta[j] = m == 0 ? 1 : 1e-160;
        sweep(&f);
        for (int m = 0; m < 4; m++)
            CHECK(all_above_floor(f.model.mode[m].theta, (int)tensor_length(&f.model, m)),
                  "mode %d", m);
    }
    fit_close(&f);
}

/* ---- whole sweeps --------------------------------------------------------------------- */

static int all_modes_proper(const fit *f) {
    for (int m = 0; m < f->model.M; m++)
        if (!all_proper(f->model.mode[m].theta, f->model.mode[m].n * f->K))
            return 0;
    return 1;
}

static void test_sweeps(int K, shape form, const int *counts, const double *alpha, scheme kind) {
    fit f, again;
    fit_open(&f, K, form, counts, alpha, kind);
    fit_open(&again, K, form, counts, alpha, kind);
    set_seed(92, (unsigned)K);
    for (int i = 0; i < 30; i++) {
        sweep(&f);
        CHECK(all_modes_proper(&f), "sweep %d, K = %d", i, K);
    }
    set_seed(92, (unsigned)K);
    for (int i = 0; i < 30; i++)
        sweep(&again);
    for (int m = 0; m < form.M; m++)
        CHECK(memcmp(f.model.mode[m].theta, again.model.mode[m].theta,
                     (size_t)(form.n[m] * K) * sizeof(double)) == 0,
              "same seed");
    sweep(&again);
    for (int m = 0; m < form.M; m++)
        CHECK(f.model.mode[m].theta[0] != again.model.mode[m].theta[0], "a sweep moves");
    fit_close(&f);
    fit_close(&again);
}

/* Nothing observed: every sweep is an independent draw from the prior. */
static void test_prior(scheme kind) {
    enum { K = 2 };
    const int N = check_some(20000);
    int missing[D * V];
    double sums[4][MOST * K] = {{0}};
    for (int i = 0; i < D * V; i++)
        missing[i] = NO;
    fit f;
    fit_open(&f, K, four, missing, alphas, kind);
    for (int i = 0; i < N; i++) {
        sweep(&f);
        for (int m = 0; m < 4; m++)
            for (int j = 0; j < four.n[m] * K; j++)
                sums[m][j] += f.model.mode[m].theta[j];
    }
    for (int m = 0; m < 4; m++)
        check_prior_means(sums[m], four.n[m] * K, N, priors[m], "a mode from its prior");
    fit_close(&f);
}

/* ---- two modes ------------------------------------------------------------------------ */

/* The same draws as the topic sampler's, from the same streams, before the scales move: that of a
 * tensor's modes 0 and 1 has another stream than that of topics. */
static void test_against_topics(int K, const int *counts, scheme kind) {
    enum { N = 20 };
    fit f, other;
    fit_open(&f, K, two, counts, alphas, kind);
    fit_open(&other, K, two, counts, alphas, kind);
    double *const theta = other.model.mode[0].theta, *const phi = other.model.mode[1].theta;
    ldp_topics topics = {.K = K,
                         .prior_theta = priors[0],
                         .prior_phi = priors[1],
                         .theta = theta,
                         .phi = phi,
                         .reflect = 0.75};
    double *const work = new_garbage(ldp_topics_kernel.work(&topics, &other.at));
    f.model.reflect = 0.75;
    for (int i = 0; i < N; i++) {
        set_seed(93, (unsigned)(K + 10 * i));
        half_sweep(&f);
        set_seed(93, (unsigned)(K + 10 * i));
        sweep_open(&ldp_topics_kernel, &topics, &other.at, ldp_stream_seed(), SWEEP_WHOLE, work);
        for (int m = 0; m < 2; m++)
            for (int j = 0; j < two.n[m] * K; j++)
                CHECK_NEAR(f.model.mode[m].theta[j], other.model.mode[m].theta[j], TOL_SERIES);
        memcpy(theta, f.model.mode[0].theta, tensor_length(&f.model, 0) * sizeof *theta);
        memcpy(phi, f.model.mode[1].theta, tensor_length(&f.model, 1) * sizeof *phi);
    }
    free(work);
    fit_close(&f);
    fit_close(&other);
}

/* ---- means, and moves that leave them ------------------------------------------------- */

/* Over the observed cells one by one, those at or below zero without what has no mu in it. */
static void test_log_density(int K, shape form, const int *counts, scheme kind) {
    fit f;
    fit_open(&f, K, form, counts, alphas, kind);
    double expected = 0;
    for (int d = 0; d < D; d++)
        for (int v = 0; v < V; v++) {
            const int k = counts[d + v * D];
            const double mu = mean_of(&f, d, v);
            if (k != NO)
                expected += k > 0 ? ldp_privpois_log_pmf(k, mu, alphas[d]) : -(1 - alphas[d]) * mu;
        }
    ldp_quick quick = {0};
    ldp_density density = {.noise = &f.noise, .cells = &f.x.cells, .quick = &quick};
    sweep_visit(&ldp_tensor_kernel, &f.model, &f.at, ldp_density_reader(&density), f.work);
    CHECK_NEAR(density.sum, expected, TOL_SERIES);
    fit_close(&f);
}

/* The end of a sweep moves the scale of every component of every mode, and the rates that are
 * random. */
static void test_rescale(int K) {
    double rates[4], first[4];
    fit f;
    fit_open(&f, K, four, mostly_there, alphas, COLLAPSED);
    f.model.mode[2].prior.hyper_shape = 2;
    f.model.mode[2].prior.hyper_rate = 3;
    f.model.rates = rates;
    const int last =
        sweep_open(&ldp_tensor_kernel, &f.model, &f.at, ldp_stream_seed(), SWEEP_WHOLE, f.work);
    for (int m = 0; m < 4; m++)
        first[m] = f.model.mode[m].theta[0];
    sweep_close(&ldp_tensor_kernel, &f.model, &f.at, last, f.work);
    for (int m = 0; m < 4; m++) {
        const double rate = f.model.mode[m].prior.rate;
        CHECK(fabs(f.model.mode[m].theta[0] / first[m] - 1) > 1e-6, "mode %d stays", m);
        CHECK((fabs(rate - priors[m].rate) > 1e-6) == (m == 2), "rate of %d", m);
        CHECK_NEAR(rates[m], rate, TOL_EXACT);
    }
    const ldp_scalable scalable = ldp_tensor_kernel.scalable(&f.model, &f.at);
    CHECK(scalable.n == D && scalable.by_row && scalable.factor == f.model.mode[0].theta,
          "mode 0 is what scales");
    fit_close(&f);
}

int main(void) {
    static const shape shapes[] = {{2, {D, V, 1, 1}}, {3, {D, 3, 4, 1}}, {4, {D, 3, 2, 2}}};
    check_begin();
    /* weights of the tests that follow, and the mean of test_underflow */
    random_budget((1 + 3) * (D + 3 + 4) + 2 * 2 * (D + 3 + 2 + 2) + 2 * 2 * (D + 3 + 2 + 2) +
                  2 * (2 * D + V + 3 + 4) + 2 * (D + 3 + 2 + 2) + 1);
    set_seed(90, 1);
    test_conditionals(1, three, mostly_there);
    test_conditionals(3, three, mostly_there);
    test_conditionals(2, four, mostly_there);
    test_conditionals(2, four, table);
    for (int s = 0; s < 3; s++) {
        test_one_component(shapes[s], zeros, COLLAPSED);
        test_one_component(shapes[s], alphas, BESSEL);
    }
    test_prior(COLLAPSED);
    test_prior(BESSEL);
    test_underflow();
    for (int K = 1; K <= 5; K += 2) {
        for (int s = 0; s < 3; s++) {
            test_sweeps(K, shapes[s], mostly_there, alphas, COLLAPSED);
            test_sweeps(K, shapes[s], table, alphas, COLLAPSED);
            test_sweeps(K, shapes[s], mostly_there, zeros, COLLAPSED);
            test_sweeps(K, shapes[s], table, alphas, BESSEL);
            test_log_density(K, shapes[s], table, COLLAPSED);
            test_log_density(K, shapes[s], mostly_there, COLLAPSED);
            test_log_density(K, shapes[s], mostly_there, BESSEL);
        }
        test_against_topics(K, mostly_there, COLLAPSED);
        test_against_topics(K, table, COLLAPSED);
        test_against_topics(K, mostly_there, BESSEL);
        test_rescale(K);
        test_small_products(K);
    }
    random_budget_kept();
    return check_report("tensor");
}
