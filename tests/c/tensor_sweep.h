/* A sweep of a tensor before its rescaling. */
#ifndef TENSOR_SWEEP_H
#define TENSOR_SWEEP_H

#include <math.h>
#include <string.h>

#include "check.h"
#include "ldp_tensor.h"
#include "sweep.h"

static inline size_t tensor_length(const ldp_tensor *model, int m) {
    return (size_t)model->mode[m].n * (size_t)model->K;
}

/* By how much component k of mode m was multiplied; 0 where that is not the same for all lines. */
static inline double tensor_factor(const ldp_tensor *model, int m, int k, const double *before) {
    const double *const after = model->mode[m].theta;
    const double factor = after[k] / before[k];
    for (int i = 0; i < model->mode[m].n; i++)
        if (!(fabs(after[i * model->K + k] / before[i * model->K + k] / factor - 1) < TOL_ROUNDING))
            return 0;
    return factor;
}

/* A sweep with a new seed whose rescaling is undone. The end of the last phase draws the last mode
 * and rescales: of the other modes the weights before are known, and the factors of all modes
 * multiply to 1. */
static inline void tensor_half_sweep(ldp_tensor *model, const ldp_setting *at, double *work) {
    const int last = model->M - 1, K = model->K;
    double *before[LDP_MODES];
    sweep_open(&ldp_tensor_kernel, model, at, ldp_stream_seed(), SWEEP_WHOLE, work);
    for (int m = 0; m < last; m++) {
        before[m] = new_doubles(tensor_length(model, m));
        memcpy(before[m], model->mode[m].theta, tensor_length(model, m) * sizeof(double));
    }
    sweep_close(&ldp_tensor_kernel, model, at, work);
    for (int k = 0; k < K; k++) {
        double product = 1;
        for (int m = 0; m < last; m++)
            product *= tensor_factor(model, m, k, before[m]);
        CHECK(product > 0, "a scale of component %d is not that of all lines", k);
        for (int i = 0; i < model->mode[last].n; i++)
            model->mode[last].theta[i * K + k] *= product;
    }
    for (int m = 0; m < last; m++) {
        memcpy(model->mode[m].theta, before[m], tensor_length(model, m) * sizeof(double));
        free(before[m]);
    }
}

#endif
