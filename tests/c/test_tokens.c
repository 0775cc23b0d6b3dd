/* Latent counts by tokens: alias tables have the probabilities of their weights; the counts of each
 * cell, and their events, have the distributions that they have given its release, whichever way a
 * row is drawn. */
#include "ldp_nbinom1.h"
#include "ldp_random.h"
#include "ldp_tokens.h"
#include "random.h"

static int N = 100000;

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
    const ldp_alias one = {UINT32_MAX, 0}, two[] = {{5, 1}, {0, 0}};
    CHECK(ldp_alias_entry(1, UINT64_MAX) == 0 && ldp_alias_place(&one, 0, UINT32_MAX) == 0,
          "the last bits");
    CHECK(ldp_alias_entry(2, 1ULL << 63) == 1 && ldp_alias_entry(2, (1ULL << 63) - 1) == 0,
          "entries");
    CHECK(ldp_alias_place(two, 0, 4) == 0 && ldp_alias_place(two, 0, 5) == 1 &&
              ldp_alias_place(two, 1, 0) == 0,
          "places");
    free(weight);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

enum { K = 2, V = 8, MASKED = -9, MOST = 700, MOST_EVENTS = 120 };

static const double theta[K] = {0.8, 0.3};
static const double phi[V * K] = {1.5, 0.2, 0.4, 3,   0.7, 0.7, 2,   1,
                                  0.1, 2.5, 0.6, 0.1, 0.3, 0.9, 1.1, 0.4};
static const double released[V] = {-2, 1, 4, MASKED, 2, 0, 300, 30};
static const int column[] = {1, 2, 4, 6, 7}, missing_column[] = {3};
static const double positive[] = {1, 4, 2, 300, 30};
static const size_t start[] = {0, 5}, missing_start[] = {0, 1};

/* What a model keeps of a row. */
typedef struct kept {
    double n[V][K];
} kept;

static double mean_of(void *state, int v) {
    (void)state;
    return theta[0] * phi[v * K] + theta[1] * phi[v * K + 1];
}
static void put(void *state, ldp_stream *s, int n, const ldp_token *token) {
    (void)s;
    for (int i = 0; i < n; i++)
        ((kept *)state)->n[token[i].v][token[i].k]++;
}
/* In equal parts: only the sum matters for cells that are drawn alone. */
static void split(void *state, ldp_stream *s, int v, double y) {
    (void)s;
    ((kept *)state)->n[v][0] += y;
}

/* A row, with its releases as bytes, and all that is needed to draw it. */
typedef struct drawn_row {
    double alpha, total[K];
    uint8_t code[V];
    size_t large_start[2];
    int large_column[1];
    double large[1];
    ldp_alias alias[K * V];
    ldp_cells cells;
    ldp_tokens tokens;
    kept kept;
    double *room;
} drawn_row;

static void open_row(drawn_row *r, double alpha) {
    double build[2 * V];
    size_t n_large;
    *r = (drawn_row){.alpha = alpha};
    const ldp_cells listed = {.D = 1,
                              .V = V,
                              .active = {start, column},
                              .y_tilde = positive,
                              .missing = {missing_start, missing_column}};
    ldp_codes_fill(&listed, LDP_TABLE, r->code, &n_large);
    CHECK(n_large == 1, "%zu large releases", n_large);
    r->large_start[1] = 1;
    r->large_column[0] = 6;
    r->large[0] = 300;
    r->cells = (ldp_cells){.D = 1,
                           .V = V,
                           .D_all = 1,
                           .active = {r->large_start, r->large_column},
                           .y_tilde = r->large,
                           .missing = {missing_start, missing_column},
                           .alpha = &r->alpha,
                           .code = r->code};
    for (int k = 0; k < K; k++) {
        for (int v = 0; v < V; v++)
            r->total[k] += phi[v * K + k];
        ldp_alias_build(V, phi + k, K, r->alias + k * V, build);
    }
    /* as a tensor of 4 x 2 columns would have them, with a single table here */
    r->tokens = (ldp_tokens){.K = K,
                             .n_tables = 1,
                             .n = {V},
                             .alias = {r->alias},
                             .total = r->total,
                             .x = theta,
                             .model = &r->kept,
                             .mean = mean_of,
                             .put = put,
                             .split = split};
    r->room = new_doubles(ldp_tokens_room(K, V));
}

