/* The conditional distributions and the means of all models on data of several parts, with two
 * threads: with scripted counts, and exposures of no family that there is, so that rows differ in
 * both. First with a prior of so large a shape that a weight is (shape + counts)/(rate + exposure)
 * to seven digits: a wrong exposure of a single line is found. Then with an ordinary prior, all
 * weights of a factor together. */
#include "models.h"
#include "sampler.h"
#include "tensor_sweep.h"

enum { K = 3, N_SWEEPS = 150 };

/* Gamma(1e16) has a standard deviation of 1e-8 of its mean. */
static const ldp_gamma_prior sharp = {1e16, 1, 0, 0, 0, 0}, ordinary = {0.7, 1.3, 0, 0, 0, 0};
static const double TOL_SHARP = 1e-7;

/* Counts and exposures of all cells, 0 where they are not data. */
static double y[ROWS][COLUMNS], e[ROWS][COLUMNS];

typedef struct test {
    subject s, before; /* after a sweep, and before */
    int is_sharp;
    ldp_gamma_prior prior;
    script script;
    law uniform[4]; /* one for each factor */
    double worst[4];
} test;

static void set_prior(subject *s, ldp_gamma_prior prior) {
    s->topics.prior_theta = s->topics.prior_phi = prior;
    s->blocks.prior_theta = s->blocks.prior_pi = prior;
    s->topics.reflect = s->blocks.reflect = s->tensor.reflect = 0;
    for (int m = 0; m < LDP_MODES; m++)
        s->tensor.mode[m].prior = prior;
}

/* rest + extra <= 1; some rows have none of one of them. */
static void set_exposures(subject *s) {
    for (int d = 0; d < s->D; d++) {
        s->rest[d] = d % 6 == 5 ? 0 : 0.1 + 0.8 * ((d * 5) % 9) / 9;
        s->extra[d] = d % 4 == 3 ? 0 : (1 - s->rest[d]) * (1 + d % 3) / 3;
    }
}

static void set_tables(const test *t) {
    const subject *const s = &t->s;
    for (int d = 0; d < s->D; d++)
        for (int v = 0; v < s->V; v++) {
            const int is_data =
                !subject_is_network(s->kind) || (s->kind == DIRECTED ? d != v : d < v);
            y[d][v] = 0;
            e[d][v] = is_data ? example_exposure(&s->x.cells, s->rest, s->extra, d, v) : 0;
        }
    for (int d = 0; d < s->D; d++)
        for (size_t i = s->x.active_start[d]; i < s->x.active_start[d + 1]; i++)
            y[d][s->x.active_col[i]] = t->script.count[i];
}

static double start_size(model_kind kind, int factor) {
    if (subject_is_network(kind))
        return factor == 0 ? 1e7 : 1e4;
    return kind == TENSOR_4 ? 10 : 1e4;
}

/* In place. Sharp weights are of a size at which all terms of an exposure count. */
static void test_open(test *t, model_kind kind, int is_sharp) {
    *t = (test){.is_sharp = is_sharp, .prior = is_sharp ? sharp : ordinary};
    subject_open(&t->s, kind, COLLAPSED, K, 2);
    subject_open(&t->before, kind, COLLAPSED, K, 1);
    set_prior(&t->s, t->prior);
    set_exposures(&t->s);
    const size_t n = t->s.x.active_start[t->s.D];
    t->script = script_new(n);
    for (size_t i = 0; i < n && !is_sharp; i++)
        t->script.count[i] = (double)(i % 3 == 2 ? 40 : i % 3); /* none, one token, binomials */
    for (int i = 0; i < 2; i++) {
        t->s.noise[i].draw = script_draw;
        t->s.noise[i].state = &t->script;
    }
    for (int f = 0; f < t->s.n_factors; f++) {
        const double size = is_sharp ? start_size(kind, f) : 1;
        t->uniform[f] = law_uniform();
        for (size_t i = 0; i < t->before.length[f]; i++)
            t->before.array[f][i] *= size;
    }
    /* all counts of a row, or an actor, go to one component */
    for (int i = 0; i < t->s.D * K && !is_sharp; i++)
        t->before.array[0][i] = i % K == i / K % K ? 0.5 + i % 7 : 0;
    set_tables(t);
}

static void test_close(test *t) {
    for (int f = 0; f < t->s.n_factors; f++)
        law_free(&t->uniform[f]);
    script_free(&t->script);
    subject_close(&t->s);
    subject_close(&t->before);
}

