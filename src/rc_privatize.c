#include <limits.h>
#include <string.h>

#include "ldp_secure.h"
#include "rc.h"

/* A tape of bytes in place of a generator: tests script the bits, and see what happens when
 * the source runs dry. */
typedef struct tape {
    const unsigned char *bytes;
    size_t left;
} tape;

static ldp_status refill_from_tape(void *source, unsigned char *bytes, size_t n) {
    tape *const from = source;
    if (from->left < n)
        return LDP_NO_ENTROPY;
    memcpy(bytes, from->bytes, n);
    from->bytes += n;
    from->left -= n;
    return LDP_OK;
}

/* Noise for n cells, drawn by code that sees no count. */
static int64_t *draw_noise(size_t n, SEXP s, SEXP t, SEXP rng) {
    const size_t n_rates = (size_t)Rf_xlength(s);
    uint64_t *const s_whole = (uint64_t *)(void *)R_alloc(n_rates, sizeof(uint64_t));
    uint64_t *const t_whole = (uint64_t *)(void *)R_alloc(n_rates, sizeof(uint64_t));
    int64_t *const tau = (int64_t *)(void *)R_alloc(n, sizeof(int64_t));
    for (size_t r = 0; r < n_rates; r++) {
        s_whole[r] = (uint64_t)REAL_RO(s)[r];
        t_whole[r] = (uint64_t)REAL_RO(t)[r];
    }
    ldp_bits bits;
    ldp_status status;
    if (TYPEOF(rng) == RAWSXP) {
        tape from = {RAW_RO(rng), (size_t)Rf_xlength(rng)};
        ldp_bits_open(&bits, refill_from_tape, &from, 1);
        status = ldp_secure_noise(&bits, n, n_rates, s_whole, t_whole, tau);
    } else if (strcmp(CHAR(Rf_asChar(rng)), "R") == 0) {
        GetRNGstate();
        ldp_bits_open(&bits, rc_entropy_r, NULL, 1); /* a byte a time: none is left unused */
        status = ldp_secure_noise(&bits, n, n_rates, s_whole, t_whole, tau);
        PutRNGstate();
    } else {
        ldp_bits_open(&bits, rc_entropy_system, NULL, LDP_BITS_BUFFER);
        status = ldp_secure_noise(&bits, n, n_rates, s_whole, t_whole, tau);
    }
    ldp_bits_close(&bits);
    rc_check_status(status);
    return tau;
}

static int fits_int(const int64_t *released, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (released[i] > INT_MAX || released[i] <= INT_MIN)
            return 0;
    return 1;
}

/* counts: checked whole numbers 0 .. 2^31 - 1, integer or double; s, t: one, or one per row.
 * rng: "secure", "R", or a raw vector to take the bits from. Returns counts + noise, as
 * integers where all of them fit. */
SEXP rc_privatize(SEXP counts, SEXP s, SEXP t, SEXP rng) {
    const R_xlen_t length = Rf_xlength(counts);
    const size_t n = (size_t)length;
    int64_t *const released = draw_noise(n, s, t, rng);
    if (TYPEOF(counts) == INTSXP) {
        const int *const y = INTEGER_RO(counts);
        for (size_t i = 0; i < n; i++)
            released[i] += y[i];
    } else {
        const double *const y = REAL_RO(counts);
        for (size_t i = 0; i < n; i++)
            released[i] += (int64_t)y[i];
    }
    SEXP answer;
    if (fits_int(released, n)) {
        answer = PROTECT(Rf_allocVector(INTSXP, length));
        for (size_t i = 0; i < n; i++)
            INTEGER(answer)[i] = (int)released[i];
    } else {
        answer = PROTECT(Rf_allocVector(REALSXP, length));
        for (size_t i = 0; i < n; i++)
            REAL(answer)[i] = (double)released[i];
    }
    UNPROTECT(1);
    return answer;
}
