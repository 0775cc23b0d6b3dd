/* Let a batch have B of D rows. With the rows of the batch settled for the current phi, phi has
 *
 *     shape <- (1 - rho) shape + rho (a + D/B sum_d E[y_dvk])
 *     rate  <- (1 - rho) rate  + rho (b + D/B sum_d e_dv E[theta_dk])
 *
 * which is a step along the natural gradient of the bound. The same average is taken of what the
 * scale of topics, the estimates of priors and the dispersion depend on: sums of E[theta] and of
 * E[log theta], counts, events, and sums of E[lambda] by levels of alpha. (They are the natural
 * parameters, or functions of them: the log density of q(p) is linear in these sums.) With rho = 1
 * and a batch of all rows, a step is an iteration of ldp_cavi_topics.
 *
 * Source: Hoffman, Blei, Wang and Paisley (2013), Stochastic variational inference, JMLR 14,
 * figure 4. For this model, and with noise, it is new in this package. */
#include <math.h>

#include "ldp_exposure.h"
#include "ldp_margin.h"
#include "ldp_math.h"
#include "ldp_noise.h"
#include "ldp_rows.h"
#include "ldp_shape.h"
#include "ldp_svi.h"

typedef struct job {
    ldp_svi *svi;
    int most;
    double tolerance, rho, share; /* share: D/B */
    double *total; /* K */
    double *scratch; /* 5 K for each group */
} job;

enum { LINES_PER_GROUP = 5 };

size_t ldp_svi_work(int K, const ldp_cells *cells) {
    const size_t own = (size_t)K * (2 + LINES_PER_GROUP * LDP_CAVI_GROUPS);
    const size_t local = ldp_cavi_topics_work(K, cells);
    return own > local ? own : local;
}

static job svi_new_job(ldp_svi *svi, double *work) {
    const int K = svi->model.theta.K;
    return (job){.svi = svi,
                 .share = svi->n_rows / svi->cells->D,
                 .total = work,
                 .scratch = ldp_line(work, K, 2)};
}

static ldp_cavi_lines svi_rows_of(const ldp_svi *svi) {
    return (ldp_cavi_lines){svi->cells->D, LDP_CAVI_GROUPS, LDP_CAVI_LINE, svi->cells->active,
                            svi->cells->missing};
}

