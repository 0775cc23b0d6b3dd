/* The distribution of a privatized Poisson count: y_tilde = y + tau, y ~ Pois(mu), tau ~
 * 2Geo(alpha). */
#ifndef LDP_PRIVPOIS_H
#define LDP_PRIVPOIS_H

#include "ldp_quantile.h"

/* All require a whole k, 0 <= mu < Inf, 0 <= alpha < 1, not checked. */

/* log P(y_tilde = k) */
double ldp_privpois_log_pmf(double k, double mu, double alpha);

/* log P(y_tilde <= k), or log P(y_tilde > k) if not `lower` */
double ldp_privpois_log_cdf(double k, int lower, double mu, double alpha);

/* The smallest k with log P(y_tilde <= k) >= log_p, or log P(y_tilde > k) <= log_p where not
 * `lower`. */
double ldp_privpois_quantile(ldp_probability p, double mu, double alpha);

double ldp_rprivpois(double mu, double alpha);

#endif
