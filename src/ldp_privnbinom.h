/* The distribution of a privatized negative binomial count: y_tilde = y + tau, y ~ NB of mean mu
 * and dispersion 1 + excess, tau ~ 2Geo(alpha). */
#ifndef LDP_PRIVNBINOM_H
#define LDP_PRIVNBINOM_H

#include "ldp_quantile.h"

/* All require a whole k, 0 <= mu < Inf, 0 <= excess < Inf, 0 <= alpha < 1, not checked. */

/* log P(y_tilde = k) */
double ldp_privnbinom_log_pmf(double k, double mu, double excess, double alpha);

/* log P(y_tilde <= k), or log P(y_tilde > k) if not `lower` */
double ldp_privnbinom_log_cdf(double k, int lower, double mu, double excess, double alpha);

/* The smallest k with log P(y_tilde <= k) >= log_p, or log P(y_tilde > k) <= log_p where not
 * `lower`. */
double ldp_privnbinom_quantile(ldp_probability p, double mu, double excess, double alpha);

double ldp_rprivnbinom(double mu, double excess, double alpha);

#endif
