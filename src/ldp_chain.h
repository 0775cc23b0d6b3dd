/* One chain: its sweeps, one after the other, in steps between which the caller may stop. */
#ifndef LDP_CHAIN_H
#define LDP_CHAIN_H

#include "ldp_kernel.h"
#include "ldp_quick.h"

/* What a chain is given, and what it leaves. */
typedef struct ldp_chain {
    const ldp_kernel *kernel;
    void *model;
    ldp_setting at;
    int n_sweeps;
    const double *seeds; /* two whole numbers below 2^32 per sweep */
    /* Sweeps whose state is kept, ascending, from 1; and is the log density of the last one wanted
     * too? */
    int n_keep;
    const int *keep;
    int watch;
    /* The current state: n_factors arrays; kept ones go to draws[f], one behind the other. */
    int n_factors;
    const double *const *factor;
    const size_t *length;
    double *const *draws;
    double *log_density; /* n_keep */
    double log_density_now; /* after the last sweep, NaN where it was not wanted */
    /* the caller's room: as many doubles as the kernel says; one `quick` for each thread; a double
     * for each part of the rows (ldp_team.h) */
    double *work;
    ldp_quick *quick;
    double *parts;
    /* how far it is; all zero at first */
    int sweep, phase, from, n_kept;
} ldp_chain;

/* Goes on for about so many cells, a part of the lines at least, or until all is done. Returns how
 * many are left. */
size_t ldp_chain_advance(ldp_chain *chain, size_t n_cells);

#endif
