/* A sweep of any kernel draws the same, to the last bit, however its phases are cut into ranges of
 * whole parts, and with any number of threads; and a range changes the lines of its own alone. */
#include "ldp_density.h"
#include "models.h"
#include "sweep.h"

enum { N_SWEEPS = 3 };

/* What reads the means: the family, where it has parameters to move, and their density. */
typedef struct readers {
    ldp_visitor family, density;
    int has_family;
} readers;

static void show_cells(void *state, int row, size_t first, int n, const double *y_tilde,
                       const double *mean) {
    const readers *const to = state;
    if (to->has_family)
        to->family.cells(to->family.state, row, first, n, y_tilde, mean);
    to->density.cells(to->density.state, row, first, n, y_tilde, mean);
}

static void show_rest(void *state, int row, double sum) {
    const readers *const to = state;
    if (to->has_family)
        to->family.rest(to->family.state, row, sum);
    to->density.rest(to->density.state, row, sum);
}

/* Sweeps, each with its visit and the move of its family. The density of the last. */
static double run(subject *s, int n_parts) {
    ldp_quick quick = {0};
    double sum = 0;
    for (uint64_t i = 0; i < N_SWEEPS; i++) {
        ldp_density density = {.noise = s->noise, .cells = &s->x.cells, .quick = &quick};
        readers both = {s->noise->reader, ldp_density_reader(&density), s->noise->move != NULL};
        sweep_cut(s->kernel, s->model, &s->at, 11 + i, n_parts, s->work);
        sweep_visit(s->kernel, s->model, &s->at,
                    (ldp_visitor){.cells = show_cells, .rest = show_rest, .state = &both}, s->work);
        sweep_move(s->kernel, s->model, &s->at, 11 + i);
        sum = density.sum;
    }
    return sum;
}

/* All sizes of ranges with all numbers of threads, or, but for the extended tests, each size and
 * each number once. */
static void test_cuts(model_kind kind, family_kind family, int K) {
    static const int n_parts[] = {1, 2, 3, SWEEP_WHOLE}, n_threads[] = {3, 1, 7, 2};
    subject whole;
    subject_open(&whole, kind, family, K, 1);
    const double density = run(&whole, SWEEP_WHOLE);
    CHECK(subject_proper(&whole) && isfinite(density), "%s, %s: no proper numbers",
          model_names[kind], family_names[family]);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            if (i != j && !check_extended())
                continue;
            subject s;
            subject_open(&s, kind, family, K, n_threads[j]);
            const double sum = run(&s, n_parts[i]);
            CHECK(subject_equal(&s, &whole) && sum == density,
                  "%s, %s, K = %d: ranges of %d parts, %d threads", model_names[kind],
                  family_names[family], K, n_parts[i], n_threads[j]);
            subject_close(&s);
        }
    subject_close(&whole);
}

/* Of the first factor, or for blocks of the parts of the noise, rows 16 to 47 alone. */
static void test_range_alone(model_kind kind) {
    subject s, before;
    subject_open(&s, kind, BESSEL, 3, 2);
    subject_open(&before, kind, BESSEL, 3, 2);
    const int place = subject_is_network(kind) ? s.n_factors : 0;
    const size_t *const start = s.x.active_start;
    const size_t from = place > 0 ? start[16] : 16 * 3, to = place > 0 ? start[48] : 48 * 3;
    size_t n_changed = 0, n_outside = 0;
    s.kernel->begin(s.model, &s.at, 0, 5, s.work);
    s.kernel->range(s.model, &s.at, 0, 16, 48, s.work);
    for (size_t i = 0; i < s.length[place]; i++)
        if (s.array[place][i] != before.array[place][i]) {
            n_changed++;
            n_outside += i < from || i >= to;
        }
    CHECK(n_changed > 0 && n_outside == 0, "%s: %zu changed, %zu of them outside",
          model_names[kind], n_changed, n_outside);
    subject_close(&s);
    subject_close(&before);
}

int main(void) {
    check_begin();
    for (int kind = 0; kind < N_MODELS; kind++) {
        for (int family = 0; family < N_FAMILIES; family++) {
            if (check_takes(family, 2, kind))
                test_cuts((model_kind)kind, (family_kind)family, 3);
            if (check_takes(family, 2, kind + 1))
                test_cuts((model_kind)kind, (family_kind)family, family % 2 == 0 ? 8 : 1);
        }
        test_range_alone((model_kind)kind);
    }
    return check_report("ranges");
}
