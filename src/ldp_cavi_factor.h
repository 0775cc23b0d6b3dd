/* Factors of a variational posterior: independent gamma distributions, one per weight. */
#ifndef LDP_CAVI_FACTOR_H
#define LDP_CAVI_FACTOR_H

#include <stddef.h>

#include "ldp_cavi_team.h"
#include "ldp_exposure.h"
#include "ldp_gamma.h"
#include "ldp_groups.h"

/* n lines of K weights, laid out as the factors of the samplers: x[i K + k] ~ Gamma(shape, rate).
 * E[.] is the mean, G[.] = exp E[log .]. */
typedef struct ldp_cavi_factor {
    int K, n;
    int symmetric; /* a square in which (c, d) and (d, c) are the same weight */
    ldp_gamma_prior prior; /* with the estimate of its shape and the posterior mean of its rate */
    double log_rate; /* E[log rate] of the prior */
    /* Of groups of lines (otherwise NULL), means of relative rates; and the sum over all lines and
     * components of the mean of their logarithm. See ldp_cavi_relative.h. */
    const ldp_groups *groups;
    double log_relative;
    double least; /* a lower limit of G, so that products of G can be divided */
    double *shape, *rate;
    double *unit, *mean, *geo; /* exp psi(shape), E and G, computed from the above */
    double divergence; /* from the prior, without the terms that depend on its rate */
} ldp_cavi_factor;

/* The lower limit of G for which products over this number of factors (at least 3) can be divided.
 * */
double ldp_cavi_factor_least(int n_factors);

/* Updates line i, given the expected counts of its weights and their exposures; G is not updated.
 * */
void ldp_cavi_factor_set(const ldp_cavi_factor *factor, int i, const double *counts,
                         const double *exposure);

/* Sets x to 0, for all weights. */
void ldp_cavi_factor_clear(const ldp_cavi_factor *factor, double *x);

/* Multiplies line i of x by G. */
void ldp_cavi_factor_times_geo(const ldp_cavi_factor *factor, int i, double *x);

/* Computes E, G and the divergence from the shapes and rates. */
void ldp_cavi_factor_refresh(ldp_cavi_factor *factor, ldp_cavi_team team);

/* Computes E and G of line i. */
void ldp_cavi_factor_refresh_line(const ldp_cavi_factor *factor, int i);

/* Multiplies the weights of component k by by_k. */
void ldp_cavi_factor_scale(const ldp_cavi_factor *factor, ldp_cavi_team team, const double *by);

/* Multiplies up_.k by c and divides down_.k by c, for the c that increases the bound most. Means,
 * which are sums of products of weights of both factors, do not change, nor does any product of G.
 * `work`: 2 K doubles. */
void ldp_cavi_factor_balance(const ldp_cavi_factor *up, const ldp_cavi_factor *down,
                             ldp_cavi_team team, double *work);

/* The same if `up` has some of n_up lines, whose means have the sums of_up_k. On return, of_up has
 * the factors c. */
void ldp_cavi_factor_balance_part(const ldp_cavi_factor *up, double n_up,
                                  const ldp_cavi_factor *down, ldp_cavi_team team, double *of_up,
                                  double *of_down);

/* The means of all lines, as the terms of a sum. */
ldp_weighted ldp_cavi_factor_means(const ldp_cavi_factor *factor);

/* total_k = the sum over lines of E, times E of their relative rates if lines have groups. */
void ldp_cavi_factor_total(const ldp_cavi_factor *factor, double *total);

/* Multiplies one weight by `by`. */
void ldp_cavi_factor_scale_one(const ldp_cavi_factor *factor, size_t place, double by);

/* KL(q || prior), summed over all weights. */
double ldp_cavi_factor_divergence(const ldp_cavi_factor *factor, ldp_cavi_team team);

/* KL(Gamma(a, b) || Gamma(a0, b0)), rates second. */
double ldp_cavi_divergence(double a, double b, double a0, double b0);

/* What is estimated of the prior: the rate has the distribution Gamma(q[0], q[1]), and the shape is
 * a single number, q[2]. The first function copies them into the prior, the second updates them
 * given the weights. Both leave alone what is fixed. */
enum { LDP_CAVI_HYPER = 3 };
void ldp_cavi_hyper_read(ldp_cavi_factor *factor, const double *q);
void ldp_cavi_hyper_update(ldp_cavi_factor *factor, ldp_cavi_team team, double *q);

/* The same given the number of the weights and sums over them: of their means, times those of their
 * relative rates, and of E[log]. */
typedef struct ldp_cavi_sums {
    double n, means, logs;
} ldp_cavi_sums;
void ldp_cavi_hyper_update_from(ldp_cavi_factor *factor, ldp_cavi_sums sums, double *q);

/* The sum of E[log] of all weights. */
double ldp_cavi_factor_logs(const ldp_cavi_factor *factor, ldp_cavi_team team);

/* KL(q || prior) of the rate, minus the log density of the log of the shape. */
double ldp_cavi_hyper_divergence(const ldp_cavi_factor *factor, const double *q);

#endif
