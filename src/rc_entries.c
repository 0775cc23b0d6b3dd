#include <limits.h>
#include <math.h>
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
 * release. Returns list(row, column, count, used, problem), where `used` counts bytes, those that
 * were skipped too, and `problem` is an ldp_entry_problem. */
SEXP rc_read_entries(SEXP text, SEXP skip, SEXP dim, SEXP most) {
    static const char *const names[] = {"row", "column", "count", "used", "problem", ""};
    rc_require(TYPEOF(text) == RAWSXP, "text");
    const double from = rc_number(skip, RC_NOT_NEGATIVE, "text"),
                 wanted = rc_number(most, RC_NOT_NEGATIVE, "cells");
    const int *const extent = rc_integers(dim, 2, 0, INT_MAX, "dim");
    const double n_bytes = (double)Rf_xlength(text) - from;
    rc_require(n_bytes >= 0, "text");
    const char *const from_here = (const char *)RAW_RO(text) + (size_t)from;
    const size_t room = count_lines(from_here, (size_t)n_bytes, (size_t)fmin(wanted, n_bytes));
    SEXP cells = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP row = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)room));
    SEXP column = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)room));
    SEXP count = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)room));
    const ldp_entries lines = ldp_entries_read(from_here, (size_t)n_bytes, extent[0], extent[1],
                                               room, INTEGER(row), INTEGER(column), REAL(count));
    for (size_t i = 0; i < lines.n; i++)
        if (isnan(REAL(count)[i]))
            REAL(count)[i] = NA_REAL;
    SET_VECTOR_ELT(cells, 0, first_of(row, lines.n));
    SET_VECTOR_ELT(cells, 1, first_of(column, lines.n));
    SET_VECTOR_ELT(cells, 2, first_of(count, lines.n));
    SET_VECTOR_ELT(cells, 3, Rf_ScalarReal(from + (double)lines.used));
    SET_VECTOR_ELT(cells, 4, Rf_ScalarInteger((int)lines.problem));
    UNPROTECT(4);
    return cells;
}
