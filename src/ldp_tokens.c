#include <math.h>

#include "ldp_lanes.h"
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
    double *ends; /* K + LDP_LANES: cumulative weights of components */
    ldp_token *token;
    int n_kept, most; /* tokens kept so far; the most that are proposed */
} row;

size_t ldp_tokens_room(int K, int V) {
    const size_t bytes = (size_t)most_tokens(V) * sizeof(ldp_token);
    return 2 * (size_t)V + (size_t)K + LDP_LANES + (bytes + sizeof(double) - 1) / sizeof(double);
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
    r.token = (ldp_token *)(void *)(r.ends + K + LDP_LANES);
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

static void draw_uniforms(ldp_stream *stream, int n, double *u) {
    ldp_stream s = *stream; /* in registers */
    for (int i = 0; i < n; i++)
        u[i] = ldp_stream_uniform(&s);
    *stream = s;
}

/* The components at shares u of the total: the numbers of cumulative weights up to there. The last
 * of these, which are a multiple of LDP_LANES, are infinite. */
LDP_CLONES
static void find_components(int K, const double *ends, double total, int n, const double *u,
                            ldp_token *token) {
    for (int i = 0; i < n; i++) {
        ldp_lanes below = {0};
        for (int k = 0; k < K; k += LDP_LANES)
            below += LDP_LANES_WHERE(*ldp_lanes_at(ends + k) <= u[i] * total, (ldp_lanes){0} + 1);
        token[i].k = (int32_t)ldp_lanes_sum(&below);
    }
}

/* The entry of its table in mode m that each token falls on, and how far into it. */
static void find_entries(const row *r, int m, int n, ldp_token *token) {
    const ldp_tokens *const t = r->tokens;
    ldp_stream s = *r->stream; /* in registers */
    for (int i = 0; i < n; i++) {
        const uint64_t bits = ldp_stream_next(&s);
        token[i].entry = ldp_alias_entry(t->n[m], bits);
        token[i].size = (uint32_t)bits;
        ldp_alias_fetch(t->alias[m] + (size_t)token[i].k * (size_t)t->n[m] + token[i].entry);
    }
    *r->stream = s;
}

static void find_columns(const row *r, int n, ldp_token *token) {
    const ldp_tokens *const t = r->tokens;
    for (int i = 0; i < n; i++)
        token[i].v = 0;
    for (int m = t->n_tables - 1; m >= 0; m--) {
        find_entries(r, m, n, token);
        for (int i = 0; i < n; i++) {
            const ldp_alias *const table = t->alias[m] + (size_t)token[i].k * (size_t)t->n[m];
            token[i].v =
                token[i].v * t->n[m] + ldp_alias_place(table, token[i].entry, token[i].size);
        }
    }
    for (int i = 0; i < n; i++)
        ldp_alias_fetch(r->code + token[i].v);
}

/* Draws the sizes of n tokens behind those that are kept, and lists those that are kept for
 * themselves; without a branch, which would often be mispredicted. */
static void keep(row *r, int n) {
    const ldp_token_law *const law = &r->law;
    const ldp_token *const proposed = r->token + r->n_kept;
    double u[AT_ONCE];
    draw_uniforms(r->stream, n, u);
    for (int i = 0; i < n; i++) {
        const ldp_token token = proposed[i];
        const int code = r->code[token.v];
        if (code > law->top)
            continue;
        const int size = law->size ? law->size(law, r->stream) : 1;
        const double p = size > 0 ? law->keep(law, code, size) : 0;
        const int is_kept = u[i] < p;
        r->on[token.v].y += is_kept ? size : 0;
        if (law->over && is_kept)
            r->on[token.v].over += law->over(law, code, size);
        r->token[r->n_kept] = token;
        r->n_kept += is_kept;
    }
}

static void propose_all(row *r, double total) {
    const ldp_tokens *const t = r->tokens;
    int left = (int)fmin(ldp_random_poisson(r->stream, total * r->law.rate), r->most);
    double sum = 0, u[AT_ONCE];
    for (int k = 0; k < t->K; k++)
        r->ends[k] = sum += t->x[k] * t->total[k];
    for (int k = t->K - 1; k < t->K || k % LDP_LANES != 0; k++)
        r->ends[k] = INFINITY;
    while (left > 0) {
        const int n = left < AT_ONCE ? left : AT_ONCE;
        draw_uniforms(r->stream, n, u);
        find_components(t->K, r->ends, sum, n, u, r->token + r->n_kept);
        find_columns(r, n, r->token + r->n_kept);
        keep(r, n);
        left -= n;
    }
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
