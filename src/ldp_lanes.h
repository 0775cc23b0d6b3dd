/* Vectors of LDP_LANES numbers, in plain C, whatever the width of the processor's registers. Sums
 * over lanes have a fixed order, and products and sums are never fused, so all x86-64 processors
 * give the same numbers. */
#ifndef LDP_LANES_H
#define LDP_LANES_H

#include <stdint.h>

#if defined(__GNUC__)
enum { LDP_LANES = 4 };
typedef double ldp_lanes __attribute__((vector_size(32), aligned(8), may_alias));
static inline double ldp_lanes_sum(const ldp_lanes *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}
/* sum_i x_i s^i */
static inline double ldp_lanes_at_power(const ldp_lanes *x, double s) {
    return ((*x)[0] + s * (*x)[1]) + s * s * ((*x)[2] + s * (*x)[3]);
}
/* a vector of LDP_LANES integers */
typedef long long ldp_whole_lanes __attribute__((vector_size(32), aligned(8), may_alias));
/* one lane, and the vector whose lanes are of(0), of(1), ... */
#define LDP_LANE(x, i) ((x)[i])
#define LDP_LANES_OF(of) ((ldp_lanes){of(0), of(1), of(2), of(3)})
/* a statement for each lane; a loop over lanes would keep them in memory */
#define LDP_LANES_EACH(statement) statement(0) statement(1) statement(2) statement(3)
/* sum_i c[i] s^i in each lane, and s^LDP_LANES */
#define LDP_LANES_POLYNOMIAL(c, s) (((c)[0] + (s) * (c)[1]) + (s) * (s) * ((c)[2] + (s) * (c)[3]))
#define LDP_LANES_POWER(s) (((s) * (s)) * ((s) * (s)))
/* x where `within` is -1, and 0 where it is 0 */
#define LDP_LANES_WHERE(within, x) ((ldp_lanes)((ldp_whole_lanes)(x) & (within)))
/* four of the eight lanes of x and y */
#if defined(__clang__)
#define LDP_LANES_MIX(x, y, a, b, c, d) __builtin_shufflevector(x, y, a, b, c, d)
#else
typedef long long ldp_places __attribute__((vector_size(32)));
#define LDP_LANES_MIX(x, y, a, b, c, d) __builtin_shuffle(x, y, (ldp_places){a, b, c, d})
#endif
/* x shifted up by one place; the first place gets the last number of `before` */
#define LDP_LANES_UP(before, x) LDP_LANES_MIX(before, x, 3, 4, 5, 6)
/* lane j of x[i] in place of lane i of x[j] */
static inline __attribute__((always_inline)) void ldp_lanes_transpose(ldp_lanes *x) {
    const ldp_lanes even_low = LDP_LANES_MIX(x[0], x[1], 0, 4, 2, 6),
                    odd_low = LDP_LANES_MIX(x[0], x[1], 1, 5, 3, 7),
                    even_high = LDP_LANES_MIX(x[2], x[3], 0, 4, 2, 6),
                    odd_high = LDP_LANES_MIX(x[2], x[3], 1, 5, 3, 7);
    x[0] = LDP_LANES_MIX(even_low, even_high, 0, 1, 4, 5);
    x[1] = LDP_LANES_MIX(odd_low, odd_high, 0, 1, 4, 5);
    x[2] = LDP_LANES_MIX(even_low, even_high, 2, 3, 6, 7);
    x[3] = LDP_LANES_MIX(odd_low, odd_high, 2, 3, 6, 7);
}
#else
enum { LDP_LANES = 1 };
typedef double ldp_lanes;
typedef int64_t ldp_whole_lanes;
#define LDP_LANE(x, i) (x)
#define LDP_LANES_OF(of) (of(0))
#define LDP_LANES_EACH(statement) statement(0)
#define LDP_LANES_POLYNOMIAL(c, s) ((c)[0])
#define LDP_LANES_POWER(s) (s)
#define LDP_LANES_WHERE(within, x) ((within) ? (x) : 0)
static inline double ldp_lanes_sum(const ldp_lanes *x) {
    return *x;
}
static inline double ldp_lanes_at_power(const ldp_lanes *x, double s) {
    (void)s;
    return *x;
}
#define LDP_LANES_UP(before, x) (before)
static inline void ldp_lanes_transpose(ldp_lanes *x) {
    (void)x;
}
#endif

/* Placed before a function, this compiles a second copy of it for processors with wider registers,
 * which is chosen when the library is loaded, before sanitizers are ready: so not with them. Nor
 * with LDP_ONE_COPY, for valgrind, which does not know all instructions of the copy
 * (tools/memcheck.sh). */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__ELF__) &&         \
    defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&   \
    !defined(LDP_ONE_COPY)
#define LDP_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LDP_CLONES
#endif

/* Placed before a function that is called by such a function, in place of static inline: a function
 * that is not inlined has no second copy, so its loops would use the narrow registers. */
#if defined(__GNUC__)
#define LDP_WITHIN_CLONES static inline __attribute__((always_inline))
#else
#define LDP_WITHIN_CLONES static inline
#endif

static inline const ldp_lanes *ldp_lanes_at(const double *x) {
    return (const ldp_lanes *)(const void *)x;
}

static inline ldp_lanes *ldp_lanes_into(double *x) {
    return (ldp_lanes *)(void *)x;
}

#endif
