/* Groups of rows: the prior of the weights of a factor has a relative rate per component and group,
 *
 *     theta_dk ~ Gamma(shape, rate rho_{k, g(d)}),   rho_kg ~ Gamma(a, a).
 *
 * Rows may be grouped in several ways, by factors such as age and region. The effects of their
 * levels multiply: the relative rate of a row is the product of rho over its levels. Rows with the
 * same levels form a combination. */
#ifndef LDP_GROUPS_H
#define LDP_GROUPS_H

#include <stddef.h>

#include "ldp_gamma.h"
#include "ldp_scale.h"

typedef struct ldp_groups {
    int K, n_factors, n_combinations;
    const int *combination; /* per row */
    const int *level; /* n_factors per combination: its place among the levels of all factors */
    const int *first; /* the first level of each factor, and last the number of all levels */
    const double *n_rows; /* per combination */
    double shape; /* a */
    double *rho; /* K per level */
    double *relative; /* K per combination: the product of rho over its levels */
    double *sums; /* K per combination: sums of weights over its rows */
    double *work; /* ldp_groups_work() doubles */
} ldp_groups;

/* The number of doubles of work space for this number of levels of all factors. */
size_t ldp_groups_work(int K, int n_levels);

/* Computes `relative` from `rho`. */
void ldp_groups_relate(const ldp_groups *groups);

/* The relative rates of a row. */
const double *ldp_groups_of_row(const ldp_groups *groups, int row);

/* Adds the rates of the prior of a row to its exposures, and returns the prior without them. It
 * returns the prior unchanged if `groups` is NULL. */
ldp_gamma_prior ldp_groups_prior(const ldp_groups *groups, ldp_gamma_prior prior, int row,
                                 double *exposure);

/* Computes `sums` from n lines of weights, one after another. */
void ldp_groups_add_up(const ldp_groups *groups, int n, const double *factor);

/* total_k = the sum over rows of relative rate times weight, from `sums`. */
void ldp_groups_total(const ldp_groups *groups, double *total);

/* Multiplies the sums of component k by by_k. */
void ldp_groups_scale(const ldp_groups *groups, const double *by);

/* For factor f and the levels of it, one after another: `exposure` (K per level) is the sum over
 * the rows of a level of weight times relative rate without rho of this factor, times `rate`.
 * `count` is the number of its rows. */
void ldp_groups_exposures(const ldp_groups *groups, int f, double rate, double *exposure,
                          double *count);

/* Draws rho given `sums` and the prior of the weights, factor by factor:
 *
 *     rho_kl | . ~ Gamma(a + n_l shape, a + rate sum_{d in l} theta_dk prod_{other factors} rho)
 *
 * and computes `relative`. */
void ldp_groups_draw(ldp_stream *stream, const ldp_groups *groups, ldp_gamma_prior prior);

/* A move that multiplies the weights of component k by c = exp(t) and divides their relative rates,
 * those of the first factor, by c, so that the density of the weights given their rates does not
 * change. `others`: the distribution of t that follows from what else the caller divides by c.
 * Divides rho, and returns t. The caller must scale the sums, and relate. */
double ldp_groups_shift(ldp_stream *stream, const ldp_groups *groups, int k, ldp_scale others);

/* The distribution of t in this move. */
ldp_scale ldp_groups_shift_scale(const ldp_groups *groups, int k, ldp_scale others);

/* Moves that leave all rates of weights as they are: a scale between `rate` (if it is estimated)
 * and the relative rates of the first factor; and, for each component, scales between the relative
 * rates of neighbouring factors. Returns the new rate. */
double ldp_groups_balance(ldp_stream *stream, const ldp_groups *groups, ldp_gamma_prior prior);

#endif
