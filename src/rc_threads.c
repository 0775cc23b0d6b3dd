#include "rc.h"

int rc_n_threads(SEXP threads) {
    return rc_integers(threads, 1, 1, 4096, "threads")[0];
}

typedef struct shared_cells {
    rc_cell_task task;
    const void *state;
    size_t part, from, to;
} shared_cells;

static void do_part(void *state, int number, int thread) {
    const shared_cells *const s = state;
    const size_t from = s->from + (size_t)number * s->part;
    const size_t to = s->to - from > s->part ? from + s->part : s->to;
    for (size_t i = from; i < to; i++)
        s->task(s->state, i, thread);
}

void rc_share_cells(size_t n, size_t part, size_t parts, int n_threads, rc_cell_task task,
                    const void *state) {
    shared_cells s = {.task = task, .state = state, .part = part};
    for (; s.from < n; s.from = s.to) {
        R_CheckUserInterrupt();
        s.to = n - s.from > part * parts ? s.from + part * parts : n;
        ldp_team_run(n_threads, (int)((s.to - s.from + part - 1) / part), do_part, &s);
    }
}

/* The number of threads that the system allows. */
SEXP rc_threads(void) {
    return Rf_ScalarInteger(ldp_team_most());
}
