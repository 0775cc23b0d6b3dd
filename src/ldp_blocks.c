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

#include "ldp_actors.h"
#include "ldp_allocate.h"
#include "ldp_blocks.h"
#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_rows.h"
#include "ldp_scale.h"

typedef struct workspace {
    double *counts_theta; /* V x C, laid out as theta */
    double *counts_pi; /* C x C, laid out as pi': counts of (c, .) are contiguous */
    double *pi_theta; /* V x C: Pi theta_j */
    double *pi_row; /* C x C: pi by rows, so that pi_c. is contiguous */
    double *exposure_pi; /* C x C, laid out as pi */
    double *total_sender; /* C: sum_j theta_j */
    double *total_receiver; /* C: sum_j rest_j theta_j */
    double *as_sender, *as_receiver, *exposure, *scratch, *counts_c; /* C each */
} workspace;

size_t ldp_blocks_work(int C, int V) {
    const size_t c = (size_t)C, v = (size_t)V;
    return 2 * v * c + 3 * c * c + 7 * c;
}

static workspace partition(double *work, int C, int V) {
    const size_t c = (size_t)C, v = (size_t)V;
    workspace w;
    w.counts_theta = work;
    w.pi_theta = work + v * c;
    w.counts_pi = w.pi_theta + v * c;
    w.pi_row = w.counts_pi + c * c;
    w.exposure_pi = w.pi_row + c * c;
    w.total_sender = w.exposure_pi + c * c;
    w.total_receiver = w.total_sender + c;
    w.as_sender = w.total_receiver + c;
    w.as_receiver = w.as_sender + c;
    w.exposure = w.as_receiver + c;
    w.scratch = w.exposure + c;
    w.counts_c = w.scratch + c;
    return w;
}

/* y messages from i to j: c has weight theta_ic (Pi theta_j)_c, and d given c has pi_cd theta_jd.
 */
static void split_count(const ldp_blocks *model, ldp_stream *stream, double y, int i, int j,
                        ldp_tally *of_actors, workspace w) {
    const int C = model->C;
    ldp_fill(C, w.counts_c, 0);
    ldp_allocate(stream, y, C, ldp_line(model->theta, C, i), ldp_line(w.pi_theta, C, j), w.counts_c,
                 of_actors, (size_t)i * (size_t)C, w.scratch);
    for (int c = 0; c < C; c++)
        if (w.counts_c[c] > 0)
            ldp_allocate(stream, w.counts_c[c], C, ldp_line(w.pi_row, C, c),
                         ldp_line(model->theta, C, j), ldp_line(w.counts_pi, C, c), of_actors,
                         (size_t)j * (size_t)C, w.scratch);
}

/* The cells of sender i, a few at a time. */
static void draw_counts_of(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                           int i, workspace w) {
    const double *const theta_i = ldp_line(model->theta, model->C, i);
    const size_t end = cells->active.start[i + 1];
    ldp_stream stream = ldp_stream_open();
    ldp_tally of_actors = {.to = w.counts_theta};
    for (size_t e = cells->active.start[i]; e < end; e += LDP_FEW) {
        const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
        const int *const receivers = cells->active.index + e;
        double x[LDP_FEW];
        int positive[LDP_FEW];
        ldp_rows_means(model->C, theta_i, w.pi_theta, receivers, n, x);
        const int n_positive = noise->draw(noise->state, &stream, i, e, n, cells->y_tilde + e,
                                           cells->alpha[i], x, positive);
        for (int p = 0; p < n_positive; p++)
            split_count(model, &stream, x[positive[p]], i, receivers[positive[p]], &of_actors, w);
    }
    ldp_tally_settle(&of_actors);
}

void ldp_blocks_open(const ldp_blocks *model, int V, double *work) {
    const int C = model->C;
    const workspace w = partition(work, C, V);
    ldp_fill(C * C, w.counts_pi, 0);
    for (int c = 0; c < C; c++)
        for (int d = 0; d < C; d++)
            w.pi_row[c * C + d] = model->pi[c + d * C];
    for (int j = 0; j < V; j++) {
        ldp_fill(C, ldp_line(w.counts_theta, C, j), 0);
        ldp_fill(C, ldp_line(w.pi_theta, C, j), 0);
        ldp_actors_times(C, model->pi, ldp_line(model->theta, C, j), ldp_line(w.pi_theta, C, j));
    }
}

/* Step 1: latent counts. */
void ldp_blocks_counts(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                       int from, int to, double *work) {
    const workspace w = partition(work, model->C, cells->V);
    for (int i = from; i < to; i++)
        draw_counts_of(model, cells, noise, i, w);
}

static ldp_actors actors_of(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                            workspace w) {
    return (ldp_actors){model->C,       model->directed,      model->theta,
                        cells,          noise->exposure_rest, noise->exposure_excess,
                        w.total_sender, w.total_receiver};
}

/* Step 2: theta, actor by actor; the two totals are updated after each. */
static void draw_theta(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                       workspace w) {
    const int C = model->C, V = cells->V;
    const ldp_actors actors = actors_of(model, cells, noise, w);
    ldp_stream stream = ldp_stream_open();
    ldp_actors_open(actors);
    for (int i = 0; i < V; i++) {
        double *const theta_i = ldp_line(model->theta, C, i);
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, w.as_sender, w.scratch);
        ldp_actors_as_receiver(actors, i, w.as_receiver);
        ldp_fill(C, w.exposure, 0);
        ldp_actors_times(C, model->pi, w.as_sender, w.exposure);
        ldp_actors_transposed_times(C, model->pi, w.as_receiver, w.exposure);
        ldp_gamma_move(&stream, model->reflect, C, model->prior_theta,
                       ldp_line(w.counts_theta, C, i), w.exposure, theta_i);
        ldp_actors_end_turn(actors, i);
    }
}

