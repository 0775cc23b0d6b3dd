/* Begins to fetch a line of memory that will be needed soon. A function that does nothing else may
 * be removed by the compiler; so call this where there is other work. */
#ifndef LDP_FETCH_H
#define LDP_FETCH_H

static inline void ldp_fetch(const void *memory) {
#ifdef __GNUC__
    __builtin_prefetch(memory);
#else
    (void)memory;
#endif
}

#endif
