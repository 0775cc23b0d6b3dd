/* Work that is done in parts by a team of threads. A result must not depend on which thread does a
 * part, or when: parts write to places of their own, and what they add up to is added in the order
 * of the parts, or is a sum of whole numbers (ldp_fixed.h). */
#ifndef LDP_TEAM_H
#define LDP_TEAM_H

/* So many rows or columns are one part: enough to cost more than handing it out. */
enum { LDP_PART = 16 };

static inline int ldp_parts(int n) {
    return n / LDP_PART + (n % LDP_PART > 0);
}

/* The end of a part that begins at `from`, among n. */
static inline int ldp_part_end(int from, int n) {
    return n - from > LDP_PART ? from + LDP_PART : n;
}

/* Part number `part`; `thread` is below the number of threads, and no other part has it now. */
typedef void (*ldp_task)(void *state, int part, int thread);

/* All parts 0 .. n_parts - 1, in any order. */
void ldp_team_run(int n_threads, int n_parts, ldp_task task, void *state);

/* How many threads the system allows, and whether there can be more than one. */
int ldp_team_most(void);

#endif
