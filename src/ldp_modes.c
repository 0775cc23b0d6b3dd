/* A sum over observed cells is computed as the sum over all cells, which factorises, minus the sum
 * over missing cells:
 *
 *     prod_{l != m} T^(l)_k - (missing cells),   T^(l)_k = sum_j x^(l)_jk.
 *
 * So only missing cells are visited. If nearly all of the sum is in missing cells, the difference
 * would lose too many digits, and the observed cells are summed directly. */
#include <string.h>

#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_modes.h"
#include "ldp_rows.h"

void ldp_modes_decode(const ldp_modes *modes, const int *column, int n, ldp_modes_few *cells) {
    cells->n = n;
    for (int e = 0; e < n; e++) {
        int left = column[e];
        for (int m = 1; m < modes->M - 1; m++) {
            cells->index[m][e] = left % modes->n[m];
            left /= modes->n[m];
        }
        cells->index[modes->M - 1][e] = left;
    }
}

void ldp_modes_next(const ldp_modes *modes, const int *columns, size_t first, size_t end,
                    ldp_modes_few *cells) {
    const int n = end - first < LDP_FEW ? (int)(end - first) : LDP_FEW;
    ldp_modes_decode(modes, columns + first, n, cells);
}

void ldp_modes_products(const ldp_modes *modes, const double *x, const ldp_modes_few *cells,
                        int skip, double *products) {
    const int K = modes->K;
    for (int e = 0; e < cells->n; e++) {
        if (x)
            memcpy(ldp_line(products, K, e), x, (size_t)K * sizeof *x);
        else
            ldp_fill(K, ldp_line(products, K, e), 1);
    }
    for (int m = 1; m < modes->M; m++)
        if (m != skip)
            ldp_rows_multiply(K, modes->weights[m], cells->index[m], cells->n, products);
}

const double *ldp_modes_rows(const ldp_modes *modes, const ldp_modes_few *cells, double *products,
                             int *index) {
    const int last = modes->M - 1;
    for (int e = 0; e < cells->n; e++)
        index[e] = last == 1 ? cells->index[1][e] : e;
    if (last == 1)
        return modes->weights[1];
    ldp_modes_products(modes, NULL, cells, LDP_NO_MODE, products);
    return products;
}

void ldp_modes_total(const ldp_modes *modes, int m, const double *weight, double *totals) {
    const ldp_weighted rows = {modes->K, 0, modes->n[m], modes->weights[m], weight};
    ldp_exposure_total(rows, totals + m * modes->K);
}

void ldp_modes_total_product(const ldp_modes *modes, const double *totals, int skip, double *out) {
    ldp_fill(modes->K, out, 1);
    for (int m = 0; m < modes->M; m++)
        for (int k = 0; m != skip && k < modes->K; k++)
            out[k] *= totals[m * modes->K + k];
}

/* --- if nearly all of a sum is in missing cells ---------------------------------------------- */

/* Is column v missing? `next` is the position in the ascending list of missing columns. */
static int is_missing(int v, const int *missing, size_t n, size_t *next) {
    while (*next < n && missing[*next] < v)
        (*next)++;
    return *next < n && missing[*next] == v;
}

/* out += x times the sum of products over all modes except the first and m. The sum is over the
 * observed cells of row d whose index in mode m is j; if m = 0, over all observed cells of the row.
 * */
static void add_up_row(const ldp_modes *modes, const ldp_cells *cells, int m, int j, int d,
                       const double *x, double *products, double *out) {
    const int *const missing = cells->missing.index + cells->missing.start[d];
    const size_t n_missing = ldp_lists_length(cells->missing, d);
    size_t next = 0;
    int stride = 1, n = 1;
    for (int l = 1; l < m; l++)
        stride *= modes->n[l];
    if (m > 0)
        n = modes->n[m];
    else
        stride = cells->V;
    for (int block = m > 0 ? j * stride : 0; block < cells->V; block += n * stride) {
        for (int v = block; v < block + stride; v++) {
            ldp_modes_few cell;
            if (is_missing(v, missing, n_missing, &next))
                continue;
            ldp_modes_decode(modes, &v, 1, &cell);
            ldp_modes_products(modes, x, &cell, m, products);
            ldp_add(modes->K, out, 1, products);
        }
        if (block > cells->V - n * stride)
            break;
    }
}

/* x = weight x^(0)_d */
static void start_from_row(const ldp_modes *modes, int d, double weight, double *x) {
    ldp_fill(modes->K, x, 0);
    ldp_add(modes->K, x, weight, modes->weights[0] + (size_t)d * (size_t)modes->K);
}

int ldp_modes_subtract(int K, const double *total, const double *missing, double *out) {
    for (int k = 0; k < K; k++)
        out[k] = total[k] - missing[k];
    return ldp_exposure_digits_lost(K, total, out);
}

/* --- sums over cells ------------------------------------------------------------------------- */

void ldp_modes_observed_row(const ldp_modes *modes, const ldp_cells *cells, int d,
                            const double *total, double *products, double *work, double *out) {
    const int K = modes->K;
    const size_t end = cells->missing.start[d + 1];
    double *const missing = work;
    ldp_modes_few some;
    ldp_fill(K, missing, 0);
    for (size_t e = cells->missing.start[d]; e < end; e += LDP_FEW) {
        int index[LDP_FEW];
        ldp_modes_next(modes, cells->missing.index, e, end, &some);
        const double *const rows = ldp_modes_rows(modes, &some, products, index);
        ldp_rows_add(K, rows, NULL, index, (size_t)some.n, missing);
    }
    if (ldp_modes_subtract(K, total, missing, out)) {
        ldp_fill(K, out, 0);
        add_up_row(modes, cells, 0, d, d, NULL, products, out);
    }
}

/* sums_j += weight x^(0)_d times the products over the modes but 0 and m, over the cells of a list
 */
static void modes_add_listed(const ldp_modes *modes, int m, ldp_lists lists, int d, double weight,
                             double *products, double *work, double *sums) {
    const size_t end = lists.start[d + 1];
    ldp_modes_few some;
    start_from_row(modes, d, weight, work);
    for (size_t e = lists.start[d]; e < end; e += LDP_FEW) {
        ldp_modes_next(modes, lists.index, e, end, &some);
        ldp_modes_products(modes, work, &some, m, products);
        ldp_rows_scatter(modes->K, products, some.index[m], some.n, sums);
    }
}

void ldp_modes_listed(const ldp_modes *modes, int m, const ldp_cells *cells, int d, double rest,
                      double extra, double *products, double *work, double *active,
                      double *missing) {
    if (extra > 0)
        modes_add_listed(modes, m, cells->active, d, extra, products, work, active);
    modes_add_listed(modes, m, cells->missing, d, rest, products, work, missing);
}

void ldp_modes_add_up(const ldp_modes *modes, const ldp_cells *cells, double rest, int m, int j,
                      int d, double *products, double *work, double *out) {
    start_from_row(modes, d, rest, work);
    add_up_row(modes, cells, m, j, d, work, products, out);
}

void ldp_modes_observed(const ldp_modes *modes, const ldp_cells *cells, const double *rest, int m,
                        int j, const double *total, const double *missing, double *products,
                        double *work, double *exposure) {
    if (!ldp_modes_subtract(modes->K, total, missing, exposure))
        return;
    ldp_fill(modes->K, exposure, 0);
    for (int d = 0; d < cells->D; d++)
        ldp_modes_add_up(modes, cells, rest[d], m, j, d, products, work, exposure);
}
