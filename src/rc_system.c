/* Random bytes from the operating system. If it gives none, the status says so: no other generator
 * is used instead. */
#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
/* after windows.h */
#include <bcrypt.h>
#else
#include <stdlib.h>
#endif

#include "rc_system.h"

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

ldp_status rc_system_bytes(void *source, unsigned char *bytes, size_t n) {
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

ldp_status rc_system_bytes(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    const NTSTATUS status = BCryptGenRandom(NULL, bytes, (ULONG)n, BCRYPT_USE_SYSTEM_PREFERRED_RNG);
    return status >= 0 ? LDP_OK : LDP_NO_ENTROPY;
}

#else /* macOS and the BSDs */

ldp_status rc_system_bytes(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    arc4random_buf(bytes, n);
    return LDP_OK;
}

#endif
