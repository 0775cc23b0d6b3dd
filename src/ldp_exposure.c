#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_rows.h"

/* If a difference is below this share of the total, it has lost too many digits, and the terms are
 * added up instead. */
static const double CANCELLATION = 1e-6;

static double exposure_weight_of(ldp_weighted rows, int j) {
    return rows.weight ? rows.weight[j] : 1;
}

static const double *row_of(ldp_weighted rows, int j) {
    return rows.factor + (size_t)j * (size_t)rows.K;
}

void ldp_exposure_total(ldp_weighted rows, double *out) {
    ldp_fill(rows.K, out, 0);
    for (int j = rows.from; j < rows.to; j++)
        ldp_add(rows.K, out, exposure_weight_of(rows, j), row_of(rows, j));
}

void ldp_exposure_listed(ldp_weighted rows, const int *index, size_t n_index, double *out) {
    ldp_rows_add(rows.K, rows.factor, rows.weight, index, n_index, out);
}

static void add_up(ldp_weighted rows, const int *missing, size_t n_missing, int self, double *out) {
    size_t e = 0;
    ldp_fill(rows.K, out, 0);
    for (int j = rows.from; j < rows.to; j++) {
        if (e < n_missing && missing[e] == j)
            e++;
        else if (j != self)
            ldp_add(rows.K, out, exposure_weight_of(rows, j), row_of(rows, j));
    }
}

int ldp_exposure_digits_lost(int K, const double *total, const double *difference) {
    for (int k = 0; k < K; k++)
        if (difference[k] < CANCELLATION * total[k])
            return 1;
    return 0;
}

/* Usually the terms that are left out are subtracted from the total. If they are nearly all of it,
 * the other terms are added up instead, because the difference could even be negative. */
void ldp_exposure_leave_out(ldp_weighted rows, int self, double *total) {
    int lost = 0;
    for (int k = 0; k < rows.K; k++) {
        const double less = exposure_weight_of(rows, self) * row_of(rows, self)[k];
        lost |= total[k] - less < CANCELLATION * total[k];
        total[k] -= less;
    }
    if (lost)
        add_up(rows, NULL, 0, self, total);
}

void ldp_exposure_observed(ldp_weighted rows, const double *total, const int *missing,
                           size_t n_missing, int self, double *out) {
    if (2 * n_missing > (size_t)(rows.to - rows.from)) {
        add_up(rows, missing, n_missing, self, out);
        return;
    }
    for (int k = 0; k < rows.K; k++)
        out[k] = total[k];
    for (size_t e = 0; e < n_missing; e++)
        ldp_add(rows.K, out, -exposure_weight_of(rows, missing[e]), row_of(rows, missing[e]));
    if (n_missing > 0 && ldp_exposure_digits_lost(rows.K, total, out))
        add_up(rows, missing, n_missing, self, out);
}
