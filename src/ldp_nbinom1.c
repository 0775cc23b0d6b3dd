/* Overdispersed counts: the models draw events l, whose Poisson means lambda are determined by the
 * factors. A cell at or below zero has the likelihood of a Poisson zero with exposure 1 - G(alpha).
 *
 * The dispersion is updated between sweeps, given the counts y of the positive cells. The events
 * are integrated out, because they are drawn anew right after, and so are the counts of all other
 * cells. Notation (ldp_bursts.h): w = dispersion - 1, p = w/(1 + w), q = log1p(w), s = lambda/q, mu
 * = s w, G = G(alpha; w) is ldp_bursts_pgf(), and a prime marks what is proposed. In t = log(w),
 * that is logit p,
 *
 *     log density = log Beta(p'; ...) + log p'(1 - p')                          the Jacobian dp/dt
 *         - r Lambda+ - r sum_d (1 - G'_d) Lambda0_d
 *         + sum_{y > 0} log m' + sum_{y > 1} sum_{i=1}^{y-1} log(m' + i p')
 *         + n a log r - b (r - 1) sum theta
 *
 * where m' = s' p' is the first of the factors (s' + i) p' of NB(y), Lambda+ and Lambda0 are the
 * sums of lambda over the active and the other cells, and theta are n weights with a Gamma(a, b)
 * prior that are multiplied by r. There are two such moves:
 *
 *     lambda stays        r = 1,  m' = lambda (1 - p') w'/q'       no weight moves
 *     the mean stays      r = size(w)/size(w'),  size(w) = w/log1p(w),  m' = mu (1 - p')
 *
 * The first alone would make small steps if the data determine the means well, because it keeps
 * lambda fixed and so changes the means. Both are slice samplers in t. Sums over rows are added up
 * part by part, so that they are the same for any number of threads or processes.
 *
 * If each column has its own dispersion, the moves are those of rows, with the factor of the
 * columns in the place of theta. The parameters of the prior of p, Beta(m v, (1 - m) v), are
 * estimated: m has a beta prior, and 1/v is uniform on (0, 1), so that columns whose dispersions
 * are equal come out equal. log(m/(1 - m)) and log(v) are moved by slice samplers too.
 *
 * The moves are new in this package. */
#include <float.h>
#include <math.h>

#include <Rmath.h>

#include "ldp_bursts.h"
#include "ldp_codes.h"
#include "ldp_fetch.h"
#include "ldp_math.h"
#include "ldp_nbinom1.h"
#include "ldp_poisson.h"
#include "ldp_random.h"
#include "ldp_team.h"

/* Sizes under other mechanisms are logarithmic with parameters below this. */
static const double LARGEST_PARAMETER = 0.99;

/* The largest initial width of slices of t, and that of log(m/(1 - m)) and log(v). */
static const double SLICE_WIDEST = 2, SLICE_WIDTH = 1;

/* log(v) and |log(m/(1 - m))| are at most this. At log(v) = 20 all dispersions are equal to four
 * digits. */
static const double POOL_FURTHEST = 20;

/* Levels with a smaller alpha have no noise, to more digits than a double has. */
static const double ALPHA_NEGLIGIBLE = 1e-30;

/* Up to this count, the factors are multiplied one by one. */
static const double FACTORS_MOST = 64;

static double excess_of(const ldp_nbinom1_state *state, int row) {
    return state->excess[state->by_row ? row : 0];
}

static int is_same(double a, double b) {
    return !(a < b || a > b);
}

static int nbinom1_is_fixed(const ldp_nbinom1_state *state) {
    return state->shape1 <= 0;
}

/* --- counts --------------------------------------------------------------------------------- */

/* The number of bounds to compute: enough for the largest of these releases, and at least twice as
 * many as before, so that they are seldom computed again. */
static int bounds_wanted(const double *y_tilde, int n) {
    double largest = 1;
    int wanted = 64;
    for (int e = 0; e < n; e++)
        largest = fmax(largest, y_tilde[e]);
    while (wanted < largest && wanted < LDP_RTRUENBINOM_BOUNDS)
        wanted *= 2;
    return wanted;
}

static const ldp_rtruenbinom_law *law_for(ldp_nbinom1_state *state, double excess, double alpha,
                                          const double *y_tilde, int n) {
    ldp_rtruenbinom_law *const law = &state->law;
    const int wanted = bounds_wanted(y_tilde, n);
    if (!is_same(law->excess, excess) || !is_same(law->alpha, alpha) || law->n_bounds < wanted)
        ldp_rtruenbinom_prepare(law, excess, alpha, wanted);
    return law;
}

/* Where the list of this row begins: after those of the rows before it in its part, so that the
 * lists, which are short, are close together in memory. The rows of a part are visited in order. */
static size_t begin_of(const ldp_nbinom1_state *state, int row) {
    const int from = row - row % LDP_PART;
    size_t begin = state->first[from];
    for (int d = from; d < row; d++)
        begin += state->rows[d].n_above;
    return begin;
}

static void remember(ldp_nbinom1_state *state, int row, size_t place, double y) {
    if (nbinom1_is_fixed(state))
        return;
    ldp_nbinom1_row *const r = &state->rows[row];
    r->n_positive++;
    if (!(y > 1))
        return;
    if (r->n_above == 0)
        r->begin = begin_of(state, row);
    state->above[r->begin + r->n_above++] = (ldp_nbinom1_cell){place, y, 0};
}

/* Without noise the counts are known: x becomes the numbers of their events. */
static int draw_events(ldp_nbinom1_state *state, ldp_stream *stream, int row, size_t first,
                       const double *y, int n, double *x, int *positive) {
    const double excess = excess_of(state, row);
    int n_positive = 0;
    for (int e = 0; e < n; e++) {
        if (!(y[e] > 0))
            continue;
        remember(state, row, first + (size_t)e, y[e]);
        x[e] = ldp_bursts_events(stream, y[e], x[e], excess);
        positive[n_positive++] = e;
    }
    return n_positive;
}

/* Lists the cells for which P(y = 0) >= exp(-lambda H_k) >= 1 - lambda H_k does not settle that y =
 * 0. As for Poisson counts, one uniform and one comparison settle most cells. Returns the number of
 * cells listed. */
