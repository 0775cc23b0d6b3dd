/* The law of a privatized Poisson count: y_tilde = y + tau, y ~ Pois(mu), tau ~ 2Geo(alpha). */
#ifndef LDP_PRIVPOIS_H
#define LDP_PRIVPOIS_H

/* log P(y_tilde = k).  Requires a whole k, 0 <= mu < Inf, 0 <= alpha < 1, not checked. */
double ldp_privpois_log_pmf(double k, double mu, double alpha);

#endif
