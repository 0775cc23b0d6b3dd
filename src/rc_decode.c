#include <limits.h>
#include <math.h>
#include <string.h>

#include "ldp_codes.h"
#include "rc.h"

static R_xlen_t rc_decode_place_of(SEXP list, const char *name) {
    const SEXP names = TYPEOF(list) == VECSXP ? Rf_getAttrib(list, R_NamesSymbol) : R_NilValue;
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return i;
    return -1;
}

SEXP rc_element_or_null(SEXP list, const char *name) {
    const R_xlen_t place = rc_decode_place_of(list, name);
    return place < 0 ? R_NilValue : VECTOR_ELT(list, place);
}

SEXP rc_element(SEXP list, const char *name) {
    const R_xlen_t place = rc_decode_place_of(list, name);
    rc_require(place >= 0, name);
    return VECTOR_ELT(list, place);
}

/* Memory that is kept is in the list `kept`; NULL if it lasts until .Call returns. */
static SEXP kept = NULL;

void *rc_room(size_t n, size_t size) {
    if (!kept)
        return R_alloc(n, (int)size);
    if (n > R_XLEN_T_MAX / size)
        Rf_error("memory for %.0f elements cannot be allocated", (double)n);
    SEXP room = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(n * size)));
    SETCDR(kept, Rf_cons(room, CDR(kept)));
    UNPROTECT(1);
    return RAW(room);
}

typedef struct opening {
    void *(*open)(void *data);
    void *data;
} opening;

static SEXP open_kept(void *data) {
    const opening *const what = data;
    return R_MakeExternalPtr(what->open(what->data), R_NilValue, kept);
}

static void stop_keeping(void *data) {
    (void)data;
    kept = NULL;
}

SEXP rc_keep_memory(void *(*open)(void *data), void *data, SEXP objects) {
    opening what = {open, data};
    SEXP list = PROTECT(Rf_cons(objects, R_NilValue));
    kept = list;
    SEXP pointer = R_ExecWithCleanup(open_kept, &what, stop_keeping, NULL);
    UNPROTECT(1);
    return pointer;
}

double *rc_doubles(size_t n) {
    double *const x = rc_room(n, sizeof(double));
    memset(x, 0, n * sizeof(double));
    return x;
}

/* Decodes lists of n lines with indices below m. Offsets are stored as doubles, because R has no
 * 64-bit integers; absent lists are NULL. */
ldp_lists rc_decode_lists(SEXP lists, int n, int m, const char *name) {
    if (Rf_isNull(lists))
        return (ldp_lists){NULL, NULL};
    const SEXP index = rc_element(lists, "index");
    const size_t length = (size_t)Rf_xlength(index);
    const double *const from =
        rc_numbers(rc_element(lists, "start"), (size_t)n + 1, RC_NOT_NEGATIVE, name);
    size_t *const to = rc_room((size_t)n + 1, sizeof(size_t));
    for (int i = 0; i <= n; i++)
        to[i] = from[i] <= (double)length ? (size_t)from[i] : length + 1;
    rc_require_offsets(to, (size_t)n, length, name);
    return (ldp_lists){to, rc_integers(index, length, 0, m - 1, name)};
}

static ldp_lists decode_lists(SEXP cells, const char *name, int n, int m) {
    return rc_decode_lists(rc_element(cells, name), n, m, name);
}

static const rc_data *opened_data(SEXP pointer) {
    const rc_data *const data = R_ExternalPtrAddr(pointer);
    rc_require(data != NULL, "cells");
    return data;
}

static const uint8_t *codes_or_null(SEXP cells, size_t n) {
    const SEXP code = rc_element_or_null(cells, "code");
    if (Rf_isNull(code))
        return NULL;
    rc_require(TYPEOF(code) == RAWSXP && (size_t)Rf_xlength(code) == n, "code");
    return RAW_RO(code);
}

/* The classes of cells under any mechanism, which are all listed. */
static const ldp_protection *decode_protection(SEXP mechanism, ldp_cells *cells) {
    const size_t n = cells->active.start[cells->D];
    const ldp_protection *const given = rc_decode_protection(mechanism, n);
    if (!given)
        return NULL;
    ldp_protection *const protection = rc_room(1, sizeof *protection);
    ldp_classes *const classes = rc_room(1, sizeof *classes);
    uint8_t *const of_listed = rc_room(n + 1, 1);
    uint8_t *const code = rc_room((size_t)cells->D * (size_t)cells->V + 1, 1);
    ldp_classes_make(given->levels, given->level, n, cells->y_tilde, LDP_CODE_LISTED, classes,
                     of_listed);
    ldp_codes_spread(cells, of_listed, code);
    *protection = *given;
    protection->classes = classes;
    cells->code = code;
    return protection;
}

