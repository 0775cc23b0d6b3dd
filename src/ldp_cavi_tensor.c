/* Coordinate ascent for prod_m q(theta^(m)) q(counts), with gamma distributions of all weights:
 *
 *     theta^(m)_jk   shape a + sum_i E[y_ik],
 *                    rate b + sum_i e_i prod_{l != m} E[theta^(l)_{il k}]
 *
 * with sums over all cells i that have i_m = j, and E[y_ik] = w_i prod_m G[theta^(m)_{im k}] for
 * the active cells; only sums of these are kept. The exposures are those of the sampler
 * (ldp_tensor) at the means. Mode by mode, each given the current means of all others.
 *
 * Source: Schein et al. (2018), arXiv 1803.08471v1, appendix, for matrices; for tensors, without
 * noise, Schein, Paisley, Blei and Wallach (2015), Bayesian Poisson tensor factorization, KDD,
 * section 3; the collapsed scheme and the scale step are new in this package. */
#include "ldp_cavi_tensor.h"
#include "ldp_math.h"
#include "ldp_rows.h"

/* An iteration, with its memory. */
typedef struct job {
    const ldp_cavi_tensor *model;
    const ldp_cavi_local *local;
    const ldp_cells *cells;
    ldp_modes geo, mean;
    int n_groups; /* of rows */
    int n_sums; /* lines of sums of a group */
    int m; /* the current mode */
    double *totals; /* M x K */
    double *total; /* K */
    double *scratch; /* LINES_OF_SCRATCH lines for each group */
    double *sums; /* n_sums lines for each group of rows */
} job;

enum { LINES_OF_SCRATCH = 2 + 3 * LDP_FEW };

/* Memory of a group: K each, and LDP_FEW lines each, of the current cells. */
typedef struct scratch {
    double *observed, *line, *geo, *mean, *few;
} scratch;

/* The sums of a group are counts of all modes except the first, and later two sums over cells for
 * each index of one mode. */
static int n_sums_of(const ldp_cavi_tensor *model) {
    int sum = 0, longest = 0;
    for (int m = 1; m < model->M; m++) {
        const int n = model->theta[m].n;
        sum += n;
        longest = n > longest ? n : longest;
    }
    return sum > 2 * longest ? sum : 2 * longest;
}

static int cavi_tensor_n_groups_of(const ldp_cavi_tensor *model, const ldp_cells *cells) {
    return ldp_cavi_groups(cells->active.start[cells->D], (size_t)n_sums_of(model));
}

static size_t shared_lines(const ldp_cavi_tensor *model) {
    return (size_t)model->M + 1 + LDP_CAVI_GROUPS * LINES_OF_SCRATCH;
}

size_t ldp_cavi_tensor_work(const ldp_cavi_tensor *model, const ldp_cells *cells) {
    return (size_t)model->K * (shared_lines(model) + (size_t)cavi_tensor_n_groups_of(model, cells) *
                                                         (size_t)n_sums_of(model));
}

static ldp_modes cavi_tensor_modes_of(const ldp_cavi_tensor *model, int geo) {
    ldp_modes modes = {.K = model->K, .M = model->M};
    for (int m = 0; m < model->M; m++) {
        modes.n[m] = model->theta[m].n;
        modes.weights[m] = geo ? model->theta[m].geo : model->theta[m].mean;
    }
    return modes;
}

static job cavi_tensor_new_job(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                               const ldp_cells *cells, double *work) {
    const size_t K = (size_t)model->K;
    job j = {.model = model, .local = local, .cells = cells};
    j.geo = cavi_tensor_modes_of(model, 1);
    j.mean = cavi_tensor_modes_of(model, 0);
    j.n_groups = cavi_tensor_n_groups_of(model, cells);
    j.n_sums = n_sums_of(model);
    j.totals = work;
    j.total = j.totals + (size_t)model->M * K;
    j.scratch = j.total + K;
    j.sums = work + K * shared_lines(model);
    return j;
}

