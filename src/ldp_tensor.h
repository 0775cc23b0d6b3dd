/* Gibbs sampler of Poisson tensor factorization, mu_{i1..iM} = sum_k prod_m theta^(m)_{im k}. */
#ifndef LDP_TENSOR_H
#define LDP_TENSOR_H

#include "ldp_gamma.h"
#include "ldp_groups.h"
#include "ldp_kernel.h"
#include "ldp_modes.h"

/* The K weights of an index are contiguous: theta_ik = theta[i K + k]. */
typedef struct ldp_tensor_mode {
    int n;
    ldp_gamma_prior prior;
    double *theta;
} ldp_tensor_mode;

/* M modes, 2 to LDP_MODES; cells as in ldp_modes.h. */
typedef struct ldp_tensor {
    int K, M;
    ldp_tensor_mode mode[LDP_MODES];
    const ldp_groups *groups; /* of the indices of mode 0; NULL if there are none */
    int n_levels; /* if exposures depend on the last mode (ldp_columns.h), their number; else 0 */
    double *rates; /* of the modes, set by every sweep; NULL if all are fixed */
    double *shapes; /* the same */
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
    uint64_t seed; /* of the current sweep */
    int is_shape_due; /* in the current sweep: see ldp_shape.h */
} ldp_tensor;

/* The functions of ldp_tensor that ldp_chain calls. Phase 0 draws mode 0 and the latent counts,
 * each further phase draws one of the other modes. */
extern const ldp_kernel ldp_tensor_kernel;

#endif
