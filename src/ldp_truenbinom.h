/* The true count behind a release of an overdispersed count: y given y_tilde = y + tau, y ~ NB with
 * mean mu and dispersion 1 + excess, tau ~ 2Geo(alpha). */
#ifndef LDP_TRUENBINOM_H
#define LDP_TRUENBINOM_H

#include "ldp_quantile.h"

/* All are of y given y_tilde = k, and require whole y and k, 0 <= mu < Inf, 0 <= excess < Inf,
 * 0 <= alpha < 1, and k >= 0 (k = 0 if mu = 0 as well) when alpha = 0; not checked. */

/* log P(y) */
double ldp_truenbinom_log_pmf(double y, double k, double mu, double excess, double alpha);

/* log P(Y <= y), or log P(Y > y) if not `lower` */
double ldp_truenbinom_log_cdf(double y, int lower, double k, double mu, double excess,
                              double alpha);

/* The smallest y with log P(Y <= y) >= log_p, or log P(Y > y) <= log_p if not `lower`. */
double ldp_truenbinom_quantile(ldp_probability p, double k, double mu, double excess, double alpha);

double ldp_truenbinom_mean(double k, double mu, double excess, double alpha);
double ldp_truenbinom_var(double k, double mu, double excess, double alpha);

/* The expected number of events of the true count given a release k > 0 (ldp_bursts); requires
 * alpha > 0 and mu > 0. */
double ldp_truenbinom_events(double k, double mu, double excess, double alpha);

/* log sum_{y <= k} P(Y = y) alpha^(k-y) and log sum_{y > k} P(Y = y) alpha^(y-k) over the
 * distribution of the truth, without a release.  Requires k >= 0, mu > 0, alpha > 0, and a size
 * within doubles. */
typedef struct ldp_truenbinom_pieces {
    double log_lower, log_upper;
} ldp_truenbinom_pieces;

ldp_truenbinom_pieces ldp_truenbinom_weigh(double k, double mu, double excess, double alpha);

#endif
