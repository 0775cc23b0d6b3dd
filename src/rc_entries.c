#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ldp_entries.h"
#include "rc.h"

/* The number of lines, at most `most`. */
static size_t count_lines(const char *text, size_t n, size_t most) {
    size_t lines = 0;
    for (size_t i = 0; i < n && lines < most; i++)
        lines += text[i] == '\n';
    return lines;
}

static SEXP first_of(SEXP x, size_t n) {
    return (size_t)Rf_xlength(x) == n ? x : Rf_xlengthgets(x, (R_xlen_t)n);
}

/* Cells from the bytes `text`, after the first `skip` of them. `dim`: rows and columns of the
 * release. `size_below`: NULL, or one number per row, which is changed in place; then only positive
 * and missing cells are returned (ldp_entries_reduce), and `last` is the row and the column of the
 * cell before the first. `whole`: may counts only be whole numbers? Returns list(row, column,
 * count, used, problem, n, last, order), where `used` counts bytes, those that were skipped too,
 * `problem` is an ldp_entry_problem, `n` the number of cells that were read, and `order` an
 * ldp_entry_order. */
SEXP rc_read_entries(SEXP text, SEXP skip, SEXP dim, SEXP most, SEXP size_below, SEXP last,
                     SEXP whole) {
    static const char *const names[] = {"row", "column", "count", "used", "problem",
                                        "n",   "last",   "order", ""};
    rc_require(TYPEOF(text) == RAWSXP, "text");
    const double from = rc_number(skip, RC_NOT_NEGATIVE, "text"),
                 wanted = rc_number(most, RC_NOT_NEGATIVE, "cells");
    const int *const extent = rc_integers(dim, 2, 0, INT_MAX, "dim");
    const ldp_entry_kind kind = Rf_asLogical(whole) ? LDP_ENTRY_WHOLE : LDP_ENTRY_ANY;
    const double n_bytes = (double)Rf_xlength(text) - from;
    rc_require(n_bytes >= 0, "text");
    const char *const from_here = (const char *)RAW_RO(text) + (size_t)from;
    const size_t room = count_lines(from_here, (size_t)n_bytes, (size_t)fmin(wanted, n_bytes));
    SEXP cells = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP row = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)room));
    SEXP column = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)room));
    SEXP count = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)room));
    const ldp_entries lines =
        ldp_entries_read(from_here, (size_t)n_bytes, extent[0], extent[1], kind, room, INTEGER(row),
                         INTEGER(column), REAL(count));
    for (size_t i = 0; i < lines.n; i++)
        if (isnan(REAL(count)[i]))
            REAL(count)[i] = NA_REAL;
    ldp_informative kept = {lines.n, LDP_ENTRIES_SORTED};
    SEXP now = PROTECT(Rf_duplicate(last));
    if (!Rf_isNull(size_below)) {
        rc_integers(now, 2, 0, INT_MAX, "last");
        kept = ldp_entries_reduce(
            lines.n, INTEGER(row), INTEGER(column), REAL(count), INTEGER(now),
            rc_numbers(size_below, (size_t)extent[0], RC_NOT_NEGATIVE, "size_below"));
    }
    SET_VECTOR_ELT(cells, 0, first_of(row, kept.n));
    SET_VECTOR_ELT(cells, 1, first_of(column, kept.n));
    SET_VECTOR_ELT(cells, 2, first_of(count, kept.n));
    SET_VECTOR_ELT(cells, 3, Rf_ScalarReal(from + (double)lines.used));
    SET_VECTOR_ELT(cells, 4, Rf_ScalarInteger((int)lines.problem));
    SET_VECTOR_ELT(cells, 5, Rf_ScalarReal((double)lines.n));
    SET_VECTOR_ELT(cells, 6, now);
    SET_VECTOR_ELT(cells, 7, Rf_ScalarInteger((int)kept.order));
    UNPROTECT(5);
    return cells;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The longest line: two whole numbers of 10 digits, a count of 24 characters, blanks and a line
 * feed. */
enum { LONGEST_LINE = 48 };

/* Writes the digits of a whole number, and returns the place after them. */
static char *write_whole(char *to, uint64_t x) {
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + x % 10);
        x /= 10;
    } while (x > 0);
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

static char *write_word(char *to, const char *word) {
    const size_t n = strlen(word);
    memcpy(to, word, n);
    return to + n;
}

/* Whole numbers up to 2^53 have no exponent; 17 digits represent other doubles exactly. The kernels
 * print nothing, so these functions are here, and not beside ldp_entries_read(). */
static char *write_count(char *to, double x) {
    if (isnan(x))
        return write_word(to, "NA");
    if (isinf(x))
        return write_word(to, "hidden");
    if (!(fabs(x) <= 9007199254740992.0) || trunc(x) < x || trunc(x) > x)
        return to + snprintf(to, 25, "%.17g", x);
    if (x < 0)
        *to++ = '-';
    return write_whole(to, (uint64_t)fabs(x));
}

/* The lines of cells, as bytes: row, column and count, which is NA if it is masked and infinite if
 * it is hidden. */
SEXP rc_write_entries(SEXP row, SEXP column, SEXP count) {
    const size_t n = (size_t)Rf_xlength(count);
    const int *const rows = rc_integers(row, n, 1, INT_MAX, "row");
    const int *const columns = rc_integers(column, n, 1, INT_MAX, "column");
    const double *const counts = rc_numbers(count, n, RC_ANY, "count");
    SEXP text = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(n * LONGEST_LINE)));
    char *const start = (char *)RAW(text), *to = start;
    for (size_t i = 0; i < n; i++) {
        to = write_whole(to, (uint64_t)rows[i]);
        *to++ = ' ';
        to = write_whole(to, (uint64_t)columns[i]);
        *to++ = ' ';
        to = write_count(to, counts[i]);
        *to++ = '\n';
    }
    SEXP written = first_of(text, (size_t)(to - start));
    UNPROTECT(1);
    return written;
}
