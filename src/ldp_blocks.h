/* Gibbs sampler of the Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd. */
#ifndef LDP_BLOCKS_H
#define LDP_BLOCKS_H

#include "ldp_gamma.h"
#include "ldp_kernel.h"

/* theta_ic = theta[i C + c], the weights of an actor side by side; pi_cd = pi[c + d C]. */
typedef struct ldp_blocks {
    int C;
    ldp_gamma_prior prior_theta, prior_pi;
    double *theta, *pi;
    double *rates; /* of theta and of pi, kept up to date; NULL where none is random */
    double reflect; /* how often a weight is reflected, not drawn: see ldp_gamma_move */
    int directed; /* else counts are of pairs i < j, and pi is symmetric */
    uint64_t seed; /* of the sweep at hand */
} ldp_blocks;

/* The sweep of an ldp_blocks. The cells are those of a V x V table without its diagonal, or above it
 * where the network is undirected, with the active cells also by columns. */
extern const ldp_kernel ldp_blocks_kernel;

#endif
