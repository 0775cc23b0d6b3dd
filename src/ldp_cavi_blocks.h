/* Variational inference of the directed Poisson block model, mu_ij = sum_cd theta_ic pi_cd
 * theta_jd.
 */
#ifndef LDP_CAVI_BLOCKS_H
#define LDP_CAVI_BLOCKS_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"

/* Lines as those of ldp_blocks: pi_cd = pi[c + d C]. The expected counts of all weights are what
 * the last local step came to, which the next pass goes on from. */
typedef struct ldp_cavi_blocks {
    int directed; /* else pi is symmetric, and the data are pairs i < j */
    ldp_cavi_factor theta, pi;
    double *counts_theta, *counts_pi;
    double *rates; /* distributions of random rates of the priors, two numbers each */
} ldp_cavi_blocks;

/* Doubles of work space for V actors. */
size_t ldp_cavi_blocks_work(int C, int V);

/* The local step, given all factors; returns the bound, but for a constant. */
double ldp_cavi_blocks_local(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* A pass: the parameters of the family, theta actor by actor, pi, the scale of each community, the
 * rates of the priors, and a local step, whose bound it returns. */
double ldp_cavi_blocks_pass(ldp_cavi_blocks *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
