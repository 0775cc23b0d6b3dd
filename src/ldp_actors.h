/* Exposures of actors of a directed network without a diagonal, in both of their roles. */
#ifndef LDP_ACTORS_H
#define LDP_ACTORS_H

#include "ldp_cells.h"
#include "ldp_exposure.h"

/* C weights of each actor side by side, and the exposures of the cells, which are those of their
 * row: rest where observed, rest + excess where active, 0 where missing. */
typedef struct ldp_actors {
    int C;
    const double *theta;
    const ldp_cells *cells;
    const double *rest, *excess;
} ldp_actors;

/* out = sum_{j != i} e_ij theta_j; `total`: sum_j theta_j. `scratch`: C doubles. */
void ldp_actors_as_sender(ldp_actors actors, const double *total, int i, double *out,
                          double *scratch);

/* out = sum_{j != i} e_ji theta_j; `total`: sum_j rest_j theta_j. */
void ldp_actors_as_receiver(ldp_actors actors, const double *total, int i, double *out);

/* total -= w_i theta_i, without the rounding errors of a total that was nearly all theta_i.
 * `scratch`: as many doubles as a line has. */
void ldp_actors_leave_out(ldp_weighted theta, int i, double *total, double *scratch);

/* out += Pi x and out += Pi' x, with pi_cd = pi[c + d C] */
void ldp_actors_times(int C, const double *pi, const double *x, double *out);
void ldp_actors_transposed_times(int C, const double *pi, const double *x, double *out);

#endif
