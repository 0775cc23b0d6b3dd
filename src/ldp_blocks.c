/* One Gibbs sweep of mu_ij = sum_cd theta_ic pi_cd theta_jd under Gamma priors, over all i != j,
 * or, if the network is undirected, over i < j with a symmetric Pi:
 *
 *     y_ij | .       drawn for every active cell, split over (c, d), first c, then d
 *     theta_i. | .   Gamma(a + counts of i in either role,
 *                          b + Pi sum_j e_ij theta_j + Pi' sum_j e_ji theta_j),  actor by actor
 *     pi_cd | .      Gamma(a + sum_ij y_ij,cd,  b + sum_i theta_ic (sum_j e_ij theta_j)_d)
 *
 * In an undirected network i is the sender to all j > i and the recipient of all j < i. The weights
 * pi_cd and pi_dc are then a single weight, drawn for c <= d, with the counts and exposures of
 * both.
 *
 * The rates of an actor use the current theta of all others. Drawing all actors at once from the
 * old theta would not leave the posterior invariant. The components of one actor are independent
 * given the rest, as no cell joins an actor to itself.
 *
 * Source: Schein et al. (2019), section 5.2; the collapsed scheme is new in this package. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ldp_actors.h"
#include "ldp_allocate.h"
#include "ldp_blocks.h"
#include "ldp_exposure.h"
#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_rows.h"
#include "ldp_scale.h"
#include "ldp_shape.h"
#include "ldp_team.h"
#include "ldp_tokens.h"

/* Memory for a sweep. The first fields are shared by all threads; while threads run, each line of
 * them is written by one thread only. The other fields have a copy per thread. */
typedef struct room {
    double *pi_theta; /* V x C: Pi theta_j */
    double *pi_row; /* C x C: pi by rows, so that pi_c. is contiguous */
    double *exposure_pi; /* C x C, laid out as pi */
    double *total_sender; /* C: sum_j theta_j */
    double *total_receiver; /* C: sum_j rest_j theta_j */
    double *as_sender, *as_receiver, *exposure; /* C each */
    double *totals; /* C per part of rows: see begin_visit */
    ldp_alias *alias; /* if counts are proposed by tokens: a table of V entries for each of C */
    /* One copy per thread: */
    double *counts_theta; /* V x C, laid out as theta */
    double *counts_pi; /* C x C, laid out as pi': counts of (c, .) are contiguous */
    double *scratch, *counts_c, *sender; /* C each */
    double *of_tokens;
} room;

static size_t blocks_shared_size(int C, const ldp_cells *cells) {
    const size_t c = (size_t)C, v = (size_t)cells->V;
    return v * c + 2 * c * c + 5 * c + (size_t)ldp_parts(cells->V) * c + (cells->code ? v * c : 0);
}

static size_t blocks_thread_size(int C, const ldp_cells *cells) {
    const size_t c = (size_t)C, v = (size_t)cells->V;
    return v * c + c * c + 3 * c + (cells->code ? ldp_tokens_room(C, cells->V) : 0);
}

static size_t blocks_work_size(const void *model, const ldp_setting *at) {
    const int C = ((const ldp_blocks *)model)->C;
    return blocks_shared_size(C, at->cells) +
           (size_t)at->n_threads * blocks_thread_size(C, at->cells);
}

static room blocks_room_of(int C, const ldp_cells *cells, int thread, double *work) {
    const size_t c = (size_t)C, v = (size_t)cells->V;
    room r = {.pi_theta = work};
    r.pi_row = r.pi_theta + v * c;
    r.exposure_pi = r.pi_row + c * c;
    r.total_sender = r.exposure_pi + c * c;
    r.total_receiver = r.total_sender + c;
    r.as_sender = r.total_receiver + c;
    r.as_receiver = r.as_sender + c;
    r.exposure = r.as_receiver + c;
    r.totals = r.exposure + c;
    r.alias = (ldp_alias *)(void *)(r.totals + (size_t)ldp_parts(cells->V) * c);
    r.counts_theta =
        work + blocks_shared_size(C, cells) + (size_t)thread * blocks_thread_size(C, cells);
    r.counts_pi = r.counts_theta + v * c;
    r.scratch = r.counts_pi + c * c;
    r.counts_c = r.scratch + c;
    r.sender = r.counts_c + c;
    r.of_tokens = r.sender + c;
    return r;
}

