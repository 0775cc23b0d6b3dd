/* tree_secure_twogeom: as it is, but over bits, Unif(n) and Bern(exp(-p/q)) of
 * test_decisions.c. */
#define COPY tree_
#include "rename.h"

#include "ldp_secure.h"

__attribute__((weak)) ldp_status ldp_secure_bit(ldp_bits *, unsigned *);
__attribute__((weak)) ldp_status ldp_secure_uniform(ldp_bits *, uint64_t, uint64_t *);
__attribute__((weak)) ldp_status ldp_secure_bernoulli_exp(ldp_bits *, uint64_t, uint64_t,
                                                          unsigned *);

#include "ldp_secure.c"
