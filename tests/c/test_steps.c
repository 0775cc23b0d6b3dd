/* No loop without a bound: how many basic blocks a kernel runs through, counted by the compiler's
 * own instrumentation (-fsanitize-coverage=trace-pc), over noise levels next to 0 and to 1,
 * releases and means from nothing to 1e9, all dispersions, and whatever makes a term subnormal,
 * underflow or overflow. A kernel that exceeds its bound is left at once, so that one without end
 * fails as well. */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "ldp_allocate.h"
#include "ldp_bessel.h"
#include "ldp_bessel_i.h"
#include "ldp_bursts.h"
#include "ldp_derivatives.h"
#include "ldp_digamma.h"
#include "ldp_gamma.h"
#include "ldp_gaussian.h"
#include "ldp_information.h"
#include "ldp_mixture.h"
#include "ldp_nbinom.h"
#include "ldp_nbinom1.h"
#include "ldp_poisson.h"
#include "ldp_privnbinom.h"
#include "ldp_privpois.h"
#include "ldp_quick.h"
#include "ldp_random.h"
#include "ldp_reflect.h"
#include "ldp_rtruenbinom.h"
#include "ldp_scale.h"
#include "ldp_secure.h"
#include "ldp_shape.h"
#include "ldp_skellam.h"
#include "ldp_small.h"
#include "ldp_tokens.h"
#include "ldp_truecount.h"
#include "ldp_truenbinom.h"
#include "ldp_twogeom.h"
#include "random.h"

/* --- counting --------------------------------------------------------------------------------- */

static uint64_t steps, most_steps;
static jmp_buf exceeded;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    if (++steps > most_steps && most_steps > 0) {
        most_steps = 0;
        longjmp(exceeded, 1);
    }
}

typedef struct set {
    double k, mu, excess, alpha, log_p;
} set;

typedef void (*kernel)(const set *s);

typedef struct bounded {
    const char *name;
    kernel run;
    double most; /* basic blocks */
    double seen;
} bounded;

