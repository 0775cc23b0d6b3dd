/* The distributions as R sees them: d, p, q, r and moments, vectorised and recycled as base R's.
 * The R functions have checked types; values that are not numbers, and parameters outside their
 * range, give NaN.
 *
 * A distribution is a row of the table below, which turns its parameters theta into the arguments
 * of its kernels. Its `place` is 0 if its values are finite, 1 or -1 if all mass is at Inf or -Inf
 * (an infinite mean), and NaN if there is no such distribution. If there is a faster method for
 * many draws of one distribution, it is `draw_many`, which returns 0 if it would not save time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <Rmath.h>

#include "ldp_bessel.h"
#include "ldp_bessel_i.h"
#include "ldp_privnbinom.h"
#include "ldp_rtruenbinom.h"
#include "ldp_skellam.h"
#include "ldp_truenbinom.h"
#include "ldp_twogeom.h"
#include "rc.h"

enum {
    MOST_PARAMETERS = 4,
    TABLE_PAYS = 100 /* draws */
};

typedef struct distribution {
    const char *name;
    int n_parameters;
    double (*place)(const double *theta);
    double (*log_pmf)(double x, const double *theta);
    double (*log_cdf)(double x, int lower, const double *theta);
    double (*quantile)(ldp_probability p, const double *theta);
    double (*draw)(const double *theta);
    int (*draw_many)(const double *theta, R_xlen_t n, double *draws); /* or NULL */
} distribution;

static int is_whole(double x) {
    return fabs(x - nearbyint(x)) <= 1e-9 * fmax(1, fabs(x));
}

static int alpha_ok(double alpha) {
    return alpha >= 0 && alpha < 1;
}

/* Variance / mean of a count: Poisson at 1 */
static int dispersion_ok(double dispersion) {
    return dispersion >= 1 && isfinite(dispersion);
}

/* The kernels of a distribution with two parameters, which take them in the order of theta. */
/* clang-format off */
#define TWO_PARAMETERS(name) \
    static double name##_log_pmf(double x, const double *theta) { \
        return ldp_##name##_log_pmf(x, theta[0], theta[1]); \
    } \
    static double name##_log_cdf(double x, int lower, const double *theta) { \
        return ldp_##name##_log_cdf(x, lower, theta[0], theta[1]); \
    } \
    static double name##_quantile(ldp_probability p, const double *theta) { \
        return ldp_##name##_quantile(p, theta[0], theta[1]); \
    } \
    static double name##_draw(const double *theta) { \
        return ldp_r##name(theta[0], theta[1]); \
    }
/* clang-format on */

/* twogeom(alpha) */

static double twogeom_place(const double *theta) {
    return alpha_ok(theta[0]) ? 0 : R_NaN;
}

static double twogeom_log_pmf(double x, const double *theta) {
    return ldp_twogeom_log_pmf(x, theta[0]);
}

static double twogeom_log_cdf(double x, int lower, const double *theta) {
    return ldp_twogeom_log_cdf(x, lower, theta[0]);
}

static double twogeom_quantile(ldp_probability p, const double *theta) {
    return ldp_twogeom_quantile(p, theta[0]);
}

static double twogeom_draw(const double *theta) {
    return ldp_rtwogeom(theta[0]);
}

/* skellam(lambda1, lambda2) */

static double skellam_place(const double *theta) {
    const int infinite1 = !isfinite(theta[0]), infinite2 = !isfinite(theta[1]);
    if (!(theta[0] >= 0) || !(theta[1] >= 0) || (infinite1 && infinite2))
        return R_NaN;
    return infinite1 - infinite2;
}

TWO_PARAMETERS(skellam)

/* bessel(nu, a) */

static double bessel_place(const double *theta) {
    if (!(theta[0] > -1) || !isfinite(theta[0]) || !(theta[1] >= 0))
        return R_NaN;
    return !isfinite(theta[1]);
}

TWO_PARAMETERS(bessel)

static int bessel_draw_many(const double *theta, R_xlen_t n, double *draws) {
    ldp_bessel_table table;
    if (n < TABLE_PAYS || !ldp_bessel_tabulate(&table, theta[0], theta[1]))
        return 0;
    ldp_stream stream = ldp_stream_open();
    for (R_xlen_t i = 0; i < n; i++)
        draws[i] = ldp_bessel_look_up(&table, &stream);
    return 1;
}

