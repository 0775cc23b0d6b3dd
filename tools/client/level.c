/* The noise level: epsilon / precision as a fraction s / t, and what it protects, in words. The
 * rules and the order of operations are those of R/release-levels.R, R/release-class.R and
 * R/release-explain.R, so that the numbers are the same. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "client.h"

static const double TERM_MAX = 2147483648.0, EXACT_MAX = 9007199254740992.0; /* 2^31, 2^53 */

typedef struct fraction {
    double num, den;
} fraction;

static int is_typed(double x) {
    return nearbyint(x * 1e6) / 1e6 == x && x < 1e9;
}

static fraction fraction_below(double x) {
    const double grid = x < 1073741824.0 ? 1048576.0 : 1;
    return is_typed(x) ? (fraction){nearbyint(x * 1e6), 1e6} : (fraction){floor(x * grid), grid};
}

static fraction fraction_above(double x) {
    if (trunc(x) == x && x <= TERM_MAX)
        return (fraction){x, 1};
    if (is_typed(x))
        return (fraction){nearbyint(x * 1e6), 1e6};
    const double grid = exp2(20 - floor(log2(x)));
    const double raised = ceil(x * grid);
    return (fraction){grid < 1 ? fmin(raised / grid, DBL_MAX) : raised, fmax(grid, 1)};
}

static double common_divisor(double a, double b) {
    while (b >= 1) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

static int is_exact(fraction x) {
    return x.num < EXACT_MAX && x.den < EXACT_MAX;
}

static fraction reduce(fraction x) {
    const double common = is_exact(x) ? common_divisor(x.num, x.den) : 1;
    return (fraction){x.num / common, x.den / common};
}

/* s / t <= a / b with s and t of at most 2^31. */
static fraction fit(fraction a, fraction b) {
    a = reduce(a);
    b = reduce(b);
    const fraction whole = {a.num * b.den, a.den * b.num};
    const fraction exact = reduce(whole);
    if (is_exact(whole) && exact.num <= TERM_MAX && exact.den <= TERM_MAX)
        return exact;
    const double gamma = a.num / a.den / (b.num / b.den);
    const double bits = 31 - fmax(0, ceil(log2(gamma)));
    /* four units in the last place less, so that rounding cannot raise gamma */
    return reduce((fraction){floor(gamma * (1 - exp2(-50)) * exp2(bits)), exp2(bits)});
}

static void check_gamma(double gamma) {
    if (gamma < 1e-6 * (1 - 1e-9) || gamma >= 1073741824.0)
        fail(CLIENT_USAGE,
             "--epsilon divided by --precision must be at least 1e-06 and below 2^30.");
}

level noise_level(double epsilon, double precision) {
    check_gamma(fmax(epsilon / precision, 1e-6));
    const fraction asked = fraction_below(epsilon);
    check_gamma(asked.num / asked.den / precision);
    const fraction st = fit(asked, fraction_above(precision));
    const double direct = precision * st.num / st.den;
    level in_force = {isfinite(direct) ? direct : precision * (st.num / st.den),
                      precision,
                      exp(-st.num / st.den),
                      {(uint64_t)st.num, (uint64_t)st.den}};
    if (in_force.alpha < DBL_MIN) /* subnormal numbers are inexact */
        in_force.alpha = 0;
    const double near = nearbyint(in_force.epsilon * 1e6) / 1e6;
    if (near > 0 && fabs(in_force.epsilon - near) < 1e-12 * in_force.epsilon)
        in_force.epsilon = near;
    return in_force;
}

/* --- words -------------------------------------------------------------------------------- */

/* At most six significant digits, with commas between thousands; from 1e15 on, and below 1e-5, with
 * an exponent. */
static const char *number(double x, char *text, size_t size) {
    char digits[64], plain[400];
    snprintf(digits, sizeof digits, "%.5e", x);
    char *const e = strchr(digits, 'e');
    int significant = 6, exponent = 0;
    sscanf(e, "e%d", &exponent);
    for (const char *last = e - 1; *last == '0' && significant > 1; last--)
        significant--;
    if (exponent >= 15 || (x > 0 && x < 1e-5)) {
        snprintf(text, size, "%.*e", significant - 1, x);
        return text;
    }
    const int places = significant - 1 - exponent > 0 ? significant - 1 - exponent : 0;
    snprintf(plain, sizeof plain, "%.*f", places, x);
    const size_t whole = strcspn(plain, ".");
    size_t to = 0;
    for (size_t from = 0; plain[from] && to + 2 < size; from++) {
        if (from > 0 && from < whole && (whole - from) % 3 == 0)
            text[to++] = ',';
        text[to++] = plain[from];
    }
    text[to] = 0;
    return text;
}

/* Three significant digits, rounded up. */
static double round_up(double x) {
    const double unit = pow(10, floor(log10(x)) - 2);
    return ceil(x / unit) * unit;
}

static void put_odds(FILE *out, double epsilon, double distance) {
    char text[500];
    fputs("# Rows (records) that differ by ", out);
    if (distance == 1)
        fputs("1 count: ", out);
    else
        fprintf(out, "%s counts in all: ", number(distance, text, sizeof text));
    if (exp(epsilon) < 1e6)
        fprintf(out, "any release is at most %s times as likely from one as from the other.\n",
                number(round_up(exp(epsilon)), text, sizeof text));
    else
        fputs("hardly protected (a factor above a million).\n", out);
}

void put_words(FILE *out, level in_force) {
    char epsilon[500], precision[500], alpha[500];
    fprintf(
        out,
        "# Counts with noise, and their noise level. Lines like this one are for human readers.\n"
        "# epsilon = %s at precision %s (alpha = %s)\n"
        "# The noise came from the operating system's entropy, by an exact sampler.\n",
        number(in_force.epsilon, epsilon, sizeof epsilon),
        number(in_force.precision, precision, sizeof precision),
        number(in_force.alpha, alpha, sizeof alpha));
    const double gamma = in_force.epsilon / in_force.precision;
    const double whole = nearbyint(in_force.precision);
    const int is_whole = fabs(in_force.precision - whole) < 1e-9;
    const double N = fmax(1, is_whole ? whole : floor(in_force.precision));
    put_odds(out, gamma * N, N);
    if (N > 1)
        put_odds(out, gamma, 1);
    put_odds(out, gamma * (10 * N), 10 * N);
}
