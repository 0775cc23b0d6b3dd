/* Latent counts by tokens: alias tables have the probabilities of their weights; the counts of each
 * cell have the distribution that they have given its release, whichever way a row is drawn. */
#include <string.h>

#include "ldp_random.h"
#include "ldp_tokens.h"
#include "ldp_truecount.h"
#include "random.h"

enum { N = 100000 };

static ldp_stream stream;

/* --- alias tables -------------------------------------------------------------------------------
 */

static void check_table(int n, const double *weight, size_t stride) {
    ldp_alias *const table = malloc((size_t)n * sizeof *table);
    double *const work = new_doubles((size_t)(2 * n)), *const p = new_doubles((size_t)n);
    double sum = 0, furthest = 0;
    ldp_alias_build(n, weight, stride, table, work);
    for (int i = 0; i < n; i++) {
        const double keep = table[i].keep / 4294967296.0;
        p[i] += keep / n;
        p[table[i].other] += (1 - keep) / n;
        sum += weight[(size_t)i * stride];
    }
    for (int i = 0; i < n; i++)
        furthest = fmax(furthest, fabs(p[i] - weight[(size_t)i * stride] / sum));
    CHECK(furthest < 1e-9, "%d weights: %g", n, furthest);
    free(table);
    free(work);
    free(p);
}