typedef struct job {
    ldp_blocks *model;
    const ldp_setting *at;
    int from, to;
    double *work;
} job;

/* --- latent counts --------------------------------------------------------------------------- */

/* y messages from i to j: c has weight theta_ic (Pi theta_j)_c, and d given c has pi_cd theta_jd.
 */
static void blocks_split_count(const ldp_blocks *model, ldp_stream *stream, double y, int i, int j,
                               ldp_tally *of_actors, const room *r) {
    const int C = model->C;
    ldp_fill(C, r->counts_c, 0);
    ldp_allocate(stream, y, C, ldp_line(model->theta, C, i), ldp_line(r->pi_theta, C, j),
                 r->counts_c, of_actors, (size_t)i * (size_t)C, r->scratch);
    for (int c = 0; c < C; c++)
        if (r->counts_c[c] > 0)
            ldp_allocate(stream, r->counts_c[c], C, ldp_line(r->pi_row, C, c),
                         ldp_line(model->theta, C, j), ldp_line(r->counts_pi, C, c), of_actors,
                         (size_t)j * (size_t)C, r->scratch);
}

/* The cells of sender i, a few at a time. */
static void draw_counts_of(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                           int i, const room *r) {
    const double *const theta_i = ldp_line(model->theta, model->C, i);
    const size_t end = cells->active.start[i + 1];
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ROW, 0, i);
    ldp_tally of_actors = {.to = r->counts_theta};
    for (size_t e = cells->active.start[i]; e < end; e += LDP_FEW) {
        const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
        const int *const receivers = cells->active.index + e;
        double x[LDP_FEW];
        int positive[LDP_FEW];
        ldp_rows_means(model->C, theta_i, r->pi_theta, receivers, n, x);
        const int n_positive = noise->draw(noise->state, &stream, i, e, n, cells->y_tilde + e,
                                           cells->alpha[i], x, positive);
        for (int p = 0; p < n_positive; p++)
            blocks_split_count(model, &stream, x[positive[p]], i, receivers[positive[p]],
                               &of_actors, r);
    }
    ldp_tally_settle(&of_actors);
}

/* --- by tokens: a token of component d has the weight (theta_i' Pi)_d theta_jd ------------------
 */

/* Community d. */
static void blocks_build_table(void *state, int d, int thread) {
    const job *const j = state;
    const int C = j->model->C, V = j->at->cells->V;
    const room r = blocks_room_of(C, j->at->cells, thread, j->work);
    ldp_alias_build(V, j->model->theta + d, (size_t)C, r.alias + (size_t)V * (size_t)d,
                    r.of_tokens);
    memset(r.of_tokens, 0, 2 * (size_t)V * sizeof *r.of_tokens);
}

/* A sender whose tokens are drawn. */
typedef struct drawn {
    const ldp_blocks *model;
    int i;
    const room *r;
    ldp_tally of_actors;
} drawn;

static double mean_of_receiver(void *state, int v) {
    const drawn *const sender = state;
    return ldp_dot(sender->model->C, sender->r->sender,
                   ldp_line(sender->model->theta, sender->model->C, v));
}

/* The community of the sender has the weight theta_ic pi_cd. */
static void blocks_put_token(drawn *sender, ldp_stream *stream, int v, int d) {
    const ldp_blocks *const model = sender->model;
    const int C = model->C;
    const double *const theta = ldp_line(model->theta, C, sender->i);
    const double *const pi = ldp_line(model->pi, C, d);
    double left = ldp_stream_uniform(stream) * sender->r->sender[d];
    int c = 0;
    for (left -= theta[0] * pi[0]; left >= 0 && c < C - 1; left -= theta[c] * pi[c])
        c++;
    ldp_tally_add(&sender->of_actors, (size_t)sender->i * (size_t)C + (size_t)c);
    ldp_tally_add(&sender->of_actors, (size_t)v * (size_t)C + (size_t)d);
    ldp_line(sender->r->counts_pi, C, c)[d]++;
}

static void blocks_put_tokens(void *state, ldp_stream *stream, int n, const ldp_token *token) {
    for (int i = 0; i < n; i++)
        blocks_put_token(state, stream, token[i].v, token[i].k);
}

