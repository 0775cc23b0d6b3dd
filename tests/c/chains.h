/* A chain of a subject (models.h), with all its rooms. */
#ifndef CHAINS_H
#define CHAINS_H

#include "ldp_chain.h"
#include "models.h"

enum { CHAIN_QUICK_ROWS = 300 };

typedef struct chain {
    ldp_chain run;
    subject *s;
    double *seeds, *draws[MOST_ARRAYS];
    const double *factor[MOST_ARRAYS];
} chain;

/* n_sweeps sweeps of which those listed are kept; `seed` stands for all seeds. What the family
 * keeps is kept with the factors. In place. */
static inline void chain_open(chain *c, subject *s, int n_sweeps, int n_keep, const int *keep,
                              int watch, uint64_t seed) {
    const size_t n = (size_t)s->n_threads;
    ldp_stream stream = ldp_stream_seeded(seed);
    *c = (chain){.s = s, .seeds = new_doubles(2 * (size_t)n_sweeps)};
    for (int i = 0; i < 2 * n_sweeps; i++)
        c->seeds[i] = floor(ldp_stream_uniform(&stream) * 4294967296.0);
    for (int i = 0; i < s->n_arrays; i++) {
        c->factor[i] = s->array[i];
        c->draws[i] = new_garbage(s->length[i] * (size_t)n_keep);
    }
    c->run = (ldp_chain){.kernel = s->kernel,
                         .model = s->model,
                         .at = s->at,
                         .n_sweeps = n_sweeps,
                         .seeds = c->seeds,
                         .n_keep = n_keep,
                         .keep = keep,
                         .watch = watch,
                         .n_factors = s->n_arrays,
                         .factor = c->factor,
                         .length = s->length,
                         .draws = c->draws,
                         .log_density = new_garbage((size_t)n_keep),
                         .work = s->work,
                         .parts = new_garbage((size_t)ldp_parts(s->x.cells.D_all))};
    c->run.at.quick = check_alloc(n, sizeof(ldp_quick));
    for (int t = 0; t < s->n_threads; t++) {
        c->run.at.quick[t].room = CHAIN_QUICK_ROWS;
        c->run.at.quick[t].row = check_alloc(CHAIN_QUICK_ROWS, sizeof(ldp_quick_row));
    }
}

static inline void chain_close(chain *c) {
    for (int i = 0; i < c->s->n_arrays; i++)
        free(c->draws[i]);
    for (int t = 0; t < c->s->n_threads; t++)
        free(c->run.at.quick[t].row);
    free(c->run.at.quick);
    free(c->run.parts);
    free(c->run.log_density);
    free(c->seeds);
}

/* NaN is equal to NaN. */
static inline int chain_same(const double *a, const double *b, size_t n) {
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Draws, log densities and the state, to the last bit. */
static inline int chain_equal(const chain *a, const chain *b) {
    const size_t n_keep = (size_t)a->run.n_keep;
    for (int i = 0; i < a->s->n_arrays; i++)
        if (!chain_same(a->draws[i], b->draws[i], a->s->length[i] * n_keep))
            return 0;
    return subject_equal(a->s, b->s) && a->run.sweep == b->run.sweep &&
           a->run.n_kept == b->run.n_kept &&
           chain_same(a->run.log_density, b->run.log_density, n_keep) &&
           (a->run.log_density_now == b->run.log_density_now ||
            (isnan(a->run.log_density_now) && isnan(b->run.log_density_now)));
}

static inline void chain_finish(chain *c) {
    while (c->run.sweep < c->run.n_sweeps)
        ldp_chain_advance(&c->run, 1000000);
}

#endif
