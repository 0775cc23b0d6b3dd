/* Coordinate ascent for q(theta) q(pi) q(counts), with gamma distributions of all weights:
 *
 *     theta_ic   shape a + sum_j E[y_ij,c. + y_ji,.c],
 *                rate b + sum_j e_ij (E[Pi] E[theta_j])_c + sum_j e_ji (E[Pi]' E[theta_j])_c
 *     pi_cd      shape a + sum_ij E[y_ij,cd],   rate b + sum_ij e_ij E[theta_ic] E[theta_jd]
 *
 * actor by actor, each with the current means of all others, and E[y_ij,cd] = w_ij G[theta_ic]
 * G[pi_cd] G[theta_jd]. Of these only sums are kept: with z_i = sum_j w_ij G[theta_j] and u_j =
 * sum_i w_ij G[theta_i]
 *
 *     of i as a sender G[theta_ic] (G[Pi] z_i)_c,   of j as a receiver G[theta_jd] (G[Pi]' u_j)_d,
 *     of pi G[pi_cd] sum_i G[theta_ic] z_id.
 *
 * In an undirected network i is the sender to all j > i, and pi_cd and pi_dc are one weight, with
 * both their counts and exposures.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix; the scale step is new in this
 * package. */
#include <math.h>

#include "ldp_actors.h"
#include "ldp_cavi_blocks.h"
#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_scale.h"

typedef struct workspace {
    double *received; /* V x C: u_j */
    double *total_sender, *total_receiver; /* C each: sum_j E[theta_j], sum_j rest_j E[theta_j] */
    double *left, *mean, *gathered, *active, *observed, *exposure; /* C each */
    double *exposure_pi; /* C x C */
} workspace;

size_t ldp_cavi_blocks_work(int C, int V) {
    const size_t c = (size_t)C;
    return c * (size_t)V + c * c + 8 * c;
}

static workspace partition(double *work, int C, int V) {
    workspace w;
    const size_t c = (size_t)C;
    w.received = work;
    w.total_sender = work + c * (size_t)V;
    w.total_receiver = w.total_sender + c;
    w.left = w.total_receiver + c;
    w.mean = w.left + c;
    w.gathered = w.mean + c;
    w.active = w.gathered + c;
    w.observed = w.active + c;
    w.exposure = w.observed + c;
    w.exposure_pi = w.exposure + c;
    return w;
}

/* The variance of a sum of products that share factors: the variance due to pi given theta, plus
 * the variance of the mean over pi. If (c, d) and (d, c) are the same weight, their covariance is
 * included. */
static void moments_at(const void *state, int row, const int *columns, int n, double *mean,
                       double *variance) {
    const ldp_cavi_blocks *const model = state;
    const int C = model->theta.K;
    const double *const from = ldp_line(model->theta.mean, C, row);
    const double *const a = ldp_line(model->theta.shape, C, row);
    for (int e = 0; e < n; e++) {
        const double *const to = ldp_line(model->theta.mean, C, columns[e]);
        const double *const b = ldp_line(model->theta.shape, C, columns[e]);
        mean[e] = variance[e] = 0;
        for (int c = 0; c < C; c++) {
            double as_sender = 0, as_receiver = 0;
            for (int d = 0; d < C; d++) {
                const double pi = model->pi.mean[c + d * C], shape = model->pi.shape[c + d * C];
                const double each = from[c] * pi * to[d];
                const double spread = (1 + 1 / a[c]) * (1 + 1 / b[d]);
                as_sender += pi * to[d];
                as_receiver += model->pi.mean[d + c * C] * from[d];
                variance[e] += each * each * (spread / shape + 1 / (a[c] * b[d]));
                if (!model->directed && c != d)
                    variance[e] += each * pi * from[d] * to[c] / shape;
            }
            mean[e] += from[c] * as_sender;
            variance[e] += from[c] * from[c] / a[c] * as_sender * as_sender +
                           to[c] * to[c] / b[c] * as_receiver * as_receiver;
        }
    }
}

static double divergence(const ldp_cavi_blocks *model, const ldp_cavi_local *local) {
    const double own = local->divergence ? local->divergence(local->state) : 0;
    return own + ldp_cavi_factor_divergence(&model->theta) +
           ldp_cavi_factor_divergence(&model->pi) +
           ldp_cavi_rate_divergence(&model->theta, model->rates) +
           ldp_cavi_rate_divergence(&model->pi, model->rates + 2);
}

static ldp_actors actors_of(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, workspace w) {
    return (ldp_actors){model->theta.K, model->directed,      model->theta.mean,
                        cells,          local->exposure_rest, local->exposure_excess,
                        w.total_sender, w.total_receiver};
}

