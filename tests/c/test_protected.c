/* Latent counts under any mechanism: classes of releases bound what they say about counts; and the
 * counts of each cell, and their events, have the distributions that they have given its release,
 * whichever classes have tokens: none, so that all cells are drawn alone; as many as the engine
 * chooses; as many as can be. */
#include <string.h>

#include "ldp_codes.h"
#include "ldp_nbinom1.h"
#include "ldp_random.h"
#include "ldp_tokens.h"
#include "random.h"

enum { K = 2, V = 8, ROWS = 40, MOST = 400, MOST_EVENTS = 120, MASKED = 3 };
enum { NONE, CHOSEN, ALL, WAYS };

static int N = 20000;

#define LENGTH(x) (sizeof(x) / sizeof *(x))

static ldp_stream stream;

/* --- a table whose first row is drawn -----------------------------------------------------------
 */

static const double theta[K] = {0.8, 0.3};
static const double phi[V * K] = {1.5, 0.2, 0.4, 3,   0.7, 0.7, 2,   1,
                                  0.1, 2.5, 0.6, 0.1, 0.3, 0.9, 1.1, 0.4};

/* What a model keeps of a row. */
typedef struct kept {
    double scale; /* of all means */
    double n[V];
} kept;

static double mean_of(void *state, int v) {
    return ((kept *)state)->scale * (theta[0] * phi[v * K] + theta[1] * phi[v * K + 1]);
}
static void put(void *state, ldp_stream *s, int n, const ldp_token *token) {
    (void)s;
    for (int i = 0; i < n; i++)
        ((kept *)state)->n[token[i].v]++;
}
static void split(void *state, ldp_stream *s, int v, double y) {
    (void)s;
    ((kept *)state)->n[v] += y;
}

/* A mechanism, and releases of the first row; two levels, if there is a second one. With `many`,
 * other rows have so many releases, that classes are those of nearly the same tilt. */
typedef struct setting {
    const char *name;
    ldp_mechanism_kind kind;
    int n_parameters;
    double first[12], second[12], below;
    int many;
    double released[V];
} setting;

typedef struct table {
    const setting *of;
    int D, n_listed, level[ROWS * V], column[ROWS * V], missing;
    double y_tilde[ROWS * V], alpha[ROWS], total[K], x[K];
    size_t start[ROWS + 1], missing_start[ROWS + 1];
    uint8_t of_listed[ROWS * V], code[ROWS * V];
    ldp_mechanism levels[2];
    ldp_classes classes;
    ldp_protection protection;
    ldp_cells cells;
    ldp_alias alias[K * V];
    ldp_tokens tokens;
    kept kept;
    double *room;
} table;

static table at;

static int has_second(const setting *of) {
    return fabs(of->second[0]) > 0;
}

static void add_cell(int v, double release) {
    at.column[at.n_listed] = v;
    at.level[at.n_listed] = has_second(at.of) && v % 2;
    at.y_tilde[at.n_listed++] = release;
}

static void open_table(const setting *of, double scale) {
    double build[2 * V];
    at = (table){.of = of, .D = of->many ? ROWS : 1, .missing = MASKED, .kept = {.scale = scale}};
    for (int d = 0; d < at.D; d++) {
        for (int v = 0; v < V; v++)
            if (d > 0 || v != MASKED)
                add_cell(v, d > 0 ? 9 * (d * V + v) / (double)(ROWS * V) - 4 : of->released[v]);
        at.start[d + 1] = (size_t)at.n_listed;
        at.missing_start[d + 1] = 1;
    }
    at.levels[0] = ldp_mechanism_make(of->kind, of->n_parameters, of->first, of->below);
    at.levels[1] = ldp_mechanism_make(of->kind, of->n_parameters, of->second, of->below);
    at.protection = (ldp_protection){at.levels, at.level, &at.classes};
    at.cells = (ldp_cells){.D = at.D,
                           .V = V,
                           .D_all = at.D,
                           .active = {at.start, at.column},
                           .y_tilde = at.y_tilde,
                           .missing = {at.missing_start, &at.missing},
                           .alpha = at.alpha,
                           .code = at.code,
                           .protection = &at.protection};
    ldp_classes_make(at.levels, at.level, (size_t)at.n_listed, at.y_tilde, LDP_CODE_LISTED,
                     &at.classes, at.of_listed);
    ldp_codes_spread(&at.cells, at.of_listed, at.code);
    for (int k = 0; k < K; k++) {
        at.x[k] = scale * theta[k];
        for (int v = 0; v < V; v++)
            at.total[k] += phi[v * K + k];
        ldp_alias_build(V, phi + k, K, at.alias + k * V, build);
    }
    at.tokens = (ldp_tokens){.K = K,
                             .n_tables = 1,
                             .n = {V},
                             .alias = {at.alias},
                             .total = at.total,
                             .x = at.x,
                             .model = &at.kept,
                             .mean = mean_of,
                             .put = put,
                             .split = split};
    at.room = new_doubles(ldp_tokens_room(K, V));
}

