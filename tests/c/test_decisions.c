/* Test T3: the decision trees of the samplers. ldp_secure.c is compiled twice more, and
 * ldp_gaussian.c, ldp_secure_poisson.c and ldp_secure_thin.c once, over decisions of ours
 * (copy_exp.c, copy_tree.c, copy_gauss.c, copy_whole.c): each of them answers what a script says,
 * and multiplies the mass of the path by the probability of that answer. That the true decisions
 * have those probabilities is said of Bern(p/q) and Unif(n) by test T2 (test_tapes.c), and of
 * Bern(exp(-p/q)) by the first half of this test, for use in the second.
 *
 * A path whose mass has fallen below a limit finds its source dry and stays open. So the mass
 * of an outcome is never above its probability, and misses it by the open mass at most. */
#include <limits.h>
#include <string.h>

#include "check.h"
#include "ldp_secure_thin.h"

/* ---- paths ------------------------------------------------------------------------------ */

/* Decision i took branch taken[i] of n_branches[i]. */
enum { LONGEST = 2000 };
typedef struct path {
    uint64_t taken[LONGEST], n_branches[LONGEST];
    size_t n_scripted, n_seen;
    double mass, limit;
    int n_rounds, n_rounds_allowed; /* how often Unif(t) was asked for: each is a new start */
} path;

/* The branch that the script says; after its end, the first. */
static ldp_status next_branch(path *p, uint64_t n_branches, uint64_t *branch) {
    if (p->mass < p->limit || p->n_seen == LONGEST)
        return LDP_NO_ENTROPY;
    const size_t i = p->n_seen++;
    if (i == p->n_scripted) {
        p->n_scripted++;
        p->taken[i] = 0;
        p->n_branches[i] = n_branches;
    }
    *branch = p->taken[i];
    return LDP_OK;
}

/* Success with a probability of which `failure` is the rest; certainties decide nothing. */
static ldp_status decide(ldp_bits *bits, double success, double failure, unsigned *answer) {
    path *const way = bits->source;
    uint64_t branch = 0;
    *answer = failure <= 0;
    if (success <= 0 || failure <= 0)
        return LDP_OK;
    const ldp_status status = next_branch(way, 2, &branch);
    if (status == LDP_OK)
        way->mass *= branch ? success : failure;
    *answer = (unsigned)branch;
    return status;
}

/* To the next path: the last decision that has a further branch takes it. */
static int advance(path *p) {
    while (p->n_scripted > 0 && p->taken[p->n_scripted - 1] + 1 == p->n_branches[p->n_scripted - 1])
        p->n_scripted--;
    if (p->n_scripted == 0)
        return 0;
    p->taken[p->n_scripted - 1]++;
    return 1;
}

/* ---- the decisions that the copies find -------------------------------------------------- */

ldp_status exp_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status exp_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status tree_secure_bit(ldp_bits *bits, unsigned *bit);
ldp_status tree_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value);
ldp_status tree_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status tree_secure_twogeom(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *tau);

ldp_status gauss_secure_twogeom(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *tau);
ldp_status gauss_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status gauss_gaussian_draw(ldp_bits *bits, uint64_t sigma, int64_t *z);

ldp_status whole_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success);
ldp_status whole_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value);
ldp_status whole_secure_ones(ldp_bits *bits, uint64_t n, uint64_t *ones);
ldp_status whole_secure_poisson(ldp_bits *bits, uint64_t p, uint64_t q, uint64_t *n);
ldp_status whole_secure_thin(ldp_bits *bits, uint64_t n, ldp_dyadic prob, uint64_t *kept);

ldp_status whole_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    return exp_secure_bernoulli(bits, p, q, success);
}

ldp_status whole_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value) {
    return tree_secure_uniform(bits, n, value);
}

static double binomial(uint64_t k, uint64_t n, double prob) {
    return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1)) *
           pow(prob, (double)k) * pow(1 - prob, (double)(n - k));
}

ldp_status whole_secure_ones(ldp_bits *bits, uint64_t n, uint64_t *ones) {
    path *const way = bits->source;
    const ldp_status status = next_branch(way, n + 1, ones);
    if (status == LDP_OK)
        way->mass *= binomial(*ones, n, 0.5);
    return status;
}

ldp_status exp_secure_bernoulli(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    return decide(bits, (double)p / (double)q, ((double)q - (double)p) / (double)q, success);
}

