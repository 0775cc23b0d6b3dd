/* Alias tables: draws from n weights in a time that does not depend on n. Vose (1991), A linear
 * algorithm for generating random numbers with a given distribution, IEEE Transactions on Software
 * Engineering 17. Probabilities have an error of at most 2^-32/n each. */
#ifndef LDP_ALIAS_H
#define LDP_ALIAS_H

#include <stddef.h>
#include <stdint.h>

/* Place i is kept if the rest of the uniform is below keep/2^32; otherwise it is `other`. */
typedef struct ldp_alias {
    uint32_t keep;
    int32_t other;
} ldp_alias;

/* The table of n weights, `stride` apart, of which one is above 0. `work`: 2 n doubles. */
void ldp_alias_build(int n, const double *weight, size_t stride, ldp_alias *table, double *work);

/* The entry that 64 random bits fall on, by the upper half of them. The lower half is how far into
 * it. Entries have an error of at most 2^-32. */
static inline int ldp_alias_entry(int n, uint64_t bits) {
    return (int)(((bits >> 32) * (uint64_t)n) >> 32);
}

/* The place that is drawn there; without a branch, which would often be mispredicted. */
static inline int ldp_alias_place(const ldp_alias *table, int entry, uint32_t rest) {
    const int other = table[entry].other;
    return other ^ ((other ^ entry) & -(rest < table[entry].keep));
}

#endif
