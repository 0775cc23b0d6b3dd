/* Gibbs sampler of the Poisson topic model, mu_dv = sum_k theta_dk phi_kv. */
#ifndef LDP_TOPICS_H
#define LDP_TOPICS_H

#include "ldp_cells.h"
#include "ldp_gamma.h"
#include "ldp_noise.h"

/* The K weights of a document are contiguous, and so are those of a word: theta_dk = theta[d K +
 * k], phi_kv = phi[v K + k]. */
typedef struct ldp_topics {
    int K;
    ldp_gamma_prior prior_theta, prior_phi;
    double *theta, *phi;
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
} ldp_topics;

/* The sums over a range of documents that are needed to draw phi: two per (k, v). Sums of several
 * ranges can be added, so documents can be processed in parts. V x K each, laid out as phi. */
typedef struct ldp_topics_sums {
    double *counts, *exposure;
} ldp_topics_sums;

/* Documents from .. to-1 given phi: draws their latent counts, which it adds to `words` (V x K,
 * laid out as phi), and their theta. `total_phi`: sum_v phi_kv. `work`: 3 K doubles. */
void ldp_topics_documents(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                          int from, int to, const double *total_phi, double *words, double *work);

/* The same; the contributions of the documents to phi are added to `sums`. The active cells are
 * also needed by columns, unless their exposure is that of the other observed cells. */
void ldp_topics_rows(const ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, const double *total_phi, ldp_topics_sums sums, double *work);

/* Draws phi for all words, given the sums over all documents. */
void ldp_topics_columns(const ldp_topics *model, int V, ldp_topics_sums sums);

/* The state of a sweep: after it is opened, all documents are drawn, in ranges, and then the words.
 * `work`: as many doubles as ldp_topics_work says. */
typedef struct ldp_topics_round {
    ldp_topics_sums sums; /* all zero at first */
    double *total_phi, *scratch; /* arguments of ldp_topics_rows */
} ldp_topics_round;

size_t ldp_topics_work(int K, int V);
ldp_topics_round ldp_topics_open(const ldp_topics *model, int V, double *work);

/* Moves that leave every mu unchanged, for D documents and V words: the scale of each topic between
 * theta and phi, and the estimated rates of priors. `work`: 2 K doubles. */
void ldp_topics_rescale(ldp_topics *model, int D, int V, double *work);

/* The scalable factor is theta: every mean is linear in it, and each of its lines belongs to one
 * document.
 */
ldp_scalable ldp_topics_scalable(const ldp_topics *model, int D);

/* Calls the visitor with the means of all observed cells. `work`: K doubles. */
void ldp_topics_visit(const ldp_topics *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work);

#endif
