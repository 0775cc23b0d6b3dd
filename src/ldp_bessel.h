/* The Bessel distribution of Yuan and Kalbfleisch, P(m) = (a/2)^(2m+nu) / (m! Gamma(m+nu+1)
 * I_nu(a)). */
#ifndef LDP_BESSEL_H
#define LDP_BESSEL_H

#include "ldp_quantile.h"

/* All require a whole m, nu > -1 and a >= 0, finite, not checked. */

/* log P(X = m) */
double ldp_bessel_log_pmf(double m, double nu, double a);

/* log P(X <= m), or log P(X > m) if not `lower` */
double ldp_bessel_log_cdf(double m, int lower, double nu, double a);

/* The smallest m with log P(X <= m) >= log_p, or log P(X > m) <= log_p if not `lower`. */
double ldp_bessel_quantile(ldp_probability p, double nu, double a);

double ldp_rbessel(double nu, double a);

/* A table for many draws of one distribution, for which n1 n2/t (about its variance) is at most
 * 500, as for a <= 2000. It takes about 3 us to set up. The cdf is accurate to 1e-14, and is
 * inverted at a uniform of 59 bits; the probability beyond the table is below 1e-18. The caller
 * owns the table; it contains no pointers. */
enum {
    LDP_BESSEL_TABLE_VARIANCE = 500,
    LDP_BESSEL_TABLE_REACH = 240, /* 230 from the mode, weights are below 1e-19 of its own */
    LDP_BESSEL_TABLE_GUIDE = 512
};

typedef struct ldp_bessel_table {
    double lowest; /* the value of X at cdf[0] */
    int n; /* values */
    int guide[LDP_BESSEL_TABLE_GUIDE]; /* g: the first i with cdf[i] > g/LDP_BESSEL_TABLE_GUIDE */
    double cdf[2 * LDP_BESSEL_TABLE_REACH + 1]; /* cdf[n - 1] is 1 */
} ldp_bessel_table;

/* 0 if the distribution does not fit, or a = 0 */
int ldp_bessel_tabulate(ldp_bessel_table *table, double nu, double a);

double ldp_bessel_look_up(const ldp_bessel_table *table);

#endif