/* The local step of sender i: its cells, and the expected counts of its weights and of pi. */
static double walk_sender(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                          ldp_actors actors, int i, workspace w) {
    const int C = model->theta.K;
    const double *const geo = ldp_line(model->theta.geo, C, i);
    ldp_fill(4 * C, w.left, 0); /* left, mean, gathered, active */
    ldp_actors_transposed_times(C, model->pi.geo, geo, w.left);
    ldp_actors_transposed_times(C, model->pi.mean, ldp_line(model->theta.mean, C, i), w.mean);
    const ldp_cavi_row row = {.K = C,
                              .row = i,
                              .left = w.left,
                              .geo = model->theta.geo,
                              .mean = model->theta.mean,
                              .right = geo,
                              .gathered = w.gathered,
                              .active = w.active,
                              .scattered = w.received,
                              .moments = {moments_at, model}};
    const double sum = ldp_cavi_walk(local, actors.cells, row);
    ldp_actors_observed(actors, i, w.observed);
    double *const counts = ldp_line(model->counts_theta, C, i);
    ldp_fill(C, counts, 0);
    ldp_actors_times(C, model->pi.geo, w.gathered, counts);
    for (int d = 0; d < C; d++)
        ldp_add(C, ldp_line(model->counts_pi, C, d), w.gathered[d], geo);
    return sum + ldp_cavi_exposed(local, C, i, w.mean, w.observed, w.active);
}

/* Adds the numbers of (c, d) and (d, c), for an undirected network. */
static void join(int C, double *square) {
    ldp_actors_fold(C, square);
    ldp_actors_mirror(C, square);
}

double ldp_cavi_blocks_local(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    const int C = model->theta.K, V = cells->V;
    const workspace w = partition(work, C, V);
    const ldp_actors actors = actors_of(model, local, cells, w);
    double sum = 0;
    ldp_cavi_factor_clear(&model->theta, w.received);
    ldp_cavi_factor_clear(&model->pi, model->counts_pi);
    ldp_actors_open(actors);
    for (int i = 0; i < V; i++) {
        ldp_actors_begin_turn(actors, i);
        sum += walk_sender(model, local, actors, i, w);
        ldp_actors_end_turn(actors, i);
    }
    for (int j = 0; j < V; j++)
        ldp_actors_transposed_times(C, model->pi.geo, ldp_line(w.received, C, j),
                                    ldp_line(model->counts_theta, C, j));
    ldp_cavi_factor_times_geo(&model->theta, model->counts_theta);
    ldp_cavi_factor_times_geo(&model->pi, model->counts_pi);
    if (!model->directed)
        join(C, model->counts_pi);
    return sum - divergence(model, local);
}

static void update_theta(ldp_cavi_blocks *model, ldp_actors actors, workspace w) {
    const int C = model->theta.K;
    ldp_actors_open(actors);
    for (int i = 0; i < model->theta.n; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_fill(C, w.exposure, 0);
        ldp_actors_as_sender(actors, i, w.left, w.observed);
        ldp_actors_times(C, model->pi.mean, w.left, w.exposure);
        ldp_actors_as_receiver(actors, i, w.left);
        ldp_actors_transposed_times(C, model->pi.mean, w.left, w.exposure);
        ldp_cavi_factor_set(&model->theta, i, ldp_line(model->counts_theta, C, i), w.exposure);
        ldp_actors_end_turn(actors, i);
    }
    ldp_cavi_factor_refresh(&model->theta);
}

static void update_pi(ldp_cavi_blocks *model, ldp_actors actors, workspace w) {
    const int C = model->theta.K;
    ldp_actors_open(actors);
    ldp_fill(C * C, w.exposure_pi, 0);
    for (int i = 0; i < model->theta.n; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, w.left, w.observed);
        for (int d = 0; d < C; d++)
            ldp_add(C, ldp_line(w.exposure_pi, C, d), w.left[d], ldp_line(model->theta.mean, C, i));
        ldp_actors_end_turn(actors, i);
    }
    if (!model->directed)
        join(C, w.exposure_pi);
    ldp_cavi_factor_set_all(&model->pi, model->counts_pi, w.exposure_pi);
}

/* For each community c, multiplies theta_.c by s, and divides pi_cd and pi_dc (d != c) by s and
 * pi_cc by s^2, with the s that increases the bound most. No mean of mu changes, and no r. */
static void rescale(ldp_cavi_blocks *model, double *scale) {
    const int C = model->theta.K;
    ldp_exposure_total((ldp_weighted){C, 0, model->theta.n, model->theta.mean, NULL}, scale);
    for (int c = 0; c < C; c++) {
        const double t = ldp_scale_best(ldp_actors_scale(C, model->directed, c, model->theta.n,
                                                         model->theta.prior, scale[c],
                                                         model->pi.prior, model->pi.mean));
        for (int d = 0; d < C; d++) { /* twice if d = c */
            ldp_cavi_factor_scale_one(&model->pi, (size_t)(c + d * C), exp(-t));
            ldp_cavi_factor_scale_one(&model->pi, (size_t)(d + c * C), exp(-t));
        }
        scale[c] = exp(t);
    }
    ldp_cavi_factor_scale(&model->theta, scale);
}

double ldp_cavi_blocks_pass(ldp_cavi_blocks *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    const workspace w = partition(work, model->theta.K, cells->V);
    if (local->update)
        local->update(local->state, cells);
    const ldp_actors actors = actors_of(model, local, cells, w);
    update_theta(model, actors, w);
    update_pi(model, actors, w);
    rescale(model, w.left);
    ldp_cavi_rate_update(&model->theta, model->rates);
    ldp_cavi_rate_update(&model->pi, model->rates + 2);
    return ldp_cavi_blocks_local(model, local, cells, work);
}
