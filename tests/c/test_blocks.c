/* The block sampler: conditional distributions with scripted counts, the schemes for the noise, the
 * prior, and the size of its work space. test_ranges.c and test_large.c: larger data, ranges of
 * senders, and threads. */
#include "ldp_blocks.h"
#include "ldp_density.h"
#include "ldp_privpois.h"
#include "sampler.h"
#include "sweep.h"

#define NO INT_MIN
enum { V = 6 };

/* By columns; the diagonal is no data, whatever stands there. Actor 3 sends hardly anything that
 * is observed, actor 4 receives hardly anything, actor 5 sends nothing positive. */
static const int table[V * V] = {
    99, 0,  -2, NO, 7,  0, /* */
    1,  NO, 4,  NO, 0,  -1, /* */
    0,  2,  -9, 5,  1,  0, /* */
    6,  -1, 0,  NO, 2,  -4, /* */
    NO, 1,  NO, NO, 55, NO, /* */
    3,  -2, 1,  NO, 8,  3,
};
static const double alphas[V] = {0.3, 0.6, 0.9, 0.05, 0, 0.5};
static const double zeros[V] = {0};
static const ldp_gamma_prior prior_theta = {0.7, 1.3, 0, 0, 0, 0},
                             prior_pi = {0.6, 0.8, 0, 0, 0, 0};

typedef struct fit {
    int C;
    example x;
    double *theta, *pi, *rest, *extra, *work, *g1, *g2;
    ldp_bessel_state bessel;
    ldp_blocks model;
    ldp_noise noise;
    ldp_setting at;
} fit;

typedef enum { COLLAPSED, BESSEL } scheme;
enum { UNDIRECTED, DIRECTED };

/* In place, because the noise of the Bessel scheme points into it. */
static void fit_open(fit *f, int C, int directed, const int *counts, const double *alpha,
                     scheme kind) {
    const ldp_table table_kind = directed ? LDP_DIRECTED : LDP_UNDIRECTED;
    const ldp_source source = {V, V, NULL, NULL, counts, NULL, kind == BESSEL, table_kind};
    f->C = C;
    f->x = example_new(&source, alpha);
    const size_t n_cells = f->x.active_start[V];
    f->theta = new_doubles((size_t)(V * C));
    f->pi = new_doubles((size_t)(C * C));
    f->rest = new_doubles(V);
    f->extra = new_doubles(V);
    f->g1 = new_doubles(n_cells);
    f->g2 = new_doubles(n_cells);
    f->bessel = (ldp_bessel_state){f->g1, f->g2};
    for (size_t e = 0; e < n_cells; e++) /* y = max(y_tilde, 0), the rest is noise */
        f->g2[e] = fmax(-f->x.y_tilde[e], 0);
    f->noise = kind == BESSEL ? ldp_noise_bessel(V, &f->bessel, f->rest, f->extra)
                              : ldp_noise_collapsed(V, alpha, f->rest, f->extra);
    f->model = (ldp_blocks){.C = C,
                            .prior_theta = prior_theta,
                            .prior_pi = prior_pi,
                            .theta = f->theta,
                            .pi = f->pi,
                            .directed = directed};
    f->at = (ldp_setting){.cells = &f->x.cells, .noise = &f->noise, .n_threads = 1};
    f->work = new_garbage(ldp_blocks_kernel.work(&f->model, &f->at));
    for (int i = 0; i < V * C; i++)
        f->theta[i] = 0.2 + 0.3 * (i % 4);
    for (int i = 0; i < C * C; i++)
        f->pi[i] = 0.1 + 0.4 * (directed ? i % 5 : (i % C + i / C) % 5);
}

static void fit_close(fit *f) {
    example_free(&f->x);
    free(f->theta);
    free(f->pi);
    free(f->rest);
    free(f->extra);
    free(f->work);
    free(f->g1);
    free(f->g2);
}

static void sweep(fit *f) {
    sweep_once(&ldp_blocks_kernel, &f->model, &f->at, f->work);
}

