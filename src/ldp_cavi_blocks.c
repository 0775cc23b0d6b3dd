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
 * Actors are updated one after another, by one thread; threads share the sums.
 *
 * In an undirected network i is the sender to all j > i, and pi_cd and pi_dc are one weight, with
 * both their counts and exposures.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix; the scale step is new in this
 * package. */
#include <math.h>
#include <string.h>

#include "ldp_actors.h"
#include "ldp_cavi_blocks.h"
#include "ldp_exposure.h"
#include "ldp_math.h"
#include "ldp_scale.h"

/* An iteration, with its memory: lines of C numbers for each group of senders. */
typedef struct job {
    const ldp_cavi_blocks *model;
    const ldp_cavi_local *local;
    const ldp_cells *cells;
    int n_groups;
    double *work;
} job;

/* The memory of a group of senders. */
typedef struct room {
    double *received; /* V lines: u_j */
    double *square; /* C lines: sums for pi */
    double *total_sender, *total_receiver; /* sum_j E[theta_j], sum_j rest_j E[theta_j]; adjacent */
    double *left, *mean, *gathered, *active, *observed, *exposure;
} room;

enum { LINES_OF_SCRATCH = 8 };

static int cavi_blocks_n_groups_of(int C, const ldp_cells *cells) {
    return ldp_cavi_groups(cells->active.start[cells->D], (size_t)C + (size_t)cells->V);
}

static size_t room_size(int C, const ldp_cells *cells) {
    const size_t c = (size_t)C;
    return c * ((size_t)cells->V + c + LINES_OF_SCRATCH);
}

size_t ldp_cavi_blocks_work(int C, const ldp_cells *cells) {
    return (size_t)cavi_blocks_n_groups_of(C, cells) * room_size(C, cells);
}

static room cavi_blocks_room_of(const job *j, int group) {
    const int C = j->model->theta.K;
    room r;
    r.received = j->work + (size_t)group * room_size(C, j->cells);
    r.square = ldp_line(r.received, C, j->cells->V);
    r.total_sender = ldp_line(r.square, C, C);
    r.total_receiver = r.total_sender + C;
    r.left = r.total_receiver + C;
    r.mean = r.left + C;
    r.gathered = r.mean + C;
    r.active = r.gathered + C;
    r.observed = r.active + C;
    r.exposure = r.observed + C;
    return r;
}

static ldp_actors cavi_blocks_actors_of(const job *j, const room *r) {
    return (ldp_actors){j->model->theta.K, j->model->directed,      j->model->theta.mean,
                        j->cells,          j->local->exposure_rest, j->local->exposure_extra,
                        r->total_sender,   r->total_receiver};
}

/* Groups of senders, whose cost is that of their cells and of products with C x C matrices. */
static ldp_cavi_lines senders_of(const job *j, int n_groups, int n_products) {
    const size_t products = (size_t)n_products * (size_t)j->model->theta.K;
    return (ldp_cavi_lines){j->model->theta.n, n_groups, LDP_CAVI_LINE + products, j->cells->active,
                            j->cells->missing};
}

/* Calls `task` for all senders. Totals of each group are those of its first sender; in a directed
 * network they are the same for all senders. */
static double run_senders(job *j, ldp_cavi_lines senders, ldp_cavi_task task) {
    const int C = j->model->theta.K;
    const room first = cavi_blocks_room_of(j, 0);
    for (int g = 0; g < senders.n_groups; g++) {
        const room r = cavi_blocks_room_of(j, g);
        if (g == 0 || !j->model->directed)
            ldp_actors_open(cavi_blocks_actors_of(j, &r), ldp_cavi_first(&senders, g));
        else
            memcpy(r.total_sender, first.total_sender, 2 * (size_t)C * sizeof(double));
    }
    return ldp_cavi_run(j->local->team, &senders, task, j);
}

/* Adds up line i of the memory of all groups, in that of the first. */
static double *cavi_blocks_joined(const job *j, int i) {
    const int C = j->model->theta.K;
    double *const sum = ldp_line(cavi_blocks_room_of(j, 0).received, C, i);
    for (int g = 1; g < j->n_groups; g++)
        ldp_add(C, sum, 1, ldp_line(cavi_blocks_room_of(j, g).received, C, i));
    return sum;
}

static double clear_lines(void *state, int group, int from, int to) {
    const job *const j = state;
    const int C = j->model->theta.K;
    (void)group;
    for (int g = 0; g < j->n_groups; g++)
        for (int i = from; i < to; i++)
            ldp_fill(C, ldp_line(cavi_blocks_room_of(j, g).received, C, i), 0);
    return 0;
}

/* Sets the sums of all groups to 0. */
static void cavi_blocks_clear_sums(job *j) {
    const ldp_cavi_lines lines = ldp_cavi_alike(j->cells->V + j->model->theta.K, LDP_CAVI_LINE);
    ldp_cavi_run(j->local->team, &lines, clear_lines, j);
}

/* The variance of a sum of products that share factors: the variance due to pi given theta, plus
 * the variance of the mean over pi. If (c, d) and (d, c) are the same weight, their covariance is
 * included. */
