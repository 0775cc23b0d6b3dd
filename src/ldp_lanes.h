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
/* *x shifted up by one place; the first place gets the last number of *before */
#if defined(__clang__)
#define LDP_LANES_UP(before, x) __builtin_shufflevector(before, x, 3, 4, 5, 6)
#else
typedef long long ldp_places __attribute__((vector_size(32)));
#define LDP_LANES_UP(before, x) __builtin_shuffle(before, x, (ldp_places){3, 4, 5, 6})
#endif
#else
enum { LDP_LANES = 1 };
typedef double ldp_lanes;
typedef int64_t ldp_whole_lanes;
static inline double ldp_lanes_sum(const ldp_lanes *x) {
    return *x;
}
static inline double ldp_lanes_at_power(const ldp_lanes *x, double s) {
    (void)s;
    return *x;
}
#define LDP_LANES_UP(before, x) (before)
#endif

/* Placed before a function, this compiles a second copy of it for processors with wider registers,
 * which is chosen when the library is loaded, before sanitizers are ready: so not with them. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__ELF__) &&         \
    defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
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
