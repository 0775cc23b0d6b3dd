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

typedef struct workspace {
    double *totals; /* M x K */
    double *total, *observed, *line; /* K each */
    double *geo, *mean, *few; /* LDP_FEW lines each, of the current cells */
    double *exposure, *missing; /* of the current mode */
} workspace;

/* The number of lines of the longest mode, not counting the first. */
static size_t longest_mode(const ldp_cavi_tensor *model) {
    int longest = 0;
    for (int m = 1; m < model->M; m++)
        if (model->theta[m].n > longest)
            longest = model->theta[m].n;
    return (size_t)longest;
}

size_t ldp_cavi_tensor_work(const ldp_cavi_tensor *model) {
    return (size_t)model->K * ((size_t)model->M + 3 + 3 * LDP_FEW + 2 * longest_mode(model));
}

static workspace partition(const ldp_cavi_tensor *model, double *work) {
    const size_t K = (size_t)model->K;
    workspace w;
    w.totals = work;
    w.total = w.totals + (size_t)model->M * K;
    w.observed = w.total + K;
    w.line = w.observed + K;
    w.geo = w.line + K;
    w.mean = w.geo + LDP_FEW * K;
    w.few = w.mean + LDP_FEW * K;
    w.exposure = w.few + LDP_FEW * K;
    w.missing = w.exposure + longest_mode(model) * K;
    return w;
}

static ldp_modes modes_of(const ldp_cavi_tensor *model, int geo) {
    ldp_modes modes = {.K = model->K, .M = model->M};
    for (int m = 0; m < model->M; m++) {
        modes.n[m] = model->theta[m].n;
        modes.weights[m] = geo ? model->theta[m].geo : model->theta[m].mean;
    }
    return modes;
}

/* The unweighted totals of all modes, and their product over all modes except mode 0. */
static void open_totals(const ldp_modes *mean, workspace w) {
    for (int m = 0; m < mean->M; m++)
        ldp_modes_total(mean, m, NULL, w.totals);
    ldp_modes_total_product(mean, w.totals, 0, w.total);
}

/* Components are independent, so the variance of mu is the sum of their variances, which are the
 * squared mean times prod_m (1 + 1/a^(m)) - 1. */
