/* Exposures of the actors of a network, as senders and as recipients. In an undirected network i is
 * the sender to all j > i and the recipient of all j < i. */
#ifndef LDP_ACTORS_H
#define LDP_ACTORS_H

#include "ldp_cells.h"
#include "ldp_exposure.h"
#include "ldp_gamma.h"
#include "ldp_scale.h"

/* The C weights of each actor are contiguous. The exposure of a cell is rest + extra (of its row)
 * if it is active, rest if it is otherwise observed, and 0 if it is missing. Actors are updated one
 * after the other. The totals are sums over the actors that the current actor sends to, and over
 * those that send to it; the theta of the current actor may change at the end of its turn. */
typedef struct ldp_actors {
    int C, directed;
    const double *theta;
    const ldp_cells *cells;
    const double *rest, *extra;
    double *total_sender, *total_receiver; /* C each, allocated by the caller */
} ldp_actors;

/* All actors that i may send to; i itself is included if that is simpler. */
ldp_weighted ldp_actors_recipients(ldp_actors actors, int i);

/* Call ldp_actors_open() once, then begin and end the turns of the actors, from actor i on, in
 * their order. */
void ldp_actors_open(ldp_actors actors, int i);
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

/* The distribution of log s for the move that multiplies theta_.c by s, divides pi_cd and pi_dc (d
 * != c) by s and pi_cc by s^2, and so leaves every mean unchanged; V actors, `sum_theta` the sum of
 * theta_.c. */
ldp_scale ldp_actors_scale(int C, int directed, int c, int V, ldp_gamma_prior of_theta,
                           double sum_theta, ldp_gamma_prior of_pi, const double *pi);

/* For a C x C matrix and c < d: the first copies entry (c, d) to (d, c), the second adds entry (d,
 * c) to (c, d). */
void ldp_actors_mirror(int C, double *square);
void ldp_actors_fold(int C, double *square);

#endif
