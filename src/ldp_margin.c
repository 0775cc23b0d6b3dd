#include "ldp_margin.h"
#include "ldp_exposure.h"
#include "ldp_math.h"

void ldp_margin_observed(int K, const double *phi, const ldp_cells *cells, int d,
                         const double *total, double *observed) {
    const ldp_weighted lines = {K, 0, cells->V, phi, NULL};
    ldp_exposure_observed(lines, total, cells->missing.index + cells->missing.start[d],
                          ldp_lists_length(cells->missing, d), LDP_NO_SELF, observed);
}

void ldp_margin_row(int K, const double *phi, const ldp_cells *cells, double rest, double excess,
                    int d, const double *total, const double *active, double *exposure) {
    ldp_margin_observed(K, phi, cells, d, total, exposure);
    for (int k = 0; k < K; k++)
        exposure[k] = rest * exposure[k] + excess * active[k];
}

static int any_above_zero(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] > 0)
            return 1;
    return 0;
}

void ldp_margin_columns(int K, const double *theta, const ldp_cells *cells, const double *rest,
                        const double *excess, double *exposure, double *work) {
    const int D = cells->D, has_excess = any_above_zero(excess, D);
    const ldp_weighted by_rest = {K, 0, D, theta, rest};
    const ldp_weighted by_excess = {K, 0, D, theta, excess};
    ldp_exposure_total(by_rest, work);
    for (int v = 0; v < cells->V; v++) {
        double *const sum = ldp_line(exposure, K, v);
        ldp_exposure_observed(by_rest, work, cells->missing_t.index + cells->missing_t.start[v],
                              ldp_lists_length(cells->missing_t, v), LDP_NO_SELF, sum);
        if (has_excess)
            ldp_exposure_listed(by_excess, cells->active_t.index + cells->active_t.start[v],
                                ldp_lists_length(cells->active_t, v), sum);
    }
}
