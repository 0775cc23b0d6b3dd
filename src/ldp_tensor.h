/* Gibbs sampler of Poisson tensor factorization, mu_{i1..iM} = sum_k prod_m theta^(m)_{im k}. */
#ifndef LDP_TENSOR_H
#define LDP_TENSOR_H

#include "ldp_gamma.h"
#include "ldp_kernel.h"
#include "ldp_modes.h"

/* The K weights of an index stand side by side: theta_ik = theta[i K + k]. */
typedef struct ldp_tensor_mode {
    int n;
    ldp_gamma_prior prior;
    double *theta;
} ldp_tensor_mode;

/* M modes, 2 to LDP_MODES; cells as in ldp_modes.h. */
typedef struct ldp_tensor {
    int K, M;
    ldp_tensor_mode mode[LDP_MODES];
    double *rates; /* of the modes, kept up to date; NULL where none is random */
    double reflect; /* how often a weight is reflected, not drawn: see ldp_gamma_move */
    uint64_t seed; /* of the sweep at hand */
} ldp_tensor;

/* The sweep of an ldp_tensor: mode 0 with the latent counts, then each of the others. */
extern const ldp_kernel ldp_tensor_kernel;

#endif
