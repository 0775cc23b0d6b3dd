/* Reads a CSV file (RFC 4180): fields in quotes, line ends of all systems, a byte order mark. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

/* The bytes of a file, and a 0 after them. */
static char *read_file(const char *file, size_t *n) {
    FILE *const in = fopen(file, "rb");
    if (!in)
        fail(CLIENT_DATA, "'%s' cannot be read: %s.", file, strerror(errno));
    size_t size = 1 << 16, got;
    char *bytes = room(size, 1);
    *n = 0;
    while ((got = fread(bytes + *n, 1, size - 1 - *n, in)) > 0) {
        *n += got;
        if (*n + 1 < size)
            continue;
        if (size > SIZE_MAX / 2)
            fail(CLIENT_DATA, "'%s' is too large.", file);
        char *const larger = realloc(bytes, size *= 2);
        if (!larger)
            fail(CLIENT_DATA, "There is not enough memory to read '%s'.", file);
        bytes = larger;
    }
    if (ferror(in))
        fail(CLIENT_DATA, "'%s' cannot be read: %s.", file, strerror(errno));
    fclose(in);
    bytes[*n] = 0;
    return bytes;
}

/* Is this text UTF-8, without a byte 0? Overlong forms, surrogates and numbers above 0x10FFFF are
 * not. */
static int is_utf8(const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text, *const end = s + n;
    while (s < end) {
        const unsigned char first = *s++;
        if (first == 0)
            return 0;
        if (first < 0x80)
            continue;
        const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || end - s < more)
            return 0;
        uint32_t code = first & (0x3Fu >> more);
        for (int k = 0; k < more; k++, s++) {
            if ((*s & 0xC0u) != 0x80)
                return 0;
            code = (code << 6) | (*s & 0x3Fu);
        }
        if ((more == 2 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) ||
            (more == 3 && (code < 0x10000 || code > 0x10FFFF)))
            return 0;
    }
    return 1;
}

/* A position in the text, and the line that it is in. */
typedef struct cursor {
    char *at;
    size_t line;
    const char *file;
    char separator;
    int last; /* was the field the last of its record? */
} cursor;

/* Ends the record if the cursor is at the end of a line or of the file. */
static void end_field(cursor *c, char *end_of_field) {
    const char stop = *c->at;
    c->last = stop != c->separator;
    if (stop == '\r' && c->at[1] == '\n')
        c->at++;
    if (stop)
        c->at++;
    if (stop == '\n' || stop == '\r')
        c->line++;
    *end_of_field = 0;
}

/* The next field, ended by a 0 in place. The text of a field in quotes is moved over them. */
static char *next_field(cursor *c) {
    char *const field = c->at, *to = field;
    if (*c->at == '"') {
        for (c->at++;; *to++ = *c->at++) {
            if (!*c->at)
                fail(CLIENT_DATA, "'%s', line %zu: a quote is not closed.", c->file, c->line);
            if (*c->at == '\n')
                c->line++;
            if (*c->at == '"' && *++c->at != '"')
                break;
        }
        if (*c->at && *c->at != c->separator && *c->at != '\r' && *c->at != '\n')
            fail(CLIENT_DATA, "'%s', line %zu: text follows a closing quote.", c->file, c->line);
    } else {
        while (*c->at && *c->at != c->separator && *c->at != '\r' && *c->at != '\n')
            c->at++;
        to = c->at;
    }
    end_field(c, to);
    return field;
}

static char *trimmed(char *text) {
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        text[--n] = 0;
    return text;
}

/* What a text that should be a count is: a count, missing, or NULL with `problem`. */
typedef enum field_kind { COUNT, MISSING, WRONG } field_kind;

static field_kind read_count(const char *text, int *count, const char **problem) {
    if (!*text || strcmp(text, "NA") == 0)
        return MISSING;
    const size_t digits = strspn(text, "0123456789");
    if (digits > 0 && !text[digits]) {
        errno = 0;
        const long long value = strtoll(text, NULL, 10);
        if (errno == 0 && value <= INT_MAX) {
            *count = (int)value;
            return COUNT;
        }
        *problem = "a value above 2^31 - 1";
        return WRONG;
    }
    char *end;
    const double number = strtod(text, &end);
    const int is_number = !*end && number == number;
    *problem = !is_number ? "a value that is not a number"
               : number < 0
                   ? "a negative value. If it is the code of a missing answer, leave it empty"
                   : "a value that is not a whole number in digits";
    return WRONG;
}

/* Names of columns that identify people, without what is no letter. */
static int is_id_name(const char *name) {
    static const char *const names[] = {"id",     "ids",       "caseid",       "personid",
                                        "respid", "subjectid", "userid",       "uid",
                                        "pid",    "hhid",      "respondentid", "participantid"};
    char letters[16];
    size_t n = 0;
    for (; *name && n < sizeof letters - 1; name++) {
        const char lower = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if (lower >= 'a' && lower <= 'z')
            letters[n++] = lower;
    }
    letters[n] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(letters, names[i]) == 0)
            return 1;
    return 0;
}

/* The fields of the first record; *n is their number. */
static char **read_names(cursor *c, size_t *n) {
    size_t size = 64;
    char **names = room(size, sizeof *names);
    *n = 0;
    do {
        if (*n == size) {
            char **const more = room(2 * size, sizeof *more);
            memcpy(more, names, size * sizeof *names);
            free(names);
            names = more;
            size *= 2;
        }
        names[(*n)++] = trimmed(next_field(c));
    } while (!c->last);
    return names;
}

/* A name without a letter could be a count, or what stands for a missing one. */
static int could_be_count(const char *name) {
    for (const char *at = name; *at; at++)
        if ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || (unsigned char)*at >= 0x80)
            return strcmp(name, "NA") == 0;
    return 1;
}

