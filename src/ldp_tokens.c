#include <math.h>

#include "ldp_math.h"
#include "ldp_random.h"
#include "ldp_tokens.h"

/* A cell that is drawn alone takes as long as about this many tokens, and so many more per
 * component. */
static const double CELL_COSTS = 2, COMPONENT_COSTS = 0.1;

/* The most tokens of a row. Their mean number is m <= LDP_TOKENS_PER_CELL V, so that there are more
 * than 2 m + 256 with probability below 1e-80; these are left out. */
static int most_tokens(int V) {
    return (int)fmin(2 * LDP_TOKENS_PER_CELL * V + 256, INT32_MAX);
}

/* Tokens are looked up so many at a time, while the entries of their tables are fetched. */
enum { AT_ONCE = 128 };

typedef struct row {
    const ldp_tokens *tokens;
    const ldp_cells *cells;
    const uint8_t *code;
    ldp_stream *stream;
    int d;
    ldp_token_law law;
    ldp_on_cell *on; /* V, zero between rows */
    double *ends; /* K: cumulative weights of components */
    ldp_token *token;
    int n, n_kept, most; /* tokens proposed so far; kept, of those that were looked up */
} row;

size_t ldp_tokens_room(int K, int V) {
    const size_t bytes = (size_t)most_tokens(V) * sizeof(ldp_token);
    return 2 * (size_t)V + (size_t)K + (bytes + sizeof(double) - 1) / sizeof(double);
}

static row row_of(const ldp_tokens *tokens, const ldp_cells *cells, const ldp_noise *noise,
                  ldp_stream *stream, int d, double total, double *room) {
    const int K = tokens->K, V = cells->V;
    row r = {.tokens = tokens,
             .cells = cells,
             .code = ldp_codes_row(cells, d),
             .stream = stream,
             .d = d,
             .law = noise->tokens(noise->state, cells, d, total, CELL_COSTS + COMPONENT_COSTS * K),
             .most = most_tokens(V)};
    r.on = (ldp_on_cell *)(void *)room;
    r.ends = room + 2 * (size_t)V;
    r.token = (ldp_token *)(void *)(r.ends + K);
    return r;
}

/* --- cells alone ------------------------------------------------------------------------------ */

static void draw_alone(const row *r, int v) {
    const ldp_tokens *const t = r->tokens;
    const double y = r->law.alone(&r->law, r->stream, v, t->mean(t->model, v));
    if (y > 0)
        t->split(t->model, r->stream, v, y);
}

/* All cells with codes above `most`. */
static void draw_all_alone(const row *r, int most) {
    for (int v = 0; v < r->cells->V; v++)
        if (r->code[v] > most && r->code[v] != LDP_CODE_MISSING)
            draw_alone(r, v);
}

/* --- proposals -------------------------------------------------------------------------------- */

/* Proposes a token of component k. */
static void propose(row *r, int k) {
    const ldp_tokens *const t = r->tokens;
    double rest;
    int before = 0;
    if (r->n == r->most)
        return;
    for (int m = t->n_tables - 1; m > 0; m--) {
        const ldp_alias *const table = t->alias[m] + (size_t)k * (size_t)t->n[m];
        const int entry = ldp_alias_entry(t->n[m], ldp_stream_uniform(r->stream), &rest);
        before = before * t->n[m] + ldp_alias_place(table, entry, rest);
    }
    const int entry = ldp_alias_entry(t->n[0], ldp_stream_uniform(r->stream), &rest);
    ldp_alias_fetch(t->alias[0] + (size_t)k * (size_t)t->n[0] + entry);
    r->token[r->n++] = (ldp_token){k, before * t->n[0] + entry, (uint32_t)rest};
}

/* Looks up the columns of the tokens from number `from` on. */
static void look_up(row *r, int from) {
    const ldp_tokens *const t = r->tokens;
    for (int i = from; i < r->n; i++) {
        ldp_token *const token = &r->token[i];
        const ldp_alias *const table = t->alias[0] + (size_t)token->k * (size_t)t->n[0];
        const int entry = t->n_tables > 1 ? token->v % t->n[0] : token->v;
        token->v += ldp_alias_place(table, entry, token->size) - entry;
        ldp_alias_fetch(r->code + token->v);
    }
}

