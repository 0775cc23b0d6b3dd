/* Random bytes from the operating system. Without R, for the command line client (tools/client). */
#ifndef RC_SYSTEM_H
#define RC_SYSTEM_H

#include <stddef.h>

#include "ldp_math.h"

/* A `refill` of ldp_bits (ldp_secure.h): n random bytes, or LDP_NO_ENTROPY. `source` is not used.
 */
ldp_status rc_system_bytes(void *source, unsigned char *bytes, size_t n);

#endif
