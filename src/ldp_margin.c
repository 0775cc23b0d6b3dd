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

/* How many of n ascending indices lie below a limit. */
static size_t count_below(const int *index, size_t n, int limit) {
    size_t from = 0;
    while (n > 0) {
        const size_t half = n / 2;
        if (index[from + half] < limit) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

/* The part of line i that lies in from .. to-1; returns its length. */
static size_t part_of_line(ldp_lists lists, int i, int from, int to, const int **part) {
    const int *const line = lists.index + lists.start[i];
    const size_t n = ldp_lists_length(lists, i), before = count_below(line, n, from);
    *part = line + before;
    return count_below(line, n, to) - before;
}

static int any_above_zero(const double *x, int from, int to) {
    for (int i = from; i < to; i++)
        if (x[i] > 0)
            return 1;
    return 0;
}

void ldp_margin_columns(int K, const double *theta, const ldp_cells *cells, const double *rest,
                        const double *excess, int from, int to, double *exposure, double *work) {
    const int has_excess = any_above_zero(excess, from, to);
    const ldp_weighted by_rest = {K, from, to, theta, rest};
    const ldp_weighted by_excess = {K, from, to, theta, excess};
    double *const total = work, *const observed = work + K;
    ldp_exposure_total(by_rest, total);
    for (int v = 0; v < cells->V; v++) {
        double *const sum = ldp_line(exposure, K, v);
        const int *part;
        size_t n = part_of_line(cells->missing_t, v, from, to, &part);
        if (n > 0)
            ldp_exposure_observed(by_rest, total, part, n, LDP_NO_SELF, observed);
        ldp_add(K, sum, 1, n > 0 ? observed : total);
        if (!has_excess)
            continue;
        n = part_of_line(cells->active_t, v, from, to, &part);
        ldp_exposure_listed(by_excess, part, n, sum);
    }
}
