/* Gibbs sampler of the Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd. */
#ifndef LDP_BLOCKS_H
#define LDP_BLOCKS_H

#include "ldp_gamma.h"
#include "ldp_groups.h"
#include "ldp_kernel.h"

/* theta_ic = theta[i C + c], so that the weights of an actor are contiguous; pi_cd = pi[c + d C].
 * */
typedef struct ldp_blocks {
    int C;
    ldp_gamma_prior prior_theta, prior_pi;
    const ldp_groups *groups; /* of the actors; NULL if there are none */
    double *theta, *pi;
    double *rates; /* of theta and of pi, set by every sweep; NULL if all are fixed */
    double *shapes; /* the same */
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
    int directed; /* if not, counts are for pairs i < j, and pi is symmetric */
    uint64_t seed; /* of the current sweep */
} ldp_blocks;

/* The functions of ldp_blocks that ldp_chain calls. The cells are those of a V x V table off its
 * diagonal, or above the diagonal if the network is undirected, with the active cells also listed
 * by columns. */
extern const ldp_kernel ldp_blocks_kernel;

#endif
