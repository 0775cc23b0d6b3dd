/* The log density of a released cell, marginal over the truth behind it, as models sum it up. */
#ifndef LDP_DENSITY_H
#define LDP_DENSITY_H

#include "ldp_privpois.h"

/* log P(y_tilde; mu, alpha); for a cell at or below zero without what does not depend on mu, so that
 * many of them together cost no more than the sum of their mu.  Requires as ldp_privpois_log_pmf. */
static inline double ldp_density_rest(double mu, double alpha) {
    return -(1 - alpha) * mu;
}
static inline double ldp_density_cell(double y_tilde, double mu, double alpha) {
    return y_tilde > 0 ? ldp_privpois_log_pmf(y_tilde, mu, alpha) : ldp_density_rest(mu, alpha);
}

#endif
