/* The lines of a text file, from bytes that R has read. */
#include <limits.h>
#include <string.h>

#include "rc.h"

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

/* At most `most` lines of the bytes `text`, after the first `skip` of them; those after the last end of a line
 * only if the file has `ended`. Returns list(lines, used), where `used` counts bytes, those that were skipped
 * too. */
SEXP rc_read_lines(SEXP text, SEXP skip, SEXP most, SEXP ended) {
    static const char *const names[] = {"lines", "used", ""};
    rc_require(TYPEOF(text) == RAWSXP && XLENGTH(text) <= INT_MAX, "text");
    const double from = rc_number(skip, RC_NOT_NEGATIVE, "skip"),
                 wanted = rc_number(most, RC_NOT_NEGATIVE, "most");
    rc_require(from <= (double)XLENGTH(text), "skip");
    const int whole = Rf_asLogical(ended) == TRUE;
    const char *const start = (const char *)RAW_RO(text), *const end = start + XLENGTH(text);
    const char *at = start + (size_t)from;
    R_xlen_t n = 0, room = 0;
    SEXP found = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    PROTECT_INDEX index;
    SEXP lines = Rf_allocVector(STRSXP, 0);
    PROTECT_WITH_INDEX(lines, &index);
    while ((double)n < wanted && at < end) {
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
        SET_STRING_ELT(lines, n++, as_char(at, (size_t)(last - at)));
        at = next;
    }
    SET_VECTOR_ELT(found, 0, n == room ? lines : Rf_xlengthgets(lines, n));
    SET_VECTOR_ELT(found, 1, Rf_ScalarReal((double)(at - start)));
    UNPROTECT(2);
    return found;
}
