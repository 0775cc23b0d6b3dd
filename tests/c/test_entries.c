/* Lines of cells in a release file. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "ldp_entries.h"

enum { MOST = 20 };

typedef struct table {
    int row[MOST], column[MOST];
    double count[MOST];
    ldp_entries read;
} table;

/* Text as the cells of a release of 9 x 8. */
static table read_kind(const char *text, ldp_entry_kind kind, size_t most) {
    table t;
    t.read = ldp_entries_read(text, strlen(text), 9, 8, kind, most, t.row, t.column, t.count);
    return t;
}

static table read_text(const char *text, size_t most) {
    return read_kind(text, LDP_ENTRY_WHOLE, most);
}

static void check_line(const char *line, int row, int column, double count) {
    const table t = read_text(line, MOST);
    CHECK(t.read.n == 1 && t.read.problem == LDP_ENTRY_GOOD, "'%s' was not read", line);
    CHECK(t.read.used == strlen(line), "'%s': %zu bytes", line, t.read.used);
    CHECK(t.row[0] == row && t.column[0] == column, "'%s': %d, %d", line, t.row[0], t.column[0]);
    if (isnan(count))
        CHECK(isnan(t.count[0]), "'%s' is not missing", line);
    else
        CHECK_NEAR(t.count[0], count, TOL_EXACT);
}

static void check_problem(const char *line, ldp_entry_problem problem) {
    const table t = read_text(line, MOST);
    CHECK(t.read.n == 0 && t.read.problem == problem, "'%s': %d", line, (int)t.read.problem);
}

static void test_lines(void) {
    check_line("1 2 3\n", 1, 2, 3);
    check_line("9\t8  -17\r\n", 9, 8, -17);
    check_line(" +2 3 NA \n", 2, 3, NAN);
    check_line("2.0 3e0 12e2\n", 2, 3, 1200);
    check_line("2 3 1.5e1\n", 2, 3, 15);
    check_line("2 3 9007199254740992\n", 2, 3, 9007199254740992.0);
    check_line("2 3 -2147483648\n", 2, 3, -2147483648.0);
}

static void test_problems(void) {
    const char *const forms[] = {"\n",      "1 2\n",    "1 2 3 4\n",  "end\n",
                                 "1 2 x\n", "1 2 3x\n", "1 2 0x10\n", "1 2 --3\n",
                                 "1 2 .\n", "1 2 3e\n", "a 2 3\n",    "1,2,3\n"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_problem(forms[i], LDP_ENTRY_FORM);
    check_problem("0 1 1\n", LDP_ENTRY_ROW);
    check_problem("10 1 1\n", LDP_ENTRY_ROW);
    check_problem("1.5 1 1\n", LDP_ENTRY_ROW);
    check_problem("NA 1 1\n", LDP_ENTRY_ROW);
    check_problem("1 9 1\n", LDP_ENTRY_COLUMN);
    check_problem("1 1 0.5\n", LDP_ENTRY_COUNT);
    check_problem("1 1 inf\n", LDP_ENTRY_COUNT);
    check_problem("1 1 1e400\n", LDP_ENTRY_COUNT);
    check_problem("1 1 1e99999999999\n", LDP_ENTRY_COUNT);
    check_problem("1 1 hidden\n", LDP_ENTRY_COUNT);
    check_problem("1 1 -1e400\n", LDP_ENTRY_COUNT);
}

/* Numbers with 17 digits are read as they were written; only the word means that a count is hidden.
 */
static void test_real_numbers(void) {
    const double exact[] = {0.1,    1.0 / 3, -2.0 / 3e-9, 4503599627370495.5,  1e22,
                            1e-300, 5e-324,  1.7e308,     0.30000000000000004, -123456.789,
                            9.1e15, -0.0};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        char line[64];
        snprintf(line, sizeof line, "1 2 %.17g\n", exact[i]);
        const table t = read_kind(line, LDP_ENTRY_ANY, MOST);
        CHECK(t.read.n == 1 && !(t.count[0] < exact[i] || t.count[0] > exact[i]), "%s: %.17g", line,
              t.count[0]);
    }
    const table hidden = read_kind("1 2 hidden\n2 2 NA\n", LDP_ENTRY_ANY, MOST);
    CHECK(hidden.read.n == 2 && isinf(hidden.count[0]) && hidden.count[0] < 0, "not hidden");
    CHECK(isnan(hidden.count[1]), "not missing");
    const char *const refused[] = {"1 2 inf\n", "1 2 -inf\n", "1 2 1e400\n", "1 2 -1e400\n"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const table t = read_kind(refused[i], LDP_ENTRY_ANY, MOST);
        CHECK(t.read.problem == LDP_ENTRY_COUNT, "%s: %d", refused[i], (int)t.read.problem);
    }
    CHECK(read_kind("1 2 0x1p3\n", LDP_ENTRY_ANY, MOST).read.problem == LDP_ENTRY_FORM, "0x1p3");
}

static void test_blocks(void) {
    const char *const text = "1 1 5\n1 2 -1\n2 1 NA\n3 3";
    const table all = read_text(text, MOST), some = read_text(text, 2);
    CHECK(all.read.n == 3 && all.read.used == 20, "%zu lines, %zu bytes", all.read.n,
          all.read.used);
    CHECK(some.read.n == 2 && some.read.used == 13, "%zu lines, %zu bytes", some.read.n,
          some.read.used);
    CHECK(read_text("", MOST).read.n == 0, "lines in an empty text");
}

static void test_reduce(void) {
    double below[9] = {0};
    int last[2] = {0, 0};
    table t = read_text("1 1 5\n1 2 -1\n1 3 -2\n2 1 NA\n2 4 0\n", MOST);
    ldp_informative kept = ldp_entries_reduce(t.read.n, t.row, t.column, t.count, last, below);
    CHECK(kept.n == 2 && kept.order == LDP_ENTRIES_SORTED, "%zu kept", kept.n);
    CHECK(t.row[1] == 2 && t.column[1] == 1 && isnan(t.count[1]), "the missing cell was not kept");
    CHECK(last[0] == 2 && last[1] == 4, "the last cell is %d, %d", last[0], last[1]);
    CHECK_NEAR(below[0], 3, TOL_EXACT);
    CHECK_NEAR(below[1], 0, TOL_EXACT);
    t = read_text("2 4 1\n3 1 1\n", MOST); /* the first is listed again */
    kept = ldp_entries_reduce(t.read.n, t.row, t.column, t.count, last, below);
    CHECK(kept.order == LDP_ENTRIES_BY_ROWS, "order %d", (int)kept.order);
    t = read_text("2 5 1\n", MOST);
    kept = ldp_entries_reduce(t.read.n, t.row, t.column, t.count, last, below);
    CHECK(kept.order == LDP_ENTRIES_MIXED, "order %d", (int)kept.order);
}

int main(void) {
    check_begin();
    test_lines();
    test_problems();
    test_real_numbers();
    test_blocks();
    test_reduce();
    return check_report("entries");
}
