/* ldp_team_run() on plain threads, for programs that are linked to it in place of ldp_team.o: the
 * thread sanitizer does not know what the OpenMP library does. Parts are handed out by a counter
 * that orders nothing else, so that what two threads do is ordered by the beginning and the end of
 * a team alone. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "ldp_team.h"
#include "team_pthreads.h"

enum { MOST_THREADS = 16 };

typedef struct team {
    ldp_task task;
    void *state;
    int n_parts;
    atomic_int next;
    pthread_barrier_t start; /* or the first thread would do all before the others are there */
} team;

typedef struct member {
    team *of;
    int thread;
    pthread_t id;
} member;

static atomic_int n_by_others;

int team_parts_by_others(void) {
    return atomic_load(&n_by_others);
}

static void *work(void *state) {
    const member *const m = state;
    team *const t = m->of;
    pthread_barrier_wait(&t->start);
    for (;;) {
        const int part = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (part >= t->n_parts)
            return NULL;
        t->task(t->state, part, m->thread);
        if (m->thread > 0)
            atomic_fetch_add_explicit(&n_by_others, 1, memory_order_relaxed);
        sched_yield();
    }
}

static void check(int status) {
    if (status != 0)
        abort();
}

static void run_members(team *t, int n) {
    member members[MOST_THREADS];
    check(pthread_barrier_init(&t->start, NULL, (unsigned)n));
    for (int i = 0; i < n; i++) {
        members[i].of = t;
        members[i].thread = i;
        if (i > 0)
            check(pthread_create(&members[i].id, NULL, work, &members[i]));
    }
    work(&members[0]);
    for (int i = 1; i < n; i++)
        check(pthread_join(members[i].id, NULL));
    pthread_barrier_destroy(&t->start);
}

void ldp_team_run(int n_threads, int n_parts, ldp_task task, void *state) {
    const int n = n_parts < n_threads ? n_parts : n_threads;
    team t = {.task = task, .state = state, .n_parts = n_parts};
    if (n > 1) {
        run_members(&t, n < MOST_THREADS ? n : MOST_THREADS);
        return;
    }
    for (int part = 0; part < n_parts; part++)
        task(state, part, 0);
}

int ldp_team_most(void) {
    return MOST_THREADS;
}