static void draw_row(drawn_row *r, const ldp_noise *noise) {
    r->kept = (kept){{{0}}};
    ldp_tokens_draw(&r->tokens, &r->cells, noise, &stream, 0, r->room);
}

/* The memory of cells is empty between rows, and a masked cell has no counts. */
static int n_wrong(const drawn_row *r) {
    int n = r->kept.n[3][0] + r->kept.n[3][1] > 0;
    for (int i = 0; i < 2 * V; i++)
        n += fabs(r->room[i]) > 0;
    return n;
}

static void check_laws(law *laws, const char *what, double alpha, double excess) {
    for (int v = 0; v < V; v++) {
        char name[80];
        snprintf(name, sizeof name, "%s of column %d, alpha %g, dispersion 1 + %g", what, v, alpha,
                 excess);
        if (v != 3)
            law_check(&laws[v], name);
        law_free(&laws[v]);
    }
}

static void test_poisson(double alpha) {
    drawn_row r;
    double rest, ones, zeros;
    law laws[V];
    int wrong = 0;
    open_row(&r, alpha);
    const ldp_noise noise = ldp_noise_tokens(1, &r.alpha, &rest, &ones, &zeros);
    CHECK_NEAR(ones, 1, TOL_EXACT);
    CHECK(zeros == 0, "%g", zeros);
    for (int v = 0; v < V; v++) {
        laws[v] = law_new(0, MOST);
        for (int y = 0; y < MOST; y++)
            laws[v].p[y] =
                dpois(y, mean_of(NULL, v), 1) + log(alpha) * fabs(fmax(released[v], 0) - y);
        law_normalise(&laws[v]);
    }
    for (int i = 0; i < N; i++) {
        draw_row(&r, &noise);
        for (int v = 0; v < V; v++)
            law_see(&laws[v], r.kept.n[v][0] + r.kept.n[v][1]);
        wrong += n_wrong(&r);
    }
    CHECK(wrong == 0, "%d masked cells, or places of memory", wrong);
    check_laws(laws, "counts", alpha, 0);
    free(r.room);
}

/* The laws of true counts, up to a constant: log NB(y) + log alpha |k - y|; and of their events,
 * whose number given y is a sum of Bernoulli numbers with means s/(s + t), t < y. */
static void laws_of(law *counts, law *events, double k, double alpha, double excess,
                    double lambda) {
    const double size = lambda / log1p(excess);
    double given[MOST_EVENTS + 1] = {1};
    for (int y = 0; y < MOST; y++)
        counts->p[y] = dnbinom(y, size, 1 / (1 + excess), 1) + log(alpha) * fabs(k - y);
    law_normalise(counts);
    for (int y = 0; y < MOST; y++) {
        for (int l = 0; l < MOST_EVENTS; l++)
            events->p[l] += counts->p[y] * given[l];
        for (int l = MOST_EVENTS; l >= 0; l--)
            given[l] = given[l] * y / (size + y) + (l > 0 ? given[l - 1] * size / (size + y) : 0);
    }
}

