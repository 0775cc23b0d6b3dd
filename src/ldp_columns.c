#include "ldp_columns.h"

void ldp_columns_copy(const ldp_columns *columns, int K, const double *factor, int from, int to,
                      double *rest, double *active) {
    const size_t k = (size_t)K;
    for (size_t level = 0; level < (size_t)columns->n_levels; level++) {
        for (int v = from; v < to; v++) {
            const size_t place = level * (size_t)columns->n + (size_t)v;
            const double *const line = factor + (size_t)v * k;
            const double scale = ldp_columns_scale(columns, place);
            for (size_t i = 0; i < k; i++)
                active[place * k + i] = scale * line[i];
            for (size_t i = 0; rest && i < k; i++)
                rest[place * k + i] = columns->rest[place] * line[i];
        }
    }
}
