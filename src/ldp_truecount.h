/* The truth behind a release: y given y_tilde = y + tau, y ~ Pois(mu), tau ~ 2Geo(alpha). */
#ifndef LDP_TRUECOUNT_H
#define LDP_TRUECOUNT_H

/* A draw of y given y_tilde = k; NaN if mu is not finite.  Requires a whole k, 0 <= mu, 0 <= alpha
 * < 1, and k >= 0 (k = 0 if mu = 0 as well) when alpha = 0; not checked. */
double ldp_rtruecount(double k, double mu, double alpha);

#endif