/* privnbinom(mu, alpha, dispersion): a released count; the true count is Poisson at dispersion 1 */

static double privnbinom_place(const double *theta) {
    if (!(theta[0] >= 0) || !alpha_ok(theta[1]) || !dispersion_ok(theta[2]))
        return R_NaN;
    return !isfinite(theta[0]);
}

static double privnbinom_log_pmf(double x, const double *theta) {
    return ldp_privnbinom_log_pmf(x, theta[0], theta[2] - 1, theta[1]);
}

static double privnbinom_log_cdf(double x, int lower, const double *theta) {
    return ldp_privnbinom_log_cdf(x, lower, theta[0], theta[2] - 1, theta[1]);
}

static double privnbinom_quantile(ldp_probability p, const double *theta) {
    return ldp_privnbinom_quantile(p, theta[0], theta[2] - 1, theta[1]);
}

static double privnbinom_draw(const double *theta) {
    return ldp_rprivnbinom(theta[0], theta[2] - 1, theta[1]);
}

/* truecount(y_tilde, mu, alpha, dispersion) */

static double truecount_place(const double *theta) {
    const double k = nearbyint(theta[0]), mu = theta[1], alpha = theta[2];
    if (!isfinite(theta[0]) || !is_whole(theta[0]) || !(mu >= 0) || !alpha_ok(alpha))
        return R_NaN;
    if (!dispersion_ok(theta[3]))
        return R_NaN;
    if (alpha <= 0 && (k < 0 || (mu <= 0 && k > 0) || !isfinite(mu)))
        return R_NaN; /* this release cannot occur */
    return !isfinite(mu);
}

