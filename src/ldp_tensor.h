/* Gibbs sampler of Poisson tensor factorization, mu_{i1..iM} = sum_k prod_m theta^(m)_{im k}. */
#ifndef LDP_TENSOR_H
#define LDP_TENSOR_H

#include "ldp_gamma.h"
#include "ldp_modes.h"

/* The K weights of an index are contiguous: theta_ik = theta[i K + k]. */
typedef struct ldp_tensor_mode {
    int n;
    ldp_gamma_prior prior;
    double *theta;
} ldp_tensor_mode;

/* M modes, 2 to LDP_MODES; cells as in ldp_modes.h. */
typedef struct ldp_tensor {
    int K, M;
    ldp_tensor_mode mode[LDP_MODES];
    double reflect; /* the probability of an over-relaxed update: see ldp_gamma_move */
} ldp_tensor;

/* The state of a sweep. After it is opened, mode 0 and the latent counts are drawn, in ranges of
 * rows. Then each of the other modes is begun, its exposures are added up in ranges of rows, and it
 * is drawn. */
typedef struct ldp_tensor_round {
    ldp_modes modes; /* the weights of the model, for reading */
    double
        *totals; /* M x K: sum_i theta_ik of each mode; those of mode 0 with the rest's exposures */
    double *counts[LDP_MODES]; /* K counts for each index of modes 1 .. M-1 */
    double *active, *missing; /* of the current mode, per index: see ldp_tensor_listed */
    double *products; /* LDP_FEW lines */
    double *scratch;
} ldp_tensor_round;

/* `work`: as many doubles as ldp_tensor_work says. */
size_t ldp_tensor_work(const ldp_tensor *model);
ldp_tensor_round ldp_tensor_open(const ldp_tensor *model, double *work);

/* Draws rows from .. to-1 given the other modes: their latent counts and their weights. Adds the
 * counts to those of the other modes. The last range completes mode 0. */
void ldp_tensor_rows(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, ldp_tensor_round *round);

/* Mode m >= 1. The listed cells of rows from .. to-1 are added to round.active and round.missing,
 * which have for each index the sums of e_i0 theta^(0)_{i0 k} prod_{l != 0, m} theta^(l)_{il k},
 * where e is `excess` for active cells and `rest` for missing ones. */
void ldp_tensor_begin(const ldp_tensor *model, int m, ldp_tensor_round *round);
void ldp_tensor_listed(int m, const ldp_cells *cells, const ldp_noise *noise, int from, int to,
                       ldp_tensor_round *round);
void ldp_tensor_draw(const ldp_tensor *model, int m, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_tensor_round *round);

/* Moves that leave every mu unchanged: the scale of each component between neighbouring modes, and
 * the estimated rates of priors. `work`: 2 K doubles. */
void ldp_tensor_rescale(ldp_tensor *model, double *work);

/* The scalable factor is that of mode 0: every mean is linear in it, and each of its lines belongs
 * to one row. */
ldp_scalable ldp_tensor_scalable(const ldp_tensor *model);

/* Calls the visitor with the means of all observed cells. `work`: as ldp_tensor_work says. */
void ldp_tensor_visit(const ldp_tensor *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work);

#endif
