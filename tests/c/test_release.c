/* Counts upon noise, from every kind of source, and what clamping keeps. */
#include <string.h>

#include "check.h"
#include "ldp_release.h"

/*     5 0
 *     0 2     by columns; sparse, with a stored 0
 *     1 3 */
static const int ints[] = {5, 0, 1, 0, 2, 3};
static const double doubles[] = {5, 0, 1, 0, 2, 3};
static const int start[] = {0, 2, 5};
static const int row[] = {0, 2, 0, 1, 2};
static const int sparse_ints[] = {5, 1, 0, 2, 3};
static const double sparse_doubles[] = {5, 1, 0, 2, 3};

static void check_source(ldp_source source) {
    for (int v = 0; v < 2; v++) {
        int64_t *const released = check_alloc(3, sizeof *released);
        released[0] = -7;
        released[2] = 9;
        ldp_release_add(&source, v, released);
        for (int d = 0; d < 3; d++) {
            const int64_t noise = d == 0 ? -7 : d == 2 ? 9 : 0;
            CHECK(released[d] == noise + ints[3 * v + d], "row %d of column %d", d, v);
        }
        free(released);
    }
}

static void test_sources(void) {
    check_source((ldp_source){3, 2, NULL, NULL, ints, NULL, 0, 0});
    check_source((ldp_source){3, 2, NULL, NULL, NULL, doubles, 0, 0});
    check_source((ldp_source){3, 2, start, row, sparse_ints, NULL, 0, 0});
    check_source((ldp_source){3, 2, start, row, NULL, sparse_doubles, 0, 0});
}

static void test_large(void) {
    const double count = 2147483647;
    const ldp_source source = {1, 1, NULL, NULL, NULL, &count, 0, 0};
    int64_t released = 2147483647;
    ldp_release_add(&source, 0, &released);
    CHECK(released == 4294967294, "%lld", (long long)released);
}

static void test_clamp(void) {
    static const int64_t released[] = {-3, 0, 4, -1, 1};
    int *const rows = check_alloc(2, sizeof *rows);
    double *const values = new_doubles(2), *const cells = new_doubles(5),
                  *const size = new_doubles(5);
    cells[0] = 10;
    size[3] = 20;
    const int n = ldp_release_clamp(5, released, rows, values, cells, size);
    CHECK(n == 2 && rows[0] == 2 && rows[1] == 4, "%d positive", n);
    CHECK_NEAR(values[0], 4, TOL_EXACT);
    CHECK_NEAR(values[1], 1, TOL_EXACT);
    static const double expected_cells[] = {11, 1, 0, 1, 0}, expected_size[] = {3, 0, 0, 21, 0};
    for (int d = 0; d < 5; d++) {
        CHECK_NEAR(cells[d], expected_cells[d], TOL_EXACT);
        CHECK_NEAR(size[d], expected_size[d], TOL_EXACT);
    }
    CHECK(ldp_release_clamp(0, released, rows, values, cells, size) == 0, "no rows");
    free(rows);
    free(values);
    free(cells);
    free(size);
}

int main(void) {
    check_begin();
    test_sources();
    test_large();
    test_clamp();
    return check_report("release");
}
