#include <limits.h>

#include "ldp_codes.h"
#include "rc.h"

/* list(start = , index = ): offsets as doubles, since R has no 64-bit integers. */
static SEXP make_lists(const size_t *start, size_t n, SEXP index) {
    static const char *const names[] = {"start", "index", ""};
    SEXP lists = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP offsets = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n + 1));
    for (size_t i = 0; i <= n; i++)
        REAL(offsets)[i] = (double)start[i];
    SET_VECTOR_ELT(lists, 0, offsets);
    SET_VECTOR_ELT(lists, 1, index);
    UNPROTECT(2);
    return lists;
}

static size_t *offsets_for(int n) {
    return (size_t *)(void *)R_alloc((size_t)n + 1, sizeof(size_t));
}

static SEXP transpose(int n, ldp_lists lists, int m) {
    size_t *const start = offsets_for(m), *const work = offsets_for(m);
    SEXP index = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)lists.start[n]));
    ldp_lists_transpose((size_t)n, lists, (size_t)m, start, INTEGER(index), work);
    SEXP turned = make_lists(start, (size_t)m, index);
    UNPROTECT(1);
    return turned;
}

/* The lists of the columns, from those of the rows. */
SEXP rc_transpose_lists(SEXP lists, SEXP n_columns) {
    const int D = (int)Rf_xlength(rc_element(lists, "start")) - 1, V = Rf_asInteger(n_columns);
    rc_require(D >= 0 && V >= 0, "cells");
    return transpose(D, rc_decode_lists(lists, D, V, "cells"), V);
}

/* The same cells with releases as bytes, for proposals by tokens (ldp_codes.h): of the active
 * cells, listed by rows, those with releases too large for a byte stay. `by_columns`: also list
 * missing cells by columns. */
SEXP rc_code_cells(SEXP cells, SEXP table, SEXP by_columns) {
    static const char *const names[] = {"dim",   "active",    "y_tilde", "active_t", "missing",
                                        "alpha", "missing_t", "code",    ""};
    const ldp_cells given = rc_decode_cells(cells);
    const size_t D = (size_t)given.D;
    size_t *const start = offsets_for(given.D), n = 0;
    SEXP coded = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP code = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(D * (size_t)given.V)));
    ldp_codes_fill(&given, (ldp_table)Rf_asInteger(table), RAW(code), start);
    ldp_lists_offsets(D, start);
    SEXP index = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)start[D]));
    SEXP y_tilde = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)start[D]));
    for (size_t e = 0; e < given.active.start[D]; e++)
        if (given.y_tilde[e] > LDP_CODE_LARGEST) {
            INTEGER(index)[n] = given.active.index[e];
            REAL(y_tilde)[n++] = given.y_tilde[e];
        }
    SET_VECTOR_ELT(coded, 0, rc_element(cells, "dim"));
    SET_VECTOR_ELT(coded, 1, make_lists(start, D, index));
    SET_VECTOR_ELT(coded, 2, y_tilde);
    SET_VECTOR_ELT(coded, 4, rc_element(cells, "missing"));
    SET_VECTOR_ELT(coded, 5, rc_element(cells, "alpha"));
    if (Rf_asLogical(by_columns))
        SET_VECTOR_ELT(coded, 6, transpose(given.D, given.missing, given.V));
    SET_VECTOR_ELT(coded, 7, code);
    UNPROTECT(4);
    return coded;
}