static int find_open(const ldp_rtruenbinom_law *law, ldp_stream *stream, int n,
                     const double *y_tilde, const double *x, double *u, int *open) {
    int n_open = 0;
    for (int e = 0; e < n; e++) {
        const double bound =
            y_tilde[e] <= law->n_bounds ? law->bound[(int)y_tilde[e] - 1] : DBL_MAX;
        u[n_open] = ldp_stream_uniform(stream);
        open[n_open] = e;
        n_open += !(u[n_open] < 1 - bound * x[e]);
    }
    return n_open;
}

/* Draws the count behind an active cell, and replaces its mean by the number of its events. If the
 * mean is out of range, because of bad starting values, the count is taken to be 0; the next sweep
 * corrects this. */
static double draw_open(const ldp_rtruenbinom_law *law, ldp_stream *stream, double u,
                        double y_tilde, double *x) {
    const double lambda = *x;
    if (!(lambda > 0 && lambda <= DBL_MAX && lambda <= DBL_MAX * law->q))
        return 0;
    return ldp_rtruenbinom_draw(law, stream, u, y_tilde, lambda, x);
}

static int draw(void *state, ldp_stream *stream, int row, size_t first, int n,
                const double *y_tilde, double alpha, double *x, int *positive) {
    ldp_nbinom1_state *const s = state;
    if (alpha <= 0)
        return draw_events(s, stream, row, first, y_tilde, n, x, positive);
    const ldp_rtruenbinom_law *const law = law_for(s, excess_of(s, row), alpha, y_tilde, n);
    double u[LDP_FEW];
    int n_positive = 0, open[LDP_FEW];
    const int n_open = find_open(law, stream, n, y_tilde, x, u, open);
    for (int i = 0; i < n_open; i++) {
        const int e = open[i];
        const double y = draw_open(law, stream, u[i], y_tilde[e], &x[e]);
        if (y > 0) {
            remember(s, row, first + (size_t)e, y);
            positive[n_positive++] = e;
        }
    }
    return n_positive;
}

static double nbinom1_log_density(const void *state, ldp_quick *quick, int row, size_t first, int n,
                                  const double *y_tilde, double alpha, const double *mean) {
    const double excess = excess_of(state, row);
    (void)first;
    ldp_quick_prepare(quick, excess, alpha);
    return ldp_quick_log_density(quick, n, y_tilde, mean);
}

/* --- counts, if each column has its own dispersion ---------------------------------------------
 */

/* H_k times the inverse scale of the column, or more. */
static double bound_of(const ldp_nbinom1_columns *columns, size_t place, double y_tilde) {
    const ldp_nbinom1_gate *const gate = &columns->gate[place];
    if (y_tilde <= LDP_NBINOM1_NEAR)
        return (double)gate->near[(int)y_tilde - 1];
    const ldp_rtruenbinom_law *const law = &columns->law[place];
    return y_tilde <= law->n_bounds ? law->bound[(int)y_tilde - 1] * gate->inverse : DBL_MAX;
}

/* As find_open(); `place`: the column and level of each cell. */
static int find_open_by_columns(const ldp_nbinom1_columns *columns, ldp_stream *stream, int n,
                                const double *y_tilde, const size_t *place, const double *x,
                                double *u, int *open) {
    int n_open = 0;
    for (int e = 0; e < n; e++) {
        u[n_open] = ldp_stream_uniform(stream);
        open[n_open] = e;
        n_open += !(u[n_open] < 1 - bound_of(columns, place[e], y_tilde[e]) * x[e]);
    }
    return n_open;
}

/* Of the open cells, the distribution and the counters of the one that is drawn 2 AHEAD cells
 * later, and the bounds of the one AHEAD, whose address is in the distribution. */
enum { AHEAD = 2 };

static int draw_by_columns(void *state, ldp_stream *stream, int row, size_t first, int n,
                           const double *y_tilde, double alpha, double *x, int *positive) {
    ldp_nbinom1_state *const s = state;
    const ldp_nbinom1_columns *const columns = s->columns;
    size_t place[LDP_FEW];
    double u[LDP_FEW];
    int n_positive = 0, open[LDP_FEW], n_open = n;
    for (int e = 0; e < n; e++) {
        place[e] = ldp_columns_place(&columns->at, row, s->active.index[first + (size_t)e]);
        open[e] = e;
        ldp_fetch(&columns->gate[place[e]]);
    }
    if (alpha > 0)
        n_open = find_open_by_columns(columns, stream, n, y_tilde, place, x, u, open);
    for (int i = 0; i < n_open; i++) {
        const int e = open[i];
        double y = y_tilde[e];
        if (i + 2 * AHEAD < n_open) {
            const size_t later = place[open[i + 2 * AHEAD]];
            ldp_fetch(&columns->law[later].bound);
            ldp_fetch(&columns->law[later]);
            ldp_fetch(&columns->sums[later]);
        }
        if (i + AHEAD < n_open)
            ldp_fetch(columns->law[place[open[i + AHEAD]]].bound);
        x[e] *= columns->gate[place[e]].inverse;
        if (alpha > 0)
            y = draw_open(&columns->law[place[e]], stream, u[i], y, &x[e]);
        else if (y > 0)
            x[e] = ldp_bursts_events(stream, y, x[e], s->excess[place[e] % (size_t)columns->at.n]);
        if (y > 0) {
            remember(s, row, first + (size_t)e, y);
            columns->sums[place[e]].n_positive++;
            columns->sums[place[e]].n_above += y > 1;
            positive[n_positive++] = e;
        }
    }
    return n_positive;
}

/* --- tokens -----------------------------------------------------------------------------------
 *
 * A token is an event, and its size is that of the event. With s = lambda/q, x = p/alpha and z =
 * alpha p, a release r gives a true count y the weight (s)_y/y! x^y for y <= r, and (s)_y/y! z^y
 * alpha^(-2r) above. With (s)_y/y!, which is that of events with intensities s/j of size j, this is
 * at most the product over events of
 *
 *     g_r(j) = x^j for j <= r,  z^j alpha^(-2r) for j > r,
 *
 * and the quotient is alpha^2 to the power max(y - r, 0) minus the sum of max(j - r, 0), which is
 * the probability of acceptance. All g_r, r <= R, are at most g_R. So tokens are proposed with
 * intensities s g_R(j)/j, but for j > R with s z^j alpha^(-2R)/(R + 1), which is larger, and whose
 * sizes are geometric. Cells with larger releases are drawn alone. R is chosen for each
 * row, so that it takes least time. The sum of the intensities is s S_R,
 *
 *     S_R = sum_{j <= R} x^j/j + x^R z/((1 - z) (R + 1)). */

