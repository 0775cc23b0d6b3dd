/* Gibbs sampler of Poisson tensor factorization, mu_{i1..iM} = sum_k prod_m theta^(m)_{im k}. */
#ifndef LDP_TENSOR_H
#define LDP_TENSOR_H

#include "ldp_gamma.h"
#include "ldp_modes.h"

/* The K weights of an index stand side by side: theta_ik = theta[i K + k]. */
typedef struct ldp_tensor_mode {
    int n;
    ldp_gamma_prior prior;
    double *theta;
} ldp_tensor_mode;

/* M modes, 2 to LDP_MODES; cells as in ldp_modes.h. */
typedef struct ldp_tensor {
    int K, M;
    ldp_tensor_mode mode[LDP_MODES];
    double reflect; /* how often a weight is reflected, not drawn: see ldp_gamma_move */
    uint64_t seed; /* of the sweep at hand */
} ldp_tensor;

/* A sweep is a round: opened, then mode 0 with the latent counts, in ranges of rows; then each of
 * the others, begun, its exposures added up in ranges of rows, and drawn. */
typedef struct ldp_tensor_round {
    ldp_modes modes; /* the weights of the model, for reading */
    double
        *totals; /* M x K: sum_i theta_ik of each mode; those of mode 0 with the rest's exposures */
    double *counts[LDP_MODES]; /* over components, of each index of modes 1 .. M-1 */
    double *active, *missing; /* of the mode at hand, per index: see ldp_tensor_listed */
    double *products; /* LDP_FEW lines */
    double *scratch;
} ldp_tensor_round;

/* `work`: as many doubles as ldp_tensor_work says. */
size_t ldp_tensor_work(const ldp_tensor *model);
ldp_tensor_round ldp_tensor_open(const ldp_tensor *model, double *work);

/* Rows from .. to-1 given the other modes: their latent counts, their weights, and what the counts
 * mean for the others. The last range closes mode 0. */
void ldp_tensor_rows(const ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                     int from, int to, ldp_tensor_round *round);

/* Mode m, from 1 on. What rows from .. to-1 list adds to round.active and round.missing, index by
 * index the sums of e_i0 theta^(0)_{i0 k} prod_{l != 0, m} theta^(l)_{il k}, with e the excess
 * exposure for active cells, and that of the rest for missing ones. */
void ldp_tensor_begin(const ldp_tensor *model, int m, ldp_tensor_round *round);
void ldp_tensor_listed(int m, const ldp_cells *cells, const ldp_noise *noise, int from, int to,
                       ldp_tensor_round *round);
void ldp_tensor_draw(const ldp_tensor *model, int m, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_tensor_round *round);

/* Moves that leave every mu as it is: the scale of each component between neighbouring modes, and
 * the rates of priors that have random ones. `work`: 2 K doubles. */
void ldp_tensor_rescale(ldp_tensor *model, double *work);

/* The weights of mode 0: every mean is linear in them, and those of a row in its own alone. */
ldp_scalable ldp_tensor_scalable(const ldp_tensor *model);

/* Shows the means of all observed cells. `work`: as ldp_tensor_work says. */
void ldp_tensor_visit(const ldp_tensor *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work);

#endif