static void total_of_phi(const ldp_svi *svi, double *total) {
    ldp_exposure_total(ldp_cavi_factor_means(&svi->model.phi), total);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* counts = E of the counts of row d by component. */
static void gather(const ldp_svi *svi, int group, int d, double *counts) {
    const ldp_cavi_factor *const theta = &svi->model.theta, *const phi = &svi->model.phi;
    const ldp_cells *const cells = svi->cells;
    const int K = phi->K;
    const size_t end = cells->active.start[d + 1];
    double w[LDP_FEW];
    ldp_fill(K, counts, 0);
    for (size_t first = cells->active.start[d]; first < end; first += LDP_FEW) {
        const int n = end - first < LDP_FEW ? (int)(end - first) : LDP_FEW;
        const int *const index = cells->active.index + first;
        ldp_rows_means(K, ldp_line(theta->geo, K, d), phi->geo, index, n, w);
        svi->local.weigh(svi->local.state, group, d, first, n, cells->y_tilde + first,
                         cells->alpha[d], NULL, NULL, w);
        for (int e = 0; e < n; e++)
            ldp_add(K, counts, w[e], ldp_line(phi->geo, K, index[e]));
    }
    ldp_cavi_factor_times_geo(theta, d, counts);
}

/* Exposures of the components in row d, whose sums of E[phi] are these. */
static void expose(const ldp_svi *svi, int d, const double *observed, const double *active,
                   double *exposure) {
    for (int k = 0; k < svi->model.phi.K; k++)
        exposure[k] =
            svi->local.exposure_rest[d] * observed[k] + svi->local.exposure_extra[d] * active[k];
}

static int is_settled(int K, const double *before, const double *after, double tolerance) {
    double change = 0, sum = 0;
    for (int k = 0; k < K; k++) {
        change += fabs(after[k] - before[k]);
        sum += after[k];
    }
    return change <= tolerance * sum;
}

static void settle_row(const job *j, int group, int d) {
    const ldp_svi *const svi = j->svi;
    const ldp_cavi_factor *const theta = &svi->model.theta, *const phi = &svi->model.phi;
    const ldp_cavi_local *const local = &svi->local;
    const int K = phi->K;
    double *const observed = ldp_line(j->scratch, K, LINES_PER_GROUP * group);
    double *const active = observed + K, *const exposure = active + K, *const counts = exposure + K,
                  *const before = counts + K;
    const size_t first = svi->cells->active.start[d];
    ldp_fill(K, active, 0);
    ldp_rows_add(K, phi->mean, NULL, svi->cells->active.index + first,
                 ldp_lists_length(svi->cells->active, d), active);
    ldp_margin_observed(ldp_cavi_factor_means(phi), svi->cells, d, j->total, observed);
    for (int i = 0; i < j->most; i++) {
        double *const mean = ldp_line(theta->mean, K, d);
        for (int k = 0; k < K; k++)
            before[k] = mean[k];
        if (local->begin_row)
            local->begin_row(local->state, d);
        gather(svi, group, d, counts);
        if (local->update_row) {
            ldp_cavi_exposed(local, K, d, mean, observed, active);
            local->update_row(local->state, d, svi->cells->alpha);
        }
        expose(svi, d, observed, active, exposure);
        ldp_cavi_factor_set(theta, d, counts, exposure);
        ldp_cavi_factor_refresh_line(theta, d);
        if (is_settled(K, before, mean, j->tolerance))
            break;
    }
}

static double settle_rows(void *state, int group, int from, int to) {
    for (int d = from; d < to; d++)
        settle_row(state, group, d);
    return 0;
}

void ldp_svi_settle(ldp_svi *svi, int most, double tolerance, double *work) {
    job j = svi_new_job(svi, work);
    const ldp_cavi_lines rows = svi_rows_of(svi);
    j.most = most;
    j.tolerance = tolerance;
    total_of_phi(svi, j.total);
    ldp_cavi_run(svi->local.team, &rows, settle_rows, &j);
    ldp_cavi_factor_refresh(&svi->model.theta, svi->local.team);
}

/* The local step of all rows, whose results the model then has. */
static double local_step(ldp_svi *svi, double *work) {
    if (svi->local.begin_row)
        for (int d = 0; d < svi->cells->D; d++)
            svi->local.begin_row(svi->local.state, d);
    return ldp_cavi_topics_local(&svi->model, &svi->local, svi->cells, work);
}

/* ldp_cavi_topics_local() subtracts the divergences of all factors. Those of what rows share are
 * added again. */
double ldp_svi_bound(ldp_svi *svi, double *work) {
    const ldp_cavi_topics *const model = &svi->model;
    const double of_rows = local_step(svi, work);
    const double of_family =
        svi->local.divergence && svi->part ? svi->local.divergence(svi->local.state) : 0;
    return of_rows + of_family + ldp_cavi_factor_divergence(&model->phi, svi->local.team) +
           ldp_cavi_hyper_divergence(&model->theta, model->hyper) +
           ldp_cavi_hyper_divergence(&model->phi, model->hyper + LDP_CAVI_HYPER);
}

/* --- what rows share -------------------------------------------------------------------------- */

static double moved(double from, double to, double rho) {
    return (1 - rho) * from + rho * to;
}

/* The last level that is at most alpha. */
static int level_of(const ldp_svi *svi, double alpha) {
    int from = 0, to = svi->whole->D;
    while (to - from > 1) {
        const int half = from + (to - from) / 2;
        if (svi->levels[half] <= alpha)
            from = half;
        else
            to = half;
    }
    return from;
}

/* A row between two levels is divided between them in proportion to its distances. */
static void add_to_levels(const ldp_svi *svi, double alpha, double rest, double *of_level) {
    const int level = level_of(svi, alpha), n = svi->whole->D;
    const double below = svi->levels[level], above = svi->levels[level + 1 < n ? level + 1 : level];
    const double share = above > below ? fmin(fmax((alpha - below) / (above - below), 0), 1) : 0;
    of_level[level] += (1 - share) * rest;
    if (share > 0)
        of_level[level + 1] += share * rest;
}

static void update_dispersion(ldp_svi *svi, const job *j) {
    ldp_cavi_nbinom1 *const whole = svi->whole;
    const int n = whole->D;
    const ldp_cells levels = {.D = n, .alpha = svi->levels};
    double counts = 0, events = 0;
    for (int i = 0; i < n + 2; i++)
        svi->shown[i] *= 1 - j->rho;
    const double weight = j->rho * j->share;
    for (int d = 0; d < svi->cells->D; d++) {
        const ldp_cavi_shown shown = svi->part->shown[d];
        counts += shown.counts;
        events += shown.events;
        add_to_levels(svi, svi->cells->alpha[d], weight * shown.rest, svi->shown + 2);
    }
    svi->shown[0] += weight * counts;
    svi->shown[1] += weight * events;
    const ldp_cavi_local local = ldp_cavi_bursts(whole, svi->levels);
    for (int i = 0; i < n; i++)
        whole->shown[i] =
            (ldp_cavi_shown){i ? 0 : svi->shown[0], i ? 0 : svi->shown[1], svi->shown[2 + i]};
    local.update(whole, &levels, svi->local.team);
    ldp_cavi_bursts(svi->part, svi->cells->alpha); /* summaries and exposures of the batch */
}

static void update_family(ldp_svi *svi, const job *j) {
    if (svi->part)
        update_dispersion(svi, j);
    for (int d = 0; d < svi->cells->D && svi->local.update_row; d++)
        svi->local.update_row(svi->local.state, d, svi->cells->alpha);
}

static double svi_set_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_svi *const svi = j->svi;
    const ldp_cavi_topics *const model = &svi->model;
    const int K = model->phi.K;
    double *const observed = ldp_line(j->scratch, K, LINES_PER_GROUP * group), *const exposure =
                                                                                   observed + K;
    for (int d = from; d < to; d++) {
        ldp_margin_observed(ldp_cavi_factor_means(&model->phi), svi->cells, d, j->total, observed);
        expose(svi, d, observed, ldp_line(model->active, K, d), exposure);
        ldp_cavi_factor_set(&model->theta, d, ldp_line(model->counts_theta, K, d), exposure);
    }
    return 0;
}