static void see(test *t, int factor, double x, double count, double exposure) {
    const double right = (t->prior.shape + count) / (t->prior.rate + exposure);
    if (t->is_sharp)
        t->worst[factor] = fmax(t->worst[factor], fabs(x / right - 1));
    else
        see_gamma(&t->uniform[factor], x, t->prior, count, exposure);
}

/* --- topics ---------------------------------------------------------------------------------- */

static void see_topics(test *t) {
    const double *const theta = t->s.array[0], *const phi = t->s.array[1];
    const double *const phi_before = t->before.array[1];
    for (int d = 0; d < t->s.D; d++)
        for (int k = 0; k < K; k++) {
            double count = 0, exposure = 0;
            for (int v = 0; v < t->s.V; v++) {
                count += k == d % K ? y[d][v] : 0;
                exposure += e[d][v] * phi_before[v * K + k];
            }
            see(t, 0, theta[d * K + k], count, exposure);
        }
    for (int v = 0; v < t->s.V; v++)
        for (int k = 0; k < K; k++) {
            double count = 0, exposure = 0;
            for (int d = 0; d < t->s.D; d++) {
                count += k == d % K ? y[d][v] : 0;
                exposure += e[d][v] * theta[d * K + k];
            }
            see(t, 1, phi[v * K + k], count, exposure);
        }
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void see_actors(test *t) {
    const double *const theta = t->s.array[0], *const pi = t->before.array[1];
    for (int i = 0; i < t->s.D; i++)
        for (int c = 0; c < K; c++) {
            double count = 0, exposure = 0;
            for (int j = 0; j < t->s.D; j++) {
                /* those before i are drawn already */
                const double *const current = (j < i ? theta : t->before.array[0]) + j * K;
                count += c == i % K ? y[i][j] + y[j][i] : 0;
                for (int d = 0; d < K; d++)
                    exposure += (e[i][j] * pi[c + d * K] + e[j][i] * pi[d + c * K]) * current[d];
            }
            see(t, 0, theta[i * K + c], count, exposure);
        }
}

static void see_pi(test *t) {
    const double *const theta = t->s.array[0], *const pi = t->s.array[1];
    const int is_directed = t->s.kind == DIRECTED;
    for (int c = 0; c < K; c++)
        for (int d = is_directed ? 0 : c; d < K; d++) {
            double count = 0, exposure = 0;
            for (int i = 0; i < t->s.D; i++)
                for (int j = 0; j < t->s.D; j++) {
                    const int is_there = i % K == c && j % K == d;
                    const int is_mirrored = !is_directed && i % K == d && j % K == c;
                    count += is_there || is_mirrored ? y[i][j] : 0;
                    exposure += e[i][j] * theta[i * K + c] * theta[j * K + d];
                    if (!is_directed && c != d)
                        exposure += e[i][j] * theta[i * K + d] * theta[j * K + c];
                }
            see(t, 1, pi[c + d * K], count, exposure);
            if (!is_directed)
                CHECK_NEAR(pi[d + c * K], pi[c + d * K], TOL_EXACT);
        }
}

/* --- tensors --------------------------------------------------------------------------------- */

static int index_of(const ldp_tensor *model, int m, int d, int v) {
    if (m == 0)
        return d;
    for (int l = 1; l < m; l++)
        v /= model->mode[l].n;
    return v % model->mode[m].n;
}

/* Mode m was drawn given what the modes before it are now, and those after it were before. */
static void see_mode(test *t, int m) {
    const ldp_tensor *const model = &t->s.tensor;
    const size_t n = tensor_length(model, m);
    double *const count = new_doubles(n), *const exposure = new_doubles(n);
    for (int d = 0; d < t->s.D; d++)
        for (int v = 0; v < t->s.V; v++) {
            int line[4];
            for (int l = 0; l < model->M; l++)
                line[l] = index_of(model, l, d, v) * K;
            for (int k = 0; k < K; k++) {
                double product = e[d][v];
                for (int l = 0; l < model->M; l++)
                    if (l != m)
                        product *= (l < m ? &t->s : &t->before)->array[l][line[l] + k];
                exposure[line[m] + k] += product;
                count[line[m] + k] += k == d % K ? y[d][v] : 0;
            }
        }
    for (size_t i = 0; i < n; i++)
        see(t, m, t->s.array[m][i], count[i], exposure[i]);
    free(count);
    free(exposure);
}

/* --- all ------------------------------------------------------------------------------------- */

static void sweep_and_see(test *t) {
    subject *const s = &t->s;
    for (int f = 0; f < s->n_factors; f++)
        memcpy(s->array[f], t->before.array[f], s->length[f] * sizeof(double));
    if (s->kind == TENSOR_2 || s->kind == TENSOR_4) {
        tensor_half_sweep(&s->tensor, &s->at, s->work);
        for (int m = 0; m < s->tensor.M; m++)
            see_mode(t, m);
        return;
    }
    sweep_open(s->kernel, s->model, &s->at, ldp_stream_seed(), 2, s->work);
    if (s->kind == TOPICS) {
        see_topics(t);
    } else {
        see_actors(t);
        see_pi(t);
    }
}

/* --- means ----------------------------------------------------------------------------------- */

static double mean_of(const subject *s, int d, int v) {
    double mu = 0;
    for (int k = 0; k < K; k++) {
        if (subject_is_network(s->kind)) {
            for (int l = 0; l < K; l++)
                mu += s->blocks.theta[d * K + k] * s->blocks.pi[k + l * K] *
                      s->blocks.theta[v * K + l];
            continue;
        }
        double product = s->array[0][d * K + k];
        if (s->kind == TOPICS)
            product *= s->topics.phi[v * K + k];
        for (int m = 1; m < s->tensor.M; m++)
            product *= s->tensor.mode[m].theta[index_of(&s->tensor, m, d, v) * K + k];
        mu += product;
    }
    return mu;
}

typedef struct seen {
    const subject *s;
    size_t n_cells;
    int n_rests;
} seen;

static void see_means(void *state, int row, size_t first, int n, const double *y_tilde,
                      const double *mean) {
    seen *const to = state;
    const subject *const s = to->s;
    (void)y_tilde;
    CHECK(first == to->n_cells && first >= s->x.active_start[row] &&
              first + (size_t)n <= s->x.active_start[row + 1] && row == to->n_rests,
          "cells from %zu on of row %d", first, row);
    for (int i = 0; i < n; i++)
        CHECK_NEAR(mean[i] / mean_of(s, row, s->x.active_col[first + (size_t)i]), 1, TOL_SERIES);
    to->n_cells += (size_t)n;
}

/* The sum over the observed cells that are not active; a difference of sums. */
static void see_rest(void *state, int row, double sum) {
    seen *const to = state;
    const subject *const s = to->s;
    double all = 0, rest = 0;
    for (int v = 0; v < s->V; v++) {
        const int is_data =
            !subject_is_network(s->kind) || (s->kind == DIRECTED ? row != v : row < v);
        const double mean = is_data ? mean_of(s, row, v) : 0;
        all += mean;
        if (!example_holds(s->x.cells.active, row, v) && !example_holds(s->x.cells.missing, row, v))
            rest += mean;
    }
    CHECK(sum >= 0 && fabs(sum - rest) <= 1e-11 * all, "%s, rest of row %d: %g, should be %g",
          model_names[s->kind], row, sum, rest);
    to->n_rests++;
}

static void test_means(model_kind kind) {
    subject s;
    subject_open(&s, kind, COLLAPSED, K, 3);
    for (int i = 0; i < 3; i++) {
        seen to = {.s = &s};
        sweep_once(s.kernel, s.model, &s.at, s.work);
        sweep_visit(s.kernel, s.model, &s.at,
                    (ldp_visitor){.cells = see_means, .rest = see_rest, .state = &to}, s.work);
        CHECK(to.n_rests == s.D && to.n_cells == s.x.active_start[s.D], "%d rows", to.n_rests);
    }
    subject_close(&s);
}

/* --------------------------------------------------------------------------------------------- */

/* The distributions of weights given counts take half a minute, and are left to the extended tests.
 */
static void test_model(model_kind kind) {
    test t;
    test_open(&t, kind, 1);
    for (int i = 0; i < 3; i++)
        sweep_and_see(&t);
    for (int f = 0; f < t.s.n_factors; f++)
        CHECK(t.worst[f] <= TOL_SHARP, "%s, factor %d: an exposure is off by %g", model_names[kind],
              f, t.worst[f]);
    test_close(&t);
    if (!check_extended())
        return;
    test_open(&t, kind, 0);
    for (int i = 0; i < N_SWEEPS; i++)
        sweep_and_see(&t);
    for (int f = 0; f < t.s.n_factors; f++)
        law_check(&t.uniform[f], model_names[kind]);
    test_close(&t);
}

int main(void) {
    static const model_kind kinds[] = {TOPICS, DIRECTED, UNDIRECTED, TENSOR_2, TENSOR_4};
    check_begin();
    random_budget(2 + 2 + 2 + 2 + 4);
    set_seed(94, 1);
    for (int i = 0; i < 5; i++)
        test_model(kinds[i]);
    for (int i = 0; i < 5; i++)
        test_means(kinds[i]);
    random_budget_kept();
    return check_report("large");
}
