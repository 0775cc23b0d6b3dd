#include "ldp_density.h"

/* If exposures depend on columns, those of all cells are subtracted together (ldp_chain.c), and
 * those of listed cells are added here. */
static void take_back(const ldp_density *density, int row, const int *index, int n,
                      const double *mean, double *sum) {
    const ldp_columns *const columns = density->noise->columns;
    for (int e = 0; columns && e < n; e++)
        *sum += columns->rest[ldp_columns_place(columns, row, index[e])] * mean[e];
}

static void add_missing(void *state, int row, size_t first, int n, const double *mean) {
    ldp_density *const density = state;
    take_back(density, row, density->cells->missing.index + first, n, mean, &density->sum);
}

static void add_cells(void *state, int row, size_t first, int n, const double *mean) {
    ldp_density *const density = state;
    const ldp_noise *const noise = density->noise;
    density->sum +=
        noise->log_density(noise->state, density->quick, row, first, n,
                           density->cells->y_tilde + first, density->cells->alpha[row], mean);
    take_back(density, row, density->cells->active.index + first, n, mean, &density->sum);
}

static void add_rest(void *state, int row, double sum) {
    ldp_density *const density = state;
    if (!density->noise->columns)
        density->sum -= density->noise->density_rest[row] * sum;
}

ldp_visitor ldp_density_reader(ldp_density *density) {
    return (ldp_visitor){add_cells, add_rest, density, add_missing};
}
