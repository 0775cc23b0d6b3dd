/* What a document adds, against the definition in long double; the clip, and what it promises; the
 * bound, against integration; and which tokens stay. */
#include <string.h>

#include <Rmath.h>

#include "check.h"
#include "ldp_lda_vi.h"
#include "random.h"

enum { K = 3, V = 7, DOCUMENTS = 40 };

static const double ALPHA[K] = {0.5, 0.03, 1.2};

/* Documents one after the other, with all words listed but those of count 0. */
typedef struct corpus {
    size_t start[DOCUMENTS + 1];
    int word[DOCUMENTS * V];
    double count[DOCUMENTS * V];
    ldp_cells cells;
} corpus;

static void corpus_make(corpus *c, double (*counts)[V], int n) {
    size_t e = 0;
    for (int d = 0; d < n; d++) {
        c->start[d] = e;
        for (int v = 0; v < V; v++)
            if (counts[d][v] > 0) {
                c->word[e] = v;
                c->count[e++] = counts[d][v];
            }
    }
    c->start[n] = e;
    c->cells = (ldp_cells){.D = n, .V = V, .active = {c->start, c->word}, .y_tilde = c->count};
}

static void random_counts(double (*counts)[V], int n) {
    for (int d = 0; d < n; d++)
        for (int v = 0; v < V; v++)
            counts[d][v] = rnbinom(0.4, 0.4 / (0.4 + 3.0 * (d % 5)));
}

/* Peaked weights too: some words have nearly none in most topics. */
static void random_beta(double *beta) {
    for (int i = 0; i < V * K; i++)
        beta[i] = exp(-rexp(i % 2 ? 1 : 20));
}

static ldp_lda_vi model_of(const double *beta) {
    return (ldp_lda_vi){K, 100, 1e-3, ALPHA, beta};
}

static double *added(const ldp_lda_vi *model, const ldp_cells *cells, double limit) {
    double *const sums = new_doubles(V * K), *const work = new_doubles(ldp_lda_vi_work(K, V));
    ldp_lda_vi_add(model, cells, 0, cells->D, limit, sums, work);
    for (int i = 0; i < V * K; i++)
        sums[i] *= model->beta[i];
    free(work);
    return sums;
}

static double norm(const double *x) {
    double squares = 0;
    for (int i = 0; i < V * K; i++)
        squares += x[i] * x[i];
    return sqrt(squares);
}

/* c_v phi_vk of one document as the header has it. */
static void by_definition(const double *beta, const double *counts, double *S) {
    long double gamma[K] = {1, 1, 1}, next[K], change = 1;
    for (int t = 0; t < 100 && change >= 1e-3L; t++) {
        memcpy(next, (long double[K]){ALPHA[0], ALPHA[1], ALPHA[2]}, sizeof next);
        for (int v = 0; v < V; v++) {
            long double total = 0;
            for (int k = 0; k < K; k++)
                total += expl((long double)digamma((double)gamma[k])) * beta[v * K + k];
            for (int k = 0; k < K; k++) {
                const long double phi =
                    expl((long double)digamma((double)gamma[k])) * beta[v * K + k] / total;
                S[v * K + k] = (double)(counts[v] * phi);
                next[k] += counts[v] * phi;
            }
        }
        change = 0;
        for (int k = 0; k < K; k++)
            change += fabsl(next[k] - gamma[k]) / K;
        memcpy(gamma, next, sizeof next);
    }
}

/* Unclipped and clipped; one by one, and added up. */
static void test_add(void) {
    double counts[DOCUMENTS][V], beta[V * K], S[V * K];
    corpus c;
    set_seed(1, 2);
    random_counts(counts, DOCUMENTS);
    random_beta(beta);
    const ldp_lda_vi model = model_of(beta);
    double together[V * K] = {0};
    for (int d = 0; d < DOCUMENTS; d++) {
        corpus_make(&c, &counts[d], 1);
        by_definition(beta, counts[d], S);
        double *const whole = added(&model, &c.cells, INFINITY);
        double *const clipped = added(&model, &c.cells, 2);
        for (int i = 0; i < V * K; i++) {
            CHECK_NEAR(whole[i], S[i], TOL_SERIES);
            CHECK_NEAR(clipped[i], S[i] * fmin(1, 2 / fmax(norm(S), 1e-300)), TOL_SERIES);
            together[i] += clipped[i];
        }
        free(whole);
        free(clipped);
    }
    corpus_make(&c, counts, DOCUMENTS);
    double *const sums = added(&model, &c.cells, 2);
    for (int i = 0; i < V * K; i++)
        CHECK_NEAR(sums[i], together[i], TOL_SERIES);
    free(sums);
}