static void prepare_sizes(ldp_nbinom1_sizes *sizes, double excess, double alpha) {
    const double p = excess / (1 + excess), x = p / alpha, z = p * alpha;
    double power = 1, sum = 0;
    for (int R = 0; R <= LDP_NBINOM1_SIZES; R++) {
        if (R > 0) {
            power *= x;
            sum += power / R;
        }
        sizes->up_to[R] = sum;
        sizes->all[R] = sum + power * z / ((1 - z) * (R + 1));
    }
    sizes->excess = excess;
    sizes->alpha = alpha;
    sizes->log_z = log(z);
}

/* About alpha^(R + 1)/(1 + alpha) of all releases are above R by their noise, and at most so many
 * of the others as have events, fewer for larger R. */
static int choose_largest(const ldp_nbinom1_sizes *sizes, double lambda, int n_cells, double cost) {
    const double p = sizes->excess / (1 + sizes->excess), slower = fmax(p, sizes->alpha);
    double least = INFINITY, noise = sizes->alpha / (1 + sizes->alpha);
    double counts = fmin(1, lambda / n_cells);
    int best = 0;
    for (int R = 0; R <= LDP_NBINOM1_SIZES; R++, noise *= sizes->alpha, counts *= slower) {
        const double time = lambda / log1p(sizes->excess) * sizes->all[R] +
                            fmin(1, noise + counts) * cost * n_cells;
        if (time < least) {
            least = time;
            best = R;
        }
    }
    return best;
}

static int draw_size(const ldp_token_law *law, ldp_stream *stream) {
    const ldp_nbinom1_sizes *const sizes = &((const ldp_nbinom1_state *)law->state)->sizes;
    const int R = law->largest;
    const double u = ldp_stream_uniform(stream) * sizes->all[R];
    if (u < sizes->up_to[R]) {
        int j = 1;
        while (j < R && u >= sizes->up_to[j])
            j++;
        return j;
    }
    const double j = R + 1 + floor(log(ldp_stream_uniform(stream)) / sizes->log_z);
    return ldp_stream_uniform(stream) * j < R + 1 ? (int)fmin(j, LDP_BURSTS_LARGEST) : 0;
}

static double keep_size(const ldp_token_law *law, int code, int size) {
    const int over = (size <= law->largest ? size : law->largest) - code;
    if (over <= 0)
        return 1;
    return over == 1 ? law->square : pow(law->square, over);
}

static double size_over(const ldp_token_law *law, int code, int size) {
    (void)law;
    return size > code ? size - code : 0;
}

static double accept_sizes(const ldp_token_law *law, int v, double y, double over) {
    const double release = ldp_codes_release(law->cells, law->row, v);
    const double beyond = fmax(y - release, 0) - over;
    return beyond > 0 ? pow(law->square, beyond) : 1;
}

static void see_count(const ldp_token_law *law, int v, double y) {
    remember(law->state, law->row, (size_t)v, y);
}

/* Below zero y has the weight (s)_y/y! z^y: a Poisson number whose mean is a gamma number. */
static double events_below(ldp_nbinom1_state *state, const ldp_token_law *law, ldp_stream *stream,
                           int v, double lambda) {
    const double excess = excess_of(state, law->row), p = excess / (1 + excess);
    const double z = p * law->alpha, size = lambda / log1p(excess);
    if (!(size > 0 && size <= DBL_MAX))
        return 0;
    const double y = ldp_random_poisson(stream, ldp_random_gamma(stream, size) * z / (1 - z));
    if (!(y > 0))
        return 0;
    see_count(law, v, y);
    return ldp_bursts_events(stream, y, lambda, excess);
}

static double events_alone(const ldp_token_law *law, ldp_stream *stream, int v, double mean) {
    const double release = ldp_codes_release(law->cells, law->row, v);
    int positive;
    if (release <= 0)
        return law->alpha > 0 ? events_below(law->state, law, stream, v, mean) : 0;
    const int n =
        draw(law->state, stream, law->row, (size_t)v, 1, &release, law->alpha, &mean, &positive);
    return n > 0 ? mean : 0;
}

static ldp_token_law nbinom1_tokens(void *state, const ldp_cells *cells, int row, double total,
                                    double cost) {
    ldp_nbinom1_state *const s = state;
    const double excess = excess_of(s, row), alpha = cells->alpha[row];
    ldp_token_law law = {.rate = INFINITY,
                         .square = alpha * alpha,
                         .size = draw_size,
                         .keep = keep_size,
                         .over = size_over,
                         .accept = accept_sizes,
                         .alone = events_alone,
                         .see = see_count,
                         .state = state,
                         .cells = cells,
                         .row = row,
                         .alpha = alpha};
    if (!(alpha > 0))
        return law;
    if (!is_same(s->sizes.excess, excess) || !is_same(s->sizes.alpha, alpha))
        prepare_sizes(&s->sizes, excess, alpha);
    law.top = law.largest = choose_largest(&s->sizes, total, cells->V, cost);
    law.rate = s->sizes.all[law.largest] / log1p(excess);
    return law;
}

/* --- tokens, under any mechanism ----------------------------------------------------------------
 *
 * With f(y) = L(y)/L(0) of a release (ldp_classes.h) and w = exp(tilt) of the last class that has
 * tokens, tokens of size j are proposed with intensities s (p w)^j/j. One on a cell is kept with
 * the probability f(j)/w^j, which leaves s p^j f(j)/j, and all are accepted with the probability
 * that is f(y) divided by the product of all f(j): at most 1 if log f is concave.
 * (Otherwise exp(tilt j), of the class of the cell, is in the place of f(j).) */

static int draw_protected_size(const ldp_token_law *law, ldp_stream *stream) {
    const double excess = excess_of(law->state, law->row);
    return ldp_bursts_draw_size(stream, excess / (1 + excess) / law->inverse);
}

static double protected_events(const ldp_token_law *law, ldp_stream *stream, int v, double mean) {
    const double excess = excess_of(law->state, law->row);
    const double y = ldp_protected_alone(law, stream, v, mean * ldp_bursts_size(excess), excess);
    if (!(y > 0))
        return 0;
    see_count(law, v, y);
    return ldp_bursts_events(stream, y, mean, excess);
}

