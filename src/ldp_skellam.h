/* The Skellam distribution: the difference of two Poisson counts of means l1 and l2. */
#ifndef LDP_SKELLAM_H
#define LDP_SKELLAM_H

#include "ldp_quantile.h"

/* All require a whole k and l1, l2 >= 0, finite, not checked. */

/* log P(X = k) */
double ldp_skellam_log_pmf(double k, double l1, double l2);

/* log P(X <= k), or log P(X > k) if not `lower` */
double ldp_skellam_log_cdf(double k, int lower, double l1, double l2);

/* The smallest k with log P(X <= k) >= log_p, or log P(X > k) <= log_p if not `lower`. */
double ldp_skellam_quantile(ldp_probability p, double l1, double l2);

double ldp_rskellam(double l1, double l2);

#endif