static void run_bounded(bounded *b, const set *s) {
    static int n_reported;
    steps = 0;
    most_steps = (uint64_t)b->most;
    if (setjmp(exceeded) == 0) {
        b->run(s);
        most_steps = 0;
        b->seen = fmax(b->seen, (double)steps);
    } else if (n_reported++ < 20) {
        CHECK(0,
              "%s: more than %g steps at k = %.17g, mu = %g, dispersion = 1 + %g, alpha = 1 - %g",
              b->name, b->most, s->k, s->mu, s->excess, 1 - s->alpha);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

static volatile double sink;

static ldp_rtruenbinom_law sampler;
static ldp_quick quick;
static ldp_small small;
static ldp_stream stream;

static double lambda_of(const set *s) {
    return s->mu / ldp_bursts_size(s->excess);
}

static void run_dtwogeom(const set *s) {
    sink = ldp_twogeom_log_pmf(s->k, s->alpha) + ldp_twogeom_log_cdf(s->k, 1, s->alpha);
}
static void run_dprivpois(const set *s) {
    sink = ldp_privpois_log_pmf(s->k, s->mu, s->alpha);
}
static void run_pprivpois(const set *s) {
    sink = ldp_privpois_log_cdf(s->k, 1, s->mu, s->alpha);
}
static void run_dprivnbinom(const set *s) {
    sink = ldp_privnbinom_log_pmf(s->k, s->mu, s->excess, s->alpha);
}
static void run_pprivnbinom(const set *s) {
    sink = ldp_privnbinom_log_cdf(s->k, 0, s->mu, s->excess, s->alpha);
}
static void run_derivatives(const set *s) {
    double d[LDP_N_LEVEL_2];
    ldp_derivatives(s->k, s->mu, s->excess, s->alpha, 2, d);
    sink = d[LDP_BY_MU];
}
static void run_saturated(const set *s) {
    sink = ldp_saturated(s->k, s->excess, s->alpha);
}
static void run_information(const set *s) {
    static double work[LDP_INFORMATION_ROOM];
    sink = ldp_information(fmax(s->mu, 1e-99), s->excess, s->alpha, work);
}
static void run_dtruecount(const set *s) {
    sink = ldp_truecount_log_pmf(ceil(s->mu), s->k, s->mu, s->alpha);
}
static void run_ptruecount(const set *s) {
    sink = ldp_truecount_log_cdf(ceil(s->mu), 0, s->k, s->mu, s->alpha);
}
static void run_truecount_mean(const set *s) {
    sink = ldp_truecount_mean(s->k, s->mu, s->alpha);
}
static void run_truecount_var(const set *s) {
    sink = ldp_truecount_var(s->k, s->mu, s->alpha);
}
static void run_dtruenbinom(const set *s) {
    sink = ldp_truenbinom_log_pmf(ceil(s->mu), s->k, s->mu, s->excess, s->alpha);
}
static void run_ptruenbinom(const set *s) {
    sink = ldp_truenbinom_log_cdf(ceil(s->mu), 1, s->k, s->mu, s->excess, s->alpha);
}
static void run_truenbinom_mean(const set *s) {
    sink = ldp_truenbinom_mean(s->k, s->mu, s->excess, s->alpha);
}
static void run_truenbinom_events(const set *s) {
    sink = ldp_truenbinom_events(fmax(s->k, 1), s->mu, s->excess, s->alpha);
}
static void run_rtruecount(const set *s) {
    sink = ldp_rtruecount(s->k, s->mu, s->alpha);
}
static void run_rtruenbinom(const set *s) {
    sink = ldp_rtruenbinom(s->k, s->mu, s->excess, s->alpha);
}
/* As the models draw, with a table. */
static void run_draw(const set *s) {
    const double lambda = lambda_of(s), u = ldp_stream_uniform(&stream);
    if (s->k > 0 && lambda > 0 && s->excess > 0 && lambda / sampler.q <= 1e300)
        sink = ldp_rtruenbinom_draw(&sampler, &stream, u, s->k, lambda, NULL);
}
static void run_quick(const set *s) {
    const double lambda = lambda_of(s);
    sink = ldp_quick_log_density(&quick, 1, &s->k, &lambda);
}
static void run_small(const set *s) {
    const double mean = lambda_of(s);
    double events, counts;
    int left, n_left;
    sink = ldp_small_weigh(&small, 1, &s->k, &mean, &events, &counts, &left, &n_left);
}
static void run_prepare(const set *s) {
    ldp_quick again = {.room = quick.room, .row = quick.row};
    if (s->excess > 0)
        ldp_rtruenbinom_prepare(&sampler, s->excess, s->alpha, LDP_RTRUENBINOM_BOUNDS);
    ldp_quick_prepare(&again, s->excess, s->alpha);
    memset(&small, 0, sizeof small);
    ldp_small_prepare(&small, s->alpha, ldp_bursts_size(s->excess) / ((1 + s->excess) * s->alpha),
                      s->excess / ((1 + s->excess) * s->alpha));
    quick = again;
}
static void run_events(const set *s) {
    if (s->k > 0)
        sink = ldp_bursts_events(&stream, s->k, lambda_of(s), s->excess > 0 ? s->excess : 1) +
               ldp_bursts_mean_events(s->k, s->mu);
}
static void run_skellam(const set *s) {
    sink = ldp_skellam_log_pmf(s->k, s->mu, s->excess + 1e-300) +
           ldp_skellam_log_cdf(s->k, 1, s->mu, s->excess + 1e-300);
}
/* Beyond what the others are asked for: values and rates where 1 is less than a double's last
 * digit. */
static void run_skellam_far(const set *s) {
    static const double far[] = {9007199254740992., -1e16, 1e100, -1e300};
    for (int i = 0; i < 4; i++)
        sink = ldp_skellam_log_cdf(far[i], s->k > 0, s->mu, s->excess) +
               ldp_skellam_log_cdf(far[i], 1, s->mu * 1e9, s->mu);
    const ldp_probability p = {s->log_p * 1e297, s->k > 0, 1};
    sink = ldp_skellam_quantile(p, s->mu, s->excess);
}
static void run_bessel(const set *s) {
    const double nu = fmax(s->excess, 0);
    sink = ldp_log_bessel_i(nu, s->mu) + ldp_bessel_i_ratio(nu, s->mu) + ldp_rbessel(nu, s->mu) +
           ldp_bessel_log_pmf(fabs(s->k), nu, s->mu) + ldp_bessel_log_cdf(fabs(s->k), 0, nu, s->mu);
}
static void run_gamma(const set *s) {
    const ldp_gamma_prior prior = {.shape = s->alpha, .rate = s->mu};
    const double counts = fmax(s->k, 0), exposure = s->excess;
    double x = 1;
    ldp_gamma_move(&stream, 0.5, 1, prior, &counts, &exposure, &x);
    ldp_gamma_draw(&stream, 1, prior, &counts, &exposure, &x);
    sink = x;
}
static void run_shape(const set *s) {
    const ldp_gamma_prior prior = {.shape = fmax(LDP_SHAPE_LEAST, fmin(LDP_SHAPE_MOST, s->mu)),
                                   .rate = s->alpha,
                                   .shape_shape = 1,
                                   .shape_rate = 1};
    const double count = fmax(s->k, 0), exposure = s->excess;
    ldp_shape_sums sums = {0, 0};
    ldp_shape_add(&stream, 1, prior, NULL, &count, &exposure, &sums);
    sink = ldp_shape_draw(&stream, prior, sums) +
           ldp_shape_draw_given(&stream, prior, fabs(s->k), -fabs(s->k) * s->excess);
}
static void run_quantiles(const set *s) {
    const ldp_probability p = {s->log_p, 0, 1};
    const double x = s->mu;
    sink = ldp_twogeom_quantile(p, s->alpha) + ldp_privpois_quantile(p, x, s->alpha) +
           ldp_truecount_quantile(p, s->k, x, s->alpha);
}
static void run_nbinom_quantiles(const set *s) {
    const ldp_probability p = {s->log_p, 0, 0};
    sink = ldp_privnbinom_quantile(p, s->mu, s->excess, s->alpha) +
           ldp_truenbinom_quantile(p, s->k, s->mu, s->excess, s->alpha);
}
/* A mean next to the largest double, which forgets the release. */
static void run_truenbinom_far(const set *s) {
    static const double far[] = {1e20, 1e100, 1e308};
    const ldp_probability p = {s->log_p, 0, s->k > 17};
    const double excess = s->excess > 0 ? s->excess : 1;
    for (int i = 0; i < 3; i++)
        sink = ldp_truenbinom_quantile(p, s->k, far[i], excess, s->alpha);
}

static void run_random(const set *s) {
    const double n = fabs(s->k), p = s->excess / (1 + s->excess);
    sink = ldp_random_exponential(&stream) + ldp_random_normal(&stream) +
           ldp_random_gamma(&stream, s->mu) + ldp_random_gamma(&stream, n + s->alpha) +
           ldp_random_poisson(&stream, s->mu) + ldp_random_poisson(&stream, s->excess) +
           ldp_random_binomial(&stream, n, p) + ldp_random_binomial(&stream, n, 1 - s->alpha);
}
/* Arguments that are subnormal, next to the largest double, or no numbers; probabilities next to 0
 * and 1; and a broken stream, all of whose numbers are 2^-53, so that every proposal is the same.
 * NaN takes all the tries of a gamma number. */
static void run_random_far(const set *s) {
    static const double far[] = {0,     4.9406564584124654e-324, 1e-310, 1e-300,
                                 1e100, 1.7976931348623157e308,  NAN,    INFINITY};
    static const double ps[] = {0,   4.9406564584124654e-324,    1e-300, 1e-15,
                                0.5, 1 - 1.1102230246251565e-16, 1,      NAN};
    static const double ns[] = {0, 1, 2147483648., 1e15, 1e17, 1e100, 1e308, NAN};
    ldp_stream broken = {{0, 0, 0, 0}};
    for (size_t i = 0; i < 8; i++) {
        sink = ldp_random_gamma(&stream, far[i]) + ldp_random_poisson(&stream, far[i]) +
               ldp_random_gamma(&broken, far[i]) + ldp_random_poisson(&broken, far[i]);
        for (size_t j = 0; j < 8; j++)
            sink = ldp_random_binomial(&stream, ns[i], ps[j]) +
                   ldp_random_binomial(&broken, ns[i], ps[j]);
    }
    sink = ldp_random_exponential(&broken) + ldp_random_normal(&broken) +
           ldp_random_gamma(&broken, s->mu) + ldp_random_poisson(&broken, s->mu);
}

static void run_scale(const set *s) {
    const ldp_scale scale = {s->k, s->mu, s->excess + 1e-300, s->alpha * s->mu};
    sink = ldp_scale_mode(scale) + ldp_scale_best(scale) + ldp_scale_draw(&stream, scale);
}
static void run_allocate(const set *s) {
    const double a[] = {s->alpha, s->mu, s->excess, 1}, b[] = {1, 1e-300, 1, s->mu};
    double first[4] = {0}, second[4] = {0}, work[4];
    ldp_tally tally = {.to = second};
    if (s->k > 0)
        ldp_allocate(&stream, s->k, 4, a, b, first, &tally, 0, work);
    ldp_tally_settle(&tally);
}
/* A move of the dispersion, with two cells. */
static void run_move(const set *s) {
    double excess = s->excess > 0 ? s->excess : 1, rest, extra, theta[] = {1, s->mu};
    const double alpha = s->alpha;
    ldp_nbinom1_row row = {2, 2 * s->mu, 1, 0, 2, 2};
    ldp_nbinom1_cell above[] = {{0, fmax(s->k, 2), s->mu}, {1, 2, s->mu}};
    const size_t first[] = {0, 2};
    double answers[LDP_ANSWERS];
    ldp_nbinom1_state state = {.D = 1,
                               .excess = &excess,
                               .shape1 = 1,
                               .shape2 = 1,
                               .rest = &rest,
                               .extra = &extra,
                               .rows = &row,
                               .above = above,
                               .first = first,
                               .answers = answers,
                               .law = sampler};
    const ldp_cells cells = {.D = 1, .D_all = 1, .alpha = &alpha};
    const ldp_noise noise = ldp_noise_nbinom1(&alpha, &state, 1);
    const ldp_scalable scalable = {1, 1, 2, theta, 0.1, 1, 1, NULL, NULL};
    noise.move(&state, ldp_stream_next(&stream), &cells, scalable, 1);
    while (noise.is_asking(&state)) {
        noise.answer(&state, 0);
        noise.use_answers(&state);
    }
    sink = excess;
}

/* A row by tokens, with a cell of each kind of code. */
static void put_tokens(void *state, ldp_stream *of, int n, const ldp_token *token) {
    (void)of;
    for (int i = 0; i < n; i++)
        sink = *(const double *)state + token[i].v + token[i].k;
}
static double mean_of_column(void *state, int v) {
    return *(const double *)state * (v + 1);
}
static void split_column(void *state, ldp_stream *of, int v, double y) {
    (void)of;
    sink = *(const double *)state + v + y;
}
static void run_tokens(const set *s) {
    enum { V = 6 };
    static double *room = NULL;
    const double alpha = s->alpha, large = fmax(300, s->k), line[V] = {1, 2, 3, 4, 5, 6};
    const double x = s->mu, total = 21;
    const int listed = 3, masked = 5;
    const size_t one[] = {0, 1}, first[] = {0, V};
    const uint8_t code[V] = {0, 1, 17, LDP_CODE_LISTED, 253, LDP_CODE_MISSING};
    double excess = s->excess, rest, extra, ones, zeros, build[2 * V];
    ldp_alias alias[V];
    ldp_nbinom1_row of_row = {0};
    ldp_nbinom1_cell above[V];
    ldp_nbinom1_state state = {.D = 1,
                               .excess = &excess,
                               .shape1 = 1,
                               .shape2 = 1,
                               .rest = &rest,
                               .extra = &extra,
                               .rows = &of_row,
                               .above = above,
                               .first = first,
                               .law = sampler};
    const ldp_cells cells = {.D = 1,
                             .V = V,
                             .D_all = 1,
                             .active = {one, &listed},
                             .y_tilde = &large,
                             .missing = {one, &masked},
                             .alpha = &alpha,
                             .code = code};
    const ldp_noise noise = s->excess > 0
                                ? ldp_noise_nbinom1_tokens(&alpha, &state, 1, &ones, &zeros)
                                : ldp_noise_tokens(1, &alpha, &rest, &ones, &zeros);
    ldp_tokens tokens = {.K = 1,
                         .n_tables = 1,
                         .n = {V},
                         .alias = {alias},
                         .total = &total,
                         .x = &x,
                         .model = (void *)&x,
                         .mean = mean_of_column,
                         .put = put_tokens,
                         .split = split_column};
    if (!room)
        room = new_doubles(ldp_tokens_room(1, V));
    ldp_alias_build(V, line, 1, alias, build);
    ldp_tokens_draw(&tokens, &cells, &noise, &stream, 0, room);
}
/* A cell under any mechanism, noise with sd up to 1e5; by tokens, and alone. The mechanisms take
 * turns, one per call, or in the extended tests four. */
static void run_protected(const set *s) {
    static ldp_classes classes;
    static double *room = NULL;
    const double sd = fmin(0.3 / (1 - s->alpha), 1e5), gamma = 1 / sd, variance = sd * sd;
    const double base = 3, prob = fmin(s->alpha, 0.9), line = 1, x = s->mu, none = 0;
    const double at_least_0 = fabs(s->k), multiple = base * floor(at_least_0 / base);
    const double limit = fmin(at_least_0, 1e6), range[] = {1, 1 + at_least_0},
                 classes_from[] = {0, 1, 640};
    const struct {
        ldp_mechanism by;
        double release;
    } cases[] = {{ldp_mechanism_make(LDP_BY_DISCRETE_GAUSSIAN, 1, &sd, -INFINITY), s->k},
                 {ldp_mechanism_make(LDP_BY_GEOMETRIC, 1, &gamma, -INFINITY), s->k},
                 {ldp_mechanism_make(LDP_BY_LAPLACE, 1, &sd, -INFINITY), s->k},
                 {ldp_mechanism_make(LDP_BY_GAUSSIAN, 1, &sd, -INFINITY), s->k},
                 {ldp_mechanism_make(LDP_BY_SKELLAM, 1, &variance, -INFINITY), s->k},
                 {ldp_mechanism_make(LDP_BY_RANDOM_ROUNDING, 1, &base, -INFINITY), multiple},
                 {ldp_mechanism_make(LDP_BY_ROUNDING, 1, &base, -INFINITY), multiple},
                 {ldp_mechanism_make(LDP_BY_THINNING, 1, &prob, -INFINITY), at_least_0},
                 {ldp_mechanism_make(LDP_BY_CLASSES, 3, classes_from, -INFINITY),
                  classes_from[(s->k > 0) + (s->k > 33)]},
                 {ldp_mechanism_make(LDP_BY_SUPPRESSION, 2, range, -INFINITY), -INFINITY},
                 {ldp_mechanism_make(LDP_BY_DISCRETE_GAUSSIAN, 1, &sd, limit), -INFINITY},
                 {ldp_mechanism_make(LDP_BY_LAPLACE, 1, &sd, limit), -INFINITY},
                 {ldp_mechanism_make(LDP_BY_SKELLAM, 1, &variance, limit), -INFINITY}};
    const size_t one[] = {0, 1}, nothing[] = {0, 0};
    const int column = 0;
    double excess = s->excess, rest, extra, ones, zeros, build[2];
    ldp_alias alias;
    ldp_nbinom1_row of_row = {0};
    ldp_nbinom1_cell above;
    uint8_t code;
    if (!room)
        room = new_doubles(ldp_tokens_room(1, 1));
    ldp_alias_build(1, &line, 1, &alias, build);
    static size_t turn = 0;
    const int per_call = check_extended() ? 4 : 1;
    for (int j = 0; j < per_call; j++) {
        const size_t i = turn++ % (sizeof cases / sizeof *cases);
        const ldp_protection protection = {&cases[i].by, NULL, &classes};
        const ldp_cells cells = {.D = 1,
                                 .V = 1,
                                 .D_all = 1,
                                 .active = {one, &column},
                                 .y_tilde = &cases[i].release,
                                 .missing = {nothing, &column},
                                 .alpha = &none,
                                 .code = &code,
                                 .protection = &protection};
        ldp_nbinom1_state state = {.D = 1,
                                   .excess = &excess,
                                   .shape1 = 1,
                                   .shape2 = 1,
                                   .rest = &rest,
                                   .extra = &extra,
                                   .rows = &of_row,
                                   .above = &above,
                                   .first = one,
                                   .cells = &cells,
                                   .law = sampler};
        ldp_classes_make(&cases[i].by, NULL, 1, &cases[i].release, LDP_CODE_LISTED, &classes,
                         &code);
        const ldp_noise noise = excess > 0
                                    ? ldp_noise_nbinom1_tokens(&none, &state, 1, &ones, &zeros)
                                    : ldp_noise_protected(1, &cells, &rest, &zeros);
        const ldp_tokens tokens = {.K = 1,
                                   .n_tables = 1,
                                   .n = {1},
                                   .alias = {&alias},
                                   .total = &line,
                                   .x = &x,
                                   .model = (void *)&x,
                                   .mean = mean_of_column,
                                   .put = put_tokens,
                                   .split = split_column};
        of_row = (ldp_nbinom1_row){0};
        ldp_tokens_draw(&tokens, &cells, &noise, &stream, 0, room);
        memset(room, 0, 2 * sizeof *room);
        const ldp_token_law answers = noise.tokens(noise.state, &cells, 0, x, 1);
        of_row = (ldp_nbinom1_row){0};
        sink = answers.alone(&answers, &stream, 0, x);
    }
}

static void run_mixture(const set *s) {
    static double mass[LDP_MIXTURE_ROOM], terms[LDP_MIXTURE_ROOM];
    ldp_mixture mixture = {mass, terms, 0};
    sink = ldp_mixture_add(&mixture, s->k, s->mu, s->excess, s->alpha, 1) +
           ldp_mixture_add_masked(&mixture, s->mu, s->excess, 1) +
           ldp_mixture_quantile(&mixture, 1);
}

static void run_log_gamma(const set *s) {
    sink = ldp_log_gamma(s->mu).digamma + ldp_log_gamma(s->k).log_gamma +
           ldp_log_gamma(-INFINITY).log_gamma + ldp_log_gamma(NAN).log_gamma;
}

/* Bits in place of the operating system's. */
static ldp_status fill_bytes(void *source, unsigned char *bytes, size_t n) {
    (void)source;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(256 * unif_rand());
    return LDP_OK;
}

/* A rate s/t of whole numbers up to 2^31 near -log(alpha), and a finer one. */
static ldp_rate rate_of(double alpha) {
    const double rate = -log(alpha), t = fmin(fmax(1, floor(1000 / rate)), 2147483648.);
    return (ldp_rate){(uint64_t)fmax(1, rint(rate * t)), (uint64_t)t};
}

static void run_secure(const set *s) {
    ldp_bits bits;
    const ldp_rate now = rate_of(s->alpha), finer = rate_of(sqrt(s->alpha));
    ldp_step step;
    int64_t tau;
    ldp_bits_open(&bits, fill_bytes, NULL, LDP_BITS_BUFFER);
    ldp_secure_twogeom(&bits, now.s, now.t, &tau);
    if (ldp_secure_step(now, finer, &step) == LDP_OK)
        ldp_secure_further(&bits, step, &tau);
    ldp_gaussian_draw(&bits, (uint64_t)fmin(fmax(1, s->mu), 1 << 20), &tau);
}

/* Bounds are of values up to 1e9. Sums over the tail of a Poisson distribution have up to 9 sqrt(v)
 * = 3e5 terms, of three blocks each; a cdf and a variance have three sums.
 */
static const double TAIL = 1e6;
/* Draws: the tables and pieces of one try, and now and then a second one. */
static const double DRAW = 1e4;

/* Without a dispersion: once in the grid. */
static bounded plain[] = {
    {"dtwogeom, ptwogeom", run_dtwogeom, 50, 0},
    {"dprivpois", run_dprivpois, TAIL, 0},
    {"pprivpois", run_pprivpois, TAIL, 0},
    {"dtruecount", run_dtruecount, TAIL, 0},
    {"ptruecount", run_ptruecount, 3 * TAIL, 0},
    {"truecount_mean", run_truecount_mean, TAIL, 0},
    {"truecount_var", run_truecount_var, 4 * TAIL, 0},
    {"rtruecount", run_rtruecount, DRAW, 0},
};
static bounded kernels[] = {
    {"dprivnbinom", run_dprivnbinom, TAIL, 0},
    {"pprivnbinom", run_pprivnbinom, TAIL, 0},
    {"dtruecount, dispersed", run_dtruenbinom, TAIL, 0},
    {"ptruecount, dispersed", run_ptruenbinom, 3 * TAIL, 0},
    {"truecount_mean, dispersed", run_truenbinom_mean, TAIL, 0},
    {"events behind a release", run_truenbinom_events, TAIL, 0},
    {"derivatives", run_derivatives, TAIL, 0}, /* of Poisson counts by shares of true counts */
    {"saturated density", run_saturated, 2 * TAIL, 0}, /* up to ten first derivatives */
    {"rtruecount, dispersed", run_rtruenbinom, DRAW, 0},
    {"a draw of the models", run_draw, DRAW, 0},
    {"a density of the models", run_quick, 2e4, 0}, /* three runs, with panels of 12 */
    {"small releases of the models", run_small, 1000, 0}, /* 80 terms */
    {"events behind a count", run_events, 2.2e6, 0}, /* 1e6 customers one by one */
    {"Skellam", run_skellam, 2e4, 0}, /* 4000 terms, or an integral with 160 nodes */
    {"Bessel", run_bessel, 2 * TAIL, 0},
    {"gamma", run_gamma, DRAW, 0},
    {"shape of a prior", run_shape, 1e5,
     0}, /* 8 trials per unit of the shape, then its log leaps */
    {"random numbers", run_random, 2000, 0},
    {"scale", run_scale, 5e4, 0}, /* 200 halvings on either side */
    {"allocate", run_allocate, 200, 0}, /* tokens up to the number of components, else binomials */
    {"log gamma", run_log_gamma, 100, 0},
    {"mixture", run_mixture, 4e5, 0}, /* twice 10 values of 4096, of two blocks each */
    {"secure noise", run_secure, DRAW, 0}, /* some 40 bits a try, two or three tries in the mean */
    {"a move of the dispersion", run_move, 2e4, 0}, /* two slices of up to 264 densities */
    {"a row by tokens", run_tokens, 3e6, 0}, /* 5 cells alone, with their events; or 300 tokens */
    {"a cell under any mechanism", run_protected, 1.8e7, 0}, /* 8 times the events behind a count */
};
/* A quantile asks for some twenty probabilities, each of two tails. */
static bounded rare[] = {
    {"information", run_information, 2 * TAIL, 0}, /* up to 2^14 counts */
    {"quantiles", run_quantiles, 60 * TAIL, 0},
    {"Skellam, far out", run_skellam_far, 1e5, 0},
    {"random numbers, far out", run_random_far, 2e6, 0}, /* 1000 tries of each that fails */
    {"quantiles, dispersed", run_nbinom_quantiles, 60 * TAIL, 0},
    {"quantiles, dispersed, far out", run_truenbinom_far, 60 * TAIL, 0},
};
/* 2^15 terms above the last row, and 4096 bounds */
static bounded prepare = {"tables of the models", run_prepare, 4e5, 0};

/* --- parameters ------------------------------------------------------------------------------- */

static const double alphas[] = {1e-6, 1e-3,  0.05,     0.37,     0.908,
                                0.99, 0.999, 1 - 1e-5, 1 - 1e-7, 1 - 1e-9};
static const double excesses[] = {0, 1e-12, 1e-4, 0.3, 2.84, 99, 1e4, 1e6 - 1};
static const double means[] = {1e-300, 1e-150, 1e-20, 1e-6, 0.0024, 0.3, 3, 77, 3000, 1e6, 1e9};
static const double releases[] = {-1e9, -3, 0, 1, 2, 17, 33, 111, 640, 3523, 4097, 1e5, 1e7, 1e9};

#define LENGTH(x) (sizeof(x) / sizeof *(x))

static const double log_ps[] = {-700, -30, -0.7, -1e-5, -1e-15};

static int n_sets, is_repeated; /* with another dispersion alone */

static void run_all(const set *s) {
    for (size_t i = 0; i < LENGTH(plain) && !is_repeated; i++)
        run_bounded(&plain[i], s);
    for (size_t i = 0; i < LENGTH(kernels); i++)
        run_bounded(&kernels[i], s);
    if (n_sets++ % 29 == 0)
        for (size_t i = 0; i < LENGTH(rare); i++)
            run_bounded(&rare[i], s);
}

/* Releases at which a term of the distribution is subnormal, underflows or overflows: x^k is about
 * 1e-308, 1e-320 or 1e308, with x = p/alpha. */
static void run_edges(set s) {
    static const double edges[] = {-708, -720, -745, 709};
    const double log_x = log(s.excess / (1 + s.excess) / s.alpha);
    for (size_t i = 0; i < LENGTH(edges); i++) {
        s.k = ceil((edges[i] - log(s.mu)) / log_x);
        if (s.k > 0 && s.k < 1e9)
            run_all(&s);
    }
}

/* All pairs of noise level and dispersion, or, but for the extended tests, each noise level with
 * two of the eight dispersions, and each mean with every other release. */
static void run_grid(void) {
    for (size_t a = 0; a < LENGTH(alphas); a++) {
        is_repeated = 0;
        for (size_t x = 0; x < LENGTH(excesses); x++) {
            if ((a + x) % 4 != 0 && !check_extended())
                continue;
            set s = {.excess = excesses[x], .alpha = alphas[a]};
            run_bounded(&prepare, &s);
            const int repeated = is_repeated;
            for (size_t m = 0; m < LENGTH(means); m++) {
                s.mu = means[m];
                s.log_p = log_ps[m % LENGTH(log_ps)];
                is_repeated = repeated;
                for (size_t k = 0; k < LENGTH(releases); k++) {
                    if (!check_takes((int)(k + m), 2, (int)(a / 2)))
                        continue;
                    s.k = releases[k];
                    run_all(&s);
                }
                is_repeated = 0;
                run_edges(s);
            }
            is_repeated = 1;
        }
    }
}

/* What once did not end. */
static void run_once_endless(void) {
    set s = {.k = 3523, .excess = 2.84, .alpha = 0.908};
    s.mu = 0.0024 * ldp_bursts_size(s.excess);
    run_bounded(&prepare, &s);
    run_all(&s);
    s = (set){.k = 1100, .mu = 3, .excess = 1.1, .alpha = exp(-0.01)};
    run_bounded(&prepare, &s);
    run_all(&s);
}

static void report(const bounded *b) {
    CHECK(b->seen <= b->most, "%s: %g steps, bound %g", b->name, b->seen, b->most);
    if (getenv("STEPS"))
        printf("%-32s %12.0f of %12.0f\n", b->name, b->seen, b->most);
}

int main(void) {
    check_begin();
    set_seed(12, 12);
    stream = ldp_stream_open();
    sampler.bound = new_doubles(LDP_RTRUENBINOM_BOUNDS);
    sampler.lower = new_doubles(LDP_RTRUENBINOM_BOUNDS);
    quick.room = 1000;
    quick.row = check_alloc((size_t)quick.room, sizeof *quick.row);
    run_once_endless();
    run_grid();
    for (size_t i = 0; i < LENGTH(plain); i++)
        report(&plain[i]);
    for (size_t i = 0; i < LENGTH(kernels); i++)
        report(&kernels[i]);
    for (size_t i = 0; i < LENGTH(rare); i++)
        report(&rare[i]);
    report(&prepare);
    free(sampler.bound);
    free(sampler.lower);
    free(quick.row);
    return check_report("steps");
}
