/* exp_secure_bernoulli_exp: as it is, but over a Bern(p/q) of test_decisions.c. */
#define COPY exp_
#include "rename.h"

#include "ldp_secure.h"

__attribute__((weak)) ldp_status ldp_secure_bernoulli(ldp_bits *, uint64_t, uint64_t, unsigned *);

#include "ldp_secure.c"
