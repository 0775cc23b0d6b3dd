/* One chain: its sweeps, one after another, in steps, so that the caller can stop between steps.
 *
 * If its rows are a shard, each of several processes has a chain for its rows, with the same seeds
 * and the same state of everything but the factor of the rows. A chain stops where arrays must be
 * combined over all processes, and continues when the caller has done this. */
#ifndef LDP_CHAIN_H
#define LDP_CHAIN_H

#include "ldp_kernel.h"
#include "ldp_quick.h"

/* The input of a chain, its results, and its progress. */
typedef struct ldp_chain {
    const ldp_kernel *kernel;
    void *model;
    ldp_setting at;
    int n_sweeps;
    const double *seeds; /* two whole numbers below 2^32 per sweep */
    /* The sweeps after which the state is kept, ascending, counted from 1. `watch`: is the log
     * density after the last sweep wanted even if it is not kept? */
    int n_keep;
    const int *keep;
    int watch;
    /* The current state: n_factors arrays, of length[f] numbers each. The kept states of factor f
     * are stored in draws[f], one after another. */
    int n_factors;
    const double *const *factor;
    const size_t *length;
    double *const *draws;
    double *log_density; /* one per kept state */
    double log_density_now; /* after the last sweep; NaN if it was not wanted */
    int is_shard;
    /* Memory provided by the caller: as many doubles as `work` of the kernel says; one double per
     * part of all rows of the table (ldp_team.h). */
    double *work;
    double *parts;
    /* Progress, all zero at first: the sweep; its stage (phases of the model, a visit of its means,
     * or moves of the family); the phase; the next line of the phase or visit; states kept. */
    int sweep, stage, phase, from, n_kept;
    /* What must be combined now; none if n_shared is 0. */
    int n_shared;
    ldp_shared shared[LDP_MOST_SHARED];
} ldp_chain;

/* Drawing the weights of a row or a column takes as long as about so many cells. */
enum { LDP_CELLS_PER_LINE = 16 };

/* Continues the chain for about n_cells active and missing cells: by one part of the lines at
 * least, and not beyond the last sweep, nor beyond the next combination of arrays (n_shared > 0).
 * Returns how many of the n_cells are left, which is 0 unless the chain is complete or stopped for
 * a combination. */
size_t ldp_chain_advance(ldp_chain *chain, size_t n_cells);

/* Ends the step for which the caller has combined arrays. */
void ldp_chain_resume(ldp_chain *chain);

#endif
