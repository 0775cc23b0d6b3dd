/* The modified Bessel function of the first kind, on the log scale, and ratios of neighbours. */
#ifndef LDP_BESSEL_I_H
#define LDP_BESSEL_I_H

/* log I_nu(a).  Requires nu > -1 and a >= 0, both finite, not checked. */
double ldp_log_bessel_i(double nu, double a);

/* I_{nu+1}(a) / I_nu(a).  Requires nu > -1 and a >= 0, both finite, not checked. */
double ldp_bessel_i_ratio(double nu, double a);

#endif
