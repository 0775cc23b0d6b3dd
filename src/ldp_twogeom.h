/* The two-sided geometric distribution, P(t) = (1 - alpha)/(1 + alpha) alpha^|t|. */
#ifndef LDP_TWOGEOM_H
#define LDP_TWOGEOM_H

#include "ldp_quantile.h"

/* All require whole t and 0 <= alpha < 1, not checked. */

/* log P(T = t) */
double ldp_twogeom_log_pmf(double t, double alpha);

/* log P(T <= t), or log P(T > t) if not `lower` */
double ldp_twogeom_log_cdf(double t, int lower, double alpha);

/* The smallest t with log P(T <= t) >= log_p, or log P(T > t) <= log_p if not `lower`. */
double ldp_twogeom_quantile(ldp_probability p, double alpha);

double ldp_rtwogeom(double alpha);

#endif
