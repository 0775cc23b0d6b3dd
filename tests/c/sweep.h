/* One sweep of each model, with all rows in one range; the package stops between ranges for
 * interrupts. Each sweep takes a new seed from R's generator, as in the package: set_seed() repeats
 * the sweeps that follow it. */
#ifndef SWEEP_H
#define SWEEP_H

#include "ldp_blocks.h"
#include "ldp_tensor.h"
#include "ldp_topics.h"

static inline void topics_sweep(ldp_topics *model, const ldp_cells *cells, const ldp_noise *noise,
                                double *work) {
    model->seed = ldp_stream_seed();
    const ldp_topics_round round = ldp_topics_open(model, cells->V, work);
    ldp_topics_rows(model, cells, noise, 0, cells->D, round.total_phi, round.sums, round.scratch);
    ldp_topics_columns(model, cells->V, round.sums);
}

static inline void blocks_sweep(ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                                double *work) {
    model->seed = ldp_stream_seed();
    ldp_blocks_open(model, cells->V, work);
    ldp_blocks_counts(model, cells, noise, 0, cells->D, work);
    ldp_blocks_factors(model, cells, noise, work);
}

static inline void tensor_sweep(ldp_tensor *model, const ldp_cells *cells, const ldp_noise *noise,
                                double *work) {
    model->seed = ldp_stream_seed();
    ldp_tensor_round round = ldp_tensor_open(model, work);
    ldp_tensor_rows(model, cells, noise, 0, cells->D, &round);
    for (int m = 1; m < model->M; m++) {
        ldp_tensor_begin(model, m, &round);
        ldp_tensor_listed(m, cells, noise, 0, cells->D, &round);
        ldp_tensor_draw(model, m, cells, noise, &round);
    }
}

#endif