static scratch scratch_of(const job *j, int group) {
    const int K = j->model->K;
    double *const first = ldp_line(j->scratch, K, group * LINES_OF_SCRATCH);
    return (scratch){first, ldp_line(first, K, 1), ldp_line(first, K, 2),
                     ldp_line(first, K, 2 + LDP_FEW), ldp_line(first, K, 2 + 2 * LDP_FEW)};
}

/* Line i of the sums of a group. */
static double *sums_of(const job *j, int group, int i) {
    const int K = j->model->K;
    return ldp_line(j->sums, K, i) + (size_t)group * (size_t)j->n_sums * (size_t)K;
}

/* The first line of counts of mode m >= 1 among these sums. */
static int first_line(const job *j, int m) {
    int sum = 0;
    for (int l = 1; l < m; l++)
        sum += j->model->theta[l].n;
    return sum;
}

static ldp_cavi_lines cavi_tensor_rows_of(const job *j) {
    return (ldp_cavi_lines){j->cells->D, j->n_groups, LDP_CAVI_LINE, j->cells->active,
                            j->cells->missing};
}

static double cavi_tensor_clear_sums(void *state, int group, int from, int to) {
    const job *const j = state;
    (void)group;
    for (int g = 0; g < j->n_groups; g++)
        for (int i = from; i < to; i++)
            ldp_fill(j->model->K, sums_of(j, g, i), 0);
    return 0;
}

/* Adds up line i of the sums of all groups, in the memory of the first. */
static double *cavi_tensor_joined(const job *j, int i) {
    double *const sum = sums_of(j, 0, i);
    for (int g = 1; g < j->n_groups; g++)
        ldp_add(j->model->K, sum, 1, sums_of(j, g, i));
    return sum;
}

/* The unweighted totals of all modes, and their product over all modes except mode 0. */
static void open_totals(const job *j) {
    for (int m = 0; m < j->mean.M; m++)
        ldp_modes_total(&j->mean, m, NULL, j->totals);
    ldp_modes_total_product(&j->mean, j->totals, 0, j->total);
}

/* Components are independent, so the variance of mu is the sum of their variances, which are the
 * squared mean times prod_m (1 + 1/a^(m)) - 1. */
static void cavi_tensor_moments_at(const void *state, int row, const int *columns, int n,
                                   double *mean, double *variance) {
    const ldp_cavi_tensor *const model = state;
    const int K = model->K;
    const ldp_modes modes = cavi_tensor_modes_of(model, 0);
    ldp_modes_few cells;
    ldp_modes_decode(&modes, columns, n, &cells);
    for (int e = 0; e < n; e++) {
        mean[e] = variance[e] = 0;
        for (int k = 0; k < K; k++) {
            double each = 1, spread = 0;
            for (int m = 0; m < model->M; m++) {
                const int i = m == 0 ? row : cells.index[m][e];
                const double one = 1 / ldp_line(model->theta[m].shape, K, i)[k];
                each *= ldp_line(model->theta[m].mean, K, i)[k];
                spread += one + spread * one;
            }
            mean[e] += each;
            variance[e] += each * each * spread;
        }
    }
}

/* --- the local step --------------------------------------------------------------------------- */

/* The active cells of row d, a few at a time. The products over the other modes form the rows of a
 * matrix; what is added to these rows is passed on to all modes. */
