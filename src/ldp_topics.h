/* Gibbs sampler of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_TOPICS_H
#define LDP_TOPICS_H

#include "ldp_cells.h"
#include "ldp_gamma.h"
#include "ldp_noise.h"

/* The K weights of a document, and those of a word, stand side by side:
 * theta_dk = theta[d K + k], phi_kv = phi[v K + k]. */
typedef struct ldp_topics {
    int K;
    ldp_gamma_prior prior_theta, prior_phi;
    double *theta, *phi;
    double reflect; /* how often a weight is reflected, not drawn: see ldp_gamma_move */
    uint64_t seed; /* of the sweep at hand */
} ldp_topics;

/* What the words need from a range of documents: two sums per (k, v). Sums of several ranges
 * add up, so a sweep over shards of documents is the same sampler. V x K each, laid out as phi. */
typedef struct ldp_topics_sums {
    double *counts, *exposure;
} ldp_topics_sums;

/* Documents from .. to-1 given phi: draws their latent counts, which it adds to `words` (V x K,
 * laid out as phi), and their theta. `total_phi`: sum_v phi_kv. `work`: 3 K doubles. */
void ldp_topics_documents(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int from, int to, const double *total_phi, double *words, double *work);

/* The same, and adds all that they mean for phi to `sums`. The active cells are also wanted by
 * columns, unless their exposure is that of the rest. */
void ldp_topics_rows(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, const double *total_phi, ldp_topics_sums sums, double *work);

/* All words, given the sums over all documents. */
void ldp_topics_columns(const ldp_topics *model, int V, ldp_topics_sums sums);

/* A sweep is a round of ranges: opened, all documents in ranges, then the words. `work`: as many
 * doubles as ldp_topics_work says. */
typedef struct ldp_topics_round {
    ldp_topics_sums sums; /* all zero at first */
    double *total_phi, *scratch; /* what ldp_topics_rows asks for */
} ldp_topics_round;

size_t ldp_topics_work(int K, int V);
ldp_topics_round ldp_topics_open(const ldp_topics *model, int V, double *work);

/* Moves that leave every mu as it is, D documents and V words: the scale of each topic between
 * theta and phi, and the rates of priors that have random ones. `work`: 2 K doubles. */
void ldp_topics_rescale(ldp_topics *model, int D, int V, double *work);

/* The weights of the documents: every mean is linear in them, and those of a row in its own alone.
 */
ldp_scalable ldp_topics_scalable(const ldp_topics *model, int D);

/* Shows the means of all observed cells. `work`: K doubles. */
void ldp_topics_visit(const ldp_topics *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work);

#endif