static ldp_evidence evidence_of(int v) {
    return ldp_evidence_of(&at.levels[has_second(at.of) && v % 2], LDP_IS, at.of->released[v]);
}

/* --- classes ------------------------------------------------------------------------------------
 */

/* L(y) <= L(0) exp(tilt y), and the tilt is the least such number if the class has one release. */
static void check_bound(size_t place) {
    const int code = at.of_listed[place];
    const ldp_evidence evidence =
        ldp_evidence_of(&at.levels[at.level[place]], LDP_IS, at.y_tilde[place]);
    double tilt = evidence.low > 0 ? INFINITY : -INFINITY;
    for (double y = 1; evidence.low <= 0 && y <= fmin(evidence.high, 300); y++)
        tilt = fmax(tilt, ldp_evidence_ratio(&evidence, y, 0) / y);
    if (code == LDP_CODE_LISTED) {
        CHECK(tilt > LDP_TILT_MOST, "%s, release %g: listed, tilt %g", at.of->name,
              at.y_tilde[place], tilt);
        return;
    }
    const ldp_class *const of = &at.classes.of[code];
    CHECK((code < at.classes.n_tilted) == (of->tilt <= LDP_TILT_MOST), "%s, release %g, code %d",
          at.of->name, at.y_tilde[place], code);
    CHECK(tilt <= of->tilt + TOL_SERIES && (!of->is_one || tilt >= of->tilt - TOL_SERIES),
          "%s, release %g: tilt %g, of its class %g", at.of->name, at.y_tilde[place], tilt,
          of->tilt);
    CHECK(of->is_one == !(at.of->many || evidence.is_listed), "%s: one release in class %d",
          at.of->name, code);
}

static void check_classes(void) {
    for (int i = 1; i < at.classes.n_tilted; i++)
        CHECK(at.classes.of[i - 1].tilt <= at.classes.of[i].tilt, "%s: class %d", at.of->name, i);
    for (int i = 0; i <= at.classes.n_tilted; i++) {
        double n = 0;
        for (int e = 0; e < at.n_listed; e++)
            n += at.of_listed[e] >= i;
        CHECK(fabs(n - at.classes.n_above[i]) < 0.5, "%s: %g cells from class %d on", at.of->name,
              at.classes.n_above[i], i);
    }
    for (size_t e = 0; e < (size_t)at.n_listed; e++)
        check_bound(e);
    CHECK(at.code[MASKED] == LDP_CODE_MISSING, "a masked cell");
    for (int d = 0; d < at.D; d++)
        for (size_t e = at.start[d]; e < at.start[d + 1]; e++)
            CHECK(ldp_codes_place(&at.cells, d, at.column[e]) == e, "row %d, place %zu", d, e);
}

