/* The tensor sampler: conditional distributions of all modes with scripted counts, ranges of rows,
 * the schemes for the noise, the prior, weights that underflow, and two modes against the topic
 * sampler. */
#include "ldp_density.h"
#include "ldp_privpois.h"
#include "ldp_rescale.h"
#include "ldp_tensor.h"
#include "ldp_topics.h"
#include "sampler.h"
#include "sweep.h"

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
    {0.7, 1.3, 0, 0}, {0.6, 0.8, 0, 0}, {1.1, 0.9, 0, 0}, {0.9, 1.1, 0, 0}};

/* The same table with two, three or four modes. */
typedef struct shape {
    int M, n[4];
} shape;
static const shape two = {2, {D, V, 1, 1}}, three = {3, {D, 3, 4, 1}}, four = {4, {D, 3, 2, 2}};

typedef struct fit {
    int K;
    example x;
    double *rest, *excess, *work, *g1, *g2;
    ldp_bessel_state bessel;
    ldp_tensor model;
    ldp_noise noise;
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
    f->excess = new_doubles(D);
    f->g1 = new_doubles(n_cells);
    f->g2 = new_doubles(n_cells);
    f->bessel = (ldp_bessel_state){f->g1, f->g2};
    for (size_t e = 0; e < n_cells; e++) /* y = max(y_tilde, 0), the rest is noise */
        f->g2[e] = fmax(-f->x.y_tilde[e], 0);
    f->noise = kind == BESSEL ? ldp_noise_bessel(D, &f->bessel, f->rest, f->excess)
                              : ldp_noise_collapsed(D, alpha, f->rest, f->excess);
    f->model = (ldp_tensor){.K = K, .M = s.M};
    for (int m = 0; m < s.M; m++)
        f->model.mode[m] = (ldp_tensor_mode){s.n[m], priors[m], new_doubles((size_t)(s.n[m] * K))};
    f->work = new_doubles(ldp_tensor_work(&f->model));
    fill_weights(f);
}

static void fit_close(fit *f) {
    example_free(&f->x);
    for (int m = 0; m < f->model.M; m++)
        free(f->model.mode[m].theta);
    free(f->rest);
    free(f->excess);
    free(f->work);
    free(f->g1);
    free(f->g2);
}