/* A sweep but for the rescaling at its end; returns its last phase. */
static int half_sweep(fit *f) {
    return sweep_open(&ldp_blocks_kernel, &f->model, &f->at, ldp_stream_seed(), SWEEP_WHOLE,
                      f->work);
}

/* e_ij; the diagonal is no data, nor is what lies below it where pairs are counted once */
static int is_data(const fit *f, int i, int j) {
    return f->model.directed ? i != j : i < j;
}

static double exposure(const fit *f, int i, int j) {
    return !is_data(f, i, j) ? 0 : example_exposure(&f->x.cells, f->rest, f->extra, i, j);
}

/* ---- conditional distributions -----------------------------------------------------------------
 * */

/* Actor i is in community i mod C alone, so all its counts are there, in either role. */
static double theta_before(int C, int i, int c) {
    return c == i % C ? 0.5 + i : 0;
}

/* Not symmetric in a directed network: the two roles differ. */
static double pi_before(const fit *f, int c, int d) {
    const int C = f->C;
    return 0.1 + 0.25 * (f->model.directed ? (3 * c + C * d) % 7 : (3 * (c + d) + c * d) % 7);
}

static void reset(fit *f) {
    for (int i = 0; i < V * f->C; i++)
        f->theta[i] = theta_before(f->C, i / f->C, i % f->C);
    for (int i = 0; i < f->C * f->C; i++)
        f->pi[i] = pi_before(f, i % f->C, i / f->C);
}

/* What is known of a fit with scripted counts: y_ij and e_ij as full tables. */
typedef struct truth {
    double y[V][V], e[V][V];
} truth;

static truth truth_of(const fit *f, const script *s) {
    truth t = {0};
    for (int i = 0; i < V; i++) {
        for (size_t e = f->x.active_start[i]; e < f->x.active_start[i + 1]; e++)
            t.y[i][f->x.active_col[e]] = s->count[e];
        for (int j = 0; j < V; j++)
            t.e[i][j] = exposure(f, i, j);
    }
    return t;
}

/* theta_jd as actor i sees it when its turn comes: those before it are drawn anew. */
static double theta_current(const fit *f, int i, int j, int d) {
    return j < i ? f->theta[j * f->C + d] : theta_before(f->C, j, d);
}

static void see_theta(const fit *f, const truth *t, law *uniform) {
    const int C = f->C;
    for (int i = 0; i < V; i++)
        for (int c = 0; c < C; c++) {
            double count = 0, rate = 0;
            for (int j = 0; j < V; j++) {
                count += c == i % C ? t->y[i][j] + t->y[j][i] : 0;
                for (int d = 0; d < C; d++)
                    rate += (t->e[i][j] * pi_before(f, c, d) + t->e[j][i] * pi_before(f, d, c)) *
                            theta_current(f, i, j, d);
            }
            see_gamma(&uniform[i * C + c], f->theta[i * C + c], prior_theta, count, rate);
        }
}

static void see_pi(const fit *f, const truth *t, law *uniform) {
    const int C = f->C;
    for (int c = 0; c < C; c++)
        for (int d = 0; d < C; d++) {
            const int is_folded = !f->model.directed && c != d;
            double count = 0, rate = 0;
            for (int i = 0; i < V; i++)
                for (int j = 0; j < V; j++) {
                    const int c_to_d = c == i % C && d == j % C, d_to_c = d == i % C && c == j % C;
                    count += c_to_d || (is_folded && d_to_c) ? t->y[i][j] : 0;
                    rate += t->e[i][j] * f->theta[i * C + c] * f->theta[j * C + d];
                    if (is_folded)
                        rate += t->e[i][j] * f->theta[i * C + d] * f->theta[j * C + c];
                }
            if (is_folded)
                CHECK_NEAR(f->pi[c + d * C], f->pi[d + c * C], 0);
            see_gamma(&uniform[c + d * C], f->pi[c + d * C], prior_pi, count, rate);
        }
}