static void split_messages(void *state, ldp_stream *stream, int v, double y) {
    drawn *const sender = state;
    blocks_split_count(sender->model, stream, y, sender->i, v, &sender->of_actors, sender->r);
}

static void draw_tokens_of(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                           int i, const room *r) {
    const int C = model->C;
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ROW, 0, i);
    drawn sender = {.model = model, .i = i, .r = r, .of_actors = {.to = r->counts_theta}};
    const ldp_tokens tokens = {.K = C,
                               .n_tables = 1,
                               .n = {cells->V},
                               .alias = {r->alias},
                               .total = r->total_sender,
                               .x = r->sender,
                               .model = &sender,
                               .mean = mean_of_receiver,
                               .put = blocks_put_tokens,
                               .split = split_messages};
    for (int d = 0; d < C; d++)
        r->sender[d] = ldp_dot(C, ldp_line(model->theta, C, i), ldp_line(model->pi, C, d));
    ldp_tokens_draw(&tokens, cells, noise, &stream, i, r->of_tokens);
    ldp_tally_settle(&sender.of_actors);
}

static void draw_part(void *state, int part, int thread) {
    const job *const j = state;
    const ldp_cells *const cells = j->at->cells;
    const room r = blocks_room_of(j->model->C, cells, thread, j->work);
    const int from = j->from + part * LDP_PART, to = ldp_part_end(from, j->to);
    for (int i = from; i < to; i++)
        if (cells->code)
            draw_tokens_of(j->model, cells, &j->at->noise[thread], i, &r);
        else
            draw_counts_of(j->model, cells, &j->at->noise[thread], i, &r);
}

/* Adds up the counts of all threads, in the memory of the first thread. */
static void blocks_join_counts(const job *j) {
    const int C = j->model->C, V = j->at->cells->V;
    const room first = blocks_room_of(C, j->at->cells, 0, j->work);
    for (int t = 1; t < j->at->n_threads; t++) {
        const room r = blocks_room_of(C, j->at->cells, t, j->work);
        for (int i = 0; i < V; i++)
            ldp_add(C, ldp_line(first.counts_theta, C, i), 1, ldp_line(r.counts_theta, C, i));
        ldp_add(C * C, first.counts_pi, 1, r.counts_pi);
    }
}

/* --- factors --------------------------------------------------------------------------------- */

static ldp_actors blocks_actors_of(const ldp_blocks *model, const ldp_cells *cells,
                                   const ldp_noise *noise, const room *r) {
    return (ldp_actors){model->C,        model->directed,      model->theta,
                        cells,           noise->exposure_rest, noise->exposure_extra,
                        r->total_sender, r->total_receiver};
}

/* Draws theta, actor by actor; the two totals are updated after each. */
static void blocks_draw_theta(const ldp_blocks *model, const ldp_cells *cells,
                              const ldp_noise *noise, const room *r) {
    const int C = model->C, V = cells->V;
    const ldp_actors actors = blocks_actors_of(model, cells, noise, r);
    ldp_actors_open(actors, 0);
    for (int i = 0; i < V; i++) {
        double *const theta_i = ldp_line(model->theta, C, i);
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ITEM, 0, i);
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, r->as_sender, r->scratch);
        ldp_actors_as_receiver(actors, i, r->as_receiver);
        ldp_fill(C, r->exposure, 0);
        ldp_actors_times(C, model->pi, r->as_sender, r->exposure);
        ldp_actors_transposed_times(C, model->pi, r->as_receiver, r->exposure);
        const ldp_gamma_prior prior =
            ldp_groups_prior(model->groups, model->prior_theta, i, r->exposure);
        ldp_gamma_move(&stream, model->reflect, C, prior, ldp_line(r->counts_theta, C, i),
                       r->exposure, theta_i);
        ldp_actors_end_turn(actors, i);
    }
}

/* The counts of pi are in pi_row. */
static void draw_shape_of_pi(ldp_blocks *model, const room *r) {
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SHAPE, 1, 0);
    ldp_shape_sums sums = {0, 0};
    for (int d = 0; d < model->C; d++)
        ldp_shape_add(&stream, model->directed ? model->C : d + 1, model->prior_pi, NULL,
                      ldp_line(r->pi_row, model->C, d), ldp_line(r->exposure_pi, model->C, d),
                      &sums);
    model->prior_pi.shape = ldp_shape_draw(&stream, model->prior_pi, sums);
}