/* More releases with steep tilts than there are classes. */
static void test_many_steep(void) {
    enum { RELEASES = 400 };
    static ldp_classes classes;
    const double from_to[] = {0, 9};
    const ldp_mechanism mechanism = ldp_mechanism_make(LDP_BY_SUPPRESSION, 2, from_to, -INFINITY);
    double release[RELEASES];
    uint8_t code[RELEASES];
    int n_hidden = 0, n_listed = 0;
    for (int i = 0; i < RELEASES; i++)
        release[i] = i % 2 ? 10.0 + i : (double)-INFINITY;
    ldp_classes_make(&mechanism, NULL, RELEASES, release, LDP_CODE_LISTED, &classes, code);
    for (int i = 0; i < RELEASES; i++) {
        n_hidden += code[i] == 0;
        n_listed += code[i] == LDP_CODE_LISTED;
    }
    CHECK(classes.n_tilted == 1 && classes.n == 1 + LDP_STEEP, "%d classes", classes.n);
    CHECK(n_hidden == RELEASES / 2 && n_listed == RELEASES / 2 - LDP_STEEP, "%d hidden, %d listed",
          n_hidden, n_listed);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* An engine that gives tokens to as many classes as it is told. */
typedef struct forced {
    const ldp_noise *noise;
    int way;
    double excess;
} forced;

static double rate_of(const forced *f, int i) {
    const double w = at.classes.of[i].weight, x = w * f->excess / (1 + f->excess);
    if (!(f->excess > 0))
        return w;
    return x < 0.95 ? -log1p(-x) / log1p(f->excess) : INFINITY;
}

static ldp_token_law forced_tokens(void *state, const ldp_cells *cells, int row, double total,
                                   double cost) {
    const forced *const f = state;
    ldp_token_law answer = f->noise->tokens(f->noise->state, cells, row, total, cost);
    int n = f->way == NONE ? 0 : answer.top + 1;
    if (f->way == ALL)
        for (n = at.classes.n_tilted; n > 0 && isinf(rate_of(f, n - 1)); n--) {
        }
    answer.top = n - 1;
    answer.rate = n > 0 ? rate_of(f, n - 1) : INFINITY;
    answer.log_tilt = n > 0 ? at.classes.of[n - 1].tilt : 0;
    answer.inverse = n > 0 ? 1 / at.classes.of[n - 1].weight : 1;
    return answer;
}

static int can_be(const ldp_evidence *evidence, int y) {
    return y >= evidence->low && y <= evidence->high;
}

static void law_of_counts(law *counts, int v, double excess) {
    const ldp_evidence evidence = evidence_of(v);
    const double mu = mean_of(&at.kept, v) * (excess > 0 ? excess / log1p(excess) : 1);
    for (int y = 0; y < MOST; y++)
        counts->p[y] =
            !can_be(&evidence, y)
                ? -INFINITY
                : ldp_evidence_log(&evidence, y) +
                      (excess > 0 ? dnbinom(y, mu / excess, 1 / (1 + excess), 1) : dpois(y, mu, 1));
    law_normalise(counts);
}

/* The number of events given y is a sum of Bernoulli numbers with means s/(s + t), t < y. */
static void law_of_events(law *events, const law *counts, int v, double excess) {
    const double size = mean_of(&at.kept, v) / log1p(excess);
    double given[MOST_EVENTS + 1] = {1};
    for (int y = 0; y < MOST; y++) {
        for (int l = 0; l < MOST_EVENTS; l++)
            events->p[l] += counts->p[y] * given[l];
        for (int l = MOST_EVENTS; l >= 0; l--)
            given[l] = given[l] * y / (size + y) + (l > 0 ? given[l - 1] * size / (size + y) : 0);
    }
}

/* If nearly all probability is at a single count, there is no chi-square statistic, but a Poisson
 * number of other counts. */
static void check_law(law *l, const char *what, int v, int way, double excess) {
    char name[120];
    int most = 0;
    snprintf(name, sizeof name, "%s: %s of column %d, way %d, dispersion 1 + %g", at.of->name, what,
             v, way, excess);
    for (int i = 0; i < l->n; i++)
        most = l->p[i] > l->p[most] ? i : most;
    if (law_p_value(l) >= 0) {
        law_check(l, name);
        return;
    }
    const double others = N * (1 - l->p[most]);
    CHECK(N - l->seen[most] <= qpois(random_level(), others, 0, 0), "%s: %g others, expected %g",
          name, N - l->seen[most], others);
    CHECK(others < 50, "%s: no statistic", name);
}

static void test_row(const setting *of, double scale, double excess, int way) {
    double rest[ROWS], extra[ROWS], ones[ROWS], zeros[ROWS], answers[LDP_ANSWERS];
    double bound[LDP_RTRUENBINOM_BOUNDS], lower[LDP_RTRUENBINOM_BOUNDS];
    static ldp_nbinom1_row of_row[ROWS];
    ldp_nbinom1_cell above[V];
    const size_t first[ROWS + 1] = {0, V};
    open_table(of, scale);
    ldp_nbinom1_state state = {.D = at.D,
                               .excess = &excess,
                               .shape1 = 1,
                               .shape2 = 1,
                               .rest = rest,
                               .extra = extra,
                               .rows = of_row,
                               .above = above,
                               .first = first,
                               .answers = answers,
                               .cells = &at.cells,
                               .law = {.bound = bound, .lower = lower}};
    const ldp_noise inner = excess > 0 ? ldp_noise_nbinom1_tokens(at.alpha, &state, 1, ones, zeros)
                                       : ldp_noise_protected(at.D, &at.cells, rest, zeros);
    forced f = {&inner, way, excess};
    ldp_noise noise = inner;
    noise.tokens = forced_tokens;
    noise.state = &f;
    law counts[V], events[V];
    for (int v = 0; v < V; v++) {
        counts[v] = law_new(0, MOST);
        events[v] = law_new(0, MOST_EVENTS);
        if (v != MASKED)
            law_of_counts(&counts[v], v, excess);
        if (v != MASKED && excess > 0)
            law_of_events(&events[v], &counts[v], v, excess);
    }
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        double y[V] = {0};
        memset(at.kept.n, 0, sizeof at.kept.n);
        of_row[0] = (ldp_nbinom1_row){0};
        ldp_tokens_draw(&at.tokens, &at.cells, &noise, &stream, 0, at.room);
        for (int v = 0; v < V; v++) {
            law_see(&events[v], at.kept.n[v]);
            y[v] = excess > 0 ? at.kept.n[v] > 0 : at.kept.n[v];
        }
        for (size_t e = 0; e < of_row[0].n_above; e++)
            y[above[e].place] = above[e].y;
        for (int v = 0; v < V; v++)
            law_see(&counts[v], y[v]);
        wrong += at.kept.n[MASKED] > 0;
        for (int j = 0; j < 2 * V; j++)
            wrong += fabs(at.room[j]) > 0;
    }
    CHECK(wrong == 0, "%s: %d masked cells, or places of memory", of->name, wrong);
    for (int v = 0; v < V; v++) {
        if (v != MASKED)
            check_law(&counts[v], "counts", v, way, excess);
        if (v != MASKED && excess > 0)
            check_law(&events[v], "events", v, way, excess);
        law_free(&counts[v]);
        law_free(&events[v]);
    }
    free(at.room);
}

