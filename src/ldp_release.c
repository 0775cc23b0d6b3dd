#include "ldp_release.h"

static void add_ints(const int *count, const int *row, size_t n, int64_t *released) {
    if (row)
        for (size_t e = 0; e < n; e++)
            released[row[e]] += count[e];
    else
        for (size_t e = 0; e < n; e++)
            released[e] += count[e];
}

static void add_doubles(const double *count, const int *row, size_t n, int64_t *released) {
    if (row)
        for (size_t e = 0; e < n; e++)
            released[row[e]] += (int64_t)count[e];
    else
        for (size_t e = 0; e < n; e++)
            released[e] += (int64_t)count[e];
}

void ldp_release_add(const ldp_source *counts, int v, int64_t *released) {
    const size_t begin = ldp_source_begin(counts, v), n = ldp_source_begin(counts, v + 1) - begin;
    const int *const row = counts->row ? counts->row + begin : NULL;
    if (counts->ints)
        add_ints(counts->ints + begin, row, n, released);
    else
        add_doubles(counts->doubles + begin, row, n, released);
}

int ldp_release_clamp(int D, const int64_t *released, int *row, double *value, double *cells_below,
                      double *size_below) {
    int n = 0;
    for (int d = 0; d < D; d++) {
        if (released[d] > 0) {
            row[n] = d;
            value[n++] = (double)released[d];
        } else {
            cells_below[d]++;
            size_below[d] -= (double)released[d];
        }
    }
    return n;
}
