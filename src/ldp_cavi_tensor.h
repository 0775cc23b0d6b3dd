/* Variational inference of Poisson tensor factorization, mu_{i0..iM-1} = sum_k prod_m
 * theta^(m)_{im k}. */
#ifndef LDP_CAVI_TENSOR_H
#define LDP_CAVI_TENSOR_H

#include "ldp_cavi_factor.h"
#include "ldp_cavi_local.h"
#include "ldp_modes.h"

/* Lines and cells as those of ldp_tensor. What the last local step came to, which the next pass
 * goes on from: expected counts of the weights of each mode, and `active`, of each row the sum over
 * its active cells of the products of the other modes' means. */
typedef struct ldp_cavi_tensor {
    int K, M;
    ldp_cavi_factor theta[LDP_MODES];
    double *counts[LDP_MODES];
    double *active;
    double *rates; /* distributions of random rates of the priors, two numbers each */
} ldp_cavi_tensor;

/* Doubles of work space. */
size_t ldp_cavi_tensor_work(const ldp_cavi_tensor *model);

/* The local step, given all factors; returns the bound, but for a constant. */
double ldp_cavi_tensor_local(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work);

/* A pass: the parameters of the family, mode by mode, the scale of each component between
 * neighbouring modes, the rates of the priors, and a local step, whose bound it returns. */
double ldp_cavi_tensor_pass(ldp_cavi_tensor *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work);

#endif
