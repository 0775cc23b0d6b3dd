#include <float.h>
#include <math.h>
#include <string.h>

#include "ldp_classes.h"
#include "ldp_nbinom.h"
#include "ldp_poisson.h"

static const double NEGLIGIBLE = 1e-19; /* parts of a sum below this are left out */

/* --- classes ---------------------------------------------------------------------------------- */

double ldp_evidence_from_zero(const ldp_evidence *evidence, double y) {
    return y > evidence->high ? -INFINITY : ldp_evidence_ratio(evidence, y, 0);
}

static ldp_class class_of(ldp_evidence evidence) {
    const double tilt = ldp_evidence_tilt(&evidence);
    ldp_class of = {.is_one = !evidence.is_listed, .tilt = tilt, .evidence = evidence};
    if (evidence.is_listed)
        of.tilt = fmax(tilt, -LDP_TILT_MOST);
    of.weight = exp(of.tilt);
    if (evidence.low > evidence.high || !of.is_one)
        return of;
    of.log_low = ldp_evidence_log(&evidence, evidence.low);
    for (; of.n < LDP_CLASS_TERMS && evidence.low + of.n < evidence.high; of.n++)
        of.step[of.n] = exp(ldp_evidence_step(&evidence, evidence.low + of.n));
    for (int y = 0; y < LDP_CLASS_TERMS && !(evidence.low > 0); y++)
        of.log_ratio[y] = ldp_evidence_from_zero(&evidence, y);
    return of;
}

double ldp_class_from_zero(const ldp_class *of, double y) {
    return y < LDP_CLASS_TERMS ? of->log_ratio[(int)y] : ldp_evidence_from_zero(&of->evidence, y);
}

/* --- one class for each release and set of parameters ----------------------------------------- */

enum { SLOTS = 1024, NONE = -1 };

/* A hash table of the releases that have a class; `tilted` and `steep` count them. Steep ones have
 * their classes from LDP_TILTED on. */
typedef struct directory {
    const ldp_mechanism *levels;
    ldp_classes *classes;
    int n_tilted, n_steep;
    int slot[SLOTS]; /* the class, or NONE */
    int level[LDP_TILTED + LDP_STEEP];
    double release[LDP_TILTED + LDP_STEEP];
} directory;

static uint32_t hash(double release, int level) {
    uint64_t bits;
    memcpy(&bits, &release, sizeof bits);
    bits = (bits ^ (uint64_t)level * 0x9E3779B97F4A7C15u) * 0xD1342543DE82EF95u;
    return (uint32_t)(bits >> 40) % SLOTS;
}

static int is_same(double a, double b) {
    return !(a < b || a > b);
}

/* The class of a release, which is made if there is room; NONE if there is not. */
static int find(directory *in, double release, int level) {
    uint32_t at = hash(release, level);
    for (; in->slot[at] != NONE; at = (at + 1) % SLOTS) {
        const int i = in->slot[at];
        if (in->level[i] == level && is_same(in->release[i], release))
            return i;
    }
    const ldp_evidence evidence = ldp_evidence_of(&in->levels[level], LDP_IS, release);
    const int is_tilted = ldp_evidence_tilt(&evidence) <= LDP_TILT_MOST;
    if (is_tilted ? in->n_tilted == LDP_TILTED : in->n_steep == LDP_STEEP)
        return NONE;
    const int i = is_tilted ? in->n_tilted++ : LDP_TILTED + in->n_steep++;
    in->classes->of[i] = class_of(evidence);
    in->level[i] = level;
    in->release[i] = release;
    in->slot[at] = i;
    return i;
}

/* Puts the classes in order of their tilts, steep ones last; `code`: the new place of each. */
static void sort_classes(const directory *in, uint8_t *code) {
    ldp_classes *const classes = in->classes;
    ldp_class *const of = classes->of;
    int origin[LDP_TILTED];
    for (int i = 0; i < in->n_tilted; i++) {
        const ldp_class one = of[i];
        int at = i;
        for (; at > 0 && of[at - 1].tilt > one.tilt; at--) {
            of[at] = of[at - 1];
            origin[at] = origin[at - 1];
        }
        of[at] = one;
        origin[at] = i;
    }
    for (int i = 0; i < in->n_tilted; i++)
        code[origin[i]] = (uint8_t)i;
    for (int i = 0; i < in->n_steep; i++) {
        of[in->n_tilted + i] = of[LDP_TILTED + i];
        code[LDP_TILTED + i] = (uint8_t)(in->n_tilted + i);
    }
    classes->n_tilted = in->n_tilted;
    classes->n = in->n_tilted + in->n_steep;
}