ldp_status tree_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    const double x = (double)p / (double)q;
    return decide(bits, exp(-x), -expm1(-x), success);
}

ldp_status tree_secure_bit(ldp_bits *bits, unsigned *bit) {
    return decide(bits, 0.5, 0.5, bit);
}

ldp_status tree_secure_uniform(ldp_bits *bits, uint64_t n, uint64_t *value) {
    path *const way = bits->source;
    *value = 0;
    if (way->n_rounds++ == way->n_rounds_allowed)
        return LDP_NO_ENTROPY;
    if (n == 1)
        return LDP_OK;
    const ldp_status status = next_branch(way, n, value);
    if (status == LDP_OK)
        way->mass /= (double)n;
    return status;
}

static double twogeom(int tau, int s, int t) {
    const double gamma = (double)s / t;
    return tanh(gamma / 2) * exp(-gamma * abs(tau));
}

/* Outcomes of the geometric number that a path may begin with: -MOST .. MOST, and one for the rest.
 */
enum { MOST = 150 };

ldp_status gauss_secure_twogeom(ldp_bits *bits, uint64_t s, uint64_t t, int64_t *tau) {
    path *const way = bits->source;
    uint64_t branch = 0;
    if (way->n_rounds++ == way->n_rounds_allowed)
        return LDP_NO_ENTROPY;
    const ldp_status status = next_branch(way, 2 * MOST + 2, &branch);
    *tau = (int64_t)branch - MOST;
    if (status != LDP_OK)
        return status;
    if (*tau <= MOST) {
        way->mass *= twogeom((int)*tau, (int)s, (int)t);
        return LDP_OK;
    }
    const double gamma = (double)s / (double)t;
    way->mass *= 2 * exp(-gamma * (MOST + 1)) / (1 + exp(-gamma));
    return LDP_OVERFLOW;
}

ldp_status gauss_secure_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, unsigned *success) {
    if (p > q)
        abort();
    return tree_secure_bernoulli_exp(bits, p, q, success);
}

/* ---- every path ------------------------------------------------------------------------- */

/* The outcome ZERO + v stands for the value v; values that have no place are in `far`. */
enum { ZERO = 200, N_OUTCOMES = 2 * ZERO + 1 };
typedef struct masses {
    double at[N_OUTCOMES], far, open;
    long n_strayed; /* runs that made fewer decisions than the run that they repeat */
} masses;

typedef ldp_status (*sampler)(ldp_bits *bits, uint64_t a, uint64_t b, int64_t *value);

static double *place(masses *law, ldp_status status, int64_t value) {
    if (status != LDP_OK)
        return &law->open;
    return value >= -ZERO && value <= ZERO ? &law->at[ZERO + value] : &law->far;
}

static masses enumerate(sampler draw, uint64_t a, uint64_t b, double limit, int n_rounds) {
    masses law = {.open = 0};
    path *const way = check_alloc(1, sizeof *way);
    way->limit = limit;
    way->n_rounds_allowed = n_rounds;
    ldp_bits bits = {.source = way};
    do {
        int64_t value = 0;
        way->mass = 1;
        way->n_seen = 0;
        way->n_rounds = 0;
        const ldp_status status = draw(&bits, a, b, &value);
        law.n_strayed += way->n_seen < way->n_scripted;
        *place(&law, status, value) += way->mass;
    } while (advance(way));
    free(way);
    return law;
}

static double total(const masses *law) {
    double sum = law->far + law->open;
    for (int outcome = 0; outcome < N_OUTCOMES; outcome++)
        sum += law->at[outcome];
    return sum;
}

/* Sums of up to 1e6 masses that are products of up to 100 factors. */
static int holds(const masses *law, int64_t value, double probability) {
    const double mass = law->at[ZERO + value];
    return mass <= probability * (1 + TOL_SERIES) &&
           probability * (1 - TOL_SERIES) <= mass + law->open;
}

/* ---- the distributions
 * --------------------------------------------------------------------------- */

static ldp_status draw_bernoulli_exp(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    unsigned success = 9;
    const ldp_status status = exp_secure_bernoulli_exp(bits, p, q, &success);
    *value = success;
    return status;
}

