#include "ldp_actors.h"
#include "ldp_math.h"

void ldp_actors_as_sender(ldp_actors actors, const double *total, int i, double *out,
                          double *scratch) {
    const ldp_cells *const cells = actors.cells;
    const ldp_weighted theta = {actors.C, 0, cells->V, actors.theta, NULL};
    ldp_exposure_observed(theta, total, cells->missing.index + cells->missing.start[i],
                          ldp_lists_length(cells->missing, i), i, out);
    for (int c = 0; c < actors.C; c++)
        out[c] *= actors.rest[i];
    if (actors.excess[i] > 0) {
        ldp_fill(actors.C, scratch, 0);
        ldp_exposure_listed(theta, cells->active.index + cells->active.start[i],
                            ldp_lists_length(cells->active, i), scratch);
        ldp_add(actors.C, out, actors.excess[i], scratch);
    }
}

void ldp_actors_as_receiver(ldp_actors actors, const double *total, int i, double *out) {
    const ldp_cells *const cells = actors.cells;
    const ldp_weighted rest = {actors.C, 0, cells->V, actors.theta, actors.rest};
    const ldp_weighted excess = {actors.C, 0, cells->V, actors.theta, actors.excess};
    ldp_exposure_observed(rest, total, cells->missing_t.index + cells->missing_t.start[i],
                          ldp_lists_length(cells->missing_t, i), i, out);
    ldp_exposure_listed(excess, cells->active_t.index + cells->active_t.start[i],
                        ldp_lists_length(cells->active_t, i), out);
}

void ldp_actors_leave_out(ldp_weighted theta, int i, double *total, double *scratch) {
    ldp_exposure_observed(theta, total, NULL, 0, i, scratch);
    for (int c = 0; c < theta.K; c++)
        total[c] = scratch[c];
}

void ldp_actors_times(int C, const double *pi, const double *x, double *out) {
    for (int d = 0; d < C; d++)
        ldp_add(C, out, x[d], pi + (size_t)d * (size_t)C);
}

void ldp_actors_transposed_times(int C, const double *pi, const double *x, double *out) {
    for (int d = 0; d < C; d++)
        out[d] += ldp_dot(C, x, pi + (size_t)d * (size_t)C);
}