ldp_source rc_decode_sparse(SEXP matrix) {
    static const char *const valid[] = {"dgCMatrix", ""};
    rc_require(R_check_class_etc(matrix, (const char **)valid) == 0, "matrix");
    const SEXP p = R_do_slot(matrix, Rf_install("p")), i = R_do_slot(matrix, Rf_install("i"));
    const SEXP x = R_do_slot(matrix, Rf_install("x")), dim = R_do_slot(matrix, Rf_install("Dim"));
    const int *const extent = rc_integers(dim, 2, 0, INT_MAX, "Dim");
    const R_xlen_t n = Rf_xlength(x);
    ldp_source source = {.D = extent[0], .V = extent[1]};
    source.col_start = rc_integers(p, (size_t)source.V + 1, 0, INT_MAX, "p");
    rc_require(source.col_start[0] == 0 && source.col_start[source.V] == n, "p");
    int falls = 0;
    for (int v = 0; v < source.V; v++)
        falls |= source.col_start[v] > source.col_start[v + 1];
    rc_require(!falls, "p");
    source.row = rc_integers(i, (size_t)n, 0, source.D - 1, "i");
    source.doubles = rc_numbers(x, (size_t)n, RC_ANY, "x");
    return source;
}

ldp_source rc_decode_source(SEXP matrix) {
    if (Rf_isS4(matrix))
        return rc_decode_sparse(matrix);
    const SEXP dim = Rf_getAttrib(matrix, R_DimSymbol);
    const int *const extent = rc_integers(dim, 2, 0, INT_MAX, "dim");
    const size_t n = (size_t)extent[0] * (size_t)extent[1];
    ldp_source source = {.D = extent[0], .V = extent[1]};
    if (TYPEOF(matrix) == INTSXP)
        source.ints = rc_integers(matrix, n, INT_MIN, INT_MAX, "matrix");
    else
        source.doubles = rc_numbers(matrix, n, RC_ANY, "matrix");
    return source;
}

/* The cells of a matrix of whole numbers, integer, double or dgCMatrix, with NA for masked cells.
 * `table`: an ldp_table. `by_columns`: also list active and missing cells by columns. For topics,
 * active cells are not listed by columns if all observed cells are active, because their exposures
 * are then all the same. */
SEXP rc_make_cells(SEXP matrix, SEXP alpha, SEXP all_active, SEXP table, SEXP by_columns) {
    static const char *const names[] = {"dim",     "active",    "y_tilde", "active_t",
                                        "missing", "missing_t", "alpha",   ""};
    ldp_source source = rc_decode_source(matrix);
    source.all_active = Rf_asLogical(all_active);
    source.table = (ldp_table)Rf_asInteger(table);
    const int D = source.D, V = source.V;
    rc_numbers(alpha, (size_t)D, RC_ALPHA, "alpha");
    size_t *const active = offsets_for(D), *const missing = offsets_for(D);
    ldp_cells_count(&source, active, missing);
    ldp_lists_offsets((size_t)D, active);
    ldp_lists_offsets((size_t)D, missing);

    SEXP cells = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
    INTEGER(dim)[0] = D;
    INTEGER(dim)[1] = V;
    SEXP active_col = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)active[D]));
    SEXP missing_col = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)missing[D]));
    SEXP y_tilde = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)active[D]));
    size_t *const work = (size_t *)(void *)R_alloc(2 * (size_t)D, sizeof(size_t));
    ldp_cells_fill(&source, active, INTEGER(active_col), REAL(y_tilde), missing,
                   INTEGER(missing_col), work);

    const ldp_lists active_lists = {active, INTEGER_RO(active_col)};
    const ldp_lists missing_lists = {missing, INTEGER_RO(missing_col)};
    SET_VECTOR_ELT(cells, 0, dim);
    SET_VECTOR_ELT(cells, 1, make_lists(active, (size_t)D, active_col));
    SET_VECTOR_ELT(cells, 2, y_tilde);
    const int turned = Rf_asLogical(by_columns);
    if (turned && (source.table != LDP_TABLE || !source.all_active))
        SET_VECTOR_ELT(cells, 3, transpose(D, active_lists, V));
    SET_VECTOR_ELT(cells, 4, make_lists(missing, (size_t)D, missing_col));
    if (turned)
        SET_VECTOR_ELT(cells, 5, transpose(D, missing_lists, V));
    SET_VECTOR_ELT(cells, 6, alpha);
    UNPROTECT(5);
    return cells;
}