/* Returns 0 if there are too many releases with small tilts. */
static int class_by_release(directory *in, const int *level, size_t n, const double *release,
                            uint8_t listed, uint8_t *code) {
    uint8_t sorted[UINT8_MAX + 1];
    for (size_t i = 0; i < n; i++) {
        const int found = find(in, release[i], level ? level[i] : 0);
        if (found == NONE && in->n_steep < LDP_STEEP)
            return 0;
        if (found == NONE) {
            const ldp_evidence evidence =
                ldp_evidence_of(&in->levels[level ? level[i] : 0], LDP_IS, release[i]);
            if (ldp_evidence_tilt(&evidence) <= LDP_TILT_MOST)
                return 0;
        }
        code[i] = found == NONE ? listed : (uint8_t)found;
    }
    sorted[listed] = listed;
    sort_classes(in, sorted);
    for (size_t i = 0; i < n; i++)
        code[i] = sorted[code[i]];
    return 1;
}

/* --- classes of nearly the same tilt -----------------------------------------------------------
 */

/* Tilts from -LDP_TILT_MOST to LDP_TILT_MOST; smaller ones are in the first class. */
static double tilt_at(int i) {
    return LDP_TILT_MOST * (2.0 * i / (LDP_TILTED - 1) - 1);
}

static void class_by_tilt(const ldp_mechanism *levels, const int *level, size_t n,
                          const double *release, uint8_t listed, ldp_classes *classes,
                          uint8_t *code) {
    classes->n = classes->n_tilted = LDP_TILTED;
    for (int i = 0; i < LDP_TILTED; i++)
        classes->of[i] = (ldp_class){.tilt = tilt_at(i), .weight = exp(tilt_at(i))};
    for (size_t i = 0; i < n; i++) {
        const ldp_evidence evidence =
            ldp_evidence_of(&levels[level ? level[i] : 0], LDP_IS, release[i]);
        const double tilt = ldp_evidence_tilt(&evidence);
        int at = tilt > -LDP_TILT_MOST && tilt <= LDP_TILT_MOST
                     ? (int)((tilt / LDP_TILT_MOST + 1) / 2 * (LDP_TILTED - 1))
                     : 0;
        while (at + 1 < LDP_TILTED && tilt > classes->of[at].tilt)
            at++;
        code[i] = tilt > LDP_TILT_MOST ? listed : (uint8_t)at;
    }
}

void ldp_classes_make(const ldp_mechanism *levels, const int *level, size_t n,
                      const double *release, uint8_t listed, ldp_classes *classes, uint8_t *code) {
    directory in = {.levels = levels, .classes = classes};
    double n_of[UINT8_MAX + 1] = {0};
    for (int i = 0; i < SLOTS; i++)
        in.slot[i] = NONE;
    if (!class_by_release(&in, level, n, release, listed, code))
        class_by_tilt(levels, level, n, release, listed, classes, code);
    for (size_t i = 0; i < n; i++)
        n_of[code[i]]++;
    double above = 0;
    for (int i = UINT8_MAX; i >= 0; i--) {
        above += n_of[i];
        if (i <= classes->n_tilted)
            classes->n_above[i] = above;
    }
}

/* --- counts ------------------------------------------------------------------------------------
 */

/* Fills in P(y) L(y), y = low, low + 1, ..., relative to the first. Returns how many there are, or
 * 0 if there are too many. After a term the sum of all others is at most as large as this term, if
 * its quotient to the one before is at most 1/2, and so is the bound of all later quotients. */
static int list_terms(const ldp_class *of, double mu, double excess, double *term, double *sum) {
    const double low = of->evidence.low, high = of->evidence.high;
    const double p = excess / (1 + excess), size = mu / excess;
    int n = 1;
    *sum = term[0] = 1;
    for (; low + n <= high; n++) {
        if (n > of->n)
            return 0;
        const double y = low + n - 1, step = of->step[n - 1];
        const double of_count = excess > 0 ? p * (size + y) / (y + 1) : mu / (y + 1);
        term[n] = term[n - 1] * of_count * step;
        if (step * fmax(of_count, p) < 0.5 && term[n] <= NEGLIGIBLE * *sum)
            break;
        *sum += term[n];
    }
    return *sum <= DBL_MAX ? n : 0;
}

double ldp_class_draw(const ldp_class *of, double mu, double excess, ldp_stream *stream) {
    double term[LDP_CLASS_TERMS + 1], sum;
    const int n = list_terms(of, mu, excess, term, &sum);
    if (n == 0)
        return -1;
    double u = ldp_stream_uniform(stream) * sum;
    int i = 0;
    while (i + 1 < n && (u -= term[i]) >= 0)
        i++;
    return of->evidence.low + i;
}

double ldp_class_log_mass(const ldp_class *of, double mu, double excess) {
    double term[LDP_CLASS_TERMS + 1], sum;
    const double low = of->evidence.low;
    if (low > of->evidence.high || list_terms(of, mu, excess, term, &sum) == 0)
        return NAN;
    const double of_low =
        excess > 0 ? ldp_nbinom_log_pmf(low, mu, excess) : ldp_poisson_log_pmf(low, mu, low - mu);
    return of_low + of->log_low + log(sum);
}
