/* Variational inference for the documents of latent Dirichlet allocation: the contribution of each
 * document to the statistics of topics, with a bound on its size. */
#ifndef LDP_LDA_VI_H
#define LDP_LDA_VI_H

#include "ldp_cells.h"
#include "ldp_stream.h"

/* For a document with counts c_v, the distributions q(theta) = Dirichlet(gamma) and q(topic of a
 * token of word v) = phi_v are updated alternately, starting from gamma = 1:
 *
 *     phi_vk = exp(psi(gamma_k)) beta_vk / norm_v,   gamma_k = alpha_k + sum_v c_v phi_vk
 *
 * until an update changes gamma by less than `tolerance` on average, or the maximum number of
 * updates is reached. */
typedef struct ldp_lda_vi {
    int K, turns;
    double tolerance;
    const double *alpha; /* K */
    const double *beta; /* lines of K, one per word; each word can have its own scale, except for
                           ldp_lda_vi_score, which needs probabilities */
} ldp_lda_vi;

/* Doubles of work space. */
size_t ldp_lda_vi_work(int K, int V);

/* sums_vk += c_v phi_vk / beta_vk, where the numbers c_v phi_vk of a document are scaled down to a
 * Euclidean norm of at most `limit`, of the documents from .. to-1: multiply by beta when all
 * documents are done. The cells contain the counts, listed by rows; empty documents add nothing. */
void ldp_lda_vi_add(const ldp_lda_vi *model, const ldp_cells *cells, int from, int to, double limit,
                    double *sums, double *work);

/* The sum over the same documents of
 *
 *     log p(counts) / length,   between -limit and 0
 *
 * with the variational lower bound of log p, without the multinomial coefficient; 0 for an empty
 * one. */
double ldp_lda_vi_score(const ldp_lda_vi *model, const ldp_cells *cells, int from, int to,
                        double limit, double *work);

/* Keeps `most` tokens, chosen at random without replacement, of n words with these counts; all
 * tokens if there are no more than that. */
void ldp_lda_vi_shorten(int n, double *counts, double most, ldp_stream *stream);

#endif
