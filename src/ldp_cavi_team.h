/* Loops of variational inference over lines, which are rows or columns of the cells or lines of a
 * factor, shared among threads. Lines are divided into groups of neighbouring lines. A sum over
 * lines is added up within each group, and then over the groups in their order, so results do not
 * depend on the number of threads. */
#ifndef LDP_CAVI_TEAM_H
#define LDP_CAVI_TEAM_H

#include "ldp_cells.h"

/* The largest number of groups, and so of threads that have work. */
enum { LDP_CAVI_GROUPS = 8 };

/* `pause` is called often, while no other thread runs; it may leave the iteration by longjmp(); or
 * NULL. */
typedef struct ldp_cavi_team {
    int n_threads;
    void (*pause)(void);
} ldp_cavi_team;

/* n lines, in n_groups <= LDP_CAVI_GROUPS groups of about equal cost. The cost of a line is `each`
 * plus the number of its cells in both lists; lists whose start is NULL are empty. */
typedef struct ldp_cavi_lines {
    int n, n_groups;
    size_t each;
    ldp_lists active, missing;
} ldp_cavi_lines;

/* The cost of computing the mean and the geometric mean of a line of weights. */
enum { LDP_CAVI_LINE = 30 };

/* Lines whose cost is the same. */
ldp_cavi_lines ldp_cavi_alike(int n, size_t each);

/* The first line of a group; for group n_groups, the number of lines. */
int ldp_cavi_first(const ldp_cavi_lines *lines, int group);

/* Processes the lines from .. to-1 of a group, and returns their part of a sum. The lines of a
 * group are processed in their order, by one thread at a time. */
typedef double (*ldp_cavi_task)(void *state, int group, int from, int to);

/* Processes all lines; returns the sum. */
double ldp_cavi_run(ldp_cavi_team team, const ldp_cavi_lines *lines, ldp_cavi_task task,
                    void *state);

/* The number of groups of rows with so many cells, if each group has its own copy of n_sums lines
 * of sums: fewer if there are few cells per line, because copies take memory and must be added up.
 */
int ldp_cavi_groups(size_t n_cells, size_t n_sums);

#endif