/* The rates of tokens by the last class, which depend on the dispersion only. */
static void prepare_rates(ldp_nbinom1_state *state, const ldp_classes *classes, double excess) {
    const double p = excess / (1 + excess);
    for (int i = 0; i < classes->n_tilted; i++) {
        const double x = p * classes->of[i].weight;
        state->rate[i] = x < LARGEST_PARAMETER ? -log1p(-x) / log1p(excess) : INFINITY;
    }
    state->rated = excess;
}

static ldp_token_law protected_tokens(void *state, const ldp_cells *cells, int row, double total,
                                      double cost) {
    ldp_nbinom1_state *const s = state;
    const ldp_classes *const classes = cells->protection->classes;
    const double excess = excess_of(s, row);
    if (!is_same(s->rated, excess))
        prepare_rates(s, classes, excess);
    ldp_token_law law = ldp_protected_law(cells, row, s->rate, total, cost);
    law.size = draw_protected_size;
    law.over = ldp_protected_over;
    law.alone = protected_events;
    law.see = see_count;
    law.state = state;
    return law;
}

static double protected_log_density(const void *state, ldp_quick *quick, int row, size_t first,
                                    int n, const double *y_tilde, double alpha,
                                    const double *mean) {
    const ldp_nbinom1_state *const s = state;
    const double excess = excess_of(s, row), size = ldp_bursts_size(excess);
    double mu[LDP_FEW];
    (void)quick;
    (void)y_tilde;
    (void)alpha;
    for (int e = 0; e < n; e++)
        mu[e] = mean[e] * size;
    return ldp_protected_log_density(s->cells, row, first, n, mu, excess);
}

/* --- statistics for the moves ----------------------------------------------------------------- */

/* The means of those cells of the row, among n from `first` on, that have a count above 1. */
static void read_means_above(const ldp_nbinom1_state *state, int row, size_t first, int n,
                             const double *mean) {
    ldp_nbinom1_row *const r = &state->rows[row];
    ldp_nbinom1_cell *const above = state->above + r->begin;
    for (; r->n_shown < r->n_above && above[r->n_shown].place < first + (size_t)n; r->n_shown++)
        above[r->n_shown].mean = mean[above[r->n_shown].place - first];
}

static void read_cells(void *state, int row, size_t first, int n, const double *y_tilde,
                       const double *mean) {
    const ldp_nbinom1_state *const s = state;
    double sum = 0;
    (void)y_tilde;
    for (int e = 0; e < n; e++)
        sum += mean[e];
    s->rows[row].active += sum;
    read_means_above(s, row, first, n, mean);
}

static void read_rest(void *state, int row, double sum) {
    ldp_nbinom1_state *const s = state;
    s->rows[row].rest = sum;
}

/* Sums over the cells of a column are exact, and so independent of their order, because all terms
 * are multiples of a power of two, of which no sum has more than 2^53: the mean is rounded to the
 * 2^-50th part of a power of two above the sum over all cells. */
static double exact_share(double mean, double grain) {
    return (mean + grain) - grain;
}

static void begin_visit_of_columns(void *state) {
    const ldp_nbinom1_columns *const columns = ((const ldp_nbinom1_state *)state)->columns;
    const size_t n = (size_t)columns->at.n_levels * (size_t)columns->at.n;
    for (size_t place = 0; place < n; place++) {
        int exponent;
        frexp(fmin(columns->at.total[place], DBL_MAX / 64), &exponent);
        columns->grain[place] = ldexp(1.5, exponent + 2);
    }
}

/* `which`: of the two sums */
static void add_by_columns(const ldp_nbinom1_columns *columns, int row, const int *index, int n,
                           const double *mean, int which) {
    for (int e = 0; e < n; e++) {
        const size_t place = ldp_columns_place(&columns->at, row, index[e]);
        columns->sums[place].mean[which] += exact_share(mean[e], columns->grain[place]);
    }
}

static void read_columns(void *state, int row, size_t first, int n, const double *y_tilde,
                         const double *mean) {
    const ldp_nbinom1_state *const s = state;
    (void)y_tilde;
    add_by_columns(s->columns, row, s->active.index + first, n, mean, LDP_NBINOM1_ACTIVE);
    read_means_above(s, row, first, n, mean);
}

static void read_missing(void *state, int row, size_t first, int n, const double *mean) {
    const ldp_nbinom1_state *const s = state;
    add_by_columns(s->columns, row, s->missing.index + first, n, mean, LDP_NBINOM1_MISSING);
}

/* The sums of a place over all threads. */
static ldp_nbinom1_row sums_of_place(const ldp_nbinom1_columns *columns, size_t place,
                                     int n_threads) {
    ldp_nbinom1_row row = {0};
    double missing = 0;
    for (int t = 0; t < n_threads; t++) {
        const ldp_nbinom1_sums of = columns[t].sums[place];
        row.n_positive += of.n_positive;
        row.n_shown += (size_t)of.n_above;
        row.active += of.mean[LDP_NBINOM1_ACTIVE];
        missing += of.mean[LDP_NBINOM1_MISSING];
    }
    row.rest = fmax(0, columns->at.total[place] - row.active - missing);
    return row;
}

static double column_density(const void *state, int n_threads) {
    const ldp_nbinom1_columns *const columns = ((const ldp_nbinom1_state *)state)->columns;
    const size_t n = (size_t)columns->at.n * (size_t)columns->at.n_levels;
    double sum = 0;
    for (size_t place = 0; place < n; place++)
        sum += columns->batch.density[place] -
               columns->at.rest[place] * sums_of_place(columns, place, n_threads).rest;
    return sum;
}

/* If counts are proposed by tokens, those of all cells are known, and the moves need the means of
 * the cells above 1 and the sum of all. */
static int column_above(const void *state, int row, size_t first) {
    const ldp_nbinom1_state *const s = state;
    const ldp_nbinom1_row *const r = &s->rows[row];
    return first < r->n_above ? (int)s->above[r->begin + first].place : LDP_NO_COLUMN;
}

static void read_above(void *state, int row, size_t first, int n, const double *y_tilde,
                       const double *mean) {
    ldp_nbinom1_state *const s = state;
    ldp_nbinom1_row *const r = &s->rows[row];
    (void)y_tilde;
    for (int e = 0; e < n; e++) {
        s->above[r->begin + first + (size_t)e].mean = mean[e];
        r->active += mean[e];
    }
}

