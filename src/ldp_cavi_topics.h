/* Variational inference of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_CAVI_TOPICS_H
#define LDP_CAVI_TOPICS_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"
#include "ldp_cavi_relative.h"

/* Lines as in ldp_topics. The struct also has results of the last local step, which the next
 * iteration uses: the expected counts of the weights of theta (D x K) and of phi (V x K), and the
 * sums of E[phi] over the active cells of each document (D x K). */
typedef struct ldp_cavi_topics {
    ldp_cavi_factor theta, phi;
    double *counts_theta, *counts_phi, *active;
    const ldp_cavi_relative *relative; /* of groups of documents; NULL if there are none */
    double *hyper; /* what is estimated of the priors, LDP_CAVI_HYPER numbers each */
} ldp_cavi_topics;

/* Doubles of work space: up to LDP_CAVI_GROUPS - 1 copies of phi, and some lines. */
size_t ldp_cavi_topics_work(int K, const ldp_cells *cells);

/* The local step, given all factors; returns the bound, up to a constant. */
double ldp_cavi_topics_local(const ldp_cavi_topics *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* One iteration: updates the parameters of the family, theta, phi, the scale of each topic and the
 * estimates of the priors, and does a local step, whose bound it returns. */
double ldp_cavi_topics_pass(ldp_cavi_topics *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
