/* Random bytes from the operating system, and, for simulation, from R's generator. If the first
 * fails, an error is thrown: R's generator is never used instead. */
#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <bcrypt.h>
#include <windows.h>
#else
#include <stdlib.h>
#endif

#include <string.h>

#include <Rmath.h>

#include "rc.h"

#if defined(__linux__)

static ldp_status read_urandom(unsigned char *bytes, size_t n) {
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return LDP_NO_ENTROPY;
    while (n > 0) {
        const ssize_t got = read(file, bytes, n);
        if (got <= 0) {
            if (got < 0 && errno == EINTR)
                continue;
            break;
        }
        bytes += got;
        n -= (size_t)got;
    }
    close(file);
    return n == 0 ? LDP_OK : LDP_NO_ENTROPY;
}

static ldp_status entropy_system(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    while (n > 0) {
        const ssize_t got = getrandom(bytes, n, 0);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            /* an old kernel, or a sandbox that forbids the call */
            return errno == ENOSYS || errno == EPERM ? read_urandom(bytes, n) : LDP_NO_ENTROPY;
        }
        bytes += got;
        n -= (size_t)got;
    }
    return LDP_OK;
}

#elif defined(_WIN32)

static ldp_status entropy_system(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    const NTSTATUS status = BCryptGenRandom(NULL, bytes, (ULONG)n, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status >= 0 ? LDP_OK : LDP_NO_ENTROPY;
}

#else /* macOS and the BSDs */

static ldp_status entropy_system(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    arc4random_buf(bytes, n);
    return LDP_OK;
}

#endif

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
        ldp_bits_open(&source->bits, entropy_system, NULL, LDP_BITS_BUFFER);
    }
}

void rc_bits_close(rc_bits *source) {
    if (source->from_r)
        PutRNGstate();
    ldp_bits_close(&source->bits);
}
