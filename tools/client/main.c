/* ldp-privatize: adds noise to the counts of a CSV file. Built by `make client`. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "ldp_release.h"
#include "rc_system.h"

#ifndef LDP_VERSION
#define LDP_VERSION "unknown version"
#endif

static const char HELP[] =
    "Usage: ldp-privatize --epsilon E [options] COUNTS.csv RELEASE.txt\n"
    "\n"
    "Adds two-sided geometric noise to the counts of a CSV file, including zeros, and writes a\n"
    "release file for read_release() of the R package ldpcounts. The first line of the CSV file "
    "has\n"
    "the names of the items, one of them with a letter, so that it cannot be mistaken for counts;\n"
    "each further line has the counts of one record: whole numbers from 0\n"
    "to 2^31 - 1. The noise is exact, and its random bits come from the operating system.\n"
    "\n"
    "  --epsilon E      the privacy loss, a positive number\n"
    "  --precision N    two records that differ by at most N counts in total are protected at\n"
    "                   epsilon; a positive number, chosen without looking at the counts [1]\n"
    "  --id NAME        the column with the labels of the records, which become public\n"
    "  --na keep        release missing counts (empty or NA) as missing; it is then public which\n"
    "                   counts are missing [error]\n"
    "  --separator C    the character between fields: ',', ';' or 'tab' [,]\n"
    "  --overwrite      replace an existing release\n"
    "  --help, --version\n"
    "\n"
    "Release the same counts once only: each further release spends epsilon again.\n"
    "Exit codes: 0 done; 1 wrong data, or a file that cannot be read or written; 2 wrong options;\n"
    "3 no random bits from the operating system. Unless the code is 0, nothing was released.\n";

void fail(int code, const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("ldp-privatize: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(code);
}

void *room(size_t n, size_t size) {
    void *const memory = calloc(n > 0 ? n : 1, size);
    if (!memory)
        fail(CLIENT_DATA, "There is not enough memory.");
    return memory;
}

typedef struct options {
    double epsilon, precision;
    const char *id, *from, *to;
    char separator;
    int keep, overwrite;
} options;

static double positive(const char *option, const char *text) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e300))
        fail(CLIENT_USAGE, "%s must be a positive number. It is '%s'.", option, text);
    return value;
}

static int is_option(const char *arg, const char *name) {
    return strcmp(arg, name) == 0;
}

static options read_options(int n, char **args) {
    options o = {0, 1, NULL, NULL, NULL, ',', 0, 0};
    for (int i = 1; i < n; i++) {
        const char *const arg = args[i];
        if (is_option(arg, "--help") || is_option(arg, "-h")) {
            fputs(HELP, stdout);
            exit(0);
        }
        if (is_option(arg, "--version")) {
            puts("ldp-privatize " LDP_VERSION);
            exit(0);
        }
        if (is_option(arg, "--overwrite")) {
            o.overwrite = 1;
            continue;
        }
        if (strncmp(arg, "--", 2) != 0) {
            if (o.to)
                fail(CLIENT_USAGE, "Too many arguments: '%s'. See --help.", arg);
            *(o.from ? &o.to : &o.from) = arg;
            continue;
        }
        static const char *const with_value[] = {"--epsilon", "--precision", "--id", "--na",
                                                 "--separator"};
        int known = 0;
        for (size_t k = 0; k < sizeof with_value / sizeof *with_value; k++)
            known = known || is_option(arg, with_value[k]);
        if (!known)
            fail(CLIENT_USAGE, "There is no option '%s'. See --help.", arg);
        if (i + 1 == n)
            fail(CLIENT_USAGE, "%s must be followed by its value.", arg);
        const char *const value = args[++i];
        if (is_option(arg, "--epsilon"))
            o.epsilon = positive(arg, value);
        else if (is_option(arg, "--precision"))
            o.precision = positive(arg, value);
        else if (is_option(arg, "--id"))
            o.id = value;
        else if (is_option(arg, "--na")) {
            o.keep = strcmp(value, "keep") == 0;
            if (!o.keep && strcmp(value, "error") != 0)
                fail(CLIENT_USAGE, "--na must be 'error' or 'keep'. It is '%s'.", value);
        } else {
            o.separator = strcmp(value, "tab") == 0 ? '\t' : *value;
            if ((strlen(value) != 1 || !strchr(",;\t", *value)) && o.separator != '\t')
                fail(CLIENT_USAGE, "--separator must be ',', ';' or 'tab'. It is '%s'.", value);
        }
    }
    if (o.epsilon <= 0)
        fail(CLIENT_USAGE, "--epsilon must be given. See --help.");
    if (!o.to)
        fail(CLIENT_USAGE, "Give the name of the CSV file and that of the release. See --help.");
    return o;
}

static void check_output(const options *o) {
    if (is_same_file(o->from, o->to))
        fail(CLIENT_USAGE, "The release must be another file than the one with the counts.");
    if (file_exists(o->to) && !o->overwrite)
        fail(CLIENT_DATA,
             "'%s' exists. A second release of the same counts would spend epsilon twice. To "
             "replace the file, use --overwrite.",
             o->to);
    if (file_exists(o->to) && !is_replaceable(o->to))
        fail(CLIENT_DATA, "'%s' is not a file that can be replaced.", o->to);
}

#ifdef LDP_TEST_TAPE
/* For tests only: random bytes from the file that LDP_TAPE names. */
static ldp_status tape_bytes(void *source, unsigned char *bytes, size_t n) {
    return fread(bytes, 1, n, source) == n ? LDP_OK : LDP_NO_ENTROPY;
}

static void open_source(ldp_bits *bits) {
    const char *const tape = getenv("LDP_TAPE");
    FILE *const source = tape ? fopen(tape, "rb") : NULL;
    if (source)
        ldp_bits_open(bits, tape_bytes, source, 1);
    else
        ldp_bits_open(bits, rc_system_bytes, NULL, LDP_BITS_BUFFER);
}
#else
static void open_source(ldp_bits *bits) {
    ldp_bits_open(bits, rc_system_bytes, NULL, LDP_BITS_BUFFER);
}
#endif

/* Noise for all cells, column after column, drawn by code that has no access to counts. */
static int64_t *draw_noise(size_t n, ldp_rate rate) {
    int64_t *const tau = room(n, sizeof *tau);
    ldp_bits bits;
    open_source(&bits);
    const ldp_status status = ldp_secure_noise(&bits, n, 1, &rate, NULL, tau);
    ldp_bits_close(&bits);
    if (status != LDP_OK)
        fail(CLIENT_NO_ENTROPY,
             "The operating system gave no random bits, so no noise was drawn and nothing was "
             "released.");
    return tau;
}

int main(int n, char **args) {
    const options o = read_options(n, args);
    const level in_force = noise_level(o.epsilon, o.precision);
    check_output(&o);
    const table data = read_csv(o.from, o.separator, o.id, o.keep);
    int64_t *const released = draw_noise(data.D * data.V, in_force.rate);
    const ldp_source counts = {.D = (int)data.D, .V = (int)data.V, .ints = data.counts};
    for (size_t v = 0; v < data.V; v++)
        ldp_release_add(&counts, (int)v, released + v * data.D);
    write_release(o.to, o.overwrite, data, in_force, released);
    return 0;
}
