/* Exposures of the actors of a network, in both of their roles. In an undirected network i is the
 * sender to all j > i and the recipient of all j < i. */
#ifndef LDP_ACTORS_H
#define LDP_ACTORS_H

#include "ldp_cells.h"
#include "ldp_exposure.h"
#include "ldp_gamma.h"
#include "ldp_scale.h"

/* C weights of each actor side by side, and the exposures of the cells, which are those of their
 * row: rest where observed, rest + excess where active, 0 where missing. The totals are those of
 * the actors that the one whose turn it is sends to, and of those who send to it; theta may change
 * at the end of a turn. */
typedef struct ldp_actors {
    int C, directed;
    const double *theta;
    const ldp_cells *cells;
    const double *rest, *excess;
    double *total_sender, *total_receiver; /* C each: the caller's room */
} ldp_actors;

/* All that i may send to, itself included where that is simpler. */
ldp_weighted ldp_actors_recipients(ldp_actors actors, int i);

/* Turns go from the first actor to the last: opened, then each begun and ended. */
void ldp_actors_open(ldp_actors actors);
void ldp_actors_begin_turn(ldp_actors actors, int i);
void ldp_actors_end_turn(ldp_actors actors, int i);

/* In the turn of i: out = sum_j theta_j over its observed cells as a sender; the same with e_ij;
 * and sum_j e_ji theta_j. `scratch`: C doubles. */
void ldp_actors_observed(ldp_actors actors, int i, double *out);
void ldp_actors_as_sender(ldp_actors actors, int i, double *out, double *scratch);
void ldp_actors_as_receiver(ldp_actors actors, int i, double *out);

/* out += Pi x and out += Pi' x, with pi_cd = pi[c + d C] */
void ldp_actors_times(int C, const double *pi, const double *x, double *out);
void ldp_actors_transposed_times(int C, const double *pi, const double *x, double *out);

/* The distribution of log s where theta_.c -> s theta_.c, pi_cd and pi_dc -> /s (d != c), pi_cc ->
 * /s^2, which leaves every mean as it is; V actors, `sum_theta` the sum of theta_.c. */
ldp_scale ldp_actors_scale(int C, int directed, int c, int V, ldp_gamma_prior of_theta,
                           double sum_theta, ldp_gamma_prior of_pi, const double *pi);

/* Of a C x C square: (d, c) becomes (c, d), c < d; and what (d, c) has is added to (c, d). */
void ldp_actors_mirror(int C, double *square);
void ldp_actors_fold(int C, double *square);

#endif