static double truecount_log_pmf(double x, const double *theta) {
    return ldp_truenbinom_log_pmf(x, nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

static double truecount_log_cdf(double x, int lower, const double *theta) {
    return ldp_truenbinom_log_cdf(x, lower, nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

static double truecount_quantile(ldp_probability p, const double *theta) {
    return ldp_truenbinom_quantile(p, nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

static double truecount_draw(const double *theta) {
    return ldp_rtruenbinom(nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

/* clang-format off */
#define DISTRIBUTION(name, n, many) {#name, n, name##_place, name##_log_pmf, name##_log_cdf, name##_quantile, name##_draw, many}
/* clang-format on */

static const distribution distributions[] = {
    DISTRIBUTION(twogeom, 1, NULL),
    DISTRIBUTION(skellam, 2, NULL),
    DISTRIBUTION(bessel, 2, bessel_draw_many),
    DISTRIBUTION(truecount, 4, NULL),
    DISTRIBUTION(privnbinom, 3, NULL),
};

/* Functions of parameters alone. */

typedef struct function {
    const char *name;
    int n_parameters;
    double (*value)(const double *theta);
} function;

static double truecount_mean(const double *theta) {
    if (truecount_place(theta) != 0)
        return R_NaN;
    return ldp_truenbinom_mean(nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

static double truecount_var(const double *theta) {
    if (truecount_place(theta) != 0)
        return R_NaN;
    return ldp_truenbinom_var(nearbyint(theta[0]), theta[1], theta[3] - 1, theta[2]);
}

/* theta = (x, nu); a limit if one of them is infinite */
static double log_bessel_i(const double *theta) {
    const double x = theta[0], nu = theta[1];
    if (!(x >= 0) || !(nu > -1) || (!isfinite(x) && !isfinite(nu)))
        return R_NaN;
    if (!isfinite(x) || !isfinite(nu))
        return isfinite(x) ? R_NegInf : R_PosInf;
    return ldp_log_bessel_i(nu, x);
}

static double bessel_i_ratio(const double *theta) {
    const double x = theta[0], nu = theta[1];
    if (!(x >= 0) || !(nu > -1) || (!isfinite(x) && !isfinite(nu)))
        return R_NaN;
    if (!isfinite(x) || !isfinite(nu))
        return isfinite(x) ? 0 : 1;
    return ldp_bessel_i_ratio(nu, x);
}

static const function functions[] = {
    {"truecount_mean", 4, truecount_mean},
    {"truecount_var", 4, truecount_var},
    {"log_bessel_i", 2, log_bessel_i},
    {"bessel_i_ratio", 2, bessel_i_ratio},
};

/* Recycling */

static const distribution *find_distribution(SEXP name) {
    const char *const wanted = CHAR(STRING_ELT(name, 0));
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
        if (strcmp(distributions[i].name, wanted) == 0)
            return &distributions[i];
    Rf_error("internal error: no distribution '%s'", wanted);
}

static const function *find_function(SEXP name) {
    const char *const wanted = CHAR(STRING_ELT(name, 0));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, wanted) == 0)
            return &functions[i];
    Rf_error("internal error: no function '%s'", wanted);
}

/* The common length of the first n_arguments arguments. */
static R_xlen_t common_length(SEXP arguments, int n_arguments) {
    R_xlen_t longest = 0;
    rc_require(TYPEOF(arguments) == VECSXP && Rf_xlength(arguments) == n_arguments, "arguments");
    for (int i = 0; i < n_arguments; i++)
        rc_require(TYPEOF(VECTOR_ELT(arguments, i)) == REALSXP, "arguments");
    for (int i = 0; i < n_arguments; i++) {
        const R_xlen_t n = Rf_xlength(VECTOR_ELT(arguments, i));
        if (n == 0)
            return 0;
        if (n > longest)
            longest = n;
    }
    return longest;
}

/* Element i of every argument, the first `n`; returns NaN or NA if one of them is. */
static double read_row(SEXP arguments, int n, R_xlen_t i, double *row) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
        const SEXP x = VECTOR_ELT(arguments, j);
        const R_xlen_t length = Rf_xlength(x);
        row[j] = REAL_RO(x)[i < length ? i : i % length]; /* a division costs more than a draw */
        sum += isnan(row[j]) ? row[j] : 0;
    }
    return sum;
}

/* Base R's rule: the answer takes the attributes of the arguments of its length, and those of
 * an earlier argument win. */
static void copy_attributes(SEXP answer, SEXP arguments) {
    for (R_xlen_t i = Rf_xlength(arguments) - 1; i >= 0; i--) {
        const SEXP x = VECTOR_ELT(arguments, i);
        if (Rf_xlength(x) == Rf_xlength(answer))
            SHALLOW_DUPLICATE_ATTRIB(answer, x);
    }
}

/* Entry points: `arguments` is a list of doubles, the value of the distribution first. */

static double rc_distributions_log_density(const distribution *d, double x, const double *theta) {
    const double place = d->place(theta);
    if (isnan(place))
        return R_NaN;
    if (place != 0 || !isfinite(x) || !is_whole(x))
        return R_NegInf;
    return d->log_pmf(nearbyint(x), theta);
}

/* Checks for interrupts. One value takes at most a fifth of a second (for parameters beyond 1e12).
 * */
static void check_interrupt(R_xlen_t i) {
    if (i % 8 == 7)
        R_CheckUserInterrupt();
}

SEXP rc_density(SEXP name, SEXP arguments, SEXP give_log) {
    const distribution *const d = find_distribution(name);
    const R_xlen_t n = common_length(arguments, 1 + d->n_parameters);
    const int as_log = Rf_asLogical(give_log);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    double row[1 + MOST_PARAMETERS];
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        const double missing = read_row(arguments, 1 + d->n_parameters, i, row);
        const double value =
            isnan(missing) ? missing : rc_distributions_log_density(d, row[0], row + 1);
        REAL(answer)[i] = as_log ? value : exp(value);
    }
    copy_attributes(answer, arguments);
    UNPROTECT(1);
    return answer;
}

/* A q slightly below a whole number is treated as that number, as in base R. */
static double log_probability(const distribution *d, double q, int lower, const double *theta) {
    const double place = d->place(theta), all = lower ? 0 : R_NegInf, none = lower ? R_NegInf : 0;
    if (isnan(place))
        return R_NaN;
    if (!isfinite(q))
        return q > 0 ? all : none;
    if (place != 0)
        return place < 0 ? all : none;
    return fmin(d->log_cdf(floor(q + 1e-7), lower, theta), 0);
}

SEXP rc_probability(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p) {
    const distribution *const d = find_distribution(name);
    const R_xlen_t n = common_length(arguments, 1 + d->n_parameters);
    const int lower = Rf_asLogical(lower_tail), as_log = Rf_asLogical(log_p);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    double row[1 + MOST_PARAMETERS];
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        const double missing = read_row(arguments, 1 + d->n_parameters, i, row);
        const double value = isnan(missing) ? missing : log_probability(d, row[0], lower, row + 1);
        REAL(answer)[i] = as_log ? value : exp(value);
    }
    copy_attributes(answer, arguments);
    UNPROTECT(1);
    return answer;
}

/* The rounding error of p. A computed p differs from the exact probability by at most one unit in
 * its last place; just below 1, where exp() is nearly exact, by at most half of 1 - p. */
static ldp_probability make_probability(double p, int lower, int as_log) {
    if (as_log || p <= 0)
        return (ldp_probability){as_log ? p : R_NegInf, 0, lower};
    const double log_p = log(p), unit = nextafter(p, R_PosInf) - p;
    return (ldp_probability){log_p, fmin(unit / p, -log_p / 2), lower};
}

static double quantile(const distribution *d, double p, int lower, int as_log,
                       const double *theta) {
    if (d->place(theta) != 0 || p > (as_log ? 0 : 1) || (!as_log && p < 0))
        return R_NaN;
    return d->quantile(make_probability(p, lower, as_log), theta);
}

SEXP rc_quantile(SEXP name, SEXP arguments, SEXP lower_tail, SEXP log_p) {
    const distribution *const d = find_distribution(name);
    const R_xlen_t n = common_length(arguments, 1 + d->n_parameters);
    const int lower = Rf_asLogical(lower_tail), as_log = Rf_asLogical(log_p);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    double row[1 + MOST_PARAMETERS];
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        const double missing = read_row(arguments, 1 + d->n_parameters, i, row);
        REAL(answer)[i] = isnan(missing) ? missing : quantile(d, row[0], lower, as_log, row + 1);
    }
    copy_attributes(answer, arguments);
    UNPROTECT(1);
    return answer;
}

static int is_one_distribution(SEXP parameters) {
    for (R_xlen_t i = 0; i < Rf_xlength(parameters); i++)
        if (Rf_xlength(VECTOR_ELT(parameters, i)) > 1)
            return 0;
    return 1;
}

static void draw_each(const distribution *d, SEXP parameters, R_xlen_t n, double *draws) {
    double theta[MOST_PARAMETERS];
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        const double missing = read_row(parameters, d->n_parameters, i, theta);
        draws[i] = isnan(missing) || d->place(theta) != 0 ? R_NaN : d->draw(theta);
    }
}

/* Returns 0 if draw_each must be used instead. */
static int draw_of_one(const distribution *d, SEXP parameters, R_xlen_t n, double *draws) {
    double theta[MOST_PARAMETERS];
    if (!d->draw_many || !is_one_distribution(parameters))
        return 0;
    if (isnan(read_row(parameters, d->n_parameters, 0, theta)) || d->place(theta) != 0)
        return 0;
    return d->draw_many(theta, n, draws);
}

SEXP rc_draw(SEXP name, SEXP n, SEXP parameters) {
    const distribution *const d = find_distribution(name);
    const R_xlen_t length = (R_xlen_t)Rf_asReal(n);
    common_length(parameters, d->n_parameters);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, length));
    GetRNGstate();
    if (!draw_of_one(d, parameters, length, REAL(answer)))
        draw_each(d, parameters, length, REAL(answer));
    PutRNGstate();
    UNPROTECT(1);
    return answer;
}

SEXP rc_function(SEXP name, SEXP arguments) {
    const function *const f = find_function(name);
    const R_xlen_t n = common_length(arguments, f->n_parameters);
    const SEXP answer = PROTECT(Rf_allocVector(REALSXP, n));
    double theta[MOST_PARAMETERS];
    for (R_xlen_t i = 0; i < n; i++) {
        check_interrupt(i);
        const double missing = read_row(arguments, f->n_parameters, i, theta);
        REAL(answer)[i] = isnan(missing) ? missing : f->value(theta);
    }
    copy_attributes(answer, arguments);
    UNPROTECT(1);
    return answer;
}
