/* What the loop over sweeps (ldp_chain.h) asks of a model. A sweep is a number of phases. A phase
 * goes over lines, the rows or the columns of the cells, in ranges that may be cut at whole parts
 * (ldp_team.h), so that the caller can stop between ranges; it is begun before its first range and
 * ended after its last. */
#ifndef LDP_KERNEL_H
#define LDP_KERNEL_H

#include "ldp_cells.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

typedef enum ldp_lines {
    LDP_ROWS,
    LDP_COLUMNS,
    LDP_WHOLE /* one line, which is as long as all rows */
} ldp_lines;

typedef struct ldp_setting {
    const ldp_cells *cells;
    const ldp_noise *noise; /* one for each thread */
    int n_threads;
} ldp_setting;

typedef struct ldp_kernel {
    int (*n_phases)(const void *model);
    ldp_lines (*lines)(const void *model, int phase);
    /* Doubles of work space, the same from the beginning of a sweep to the end of its visit. */
    size_t (*work)(const void *model, const ldp_setting *at);
    void (*begin)(void *model, const ldp_setting *at, int phase, uint64_t seed, double *work);
    void (*range)(void *model, const ldp_setting *at, int phase, int from, int to, double *work);
    void (*end)(void *model, const ldp_setting *at, int phase, double *work);
    /* Shows the means of the observed cells of rows from .. to-1, for a model that was not changed
     * since `begin_visit`. `thread`: whose room to use. */
    void (*begin_visit)(const void *model, const ldp_setting *at, double *work);
    void (*visit)(const void *model, const ldp_setting *at, int from, int to, int thread,
                  ldp_visitor visitor, double *work);
    ldp_scalable (*scalable)(const void *model, const ldp_setting *at);
} ldp_kernel;

#endif