static void read_others(void *state, int row, double sum) {
    ldp_nbinom1_state *const s = state;
    s->rows[row].active += sum;
}

/* --- the moves ------------------------------------------------------------------------------ */

typedef ldp_nbinom1_target target;

/* From here on the mean stays, as it is with this dispersion. */
static void keep_mean(target *of, double excess) {
    of->keeps_mean = 1;
    of->size = ldp_bursts_size(excess);
    of->log_size = log(of->size);
}

/* A value of t = log(excess) for which the log density is asked, and what all cells have in common.
 * Both moves have the same value at their starting point. */
typedef struct trial {
    double t, excess, q; /* q = log1p(excess) */
    double r, log_r; /* the ratio of scales */
    double first, log_first; /* m'/lambda, with m' = mu (1 - p') or lambda (1 - p') w'/q' */
} trial;

static trial trial_at(const target *at, double t) {
    const double excess = exp(t), q = log1p(excess), size = excess / q, log_size = log(size);
    if (!at->keeps_mean)
        return (trial){t, excess, q, 1, 0, size / (1 + excess), log_size - q};
    return (trial){t,
                   excess,
                   q,
                   at->size / size,
                   at->log_size - log_size,
                   at->size / (1 + excess),
                   at->log_size - q};
}

/* prod_{t=1}^{y-1} (m + t p), as four products that the processor can compute in parallel. */
static double multiply_factors(double y, double m, double p) {
    double product = 1, second = 1, third = 1, fourth = 1, t = 1;
    for (; t + 3 < y; t += 4) {
        product *= m + t * p;
        second *= m + (t + 1) * p;
        third *= m + (t + 2) * p;
        fourth *= m + (t + 3) * p;
    }
    for (; t < y; t++)
        product *= m + t * p;
    return (product * second) * (third * fourth);
}

/* Can up to 63 such factors, times 1e-100 or 1e100, be multiplied without overflow or underflow? */
static int is_in_range(double m, double p) {
    return m + p > 1e-3 && m + FACTORS_MOST * p < 1e3;
}

/* log prod_{t=1}^{y-1} (m + t p) for y <= FACTORS_MOST */
static double log_few_factors(double y, double m, double p) {
    if (is_in_range(m, p))
        return log(multiply_factors(y, m, p));
    double sum = 0;
    for (double t = 1; t < y; t++)
        sum += log(m + t * p);
    return sum;
}

/* The same for a large y: with a = m/p + 16 and n = y - 16, the log of the product of the factors
 * after the first 15 is n log(p) and, by Stirling's formula,
 *
 *     log Gamma(a + n)/Gamma(a) = (a + n - 1/2) log(1 + n/a) + n log(a) - n
 *                                 + delta(a + n) - delta(a). */
static double log_many_factors(double y, double m, double p) {
    const double a = m / p + 16, n = y - 16;
    if (!(a <= DBL_MAX))
        return (y - 1) * log(m);
    return log_few_factors(16, m, p) + (a + n - 0.5) * log1p(n / a) + n * (log(m + 16 * p) - 1) +
           ldp_stirling_error(a + n) - ldp_stirling_error(a);
}

/* The log of the product of the factors of all counts above 1 of rows from .. to-1; logarithms are
 * taken only when the product becomes very large or small. */
static double log_factors_of(const ldp_nbinom1_state *state, const trial *at, int from, int to) {
    const double p = at->excess / (1 + at->excess);
    double sum = 0, product = 1;
    for (int d = from; d < to; d++) {
        const ldp_nbinom1_cell *const above = state->above + state->rows[d].begin;
        for (size_t i = 0; i < state->rows[d].n_above; i++) {
            const double m = above[i].mean * at->first, y = above[i].y;
            if (y > FACTORS_MOST || !is_in_range(m, p)) {
                sum += y > FACTORS_MOST ? log_many_factors(y, m, p) : log_few_factors(y, m, p);
                continue;
            }
            product *= multiply_factors(y, m, p);
            if (product < 1e-100 || product > 1e100) {
                sum += log(product);
                product = 1;
            }
        }
    }
    return sum + log(product);
}

/* The terms of the log density that are sums over rows, for rows from .. to-1; the exposures of
 * neighbouring rows with the same alpha are computed together. */
static double log_data(const ldp_nbinom1_state *state, const double *alpha, const trial *at,
                       int from, int to) {
    double n_positive = 0, exposed = 0;
    for (int d = from; d < to;) {
        const double first = alpha[d];
        double rest = 0;
        for (; d < to && is_same(alpha[d], first); d++) {
            n_positive += state->rows[d].n_positive;
            exposed += state->rows[d].active;
            rest += state->rows[d].rest;
        }
        exposed += log1p((1 - first) * at->excess) / at->q * rest; /* ldp_bursts_exposure() */
    }
    return log_factors_of(state, at, from, to) - at->r * exposed + n_positive * at->log_first;
}

/* The log density of t = log(excess), with log p = t - q and log(1 - p) = -q; `data`: the sum of
 * log_data() over the rows of the group. */
static double log_target(const ldp_nbinom1_state *state, const target *of, const trial *at,
                         double data) {
    const double prior = state->shape1 * at->t - (state->shape1 + state->shape2) * at->q;
    return prior + of->n_shape * at->log_r - of->rate_sum * (at->r - 1) + data;
}

/* Three standard deviations of t: the prior has about the precision a b/(a + b), and n counts above
 * 1 that of n/4. Slices that are wider could reach dispersions at which means overflow, if factors
 * start far out of range. */
static double slice_width(const ldp_nbinom1_state *state, const target *at) {
    const double a = state->shape1, b = state->shape2;
    return fmin(SLICE_WIDEST, 6 / sqrt(4 * a / (1 + a / b) + at->n_above));
}

/* Multiplies lines from .. to-1. */
static void nbinom1_multiply(ldp_scalable factor, int from, int to, double r) {
    double *const weights = factor.factor + (size_t)from * (size_t)factor.K;
    const size_t n = (size_t)(to - from) * (size_t)factor.K;
    for (size_t i = 0; i < n; i++)
        weights[i] = fmax(weights[i] * r, DBL_MIN);
}

