/* Gibbs sampler of the Poisson block model, mu_ij = sum_cd theta_ic pi_cd theta_jd. */
#ifndef LDP_BLOCKS_H
#define LDP_BLOCKS_H

#include "ldp_cells.h"
#include "ldp_gamma.h"
#include "ldp_noise.h"

/* theta_ic = theta[i C + c], so that the weights of an actor are contiguous; pi_cd = pi[c + d C].
 * */
typedef struct ldp_blocks {
    int C;
    ldp_gamma_prior prior_theta, prior_pi;
    double *theta, *pi;
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
    int directed; /* if not, counts are for pairs i < j, and pi is symmetric */
} ldp_blocks;

/* Doubles of work space for V actors. */
size_t ldp_blocks_work(int C, int V);

/* One sweep, in parts, so that the caller can check for interrupts between ranges of senders: call
 * ldp_blocks_open, then draw the counts of senders from .. to-1 until all are done, then the
 * factors. The cells are those of a V x V table off its diagonal, or above the diagonal if the
 * network is undirected, with the active cells also listed by columns. */
void ldp_blocks_open(const ldp_blocks *model, int V, double *work);
void ldp_blocks_counts(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                       int from, int to, double *work);
void ldp_blocks_factors(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                        double *work);

/* Moves that leave every mu unchanged, for V actors: the scale of each community between theta and
 * pi, and the estimated rates of priors. `work`: C doubles. */
void ldp_blocks_rescale(ldp_blocks *model, int V, double *work);

/* The scalable factor is pi: every mean is linear in it, and none of its weights belongs to a
 * single row. */
ldp_scalable ldp_blocks_scalable(const ldp_blocks *model);

/* Calls the visitor with the means of all observed cells. `work`: 2 C doubles. */
void ldp_blocks_visit(const ldp_blocks *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work);

#endif
