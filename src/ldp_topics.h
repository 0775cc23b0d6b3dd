/* Gibbs sampler of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_TOPICS_H
#define LDP_TOPICS_H

#include "ldp_gamma.h"
#include "ldp_kernel.h"

/* The K weights of a document, and those of a word, stand side by side:
 * theta_dk = theta[d K + k], phi_kv = phi[v K + k]. */
typedef struct ldp_topics {
    int K;
    ldp_gamma_prior prior_theta, prior_phi;
    double *theta, *phi;
    double *rates; /* of theta and of phi, kept up to date; NULL where none is random */
    double reflect; /* how often a weight is reflected, not drawn: see ldp_gamma_move */
    int only_documents; /* phi and the rates stay as they are */
    uint64_t seed; /* of the sweep at hand */
} ldp_topics;

/* The sweep of an ldp_topics. Wants the active cells by columns too, unless no row has an excess
 * exposure or documents alone are drawn. */
extern const ldp_kernel ldp_topics_kernel;

#endif
