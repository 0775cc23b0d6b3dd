/* whole_secure_poisson and whole_secure_thin: as they are, but over Bern(p/q), Unif(n) and a number
 * of ones of test_decisions.c. */
#define COPY whole_
#include "rename.h"

#include "ldp_secure_poisson.c"
#include "ldp_secure_thin.c"
