/* The negative binomial distribution by mean mu and excess = dispersion - 1, and its terms times a
 * power of alpha. With p = excess/(1 + excess) and size s = mu/excess
 *
 *     P(Y = y) = (s)_y/y! p^y (1-p)^s,     mean mu, variance mu (1 + excess). */
#ifndef LDP_NBINOM_H
#define LDP_NBINOM_H

/* Here and below: requires whole y and k, 0 < mu < Inf, 0 <= excess < Inf, 0 < alpha < 1; not
 * checked. If the size overflows a double, only the functions of the distribution, up to
 * ldp_nbinom_is_poisson(), can be used. */

/* log P(Y = y), -Inf for y < 0 */
double ldp_nbinom_log_pmf(double y, double mu, double excess);

/* log P(Y <= k), or log P(Y > k) if not `lower` */
double ldp_nbinom_log_cdf(double k, int lower, double mu, double excess);

/* -log E[alpha^Y] = s log1p((1 - alpha) excess) */
double ldp_nbinom_exposure(double mu, double excess, double alpha);

double ldp_rnbinom(double mu, double excess);

/* 1 if excess is 0, or so small that the size overflows a double. */
int ldp_nbinom_is_poisson(double mu, double excess);

/* The terms w(y) = (s)_y/y! x^y with x = p tilt. */
typedef struct ldp_nbinom_terms {
    double mu, excess, size, size_less_1;
    double times, over; /* tilt = times/over */
    double tilt, tilt_less_1, log_tilt;
    double first; /* w(1)/w(0) = s x */
    double x, one_less_x, log_x;
} ldp_nbinom_terms;

/* The tilt is 1/alpha, 1, alpha for power = -1, 0, 1. */
ldp_nbinom_terms ldp_nbinom_make_terms(double mu, double excess, double alpha, int power);

/* The same in two steps, for many means; _given() if the logarithms are known. */
ldp_nbinom_terms ldp_nbinom_terms_of(double excess, double alpha, int power);
ldp_nbinom_terms ldp_nbinom_terms_given(double excess, double alpha, int power, double log_tilt,
                                        double log_x);
void ldp_nbinom_set_mean(ldp_nbinom_terms *terms, double mu);

/* log Gamma(y+s)/Gamma(y+1) for y >= LDP_STIRLING_FROM (ldp_poisson) and a size s that is small
 * relative to y, given s - 1 */
double ldp_nbinom_log_quotient(double y, double size_less_1);

/* log w(y)/w(from), to full precision if the terms decrease from `from` to y */
double ldp_nbinom_log_ratio(double y, double from, const ldp_nbinom_terms *w);

/* log w(y+1)/w(y) */
double ldp_nbinom_log_step(double y, const ldp_nbinom_terms *w);

/* The y in lowest..highest with the largest term; requires size >= 1. */
double ldp_nbinom_peak(double lowest, double highest, const ldp_nbinom_terms *w);

/* Terms that decrease from the first to the last: from, from + way, ..., to. */
typedef struct ldp_nbinom_run {
    double from, to;
    int way; /* 1 or -1, 0 for none */
} ldp_nbinom_run;

/* Splits lowest..highest (which may be Inf if x < 1) into at most two such runs. */
void ldp_nbinom_split(double lowest, double highest, const ldp_nbinom_terms *w,
                      ldp_nbinom_run run[2]);

/* sum_j w(from + way j)/w(from) j^i for i = 0, 1, 2. `first` and `second` converge more slowly, and
 * are accurate only for LDP_NBINOM_MOMENTS. For LDP_NBINOM_EVENTS, `first` is the sum of w(y) times
 * the expected number of events of y (ldp_bursts_mean_events). The cost is at most 128 terms and
 * 1100 panels of 12; these are repeated only if y is below 128. */
typedef struct ldp_nbinom_sums {
    double sum, first, second;
} ldp_nbinom_sums;

typedef enum { LDP_NBINOM_SUM, LDP_NBINOM_MOMENTS, LDP_NBINOM_EVENTS } ldp_nbinom_wanted;

ldp_nbinom_sums ldp_nbinom_sum(ldp_nbinom_run run, const ldp_nbinom_terms *w,
                               ldp_nbinom_wanted wanted);

/* Nodes of Gauss and Legendre for an integral from 0 to 1, and their weights: i = 0, ..., 11 */
typedef struct ldp_node {
    double at, weight;
} ldp_node;
enum { LDP_NODES = 12 };
ldp_node ldp_nbinom_node(int i);

/* The sum alone, to ten digits; excess may be 0 as well, for the terms of a Poisson distribution.
 */
double ldp_nbinom_quick_sum(ldp_nbinom_run run, const ldp_nbinom_terms *w);

#endif
