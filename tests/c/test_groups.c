/* Relative rates of groups: their conditional distributions against closed forms, and moves that
 * leave these invariant. */
#include <float.h>

#include "check.h"
#include "ldp_groups.h"
#include "random.h"

enum { K = 2, N_FACTORS = 2, N_LEVELS = 5, N_COMBINATIONS = 4, N_ROWS = 7, N = 100000 };

static ldp_stream stream;

/* Two factors, of two and three levels. */
static const int combination[N_ROWS] = {0, 1, 2, 3, 0, 1, 0};
static const int level[N_COMBINATIONS * N_FACTORS] = {0, 2, 1, 3, 0, 3, 1, 4};
static const int first[N_FACTORS + 1] = {0, 2, 5};
static const double n_rows[N_COMBINATIONS] = {3, 2, 1, 1};

typedef struct fixture {
    ldp_groups groups;
    double rho[K * N_LEVELS], relative[K * N_COMBINATIONS], sums[K * N_COMBINATIONS];
    double theta[K * N_ROWS], *work;
} fixture;

static void set_up(fixture *f) {
    f->work = new_doubles(ldp_groups_work(K, N_LEVELS));
    f->groups = (ldp_groups){.K = K,
                             .n_factors = N_FACTORS,
                             .n_combinations = N_COMBINATIONS,
                             .combination = combination,
                             .level = level,
                             .first = first,
                             .n_rows = n_rows,
                             .shape = 2.5,
                             .rho = f->rho,
                             .relative = f->relative,
                             .sums = f->sums,
                             .work = f->work};
    for (int i = 0; i < K * N_LEVELS; i++)
        f->rho[i] = 0.3 + 0.2 * i;
    for (int i = 0; i < K * N_ROWS; i++)
        f->theta[i] = 0.1 + 0.15 * i;
    ldp_groups_relate(&f->groups);
    ldp_groups_add_up(&f->groups, N_ROWS, f->theta);
}

/* The relative rate of a row, from its definition. */
static double relative_of(const fixture *f, int row, int k) {
    const int *const levels = level + combination[row] * N_FACTORS;
    return f->rho[levels[0] * K + k] * f->rho[levels[1] * K + k];
}

static void test_sums(void) {
    fixture f;
    double total[K], exposure[K] = {1, 2};
    set_up(&f);
    ldp_groups_total(&f.groups, total);
    for (int k = 0; k < K; k++) {
        double sum = 0;
        for (int d = 0; d < N_ROWS; d++) {
            sum += relative_of(&f, d, k) * f.theta[d * K + k];
            CHECK_NEAR(ldp_groups_of_row(&f.groups, d)[k], relative_of(&f, d, k), TOL_ROUNDING);
        }
        CHECK_NEAR(total[k], sum, TOL_ROUNDING);
    }
    const ldp_gamma_prior prior = {0.3, 1.7, 1, 1, 0, 0};
    const ldp_gamma_prior none = ldp_groups_prior(&f.groups, prior, 5, exposure);
    CHECK(none.rate <= 0 && none.shape >= prior.shape, "the rate is in the exposures");
    for (int k = 0; k < K; k++)
        CHECK_NEAR(exposure[k], k + 1 + 1.7 * relative_of(&f, 5, k), TOL_ROUNDING);
    CHECK_NEAR(ldp_groups_prior(NULL, prior, 5, exposure).rate, prior.rate, TOL_ROUNDING);
    free(f.work);
}

/* The first factor is drawn given the start, the second given the first: each is uniform under its
 * own conditional distribution. */
static void test_draws(void) {
    const ldp_gamma_prior prior = {0.7, 1.3, 0, 0, 0, 0};
    law uniform[N_LEVELS];
    fixture f;
    for (int l = 0; l < N_LEVELS; l++)
        uniform[l] = law_uniform();
    for (int i = 0; i < N; i++) {
        set_up(&f);
        double start[K * N_LEVELS];
        for (int j = 0; j < K * N_LEVELS; j++)
            start[j] = f.rho[j];
        ldp_groups_draw(&stream, &f.groups, prior);
        for (int l = 0; l < N_LEVELS; l++) {
            double shape = 2.5, rate = 2.5;
            for (int d = 0; d < N_ROWS; d++) {
                const int *const levels = level + combination[d] * N_FACTORS;
                const double other =
                    l < first[1] ? start[levels[1] * K + 1] : f.rho[levels[0] * K + 1];
                if (levels[0] != l && levels[1] != l)
                    continue;
                shape += prior.shape;
                rate += prior.rate * f.theta[d * K + 1] * other;
            }
            law_see_uniform(&uniform[l], pgamma(f.rho[l * K + 1], shape, 1 / rate, 1, 0));
        }
        free(f.work);
    }
    for (int l = 0; l < N_LEVELS; l++) {
        law_check(&uniform[l], "a level");
        law_free(&uniform[l]);
    }
}

/* Rates of rows do not change, and the scale between two factors has its distribution. */
static void test_balance(void) {
    const ldp_gamma_prior prior = {0.7, 1.3, 3, 2, 0, 0};
    double before[K * N_COMBINATIONS];
    fixture f;
    for (int i = 0; i < 100; i++) {
        set_up(&f);
        for (int j = 0; j < K * N_COMBINATIONS; j++)
            before[j] = prior.rate * f.relative[j];
        const double rate = ldp_groups_balance(&stream, &f.groups, prior);
        CHECK(rate < prior.rate || rate > prior.rate, "the rate moves");
        for (int j = 0; j < K * N_COMBINATIONS; j++)
            CHECK_NEAR(rate * f.relative[j], before[j], TOL_SERIES);
        free(f.work);
    }
}

/* Given a gamma-distributed other factor of one weight, 1/c times it and times rho are gamma: the
 * shift of a component whose other factor has shape a_o and sum s gives 1/c the distribution
 * Gamma(a_o + n_levels a, s + a sum rho). */
static void test_shift(void) {
    law uniform = law_uniform();
    fixture f;
    for (int i = 0; i < N; i++) {
        set_up(&f);
        const double sum = f.rho[0] + f.rho[K];
        const double t = ldp_groups_shift(&stream, &f.groups, 0, (ldp_scale){-1.9, 0, 0.8, 0});
        law_see_uniform(&uniform, pgamma(exp(-t), 1.9 + 2 * 2.5, 1 / (0.8 + 2.5 * sum), 1, 0));
        if (i == 0)
            CHECK_NEAR((f.rho[0] + f.rho[K]) * exp(t), sum, TOL_ROUNDING);
        free(f.work);
    }
    law_check(&uniform, "a shift");
    law_free(&uniform);
}

int main(void) {
    stream = ldp_stream_seeded(771);
    random_budget(6);
    test_sums();
    test_draws();
    test_balance();
    test_shift();
    random_budget_kept();
    return check_report("groups");
}
