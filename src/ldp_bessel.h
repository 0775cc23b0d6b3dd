/* The Bessel law of Yuan and Kalbfleisch. */
#ifndef LDP_BESSEL_H
#define LDP_BESSEL_H

/* m with P(m) prop. to (a/2)^(2m+nu) / (m! Gamma(m+nu+1)).
 * Requires nu > -1 and a >= 0, both finite, not checked. */
double ldp_rbessel(double nu, double a);

#endif
