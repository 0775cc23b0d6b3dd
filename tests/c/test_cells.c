/* The lists of cells against what a matrix says, from every kind of source. */
#include <limits.h>
#include <string.h>

#include <Rmath.h>

#include "check.h"
#include "example.h"

/* A list against "0: 2 | 1: | 2: 0 3", lines in order. */
static void check_lists(ldp_lists lists, int n, const char *expected, const char *name) {
    char text[400] = "";
    for (int i = 0; i < n; i++) {
        size_t end = strlen(text);
        snprintf(text + end, sizeof text - end, "%s%d:", i ? " | " : "", i);
        for (size_t e = lists.start[i]; e < lists.start[i + 1]; e++) {
            end = strlen(text);
            snprintf(text + end, sizeof text - end, " %d", lists.index[e]);
        }
    }
    CHECK(strcmp(text, expected) == 0, "%s: '%s', should be '%s'", name, text, expected);
}

static void check_counts(const double *y_tilde, size_t n, const double *expected,
                         size_t n_expected) {
    CHECK(n == n_expected, "%zu counts", n);
    for (size_t i = 0; i < n && i < n_expected; i++)
        CHECK_NEAR(y_tilde[i], expected[i], TOL_EXACT);
}

/*     5 -1 NA  0
 *     0  0 -2  0     by columns
 *    NA  3  7 NA                  */
#define NO INT_MIN
static const int ints[] = {5, 0, NO, -1, 0, 3, NO, -2, 7, 0, 0, NO};
static const double doubles[] = {5, 0, NAN, -1, 0, 3, NAN, -2, 7, 0, 0, NAN};

/* The same sparse; a stored 0 and stored negative counts are not active. */
static const int sparse_start[] = {0, 2, 5, 8, 9};
static const int sparse_row[] = {0, 2, 0, 1, 2, 0, 1, 2, 2};
static const int sparse_ints[] = {5, NO, -1, 0, 3, NO, -2, 7, NO};
static const double sparse_doubles[] = {5, NAN, -1, 0, 3, NAN, -2, 7, NAN};

static void check_positive(ldp_source source) {
    static const double expected[] = {5, 3, 7};
    example x = example_new(&source, NULL);
    const ldp_cells *const c = &x.cells;
    check_lists(c->active, 3, "0: 0 | 1: | 2: 1 2", "active");
    check_lists(c->missing, 3, "0: 2 | 1: | 2: 0 3", "missing");
    check_lists(c->active_t, 4, "0: 0 | 1: 2 | 2: 2 | 3:", "active by columns");
    check_lists(c->missing_t, 4, "0: 2 | 1: | 2: 0 | 3: 2", "missing by columns");
    check_counts(c->y_tilde, c->active.start[3], expected, 3);
    CHECK(ldp_lists_length(c->active, 2) == 2 && ldp_lists_length(c->active, 1) == 0, "lengths");
    example_free(&x);
}

static void test_sources(void) {
    check_positive((ldp_source){3, 4, NULL, NULL, ints, NULL, 0, 0});
    check_positive((ldp_source){3, 4, NULL, NULL, NULL, doubles, 0, 0});
    check_positive((ldp_source){3, 4, sparse_start, sparse_row, sparse_ints, NULL, 0, 0});
    check_positive((ldp_source){3, 4, sparse_start, sparse_row, NULL, sparse_doubles, 0, 0});
}

static void test_all_active(void) {
    static const double expected[] = {5, -1, 0, 0, 0, -2, 0, 3, 7};
    for (int as_double = 0; as_double < 2; as_double++) {
        const ldp_source source = {
            3, 4, NULL, NULL, as_double ? NULL : ints, as_double ? doubles : NULL, 1, 0};
        example x = example_new(&source, NULL);
        check_lists(x.cells.active, 3, "0: 0 1 3 | 1: 0 1 2 3 | 2: 1 2", "active");
        check_lists(x.cells.missing, 3, "0: 2 | 1: | 2: 0 3", "missing");
        check_lists(x.cells.active_t, 4, "0: 0 1 | 1: 0 1 2 | 2: 1 2 | 3: 0 1", "by columns");
        check_counts(x.cells.y_tilde, x.cells.active.start[3], expected, 9);
        example_free(&x);
    }
}

