/* A number is read digit by digit: m is exact up to 2^53, so a number with a decimal point or an
 * exponent is m 10^e, rounded. Whole numbers up to 2^53 are exact. Other numbers, which only
 * releases of real numbers have, are read by strtod(), so that 17 digits give the number that was
 * written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ldp_entries.h"

static const double MOST = 9007199254740992.0; /* 2^53 */

typedef struct reader {
    const char *at, *end; /* of the line */
} reader;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

/* Is the rest of the token this word? Skips it if so. `word` is in lower case. */
static int skip_word(reader *r, const char *word) {
    const char *at = r->at;
    for (; *word; word++, at++)
        if (at >= r->end || (*at | 0x20) != *word)
            return 0;
    if (at < r->end && !is_blank(*at))
        return 0;
    r->at = at;
    return 1;
}

/* Digits of m, and how many there are. */
static int digits(reader *r, double *m) {
    int n = 0;
    for (; r->at < r->end && is_digit(*r->at); r->at++, n++)
        *m = 10 * *m + (*r->at - '0');
    return n;
}

/* The exponent after the letter e; 0 if it is not a number. */
static int read_exponent(reader *r, int *exponent) {
    const int sign = r->at < r->end && *r->at == '-' ? -1 : 1;
    double size = 0;
    if (r->at < r->end && (*r->at == '-' || *r->at == '+'))
        r->at++;
    if (digits(r, &size) == 0)
        return 0;
    *exponent += sign * (size < 1000 ? (int)size : 1000);
    return 1;
}

/* Reads one number: NAN for NA, -INFINITY for a hidden count, INFINITY also for all that are too
 * large; 0 if there is none. */
static int read_number(reader *r, double *x) {
    skip_blanks(r);
    const char *const from = r->at;
    const int negative = r->at < r->end && *r->at == '-';
    if (r->at < r->end && (*r->at == '-' || *r->at == '+'))
        r->at++;
    double m = 0;
    int n = digits(r, &m), exponent = 0;
    if (r->at < r->end && *r->at == '.') {
        r->at++;
        exponent = -digits(r, &m);
        n -= exponent;
    }
    if (n == 0) {
        *x = skip_word(r, "inf") ? INFINITY : skip_word(r, "hidden") ? -INFINITY : NAN;
        return isinf(*x) || skip_word(r, "na");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (!read_exponent(r, &exponent))
            return 0;
    }
    if (r->at < r->end && !is_blank(*r->at))
        return 0;
    int done = 0;
    if (exponent < 0 || m > MOST) {
        char *end; /* the line ends with a line feed, where strtod() stops */
        *x = strtod(from, &end);
        done = end == r->at; /* not in a session with another decimal point */
    }
    if (!done) {
        if (exponent != 0)
            m = exponent > 0 ? m * pow(10, exponent) : m / pow(10, -exponent);
        *x = negative ? -m : m;
    }
    if (isinf(*x))
        *x = INFINITY;
    return 1;
}

static int is_index(double x, int most) {
    return x >= 1 && x <= most && trunc(x) >= x;
}

static int is_count(double x, ldp_entry_kind kind) {
    if (isnan(x) || kind == LDP_ENTRY_ANY)
        return isnan(x) || x < INFINITY;
    return fabs(x) <= MOST && fabs(trunc(x)) >= fabs(x);
}

static ldp_entry_problem read_line(reader r, int rows, int columns, ldp_entry_kind kind, int *row,
                                   int *column, double *count) {
    double numbers[3];
    for (int i = 0; i < 3; i++)
        if (!read_number(&r, &numbers[i]))
            return LDP_ENTRY_FORM;
    skip_blanks(&r);
    if (r.at < r.end)
        return LDP_ENTRY_FORM;
    if (!is_index(numbers[0], rows))
        return LDP_ENTRY_ROW;
    if (!is_index(numbers[1], columns))
        return LDP_ENTRY_COLUMN;
    if (!is_count(numbers[2], kind))
        return LDP_ENTRY_COUNT;
    *row = (int)numbers[0];
    *column = (int)numbers[1];
    *count = numbers[2];
    return LDP_ENTRY_GOOD;
}

ldp_entries ldp_entries_read(const char *text, size_t n_bytes, int rows, int columns,
                             ldp_entry_kind kind, size_t most, int *row, int *column,
                             double *count) {
    ldp_entries lines = {0, 0, LDP_ENTRY_GOOD};
    while (lines.n < most && lines.used < n_bytes) {
        const char *const from = text + lines.used;
        const char *const end = memchr(from, '\n', n_bytes - lines.used);
        if (!end)
            break;
        lines.problem = read_line((reader){from, end}, rows, columns, kind, row + lines.n,
                                  column + lines.n, count + lines.n);
        if (lines.problem != LDP_ENTRY_GOOD)
            break;
        lines.used += (size_t)(end - from) + 1;
        lines.n++;
    }
    return lines;
}

static ldp_entry_order order_of(const int *last, int row, int column) {
    if (row > last[0] || (row == last[0] && column > last[1]))
        return LDP_ENTRIES_SORTED;
    return row == last[0] ? LDP_ENTRIES_BY_ROWS : LDP_ENTRIES_MIXED;
}

ldp_informative ldp_entries_reduce(size_t n, int *row, int *column, double *count, int *last,
                                   double *size_below) {
    ldp_informative kept = {0, LDP_ENTRIES_SORTED};
    for (size_t i = 0; i < n; i++) {
        const ldp_entry_order order = order_of(last, row[i], column[i]);
        if (order > kept.order)
            kept.order = order;
        last[0] = row[i];
        last[1] = column[i];
        if (count[i] < 0)
            size_below[row[i] - 1] -= count[i];
        if (count[i] <= 0)
            continue;
        row[kept.n] = row[i];
        column[kept.n] = column[i];
        count[kept.n++] = count[i];
    }
    return kept;
}
