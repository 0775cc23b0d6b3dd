/* Several components at a time, in plain C. In the source a register holds LDP_LANES numbers,
 * whatever the processor has; sums over lanes have one order, and no clone may fuse a product
 * with a sum, so all x86-64 processors give the same numbers. */
#ifndef LDP_LANES_H
#define LDP_LANES_H

#if defined(__GNUC__)
enum { LDP_LANES = 4 };
typedef double ldp_lanes __attribute__((vector_size(32), aligned(8), may_alias));
static inline double ldp_lanes_sum(const ldp_lanes *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}
#else
enum { LDP_LANES = 1 };
typedef double ldp_lanes;
static inline double ldp_lanes_sum(const ldp_lanes *x) {
    return *x;
}
#endif

/* Before a function: a second copy of it for processors with wider registers, chosen when the
 * library is loaded. The sanitizers cannot take that. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__ELF__) &&         \
    defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__)
#define LDP_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LDP_CLONES
#endif

static inline const ldp_lanes *ldp_lanes_at(const double *x) {
    return (const ldp_lanes *)(const void *)x;
}

static inline ldp_lanes *ldp_lanes_into(double *x) {
    return (ldp_lanes *)(void *)x;
}

#endif
