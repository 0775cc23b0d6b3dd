/* The local step of overdispersed counts, collapsed, with a distribution of the dispersion on a
 * grid. */
#ifndef LDP_CAVI_NBINOM1_H
#define LDP_CAVI_NBINOM1_H

#include "ldp_cavi_local.h"

/* Points of a distribution of t = log(dispersion - 1), evenly spaced. */
enum { LDP_CAVI_GRID = 257 };

/* Summaries of the distribution of a dispersion: E[log p], E[log q], and x/(1 - x) with x = exp
 * E[log p].
 */
typedef struct ldp_cavi_dispersion {
    double log_p, log_q, odds;
} ldp_cavi_dispersion;

/* Results of the last local step for a row: the expected counts and events of its active cells, and
 * the sum of E[lambda] over its other observed cells. */
typedef struct ldp_cavi_shown {
    double counts, events, rest;
} ldp_cavi_shown;

typedef struct ldp_cavi_nbinom1 {
    int D, by_row; /* one dispersion per row, or a single one */
    double shape1, shape2; /* the prior of p: ldp_nbinom1_state; shape1 = 0: it is fixed */
    /* For each dispersion: the points and their weights, which sum to 1, LDP_CAVI_GRID each, and
     * the divergence of the distribution from its prior. */
    double *points, *weights, *divergence;
    ldp_cavi_shown *shown; /* D */
    ldp_cavi_dispersion *laws; /* one per dispersion; allocated by the caller */
    double *rest, *extra; /* D each: the exposures */
    ldp_small small[LDP_CAVI_GROUPS]; /* zero at first */
} ldp_cavi_nbinom1;

/* `state` contains all memory that the caller provides. */
ldp_cavi_local ldp_cavi_bursts(ldp_cavi_nbinom1 *state, const double *alpha);

#endif
