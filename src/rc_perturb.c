#include <string.h>

#include "ldp_perturb.h"
#include "rc.h"

/* Numbers of R's generator are used directly, except for exact noise, which needs bits. */
static ldp_perturber decode_noise(SEXP law, rc_bits *source) {
    const char *const name = CHAR(Rf_asChar(law));
    const ldp_law found = strcmp(name, "gaussian") == 0 ? LDP_NORMAL : LDP_DISCRETE;
    return (ldp_perturber){found, source->from_r && found != LDP_DISCRETE ? NULL : &source->bits};
}

/* x + noise. `law`: "gaussian" or "discrete"; rng as in rc_privatize. */
SEXP rc_perturb(SEXP x, SEXP scale, SEXP law, SEXP rng) {
    const double sigma = rc_number(scale, RC_NOT_NEGATIVE, "scale");
    rc_numbers(x, (size_t)Rf_xlength(x), RC_ANY, "x");
    SEXP noised = PROTECT(Rf_duplicate(x));
    rc_bits source;
    rc_bits_open(&source, rng);
    const ldp_perturber noise = decode_noise(law, &source);
    const ldp_status status = ldp_perturb(&noise, (size_t)Rf_xlength(x), sigma, REAL(noised));
    rc_bits_close(&source);
    rc_check_status(status);
    UNPROTECT(1);
    return noised;
}