static void moments_at(const void *state, int row, const int *columns, int n, double *mean,
                       double *variance) {
    const ldp_cavi_tensor *const model = state;
    const int K = model->K;
    const ldp_modes modes = modes_of(model, 0);
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

static double divergence(const ldp_cavi_tensor *model, const ldp_cavi_local *local) {
    double sum = local->divergence ? local->divergence(local->state) : 0;
    for (int m = 0; m < model->M; m++)
        sum += ldp_cavi_factor_divergence(&model->theta[m]) +
               ldp_cavi_rate_divergence(&model->theta[m], model->rates + 2 * m);
    return sum;
}

/* The active cells of row d, a few at a time. The products over the other modes form the rows of a
 * matrix; what is added to these rows is passed on to all modes. */
static double walk_row(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                       const ldp_cells *cells, int d, workspace w) {
    const int K = model->K;
    const size_t end = cells->active.start[d + 1];
    const double *const theta = ldp_line(model->theta[0].geo, K, d);
    const ldp_modes geo = modes_of(model, 1), mean = modes_of(model, 0);
    const ldp_cavi_row row = {.K = K,
                              .row = d,
                              .left = theta,
                              .geo = w.geo,
                              .mean = w.mean,
                              .right = theta,
                              .gathered = ldp_line(model->counts[0], K, d),
                              .active = ldp_line(model->active, K, d),
                              .scattered = w.few,
                              .moments = {moments_at, model}};
    double sum = 0;
    ldp_modes_few some;
    for (size_t e = cells->active.start[d]; e < end; e += LDP_FEW) {
        int index[LDP_FEW];
        ldp_modes_next(&geo, cells->active.index, e, end, &some);
        for (int i = 0; i < some.n; i++)
            index[i] = i;
        ldp_modes_products(&geo, NULL, &some, LDP_NO_MODE, w.geo);
        ldp_modes_products(&mean, NULL, &some, LDP_NO_MODE, w.mean);
        ldp_fill(some.n * K, w.few, 0);
        sum += ldp_cavi_few(local, cells, row, e, some.n, index);
        ldp_rows_multiply(K, w.geo, index, some.n, w.few);
        for (int m = 1; m < model->M; m++)
            ldp_rows_scatter(K, w.few, some.index[m], some.n, model->counts[m]);
    }
    return sum;
}

double ldp_cavi_tensor_local(const ldp_cavi_tensor *model, const ldp_cavi_local *local,
                             const ldp_cells *cells, double *work) {
    const int K = model->K;
    const workspace w = partition(model, work);
    const ldp_modes mean = modes_of(model, 0);
    double sum = 0;
    for (int m = 0; m < model->M; m++)
        ldp_cavi_factor_clear(&model->theta[m], model->counts[m]);
    ldp_cavi_factor_clear(&model->theta[0], model->active);
    open_totals(&mean, w);
    for (int d = 0; d < cells->D; d++) {
        sum += walk_row(model, local, cells, d, w);
        ldp_modes_observed_row(&mean, cells, d, w.total, w.few, w.line, w.observed);
        sum += ldp_cavi_exposed(local, K, d, ldp_line(model->theta[0].mean, K, d), w.observed,
                                ldp_line(model->active, K, d));
    }
    ldp_cavi_factor_times_geo(&model->theta[0], model->counts[0]);
    return sum - divergence(model, local);
}

static void update_rows(ldp_cavi_tensor *model, const ldp_cavi_local *local, const ldp_cells *cells,
                        workspace w) {
    const int K = model->K;
    const ldp_modes mean = modes_of(model, 0);
    open_totals(&mean, w);
    for (int d = 0; d < cells->D; d++) {
        ldp_modes_observed_row(&mean, cells, d, w.total, w.few, w.line, w.observed);
        ldp_fill(K, w.line, 0);
        ldp_add(K, w.line, local->exposure_rest[d], w.observed);
        ldp_add(K, w.line, local->exposure_excess[d], ldp_line(model->active, K, d));
        ldp_cavi_factor_set(&model->theta[0], d, ldp_line(model->counts[0], K, d), w.line);
    }
    ldp_cavi_factor_refresh(&model->theta[0]);
    ldp_modes_total(&mean, 0, local->exposure_rest, w.totals);
}

/* Updates mode m >= 1, given the totals of all others. */
static void update_mode(ldp_cavi_tensor *model, int m, const ldp_cavi_local *local,
                        const ldp_cells *cells, workspace w) {
    const int K = model->K;
    const ldp_modes mean = modes_of(model, 0);
    ldp_cavi_factor_clear(&model->theta[m], w.exposure);
    ldp_cavi_factor_clear(&model->theta[m], w.missing);
    for (int d = 0; d < cells->D; d++)
        ldp_modes_listed(&mean, m, cells, d, local->exposure_rest[d], local->exposure_excess[d],
                         w.few, w.line, w.exposure, w.missing);
    ldp_modes_total_product(&mean, w.totals, m, w.total);
    for (int j = 0; j < model->theta[m].n; j++) {
        ldp_modes_observed(&mean, cells, local->exposure_rest, m, j, w.total,
                           ldp_line(w.missing, K, j), w.few, w.line, w.observed);
        ldp_add(K, ldp_line(w.exposure, K, j), 1, w.observed);
    }
    ldp_cavi_factor_set_all(&model->theta[m], model->counts[m], w.exposure);
    ldp_modes_total(&mean, m, NULL, w.totals);
}

double ldp_cavi_tensor_pass(ldp_cavi_tensor *model, const ldp_cavi_local *local,
                            const ldp_cells *cells, double *work) {
    const workspace w = partition(model, work);
    if (local->update)
        local->update(local->state, cells);
    update_rows(model, local, cells, w);
    for (int m = 1; m < model->M; m++)
        update_mode(model, m, local, cells, w);
    for (int m = 1; m < model->M; m++)
        ldp_cavi_factor_balance(&model->theta[m - 1], &model->theta[m], work);
    for (int m = 0; m < model->M; m++)
        ldp_cavi_rate_update(&model->theta[m], model->rates + 2 * m);
    return ldp_cavi_tensor_local(model, local, cells, work);
}