/* The log density of a row is that of ldp_behind.h. */
static void test_density(double scale, double excess) {
    double mu[V], sum = 0;
    int n = 0;
    for (int v = 0; v < V; v++)
        if (v != MASKED) {
            mu[n++] = mean_of(&at.kept, v) * scale;
            const ldp_behind behind = ldp_behind_open(evidence_of(v), mu[n - 1], excess);
            sum += ldp_behind_log_mass(&behind);
        }
    CHECK_NEAR(ldp_protected_log_density(&at.cells, 0, 0, n, mu, excess), sum, TOL_SERIES);
}

#define HIDDEN (-INFINITY)
#define SHOWN .below = -INFINITY

static const setting settings[] = {
    {"geometric noise", LDP_BY_GEOMETRIC, 1, {0.9}, SHOWN, .released = {-3, 0, 1, 0, 2, 6, 40, 0}},
    {"discrete Gaussian noise",
     LDP_BY_DISCRETE_GAUSSIAN,
     1,
     {1.4},
     SHOWN,
     .released = {-3, 0, 1, 0, 2, 5, 60, -1}},
    {"two levels",
     LDP_BY_DISCRETE_GAUSSIAN,
     1,
     {0.8},
     {4},
     SHOWN,
     .released = {-3, -1, 1, 0, 2, 5, 20, 0}},
    {"discrete Gaussian noise, many releases",
     LDP_BY_DISCRETE_GAUSSIAN,
     1,
     {1.4},
     SHOWN,
     .many = 1,
     .released = {-30, 0, 1, 0, 2, 5, 60, -1}},
    {"Laplace noise, many releases",
     LDP_BY_LAPLACE,
     1,
     {1.1},
     SHOWN,
     .many = 1,
     .released = {-2.5, 0.3, 0.9, 0, 2.2, 5.7, 30.1, -0.1}},
    {"Gaussian noise, many releases and two levels",
     LDP_BY_GAUSSIAN,
     1,
     {0.7},
     {3},
     SHOWN,
     .many = 1,
     .released = {-2.5, 0.3, 0.9, 0, 2.2, 5.7, 30.1, -0.1}},
    {"Skellam noise", LDP_BY_SKELLAM, 1, {2}, SHOWN, .released = {-3, 0, 1, 0, 2, 5, 20, -1}},
    {"random rounding",
     LDP_BY_RANDOM_ROUNDING,
     1,
     {3},
     SHOWN,
     .released = {0, 0, 3, 0, 3, 6, 60, 0}},
    {"rounding", LDP_BY_ROUNDING, 1, {5}, SHOWN, .released = {0, 0, 5, 0, 5, 10, 60, 0}},
    {"suppression",
     LDP_BY_SUPPRESSION,
     2,
     {0, 4},
     SHOWN,
     .released = {HIDDEN, HIDDEN, HIDDEN, 0, 7, HIDDEN, 90, 5}},
    {"suppression from 1 on",
     LDP_BY_SUPPRESSION,
     2,
     {1, 4},
     SHOWN,
     .released = {HIDDEN, 0, HIDDEN, 0, 7, HIDDEN, 90, 0}},
    {"classes", LDP_BY_CLASSES, 4, {0, 1, 3, 6}, SHOWN, .released = {0, 1, 3, 0, 6, 0, 3, 1}},
    {"withheld",
     LDP_BY_DISCRETE_GAUSSIAN,
     1,
     {1.4},
     .below = 2,
     .released = {HIDDEN, HIDDEN, 2, 0, 3, HIDDEN, 30, HIDDEN}},
    {"tables, passive and active, not log-concave",
     LDP_BY_TABLE,
     11,
     {-0.7, -0.7, 0, 0, -0.7, -2.3, -2.3, -0.7, -2.3, -2.3, -0.7},
     {-INFINITY, -0.1, 1.445, 0, -2.99, -6.9, -0.1, -INFINITY, -1.2, -INFINITY, -5},
     SHOWN},
    {"thinning", LDP_BY_THINNING, 1, {0.3}, SHOWN, .released = {0, 0, 1, 0, 2, 5, 20, 0}},
};

int main(void) {
    check_begin();
    N = check_some(N);
    random_budget((int)LENGTH(settings) * (3 * 7 + 2 * WAYS * 14));
    set_seed(46, 1);
    stream = ldp_stream_seeded(46);
    test_many_steep();
    for (size_t i = 0; i < LENGTH(settings); i++) {
        open_table(&settings[i], 0.5);
        check_classes();
        for (int j = 0; j < 3; j++) {
            test_density(pow(10, j - 1), 0);
            test_density(pow(10, j - 1), 0.6);
            test_density(pow(10, j - 1), 5);
        }
        free(at.room);
        for (int way = NONE; way < WAYS; way++) {
            const int turn = (int)i + way; /* one dispersion, or in the extended tests all three */
            if (check_takes(0, 3, turn))
                test_row(&settings[i], way == ALL ? 0.3 : 0.8, 0, way);
            if (check_takes(1, 3, turn))
                test_row(&settings[i], 0.3, 0.4, way);
            if (check_takes(2, 3, turn))
                test_row(&settings[i], 0.3, 4, way);
        }
    }
    return check_report("protected");
}