/* Given the weights, since those of an actor cannot be integrated out together with those of
 * others: the exposures of an actor depend on these. */
static void draw_shape_of_theta(ldp_blocks *model, int V) {
    const int C = model->C;
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SHAPE, 0, 0);
    double logs = 0;
    for (int i = 0; i < V; i++)
        for (int c = 0; c < C; c++) {
            const double of_group = model->groups ? ldp_groups_of_row(model->groups, i)[c] : 1;
            logs += log(ldp_line(model->theta, C, i)[c]) + log(model->prior_theta.rate * of_group);
        }
    model->prior_theta.shape =
        ldp_shape_draw_given(&stream, model->prior_theta, (double)C * V, logs);
}

static void draw_pi(ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                    const room *r) {
    const int C = model->C, V = cells->V;
    const ldp_actors actors = blocks_actors_of(model, cells, noise, r);
    ldp_actors_open(actors, 0);
    ldp_fill(C * C, r->exposure_pi, 0);
    for (int i = 0; i < V; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, r->as_sender, r->scratch);
        for (int d = 0; d < C; d++)
            ldp_add(C, ldp_line(r->exposure_pi, C, d), r->as_sender[d],
                    ldp_line(model->theta, C, i));
        ldp_actors_end_turn(actors, i);
    }
    for (int d = 0; d < C; d++) /* pi_row is no longer needed */
        for (int c = 0; c < C; c++)
            r->pi_row[c + d * C] = r->counts_pi[d + c * C];
    if (!model->directed) {
        ldp_actors_fold(C, r->pi_row);
        ldp_actors_fold(C, r->exposure_pi);
    }
    const int is_due = ldp_shape_is_due(model->seed, model->reflect);
    if (ldp_shape_is_estimated(model->prior_pi) && is_due)
        draw_shape_of_pi(model, r);
    const double reflect = ldp_shape_reflect(model->prior_pi, is_due, model->reflect);
    for (int d = 0; d < C; d++) {
        ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_ITEM, 1, d);
        ldp_gamma_move(&stream, reflect, model->directed ? C : d + 1, model->prior_pi,
                       ldp_line(r->pi_row, C, d), ldp_line(r->exposure_pi, C, d),
                       ldp_line(model->pi, C, d));
    }
    if (!model->directed)
        ldp_actors_mirror(C, model->pi);
}

/* Multiplies pi_cd and pi_dc (d != c) by `by`, and pi_cc by the square of `by`; no weight falls
 * below DBL_MIN */
static void blocks_scale_community(const ldp_blocks *model, int c, double by) {
    const int C = model->C;
    for (int d = 0; d < C; d++) {
        double *const out = &model->pi[c + d * C], *const in = &model->pi[d + c * C];
        *out = fmax(*out * by, DBL_MIN);
        *in = fmax(*in * by, DBL_MIN); /* if d = c, a second time */
    }
}

/* The number of weights of pi. */
static double blocks_n_weights(const ldp_blocks *model) {
    const double C = model->C;
    return model->directed ? C * C : C * (C + 1) / 2;
}

static double sum_of_weights(const ldp_blocks *model) {
    const int C = model->C;
    double sum = 0;
    for (int d = 0; d < C; d++)
        for (int c = 0; c < (model->directed ? C : d + 1); c++)
            sum += model->pi[c + d * C];
    return sum;
}

/* The same moves as in blocks_rescale(), which divide the relative rates of groups by s as well.
 * `scale`: C doubles. */
static void blocks_shift_groups(const ldp_blocks *model, ldp_stream *stream, int V, double *scale) {
    const ldp_groups *const groups = model->groups;
    const int C = model->C;
    const ldp_gamma_prior none = {.rate = 0};
    for (int c = 0; c < C; c++) {
        const double t = ldp_groups_shift(
            stream, groups, c,
            ldp_actors_scale(C, model->directed, c, V, none, 0, model->prior_pi, model->pi));
        blocks_scale_community(model, c, exp(-t));
        scale[c] = exp(t);
    }
    ldp_scale_lines(C, V, model->theta, scale);
    ldp_groups_relate(groups);
}