ldp_cells rc_decode_cells(SEXP cells) {
    if (TYPEOF(cells) == EXTPTRSXP)
        return opened_data(cells)->cells;
    ldp_cells decoded;
    const int *const dim = rc_integers(rc_element(cells, "dim"), 2, 0, INT_MAX, "dim");
    const int D = dim[0], V = dim[1];
    decoded.D = D;
    decoded.V = V;
    decoded.D_before = 0;
    decoded.D_all = D;
    const SEXP shard = rc_element_or_null(cells, "shard");
    if (!Rf_isNull(shard)) {
        const int *const rows = rc_integers(shard, 2, 0, INT_MAX, "shard");
        rc_require(rows[0] % LDP_PART == 0 && rows[0] <= rows[1] - D, "shard");
        decoded.D_before = rows[0];
        decoded.D_all = rows[1];
    }
    decoded.active = decode_lists(cells, "active", D, V);
    decoded.active_t = decode_lists(cells, "active_t", V, D);
    decoded.missing = decode_lists(cells, "missing", D, V);
    decoded.missing_t = decode_lists(cells, "missing_t", V, D);
    rc_require(decoded.active.start && decoded.missing.start, "cells");
    const SEXP mechanism = rc_element_or_null(cells, "mechanism");
    decoded.y_tilde = rc_numbers(rc_element(cells, "y_tilde"), decoded.active.start[D],
                                 Rf_isNull(mechanism) ? RC_FINITE : RC_ANY, "y_tilde");
    decoded.alpha = rc_numbers(rc_element(cells, "alpha"), (size_t)D, RC_ALPHA, "alpha");
    decoded.code = codes_or_null(cells, (size_t)D * (size_t)V);
    decoded.protection = decode_protection(mechanism, &decoded);
    return decoded;
}

static void count_releases(rc_data *data, size_t n, const double *y_tilde) {
    ldp_quick_count(n, y_tilde, data->table);
    for (size_t e = 0; e < n; e++)
        data->total += fmax(y_tilde[e], 0);
}

static void count_codes(rc_data *data) {
    const ldp_cells *const cells = &data->cells;
    int column[LDP_FEW], n;
    double y_tilde[LDP_FEW];
    data->n_active = 0;
    for (int d = 0; d < cells->D; d++)
        for (int from = 0; (n = ldp_codes_next(cells, d, &from, column, y_tilde)) > 0;) {
            count_releases(data, (size_t)n, y_tilde);
            data->n_active += n;
        }
}

static void *open_data(void *of) {
    SEXP const cells = *(SEXP *)of;
    const SEXP n_quick = rc_element_or_null(cells, "quick");
    rc_data *const data = rc_room(1, sizeof *data);
    *data = (rc_data){.cells = rc_decode_cells(cells)};
    data->n_active = (double)data->cells.active.start[data->cells.D];
    if (!Rf_isNull(n_quick))
        data->n_quick = *rc_integers(n_quick, 1, 1, LDP_QUICK_ROWS, "quick");
    data->table = rc_doubles(LDP_QUICK_ROWS);
    if (data->cells.code && !data->cells.protection)
        count_codes(data);
    else
        count_releases(data, (size_t)data->n_active, data->cells.y_tilde);
    return data;
}

const rc_data *rc_decode_data(SEXP cells) {
    return TYPEOF(cells) == EXTPTRSXP ? opened_data(cells) : open_data(&cells);
}

/* A pointer that entry points accept in place of the cells. All cells are checked here, and not
 * again in each call. */
SEXP rc_open_cells(SEXP cells) {
    return rc_keep_memory(open_data, &cells, cells);
}

/* A number, or a list of the shape and rate of the prior of a number that is estimated. Sets
 * *number to the number or, of `estimates`, that at `place`, and the prior. */
static void decode_hyper(SEXP prior, const char *name, const double *estimates, R_xlen_t place,
                         double *number, double *shape, double *rate) {
    const SEXP given = rc_element(prior, name);
    if (!estimates || TYPEOF(given) != VECSXP) {
        *number = rc_number(given, RC_POSITIVE, "prior");
        return;
    }
    *number = estimates[place];
    *shape = rc_number(rc_element(given, "shape"), RC_POSITIVE, "prior");
    *rate = rc_number(rc_element(given, "rate"), RC_POSITIVE, "prior");
}

ldp_gamma_prior rc_decode_prior(SEXP priors, const char *name, rc_hyper hyper) {
    const SEXP prior = rc_element(priors, name);
    const R_xlen_t place = rc_decode_place_of(priors, name);
    ldp_gamma_prior decoded = {0};
    decode_hyper(prior, "rate", hyper.rates, place, &decoded.rate, &decoded.hyper_shape,
                 &decoded.hyper_rate);
    decode_hyper(prior, "shape", hyper.shapes, place, &decoded.shape, &decoded.shape_shape,
                 &decoded.shape_rate);
    return decoded;
}

static double *numbers_or_null(SEXP factors, const char *name, int n) {
    const SEXP numbers = rc_element_or_null(factors, name);
    return Rf_isNull(numbers) ? NULL : rc_numbers(numbers, (size_t)n, RC_POSITIVE, name);
}

rc_hyper rc_decode_hyper(SEXP factors, int n) {
    return (rc_hyper){numbers_or_null(factors, "rate", n), numbers_or_null(factors, "shape", n)};
}

void rc_check_status(ldp_status status) {
    switch (status) {
    case LDP_OK:
        return;
    case LDP_NO_ENTROPY:
        Rf_error("the source of random bits failed; nothing was released");
    case LDP_OVERFLOW:
        Rf_error("a noise value left the range of 64-bit integers; nothing was released");
    case LDP_TOO_FINE:
        Rf_error("the further noise for the requested level cannot be drawn exactly; "
                 "request an epsilon and a precision of fewer digits; nothing was released");
    }
}
