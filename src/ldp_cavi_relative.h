/* The variational posterior of relative rates of groups (ldp_groups.h): independent gamma
 * distributions. */
#ifndef LDP_CAVI_RELATIVE_H
#define LDP_CAVI_RELATIVE_H

#include "ldp_cavi_factor.h"

/* K shapes and K rates per level. `groups` has the means E[rho], and their products per
 * combination.
 */
typedef struct ldp_cavi_relative {
    ldp_groups groups;
    double *shape, *rate;
} ldp_cavi_relative;

/* Copies the distributions into the means, and into the prior of the factor. */
void ldp_cavi_relative_read(const ldp_cavi_relative *relative, ldp_cavi_factor *factor);

/* Updates the distributions given the weights of the factor, one factor of rows after another. Does
 * nothing if `relative` is NULL. */
void ldp_cavi_relative_update(const ldp_cavi_relative *relative, ldp_cavi_factor *factor);

/* KL(q || prior), summed over all relative rates; 0 if `relative` is NULL. */
double ldp_cavi_relative_divergence(const ldp_cavi_relative *relative);

/* The t by which a component of the factor is best multiplied by exp(t), if its relative rates (of
 * the first factor of rows) are divided by exp(t). `others`: as in ldp_groups_shift(). Divides
 * these relative rates; their products are not up to date until they are read again. */
double ldp_cavi_relative_shift(const ldp_cavi_relative *relative, int k, ldp_scale others);

/* Does this for all components of two factors: `up` is multiplied, and `down` is divided. `work`: 2
 * K doubles. */
void ldp_cavi_relative_balance(const ldp_cavi_relative *relative, ldp_cavi_factor *up,
                               const ldp_cavi_factor *down, ldp_cavi_team team, double *work);

#endif
