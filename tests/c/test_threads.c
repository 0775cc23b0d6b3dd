/* Every model, with every family (but for the extended tests, with some of them), sampled or by
 * variational inference, with three threads (and, in the extended tests, two) gives what it
 * gives with one, to the last bit; and, under the thread sanitizer (make threads), no two threads
 * touch the same place unless both only read it. */
#include "cavi.h"
#include "chains.h"
#include "ldp_team.h"
#include "team_pthreads.h"

enum { N_SWEEPS = 3 };

static const int keep[] = {1, 3};

static void run_chain(chain *c, subject *s, model_kind kind, family_kind family, int K,
                      int n_threads) {
    subject_open(s, kind, family, K, n_threads);
    chain_open(c, s, N_SWEEPS, 2, keep, 1, 41);
    while (c->run.sweep < N_SWEEPS)
        ldp_chain_advance(&c->run, 7000);
}

static void test_model(model_kind kind, family_kind family, int K) {
    subject s, t;
    chain one, more;
    run_chain(&one, &s, kind, family, K, 1);
    for (int n_threads = check_extended() ? 2 : 3; n_threads <= 3; n_threads++) {
        const int before = team_parts_by_others();
        run_chain(&more, &t, kind, family, K, n_threads);
        CHECK(chain_equal(&one, &more), "%s, %s, K = %d: %d threads", model_names[kind],
              family_names[family], K, n_threads);
        CHECK(team_parts_by_others() > before, "one thread has done all parts");
        chain_close(&more);
        subject_close(&t);
    }
    chain_close(&one);
    subject_close(&s);
}

/* Nearly all cells are missing: exposures are added up, from the factors. */
static void test_mostly_missing(model_kind kind) {
    subject s, t;
    chain one, more;
    subject_open(&s, kind, COLLAPSED, 3, 1);
    subject_open(&t, kind, COLLAPSED, 3, 3);
    subject_mask(&s);
    subject_mask(&t);
    chain_open(&one, &s, N_SWEEPS, 2, keep, 1, 42);
    chain_open(&more, &t, N_SWEEPS, 2, keep, 1, 42);
    chain_finish(&one);
    chain_finish(&more);
    CHECK(chain_equal(&one, &more), "%s, mostly missing", model_names[kind]);
    chain_close(&one);
    chain_close(&more);
    subject_close(&s);
    subject_close(&t);
}

/* Chains at once, and rows within each, as a fit runs them. */
static void advance(void *state, int i, int thread) {
    chain *const chains = state;
    (void)thread;
    ldp_chain_advance(&chains[i].run, 5000);
}

static void test_two_levels(model_kind kind, family_kind family) {
    enum { N_CHAINS = 3 };
    subject s, of[N_CHAINS];
    chain one, chains[N_CHAINS];
    run_chain(&one, &s, kind, family, 3, 1);
    for (int i = 0; i < N_CHAINS; i++) {
        subject_open(&of[i], kind, family, 3, 2);
        chain_open(&chains[i], &of[i], N_SWEEPS, 2, keep, 1, 41);
    }
    for (int is_done = 0; !is_done;) {
        ldp_team_run(2, N_CHAINS, advance, chains);
        is_done = 1;
        for (int i = 0; i < N_CHAINS; i++)
            is_done &= chains[i].run.sweep == N_SWEEPS;
    }
    for (int i = 0; i < N_CHAINS; i++) {
        CHECK(chain_equal(&one, &chains[i]), "%s, %s: chain %d of a fit", model_names[kind],
              family_names[family], i);
        chain_close(&chains[i]);
        subject_close(&of[i]);
    }
    chain_close(&one);
    subject_close(&s);
}

/* --- variational inference ---------------------------------------------------------------------
 */

enum { N_PASSES = 3 };

static void run_posterior(posterior *p, const subject *s, scheme which, int n_threads,
                          double *bounds) {
    static const int two[] = {ROWS, COLUMNS}, four[] = {ROWS, 18, 5, 1};
    const shape of = {subject_table(s->kind),
                      s->kind == TENSOR_2   ? 2
                      : s->kind == TENSOR_4 ? 4
                                            : 0,
                      s->kind == TENSOR_2 ? two : four};
    posterior_open(p, &s->x.cells, of, which, s->K, n_threads);
    for (int i = 0; i < N_PASSES; i++)
        bounds[i] = posterior_pass(p);
}

static void test_passes(model_kind kind, scheme which) {
    subject s;
    posterior one, more;
    double bounds[N_PASSES], others[N_PASSES];
    subject_open(&s, kind, scheme_is_augmented(which) ? BESSEL : COLLAPSED, 3, 1);
    run_posterior(&one, &s, which, 1, bounds);
    CHECK(isfinite(bounds[N_PASSES - 1]), "%s, scheme %d", model_names[kind], which);
    for (int n_threads = check_extended() ? 2 : 3; n_threads <= 3; n_threads++) {
        const int before = team_parts_by_others();
        run_posterior(&more, &s, which, n_threads, others);
        CHECK(posterior_equal(&one, &more) && chain_same(bounds, others, N_PASSES),
              "%s, scheme %d: %d threads", model_names[kind], which, n_threads);
        CHECK(team_parts_by_others() > before, "one thread has done all groups");
        posterior_close(&more);
    }
    posterior_close(&one);
    subject_close(&s);
}

int main(void) {
    check_begin();
    for (int kind = 0; kind < N_MODELS; kind++) {
        for (int family = 0; family < N_FAMILIES; family++) {
            if (check_takes(family, 2, kind))
                test_model((model_kind)kind, (family_kind)family, 3);
            if (check_takes(family, 4, kind + 1))
                test_two_levels((model_kind)kind, (family_kind)family);
        }
        test_model((model_kind)kind, COLLAPSED, 8);
        test_mostly_missing((model_kind)kind);
        for (int which = 0; which < N_SCHEMES && kind != DOCUMENTS; which++)
            if (check_takes(which, 2, kind))
                test_passes((model_kind)kind, (scheme)which);
    }
    return check_report("threads");
}
