#include <limits.h>
#include <math.h>
#include <string.h>

#include "ldp_allocate.h"
#include "ldp_math.h"
#include "ldp_random.h"
#include "ldp_tokens.h"

/* --- alias tables ----------------------------------------------------------------------------- */

static uint32_t threshold(double share) {
    return share < 1 ? (uint32_t)(share * 4294967296.0) : UINT32_MAX;
}

void ldp_alias_build(int n, const double *weight, size_t stride, ldp_alias *table, double *work) {
    double *const share = work, sum = 0;
    int32_t *const small = (int32_t *)(void *)(work + n), *const large = small + n;
    int n_small = 0, n_large = 0;
    for (int i = 0; i < n; i++)
        sum += weight[(size_t)i * stride];
    for (int i = 0; i < n; i++) {
        share[i] = weight[(size_t)i * stride] / sum * n;
        if (share[i] < 1)
            small[n_small++] = i;
        else
            large[n_large++] = i;
    }
    while (n_small > 0 && n_large > 0) {
        const int s = small[--n_small], l = large[n_large - 1];
        table[s] = (ldp_alias){threshold(share[s]), l};
        share[l] -= 1 - share[s];
        if (share[l] < 1) {
            n_large--;
            small[n_small++] = l;
        }
    }
    /* shares of 1, up to rounding */
    while (n_large > 0) {
        const int l = large[--n_large];
        table[l] = (ldp_alias){UINT32_MAX, l};
    }
    while (n_small > 0) {
        const int s = small[--n_small];
        table[s] = (ldp_alias){UINT32_MAX, s};
    }
}

/* --- what the release says ----------------------------------------------------------------------
 */

enum { MASKED = -1 };

static void tokens_show_row(const ldp_tokens *t, const ldp_cells *cells, int d) {
    for (size_t e = cells->active.start[d]; e < cells->active.start[d + 1]; e++)
        t->release[cells->active.index[e]] = (int32_t)fmin(cells->y_tilde[e], INT_MAX);
    for (size_t e = cells->missing.start[d]; e < cells->missing.start[d + 1]; e++)
        t->release[cells->missing.index[e]] = MASKED;
}

/* The place of the active cell of column v in row d. */
static size_t tokens_place_of(const ldp_cells *cells, int d, int v) {
    size_t low = cells->active.start[d], high = cells->active.start[d + 1];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (cells->active.index[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- tokens -------------------------------------------------------------------------------------
 */

int ldp_tokens_suit(const ldp_tokens *t, const double *theta, double alpha) {
    return ldp_dot(t->K, theta, t->total) <= LDP_TOKENS_PER_CELL * t->V * alpha;
}

/* What became of the tokens of a cell, in place of their number. */
enum { KEPT = -1, REFUSED = -2 };

typedef struct row {
    const ldp_tokens *tokens;
    const ldp_cells *cells;
    const ldp_noise *noise;
    ldp_stream *stream;
    int d;
    double alpha;
    const double *theta;
    double *counts, *words, *work;
} row;

/* Draws positive cell v by itself, and splits its count. */
static void draw_cell(const row *r, int v) {
    const ldp_tokens *const t = r->tokens;
    const int K = t->K;
    const double *const phi = t->phi + (size_t)K * (size_t)v;
    const size_t place = tokens_place_of(r->cells, r->d, v);
    double x = ldp_dot(K, r->theta, phi);
    int positive;
    ldp_tally of_words = {.to = r->words};
    if (r->noise->draw(r->noise->state, r->stream, r->d, place, 1, r->cells->y_tilde + place,
                       r->alpha, &x, &positive) > 0)
        ldp_allocate(r->stream, x, K, r->theta, phi, r->counts, &of_words, (size_t)v * (size_t)K,
                     r->work);
    ldp_tally_settle(&of_words);
}

/* Is a token on column v kept? */
static inline int tokens_is_kept(const row *r, int v, double square) {
    const int32_t k = r->tokens->release[v];
    int32_t *const hits = &r->tokens->hits[v];
    if (k <= 0)
        return k == 0 && ldp_stream_uniform(r->stream) < square;
    if (*hits > k) {
        const int accepted = ldp_stream_uniform(r->stream) < pow(square, *hits - k);
        *hits = accepted ? KEPT : REFUSED;
        if (!accepted)
            draw_cell(r, v);
    }
    return *hits != REFUSED;
}

/* Draws the number of tokens of each component, and counts those on each column. */
static void tokens_propose(const row *r, ldp_stream proposals, double *n_of) {
    const ldp_tokens *const t = r->tokens;
    double at = 0;
    for (int k = 0; k < t->K; k++) {
        n_of[k] = ldp_random_poisson(&proposals, r->theta[k] * t->total[k] / r->alpha);
        for (double i = 0; i < n_of[k]; i++, at++) {
            const int v = ldp_alias_at(t->V, t->alias + (size_t)k * (size_t)t->V,
                                       ldp_stream_uniform(&proposals));
            if (at < LDP_TOKENS_KEPT)
                t->token[(int)at] = v;
            t->hits[v]++;
        }
    }
}

/* Draws the fate of each token. */
static void accept(const row *r, ldp_stream proposals, const double *n_of) {
    const ldp_tokens *const t = r->tokens;
    const int K = t->K;
    const double square = r->alpha * r->alpha;
    double at = 0, n = 0;
    for (int k = 0; k < K; k++)
        n += n_of[k];
    for (int k = 0; k < K; k++) {
        if (n > LDP_TOKENS_KEPT) /* draws them again */
            ldp_random_poisson(&proposals, r->theta[k] * t->total[k] / r->alpha);
        double kept = 0;
        for (double i = 0; i < n_of[k]; i++, at++) {
            const int v = n <= LDP_TOKENS_KEPT
                              ? t->token[(int)at]
                              : ldp_alias_at(t->V, t->alias + (size_t)k * (size_t)t->V,
                                             ldp_stream_uniform(&proposals));
            if (tokens_is_kept(r, v, square)) {
                kept++;
                ldp_line(r->words, K, v)[k]++;
            }
        }
        r->counts[k] += kept;
    }
}

void ldp_tokens_draw(const ldp_tokens *t, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_stream proposals, ldp_stream *stream, int d, const double *theta,
                     double *counts, double *words, double *work) {
    const row r = {t, cells, noise, stream, d, cells->alpha[d], theta, counts, words, work + t->K};
    tokens_show_row(t, cells, d);
    tokens_propose(&r, proposals, work);
    accept(&r, proposals, work);
    memset(t->hits, 0, (size_t)t->V * sizeof *t->hits);
    memset(t->release, 0, (size_t)t->V * sizeof *t->release);
}

void ldp_tokens_below(const ldp_tokens *t, const ldp_cells *cells, ldp_stream *stream, int d,
                      const double *theta, double *counts, double *words, double *work) {
    const int K = t->K;
    const double alpha = cells->alpha[d];
    ldp_tally of_words = {.to = words};
    if (!(alpha > 0))
        return;
    tokens_show_row(t, cells, d);
    for (int v = 0; v < t->V; v++) {
        const double *const phi = t->phi + (size_t)K * (size_t)v;
        if (t->release[v] != 0)
            continue;
        const double y = ldp_random_poisson(stream, alpha * ldp_dot(K, theta, phi));
        if (y > 0)
            ldp_allocate(stream, y, K, theta, phi, counts, &of_words, (size_t)v * (size_t)K, work);
    }
    ldp_tally_settle(&of_words);
    memset(t->release, 0, (size_t)t->V * sizeof *t->release);
}
