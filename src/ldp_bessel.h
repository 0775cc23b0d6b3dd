/* The Bessel law of Yuan and Kalbfleisch, P(m) = (a/2)^(2m+nu) / (m! Gamma(m+nu+1) I_nu(a)). */
#ifndef LDP_BESSEL_H
#define LDP_BESSEL_H

/* All require a whole m, nu > -1 and a >= 0, finite, not checked. */

/* log P(X = m) */
double ldp_bessel_log_pmf(double m, double nu, double a);

/* log P(X <= m), or log P(X > m) where not `lower` */
double ldp_bessel_log_cdf(double m, int lower, double nu, double a);

/* The smallest m with log P(X <= m) >= log_p, or log P(X > m) <= log_p where not `lower`. */
double ldp_bessel_quantile(double log_p, int lower, double nu, double a);

double ldp_rbessel(double nu, double a);

#endif