/* The sums of theta_.c over all actors, weighted by their relative rates if they have groups. */
static void total_theta(const ldp_blocks *model, int V, double *total) {
    if (!model->groups) {
        ldp_exposure_total((ldp_weighted){model->C, 0, V, model->theta, NULL}, total);
        return;
    }
    ldp_groups_add_up(model->groups, V, model->theta);
    ldp_groups_total(model->groups, total);
}

/* Draws the relative rates, after theta was multiplied by `scale`. */
static void draw_groups(ldp_blocks *model, ldp_stream *stream, const double *scale) {
    ldp_groups_scale(model->groups, scale);
    ldp_groups_draw(stream, model->groups, model->prior_theta);
    model->prior_theta.rate = ldp_groups_balance(stream, model->groups, model->prior_theta);
}

/* For each community c, multiplies theta_.c by a random s, and divides pi_cd and pi_dc (d != c) by
 * s and pi_cc by s^2. Draws the estimated rates of priors and the relative rates of groups. */
static void blocks_rescale(ldp_blocks *model, int V, double *work) {
    const int C = model->C;
    ldp_gamma_prior *const of_theta = &model->prior_theta, *const of_pi = &model->prior_pi;
    double sum_theta = 0;
    ldp_stream stream = ldp_stream_for(model->seed, LDP_USE_SCALE, 0, 0);
    ldp_stream of_groups = ldp_stream_for(model->seed, LDP_USE_GROUPS, 0, 0);
    if (model->groups)
        blocks_shift_groups(model, &of_groups, V, work);
    total_theta(model, V, work);
    for (int c = 0; c < C; c++) {
        const double t =
            ldp_scale_draw(&stream, ldp_actors_scale(C, model->directed, c, V, *of_theta, work[c],
                                                     *of_pi, model->pi));
        blocks_scale_community(model, c, exp(-t));
        sum_theta += work[c] * exp(t);
        work[c] = exp(t);
    }
    ldp_scale_lines(C, V, model->theta, work);
    of_theta->rate = ldp_gamma_rate(&stream, *of_theta, (double)C * V, sum_theta);
    of_pi->rate = ldp_gamma_rate(&stream, *of_pi, blocks_n_weights(model), sum_of_weights(model));
    if (model->groups)
        draw_groups(model, &of_groups, work);
    if (model->rates) {
        model->rates[0] = of_theta->rate;
        model->rates[1] = of_pi->rate;
    }
    if (ldp_shape_is_estimated(*of_theta))
        draw_shape_of_theta(model, V);
    if (model->shapes) {
        model->shapes[0] = of_theta->shape;
        model->shapes[1] = of_pi->shape;
    }
}

/* --- a sweep: latent counts, then factors ----------------------------------------------------- */

static int blocks_next(const void *model, const ldp_setting *at, int phase, const double *work) {
    (void)model;
    (void)at;
    (void)work;
    return phase == 0 ? 1 : LDP_NO_PHASE;
}

static ldp_lines blocks_lines(const void *model, int phase) {
    (void)model;
    return phase == 0 ? LDP_ROWS : LDP_WHOLE;
}

static void blocks_begin(void *model, const ldp_setting *at, int phase, uint64_t seed,
                         double *work) {
    ldp_blocks *const m = model;
    const int C = m->C, V = at->cells->V;
    const room r = blocks_room_of(C, at->cells, 0, work);
    const job j = {model, at, 0, 0, work};
    if (phase > 0)
        return;
    m->seed = seed;
    memset(work, 0, blocks_work_size(model, at) * sizeof *work);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < C; d++)
            r.pi_row[c * C + d] = m->pi[c + d * C];
    for (int i = 0; i < V; i++)
        ldp_actors_times(C, m->pi, ldp_line(m->theta, C, i), ldp_line(r.pi_theta, C, i));
    if (!at->cells->code)
        return;
    ldp_exposure_total((ldp_weighted){C, 0, V, m->theta, NULL}, r.total_sender);
    ldp_team_run(at->n_threads, C, blocks_build_table, (void *)&j);
}

static void blocks_range(void *model, const ldp_setting *at, int phase, int from, int to,
                         double *work) {
    job j = {model, at, from, to, work};
    const room r = blocks_room_of(j.model->C, at->cells, 0, work);
    if (phase == 0) {
        ldp_team_run(at->n_threads, ldp_parts(to - from), draw_part, &j);
        return;
    }
    blocks_join_counts(&j);
    blocks_draw_theta(model, at->cells, at->noise, &r);
    draw_pi(model, at->cells, at->noise, &r);
}