/* The sum of the weights times their relative rates. */
static double sum_of_groups(ldp_scalable factor, int from, int to) {
    double sum = 0;
    for (int d = from; d < to; d++)
        sum += ldp_dot(factor.K, ldp_line(factor.factor, factor.K, d),
                       factor.relative + (size_t)factor.combination[d] * (size_t)factor.K);
    return sum;
}

static double nbinom1_sum_of(ldp_scalable factor, int from, int to) {
    if (factor.relative)
        return sum_of_groups(factor, from, to);
    const double *const weights = factor.factor + (size_t)from * (size_t)factor.K;
    const size_t n = (size_t)(to - from) * (size_t)factor.K;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    return sum;
}

/* The mean-keeping move, of n_lines lines of the factor with this sum; none if there are no lines.
 */
static void set_scale(target *at, ldp_scalable factor, int n_lines, double sum) {
    at->n_shape = (double)n_lines * factor.K * factor.shape;
    at->rate_sum = factor.rate * sum;
}

/* --- a dispersion that all rows share --------------------------------------------------------- */

enum { NO_MOVE, START, LAMBDA_STAYS, MEAN_STAYS };

/* What each part answers: its log_data(), and at the start the number of its counts above 1, and
 * the sum of its lines of the factor. */
enum { DATA, N_ABOVE, WEIGHTS };

static int nbinom1_is_asking(const void *state) {
    return ((const ldp_nbinom1_state *)state)->move.stage != NO_MOVE;
}

static void nbinom1_answer(void *state, int part) {
    const ldp_nbinom1_state *const s = state;
    const ldp_nbinom1_move *const move = &s->move;
    const int from = part * LDP_PART, to = ldp_part_end(from, s->D);
    double *const mine =
        s->answers + LDP_ANSWERS * (size_t)(move->cells->D_before / LDP_PART + part);
    const trial at = trial_at(&move->target, move->asked);
    mine[DATA] = log_data(s, move->cells->alpha, &at, from, to);
    mine[N_ABOVE] = mine[WEIGHTS] = 0;
    if (move->stage != START)
        return;
    for (int d = from; d < to; d++)
        mine[N_ABOVE] += (double)s->rows[d].n_above;
    if (move->factor.by_row)
        mine[WEIGHTS] = nbinom1_sum_of(move->factor, from, to);
}

static void add_answers(const ldp_nbinom1_state *state, double *sums) {
    for (int i = 0; i < LDP_ANSWERS; i++)
        sums[i] = 0;
    for (int part = 0; part < ldp_parts(state->move.cells->D_all); part++)
        for (int i = 0; i < LDP_ANSWERS; i++)
            sums[i] += state->answers[LDP_ANSWERS * (size_t)part + (size_t)i];
}

/* The product is further above x than rounding to a float can take it down. */
static float float_above(double x) {
    const double above = x * (1 + FLT_EPSILON);
    return above < FLT_MAX ? (float)above : INFINITY;
}

static void set_law(const ldp_nbinom1_columns *columns, size_t place, double excess, double alpha) {
    ldp_rtruenbinom_law *const law = &columns->law[place];
    const double inverse = 1 / ldp_columns_scale(&columns->at, place);
    columns->gate[place].inverse = inverse;
    if (!(alpha > 0))
        return;
    ldp_rtruenbinom_prepare(law, excess, alpha, columns->n_bounds[place]);
    for (int i = 0; i < LDP_NBINOM1_NEAR; i++)
        columns->gate[place].near[i] =
            i < law->n_bounds ? float_above(law->bound[i] * inverse) : INFINITY;
}

static void set_exposures_of_columns(void *of, int part, int thread) {
    const ldp_nbinom1_state *const state = of;
    const ldp_columns *const at = &state->columns->at;
    const int from = part * LDP_PART, to = ldp_part_end(from, at->n);
    (void)thread;
    for (int level = 0; level < at->n_levels; level++) {
        for (int column = from; column < to; column++) {
            const size_t place = (size_t)level * (size_t)at->n + (size_t)column;
            const double excess = state->excess[column], alpha = at->alpha[level];
            at->rest[place] = ldp_bursts_exposure(excess, alpha);
            at->extra[place] = alpha > ALPHA_NEGLIGIBLE ? ldp_bursts_pgf(excess, alpha) : 0;
            set_law(state->columns, place, excess, alpha);
        }
    }
}

static void set_exposures(ldp_nbinom1_state *state, const double *alpha, int n_threads) {
    if (state->columns) {
        ldp_team_run(n_threads, ldp_parts(state->columns->at.n), set_exposures_of_columns, state);
        return;
    }
    for (int d = 0; d < state->D; d++) {
        if (d > 0 && !state->by_row && is_same(alpha[d], alpha[d - 1])) {
            state->rest[d] = state->rest[d - 1];
            state->extra[d] = state->extra[d - 1];
            continue;
        }
        state->rest[d] = ldp_bursts_exposure(excess_of(state, d), alpha[d]);
        state->extra[d] = ldp_bursts_pgf(excess_of(state, d), alpha[d]);
    }
}

static void end_moves(ldp_nbinom1_state *state, const double *alpha, int n_threads) {
    for (int d = 0; d < state->D; d++)
        state->rows[d] = (ldp_nbinom1_row){0};
    set_exposures(state, alpha, n_threads);
}

/* The slice sampler of a stage is done: the next stage, or the end of the move. */
static void next_stage(ldp_nbinom1_state *state) {
    ldp_nbinom1_move *const move = &state->move;
    const trial moved = trial_at(&move->target, move->slice.at);
    if (move->stage == LAMBDA_STAYS) {
        move->stage = MEAN_STAYS;
        keep_mean(&move->target, moved.excess);
        move->slice = ldp_slice_open(&move->stream, move->slice.at, move->slice.value,
                                     slice_width(state, &move->target), LDP_SLICE_STEPS);
        return;
    }
    nbinom1_multiply(move->factor, 0, move->factor.n, moved.r);
    *state->excess = moved.excess;
    move->stage = NO_MOVE;
    end_moves(state, move->cells->alpha, 1);
}

