/* Checks of the objects that R passes to kernels. Kernels do not check their arguments, so each
 * entry point does so once, before its first sweep, and never in a loop over cells. */
#include <float.h>

#include "rc.h"

void rc_refuse(const char *what) {
    SEXP name = PROTECT(Rf_mkString("ldpcounts"));
    SEXP space = PROTECT(R_FindNamespace(name));
    SEXP text = PROTECT(Rf_mkString(what));
    SEXP call = PROTECT(Rf_lang2(Rf_install("abort_damaged"), text));
    Rf_eval(call, space);
    Rf_error("internal error: '%s' is not what it should be", what);
}

void rc_require(int holds, const char *what) {
    if (!holds)
        rc_refuse(what);
}

typedef struct range {
    double least, most;
} range;

static range range_of(rc_values values) {
    static const range of[] = {
        [RC_ANY] = {0, 0},
        [RC_FINITE] = {-DBL_MAX, DBL_MAX},
        [RC_NOT_NEGATIVE] = {0, DBL_MAX},
        [RC_POSITIVE] = {DBL_TRUE_MIN, DBL_MAX},
        [RC_WEIGHTS] = {DBL_MIN, 1e200},
        [RC_ALPHA] = {0, 1 - DBL_EPSILON / 2},
    };
    return of[values];
}

/* Without a branch per number. */
static int are_within(const double *x, size_t n, range allowed) {
    int outside = 0;
    for (size_t i = 0; i < n; i++)
        outside |= !(x[i] >= allowed.least && x[i] <= allowed.most);
    return !outside;
}

double *rc_numbers(SEXP x, size_t n, rc_values values, const char *what) {
    rc_require(TYPEOF(x) == REALSXP && (size_t)Rf_xlength(x) == n, what);
    rc_require(values == RC_ANY || are_within(REAL_RO(x), n, range_of(values)), what);
    return REAL(x);
}

double rc_number(SEXP x, rc_values values, const char *what) {
    rc_require((TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP) && Rf_xlength(x) == 1, what);
    const double number = Rf_asReal(x);
    rc_require(are_within(&number, 1, range_of(values)), what);
    return number;
}

const int *rc_integers(SEXP x, size_t n, int least, int most, const char *what) {
    rc_require(TYPEOF(x) == INTSXP && (size_t)Rf_xlength(x) == n, what);
    const int *const numbers = INTEGER_RO(x);
    int outside = 0;
    for (size_t i = 0; i < n; i++)
        outside |= numbers[i] < least || numbers[i] > most;
    rc_require(!outside, what);
    return numbers;
}

rc_shape rc_shape_of(SEXP matrix, const char *what) {
    const SEXP dim = Rf_getAttrib(matrix, R_DimSymbol);
    rc_require(TYPEOF(matrix) == REALSXP && TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 2, what);
    const rc_shape shape = {INTEGER_RO(dim)[0], INTEGER_RO(dim)[1]};
    rc_require(shape.rows > 0, what);
    return shape;
}

double *rc_matrix(SEXP matrix, int rows, int columns, rc_values values, const char *what) {
    const rc_shape shape = rc_shape_of(matrix, what);
    rc_require(shape.rows == rows && shape.columns == columns, what);
    return rc_numbers(matrix, (size_t)rows * (size_t)columns, values, what);
}

void rc_require_offsets(const size_t *start, size_t n, size_t end, const char *what) {
    int falls = start[0] > 0 || start[n] != end;
    for (size_t i = 0; i < n; i++)
        falls |= start[i] > start[i + 1];
    rc_require(!falls, what);
}