/* What the sampler told the draw of a latent count. */
static void check_script(const fit *f, const script *s) {
    const int C = f->C;
    for (int i = 0; i < V; i++)
        for (size_t e = f->x.active_start[i]; e < f->x.active_start[i + 1]; e++) {
            const int j = f->x.active_col[e];
            CHECK(is_data(f, i, j), "cell (%d, %d) is active", i, j);
            CHECK_NEAR(s->mu[e], (0.5 + i) * pi_before(f, i % C, j % C) * (0.5 + j), TOL_ROUNDING);
            CHECK_NEAR(s->alpha[e], alphas[i], TOL_EXACT);
            CHECK_NEAR(s->y_tilde[e], table[i + j * V], TOL_EXACT);
        }
}

static void test_conditionals(int C, int directed) {
    fit f;
    fit_open(&f, C, directed, table, alphas, COLLAPSED);
    const size_t n_cells = f.x.active_start[V];
    script s = script_new(n_cells);
    for (size_t e = 0; e < n_cells; e++)
        s.count[e] = (double)(e % 3 == 2 ? 40 : e % 3); /* none, one token, binomials */
    f.noise.draw = script_draw;
    f.noise.state = &s;
    const truth t = truth_of(&f, &s);
    law *const theta = uniforms_new(V * C), *const pi = uniforms_new(C * C);
    const int n_sweeps = check_some(10000);
    for (int i = 0; i < n_sweeps; i++) {
        reset(&f);
        half_sweep(&f);
        see_theta(&f, &t, theta);
        see_pi(&f, &t, pi);
    }
    check_script(&f, &s);
    uniforms_check(theta, V * C, "theta");
    uniforms_check(pi, C * C, "pi");
    script_free(&s);
    fit_close(&f);
}

/* The split of a count over pairs of communities, by the mean of pi: with no exposure at all,
 * a factor is Gamma(a + counts, b), so its mean gives the mean number of counts. One cell
 * (0, 1) with 10 counts falls on (c, d) with probability theta_0c pi_cd theta_1d / mu. */
static void test_split(void) {
    enum { C = 2, N = 20000, Y = 10 };
    int counts[V * V];
    for (int i = 0; i < V * V; i++)
        counts[i] = i == V ? Y : NO;
    fit f;
    fit_open(&f, C, DIRECTED, counts, zeros, COLLAPSED);
    f.rest[0] = f.extra[0] = 0;
    const double theta0[] = {1, 3}, theta1[] = {2, 0.5}, pi[] = {1, 2, 4, 3}; /* pi[c + 2 d] */
    const double mu = 1 * 2 * 1 + 3 * 2 * 2 + 1 * 0.5 * 4 + 3 * 0.5 * 3;
    double sums[C * C] = {0}, sender = 0, receiver = 0;
    for (int n = 0; n < N; n++) {
        memcpy(f.theta, theta0, sizeof theta0);
        memcpy(f.theta + C, theta1, sizeof theta1);
        memcpy(f.pi, pi, sizeof pi);
        half_sweep(&f);
        for (int i = 0; i < C * C; i++)
            sums[i] += f.pi[i];
        sender += f.theta[1];
        receiver += f.theta[C + 1];
    }
    /* the mean of Gamma(a + n, b), n ~ Binom(Y, p), and its variance */
    for (int i = 0; i < C * C; i++) {
        const double p = theta0[i % C] * theta1[i / C] * pi[i] / mu, b = prior_pi.rate;
        check_mean(sums[i], N, (prior_pi.shape + Y * p) / b,
                   (prior_pi.shape + Y * p + Y * p * (1 - p)) / (b * b), "split, pi");
    }
    const double p_sender = (12 + 4.5) / mu, p_receiver = (2 + 4.5) / mu, b = prior_theta.rate;
    check_mean(sender, N, (prior_theta.shape + Y * p_sender) / b,
               (prior_theta.shape + Y * p_sender * (2 - p_sender)) / (b * b), "split, sender");
    check_mean(receiver, N, (prior_theta.shape + Y * p_receiver) / b,
               (prior_theta.shape + Y * p_receiver * (2 - p_receiver)) / (b * b),
               "split, receiver");
    fit_close(&f);
}

/* ---- whole sweeps --------------------------------------------------------------------- */

