#ifdef _OPENMP
#include <omp.h>
#endif

#include "ldp_team.h"

void ldp_team_run(int n_threads, int n_parts, ldp_task task, void *state) {
#ifdef _OPENMP
    if (n_threads > 1 && n_parts > 1) {
        const int n = n_parts < n_threads ? n_parts : n_threads;
#pragma omp parallel for num_threads(n) schedule(dynamic, 1)
        for (int part = 0; part < n_parts; part++)
            task(state, part, omp_get_thread_num());
        return;
    }
#else
    (void)n_threads;
#endif
    for (int part = 0; part < n_parts; part++)
        task(state, part, 0);
}

/* The number of levels is a setting of the whole process, so it is restored. */
void ldp_team_run_nested(int n_threads, int n_parts, ldp_task task, void *state) {
#ifdef _OPENMP
    const int levels = omp_get_max_active_levels();
    if (levels < 2)
        omp_set_max_active_levels(2);
    ldp_team_run(n_threads, n_parts, task, state);
    omp_set_max_active_levels(levels);
#else
    ldp_team_run(n_threads, n_parts, task, state);
#endif
}

/* omp_get_max_threads() respects OMP_NUM_THREADS. */
int ldp_team_most(void) {
#ifdef _OPENMP
    const int most = omp_get_max_threads(), limit = omp_get_thread_limit();
    return most < limit ? most : limit;
#else
    return 1;
#endif
}
