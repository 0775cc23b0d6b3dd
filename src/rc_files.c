/* Text files that R has read as bytes: lines and check sums. And: is a file a regular one? */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "rc.h"

/* Is `file` a regular file, through links too? Reading from a pipe or a device might never end. */
SEXP rc_is_regular(SEXP file) {
    rc_require(TYPEOF(file) == STRSXP && Rf_xlength(file) == 1, "file");
    struct stat of;
    const char *const name = Rf_translateChar(STRING_ELT(file, 0));
    return Rf_ScalarLogical(stat(name, &of) == 0 && (of.st_mode & S_IFMT) == S_IFREG);
}

/* The end of the line that starts here: \n, \r or \r\n. NULL if the bytes end before, or with \r, which may
 * be half of \r\n. */
static const char *line_end(const char *from, const char *end) {
    const char *const n = memchr(from, '\n', (size_t)(end - from));
    const char *const r = memchr(from, '\r', (size_t)((n ? n : end) - from));
    return r && r + 1 < end ? r : n;
}

/* A line without its zero bytes. */
static SEXP as_char(const char *from, size_t n) {
    if (!memchr(from, 0, n))
        return Rf_mkCharLenCE(from, (int)n, CE_UTF8);
    char *const kept = R_alloc(n, 1);
    int m = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i])
            kept[m++] = from[i];
    return Rf_mkCharLenCE(kept, m, CE_UTF8);
}

/* Does this line of a release file begin a section: "cells: n", or labels, such as "row_labels:"? */
static int begins_section(const char *line) {
    static const char ending[] = "_labels";
    const char *const colon = strchr(line, ':');
    const size_t n = colon ? (size_t)(colon - line) : 0, m = sizeof ending - 1;
    return (n == 5 && strncmp(line, "cells", n) == 0) ||
           (*line != '#' && n > m && strncmp(colon - m, ending, m) == 0);
}

/* At most `most` lines of the bytes `text`, after the first `skip` of them; those after the last end of a line
 * only if the file has `ended`. If `to_section`, the line that begins a section is the last. Returns list(lines,
 * used, section), where `used` counts bytes, those that were skipped too, and `section` says whether the last
 * line begins one. */
SEXP rc_read_lines(SEXP text, SEXP skip, SEXP most, SEXP ended, SEXP to_section) {
    static const char *const names[] = {"lines", "used", "section", ""};
    rc_require(TYPEOF(text) == RAWSXP && XLENGTH(text) <= INT_MAX, "text");
    const double from = rc_number(skip, RC_NOT_NEGATIVE, "skip"),
                 wanted = rc_number(most, RC_NOT_NEGATIVE, "most");
    rc_require(from <= (double)XLENGTH(text), "skip");
    const int whole = Rf_asLogical(ended) == TRUE, sections = Rf_asLogical(to_section) == TRUE;
    const char *const start = (const char *)RAW_RO(text), *const end = start + XLENGTH(text);
    const char *at = start + (size_t)from;
    R_xlen_t n = 0, room = 0;
    int section = 0;
    SEXP found = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    PROTECT_INDEX index;
    SEXP lines = Rf_allocVector(STRSXP, 0);
    PROTECT_WITH_INDEX(lines, &index);
    while ((double)n < wanted && at < end && !section) {
        const char *const stop = line_end(at, end);
        if (!stop && !whole)
            break;
        if (n == room) {
            room = 2 * room + 1;
            REPROTECT(lines = Rf_xlengthgets(lines, room), index);
        }
        const char *last = stop ? stop : end;
        const char *const next = !stop ? end : stop + (*stop == '\r' && stop[1] == '\n' ? 2 : 1);
        if (!stop && end[-1] == '\r')
            last--;
        SET_STRING_ELT(lines, n, as_char(at, (size_t)(last - at)));
        section = sections && begins_section(CHAR(STRING_ELT(lines, n)));
        n++;
        at = next;
    }
    SET_VECTOR_ELT(found, 0, n == room ? lines : Rf_xlengthgets(lines, n));
    SET_VECTOR_ELT(found, 1, Rf_ScalarReal((double)(at - start)));
    SET_VECTOR_ELT(found, 2, Rf_ScalarLogical(section));
    UNPROTECT(2);
    return found;
}

/* CRC-32 of the bytes of each text, as in gzip, in eight hexadecimal digits. */
SEXP rc_checksums(SEXP text) {
    rc_require(TYPEOF(text) == STRSXP, "text");
    const R_xlen_t n = XLENGTH(text);
    SEXP sums = PROTECT(Rf_allocVector(STRSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        uint32_t crc = UINT32_MAX;
        for (const char *at = CHAR(STRING_ELT(text, i)); *at; at++) {
            crc ^= (unsigned char)*at;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
        }
        char digits[9];
        snprintf(digits, sizeof digits, "%08lx", (unsigned long)(crc ^ UINT32_MAX));
        SET_STRING_ELT(sums, i, Rf_mkChar(digits));
    }
    UNPROTECT(1);
    return sums;
}