static void use_answers(void *state) {
    ldp_nbinom1_state *const s = state;
    ldp_nbinom1_move *const move = &s->move;
    double sums[LDP_ANSWERS];
    add_answers(s, sums);
    const trial at = trial_at(&move->target, move->asked);
    const double value = log_target(s, &move->target, &at, sums[DATA]);
    if (move->stage == START) {
        const ldp_scalable factor = move->factor;
        move->target.n_above = sums[N_ABOVE];
        set_scale(&move->target, factor, factor.n_all,
                  factor.by_row ? sums[WEIGHTS] : nbinom1_sum_of(factor, 0, factor.n));
        move->stage = LAMBDA_STAYS;
        move->slice = ldp_slice_open(&move->stream, move->asked, value,
                                     slice_width(s, &move->target), LDP_SLICE_STEPS);
    } else {
        ldp_slice_tell(&move->slice, &move->stream, value);
    }
    while (move->stage != NO_MOVE && !ldp_slice_is_asking(&move->slice))
        next_stage(s);
    move->asked = move->slice.asked;
}

/* --- a dispersion for each row, or for each column -------------------------------------------- */

static double value_of(const ldp_nbinom1_state *state, const double *alpha, const target *of,
                       double t, int from, int to) {
    const trial at = trial_at(of, t);
    return log_target(state, of, &at, log_data(state, alpha, &at, from, to));
}

/* These slices begin so many times as wide as that of a dispersion which all rows share, but not
 * wider than OWN_WIDEST, and are not widened: to ask at both ends would cost as much as to draw. */
static const double TIMES_AS_WIDE = 8, OWN_WIDEST = 4;

static void run_slice(const ldp_nbinom1_state *state, const double *alpha, const target *of,
                      int from, int to, ldp_stream *stream, ldp_slice *slice) {
    const double width = fmin(OWN_WIDEST, TIMES_AS_WIDE * slice_width(state, of));
    *slice = ldp_slice_open(stream, slice->at, slice->value, width, 1);
    while (ldp_slice_is_asking(slice))
        ldp_slice_tell(slice, stream, value_of(state, alpha, of, slice->asked, from, to));
}

/* Moves of n dispersions from the first on, each of which has n_lines rows. A row of the factor
 * belongs to each. */
typedef struct own_moves {
    ldp_nbinom1_state *state;
    const double *alpha;
    uint64_t seed;
    ldp_scalable factor;
    int first, n, n_lines;
    int before; /* dispersions before the first one here, in other shards */
} own_moves;

static void move_one(const own_moves *own, int i) {
    const ldp_nbinom1_state *const state = own->state;
    const double *const alpha = own->alpha;
    const int from = i * own->n_lines, to = from + own->n_lines;
    ldp_stream stream = ldp_stream_for(own->seed, LDP_USE_DISPERSION, 0, own->before + i);
    target of = {0};
    for (int d = from; d < to; d++)
        of.n_above += (double)state->rows[d].n_above;
    ldp_slice slice = {.at = log(state->excess[i])};
    slice.value = value_of(state, alpha, &of, slice.at, from, to);
    run_slice(state, alpha, &of, from, to, &stream, &slice);
    if (own->factor.by_row) {
        keep_mean(&of, exp(slice.at));
        set_scale(&of, own->factor, 1, nbinom1_sum_of(own->factor, i, i + 1));
        run_slice(state, alpha, &of, from, to, &stream, &slice);
        nbinom1_multiply(own->factor, i, i + 1, trial_at(&of, slice.at).r);
    }
    state->excess[i] = exp(slice.at);
}

static void move_part(void *state, int part, int thread) {
    const own_moves *const own = state;
    const int from = part * LDP_PART, to = ldp_part_end(from, own->n);
    (void)thread;
    for (int i = from; i < to; i++)
        move_one(own, own->first + i);
}

/* --- the prior of the dispersions of columns ---------------------------------------------------
 */

typedef struct pool {
    double n, log_p, log_rest; /* the number of dispersions; sums of log(p) and of log(1 - p) */
    double mean1, mean2;
} pool;

/* The log density of logit(m) and log(v). */
static double log_pool(const pool *of, double logit, double log_v) {
    const double v = exp(log_v), m = 1 / (1 + exp(-logit)), rest = 1 / (1 + exp(logit));
    if (!(fabs(logit) <= POOL_FURTHEST && log_v >= 0 && log_v <= POOL_FURTHEST))
        return -INFINITY;
    return of->n * (lgammafn(v) - lgammafn(m * v) - lgammafn(rest * v)) + m * v * of->log_p +
           rest * v * of->log_rest + of->mean1 * log(m) + of->mean2 * log(rest) - log_v;
}

static void move_pool(ldp_nbinom1_state *state, uint64_t seed) {
    const ldp_nbinom1_columns *const columns = state->columns;
    double *const shapes = columns->shapes;
    ldp_stream stream = ldp_stream_for(seed, LDP_USE_DISPERSION, 1, 0);
    pool of = {.n = columns->at.n, .mean1 = columns->mean1, .mean2 = columns->mean2};
    double logit = log(shapes[0]) - log(shapes[1]), log_v = fmax(0, log(shapes[0] + shapes[1]));
    for (int v = 0; v < columns->at.n; v++) {
        of.log_p -= log1p(1 / state->excess[v]);
        of.log_rest -= log1p(state->excess[v]);
    }
    ldp_slice slice =
        ldp_slice_open(&stream, logit, log_pool(&of, logit, log_v), SLICE_WIDTH, LDP_SLICE_STEPS);
    while (ldp_slice_is_asking(&slice))
        ldp_slice_tell(&slice, &stream, log_pool(&of, slice.asked, log_v));
    logit = slice.at;
    slice =
        ldp_slice_open(&stream, log_v, log_pool(&of, logit, log_v), SLICE_WIDTH, LDP_SLICE_STEPS);
    while (ldp_slice_is_asking(&slice))
        ldp_slice_tell(&slice, &stream, log_pool(&of, logit, slice.asked));
    shapes[0] = exp(slice.at) / (1 + exp(-logit));
    shapes[1] = exp(slice.at) / (1 + exp(logit));
}

/* --- the dispersions of columns ----------------------------------------------------------------
 */

static size_t line_of_place(const ldp_columns *at, size_t place) {
    return place % (size_t)at->n * (size_t)at->n_levels + place / (size_t)at->n;
}

/* Adds up what the threads found, and forgets it. */
static void collect_sums(const ldp_nbinom1_columns *columns, int n_threads) {
    const ldp_columns *const at = &columns->at;
    for (size_t place = 0; place < (size_t)at->n * (size_t)at->n_levels; place++) {
        columns->rows[line_of_place(at, place)] = sums_of_place(columns, place, n_threads);
        for (int t = 0; t < n_threads; t++)
            columns[t].sums[place] = (ldp_nbinom1_sums){0};
    }
}

