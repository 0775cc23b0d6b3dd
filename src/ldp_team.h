/* Work that is divided into parts and shared among threads. Results must not depend on which thread
 * does a part, or when. So threads write to separate memory; sums over parts are added up in the
 * order of the parts, or are exact in any order, as sums of integers are (ldp_fixed.h). */
#ifndef LDP_TEAM_H
#define LDP_TEAM_H

/* The number of rows or columns in a part. The work of a part must take longer than assigning it to
 * a thread. */
enum { LDP_PART = 16 };

static inline int ldp_parts(int n) {
    return n / LDP_PART + (n % LDP_PART > 0);
}

/* The end of the part that begins at `from`, where n is the number of rows or columns. */
static inline int ldp_part_end(int from, int n) {
    return n - from > LDP_PART ? from + LDP_PART : n;
}

/* Does the work of part number `part`. `thread`: a number below the number of threads, which no
 * other part has at the same time. */
typedef void (*ldp_task)(void *state, int part, int thread);

/* Does all parts 0 .. n_parts - 1, in any order, on at most n_threads threads. */
void ldp_team_run(int n_threads, int n_parts, ldp_task task, void *state);

/* The same for tasks that share their own work among further threads. */
void ldp_team_run_nested(int n_threads, int n_parts, ldp_task task, void *state);

/* The number of threads that the system allows; 1 if the package was compiled without OpenMP. */
int ldp_team_most(void);

#endif