static void test_sweeps(int C, int directed, const double *alpha, scheme kind) {
    fit f, again;
    fit_open(&f, C, directed, table, alpha, kind);
    fit_open(&again, C, directed, table, alpha, kind);
    set_seed(102, (unsigned)C);
    for (int i = 0; i < 30; i++) {
        sweep(&f);
        CHECK(all_proper(f.theta, V * C) && all_proper(f.pi, C * C), "sweep %d, C = %d", i, C);
    }
    set_seed(102, (unsigned)C);
    for (int i = 0; i < 30; i++)
        sweep(&again);
    CHECK(memcmp(f.theta, again.theta, (size_t)(V * C) * sizeof(double)) == 0, "same seed");
    CHECK(memcmp(f.pi, again.pi, (size_t)(C * C) * sizeof(double)) == 0, "same seed");
    sweep(&again);
    CHECK(f.theta[0] != again.theta[0] && f.pi[0] != again.pi[0], "a sweep moves");
    fit_close(&f);
    fit_close(&again);
}

/* Bessel scheme: g1 - g2 is the noise of a possible count. */
static void test_bessel(int C) {
    fit f;
    fit_open(&f, C, DIRECTED, table, alphas, BESSEL);
    for (int i = 0; i < 20; i++) {
        int n_wrong = 0;
        sweep(&f);
        for (size_t e = 0; e < f.x.active_start[V]; e++)
            n_wrong += !(f.x.y_tilde[e] - f.g1[e] + f.g2[e] >= 0 && f.g1[e] >= 0 && f.g2[e] >= 0);
        CHECK(n_wrong == 0, "%d cells", n_wrong);
    }
    fit_close(&f);
}

/* Factors as small as ldp_gamma_draw makes them: their products are 0, yet without noise there
 * are counts to split, by tokens and by binomials. The shapes are above 0.5, so that no right
 * draw comes near DBL_MIN again: a factor that is there was given a count that is not a number. */
static void test_smallest_factors(int C) {
    fit f;
    fit_open(&f, C, DIRECTED, table, zeros, COLLAPSED);
    for (int i = 0; i < V * C; i++)
        f.theta[i] = DBL_MIN;
    for (int i = 0; i < C * C; i++)
        f.pi[i] = DBL_MIN;
    sweep(&f);
    CHECK(all_above_floor(f.theta, V * C), "theta, C = %d", C);
    CHECK(all_above_floor(f.pi, C * C), "pi, C = %d", C);
    fit_close(&f);
}

/* Nothing observed: every sweep is an independent draw from the prior. */
static void test_prior(int directed, scheme kind) {
    enum { C = 2, N = 20000 };
    int missing[V * V];
    double theta[V * C] = {0}, pi[C * C] = {0};
    for (int i = 0; i < V * V; i++)
        missing[i] = NO;
    fit f;
    fit_open(&f, C, directed, missing, alphas, kind);
    for (int i = 0; i < N; i++) {
        sweep(&f);
        for (int j = 0; j < V * C; j++)
            theta[j] += f.theta[j];
        for (int j = 0; j < C * C; j++)
            pi[j] += f.pi[j];
    }
    check_prior_means(theta, V * C, N, prior_theta, "theta from its prior");
    check_prior_means(pi, C * C, N, prior_pi, "pi from its prior");
    fit_close(&f);
}

/* ---- means, and moves that leave them -------------------------------------------------------- */

static double mean_of(const fit *f, int i, int j) {
    double mu = 0;
    for (int c = 0; c < f->C; c++)
        for (int d = 0; d < f->C; d++)
            mu += f->theta[i * f->C + c] * f->pi[c + d * f->C] * f->theta[j * f->C + d];
    return mu;
}