/* The lines of columns from .. to-1, as many columns as there is room for their counts above 1:
 * places the lists of these lines one after another. Returns `to`. */
static int place_lists(const ldp_nbinom1_columns *columns, int from) {
    const size_t n_levels = (size_t)columns->at.n_levels;
    size_t begin = 0;
    int v = from;
    for (; v < columns->at.n; v++) {
        ldp_nbinom1_row *const line = columns->rows + (size_t)v * n_levels;
        size_t n_above = 0;
        for (size_t l = 0; l < n_levels; l++)
            n_above += line[l].n_shown;
        if (begin + n_above > columns->batch.most)
            break;
        for (size_t l = 0; l < n_levels; l++) {
            line[l].begin = begin;
            begin += line[l].n_shown;
        }
    }
    return v;
}

/* Counts above 1 of columns from .. to-1 that are sorted by lines, in so many parts. */
typedef struct sorting {
    const ldp_nbinom1_state *state;
    int from, to, n_parts;
} sorting;

/* Each part has some of the columns: to visit a count takes less time than to move it. */
static void sort_part(void *of, int part, int thread) {
    const sorting *const s = of;
    const ldp_nbinom1_state *const state = s->state;
    const ldp_nbinom1_columns *const columns = state->columns;
    const ldp_columns *const at = &columns->at;
    const int width = (s->to - s->from + s->n_parts - 1) / s->n_parts;
    const int from = s->from + part * width, to = from + width < s->to ? from + width : s->to;
    (void)thread;
    for (int d = 0; d < state->D; d++) {
        const ldp_nbinom1_cell *const above = state->above + state->rows[d].begin;
        ldp_nbinom1_row *const of_level = columns->rows + at->level[d];
        for (size_t i = 0; i < state->rows[d].n_above; i++) {
            const int v = ldp_columns_of(at, state->active.index[above[i].place]);
            if (v < from || v >= to)
                continue;
            ldp_nbinom1_row *const line = of_level + (size_t)v * (size_t)at->n_levels;
            columns->above[line->begin + line->n_above++] = above[i];
        }
    }
}

/* Columns are moved in batches, so that little memory is needed; the most cells of a column fit
 * into a batch. */
static void move_columns(ldp_nbinom1_state *state, uint64_t seed, ldp_scalable factor,
                         int n_threads) {
    const ldp_nbinom1_columns *const columns = state->columns;
    ldp_nbinom1_state turned = *state;
    turned.rows = columns->rows;
    turned.above = columns->above;
    turned.shape1 = columns->shapes[0];
    turned.shape2 = columns->shapes[1];
    collect_sums(columns, n_threads);
    for (int from = 0, to; from < columns->at.n; from = to) {
        to = place_lists(columns, from);
        sorting counts = {state, from, to, n_threads};
        ldp_team_run(n_threads, n_threads, sort_part, &counts);
        own_moves own = {.state = &turned,
                         .alpha = columns->alpha,
                         .seed = seed,
                         .factor = factor,
                         .first = from,
                         .n = to - from,
                         .n_lines = columns->at.n_levels};
        ldp_team_run(n_threads, ldp_parts(own.n), move_part, &own);
    }
    move_pool(state, seed);
}

static void move_rows(ldp_nbinom1_state *state, uint64_t seed, const ldp_cells *cells,
                      ldp_scalable factor, int n_threads) {
    own_moves own = {.state = state,
                     .alpha = cells->alpha,
                     .seed = seed,
                     .factor = factor,
                     .n = state->D,
                     .n_lines = 1,
                     .before = cells->D_before};
    ldp_team_run(n_threads, ldp_parts(state->D), move_part, &own);
}

static void move(void *state, uint64_t seed, const ldp_cells *cells, ldp_scalable factor,
                 int n_threads) {
    ldp_nbinom1_state *const s = state;
    if (s->by_row || s->columns) {
        if (s->columns)
            move_columns(s, seed, factor, n_threads);
        else
            move_rows(s, seed, cells, factor, n_threads);
        end_moves(s, cells->alpha, n_threads);
        return;
    }
    s->move = (ldp_nbinom1_move){.stage = START,
                                 .asked = log(*s->excess),
                                 .factor = factor,
                                 .stream = ldp_stream_for(seed, LDP_USE_DISPERSION, 0, 0),
                                 .cells = cells};
}

static ldp_noise noise_of_columns(ldp_noise noise, ldp_nbinom1_state *state) {
    noise.columns = &state->columns->at;
    noise.batch = &state->columns->batch;
    noise.begin_visit = begin_visit_of_columns;
    noise.draw = draw_by_columns;
    noise.column_density = column_density;
    noise.reader = (ldp_visitor){.cells = read_columns, .state = state, .missing = read_missing};
    return noise;
}

ldp_noise ldp_noise_nbinom1(const double *alpha, ldp_nbinom1_state *state, int n_threads) {
    set_exposures(state, alpha, n_threads);
    const ldp_noise noise =
        (ldp_noise){.exposure_rest = state->rest,
                    .density_rest = state->rest,
                    .exposure_extra = state->extra,
                    .draw = draw,
                    .log_density = nbinom1_log_density,
                    .state = state,
                    .reader = {.cells = read_cells, .rest = read_rest, .state = state},
                    .move = nbinom1_is_fixed(state) ? NULL : move,
                    .is_asking = nbinom1_is_asking,
                    .answer = nbinom1_answer,
                    .use_answers = use_answers,
                    .answers = state->answers};
    return state->columns ? noise_of_columns(noise, state) : noise;
}

ldp_noise ldp_noise_nbinom1_tokens(const double *alpha, ldp_nbinom1_state *state, int n_threads,
                                   double *ones, double *zeros) {
    ldp_noise noise = ldp_noise_nbinom1(alpha, state, n_threads);
    ldp_noise_expose_all(&noise, state->D, ones, zeros);
    noise.tokens = state->cells ? protected_tokens : nbinom1_tokens;
    if (state->cells)
        noise.log_density = protected_log_density;
    noise.reader = (ldp_visitor){
        .cells = read_above, .rest = read_others, .state = state, .column = column_above};
    return noise;
}
