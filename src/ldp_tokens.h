/* Latent Poisson counts of a row at the cost of its counts, not of its cells.
 *
 * All cells of row d have latent counts, of exposure 1. Tokens are proposed from the model with
 * rates mu/alpha: the number of those of component k is Pois(theta_dk Phi_k/alpha), Phi_k = sum_v
 * phi_kv, and each falls on column v with probability phi_kv/Phi_k. So every cell has y' ~
 * Pois(mu/alpha) tokens, split over components. The release accepts them:
 *
 *     release <= 0   each token is kept with probability alpha^2, so that Pois(alpha mu) are left
 *     release k > 0  all are kept if y' <= k, else all with probability alpha^(2 (y' - k)); if they
 *                    are refused, the cell is drawn by itself
 *     masked         all are dropped
 *
 * This is rejection from Pois(mu/alpha) for the weights alpha^(|k - y| + y - k), which y has given
 * the release. The scheme is new in this package. Alias tables: Vose (1991), A linear algorithm for
 * generating random numbers with a given distribution, IEEE Transactions on Software
 * Engineering 17. */
#ifndef LDP_TOKENS_H
#define LDP_TOKENS_H

#include <stdint.h>

#include "ldp_cells.h"
#include "ldp_noise.h"

/* Column v is kept if the rest of the uniform is below keep/2^32; otherwise it is `other`. */
typedef struct ldp_alias {
    uint32_t keep;
    int32_t other;
} ldp_alias;

/* The table of n weights, `stride` apart, of which one is above 0. `work`: 2 n doubles. */
void ldp_alias_build(int n, const double *weight, size_t stride, ldp_alias *table, double *work);

/* The place that the uniform u falls on. */
static inline int ldp_alias_at(int n, const ldp_alias *table, double u) {
    const double at = u * n;
    const int place = (int)at;
    return (at - place) * 4294967296.0 < table[place].keep ? place : table[place].other;
}

/* Rows with more proposed tokens than this per column are drawn cell by cell instead. */
#define LDP_TOKENS_PER_CELL 2.0

/* This many tokens of a row are remembered; further ones are drawn again where they are needed. */
enum { LDP_TOKENS_KEPT = 4096 };

typedef struct ldp_tokens {
    int K, V;
    const double *phi; /* V lines of K */
    const double *total; /* K: Phi */
    const ldp_alias *alias; /* K tables of V entries */
    /* Memory of a thread: V places each, zero between rows, and LDP_TOKENS_KEPT */
    int32_t *hits, *release;
    int32_t *token;
} ldp_tokens;

/* Are tokens the better way for this row? */
int ldp_tokens_suit(const ldp_tokens *tokens, const double *theta, double alpha);

/* Draws the latent counts of row d with weights theta, and adds them to counts (K) and words (V
 * lines of K). `proposals` is the stream of the tokens, `stream` that of everything else; `work`: 2
 * K doubles. */
void ldp_tokens_draw(const ldp_tokens *tokens, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_stream proposals, ldp_stream *stream, int d, const double *theta,
                     double *counts, double *words, double *work);

/* The same for the cells at or below zero alone, one by one. */
void ldp_tokens_below(const ldp_tokens *tokens, const ldp_cells *cells, ldp_stream *stream, int d,
                      const double *theta, double *counts, double *words, double *work);

#endif
