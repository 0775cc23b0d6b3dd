/* gauss_gaussian_draw: as it is, but over two-sided geometric numbers and a Bern(exp(-p/q)) of
 * test_decisions.c. */
#define COPY gauss_
#include "rename.h"

#include "ldp_gaussian.c"
