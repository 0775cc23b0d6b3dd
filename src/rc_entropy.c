/* Random bits for noise: from the operating system (rc_system.c), or, for simulation, from R's
 * generator. If the first fails, an error is thrown: R's generator is never used instead. */
#include <string.h>

#include <Rmath.h>

#include "rc.h"
#include "rc_system.h"

/* The top eight bits of a uniform number: 32-bit generators are best there. */
static ldp_status entropy_r(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(unif_rand() * 256);
    return LDP_OK;
}

void rc_bits_open(rc_bits *source, SEXP rng) {
    source->from_r = TYPEOF(rng) == STRSXP && strcmp(CHAR(Rf_asChar(rng)), "R") == 0;
    if (source->from_r) {
        GetRNGstate();
        ldp_bits_open(&source->bits, entropy_r, NULL, 1); /* one byte at a time: none is wasted */
    } else {
        ldp_bits_open(&source->bits, rc_system_bytes, NULL, LDP_BITS_BUFFER);
    }
}

void rc_bits_close(rc_bits *source) {
    if (source->from_r)
        PutRNGstate();
    ldp_bits_close(&source->bits);
}
