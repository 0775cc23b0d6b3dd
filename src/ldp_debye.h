/* Debye's uniform expansion of the modified Bessel function, regrouped: the one kernel behind
 * log I_nu(a), I_{nu+1}(a)/I_nu(a), and the Skellam and Bessel distributions. */
#ifndef LDP_DEBYE_H
#define LDP_DEBYE_H

/* From this t = sqrt(nu^2 + a^2) on the expansion holds to rounding; below it, sum the series. */
static const double LDP_DEBYE_FROM = 36;

/* log S(t, q), where I_nu(a) = exp(t - |nu| asinh(|nu|/a)) S / sqrt(2 pi t), q = (nu/t)^2.
 * Requires t >= LDP_DEBYE_FROM and 0 <= q <= 1, not checked. */
double ldp_debye_log_sum(double t, double q);

/* sum_{j >= 1} (a/2)^(2j) / (j! (nu+1)...(nu+j)), which is I_nu(a) over its first term, less 1.
 * Requires nu > -1 and a >= 0, not checked; takes some 2a terms. */
double ldp_debye_series(double nu, double a);

#endif
