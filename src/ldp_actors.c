#include "ldp_actors.h"
#include "ldp_math.h"

ldp_weighted ldp_actors_recipients(ldp_actors actors, int i) {
    return (ldp_weighted){actors.C, actors.directed ? 0 : i, actors.cells->V, actors.theta, NULL};
}

/* All actors that may send to i; i itself is included if that is simpler. */
static ldp_weighted senders_to(ldp_actors actors, int i) {
    return (ldp_weighted){actors.C, 0, actors.directed ? actors.cells->V : i, actors.theta,
                          actors.rest};
}

void ldp_actors_open(ldp_actors actors, int i) {
    ldp_exposure_total(ldp_actors_recipients(actors, i), actors.total_sender);
    ldp_exposure_total(senders_to(actors, i), actors.total_receiver);
}

/* Removes i from the totals while it is being updated. */
void ldp_actors_begin_turn(ldp_actors actors, int i) {
    ldp_exposure_leave_out(ldp_actors_recipients(actors, i), i, actors.total_sender);
    if (actors.directed)
        ldp_exposure_leave_out(senders_to(actors, i), i, actors.total_receiver);
}

/* Adds i to the totals again; in an undirected network, as a sender to the actors that follow. */
void ldp_actors_end_turn(ldp_actors actors, int i) {
    const double *const theta_i = actors.theta + (size_t)i * (size_t)actors.C;
    if (actors.directed)
        ldp_add(actors.C, actors.total_sender, 1, theta_i);
    ldp_add(actors.C, actors.total_receiver, actors.rest[i], theta_i);
}

void ldp_actors_observed(ldp_actors actors, int i, double *out) {
    const ldp_cells *const cells = actors.cells;
    ldp_exposure_observed(ldp_actors_recipients(actors, i), actors.total_sender,
                          cells->missing.index + cells->missing.start[i],
                          ldp_lists_length(cells->missing, i), i, out);
}

void ldp_actors_as_sender(ldp_actors actors, int i, double *out, double *scratch) {
    const ldp_cells *const cells = actors.cells;
    ldp_actors_observed(actors, i, out);
    for (int c = 0; c < actors.C; c++)
        out[c] *= actors.rest[i];
    if (actors.extra[i] > 0) {
        ldp_fill(actors.C, scratch, 0);
        ldp_exposure_listed(ldp_actors_recipients(actors, i),
                            cells->active.index + cells->active.start[i],
                            ldp_lists_length(cells->active, i), scratch);
        ldp_add(actors.C, out, actors.extra[i], scratch);
    }
}

void ldp_actors_as_receiver(ldp_actors actors, int i, double *out) {
    const ldp_cells *const cells = actors.cells;
    const ldp_weighted extra = {actors.C, 0, cells->V, actors.theta, actors.extra};
    ldp_exposure_observed(senders_to(actors, i), actors.total_receiver,
                          cells->missing_t.index + cells->missing_t.start[i],
                          ldp_lists_length(cells->missing_t, i), i, out);
    if (cells->active_t.start)
        ldp_exposure_listed(extra, cells->active_t.index + cells->active_t.start[i],
                            ldp_lists_length(cells->active_t, i), out);
}

void ldp_actors_times(int C, const double *pi, const double *x, double *out) {
    for (int d = 0; d < C; d++)
        ldp_add(C, out, x[d], pi + (size_t)d * (size_t)C);
}

void ldp_actors_transposed_times(int C, const double *pi, const double *x, double *out) {
    for (int d = 0; d < C; d++)
        out[d] += ldp_dot(C, x, pi + (size_t)d * (size_t)C);
}

ldp_scale ldp_actors_scale(int C, int directed, int c, int V, ldp_gamma_prior of_theta,
                           double sum_theta, ldp_gamma_prior of_pi, const double *pi) {
    const int n_pi = directed ? 2 * C : C + 1; /* number of weights of c; (c, c) counts twice */
    double across = 0;
    for (int d = 0; d < C; d++)
        if (d != c)
            across += pi[c + d * C] + (directed ? pi[d + c * C] : 0);
    return (ldp_scale){V * of_theta.shape - n_pi * of_pi.shape, of_theta.rate * sum_theta,
                       of_pi.rate * across, of_pi.rate * pi[c + c * C]};
}

void ldp_actors_mirror(int C, double *square) {
    for (int d = 0; d < C; d++)
        for (int c = 0; c < d; c++)
            square[d + c * C] = square[c + d * C];
}

void ldp_actors_fold(int C, double *square) {
    for (int d = 0; d < C; d++)
        for (int c = 0; c < d; c++)
            square[c + d * C] += square[d + c * C];
}