/*     9  2  0
 *    NA NA  4     the diagonal is no data, neither the 9, nor the NA, nor the 0
 *    -3 NA  0                                                                     */
static void test_network(void) {
    static const int dense[] = {9, NO, -3, 2, NO, NO, 0, 4, 0};
    static const int start[] = {0, 3, 6, 7}, row[] = {0, 1, 2, 0, 1, 2, 1};
    static const double stored[] = {9, NAN, -3, 2, NAN, NAN, 4};
    const ldp_source sources[] = {{3, 3, NULL, NULL, dense, NULL, 0, LDP_DIRECTED},
                                  {3, 3, start, row, NULL, stored, 0, LDP_DIRECTED}};
    static const double expected[] = {2, 4}, all[] = {2, 0, 4, -3};
    for (int i = 0; i < 2; i++) {
        example x = example_new(&sources[i], NULL);
        check_lists(x.cells.active, 3, "0: 1 | 1: 2 | 2:", "active");
        check_lists(x.cells.active_t, 3, "0: | 1: 0 | 2: 1", "active by columns");
        check_lists(x.cells.missing, 3, "0: | 1: 0 | 2: 1", "missing");
        check_lists(x.cells.missing_t, 3, "0: 1 | 1: 2 | 2:", "missing by columns");
        check_counts(x.cells.y_tilde, x.cells.active.start[3], expected, 2);
        example_free(&x);
    }
    const ldp_source everything = {3, 3, NULL, NULL, dense, NULL, 1, LDP_DIRECTED};
    example x = example_new(&everything, NULL);
    check_lists(x.cells.active, 3, "0: 1 2 | 1: 2 | 2: 0", "active");
    check_counts(x.cells.y_tilde, x.cells.active.start[3], all, 4);
    example_free(&x);
}

/* The same table, of which only what is above the diagonal is read. */
static void test_undirected(void) {
    static const int dense[] = {9, NO, -3, 2, NO, NO, 0, 4, 0};
    static const double expected[] = {2, 4}, all[] = {2, 0, 4};
    for (int i = 0; i < 2; i++) {
        const ldp_source source = {3, 3, NULL, NULL, dense, NULL, i, LDP_UNDIRECTED};
        example x = example_new(&source, NULL);
        check_lists(x.cells.active, 3, i ? "0: 1 2 | 1: 2 | 2:" : "0: 1 | 1: 2 | 2:", "active");
        check_lists(x.cells.missing, 3, "0: | 1: | 2:", "missing");
        check_counts(x.cells.y_tilde, x.cells.active.start[3], i ? all : expected, i ? 3 : 2);
        example_free(&x);
    }
    static const int masked[] = {9, NO, -3, NO, NO, NO, 0, 4, 0};
    const ldp_source source = {3, 3, NULL, NULL, masked, NULL, 0, LDP_UNDIRECTED};
    example x = example_new(&source, NULL);
    check_lists(x.cells.missing, 3, "0: 1 | 1: | 2:", "missing");
    check_lists(x.cells.missing_t, 3, "0: | 1: 0 | 2:", "missing by columns");
    example_free(&x);
}