static double walk_cells(const job *j, int group, int d, const scratch *w) {
    const ldp_cavi_tensor *const model = j->model;
    const int K = model->K;
    const size_t end = j->cells->active.start[d + 1];
    const double *const theta = ldp_line(model->theta[0].geo, K, d);
    const ldp_cavi_row row = {.K = K,
                              .row = d,
                              .group = group,
                              .left = theta,
                              .geo = w->geo,
                              .mean = w->mean,
                              .right = theta,
                              .gathered = ldp_line(model->counts[0], K, d),
                              .active = ldp_line(model->active, K, d),
                              .scattered = w->few,
                              .moments = {cavi_tensor_moments_at, model}};
    double sum = 0;
    ldp_modes_few some;
    for (size_t e = j->cells->active.start[d]; e < end; e += LDP_FEW) {
        int index[LDP_FEW];
        ldp_modes_next(&j->geo, j->cells->active.index, e, end, &some);
        for (int i = 0; i < some.n; i++)
            index[i] = i;
        ldp_modes_products(&j->geo, NULL, &some, LDP_NO_MODE, w->geo);
        ldp_modes_products(&j->mean, NULL, &some, LDP_NO_MODE, w->mean);
        ldp_fill(some.n * K, w->few, 0);
        sum += ldp_cavi_few(j->local, j->cells, row, e, some.n, index);
        ldp_rows_multiply(K, w->geo, index, some.n, w->few);
        for (int m = 1; m < model->M; m++)
            ldp_rows_scatter(K, w->few, some.index[m], some.n, sums_of(j, group, first_line(j, m)));
    }
    return sum;
}

static double cavi_tensor_walk_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_tensor *const model = j->model;
    const int K = model->K;
    const scratch w = scratch_of(j, group);
    double sum = 0;
    for (int d = from; d < to; d++) {
        double *const counts = ldp_line(model->counts[0], K, d);
        double *const active = ldp_line(model->active, K, d);
        ldp_fill(K, counts, 0);
        ldp_fill(K, active, 0);
        sum += walk_cells(j, group, d, &w);
        ldp_cavi_factor_times_geo(&model->theta[0], d, counts);
        ldp_modes_observed_row(&j->mean, j->cells, d, j->total, w.few, w.line, w.observed);
        sum += ldp_cavi_exposed(j->local, K, d, ldp_line(model->theta[0].mean, K, d), w.observed,
                                active);
    }
    return sum;
}

static double cavi_tensor_join_counts(void *state, int group, int from, int to) {
    const job *const j = state;
    const int K = j->model->K, first = first_line(j, j->m);
    (void)group;
    for (int i = from; i < to; i++) {
        double *const counts = ldp_line(j->model->counts[j->m], K, i);
        ldp_fill(K, counts, 0);
        ldp_add(K, counts, 1, cavi_tensor_joined(j, first + i));
    }
    return 0;
}

static double cavi_tensor_divergence(const ldp_cavi_tensor *model, const ldp_cavi_local *local) {
    double sum = local->divergence ? local->divergence(local->state) : 0;
    for (int m = 0; m < model->M; m++)
        sum += ldp_cavi_factor_divergence(&model->theta[m], local->team) +
               ldp_cavi_hyper_divergence(&model->theta[m], model->hyper + LDP_CAVI_HYPER * m);
    return sum + ldp_cavi_relative_divergence(model->relative);
}

double ldp_cavi_tensor_local(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    job j = cavi_tensor_new_job(model, local, cells, work);
    const ldp_cavi_lines rows = cavi_tensor_rows_of(&j),
                         sums = ldp_cavi_alike(first_line(&j, model->M), LDP_CAVI_LINE);
    open_totals(&j);
    ldp_cavi_run(local->team, &sums, cavi_tensor_clear_sums, &j);
    const double sum = ldp_cavi_run(local->team, &rows, cavi_tensor_walk_rows, &j);
    for (j.m = 1; j.m < model->M; j.m++) {
        const ldp_cavi_lines lines = ldp_cavi_alike(model->theta[j.m].n, LDP_CAVI_LINE);
        ldp_cavi_run(local->team, &lines, cavi_tensor_join_counts, &j);
    }
    return sum - cavi_tensor_divergence(model, local);
}

/* --- updates of the factors ------------------------------------------------------------------- */

static double cavi_tensor_set_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_tensor *const model = j->model;
    const int K = model->K;
    const scratch w = scratch_of(j, group);
    for (int d = from; d < to; d++) {
        ldp_modes_observed_row(&j->mean, j->cells, d, j->total, w.few, w.line, w.observed);
        ldp_fill(K, w.line, 0);
        ldp_add(K, w.line, j->local->exposure_rest[d], w.observed);
        ldp_add(K, w.line, j->local->exposure_extra[d], ldp_line(model->active, K, d));
        ldp_cavi_factor_set(&model->theta[0], d, ldp_line(model->counts[0], K, d), w.line);
    }
    return 0;
}

