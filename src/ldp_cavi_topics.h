/* Variational inference of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_CAVI_TOPICS_H
#define LDP_CAVI_TOPICS_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"

/* Lines as those of ldp_topics. What the last local step came to, which the next pass goes on from:
 * expected counts of the weights of theta (D x K) and of phi (V x K), and the sums of E[phi] over
 * the active cells of each document (D x K). */
typedef struct ldp_cavi_topics {
    ldp_cavi_factor theta, phi;
    double *counts_theta, *counts_phi, *active;
    double *rates; /* distributions of random rates of the priors, two numbers each */
} ldp_cavi_topics;

/* Doubles of work space. */
size_t ldp_cavi_topics_work(int K, int V);

/* The local step, given all factors; returns the bound, but for a constant. */
double ldp_cavi_topics_local(const ldp_cavi_topics *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* A pass: the parameters of the family, theta, phi, the scale of each topic, the rates of the
 * priors, and a local step, whose bound it returns. */
double ldp_cavi_topics_pass(ldp_cavi_topics *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