static void blocks_end(void *model, const ldp_setting *at, int phase, double *work) {
    if (phase == 1)
        blocks_rescale(model, at->cells->V, work);
}

/* The scalable factor is pi: every mean is linear in it, and none of its weights belongs to a
 * single row. In an undirected network pi stores each weight off its diagonal twice, so the shape
 * and the rate are reduced to give the prior of each weight only once. */
static ldp_scalable blocks_scalable(const void *blocks, const ldp_setting *at) {
    const ldp_blocks *const model = blocks;
    const int C = model->C;
    double sum = 0;
    (void)at;
    for (int i = 0; i < C * C; i++)
        sum += model->pi[i];
    return (ldp_scalable){.n = C,
                          .n_all = C,
                          .K = C,
                          .factor = model->pi,
                          .shape =
                              model->prior_pi.shape * blocks_n_weights(model) / ((double)C * C),
                          .rate = model->prior_pi.rate * sum_of_weights(model) / sum};
}

/* --- means ----------------------------------------------------------------------------------- */

static ldp_actors readers(const ldp_blocks *model, const ldp_cells *cells) {
    return (ldp_actors){
        .C = model->C, .directed = model->directed, .theta = model->theta, .cells = cells};
}

/* Computes, for the first row of each part, the sum of theta_j over all actors that it may send to,
 * itself included: all actors, or, if the network is undirected, the actors from this row on. */
static void blocks_begin_visit(const void *blocks, const ldp_setting *at, double *work) {
    const ldp_blocks *const model = blocks;
    const int C = model->C, V = at->cells->V;
    double *const totals = blocks_room_of(C, at->cells, 0, work).totals;
    for (int part = ldp_parts(V) - 1; part >= 0; part--) {
        const int from = part * LDP_PART;
        double *const total = ldp_line(totals, C, part);
        ldp_exposure_total((ldp_weighted){C, from, ldp_part_end(from, V), model->theta, NULL},
                           total);
        if (part < ldp_parts(V) - 1)
            ldp_add(C, total, 1, total + C);
    }
    for (int part = 1; model->directed && part < ldp_parts(V); part++)
        memcpy(ldp_line(totals, C, part), totals, (size_t)C * sizeof *totals);
}

/* `others`: the sum of theta_j over the actors that i may send to */
static void visit_sender(const ldp_blocks *model, const ldp_cells *cells, int i,
                         const double *others, double *sender, ldp_visitor visitor) {
    const int C = model->C;
    for (int d = 0; d < C; d++) /* (theta_i' Pi)_d, so that mu_ij = sum_d sender_d theta_jd */
        sender[d] = ldp_dot(C, ldp_line(model->theta, C, i), ldp_line(model->pi, C, d));
    ldp_margin_visit(C, sender, model->theta, others, cells, i, visitor);
}

static void blocks_visit(const void *blocks, const ldp_setting *at, int from, int to, int thread,
                         ldp_visitor visitor, double *work) {
    const ldp_blocks *const model = blocks;
    const int C = model->C;
    const room r = blocks_room_of(C, at->cells, thread, work);
    const ldp_actors actors = readers(model, at->cells);
    double *const others = r.counts_c;
    for (int i = from; i < to; i++) {
        if (i % LDP_PART == 0)
            memcpy(others, ldp_line(r.totals, C, i / LDP_PART), (size_t)C * sizeof *others);
        ldp_exposure_leave_out(ldp_actors_recipients(actors, i), i, others);
        visit_sender(model, at->cells, i, others, r.scratch, visitor);
        if (model->directed)
            ldp_add(C, others, 1, ldp_line(model->theta, C, i));
    }
}

const ldp_kernel ldp_blocks_kernel = {.next = blocks_next,
                                      .lines = blocks_lines,
                                      .work = blocks_work_size,
                                      .begin = blocks_begin,
                                      .range = blocks_range,
                                      .end = blocks_end,
                                      .begin_visit = blocks_begin_visit,
                                      .visit = blocks_visit,
                                      .scalable = blocks_scalable};
