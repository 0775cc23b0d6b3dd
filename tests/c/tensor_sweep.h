/* A sweep of a tensor before its rescaling. */
#ifndef TENSOR_SWEEP_H
#define TENSOR_SWEEP_H

#include "check.h"
#include "ldp_tensor.h"
#include "sweep.h"

static inline size_t tensor_length(const ldp_tensor *model, int m) {
    return (size_t)model->mode[m].n * (size_t)model->K;
}

/* A sweep with a new seed, without its rescaling. */
static inline void tensor_half_sweep(ldp_tensor *model, const ldp_setting *at, double *work) {
    sweep_open(&ldp_tensor_kernel, model, at, ldp_stream_seed(), SWEEP_WHOLE, work);
}

#endif