static void cavi_blocks_moments_at(const void *state, int row, const int *columns, int n,
                                   double *mean, double *variance) {
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

/* --- the local step --------------------------------------------------------------------------- */

/* Sender i: its cells, and the expected counts of its weights and of pi. */
static double walk_sender(const job *j, int group, ldp_actors actors, int i, const room *r) {
    const ldp_cavi_blocks *const model = j->model;
    const int C = model->theta.K;
    const double *const geo = ldp_line(model->theta.geo, C, i);
    ldp_fill(4 * C, r->left, 0); /* left, mean, gathered, active */
    ldp_actors_transposed_times(C, model->pi.geo, geo, r->left);
    ldp_actors_transposed_times(C, model->pi.mean, ldp_line(model->theta.mean, C, i), r->mean);
    const ldp_cavi_row row = {.K = C,
                              .row = i,
                              .group = group,
                              .left = r->left,
                              .geo = model->theta.geo,
                              .mean = model->theta.mean,
                              .right = geo,
                              .gathered = r->gathered,
                              .active = r->active,
                              .scattered = r->received,
                              .moments = {cavi_blocks_moments_at, model}};
    const double sum = ldp_cavi_walk(j->local, j->cells, row);
    ldp_actors_observed(actors, i, r->observed);
    double *const counts = ldp_line(model->counts_theta, C, i);
    ldp_fill(C, counts, 0);
    ldp_actors_times(C, model->pi.geo, r->gathered, counts);
    for (int d = 0; d < C; d++)
        ldp_add(C, ldp_line(r->square, C, d), r->gathered[d], geo);
    return sum + ldp_cavi_exposed(j->local, C, i, r->mean, r->observed, r->active);
}

static double walk_senders(void *state, int group, int from, int to) {
    const job *const j = state;
    const room r = cavi_blocks_room_of(j, group);
    const ldp_actors actors = cavi_blocks_actors_of(j, &r);
    double sum = 0;
    for (int i = from; i < to; i++) {
        ldp_actors_begin_turn(actors, i);
        sum += walk_sender(j, group, actors, i, &r);
        ldp_actors_end_turn(actors, i);
    }
    return sum;
}

/* Adds to the expected counts of actors those that they have as receivers. */
static double add_received(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_blocks *const model = j->model;
    const int C = model->theta.K;
    (void)group;
    for (int i = from; i < to; i++) {
        double *const counts = ldp_line(model->counts_theta, C, i);
        ldp_actors_transposed_times(C, model->pi.geo, cavi_blocks_joined(j, i), counts);
        ldp_cavi_factor_times_geo(&model->theta, i, counts);
    }
    return 0;
}

/* The sums for pi over all groups, multiplied by G if `times_geo` is set. In an undirected network,
 * (c, d) and (d, c) have the sum of both. */
static double *sums_of_pi(const job *j, int times_geo) {
    const int C = j->model->theta.K;
    double *const square = cavi_blocks_room_of(j, 0).square;
    for (int d = 0; d < C; d++) {
        double *const line = cavi_blocks_joined(j, j->cells->V + d);
        if (times_geo)
            ldp_cavi_factor_times_geo(&j->model->pi, d, line);
    }
    if (!j->model->directed) {
        ldp_actors_fold(C, square);
        ldp_actors_mirror(C, square);
    }
    return square;
}

static double cavi_blocks_divergence(const ldp_cavi_blocks *model, const ldp_cavi_local *local) {
    const double own = local->divergence ? local->divergence(local->state) : 0;
    return own + ldp_cavi_factor_divergence(&model->theta, local->team) +
           ldp_cavi_factor_divergence(&model->pi, local->team) +
           ldp_cavi_hyper_divergence(&model->theta, model->hyper) +
           ldp_cavi_hyper_divergence(&model->pi, model->hyper + LDP_CAVI_HYPER) +
           ldp_cavi_relative_divergence(model->relative);
}

static job cavi_blocks_new_job(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                               const ldp_cells *cells, double *work) {
    return (job){model, local, cells, cavi_blocks_n_groups_of(model->theta.K, cells), work};
}

double ldp_cavi_blocks_local(const ldp_cavi_blocks *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    const size_t C = (size_t)model->theta.K;
    job j = cavi_blocks_new_job(model, local, cells, work);
    const ldp_cavi_lines actors = ldp_cavi_alike(model->theta.n, LDP_CAVI_LINE + C);
    cavi_blocks_clear_sums(&j);
    const double sum = run_senders(&j, senders_of(&j, j.n_groups, 4), walk_senders);
    ldp_cavi_run(local->team, &actors, add_received, &j);
    memcpy(model->counts_pi, sums_of_pi(&j, 1), C * C * sizeof(double));
    return sum - cavi_blocks_divergence(model, local);
}

/* --- updates of the factors ------------------------------------------------------------------- */

static double set_actors(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_blocks *const model = j->model;
    const int C = model->theta.K;
    const room r = cavi_blocks_room_of(j, group);
    const ldp_actors actors = cavi_blocks_actors_of(j, &r);
    for (int i = from; i < to; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_fill(C, r.exposure, 0);
        ldp_actors_as_sender(actors, i, r.left, r.observed);
        ldp_actors_times(C, model->pi.mean, r.left, r.exposure);
        ldp_actors_as_receiver(actors, i, r.left);
        ldp_actors_transposed_times(C, model->pi.mean, r.left, r.exposure);
        ldp_cavi_factor_set(&model->theta, i, ldp_line(model->counts_theta, C, i), r.exposure);
        ldp_actors_end_turn(actors, i);
    }
    return 0;
}

/* In a single group, because the update of an actor depends on those before it. */
static void cavi_blocks_update_theta(ldp_cavi_blocks *model, job *j) {
    run_senders(j, senders_of(j, 1, 2), set_actors);
    ldp_cavi_factor_refresh(&model->theta, j->local->team);
}

static double cavi_blocks_add_exposures(void *state, int group, int from, int to) {
    const job *const j = state;
    const int C = j->model->theta.K;
    const room r = cavi_blocks_room_of(j, group);
    const ldp_actors actors = cavi_blocks_actors_of(j, &r);
    for (int i = from; i < to; i++) {
        ldp_actors_begin_turn(actors, i);
        ldp_actors_as_sender(actors, i, r.left, r.observed);
        for (int d = 0; d < C; d++)
            ldp_add(C, ldp_line(r.square, C, d), r.left[d], ldp_line(j->model->theta.mean, C, i));
        ldp_actors_end_turn(actors, i);
    }
    return 0;
}

static void update_pi(ldp_cavi_blocks *model, job *j) {
    const int C = model->theta.K;
    for (int g = 0; g < j->n_groups; g++)
        ldp_fill(C * C, cavi_blocks_room_of(j, g).square, 0);
    run_senders(j, senders_of(j, j->n_groups, 1), cavi_blocks_add_exposures);
    const double *const exposure = sums_of_pi(j, 0);
    for (int d = 0; d < C; d++)
        ldp_cavi_factor_set(&model->pi, d, ldp_line(model->counts_pi, C, d), exposure + d * C);
    ldp_cavi_factor_refresh(&model->pi, j->local->team);
}

/* Multiplies pi_cd and pi_dc (d != c) by `by`, and pi_cc by its square. */
static void cavi_blocks_scale_community(const ldp_cavi_blocks *model, int c, double by) {
    const int C = model->theta.K;
    for (int d = 0; d < C; d++) { /* twice if d = c */
        ldp_cavi_factor_scale_one(&model->pi, (size_t)(c + d * C), by);
        ldp_cavi_factor_scale_one(&model->pi, (size_t)(d + c * C), by);
    }
}

/* For each community c, multiplies theta_.c by s, and divides pi_cd and pi_dc (d != c) by s and
 * pi_cc by s^2, with the s that increases the bound most. No mean of mu changes, and no r. */
static void cavi_blocks_rescale(ldp_cavi_blocks *model, ldp_cavi_team team, double *scale) {
    const int C = model->theta.K;
    ldp_cavi_factor_total(&model->theta, scale);
    for (int c = 0; c < C; c++) {
        const double t = ldp_scale_best(ldp_actors_scale(C, model->directed, c, model->theta.n,
                                                         model->theta.prior, scale[c],
                                                         model->pi.prior, model->pi.mean));
        cavi_blocks_scale_community(model, c, exp(-t));
        scale[c] = exp(t);
    }
    ldp_cavi_factor_scale(&model->theta, team, scale);
}

/* The same, and divides the relative rates of groups by s as well. */
static void cavi_blocks_shift_groups(ldp_cavi_blocks *model, ldp_cavi_team team, double *scale) {
    const int C = model->theta.K;
    const ldp_gamma_prior none = {.rate = 0};
    for (int c = 0; c < C; c++) {
        const double t =
            ldp_cavi_relative_shift(model->relative, c,
                                    ldp_actors_scale(C, model->directed, c, model->theta.n, none, 0,
                                                     model->pi.prior, model->pi.mean));
        cavi_blocks_scale_community(model, c, exp(-t));
        scale[c] = exp(t);
    }
    ldp_cavi_factor_scale(&model->theta, team, scale);
    ldp_cavi_relative_read(model->relative, &model->theta);
}

double ldp_cavi_blocks_pass(ldp_cavi_blocks *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    if (local->update)
        local->update(local->state, cells, local->team);
    job j = cavi_blocks_new_job(model, local, cells, work);
    cavi_blocks_update_theta(model, &j);
    update_pi(model, &j);
    cavi_blocks_rescale(model, local->team, work);
    if (model->relative) {
        cavi_blocks_shift_groups(model, local->team, work);
        ldp_cavi_relative_update(model->relative, &model->theta);
    }
    ldp_cavi_hyper_update(&model->theta, local->team, model->hyper);
    ldp_cavi_hyper_update(&model->pi, local->team, model->hyper + LDP_CAVI_HYPER);
    return ldp_cavi_blocks_local(model, local, cells, work);
}
