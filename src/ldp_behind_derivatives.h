/* Derivatives of the log probability of a release of any mechanism with respect to the mean mu of
 * its true count and to theta = log(excess). */
#ifndef LDP_BEHIND_DERIVATIVES_H
#define LDP_BEHIND_DERIVATIVES_H

#include "ldp_behind.h"
#include "ldp_derivatives.h"

/* As ldp_derivatives(): the first LDP_N_LEVEL_0, LDP_N_LEVEL_1 or LDP_N_LEVEL_2 derivatives, those
 * by mu multiplied by mu^n. The time is in proportion to the number of counts that matter. Requires
 * mu > 0 and low <= high, not checked. */
void ldp_behind_derivatives(const ldp_behind *behind, int level, double *d);

#endif
