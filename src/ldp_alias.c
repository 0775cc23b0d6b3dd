#include "ldp_alias.h"

static uint32_t threshold(double share) {
    return share < 1 ? (uint32_t)(share * 4294967296.0) : UINT32_MAX;
}

void ldp_alias_build(int n, const double *weight, size_t stride, ldp_alias *table, double *work) {
    double *const share = work, sum = 0;
    int32_t *const small = (int32_t *)(void *)(work + n), *const large = small + n;
    int n_small = 0, n_large = 0;
    for (int i = 0; i < n; i++) {
        share[i] = weight[(size_t)i * stride];
        sum += share[i];
    }
    const double scale = n / sum;
    for (int i = 0; i < n; i++) { /* without a branch, which would often be mispredicted */
        share[i] *= scale;
        small[n_small] = large[n_large] = i;
        n_small += share[i] < 1;
        n_large += !(share[i] < 1);
    }
    while (n_small > 0 && n_large > 0) {
        const int l = large[--n_large];
        double left = share[l]; /* in a register */
        while (n_small > 0 && !(left < 1)) {
            const int i = small[--n_small];
            table[i] = (ldp_alias){threshold(share[i]), l};
            left -= 1 - share[i];
        }
        share[l] = left;
        if (left < 1)
            small[n_small++] = l;
        else
            large[n_large++] = l;
    }
    /* shares of 1, up to rounding */
    while (n_large > 0) {
        const int l = large[--n_large];
        table[l] = (ldp_alias){UINT32_MAX, l};
    }
    while (n_small > 0) {
        const int s = small[--n_small];
        table[s] = (ldp_alias){UINT32_MAX, s};
    }
}
