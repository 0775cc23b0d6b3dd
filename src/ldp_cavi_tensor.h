/* Variational inference of Poisson tensor factorization, mu_{i0..iM-1} = sum_k prod_m
 * theta^(m)_{im k}. */
#ifndef LDP_CAVI_TENSOR_H
#define LDP_CAVI_TENSOR_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"
#include "ldp_cavi_relative.h"
#include "ldp_modes.h"

/* Lines and cells as in ldp_tensor. The struct also has results of the last local step, which the
 * next iteration uses: the expected counts of the weights of each mode, and `active`, which has for
 * each row the sum, over its active cells, of products of the means of the other modes. */
typedef struct ldp_cavi_tensor {
    int K, M;
    ldp_cavi_factor theta[LDP_MODES];
    double *counts[LDP_MODES];
    double *active;
    const ldp_cavi_relative *relative; /* of groups of rows; NULL if there are none */
    double *hyper; /* what is estimated of the priors, LDP_CAVI_HYPER numbers each */
} ldp_cavi_tensor;

/* Doubles of work space: up to LDP_CAVI_GROUPS copies of all modes except the first (of the longest
 * of them twice, if that is more), and some lines. */
size_t ldp_cavi_tensor_work(const ldp_cavi_tensor *model, const ldp_cells *cells);

/* The local step, given all factors; returns the bound, up to a constant. */
double ldp_cavi_tensor_local(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* One iteration: updates the parameters of the family, the modes one by one, the scale of each
 * component between neighbouring modes and the estimates of the priors, and does a local step,
 * whose bound it returns. */
double ldp_cavi_tensor_pass(ldp_cavi_tensor *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