/* A column for a message: its number, or its name unless that could be a count. */
static const char *column(size_t j, const char *name) {
    static char text[128];
    if (could_be_count(name))
        snprintf(text, sizeof text, "column %zu", j + 1);
    else
        snprintf(text, sizeof text, "column '%.100s'", name);
    return text;
}

/* A file without a first line of names would publish the counts of its first record as names. */
static void refuse_counts(const char *file, char **names, size_t n, size_t id_at) {
    for (size_t j = 0; j < n; j++)
        if (j != id_at && !could_be_count(names[j]))
            return;
    fail(CLIENT_DATA,
         "'%s': the first line must have the names of the columns, but has no letters, so it could "
         "have the counts of a record. Names become public. Add a line of names, or rename the "
         "columns, for example 'q7' instead of '7'.",
         file);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_names(const char *file, char **names, size_t n, const char *id) {
    for (size_t j = 0; j < n; j++) {
        if (!*names[j])
            fail(CLIENT_DATA, "'%s': each column must have a name in the first line.", file);
        if (is_id_name(names[j]) && !(id && strcmp(names[j], id) == 0))
            fail(CLIENT_DATA,
                 "'%s': column '%s' seems to identify the rows. If it holds labels, which become "
                 "public, use --id '%s'; otherwise rename it.",
                 file, names[j], names[j]);
    }
    char **const sorted = room(n, sizeof *sorted);
    memcpy(sorted, names, n * sizeof *names);
    qsort(sorted, n, sizeof *sorted, compare_names);
    for (size_t j = 1; j < n; j++)
        if (strcmp(sorted[j], sorted[j - 1]) == 0)
            fail(CLIENT_DATA, "'%s': several columns have the same name%s%s%s.", file,
                 could_be_count(sorted[j]) ? "" : ", '", could_be_count(sorted[j]) ? "" : sorted[j],
                 could_be_count(sorted[j]) ? "" : "'");
    free(sorted);
}

/* An upper bound of the number of records: that of line ends, and one. */
static size_t count_lines(const char *text) {
    size_t n = 1;
    for (; *text; text++)
        n += *text == '\n' || (*text == '\r' && text[1] != '\n');
    return n;
}

/* Is there nothing but blank lines from here on? A line with a separator is a record. */
static int is_end(const char *text, char separator) {
    return !text[strspn(text, separator == '\t' ? " \r\n" : " \t\r\n")];
}

table read_csv(const char *file, char separator, const char *id, int keep) {
    size_t n;
    char *text = read_file(file, &n);
    if (!is_utf8(text, n))
        fail(CLIENT_DATA, "'%s' must be text in UTF-8.", file);
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    cursor c = {text, 1, file, separator, 0};
    if (is_end(text, separator))
        fail(CLIENT_DATA, "'%s' is empty.", file);
    const size_t most = count_lines(text);
    size_t n_fields;
    char **const names = read_names(&c, &n_fields);
    size_t id_at = n_fields;
    for (size_t j = 0; id && j < n_fields; j++)
        if (strcmp(names[j], id) == 0)
            id_at = j;
    refuse_counts(file, names, n_fields, id_at);
    check_names(file, names, n_fields, id);
    if (id && id_at == n_fields)
        fail(CLIENT_DATA, "'%s' has no column '%s' (--id).", file, id);

    table data = {0, n_fields - (id ? 1 : 0), room(n_fields, sizeof(char *)), NULL, NULL, NULL};
    for (size_t j = 0, v = 0; j < n_fields; j++)
        if (j != id_at)
            data.items[v++] = names[j];
    if (data.V == 0 || data.V > INT_MAX || most > INT_MAX || most > SIZE_MAX / data.V)
        fail(CLIENT_DATA, "'%s' has no columns of counts, or is too large.", file);
    data.labels = id ? room(most, sizeof(char *)) : NULL;
    int *const by_rows = room(most * data.V, sizeof *by_rows);
    unsigned char *const missing = room(most * data.V, 1);
    for (; !is_end(c.at, separator); data.D++) {
        const size_t line = c.line;
        c.last = 0;
        for (size_t j = 0, v = 0; j < n_fields; j++) {
            if (c.last)
                fail(CLIENT_DATA, "'%s', line %zu: it has %zu of %zu fields.", file, line, j,
                     n_fields);
            char *const field = next_field(&c);
            if (j == id_at) {
                data.labels[data.D] = field;
                continue;
            }
            const size_t cell = data.D * data.V + v++;
            const char *problem = NULL;
            const field_kind kind = read_count(trimmed(field), &by_rows[cell], &problem);
            missing[cell] = kind == MISSING;
            if (kind == WRONG)
                fail(CLIENT_DATA, "'%s', line %zu: %s has %s.", file, line, column(j, names[j]),
                     problem);
            if (kind == MISSING && !keep)
                fail(CLIENT_DATA,
                     "'%s', line %zu: %s has a missing count. To release missing counts as "
                     "missing, use --na keep. It is then public which counts are missing, so this "
                     "must not reveal anything that must be protected.",
                     file, line, column(j, names[j]));
        }
        if (!c.last)
            fail(CLIENT_DATA, "'%s', line %zu: it has more fields than the first line.", file,
                 line);
    }
    if (data.D == 0)
        fail(CLIENT_DATA, "'%s' has no rows of counts after the first line.", file);
    data.counts = room(data.D * data.V, sizeof *data.counts);
    data.missing = room(data.D * data.V, 1);
    for (size_t d = 0; d < data.D; d++)
        for (size_t v = 0; v < data.V; v++) {
            data.counts[v * data.D + d] = by_rows[d * data.V + v];
            data.missing[v * data.D + d] = missing[d * data.V + v];
        }
    free(by_rows);
    free(missing);
    return data;
}