static void sweep(fit *f) {
    tensor_sweep(&f->model, &f->x.cells, &f->noise, f->work);
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
                    double product = example_exposure(&f->x.cells, f->rest, f->excess, d, v);
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
    for (int i = 0; i < 10000; i++) {
        reset(&f);
        sweep(&f);
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

/* ---- ranges of rows ------------------------------------------------------------------- */

/* A row has a stream of its own: any order of ranges will do, but the one with the last row, which
 * completes the totals, comes last. */
static ldp_tensor_round rows_in_ranges(fit *f, int middle) {
    f->model.seed = ldp_stream_seed();
    ldp_tensor_round round = ldp_tensor_open(&f->model, f->work);
    if (middle < D - 1)
        ldp_tensor_rows(&f->model, &f->x.cells, &f->noise, middle, D - 1, &round);
    if (middle > 0)
        ldp_tensor_rows(&f->model, &f->x.cells, &f->noise, 0, middle < D ? middle : D - 1, &round);
    ldp_tensor_rows(&f->model, &f->x.cells, &f->noise, D - 1, D, &round);
    return round;
}

/* round.active and round.missing of mode m, from the definition */
static void check_listed(const fit *f, int m, const ldp_tensor_round *round) {
    for (int j = 0; j < f->model.mode[m].n; j++)
        for (int k = 0; k < f->K; k++) {
            double active = 0, missing = 0;
            for (int d = 0; d < D; d++)
                for (int v = 0; v < V; v++) {
                    if (index_of(f, m, d, v) != j)
                        continue;
                    double product = 1;
                    for (int l = 0; l < f->model.M; l++)
                        product *= l != m ? weight(f, l, d, v, k) : 1;
                    active += example_holds(f->x.cells.active, d, v) ? f->excess[d] * product : 0;
                    missing += example_holds(f->x.cells.missing, d, v) ? f->rest[d] * product : 0;
                }
            CHECK_NEAR(round->active[j * f->K + k], active, TOL_SERIES);
            CHECK_NEAR(round->missing[j * f->K + k], missing, TOL_SERIES);
        }
}

/* Ranges draw what the whole draws, and add up to what it adds. */
static void test_ranges(int K, int middle, shape form, scheme kind) {
    fit whole, parts;
    fit_open(&whole, K, form, mostly_there, alphas, kind);
    fit_open(&parts, K, form, mostly_there, alphas, kind);
    set_seed(91, (unsigned)(K + 10 * middle));
    sweep(&whole);
    set_seed(91, (unsigned)(K + 10 * middle));
    ldp_tensor_round round = rows_in_ranges(&parts, middle);
    for (int m = 1; m < form.M; m++) {
        ldp_tensor_begin(&parts.model, m, &round);
        ldp_tensor_listed(m, &parts.x.cells, &parts.noise, 0, middle, &round);
        ldp_tensor_listed(m, &parts.x.cells, &parts.noise, middle, D, &round);
        check_listed(&parts, m, &round);
        ldp_tensor_draw(&parts.model, m, &parts.x.cells, &parts.noise, &round);
    }
    for (int m = 0; m < form.M; m++)
        for (int i = 0; i < form.n[m] * K; i++)
            CHECK_NEAR(parts.model.mode[m].theta[i], whole.model.mode[m].theta[i], TOL_SERIES);
    fit_close(&whole);
    fit_close(&parts);
}

/* ---- latent counts -------------------------------------------------------------------- */

/* The counts of an index over all components are the latent counts of its cells. */
static void check_counts(const fit *f, const ldp_tensor_round *round, const double *y) {
    for (int m = 1; m < f->model.M; m++)
        for (int j = 0; j < f->model.mode[m].n; j++) {
            double total = 0, expected = 0;
            for (int k = 0; k < f->K; k++)
                total += round->counts[m][j * f->K + k];
            for (int cell = 0; cell < D * V; cell++)
                expected += index_of(f, m, cell % D, cell / D) == j ? y[cell] : 0;
            CHECK_NEAR(total, expected, TOL_EXACT);
        }
}

/* alpha = 0: the counts are what was observed, negative ones count as none. */
static void test_no_noise(int K, shape form) {
    fit f;
    double y[D * V];
    fit_open(&f, K, form, mostly_there, zeros, COLLAPSED);
    for (int cell = 0; cell < D * V; cell++)
        y[cell] = fmax(mostly_there[cell], 0);
    const ldp_tensor_round round = rows_in_ranges(&f, 0);
    check_counts(&f, &round, y);
    fit_close(&f);
}

/* Bessel scheme: y = y_tilde - g1 + g2 of every observed cell is what was split. */
static void test_bessel(int K, shape form) {
    fit f;
    fit_open(&f, K, form, mostly_there, alphas, BESSEL);
    for (int i = 0; i < 20; i++) {
        double y[D * V] = {0};
        const ldp_tensor_round round = rows_in_ranges(&f, 0);
        for (int d = 0; d < D; d++)
            for (size_t e = f.x.active_start[d]; e < f.x.active_start[d + 1]; e++)
                y[d + f.x.active_col[e] * D] = f.x.y_tilde[e] - f.g1[e] + f.g2[e];
        check_counts(&f, &round, y);
    }
    fit_close(&f);
}

/* Products over modes that are 0 in doubles still tell the components apart: of weights 1 to 3, a
 * quarter of the counts falls on the first. Without noise, so that there are counts. */
static void test_underflow(void) {
    enum { N = 400 };
    double first = 0, all = 0;
    fit f;
    fit_open(&f, 2, four, mostly_there, zeros, COLLAPSED);
    for (int i = 0; i < N; i++) {
        for (int m = 0; m < 4; m++)
            for (int j = 0; j < f.model.mode[m].n * 2; j++)
                f.model.mode[m].theta[j] = 1e-100 * (m == 3 && j % 2 == 1 ? 3 : 1);
        const ldp_tensor_round round = rows_in_ranges(&f, 0);
        for (int j = 0; j < 2 * f.model.mode[2].n; j++) {
            first += j % 2 == 0 ? round.counts[2][j] : 0;
            all += round.counts[2][j];
        }
        CHECK(all_above_floor(f.model.mode[0].theta, 2 * D), "weights of rows");
    }
    check_mean(first, all, 0.25, 0.25 * 0.75, "counts whose means underflow");
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
    enum { K = 2, N = 20000 };
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

/* The same draws as the topic sampler's, from the same streams; but a scale between modes 0 and 1
 * of a tensor has the stream of mode 1. */
static void test_against_topics(int K, const int *counts, scheme kind) {
    enum { N = 20 };
    fit f, other;
    fit_open(&f, K, two, counts, alphas, kind);
    fit_open(&other, K, two, counts, alphas, kind);
    ldp_topics topics = {
        K, priors[0], priors[1], other.model.mode[0].theta, other.model.mode[1].theta, 0.75, 0};
    double *const work = new_doubles(ldp_topics_work(K, V));
    f.model.reflect = 0.75;
    set_seed(93, (unsigned)K);
    for (int i = 0; i < N; i++) {
        sweep(&f);
        ldp_tensor_rescale(&f.model, f.work);
    }
    set_seed(93, (unsigned)K);
    for (int i = 0; i < N; i++) {
        topics_sweep(&topics, &other.x.cells, &other.noise, work);
        ldp_stream stream = ldp_stream_for(topics.seed, LDP_USE_SCALE, 1, 0);
        ldp_rescale(&stream, K, (ldp_rescaled){D, topics.theta, &topics.prior_theta},
                    (ldp_rescaled){V, topics.phi, &topics.prior_phi}, work);
    }
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < two.n[m] * K; i++)
            CHECK_NEAR(f.model.mode[m].theta[i], other.model.mode[m].theta[i], TOL_SERIES);
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
    ldp_tensor_visit(&f.model, &f.x.cells, ldp_density_reader(&density), f.work);
    CHECK_NEAR(density.sum, expected, TOL_SERIES);
    fit_close(&f);
}

static void test_rescale(int K) {
    fit f;
    fit_open(&f, K, four, mostly_there, alphas, COLLAPSED);
    double before[D * V];
    for (int i = 0; i < D * V; i++)
        before[i] = mean_of(&f, i % D, i / D);
    double first[4];
    for (int m = 0; m < 4; m++)
        first[m] = f.model.mode[m].theta[0];
    f.model.mode[2].prior.hyper_shape = 2;
    f.model.mode[2].prior.hyper_rate = 3;
    ldp_tensor_rescale(&f.model, f.work);
    for (int m = 0; m < 4; m++) {
        CHECK(fabs(f.model.mode[m].theta[0] / first[m] - 1) > 1e-6, "mode %d stays", m);
        CHECK((fabs(f.model.mode[m].prior.rate - priors[m].rate) > 1e-6) == (m == 2), "rate of %d",
              m);
    }
    for (int i = 0; i < D * V; i++)
        CHECK_NEAR(mean_of(&f, i % D, i / D), before[i], TOL_ROUNDING);
    const ldp_scalable scalable = ldp_tensor_scalable(&f.model);
    CHECK(scalable.n == D && scalable.by_row && scalable.factor == f.model.mode[0].theta,
          "mode 0 is what scales");
    fit_close(&f);
}

int main(void) {
    static const shape shapes[] = {{2, {D, V, 1, 1}}, {3, {D, 3, 4, 1}}, {4, {D, 3, 2, 2}}};
    check_begin();
    /* weights of the tests that follow, and the mean of test_underflow */
    random_budget((1 + 3) * (D + 3 + 4) + 2 * 2 * (D + 3 + 2 + 2) + 2 * 2 * (D + 3 + 2 + 2) + 1);
    set_seed(90, 1);
    test_conditionals(1, three, mostly_there);
    test_conditionals(3, three, mostly_there);
    test_conditionals(2, four, mostly_there);
    test_conditionals(2, four, table);
    test_prior(COLLAPSED);
    test_prior(BESSEL);
    test_underflow();
    for (int K = 1; K <= 5; K += 2) {
        for (int s = 0; s < 3; s++) {
            for (int middle = 0; middle <= D; middle++) {
                test_ranges(K, middle, shapes[s], COLLAPSED);
                test_ranges(K, middle, shapes[s], BESSEL);
            }
            test_no_noise(K, shapes[s]);
            test_bessel(K, shapes[s]);
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
    }
    random_budget_kept();
    return check_report("tensor");
}