/* Over the observed cells one by one, those at or below zero without what has no mu in it. */
static void test_log_density(int C, int directed, scheme kind) {
    fit f;
    fit_open(&f, C, directed, table, alphas, kind);
    double expected = 0;
    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++) {
            if (!is_data(&f, i, j))
                continue;
            const int k = table[i + j * V];
            const double mu = mean_of(&f, i, j);
            if (k != NO)
                expected += k > 0 ? ldp_privpois_log_pmf(k, mu, alphas[i]) : -(1 - alphas[i]) * mu;
        }
    ldp_quick quick = {0};
    ldp_density density = {.noise = &f.noise, .cells = &f.x.cells, .quick = &quick};
    sweep_visit(&ldp_blocks_kernel, &f.model, &f.at, ldp_density_reader(&density), f.work);
    CHECK_NEAR(density.sum, expected, TOL_SERIES);
    fit_close(&f);
}

/* The end of a sweep moves the scales of communities, and the rates that are random, and no mean.
 */
static void check_end(fit *f, double rate_pi) {
    double before[V * V];
    const int last = half_sweep(f);
    for (int i = 0; i < V * V; i++)
        before[i] = mean_of(f, i % V, i / V);
    const double first = f->theta[0];
    sweep_close(&ldp_blocks_kernel, &f->model, &f->at, last, f->work);
    CHECK(fabs(f->theta[0] / first - 1) > 1e-6, "theta stays %g", first);
    for (int i = 0; i < V * V; i++)
        CHECK_NEAR(mean_of(f, i % V, i / V), before[i], TOL_ROUNDING);
    CHECK_NEAR(f->model.prior_theta.rate, prior_theta.rate, TOL_EXACT);
    CHECK((f->model.prior_pi.rate != prior_pi.rate) == (rate_pi > 0), "the rate of pi");
}

/* What scales has every weight of pi; its prior is that of the weights, each counted once. */
static void check_scalable(const fit *f) {
    const int C = f->C;
    const ldp_scalable scalable = ldp_blocks_kernel.scalable(&f->model, &f->at);
    double all = 0, once = 0, n_once = 0;
    for (int d = 0; d < C; d++)
        for (int c = 0; c < C; c++) {
            all += f->pi[c + d * C];
            once += f->model.directed || c <= d ? f->pi[c + d * C] : 0;
            n_once += f->model.directed || c <= d;
        }
    CHECK(scalable.n == C && scalable.K == C && !scalable.by_row && scalable.factor == f->pi,
          "pi is what scales");
    CHECK_NEAR(C * C * scalable.shape, n_once * prior_pi.shape, TOL_ROUNDING);
    CHECK_NEAR(all * scalable.rate, once * f->model.prior_pi.rate, TOL_ROUNDING);
}

static void test_rescale(int C, int directed) {
    double rates[2];
    fit f;
    fit_open(&f, C, directed, table, alphas, COLLAPSED);
    check_end(&f, 0);
    f.model.prior_pi.hyper_shape = 2;
    f.model.prior_pi.hyper_rate = 3;
    f.model.rates = rates;
    check_end(&f, 3);
    CHECK(rates[0] == f.model.prior_theta.rate && rates[1] == f.model.prior_pi.rate, "rates");
    check_scalable(&f);
    fit_close(&f);
}

int main(void) {
    check_begin();
    random_budget(2 * ((V + 1) + (2 * V + 4) + (3 * V + 9)) + 6 + 3 * (2 * V + 4));
    set_seed(100, 1);
    for (int C = 1; C <= 3; C++) {
        test_conditionals(C, DIRECTED);
        test_conditionals(C, UNDIRECTED);
    }
    test_split();
    test_prior(DIRECTED, COLLAPSED);
    test_prior(DIRECTED, BESSEL);
    test_prior(UNDIRECTED, COLLAPSED);
    for (int C = 1; C <= 5; C++) {
        test_sweeps(C, DIRECTED, zeros, COLLAPSED);
        test_smallest_factors(C);
        test_bessel(C);
        for (int directed = 0; directed < 2; directed++) {
            test_sweeps(C, directed, alphas, COLLAPSED);
            test_sweeps(C, directed, alphas, BESSEL);
            test_log_density(C, directed, COLLAPSED);
            test_log_density(C, directed, BESSEL);
            test_rescale(C, directed);
        }
    }
    random_budget_kept();
    return check_report("blocks");
}