static double move_columns(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_svi *const svi = j->svi;
    const ldp_cavi_topics *const model = &svi->model;
    const ldp_cavi_factor *const phi = &model->phi;
    const int K = phi->K;
    const double *const extra = ldp_margin_extra(svi->local.exposure_extra, svi->cells->D);
    double *const exposure = ldp_line(j->scratch, K, LINES_PER_GROUP * group);
    for (int v = from; v < to; v++) {
        const double *const counts = ldp_line(model->counts_phi, K, v);
        double *const shape = ldp_line(phi->shape, K, v), *const rate = ldp_line(phi->rate, K, v);
        ldp_margin_column(K, model->theta.mean, svi->cells, svi->local.exposure_rest, extra, v,
                          j->total, exposure);
        for (int k = 0; k < K; k++) {
            shape[k] = moved(shape[k], phi->prior.shape + j->share * counts[k], j->rho);
            rate[k] = moved(rate[k], phi->prior.rate + j->share * exposure[k], j->rho);
        }
    }
    return 0;
}

static void svi_update_theta(ldp_svi *svi, job *j) {
    const ldp_cavi_lines rows = svi_rows_of(svi);
    total_of_phi(svi, j->total);
    ldp_cavi_run(svi->local.team, &rows, svi_set_rows, j);
    ldp_cavi_factor_refresh(&svi->model.theta, svi->local.team);
}

static void svi_update_phi(ldp_svi *svi, job *j) {
    const ldp_cavi_factor *const theta = &svi->model.theta;
    const ldp_cavi_lines columns = {svi->cells->V, LDP_CAVI_GROUPS, LDP_CAVI_LINE,
                                    svi->cells->active_t, svi->cells->missing_t};
    ldp_exposure_total(
        (ldp_weighted){theta->K, 0, svi->cells->D, theta->mean, svi->local.exposure_rest},
        j->total);
    ldp_cavi_run(svi->local.team, &columns, move_columns, j);
    ldp_cavi_factor_refresh(&svi->model.phi, svi->local.team);
}

static void update_scale(ldp_svi *svi, const job *j) {
    ldp_cavi_topics *const model = &svi->model;
    const int K = model->theta.K;
    double *const by = j->total, *const sum = by + K;
    ldp_exposure_total((ldp_weighted){K, 0, svi->cells->D, model->theta.mean, NULL}, sum);
    for (int k = 0; k < K; k++)
        by[k] = svi->totals[k] = moved(svi->totals[k], j->share * sum[k], j->rho);
    ldp_cavi_factor_balance_part(&model->theta, svi->n_rows, &model->phi, svi->local.team, by, sum);
    double total = 0;
    for (int k = 0; k < K; k++)
        total += svi->totals[k] *= by[k];
    if (ldp_shape_is_estimated(model->theta.prior)) {
        double before = *svi->logs; /* on the new scale */
        for (int k = 0; k < K; k++)
            before += svi->n_rows * log(by[k]);
        const double logs = ldp_cavi_factor_logs(&model->theta, svi->local.team);
        *svi->logs = moved(before, j->share * logs, j->rho);
    }
    const ldp_cavi_sums sums = {.n = K * svi->n_rows, .means = total, .logs = *svi->logs};
    ldp_cavi_hyper_update_from(&model->theta, sums, model->hyper);
    ldp_cavi_hyper_update(&model->phi, svi->local.team, model->hyper + LDP_CAVI_HYPER);
}

void ldp_svi_step(ldp_svi *svi, double rho, double *work) {
    local_step(svi, work);
    job j = svi_new_job(svi, work);
    j.rho = rho;
    update_family(svi, &j);
    svi_update_theta(svi, &j);
    svi_update_phi(svi, &j);
    update_scale(svi, &j);
}