static void test_bernoulli_exp(void) {
    static const uint64_t denominators[] = {1, 2, 3, 7, 10, 64, 1000};
    for (size_t c = 0; c < sizeof denominators / sizeof *denominators; c++) {
        const uint64_t q = denominators[c];
        for (uint64_t p = 0; p <= q; p++) {
            const masses law = enumerate(draw_bernoulli_exp, p, q, 1e-14, 0);
            const double x = (double)p / (double)q;
            CHECK(holds(&law, 1, exp(-x)) && holds(&law, 0, -expm1(-x)) && law.far == 0 &&
                      law.open < 1e-14,
                  "exp(-%d/%d): %.17g, should be %.17g, open %.3g", (int)p, (int)q,
                  law.at[ZERO + 1], exp(-x), law.open);
        }
    }
}

/* The whole tree. A refused U or a -0 starts again, so the paths get many before their mass
 * gets small. The last two, among them the finer limit for 3/10, are for the extended tests (a
 * minute). */
static void test_twogeom(void) {
    static const struct {
        uint64_t s, t;
        double limit, error;
    } cases[] = {{1, 1, 1e-15, 1e-13},
                 {1, 2, 3e-9, 2.5e-5},
                 {3, 10, 3e-8, 2.5e-2},
                 {2, 3, 1e-9, 8e-4},
                 {3, 10, 1e-10, 4.5e-3}};
    const size_t n_cases = sizeof cases / sizeof *cases - (check_extended() ? 0 : 2);
    for (size_t c = 0; c < n_cases; c++) {
        const int s = (int)cases[c].s, t = (int)cases[c].t;
        const masses law =
            enumerate(tree_secure_twogeom, cases[c].s, cases[c].t, cases[c].limit, INT_MAX);
        CHECK(law.n_strayed == 0 && law.open < cases[c].error, "gamma %d/%d: %ld strayed, open %g",
              s, t, law.n_strayed, law.open);
        for (int tau = -ZERO; tau <= ZERO; tau++) {
            const double exact = twogeom(tau, s, t);
            CHECK(holds(&law, tau, exact), "gamma %d/%d: P(%d) = %.17g, should be %.17g, open %g",
                  s, t, tau, law.at[ZERO + tau], exact, law.open);
        }
        CHECK_NEAR(total(&law), 1, TOL_SERIES);
    }
}

/* The tree up to the first new start: short, so that the distribution given that there is none
 * comes to twelve digits. It is the distribution of all draws if a new start forgets the one
 * before, which the whole tree shows in its measure. */