/* Documents that add most: long ones, pure ones, whose words are of one topic each. */
static void extreme_counts(double (*counts)[V]) {
    for (int d = 0; d < DOCUMENTS; d++)
        for (int v = 0; v < V; v++)
            counts[d][v] = d < V       ? (v == d) * 1e6
                           : d < 2 * V ? (v == d - V)
                           : d % 2     ? 1
                                       : 1e9 * (v == d % V);
}

/* No document adds more than the limit, and no two differ by more than sqrt(2) times that. Two
 * documents of different words and topics do: the bound is attained. */
static void test_clip(void) {
    static const double limits[] = {0.01, 0.5, 3, 1e4};
    double counts[DOCUMENTS][V], beta[V * K];
    set_seed(3, 4);
    for (int round = 0; round < 60; round++) {
        const double limit = limits[round % 4];
        corpus c;
        double *S[DOCUMENTS], farthest = 0;
        if (round % 2)
            random_counts(counts, DOCUMENTS);
        else
            extreme_counts(counts);
        random_beta(beta);
        const ldp_lda_vi model = model_of(beta);
        for (int d = 0; d < DOCUMENTS; d++) {
            corpus_make(&c, &counts[d], 1);
            S[d] = added(&model, &c.cells, limit);
            CHECK(norm(S[d]) <= limit * (1 + TOL_ROUNDING), "norm %.17g above %g", norm(S[d]),
                  limit);
            for (int other = 0; other < d; other++) {
                double apart[V * K];
                for (int i = 0; i < V * K; i++)
                    apart[i] = S[d][i] - S[other][i];
                farthest = fmax(farthest, norm(apart) / limit);
            }
        }
        CHECK(farthest <= M_SQRT2 * (1 + TOL_ROUNDING), "%.17g limits apart", farthest);
        if (round % 2 == 0)
            CHECK(farthest > 1.2, "the extreme pairs are %g limits apart", farthest);
        for (int d = 0; d < DOCUMENTS; d++)
            free(S[d]);
    }
}

/* Weights that underflow give no NaN, and no more than the limit. */
static void test_underflow(void) {
    double counts[1][V] = {{1, 2, 0, 5, 0, 0, 1e8}}, beta[V * K] = {0};
    corpus c;
    for (int v = 1; v < V; v++)
        beta[v * K + v % K] = 1;
    beta[3 * K] = 1e-320;
    const ldp_lda_vi model = model_of(beta);
    corpus_make(&c, counts, 1);
    double *const S = added(&model, &c.cells, 2);
    for (int i = 0; i < V * K; i++)
        CHECK(isfinite(S[i]) && S[i] >= 0, "entry %d is %g", i, S[i]);
    CHECK(norm(S) <= 2 * (1 + TOL_ROUNDING), "norm %g", norm(S));
    free(S);
}

/* log of the integral of prod_v (sum_k theta_k beta_vk)^c_v over two topics, by the midpoint rule
 * on the scale of probabilities of the beta distribution. */
static double log_evidence(const double *alpha, const double *beta, const double *counts) {
    enum { POINTS = 20000 };
    long double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double theta = qbeta((i + 0.5) / POINTS, alpha[0], alpha[1], 1, 0);
        double log_p = 0;
        for (int v = 0; v < V; v++)
            log_p += counts[v] * log(theta * beta[2 * v] + (1 - theta) * beta[2 * v + 1]);
        sum += expl(log_p);
    }
    return (double)logl(sum / POINTS);
}

/* Blei, Ng and Jordan's equation 15, term by term, at the fixed point. */
static double bound_by_definition(const double *alpha, const double *beta, const double *counts) {
    double gamma[2] = {1, 1}, phi[V][2], log_theta[2], bound = 0;
    for (int t = 0; t < 3000; t++) {
        double next[2] = {alpha[0], alpha[1]};
        for (int v = 0; v < V; v++) {
            double weight[2];
            for (int k = 0; k < 2; k++)
                weight[k] = exp(digamma(gamma[k])) * beta[2 * v + k];
            for (int k = 0; k < 2; k++)
                next[k] += counts[v] * (phi[v][k] = weight[k] / (weight[0] + weight[1]));
        }
        memcpy(gamma, next, sizeof next);
    }
    for (int k = 0; k < 2; k++)
        log_theta[k] = digamma(gamma[k]) - digamma(gamma[0] + gamma[1]);
    for (int k = 0; k < 2; k++) {
        bound += (alpha[k] - 1) * log_theta[k] - lgammafn(alpha[k]);
        bound -= (gamma[k] - 1) * log_theta[k] - lgammafn(gamma[k]);
        for (int v = 0; v < V; v++)
            bound += counts[v] * phi[v][k] * (log_theta[k] + log(beta[2 * v + k] / phi[v][k]));
    }
    return bound + lgammafn(alpha[0] + alpha[1]) - lgammafn(gamma[0] + gamma[1]);
}

