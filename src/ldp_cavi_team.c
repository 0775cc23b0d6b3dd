#include "ldp_cavi_team.h"
#include "ldp_team.h"

/* A group pauses after lines of this cost, which take a few milliseconds. All groups together take
 * at most half a second. */
static const size_t COST_BETWEEN_PAUSES = 125000;

/* The least number of cells per group and line of sums. */
static const size_t CELLS_PER_SUM = 4;

ldp_cavi_lines ldp_cavi_alike(int n, size_t each) {
    return (ldp_cavi_lines){n, LDP_CAVI_GROUPS, each, {NULL, NULL}, {NULL, NULL}};
}

/* The cost of the lines before line i. */
static size_t cost_before(const ldp_cavi_lines *lines, int i) {
    return lines->each * (size_t)i + (lines->active.start ? lines->active.start[i] : 0) +
           (lines->missing.start ? lines->missing.start[i] : 0);
}

/* The first line before which there is at least this cost, or n. */
static int line_at(const ldp_cavi_lines *lines, size_t cost) {
    int from = 0, to = lines->n;
    while (from < to) {
        const int half = from + (to - from) / 2;
        if (cost_before(lines, half) < cost)
            from = half + 1;
        else
            to = half;
    }
    return from;
}

/* Total costs are below 2^60, so that their products with the number of a group do not overflow. */
int ldp_cavi_first(const ldp_cavi_lines *lines, int group) {
    const size_t all = cost_before(lines, lines->n);
    return group < lines->n_groups ? line_at(lines, all * (size_t)group / (size_t)lines->n_groups)
                                   : lines->n;
}

typedef struct run {
    const ldp_cavi_lines *lines;
    ldp_cavi_task task;
    void *state;
    int next[LDP_CAVI_GROUPS], end[LDP_CAVI_GROUPS];
    double sum[LDP_CAVI_GROUPS];
} run;

/* Where a group pauses does not depend on the number of threads. */
static void advance(void *state, int group, int thread) {
    run *const r = state;
    const int from = r->next[group], end = r->end[group];
    (void)thread;
    if (from >= end)
        return;
    const int full = line_at(r->lines, cost_before(r->lines, from) + COST_BETWEEN_PAUSES);
    const int to = full < end ? full : end;
    r->sum[group] += r->task(r->state, group, from, to);
    r->next[group] = to;
}

static int cavi_team_is_done(const run *r) {
    for (int g = 0; g < r->lines->n_groups; g++)
        if (r->next[g] < r->end[g])
            return 0;
    return 1;
}

double ldp_cavi_run(ldp_cavi_team team, const ldp_cavi_lines *lines, ldp_cavi_task task,
                    void *state) {
    run r = {.lines = lines, .task = task, .state = state};
    double sum = 0;
    for (int g = 0; g < lines->n_groups; g++) {
        r.next[g] = ldp_cavi_first(lines, g);
        r.end[g] = ldp_cavi_first(lines, g + 1);
    }
    while (!cavi_team_is_done(&r)) {
        if (team.pause)
            team.pause();
        ldp_team_run(team.n_threads, lines->n_groups, advance, &r);
    }
    for (int g = 0; g < lines->n_groups; g++)
        sum += r.sum[g];
    return sum;
}

int ldp_cavi_groups(size_t n_cells, size_t n_sums) {
    const size_t most = n_cells / (CELLS_PER_SUM * n_sums);
    return most < 1 ? 1 : most < LDP_CAVI_GROUPS ? (int)most : LDP_CAVI_GROUPS;
}