static void test_nbinom1(double alpha, double excess) {
    drawn_row r;
    double rest, extra, ones, zeros, answers[LDP_ANSWERS];
    double bound[LDP_RTRUENBINOM_BOUNDS], lower[LDP_RTRUENBINOM_BOUNDS];
    ldp_nbinom1_row of_row = {0};
    ldp_nbinom1_cell above[V];
    const size_t first[] = {0, V};
    ldp_nbinom1_state state = {.D = 1,
                               .excess = &excess,
                               .shape1 = 1,
                               .shape2 = 1,
                               .rest = &rest,
                               .extra = &extra,
                               .rows = &of_row,
                               .above = above,
                               .first = first,
                               .answers = answers,
                               .law = {.bound = bound, .lower = lower}};
    law counts[V], events[V];
    int wrong = 0;
    open_row(&r, alpha);
    const ldp_noise noise = ldp_noise_nbinom1_tokens(&r.alpha, &state, 1, &ones, &zeros);
    for (int v = 0; v < V; v++) {
        counts[v] = law_new(0, MOST);
        events[v] = law_new(0, MOST_EVENTS);
        laws_of(&counts[v], &events[v], fmax(released[v], 0), alpha, excess, mean_of(NULL, v));
    }
    for (int i = 0; i < N; i++) {
        double y[V] = {0}, n_positive = 0;
        of_row = (ldp_nbinom1_row){0};
        draw_row(&r, &noise);
        for (int v = 0; v < V; v++) {
            const double l = r.kept.n[v][0] + r.kept.n[v][1];
            law_see(&events[v], l);
            y[v] = l > 0;
            n_positive += y[v];
        }
        for (size_t e = 0; e < of_row.n_above; e++) {
            y[above[e].place] = above[e].y;
            wrong += noise.reader.column(&state, 0, e) != (int)above[e].place;
        }
        for (int v = 0; v < V; v++)
            law_see(&counts[v], y[v]);
        wrong += n_wrong(&r) + (fabs(n_positive - of_row.n_positive) > 0);
    }
    CHECK(wrong == 0, "%d masked cells, places of memory, or counts", wrong);
    CHECK(noise.reader.column(&state, 0, of_row.n_above) == LDP_NO_COLUMN, "the last column");
    check_laws(counts, "counts", alpha, excess);
    check_laws(events, "events", alpha, excess);
    free(r.room);
}

/* Columns of several tables: i_1 + n_1 i_2, of 4 and 2 indices. */
static void test_tables_of_modes(void) {
    const double alpha = 0.6, first[] = {1, 2, 0.5, 0.2}, second[] = {0.3, 1.2};
    const double total = 3.7 * 1.5, x = 0.4;
    uint8_t code[V] = {0};
    const size_t none[] = {0, 0};
    const int nothing = 0;
    const double no_release = 0;
    double build[2 * V], rest, ones, zeros, *const room = new_doubles(ldp_tokens_room(1, V));
    ldp_alias one[4], two[2];
    kept sums = {{{0}}};
    const ldp_cells cells = {.D = 1,
                             .V = V,
                             .D_all = 1,
                             .active = {none, &nothing},
                             .y_tilde = &no_release,
                             .missing = {none, &nothing},
                             .alpha = &alpha,
                             .code = code};
    const ldp_noise noise = ldp_noise_tokens(1, &alpha, &rest, &ones, &zeros);
    ldp_alias_build(4, first, 1, one, build);
    ldp_alias_build(2, second, 1, two, build);
    const ldp_tokens tokens = {.K = 1,
                               .n_tables = 2,
                               .n = {4, 2},
                               .alias = {one, two},
                               .total = &total,
                               .x = &x,
                               .model = &sums,
                               .mean = mean_of,
                               .put = put,
                               .split = split};
    for (int i = 0; i < N; i++)
        ldp_tokens_draw(&tokens, &cells, &noise, &stream, 0, room);
    for (int v = 0; v < V; v++) {
        const double mean = alpha * x * first[v % 4] * second[v / 4];
        check_mean(sums.n[v][0], N, mean, mean, "a column of two tables");
    }
    free(room);
}

int main(void) {
    check_begin();
    N = check_some(N);
    random_budget(3 * 7 + 5 * 14 + 8);
    set_seed(45, 1);
    stream = ldp_stream_seeded(45);
    test_tables();
    test_poisson(0.5);
    test_poisson(0.9);
    test_poisson(0.15); /* cell by cell */
    test_nbinom1(0.5, 0.3);
    test_nbinom1(0.5, 1); /* p = alpha */
    test_nbinom1(0.8, 8);
    test_nbinom1(0.4, 20);
    test_nbinom1(0.05, 2); /* cell by cell */
    test_tables_of_modes();
    return check_report("tokens");
}
