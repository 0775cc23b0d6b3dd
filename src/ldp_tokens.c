#include <math.h>

#include "ldp_fetch.h"
#include "ldp_logs.h"
#include "ldp_math.h"
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
    int32_t *n_on; /* V, in the same place: the number of tokens, if all have the size 1 */
    double *ends; /* K: cumulative weights of components, in tokens */
    ldp_token *token, *apart; /* apart: those that are not decided at once */
    int n_kept, most; /* tokens kept so far; the most that are proposed */
} row;

size_t ldp_tokens_room(int K, int V) {
    const size_t bytes = 2 * (size_t)most_tokens(V) * sizeof(ldp_token);
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
    r.n_on = (int32_t *)(void *)room;
    r.ends = room + 2 * (size_t)V;
    r.token = (ldp_token *)(void *)(r.ends + K);
    r.apart = r.token + r.most;
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

/* Tokens are the events of a Poisson process along the cumulative weights of components. So those
 * of a component come one after another, and its table stays near. */
typedef struct walk {
    double at;
    int k;
} walk;

/* The components of the next tokens, at most n; returns their number, which is smaller at the end.
 */
static int find_components(const row *r, walk *w, int n, ldp_token *token) {
    const double *const ends = r->ends, end = ends[r->tokens->K - 1];
    double u[AT_ONCE];
    double at = w->at;
    int i = 0, k = w->k;
    draw_uniforms(r->stream, n, u);
    ldp_logs(n, u, u);
    for (; i < n; i++) {
        at -= u[i];
        if (!(at < end))
            break;
        while (at >= ends[k])
            k++;
        token[i].k = k;
    }
    *w = (walk){at, k};
    return i;
}

/* Uses one table more, that of mode m. */
static void find_indices(const row *r, int m, int n, ldp_token *token) {
    const int extent = r->tokens->n[m];
    const ldp_alias *const tables = r->tokens->alias[m], *table[AT_ONCE];
    int entry[AT_ONCE];
    uint32_t rest[AT_ONCE];
    ldp_stream s = *r->stream; /* in registers */
    for (int i = 0; i < n; i++) {
        const uint64_t bits = ldp_stream_next(&s);
        entry[i] = ldp_alias_entry(extent, bits);
        rest[i] = (uint32_t)bits;
        table[i] = tables + (size_t)token[i].k * (size_t)extent;
        ldp_fetch(table[i] + entry[i]);
    }
    *r->stream = s;
    for (int i = 0; i < n; i++)
        token[i].v = token[i].v * extent + ldp_alias_place(table[i], entry[i], rest[i]);
}

static void find_columns(const row *r, int n, ldp_token *token) {
    for (int i = 0; i < n; i++)
        token[i].v = 0;
    for (int m = r->tokens->n_tables - 1; m >= 0; m--)
        find_indices(r, m, n, token);
    for (int i = 0; i < n; i++)
        ldp_fetch(r->code + token[i].v);
}

/* Of n tokens behind those that are kept, lists those that are kept for themselves; without a
 * branch, which would often be mispredicted. */
static void keep_units(row *r, int n) {
    const uint8_t *const code = r->code;
    const uint64_t square = ldp_stream_values_below(r->law.square);
    const ldp_token *const proposed = r->token + r->n_kept;
    int32_t *const on = r->n_on;
    ldp_token *next = r->token + r->n_kept;
    ldp_stream s = *r->stream; /* in registers */
    for (int i = 0; i < n; i++) {
        const ldp_token token = proposed[i];
        const int at = code[token.v], is_passed = ldp_stream_is_below(&s, square);
        const int is_kept = ((at > 0) | is_passed) & (at < LDP_CODE_MISSING);
        on[token.v] += is_kept;
        *next = token;
        next += is_kept;
    }
    *r->stream = s;
    r->n_kept = (int)(next - r->token);
}

/* The same with sizes, which are drawn. */
static void keep_sizes(row *r, int n) {
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

static void propose_all(row *r) {
    const ldp_tokens *const t = r->tokens;
    walk w = {0, 0};
    double sum = 0;
    int left = r->most, n, found;
    for (int k = 0; k < t->K; k++)
        r->ends[k] = sum += r->law.rate * t->x[k] * t->total[k];
    do {
        const double mean = sum - w.at; /* of the number that is left */
        n = (int)fmin(mean + 2 * sqrt(mean) + 4, left < AT_ONCE ? left : AT_ONCE);
        found = find_components(r, &w, n, r->token + r->n_kept);
        find_columns(r, found, r->token + r->n_kept);
        if (r->law.keep)
            keep_sizes(r, found);
        else
            keep_units(r, found);
        left -= found;
    } while (found == n && left > 0);
}

/* --- acceptance ------------------------------------------------------------------------------- */

/* The tokens of column v, with sum y, are all accepted, or refused, and the cell is drawn alone. */
static int decide(const row *r, int v, double y, double over) {
    const ldp_token_law *const law = &r->law;
    const double p = law->accept(law, v, y, over);
    const int is_accepted = !(p < 1) || ldp_stream_uniform(r->stream) < p;
    if (!is_accepted)
        draw_alone(r, v);
    else if (law->see)
        law->see(law, v, y);
    return is_accepted;
}

/* What became of the tokens of a cell, in place of their number or of `over`. */
enum { ACCEPTED = -1, REFUSED = -2 };

/* Most cells have no more tokens than their release; the tokens of others are set apart. */
static void accept_units(const row *r) {
    const uint8_t *const code = r->code;
    int32_t *const on = r->n_on;
    ldp_token *const accepted = r->token, *const apart = r->apart;
    int n = 0, n_apart = 0;
    for (int i = 0; i < r->n_kept; i++) {
        const ldp_token token = accepted[i];
        const int at = code[token.v], is_within = (at == 0) | (on[token.v] <= at);
        accepted[n] = token;
        n += is_within;
        apart[n_apart] = token;
        n_apart += !is_within;
    }
    for (int i = 0; i < n; i++)
        on[accepted[i].v] = 0;
    for (int i = 0; i < n_apart; i++) {
        int32_t *const here = &on[apart[i].v];
        if (*here > 0)
            *here = decide(r, apart[i].v, *here, 0) ? ACCEPTED : REFUSED;
        accepted[n] = apart[i];
        n += *here == ACCEPTED;
    }
    for (int i = 0; i < n_apart; i++)
        on[apart[i].v] = 0;
    r->tokens->put(r->tokens->model, r->stream, n, accepted);
}

static void accept_sizes(const row *r) {
    ldp_token *const accepted = r->token, *const all = r->apart;
    int n = 0;
    for (int i = 0; i < r->n_kept; i++) {
        const ldp_token token = all[i] = accepted[i];
        ldp_on_cell *const on = &r->on[token.v];
        if (on->over >= 0)
            on->over = decide(r, token.v, on->y, on->over) ? ACCEPTED : REFUSED;
        accepted[n] = token;
        n += on->over > REFUSED;
    }
    for (int i = 0; i < r->n_kept; i++)
        r->on[all[i].v] = (ldp_on_cell){0, 0};
    r->tokens->put(r->tokens->model, r->stream, n, accepted);
}

void ldp_tokens_draw(const ldp_tokens *tokens, const ldp_cells *cells, const ldp_noise *noise,
                     ldp_stream *stream, int d, double *room) {
    const double total = ldp_dot(tokens->K, tokens->x, tokens->total);
    row r = row_of(tokens, cells, noise, stream, d, total, room);
    if (!(total * r.law.rate <= LDP_TOKENS_PER_CELL * cells->V)) {
        draw_all_alone(&r, -1);
        return;
    }
    propose_all(&r);
    if (r.law.keep)
        accept_sizes(&r);
    else
        accept_units(&r);
    if (r.law.top < LDP_CODE_LISTED)
        draw_all_alone(&r, r.law.top);
}