/* By definition, and below the truth; cut at the limit; nothing of an empty document. */
static void test_score(void) {
    static const double alpha[2] = {0.7, 1.4};
    double beta[2 * V], *const work = new_doubles(ldp_lda_vi_work(2, V));
    double totals[2] = {0};
    set_seed(5, 6);
    for (int v = 0; v < V; v++)
        for (int k = 0; k < 2; k++)
            totals[k] += beta[2 * v + k] = rexp(1);
    for (int i = 0; i < 2 * V; i++)
        beta[i] /= totals[i % 2];
    const ldp_lda_vi model = {2, 1000, 1e-12, alpha, beta};
    double counts[DOCUMENTS][V];
    corpus c;
    random_counts(counts, DOCUMENTS);
    for (int d = 0; d < DOCUMENTS; d += check_extended() ? 1 : 3) { /* the sums take long */
        double length = 0;
        for (int v = 0; v < V; v++)
            length += counts[d][v] = fmin(counts[d][v], 6);
        corpus_make(&c, &counts[d], 1);
        const double score = ldp_lda_vi_score(&model, &c.cells, 0, 1, 100, work);
        const double truth = log_evidence(alpha, beta, counts[d]);
        const double cut = ldp_lda_vi_score(&model, &c.cells, 0, 1, 1, work);
        if (length == 0) {
            CHECK_NEAR(score, 0, TOL_EXACT);
            continue;
        }
        CHECK(score * length <= truth + 1e-4, "%g above log p = %g", score * length, truth);
        CHECK_NEAR(score * length, bound_by_definition(alpha, beta, counts[d]), TOL_DIFFERENCE);
        CHECK_NEAR(cut, fmax(-1, score), TOL_ROUNDING);
    }
    free(work);
}

/* With one topic the bound is log p itself. */
static void test_one_topic(void) {
    double beta[V], counts[1][V] = {{3, 0, 1, 0, 9, 0, 2}}, *const work = new_doubles(3 + V);
    double log_p = 0;
    corpus c;
    for (int v = 0; v < V; v++)
        log_p += counts[0][v] * log(beta[v] = (v + 1) / 28.0);
    const ldp_lda_vi model = {1, 100, 1e-3, ALPHA, beta};
    corpus_make(&c, counts, 1);
    CHECK_NEAR(ldp_lda_vi_score(&model, &c.cells, 0, 1, 100, work), log_p / 15, TOL_SERIES);
    free(work);
}

/* Words of so many tokens, cut to `most` tokens: the hypergeometric distribution, word by word; and
 * as many tokens as there should be. */
static void check_shorten(const double *full, double most, uint64_t seed) {
    enum { N = 100000, LAST = 80 };
    const double all = full[0] + full[1] + full[2];
    law left[3];
    for (int v = 0; v < 3; v++) {
        left[v] = law_new(0, LAST + 1);
        for (int x = 0; x <= LAST; x++)
            left[v].p[x] = dhyper(x, full[v], all - full[v], most, 0);
    }
    ldp_stream stream = ldp_stream_seeded(seed);
    for (int i = 0; i < N; i++) {
        double counts[3] = {full[0], full[1], full[2]};
        ldp_lda_vi_shorten(3, counts, most, &stream);
        const double kept = counts[0] + counts[1] + counts[2];
        CHECK(kept >= most && kept <= most, "%g tokens", kept);
        for (int v = 0; v < 3; v++)
            law_see(&left[v], counts[v]);
    }
    for (int v = 0; v < 3; v++) {
        law_check(&left[v], "tokens left");
        law_free(&left[v]);
    }
}

static void test_shorten(void) {
    static const double few[3] = {2, 1, 3}, many[3] = {2147483647, 5e8, 3e8},
                        mixed[3] = {70, 3, 90};
    random_budget(9);
    check_shorten(few, 2, 11);
    check_shorten(many, 40, 12);
    check_shorten(mixed, 75, 13);
    ldp_stream stream = ldp_stream_seeded(14);
    double counts[3] = {2, 1, 3};
    ldp_lda_vi_shorten(3, counts, 6, &stream);
    CHECK(counts[0] == 2 && counts[1] == 1 && counts[2] == 3, "a short document stays");
    random_budget_kept();
}

int main(void) {
    check_begin();
    test_add();
    test_clip();
    test_underflow();
    test_score();
    test_one_topic();
    test_shorten();
    return check_report("lda_vi");
}
