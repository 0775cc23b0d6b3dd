#include "ldp_density.h"

static void add_cells(void *state, int row, size_t first, int n, const double *y_tilde,
                      const double *mean) {
    ldp_density *const density = state;
    const ldp_noise *const noise = density->noise;
    density->sum += noise->log_density(noise->state, density->quick, row, first, n, y_tilde,
                                       density->cells->alpha[row], mean);
}

static void add_rest(void *state, int row, double sum) {
    ldp_density *const density = state;
    density->sum -= density->noise->density_rest[row] * sum;
}

ldp_visitor ldp_density_reader(ldp_density *density) {
    return (ldp_visitor){.cells = add_cells, .rest = add_rest, .state = density};
}
