#include <string.h>

#include "rc.h"

static R_xlen_t place_of(SEXP list, const char *name) {
    const SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return i;
    return -1;
}

SEXP rc_element_or_null(SEXP list, const char *name) {
    const R_xlen_t place = place_of(list, name);
    return place < 0 ? R_NilValue : VECTOR_ELT(list, place);
}

SEXP rc_element(SEXP list, const char *name) {
    const R_xlen_t place = place_of(list, name);
    if (place < 0)
        Rf_error("internal error: no element '%s'", name);
    return VECTOR_ELT(list, place);
}

double *rc_doubles(size_t n) {
    double *const x = (double *)(void *)R_alloc(n, sizeof(double));
    memset(x, 0, n * sizeof(double));
    return x;
}

/* Offsets travel as doubles, since R has no 64-bit integers; absent lists are NULL. */
static ldp_lists decode_lists(SEXP cells, const char *name) {
    const SEXP lists = rc_element(cells, name);
    if (Rf_isNull(lists))
        return (ldp_lists){NULL, NULL};
    const SEXP start = rc_element(lists, "start");
    const R_xlen_t n = Rf_xlength(start);
    const double *const from = REAL_RO(start);
    size_t *const to = (size_t *)R_alloc((size_t)n, sizeof(size_t));
    for (R_xlen_t i = 0; i < n; i++)
        to[i] = (size_t)from[i];
    return (ldp_lists){to, INTEGER_RO(rc_element(lists, "index"))};
}

ldp_cells rc_decode_cells(SEXP cells) {
    ldp_cells decoded;
    const int *const dim = INTEGER_RO(rc_element(cells, "dim"));
    decoded.D = dim[0];
    decoded.V = dim[1];
    decoded.active = decode_lists(cells, "active");
    decoded.active_t = decode_lists(cells, "active_t");
    decoded.missing = decode_lists(cells, "missing");
    decoded.missing_t = decode_lists(cells, "missing_t");
    decoded.y_tilde = REAL_RO(rc_element(cells, "y_tilde"));
    decoded.alpha = REAL_RO(rc_element(cells, "alpha"));
    return decoded;
}

ldp_gamma_prior rc_decode_prior(SEXP priors, const char *name, const double *rates) {
    const SEXP prior = rc_element(priors, name), rate = rc_element(prior, "rate");
    const double shape = Rf_asReal(rc_element(prior, "shape"));
    if (!rates || TYPEOF(rate) != VECSXP)
        return (ldp_gamma_prior){shape, Rf_asReal(rate), 0, 0};
    return (ldp_gamma_prior){shape, rates[place_of(priors, name)],
                             Rf_asReal(rc_element(rate, "shape")),
                             Rf_asReal(rc_element(rate, "rate"))};
}

double *rc_rates(SEXP factors) {
    const SEXP rates = rc_element_or_null(factors, "rate");
    return Rf_isNull(rates) ? NULL : REAL(rates);
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
        Rf_error("the noise levels, before and after, need an epsilon of fewer decimals; "
                 "nothing was released");
    }
}
