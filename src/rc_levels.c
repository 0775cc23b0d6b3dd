/* Noise levels in the last bits of doubles. An element of a private_vector (R/release-vector.R)
 * holds its count and the number of its noise level, so that whatever copies the double copies
 * both.
 *
 * A whole number below 2^34 in absolute value leaves the last 19 of the 52 bits of the mantissa
 * zero. R takes a NaN for NA if its lower 32 bits are 1954; there the number is in the bits above.
 * The first bit of the mantissa of a NaN may be changed by the processor, and is not used. */
#include <string.h>

#include "rc.h"

enum { LEVEL_BITS = 19, NA_SHIFT = 32 };
static const uint64_t LEVEL_MASK = ((uint64_t)1 << LEVEL_BITS) - 1;

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int shift_of(double x) {
    return ISNAN(x) ? NA_SHIFT : 0;
}

static double without_level(double x) {
    return from_bits(bits_of(x) & ~(LEVEL_MASK << shift_of(x)));
}

/* The counts with these numbers of levels, from 0 to 2^19 - 1. */
SEXP rc_set_levels(SEXP counts, SEXP levels) {
    const size_t n = (size_t)Rf_xlength(counts);
    const double *const count = rc_numbers(counts, n, RC_ANY, "counts");
    const int *const level = rc_integers(levels, n, 0, (int)LEVEL_MASK, "noise");
    SEXP x = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    for (size_t i = 0; i < n; i++) {
        rc_require(without_level(count[i]) == count[i] || ISNAN(count[i]), "counts");
        const double known = ISNAN(count[i]) ? NA_REAL : count[i] + 0; /* no negative zero */
        REAL(x)[i] = from_bits(bits_of(known) | ((uint64_t)level[i] << shift_of(known)));
    }
    UNPROTECT(1);
    return x;
}

/* list(counts, levels), the arguments of rc_set_levels(). */
SEXP rc_get_levels(SEXP x) {
    rc_require(TYPEOF(x) == REALSXP, "counts");
    const R_xlen_t n = Rf_xlength(x);
    SEXP found = PROTECT(Rf_allocVector(VECSXP, 2));
    SEXP counts = SET_VECTOR_ELT(found, 0, Rf_allocVector(REALSXP, n));
    SEXP levels = SET_VECTOR_ELT(found, 1, Rf_allocVector(INTSXP, n));
    const double *const element = REAL(x);
    for (R_xlen_t i = 0; i < n; i++) {
        REAL(counts)[i] = ISNAN(element[i]) ? NA_REAL : without_level(element[i]);
        INTEGER(levels)[i] = (int)(bits_of(element[i]) >> shift_of(element[i]) & LEVEL_MASK);
    }
    UNPROTECT(1);
    return found;
}
