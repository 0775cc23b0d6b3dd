/* Gibbs sampler of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_TOPICS_H
#define LDP_TOPICS_H

#include "ldp_gamma.h"
#include "ldp_groups.h"
#include "ldp_kernel.h"

/* The K weights of a document are contiguous, and so are those of a word: theta_dk = theta[d K +
 * k], phi_kv = phi[v K + k]. */
typedef struct ldp_topics {
    int K;
    ldp_gamma_prior prior_theta, prior_phi;
    const ldp_groups *groups; /* of the documents; NULL if there are none */
    int n_levels; /* if exposures depend on columns (ldp_columns.h), their number; else 0 */
    double *theta, *phi;
    double *rates; /* of theta and of phi, set by every sweep; NULL if all are fixed */
    double *shapes; /* the same */
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
    int only_documents; /* draw their weights only; all other parameters are not changed */
    uint64_t seed; /* of the current sweep */
    int is_shape_due; /* in the current sweep: see ldp_shape.h */
} ldp_topics;

/* The functions of ldp_topics that ldp_chain calls. The active cells are also needed by columns,
 * unless no row has an extra exposure or only documents are drawn. */
extern const ldp_kernel ldp_topics_kernel;

#endif
