/* Chains of shards of rows, whose arrays are combined wherever they stop, draw what the chain of
 * all rows draws, to the last bit; and an empty shard follows them. The quick tests
 * take each model, family and number of shards, but not all combinations of them. */
#include "chains.h"

enum { N_SWEEPS = 4, MOST_SHARDS = 4 };

static const int keep[] = {1, 3, 4};

/* Borders of up to four shards of 70 rows; borders are those of parts. */
typedef struct cut {
    int n, border[MOST_SHARDS + 1];
} cut;

static const cut cuts[] = {
    {1, {0, 70}}, {2, {0, 32, 70}}, {3, {0, 16, 48, 70}}, {4, {0, 0, 64, 64, 70}}};

typedef struct shards {
    int n;
    subject s[MOST_SHARDS];
    chain c[MOST_SHARDS];
    int n_combined;
} shards;

static void combine_one(ldp_combine how, double *to, const double *from) {
    if (how == LDP_SUM_WHOLE)
        *(int64_t *)(void *)to += *(const int64_t *)(const void *)from;
    else if (how == LDP_SUM)
        *to += *from;
    else
        *to = fmax(*to, *from);
}

/* All chains have stopped at the same place. */
static void combine(shards *all) {
    for (int i = 0; i < all->c[0].run.n_shared; i++) {
        const ldp_shared first = all->c[0].run.shared[i];
        for (int s = 1; s < all->n; s++) {
            const ldp_shared other = all->c[s].run.shared[i];
            CHECK(other.how == first.how && other.n == first.n, "array %d of shard %d", i, s);
            for (size_t j = 0; j < first.n; j++)
                combine_one(first.how, first.at + j, other.at + j);
        }
        for (int s = 1; s < all->n; s++)
            memcpy(all->c[s].run.shared[i].at, first.at, first.n * sizeof *first.at);
    }
    for (int s = 0; s < all->n; s++)
        ldp_chain_resume(&all->c[s].run);
    all->n_combined++;
}

static void run_to_stop(chain *c, size_t n_cells) {
    while (c->run.sweep < N_SWEEPS && c->run.n_shared == 0)
        ldp_chain_advance(&c->run, n_cells);
}

static void run(shards *all) {
    while (all->c[0].run.sweep < N_SWEEPS) {
        for (int s = 0; s < all->n; s++)
            run_to_stop(&all->c[s], 500 * (size_t)(s + 1));
        for (int s = 0; s < all->n; s++)
            CHECK(all->c[s].run.n_shared == all->c[0].run.n_shared, "shard %d", s);
        if (all->c[0].run.n_shared > 0)
            combine(all);
    }
}

/* Does array i belong to rows, or to cells? */
static int is_of_rows(const subject *s, int i) {
    return i == 0 || (i >= s->n_factors && s->family != NBINOM1 && s->family != NBINOM1_FIXED);
}

static void check_draws(const chain *whole, const shards *all, const char *name) {
    const subject *const s = whole->s;
    for (int i = 0; i < s->n_arrays; i++)
        for (int kept = 0; kept < whole->run.n_keep; kept++) {
            const double *const draw = whole->draws[i] + (size_t)kept * s->length[i];
            size_t place = 0;
            for (int k = 0; k < all->n; k++) {
                const size_t n = all->s[k].length[i];
                CHECK(memcmp(draw + place, all->c[k].draws[i] + (size_t)kept * n,
                             n * sizeof *draw) == 0,
                      "%s, %s: draw %d of array %d, shard %d of %d", name, family_names[s->family],
                      kept, i, k, all->n);
                place += is_of_rows(s, i) ? n : 0;
            }
            CHECK(!is_of_rows(s, i) || place == s->length[i], "all of array %d", i);
        }
    for (int k = 0; k < all->n; k++) {
        CHECK(chain_same(whole->run.log_density, all->c[k].run.log_density,
                         (size_t)whole->run.n_keep) &&
                  whole->run.log_density_now == all->c[k].run.log_density_now,
              "%s, %s: log densities of shard %d of %d", name, family_names[s->family], k, all->n);
        CHECK(memcmp(s->rates, all->s[k].rates, sizeof s->rates) == 0, "rates");
    }
}

static void test_cut(model_kind kind, family_kind family, int K, cut at, int is_masked) {
    subject s;
    chain whole;
    shards all = {.n = at.n};
    subject_open(&s, kind, family, K, 1);
    if (is_masked)
        subject_mask(&s);
    chain_open(&whole, &s, N_SWEEPS, 3, keep, 1, 51);
    chain_finish(&whole);
    for (int k = 0; k < at.n; k++) {
        subject_open_shard(&all.s[k], kind, family, K, 1 + k % 2, at.border[k], at.border[k + 1]);
        if (is_masked)
            subject_mask(&all.s[k]);
        chain_open(&all.c[k], &all.s[k], N_SWEEPS, 3, keep, 1, 51);
        all.c[k].run.is_shard = 1;
    }
    run(&all);
    check_draws(&whole, &all, model_names[kind]);
    CHECK(all.n_combined >= 2 * N_SWEEPS, "combined %d times", all.n_combined);
    for (int k = 0; k < at.n; k++) {
        chain_close(&all.c[k]);
        subject_close(&all.s[k]);
    }
    chain_close(&whole);
    subject_close(&s);
}

int main(void) {
    static const model_kind kinds[] = {TOPICS, TENSOR_2, TENSOR_4};
    check_begin();
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j++) {
            const int at = i + (int)j;
            for (int family = 0; family < N_FAMILIES; family++)
                if (check_takes(family, 3, at))
                    test_cut(kinds[i], (family_kind)family, 3, cuts[j], 0);
            if (check_takes(at, 2, 0))
                test_cut(kinds[i], COLLAPSED, 1, cuts[j], 0);
            if (check_takes(at, 2, 1))
                test_cut(kinds[i], COLLAPSED, 2, cuts[j], 1);
        }
    return check_report("shards");
}
