/* The interface of a model to the loop over sweeps (ldp_chain.h). A sweep consists of phases. A
 * phase goes over lines, which are rows or columns of the cells, in ranges, so that the caller can
 * stop between ranges. A range consists of whole parts (ldp_team.h). `begin` is called before the
 * first range of a phase, and `end` after the last.
 *
 * The rows may be a shard: some of the rows of a table, whose other rows other processes have. All
 * processes do the same phases. After `end`, the arrays that `shared` lists are combined over all
 * processes; then they are the same everywhere, and so is everything that is computed from them. */
#ifndef LDP_KERNEL_H
#define LDP_KERNEL_H

#include <stdint.h>

#include "ldp_cells.h"
#include "ldp_noise.h"
#include "ldp_visitor.h"

typedef enum ldp_lines {
    LDP_ROWS,
    LDP_COLUMNS,
    LDP_WHOLE /* a single line, which takes as long as all rows together */
} ldp_lines;

/* What is the same in all calls: the data, their family, and the threads. */
typedef struct ldp_setting {
    const ldp_cells *cells;
    const ldp_noise *noise; /* one per thread */
    int n_threads;
    ldp_quick *quick; /* one per thread */
    /* Not NULL if the log density of the state before the sweep is still owed (see `shows_means`):
     * the first phase writes its parts (ldp_team.h) here. */
    double *owed;
} ldp_setting;

typedef enum ldp_combine {
    LDP_SUM, /* of doubles whose sums are exact */
    LDP_SUM_WHOLE, /* of 64-bit integers */
    LDP_LARGEST /* of doubles */
} ldp_combine;

/* n numbers of 64 bits, combined one by one. */
typedef struct ldp_shared {
    ldp_combine how;
    size_t n;
    double *at;
} ldp_shared;

enum { LDP_MOST_SHARED = 4, LDP_NO_PHASE = -1 };

typedef struct ldp_kernel {
    /* The phase after `phase`, or LDP_NO_PHASE. The first one is 0. */
    int (*next)(const void *model, const ldp_setting *at, int phase, const double *work);
    ldp_lines (*lines)(const void *model, int phase);
    /* The number of doubles of work space. The caller keeps its contents from the beginning of a
     * sweep to the end of its visit. */
    size_t (*work)(const void *model, const ldp_setting *at);
    void (*begin)(void *model, const ldp_setting *at, int phase, uint64_t seed, double *work);
    void (*range)(void *model, const ldp_setting *at, int phase, int from, int to, double *work);
    void (*end)(void *model, const ldp_setting *at, int phase, double *work);
    /* Lists what must be combined after the phase; returns the number of arrays. NULL if the model
     * needs all rows. */
    int (*shared)(const void *model, const ldp_setting *at, int phase, double *work,
                  ldp_shared *arrays);
    /* `visit` calls the visitor with the means of the observed cells of rows from .. to-1. The
     * model must not change between `begin_visit` and the last call of `visit`. `thread`: the
     * number of the calling thread, which determines the work space that is used. */
    void (*begin_visit)(const void *model, const ldp_setting *at, double *work);
    void (*visit)(const void *model, const ldp_setting *at, int from, int to, int thread,
                  ldp_visitor visitor, double *work);
    /* The factor that the family may scale. If exposures depend on columns, it is that of the
     * columns. */
    ldp_scalable (*scalable)(const void *model, const ldp_setting *at);
    /* Does the first phase compute all means of the state before the sweep? Then it can compute the
     * log density of that state too, which saves a visit. NULL if never. */
    int (*shows_means)(const void *model, const ldp_setting *at);
    /* Sets the totals of `columns`; NULL if exposures of the model cannot depend on columns. */
    void (*column_totals)(const void *model, const ldp_setting *at, const ldp_columns *columns,
                          double *work);
} ldp_kernel;

#endif