static void test_twogeom_round(void) {
    static const uint64_t cases[][2] = {{1, 1},  {1, 2},  {2, 3}, {3, 10},    {2, 5},
                                        {7, 30}, {1, 10}, {3, 1}, {693, 1000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int s = (int)cases[c][0], t = (int)cases[c][1];
        const masses law = enumerate(tree_secure_twogeom, cases[c][0], cases[c][1], 1e-19, 1);
        CHECK(law.n_strayed == 0 && law.open < 0.7, "gamma %d/%d: %ld strayed, open %g", s, t,
              law.n_strayed, law.open);
        for (int tau = -ZERO; tau <= ZERO; tau++)
            CHECK_NEAR(law.at[ZERO + tau] / (1 - law.open), twogeom(tau, s, t), TOL_SERIES);
    }
}

/* Canonne, Kamath, Steinke (2020), algorithm 3: kept or not in the first round. Given that it is
 * kept, a number has the discrete Gaussian distribution; what a new start forgets is all, as the
 * code has no other state. The share that is kept is sum_z exp(-z^2/(2 sigma^2)) tanh(1/(2 sigma))
 * exp(-1/2).
 */
static ldp_status draw_gaussian(ldp_bits *bits, uint64_t sigma, uint64_t none, int64_t *value) {
    (void)none;
    return gauss_gaussian_draw(bits, sigma, value);
}

static void test_gaussian_round(void) {
    for (int sigma = 1; sigma <= 9; sigma += sigma < 3 ? 1 : 3) {
        if ((sigma == 2 || sigma == 3) && !check_extended())
            continue;
        const masses law = enumerate(draw_gaussian, (uint64_t)sigma, 0, 1e-300, 1);
        double weights = 0, kept = 0;
        for (int z = -MOST; z <= MOST; z++) {
            weights += exp(-z * z / (2.0 * sigma * sigma));
            kept += law.at[ZERO + z];
        }
        CHECK_NEAR(kept, weights * tanh(0.5 / sigma) * exp(-0.5), TOL_SERIES);
        CHECK_NEAR(total(&law), 1, TOL_SERIES);
        for (int z = -MOST; z <= MOST; z++) {
            const double exact = exp(-z * z / (2.0 * sigma * sigma)) / weights;
            CHECK_NEAR(law.at[ZERO + z] / kept, exact, TOL_SERIES);
            CHECK(fabs(law.at[ZERO + z] / kept - exact) <= TOL_SERIES * exact || exact < 1e-290,
                  "sigma %d: P(%d) = %g, should be %g", sigma, z, law.at[ZERO + z] / kept, exact);
        }
    }
}

static ldp_status draw_poisson(ldp_bits *bits, uint64_t p, uint64_t q, int64_t *value) {
    uint64_t n = 0;
    const ldp_status status = whole_secure_poisson(bits, p, q, &n);
    *value = (int64_t)n;
    return status;
}

static double poisson(int n, double mean) {
    return exp(n * log(mean) - mean - lgamma(n + 1.0));
}

/* Whole means: kept or not in the first round, as for the discrete Gaussian distribution. */
static void test_poisson_round(void) {
    const int largest = check_extended() ? 40 : 22;
    for (int m = 1; m <= largest; m += m < 10 ? 1 : 6) {
        const masses law = enumerate(draw_poisson, (uint64_t)m, 1, 1e-18, 1);
        const int s = (int)sqrt(m + 0.5);
        const double share = 1 / (poisson(m, m) * (2 * s + 1 + 2.0 * m / s));
        double kept = 0;
        for (int n = 0; n <= ZERO; n++)
            kept += law.at[ZERO + n];
        CHECK_NEAR(kept, share, TOL_SERIES);
        CHECK_NEAR(total(&law), 1, TOL_SERIES);
        CHECK(law.n_strayed == 0, "mean %d: %ld strayed", m, law.n_strayed);
        for (int n = 0; n <= ZERO; n++)
            CHECK_NEAR(law.at[ZERO + n] / kept, poisson(n, m), TOL_SERIES);
    }
}

/* Means below 1, the whole tree. */
static void test_poisson_small(void) {
    static const uint64_t cases[][2] = {{1, 1000}, {1, 10}, {1, 3}, {1, 2}, {2, 3}, {99, 100}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double mean = (double)cases[c][0] / (double)cases[c][1];
        const masses law = enumerate(draw_poisson, cases[c][0], cases[c][1], 1e-9, INT_MAX);
        CHECK(law.n_strayed == 0 && law.open < 1e-4, "mean %g: %ld strayed, open %g", mean,
              law.n_strayed, law.open);
        for (int n = 0; n <= 20; n++)
            CHECK(holds(&law, n, poisson(n, mean)), "mean %g: P(%d) = %.17g, should be %.17g", mean,
                  n, law.at[ZERO + n], poisson(n, mean));
        CHECK_NEAR(total(&law), 1, TOL_SERIES);
    }
}

static ldp_status draw_thinned(ldp_bits *bits, uint64_t n, uint64_t mantissa, int64_t *value) {
    uint64_t kept = 0;
    unsigned places = 0;
    for (uint64_t odd = mantissa; odd > 0; odd /= 2)
        places++;
    const ldp_status status = whole_secure_thin(bits, n, (ldp_dyadic){mantissa, places + 1}, &kept);
    *value = (int64_t)kept;
    return status;
}

/* mantissa/2^(places + 1), where 2^places > mantissa: every path ends. */
static void test_thinning(void) {
    static const uint64_t mantissas[] = {1, 3, 5, 13, 27};
    for (size_t c = 0; c < sizeof mantissas / sizeof *mantissas; c++) {
        double prob = (double)mantissas[c];
        while (prob >= 0.5)
            prob /= 2;
        for (uint64_t n = 0; n <= 7; n++) {
            const masses law = enumerate(draw_thinned, n, mantissas[c], 0, 0);
            CHECK(law.n_strayed == 0 && law.open <= 0, "%ld strayed, open %g", law.n_strayed,
                  law.open);
            for (uint64_t k = 0; k <= n; k++)
                CHECK_NEAR(law.at[ZERO + k], binomial(k, n, prob), TOL_SERIES);
        }
    }
}

int main(void) {
    check_begin();
    test_bernoulli_exp();
    test_twogeom_round();
    test_gaussian_round();
    test_poisson_round();
    test_poisson_small();
    test_thinning();
    test_twogeom();
    return check_report("decisions");
}
