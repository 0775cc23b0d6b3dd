#include <string.h>

#include "ldp_codes.h"

static void mark_outside(ldp_table table, int d, int V, uint8_t *row) {
    if (table == LDP_DIRECTED && d < V)
        row[d] = LDP_CODE_MISSING;
    else if (table == LDP_UNDIRECTED)
        memset(row, LDP_CODE_MISSING, (size_t)(d < V ? d + 1 : V));
}

void ldp_codes_fill(const ldp_cells *cells, ldp_table table, uint8_t *code, size_t *large) {
    const ldp_lists active = cells->active, missing = cells->missing;
    for (int d = 0; d < cells->D; d++) {
        uint8_t *const row = code + (size_t)d * (size_t)cells->V;
        memset(row, 0, (size_t)cells->V);
        mark_outside(table, d, cells->V, row);
        large[d] = 0;
        for (size_t e = active.start[d]; e < active.start[d + 1]; e++) {
            const int is_large = cells->y_tilde[e] > LDP_CODE_LARGEST;
            row[active.index[e]] = is_large ? (uint8_t)LDP_CODE_LISTED : (uint8_t)cells->y_tilde[e];
            large[d] += (size_t)is_large;
        }
        for (size_t e = missing.start[d]; e < missing.start[d + 1]; e++)
            row[missing.index[e]] = LDP_CODE_MISSING;
    }
}

void ldp_codes_spread(const ldp_cells *cells, const uint8_t *of_listed, uint8_t *code) {
    memset(code, LDP_CODE_MISSING, (size_t)cells->D * (size_t)cells->V);
    for (int d = 0; d < cells->D; d++) {
        uint8_t *const row = code + (size_t)d * (size_t)cells->V;
        for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++)
            row[cells->active.index[e]] = of_listed[e];
    }
}

/* By bisection between the places that it has if the cells that are not listed come last, or first.
 */
size_t ldp_codes_place(const ldp_cells *cells, int d, int v) {
    const size_t start = cells->active.start[d], end = cells->active.start[d + 1];
    const size_t column = (size_t)v, others = (size_t)cells->V - (end - start);
    size_t low = column > others ? start + column - others : start;
    size_t high = start + column < end ? start + column + 1 : end;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (cells->active.index[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double ldp_codes_release(const ldp_cells *cells, int d, int v) {
    const uint8_t code = ldp_codes_row(cells, d)[v];
    return code == LDP_CODE_LISTED ? cells->y_tilde[ldp_codes_place(cells, d, v)] : code;
}

int ldp_codes_next(const ldp_cells *cells, int d, int *from, int *column, double *y_tilde) {
    const uint8_t *const code = ldp_codes_row(cells, d);
    int n = 0, v = *from;
    for (; v < cells->V && n < LDP_FEW; v++) {
        column[n] = v; /* without a branch, which would often be mispredicted */
        y_tilde[n] = code[v];
        n += code[v] > 0 && code[v] < LDP_CODE_MISSING;
    }
    for (int i = 0; i < n; i++)
        if (y_tilde[i] > LDP_CODE_LARGEST)
            y_tilde[i] = cells->y_tilde[ldp_codes_place(cells, d, column[i])];
    *from = v;
    return n;
}
