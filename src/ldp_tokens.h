/* Latent counts of a row at the cost of its counts, not of its cells.
 *
 * All cells of a row have latent counts, of exposure 1. Tokens are proposed from the model: the
 * number of those of component k is Pois(rate x_k total_k), where total_k is the sum of line_vk
 * over all columns v, and each falls on column v with probability line_vk/total_k, by an alias
 * table. So every cell has a compound Poisson number of tokens, split over components. What becomes
 * of them depends on the release, and is the answer of the mechanism (ldp_token_law in
 * ldp_noise.h). For Poisson counts under geometric noise rate is 1/alpha, and
 *
 *     release <= 0   each token is kept with probability alpha^2, so that Pois(alpha mu) are left
 *     release k > 0  all are kept if y <= k, else all with probability alpha^(2 (y - k)); if they
 *                    are refused, the cell is drawn by itself
 *     masked         all are dropped
 *
 * This is rejection from Pois(mu/alpha) for the weights alpha^(|k - y| + y - k), which y has given
 * the release. The scheme is new in this package. */
#ifndef LDP_TOKENS_H
#define LDP_TOKENS_H

#include "ldp_alias.h"
#include "ldp_codes.h"
#include "ldp_modes.h"
#include "ldp_noise.h"

/* A token of component k, on column v. */
typedef struct ldp_token {
    int32_t k, v;
} ldp_token;

/* What the model says about a row. The column is i_1 + n_1 (i_2 + n_2 ...), where the i_t have
 * their own tables; for most models it is i_1 alone. */
typedef struct ldp_tokens {
    int K, n_tables;
    int n[LDP_MODES]; /* the extent of i_1, i_2 ... */
    const ldp_alias *alias[LDP_MODES]; /* for each of them, K tables */
    const double *total; /* K */
    const double *x; /* K: the weights of the row */
    void *model;
    /* x . line_v */
    double (*mean)(void *model, int v);
    /* Takes n tokens. */
    void (*put)(void *model, ldp_stream *stream, int n, const ldp_token *token);
    /* Splits the y > 0 latent counts of a cell that was drawn alone. */
    void (*split)(void *model, ldp_stream *stream, int v, double y);
} ldp_tokens;

/* Rows with more proposed tokens than this per column are drawn cell by cell instead. */
#define LDP_TOKENS_PER_CELL 3.0

/* The tokens on a cell. */
typedef struct ldp_on_cell {
    double y, over; /* the sum of sizes, and of what ldp_token_law says */
} ldp_on_cell;

/* The memory of a thread, in doubles; all zero at first. */
size_t ldp_tokens_room(int K, int V);

/* Draws the latent counts of row d. */
void ldp_tokens_draw(const ldp_tokens *tokens, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_stream *stream, int d, double *room);

#endif
