#include "ldp_columns.h"

void ldp_columns_copy(const ldp_columns *columns, int K, const double *factor, double *rest,
                      double *active) {
    const size_t n_places = (size_t)columns->n_levels * (size_t)columns->n, k = (size_t)K;
    for (size_t place = 0; place < n_places; place++) {
        const double *const line = factor + place % (size_t)columns->n * k;
        const double scale = ldp_columns_scale(columns, place);
        for (size_t i = 0; i < k; i++) {
            rest[place * k + i] = columns->rest[place] * line[i];
            active[place * k + i] = scale * line[i];
        }
    }
}
