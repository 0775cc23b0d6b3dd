/* Variational inference of the directed Poisson block model, mu_ij = sum_cd theta_ic pi_cd
 * theta_jd.
 */
#ifndef LDP_CAVI_BLOCKS_H
#define LDP_CAVI_BLOCKS_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"
#include "ldp_cavi_relative.h"

/* Lines as in ldp_blocks: pi_cd = pi[c + d C]. The expected counts of all weights are results of
 * the last local step, which the next iteration uses. */
typedef struct ldp_cavi_blocks {
    int directed; /* if not, pi is symmetric, and the data are pairs i < j */
    ldp_cavi_factor theta, pi;
    double *counts_theta, *counts_pi;
    const ldp_cavi_relative *relative; /* of groups of actors; NULL if there are none */
    double *hyper; /* what is estimated of the priors, LDP_CAVI_HYPER numbers each */
} ldp_cavi_blocks;

/* Doubles of work space: up to LDP_CAVI_GROUPS copies of theta and pi, and some lines. */
size_t ldp_cavi_blocks_work(int C, const ldp_cells *cells);

/* The local step, given all factors; returns the bound, up to a constant. */
double ldp_cavi_blocks_local(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* One iteration: updates the parameters of the family, theta actor by actor, pi, the scale of each
 * community and the estimates of the priors, and does a local step, whose bound it returns. */
double ldp_cavi_blocks_pass(ldp_cavi_blocks *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
