/* What the tests of the Gibbs samplers share: scripted latent counts, and one uniformity test
 * for each element of a factor. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <float.h>
#include <limits.h>
#include <string.h>

#include "example.h"
#include "ldp_gamma.h"
#include "ldp_noise.h"
#include "random.h"

/* In place of the draw of a latent count: cell number e gets `count[e]`, and what the model
 * said of the cell is kept. With the counts known, every conditional distribution is known too. */
typedef struct script {
    double *count, *mu, *alpha, *y_tilde;
} script;

static inline script script_new(size_t n_cells) {
    return (script){new_doubles(n_cells), new_doubles(n_cells), new_doubles(n_cells),
                    new_doubles(n_cells)};
}

static inline void script_free(script *s) {
    free(s->count);
    free(s->mu);
    free(s->alpha);
    free(s->y_tilde);
}

static inline int script_draw(void *state, ldp_stream *stream, int row, size_t first, int n,
                              const double *y_tilde, double alpha, double *x, int *positive) {
    script *const s = state;
    int n_positive = 0;
    (void)stream;
    (void)row;
    for (int e = 0; e < n; e++) {
        const size_t cell = first + (size_t)e;
        s->mu[cell] = x[e];
        s->alpha[cell] = alpha;
        s->y_tilde[cell] = y_tilde[e];
        x[e] = s->count[cell];
        if (x[e] > 0)
            positive[n_positive++] = e;
    }
    return n_positive;
}

static inline law *uniforms_new(int n) {
    law *const laws = check_alloc((size_t)n, sizeof *laws);
    for (int i = 0; i < n; i++)
        laws[i] = law_uniform();
    return laws;
}

static inline void uniforms_check(law *laws, int n, const char *what) {
    for (int i = 0; i < n; i++) {
        char name[120];
        snprintf(name, sizeof name, "%s[%d]", what, i);
        law_check(&laws[i], name);
        law_free(&laws[i]);
    }
    free(laws);
}

static inline void see_gamma(law *uniform, double x, ldp_gamma_prior prior, double count,
                             double exposure) {
    law_see_uniform(uniform, pgamma(x, prior.shape + count, 1 / (prior.rate + exposure), 1, 0));
}

static inline int all_proper(const double *factor, int n) {
    for (int i = 0; i < n; i++)
        if (!(factor[i] >= DBL_MIN && isfinite(factor[i])))
            return 0;
    return 1;
}

static inline int all_above_floor(const double *factor, int n) {
    for (int i = 0; i < n; i++)
        if (!(factor[i] > DBL_MIN && isfinite(factor[i])))
            return 0;
    return 1;
}

/* The means of n_sweeps independent draws from a prior, summed up in `sums`. */
static inline void check_prior_means(const double *sums, int n, double n_sweeps,
                                     ldp_gamma_prior prior, const char *name) {
    for (int i = 0; i < n; i++)
        check_mean(sums[i], n_sweeps, prior.shape / prior.rate,
                   prior.shape / (prior.rate * prior.rate), name);
}

#endif
