/* The truth behind a release: y given y_tilde = y + tau, y ~ Pois(mu), tau ~ 2Geo(alpha). */
#ifndef LDP_TRUECOUNT_H
#define LDP_TRUECOUNT_H

#include "ldp_quantile.h"
#include "ldp_stream.h"

/* All are of y given y_tilde = k, and require whole y and k, 0 <= mu < Inf, 0 <= alpha < 1, and
 * k >= 0 (k = 0 if mu = 0 as well) when alpha = 0; not checked. */

/* log P(y) */
double ldp_truecount_log_pmf(double y, double k, double mu, double alpha);

/* log P(Y <= y), or log P(Y > y) if not `lower` */
double ldp_truecount_log_cdf(double y, int lower, double k, double mu, double alpha);

/* The smallest y with log P(Y <= y) >= log_p, or log P(Y > y) <= log_p if not `lower`. */
double ldp_truecount_quantile(ldp_probability p, double k, double mu, double alpha);

/* P(Y < k), P(Y = k), P(Y > k), each with a small relative error; requires alpha > 0, mu > 0. */
typedef struct ldp_truecount_shares {
    double below, at, above;
} ldp_truecount_shares;

ldp_truecount_shares ldp_truecount_find_shares(double k, double mu, double alpha);

double ldp_truecount_mean(double k, double mu, double alpha);
double ldp_truecount_var(double k, double mu, double alpha);

/* A draw of y; NaN if mu is not finite. */
double ldp_rtruecount(double k, double mu, double alpha);

/* The same with a given uniform u. If k > 0 and mu < alpha, or k <= 16 and alpha mu <= k, u is
 * nearly always enough for a draw; otherwise it is not used. For k > 0, u < 1 - mu/alpha means y =
 * 0. The caller checks this first, because it settles most cells. Requires 1 - mu/alpha <= u < 1.
 * */
double ldp_rtruecount_by(ldp_stream *stream, double u, double k, double mu, double alpha);

#endif