static void cavi_tensor_update_rows(ldp_cavi_tensor *model, job *j) {
    const ldp_cavi_lines rows = {
        j->cells->D, LDP_CAVI_GROUPS, LDP_CAVI_LINE, {NULL, NULL}, j->cells->missing};
    open_totals(j);
    ldp_cavi_run(j->local->team, &rows, cavi_tensor_set_rows, j);
    ldp_cavi_factor_refresh(&model->theta[0], j->local->team);
    ldp_modes_total(&j->mean, 0, j->local->exposure_rest, j->totals);
}

/* Adds the listed cells of some rows to the sums of mode m: active cells in its first n lines,
 * missing ones in the lines after these. */
static double list_rows(void *state, int group, int from, int to) {
    const job *const j = state;
    const scratch w = scratch_of(j, group);
    for (int d = from; d < to; d++)
        ldp_modes_listed(&j->mean, j->m, j->cells, d, j->local->exposure_rest[d],
                         j->local->exposure_extra[d], w.few, w.line, sums_of(j, group, 0),
                         sums_of(j, group, j->model->theta[j->m].n));
    return 0;
}

static double set_lines(void *state, int group, int from, int to) {
    const job *const j = state;
    const ldp_cavi_factor *const theta = &j->model->theta[j->m];
    const int K = j->model->K;
    const scratch w = scratch_of(j, group);
    for (int i = from; i < to; i++) {
        double *const exposure = cavi_tensor_joined(j, i);
        ldp_modes_observed(&j->mean, j->cells, j->local->exposure_rest, j->m, i, j->total,
                           cavi_tensor_joined(j, theta->n + i), w.few, w.line, w.observed);
        ldp_add(K, exposure, 1, w.observed);
        ldp_cavi_factor_set(theta, i, ldp_line(j->model->counts[j->m], K, i), exposure);
    }
    return 0;
}

/* Updates mode m >= 1, given the totals of all others. */
static void update_mode(ldp_cavi_tensor *model, int m, job *j) {
    const ldp_cavi_team team = j->local->team;
    const int n = model->theta[m].n;
    const ldp_cavi_lines rows = cavi_tensor_rows_of(j), sums = ldp_cavi_alike(2 * n, LDP_CAVI_LINE),
                         lines = ldp_cavi_alike(n, LDP_CAVI_LINE);
    j->m = m;
    ldp_cavi_run(team, &sums, cavi_tensor_clear_sums, j);
    ldp_cavi_run(team, &rows, list_rows, j);
    ldp_modes_total_product(&j->mean, j->totals, m, j->total);
    ldp_cavi_run(team, &lines, set_lines, j);
    ldp_cavi_factor_refresh(&model->theta[m], team);
    ldp_modes_total(&j->mean, m, NULL, j->totals);
}

double ldp_cavi_tensor_pass(ldp_cavi_tensor *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    if (local->update)
        local->update(local->state, cells, local->team);
    job j = cavi_tensor_new_job(model, local, cells, work);
    cavi_tensor_update_rows(model, &j);
    for (int m = 1; m < model->M; m++)
        update_mode(model, m, &j);
    for (int m = 1; m < model->M; m++)
        ldp_cavi_factor_balance(&model->theta[m - 1], &model->theta[m], local->team, work);
    ldp_cavi_relative_balance(model->relative, &model->theta[0], &model->theta[1], local->team,
                              work);
    ldp_cavi_relative_update(model->relative, &model->theta[0]);
    for (int m = 0; m < model->M; m++)
        ldp_cavi_hyper_update(&model->theta[m], local->team, model->hyper + LDP_CAVI_HYPER * m);
    return ldp_cavi_tensor_local(model, local, cells, work);
}
