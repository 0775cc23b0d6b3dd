#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_rows.h"
#include "ldp_wanted.h"

void ldp_margin_observed(ldp_weighted phi, const ldp_cells *cells, int d, const double *total,
                         double *observed) {
    ldp_exposure_observed(phi, total, cells->missing.index + cells->missing.start[d],
                          ldp_lists_length(cells->missing, d), LDP_NO_SELF, observed);
}

void ldp_margin_row(int K, const double *phi, const ldp_cells *cells, double rest, double extra,
                    int d, const double *total, const double *active, double *exposure) {
    ldp_margin_observed((ldp_weighted){K, 0, cells->V, phi, NULL}, cells, d, total, exposure);
    for (int k = 0; k < K; k++)
        exposure[k] = rest * exposure[k] + extra * active[k];
}

void ldp_margin_column(int K, const double *theta, const ldp_cells *cells, const double *rest,
                       const double *extra, int v, const double *total, double *exposure) {
    const ldp_weighted by_rest = {K, 0, cells->D, theta, rest};
    const ldp_weighted by_extra = {K, 0, cells->D, theta, extra};
    ldp_exposure_observed(by_rest, total, cells->missing_t.index + cells->missing_t.start[v],
                          ldp_lists_length(cells->missing_t, v), LDP_NO_SELF, exposure);
    if (extra)
        ldp_exposure_listed(by_extra, cells->active_t.index + cells->active_t.start[v],
                            ldp_lists_length(cells->active_t, v), exposure);
}

const double *ldp_margin_extra(const double *extra, int n) {
    for (int d = 0; d < n; d++)
        if (extra[d] > 0)
            return extra;
    return NULL;
}

double ldp_margin_sum(int K, const double *x, const double *phi, const double *total,
                      const ldp_cells *cells, int d, ldp_visitor visitor) {
    double sum = ldp_dot(K, x, total);
    for (size_t e = cells->missing.start[d]; e < cells->missing.start[d + 1]; e++) {
        const double mean = ldp_dot(K, x, phi + (size_t)cells->missing.index[e] * (size_t)K);
        sum -= mean;
        if (visitor.missing)
            visitor.missing(visitor.state, d, e, 1, &mean);
    }
    return sum;
}

void ldp_margin_visit(int K, const double *x, const double *phi, const double *total,
                      const ldp_cells *cells, int d, ldp_visitor visitor) {
    ldp_wanted some;
    double sum = ldp_margin_sum(K, x, phi, total, cells, d, visitor);
    ldp_wanted_begin(&some, cells, &visitor, d);
    while (ldp_wanted_next(&some, cells, &visitor, d) > 0) {
        double mean[LDP_FEW];
        ldp_rows_means(K, x, phi, some.column, some.n, mean);
        sum = ldp_visitor_show(visitor, d, some.first, some.n, some.y_tilde, mean, sum);
    }
    ldp_visitor_end(visitor, d, sum);
}
