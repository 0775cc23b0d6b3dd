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

/* There are two levels of threads: chains run at the same time, and the rows of a chain are shared
 * among threads. omp_get_max_threads() respects OMP_NUM_THREADS. */
int ldp_team_most(void) {
#ifdef _OPENMP
    const int most = omp_get_max_threads(), limit = omp_get_thread_limit();
    omp_set_max_active_levels(2);
    return most < limit ? most : limit;
#else
    return 1;
#endif
}