/* Step 3: pi. */
static void draw_pi(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                    workspace w) {
    const int C = model->C, V = cells->V;
    const ldp_actors actors = actors_of(model, cells, noise, w);
    ldp_actors_open(actors);
    ldp_fill(C * C, w.exposure_pi, 0);
    for (int i = 0; i < V; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, w.as_sender, w.scratch);
        for (int d = 0; d < C; d++)
            ldp_add(C, ldp_line(w.exposure_pi, C, d), w.as_sender[d], ldp_line(model->theta, C, i));
        ldp_actors_end_turn(actors, i);
    }
    for (int d = 0; d < C; d++) /* pi_row is no longer needed */
        for (int c = 0; c < C; c++)
            w.pi_row[c + d * C] = w.counts_pi[d + c * C];
    if (!model->directed) {
        ldp_actors_fold(C, w.pi_row);
        ldp_actors_fold(C, w.exposure_pi);
    }
    ldp_stream stream = ldp_stream_open();
    for (int d = 0; d < C; d++)
        ldp_gamma_move(&stream, model->reflect, model->directed ? C : d + 1, model->prior_pi,
                       ldp_line(w.pi_row, C, d), ldp_line(w.exposure_pi, C, d),
                       ldp_line(model->pi, C, d));
    if (!model->directed)
        ldp_actors_mirror(C, model->pi);
}

void ldp_blocks_factors(const ldp_blocks *model, const ldp_cells *cells, const ldp_noise *noise,
                        double *work) {
    const workspace w = partition(work, model->C, cells->V);
    draw_theta(model, cells, noise, w);
    draw_pi(model, cells, noise, w);
}

/* Multiplies pi_cd and pi_dc (d != c) by `by`, and pi_cc by the square of `by`; no weight falls
 * below DBL_MIN */
static void scale_community(ldp_blocks *model, int c, double by) {
    const int C = model->C;
    for (int d = 0; d < C; d++) {
        double *const out = &model->pi[c + d * C], *const in = &model->pi[d + c * C];
        *out = fmax(*out * by, DBL_MIN);
        *in = fmax(*in * by, DBL_MIN); /* if d = c, a second time */
    }
}

/* The number of weights of pi. */
static double n_weights(const ldp_blocks *model) {
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

/* For each community c, multiplies theta_.c by a random s, and divides pi_cd and pi_dc (d != c) by
 * s and pi_cc by s^2. */
void ldp_blocks_rescale(ldp_blocks *model, int V, double *work) {
    const int C = model->C;
    ldp_gamma_prior *const of_theta = &model->prior_theta, *const of_pi = &model->prior_pi;
    double sum_theta = 0;
    ldp_exposure_total((ldp_weighted){C, 0, V, model->theta, NULL}, work);
    for (int c = 0; c < C; c++) {
        const double t = ldp_scale_draw(
            ldp_actors_scale(C, model->directed, c, V, *of_theta, work[c], *of_pi, model->pi));
        scale_community(model, c, exp(-t));
        sum_theta += work[c] * exp(t);
        work[c] = exp(t);
    }
    ldp_scale_lines(C, V, model->theta, work);
    of_theta->rate = ldp_gamma_rate(*of_theta, (double)C * V, sum_theta);
    of_pi->rate = ldp_gamma_rate(*of_pi, n_weights(model), sum_of_weights(model));
}

/* In an undirected network pi stores each weight off its diagonal twice, so the shape and the rate
 * are reduced to give the prior of each weight only once. */
ldp_scalable ldp_blocks_scalable(const ldp_blocks *model) {
    const int C = model->C;
    double sum = 0;
    for (int i = 0; i < C * C; i++)
        sum += model->pi[i];
    return (ldp_scalable){.n = C,
                          .K = C,
                          .factor = model->pi,
                          .shape = model->prior_pi.shape * n_weights(model) / ((double)C * C),
                          .rate = model->prior_pi.rate * sum_of_weights(model) / sum};
}

void ldp_blocks_visit(const ldp_blocks *model, const ldp_cells *cells, ldp_visitor visitor,
                      double *work) {
    const int C = model->C;
    double *const total = work, *const sender = work + C;
    const ldp_actors actors = {
        .C = C, .directed = model->directed, .theta = model->theta, .cells = cells};
    ldp_exposure_total(ldp_actors_recipients(actors, 0), total);
    for (int i = 0; i < cells->V; i++) {
        const double *const theta_i = ldp_line(model->theta, C, i);
        const size_t end = cells->active.start[i + 1];
        for (int d = 0; d < C; d++) /* (theta_i' Pi)_d, so that mu_ij = sum_d sender_d theta_jd */
            sender[d] = ldp_dot(C, theta_i, ldp_line(model->pi, C, d));
        ldp_exposure_leave_out(ldp_actors_recipients(actors, i), i, total);
        double rest = ldp_dot(C, sender, total);
        for (size_t e = cells->missing.start[i]; e < cells->missing.start[i + 1]; e++)
            rest -= ldp_dot(C, sender, ldp_line(model->theta, C, cells->missing.index[e]));
        for (size_t e = cells->active.start[i]; e < end; e += LDP_FEW) {
            const int n = end - e < LDP_FEW ? (int)(end - e) : LDP_FEW;
            double mean[LDP_FEW];
            ldp_rows_means(C, sender, model->theta, cells->active.index + e, n, mean);
            visitor.cells(visitor.state, i, e, n, mean);
            for (int j = 0; j < n; j++)
                rest -= mean[j];
        }
        visitor.rest(visitor.state, i, rest > 0 ? rest : 0);
        if (model->directed)
            ldp_add(C, total, 1, theta_i);
    }
}
