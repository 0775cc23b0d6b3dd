/* The interface of a model to the loop over sweeps (ldp_chain.h). A sweep consists of phases. A
 * phase goes over lines, which are rows or columns of the cells, in ranges, so that the caller can
 * stop between ranges. A range consists of whole parts (ldp_team.h). `begin` is called before the
 * first range of a phase, and `end` after the last. */
#ifndef LDP_KERNEL_H
#define LDP_KERNEL_H

#include "ldp_cells.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

typedef enum ldp_lines {
    LDP_ROWS,
    LDP_COLUMNS,
    LDP_WHOLE /* a single line, which takes as long as all rows together */
} ldp_lines;

typedef struct ldp_setting {
    const ldp_cells *cells;
    const ldp_noise *noise; /* one per thread */
    int n_threads;
} ldp_setting;

typedef struct ldp_kernel {
    int (*n_phases)(const void *model);
    ldp_lines (*lines)(const void *model, int phase);
    /* The number of doubles of work space. The caller keeps its contents from the beginning of a
     * sweep to the end of its visit. */
    size_t (*work)(const void *model, const ldp_setting *at);
    void (*begin)(void *model, const ldp_setting *at, int phase, uint64_t seed, double *work);
    void (*range)(void *model, const ldp_setting *at, int phase, int from, int to, double *work);
    void (*end)(void *model, const ldp_setting *at, int phase, double *work);
    /* `visit` calls the visitor with the means of the observed cells of rows from .. to-1. The
     * model must not change between `begin_visit` and the last call of `visit`. `thread`: the
     * number of the calling thread, which determines the work space that is used. */
    void (*begin_visit)(const void *model, const ldp_setting *at, double *work);
    void (*visit)(const void *model, const ldp_setting *at, int from, int to, int thread,
                  ldp_visitor visitor, double *work);
    ldp_scalable (*scalable)(const void *model, const ldp_setting *at);
} ldp_kernel;

#endif