/* Draws the sizes of these tokens, and lists those that are kept for themselves behind those
 * before. */
static void keep(row *r) {
    const ldp_token_law *const law = &r->law;
    for (int i = r->n_kept; i < r->n; i++) {
        const ldp_token token = r->token[i];
        const int code = r->code[token.v];
        if (code > law->top)
            continue;
        const int size = law->size ? law->size(law, r->stream) : 1;
        const double p = size > 0 ? law->keep(law, code, size) : 0;
        if (p < 1 && !(ldp_stream_uniform(r->stream) < p))
            continue;
        r->on[token.v].y += size;
        if (law->over)
            r->on[token.v].over += law->over(law, code, size);
        r->token[r->n_kept++] = token;
    }
    r->n = r->n_kept;
}

static void keep_proposed(row *r) {
    look_up(r, r->n_kept);
    keep(r);
}

/* A component with probability proportional to its weight, from cumulative weights: their number
 * below u. Without a branch, which would often be mispredicted. */
static int component_at(double u, int K, const double *ends) {
    const double at = u * ends[K - 1];
    const double *low = ends;
    for (int n = K; n > 1;) {
        const int half = n / 2;
        low += low[half - 1] <= at ? half : 0;
        n -= half;
    }
    return (int)(low - ends);
}

/* With few tokens, draws the component of each; with many, the number of each component. */
static void propose_all(row *r, double total) {
    const ldp_tokens *const t = r->tokens;
    const double expected = total * r->law.rate;
    const int one_by_one = expected < t->K;
    double sum = 0;
    for (int k = 0; k < t->K; k++)
        r->ends[k] = sum += t->x[k] * t->total[k];
    for (int k = 0; k < (one_by_one ? 1 : t->K); k++) {
        const double mean = one_by_one ? sum : t->x[k] * t->total[k];
        const double n = ldp_random_poisson(r->stream, mean * r->law.rate);
        for (double i = 0; i < n; i++) {
            propose(r, one_by_one ? component_at(ldp_stream_uniform(r->stream), t->K, r->ends) : k);
            if (r->n - r->n_kept == AT_ONCE)
                keep_proposed(r);
        }
    }
    keep_proposed(r);
}

/* --- acceptance ------------------------------------------------------------------------------- */

/* What became of the tokens of a cell, in place of `over`. */
enum { ACCEPTED = -1, REFUSED = -2 };

static void decide(const row *r, int v) {
    const ldp_token_law *const law = &r->law;
    ldp_on_cell *const on = &r->on[v];
    const double p = law->accept(law, v, on->y, on->over);
    const int accepted = !(p < 1) || ldp_stream_uniform(r->stream) < p;
    on->over = accepted ? ACCEPTED : REFUSED;
    if (!accepted)
        draw_alone(r, v);
    else if (law->see)
        law->see(law, v, on->y);
}

static void accept_all(const row *r) {
    const ldp_tokens *const t = r->tokens;
    for (int i = 0; i < r->n_kept; i++) {
        const ldp_token token = r->token[i];
        if (r->on[token.v].over >= 0)
            decide(r, token.v);
        if (r->on[token.v].over > REFUSED)
            t->put(t->model, r->stream, token.v, token.k);
    }
    for (int i = 0; i < r->n_kept; i++)
        r->on[r->token[i].v] = (ldp_on_cell){0, 0};
}

void ldp_tokens_draw(const ldp_tokens *tokens, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_stream *stream, int d, double *room) {
    const double total = ldp_dot(tokens->K, tokens->x, tokens->total);
    row r = row_of(tokens, cells, noise, stream, d, total, room);
    if (!(total * r.law.rate <= LDP_TOKENS_PER_CELL * cells->V)) {
        draw_all_alone(&r, -1);
        return;
    }
    propose_all(&r, total);
    accept_all(&r);
    if (r.law.top < LDP_CODE_LISTED)
        draw_all_alone(&r, r.law.top);
}