static void test_tables(void) {
    double *const weight = new_doubles(3000);
    const double extreme[] = {1e-300, 1e-308, 3e-300, 0}, equal[] = {2, 2, 2, 2, 2};
    for (int i = 0; i < 3000; i++)
        weight[i] = ldp_random_gamma(&stream, 0.1);
    check_table(1, weight, 1);
    check_table(2, weight, 1);
    check_table(3000, weight, 1);
    check_table(1000, weight + 1, 3);
    check_table(4, extreme, 1);
    check_table(5, equal, 1);
    const ldp_alias one = {UINT32_MAX, 0};
    CHECK(ldp_alias_at(1, &one, 1 - 1e-16) == 0, "the last uniform");
    free(weight);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

enum { K = 2, V = 5 };

static const double theta[K] = {0.8, 0.3};
static const double phi[V * K] = {1.5, 0.2, 0.4, 3, 0.7, 0.7, 2, 1, 0.1, 2.5};
static const int column[] = {1, 2, 4}, missing_column[] = {3};
static const size_t start[] = {0, 3}, missing_start[] = {0, 1};

typedef enum way { BY_TOKENS, BY_CELLS } way;

/* The counts of a row with releases (-2, 1, 4, NA, 2) */
static void test_row(double alpha, way how) {
    const double y_tilde[] = {1, 4, 2}, released[] = {-2, 1, 4, 0, 2};
    const ldp_cells cells = {.D = 1,
                             .V = V,
                             .D_all = 1,
                             .active = {start, column},
                             .y_tilde = y_tilde,
                             .missing = {missing_start, missing_column},
                             .alpha = &alpha,
                             .by_tokens = 1};
    double rest, ones, zeros, total[K] = {0, 0}, work[2 * K], build[2 * V];
    const ldp_noise noise = ldp_noise_tokens(1, &alpha, &rest, &ones, &zeros);
    ldp_alias alias[K * V];
    int32_t hits[V] = {0}, release[V] = {0}, token[LDP_TOKENS_KEPT];
    const ldp_tokens tokens = {K, V, phi, total, alias, hits, release, token};
    enum { MOST = 40 };
    law laws[V];
    double first = 0;
    int n_wrong = 0;
    for (int k = 0; k < K; k++) {
        for (int v = 0; v < V; v++)
            total[k] += phi[v * K + k];
        ldp_alias_build(V, phi + k, K, alias + k * V, build);
    }
    for (int v = 0; v < V; v++) {
        const double mu = theta[0] * phi[v * K] + theta[1] * phi[v * K + 1];
        laws[v] = law_new(0, MOST);
        for (int y = 0; y < MOST; y++)
            laws[v].p[y] = dpois(y, mu, 1) + log(alpha) * fabs(released[v] - y);
        law_normalise(&laws[v]);
    }
    for (int i = 0; i < N; i++) {
        double counts[K] = {0, 0}, words[V * K] = {0};
        if (how == BY_TOKENS)
            ldp_tokens_draw(&tokens, &cells, &noise, ldp_stream_seeded((uint64_t)i), &stream, 0,
                            theta, counts, words, work);
        else
            ldp_tokens_below(&tokens, &cells, &stream, 0, theta, counts, words, work);
        double sums[K] = {0, 0};
        for (int v = 0; v < V; v++) {
            law_see(&laws[v], words[v * K] + words[v * K + 1]);
            sums[0] += words[v * K];
            sums[1] += words[v * K + 1];
        }
        first += words[0];
        n_wrong += fabs(sums[0] - counts[0]) > 1e-9 || fabs(sums[1] - counts[1]) > 1e-9;
        n_wrong += words[3 * K] + words[3 * K + 1] > 0; /* a masked cell */
        for (int v = 0; v < V; v++)
            n_wrong += hits[v] != 0 || release[v] != 0;
    }
    CHECK(n_wrong == 0, "%d sums, masked cells, or places of memory", n_wrong);
    for (int v = 0; v < V; v++) {
        char name[80];
        snprintf(name, sizeof name, "column %d at alpha %g", v, alpha);
        if (v != 3 && (how == BY_TOKENS || released[v] <= 0))
            law_check(&laws[v], name);
        law_free(&laws[v]);
    }
    /* column 0 is thinned: its counts of component 0 are Poisson */
    check_mean(first, N, alpha * theta[0] * phi[0], alpha * theta[0] * phi[0], "component");
}

/* A row with more tokens than are remembered. */
static void test_many(void) {
    enum { MANY = 20000, TIMES = 200 };
    const double alpha = 0.6, one = 0.5;
    const size_t none[] = {0, 0};
    const int nothing = 0;
    const double no_release = 0;
    const ldp_cells cells = {.D = 1,
                             .V = MANY,
                             .D_all = 1,
                             .active = {none, &nothing},
                             .y_tilde = &no_release,
                             .missing = {none, &nothing},
                             .alpha = &alpha,
                             .by_tokens = 1};
    double *const weights = new_doubles(MANY), *const words = new_doubles(MANY);
    double *const build = new_doubles(2 * MANY), work[2], total = MANY, sum = 0, rest, ones, zeros;
    const ldp_noise noise = ldp_noise_tokens(1, &alpha, &rest, &ones, &zeros);
    ldp_alias *const alias = malloc(MANY * sizeof *alias);
    int32_t *const memory = calloc(2 * MANY + LDP_TOKENS_KEPT, sizeof *memory);
    for (int v = 0; v < MANY; v++)
        weights[v] = 1;
    ldp_alias_build(MANY, weights, 1, alias, build);
    const ldp_tokens tokens = {1,     MANY,   weights,       &total,
                               alias, memory, memory + MANY, memory + 2 * MANY};
    CHECK(ldp_tokens_suit(&tokens, &one, alpha) && !ldp_tokens_suit(&tokens, &one, 0.1),
          "which way");
    for (int i = 0; i < TIMES; i++) {
        double count = 0, words_sum = 0;
        memset(words, 0, MANY * sizeof *words);
        ldp_tokens_draw(&tokens, &cells, &noise, ldp_stream_seeded((uint64_t)i), &stream, 0, &one,
                        &count, words, work);
        for (int v = 0; v < MANY; v++)
            words_sum += words[v];
        CHECK_NEAR(words_sum, count, TOL_EXACT);
        sum += count;
    }
    check_mean(sum, TIMES, alpha * one * MANY, alpha * one * MANY, "many tokens");
    free(weights);
    free(words);
    free(build);
    free(alias);
    free(memory);
}

int main(void) {
    check_begin();
    random_budget(3 * 5 + 2 + 1);
    set_seed(45, 1);
    stream = ldp_stream_seeded(45);
    test_tables();
    test_row(0.5, BY_TOKENS);
    test_row(0.15, BY_TOKENS);
    test_row(0.9, BY_TOKENS);
    test_row(0.5, BY_CELLS);
    test_many();
    return check_report("tokens");
}
