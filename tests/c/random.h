/* Tests of random draws, with an error budget: a correct program fails with probability at
 * most 1e-6 in all. A program says first how many random tests it will make at most
 * (random_budget), and each is made at the level 1e-6 / that number. Seeds are fixed, so an
 * outcome repeats itself. */
#ifndef RANDOM_H
#define RANDOM_H

#include <math.h>
#include <stdlib.h>

#include <Rmath.h>

#include "check.h"

static const double ERROR_RATE = 1e-6;
static struct { int allowed, made; } random_tests;

static inline void random_budget(int n_tests) {
    random_tests.allowed = n_tests;
}

static inline double random_level(void) {
    random_tests.made++;
    return ERROR_RATE / random_tests.allowed;
}

static inline void random_budget_kept(void) {
    CHECK(random_tests.made <= random_tests.allowed, "%d random tests, a budget for %d",
          random_tests.made, random_tests.allowed);
}

/* A distribution on lowest .. lowest + n - 1, and how often each value was seen. The probability
 * outside is taken for 0: choose n so large that it is below 1e-15. */
typedef struct law {
    int n;
    double lowest, n_seen, n_outside;
    double *p, *seen;
} law;

static inline law law_new(double lowest, int n) {
    const size_t size = (size_t)n;
    return (law){n, lowest, 0, 0, new_doubles(size), new_doubles(size)};
}

static inline void law_free(law *l) {
    free(l->p);
    free(l->seen);
}

/* From unnormalised logarithms, which law_new's caller has put into l->p. */
static inline void law_normalise(law *l) {
    double largest = -INFINITY, total = 0;
    for (int i = 0; i < l->n; i++)
        largest = fmax(largest, l->p[i]);
    for (int i = 0; i < l->n; i++)
        total += l->p[i] = exp(l->p[i] - largest);
    for (int i = 0; i < l->n; i++)
        l->p[i] /= total;
}

static inline void law_see(law *l, double value) {
    const double i = value - l->lowest;
    l->n_seen++;
    if (i >= 0 && i < l->n && i == floor(i))
        l->seen[(int)i]++;
    else
        l->n_outside++;
}

/* Chi-square, neighbours pooled until 25 are expected. A whole distribution in one bin is an error
 * of the test. Returns the p-value, or -1. */
static inline double law_p_value(const law *l) {
    double statistic = 0, expected = 0, seen = 0, left = l->n_seen;
    int n_bins = 0;
    for (int i = 0; i < l->n; i++) {
        expected += l->n_seen * l->p[i];
        seen += l->seen[i];
        left -= l->n_seen * l->p[i];
        if (expected < 25 || (left < 25 && i < l->n - 1))
            continue;
        statistic += (seen - expected) * (seen - expected) / expected;
        n_bins++;
        expected = seen = 0;
    }
    return n_bins < 2 || expected > 1e-6 * l->n_seen ? -1 : pchisq(statistic, n_bins - 1, 0, 0);
}

static inline void law_check(const law *l, const char *name) {
    const double level = random_level(), p_value = law_p_value(l);
    CHECK(l->n_outside == 0, "%s: %g draws of %g outside %g .. %g", name, l->n_outside, l->n_seen,
          l->lowest, l->lowest + l->n - 1);
    CHECK(p_value >= level, "%s: p = %.3g, level %.3g", name, p_value, level);
}

/* Draws of a continuous distribution by way of its distribution function: `u` is uniform. */
enum { UNIFORM_BINS = 25 };

static inline law law_uniform(void) {
    law l = law_new(0, UNIFORM_BINS);
    for (int i = 0; i < l.n; i++)
        l.p[i] = 1.0 / UNIFORM_BINS;
    return l;
}

static inline void law_see_uniform(law *l, double u) {
    law_see(l, u >= 1 ? UNIFORM_BINS - 1 : floor(u * UNIFORM_BINS));
}

/* The mean of n draws against its expectation, by the central limit theorem. */
static inline void check_mean(double sum, double n, double mean, double variance,
                              const char *name) {
    const double limit = -qnorm(random_level() / 2, 0, 1, 1, 0);
    const double z = (sum / n - mean) / sqrt(variance / n);
    CHECK(fabs(z) <= limit, "%s: mean %.8g, should be %.8g, z = %.3g, limit %.3g", name, sum / n,
          mean, z, limit);
}

#endif