/* No content, no rows, no columns, nothing but missing cells. */
static void test_empty(void) {
    static const int zeros[6] = {0}, no_entries[] = {0, 0, 0}, none[] = {NO, NO, NO, NO};
    const ldp_source content = {3, 2, NULL, NULL, zeros, NULL, 0, 0};
    const ldp_source sparse = {3, 2, no_entries, zeros, zeros, NULL, 0, 0};
    const ldp_source no_rows = {0, 2, NULL, NULL, zeros, NULL, 0, 0};
    const ldp_source no_columns = {3, 0, NULL, NULL, zeros, NULL, 0, 0};
    const ldp_source missing = {2, 2, NULL, NULL, none, NULL, 1, 0};
    const ldp_source *const sources[] = {&content, &sparse, &no_rows, &no_columns};
    for (size_t i = 0; i < 4; i++) {
        example x = example_new(sources[i], NULL);
        const int D = sources[i]->D, V = sources[i]->V;
        CHECK(x.cells.active.start[D] == 0 && x.cells.missing.start[D] == 0, "source %zu", i);
        CHECK(x.cells.active_t.start[V] == 0 && x.cells.missing_t.start[V] == 0, "source %zu", i);
        example_free(&x);
    }
    example x = example_new(&missing, NULL);
    check_lists(x.cells.active, 2, "0: | 1:", "active");
    check_lists(x.cells.missing, 2, "0: 0 1 | 1: 0 1", "missing");
    check_lists(x.cells.missing_t, 2, "0: 0 1 | 1: 0 1", "missing by columns");
    example_free(&x);
}

static void test_offsets(void) {
    size_t *const counts = new_offsets(4);
    counts[0] = 3;
    counts[2] = 1;
    counts[3] = 2;
    ldp_lists_offsets(4, counts);
    static const size_t expected[] = {0, 3, 3, 4, 6};
    CHECK(memcmp(counts, expected, sizeof expected) == 0, "%zu %zu %zu %zu %zu", counts[0],
          counts[1], counts[2], counts[3], counts[4]);
    free(counts);
    size_t *const nothing = new_offsets(0);
    nothing[0] = 9;
    ldp_lists_offsets(0, nothing);
    CHECK(nothing[0] == 0, "%zu", nothing[0]);
    free(nothing);
}

/* A random table: each cell is where its count says, and turning around twice is the identity. */
static int count_wrong_cells(const example *x, const int *table, int D, int V) {
    int n_wrong = 0;
    size_t e = 0;
    for (int d = 0; d < D; d++)
        for (int v = 0; v < V; v++) {
            const int count = table[d + v * D];
            const int active = count > 0, missing = count == NO;
            n_wrong += example_holds(x->cells.active, d, v) != active;
            n_wrong += example_holds(x->cells.active_t, v, d) != active;
            n_wrong += example_holds(x->cells.missing, d, v) != missing;
            n_wrong += example_holds(x->cells.missing_t, v, d) != missing;
            if (active)
                n_wrong += x->y_tilde[e] != count || x->active_col[e] != v;
            e += (size_t)active;
        }
    return n_wrong + (e != x->active_start[D]);
}

static void test_random_table(int D, int V) {
    int *const table = check_alloc((size_t)(D * V), sizeof *table);
    for (int i = 0; i < D * V; i++) {
        const int count = (int)floor(9 * unif_rand()) - 4;
        table[i] = count == -4 ? NO : count;
    }
    const ldp_source source = {D, V, NULL, NULL, table, NULL, 0, 0};
    example x = example_new(&source, NULL);
    CHECK(count_wrong_cells(&x, table, D, V) == 0, "%d x %d", D, V);
    size_t *start;
    int *index;
    turn_around(V, x.cells.active_t, D, &start, &index);
    const size_t n = x.active_start[D];
    CHECK(memcmp(start, x.active_start, ((size_t)D + 1) * sizeof *start) == 0, "starts");
    CHECK(memcmp(index, x.active_col, n * sizeof *index) == 0, "indices");
    free(start);
    free(index);
    example_free(&x);
    free(table);
}

int main(void) {
    check_begin();
    set_seed(50, 1);
    test_sources();
    test_all_active();
    test_network();
    test_undirected();
    test_empty();
    test_offsets();
    for (int i = 0; i < 20; i++)
        test_random_table(1 + i, 21 - i);
    return check_report("cells");
}
