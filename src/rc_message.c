/* Messages between processes that have shards of the same table (rc_shard.c).
 *
 * A message is a raw vector with arrays, one after another, each packed to `width` bytes per number
 * (ldp_bytes.h). A width of 8 is that of doubles, or of 64-bit integers; doubles in fewer bytes are
 * whole numbers. The attributes are `how` each array is combined, `n`, the number of its numbers,
 * and `width`. A large message may be in a file instead, which the attribute `file` names; then the
 * vector is empty. Processes of one computer exchange files faster than bytes, because R's sockets
 * read 4 kB at a time. Files are read and written in parts: fresh memory for a whole message takes
 * longer than the message itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ldp_bytes.h"
#include "ldp_fixed.h"
#include "rc.h"
#include "rc_message.h"

enum { PART = 1024, WHOLE_WIDTH = sizeof(uint64_t) };

/* Messages of fewer bytes are not written to files. */
static const size_t LEAST_IN_FILE = 65536;

static size_t rc_message_part_at(const ldp_shared *array, size_t from) {
    return array->n - from < PART ? array->n - from : PART;
}

/* --- bytes in memory or in a file ------------------------------------------------------------ */

typedef struct bytes {
    unsigned char *at; /* in memory, or NULL */
    FILE *file;
    int failed;
} bytes;

static bytes in_memory(SEXP message) {
    return (bytes){.at = RAW(message)};
}

/* A file that exists is not truncated first, so that the system can use its memory again. */
static bytes in_file(SEXP file, int is_new) {
    const char *const name = R_ExpandFileName(Rf_translateChar(file));
    bytes b = {.file = fopen(name, is_new ? "r+b" : "rb")};
    if (!b.file && is_new)
        b.file = fopen(name, "wb");
    b.failed = !b.file;
    return b;
}

static void put(bytes *b, const unsigned char *from, size_t n) {
    if (b->at) {
        memcpy(b->at, from, n);
        b->at += n;
    } else if (b->file && fwrite(from, 1, n, b->file) != n) {
        b->failed = 1;
    }
}

static void rc_message_get(bytes *b, unsigned char *to, size_t n) {
    if (b->at) {
        memcpy(to, b->at, n);
        b->at += n;
    } else if (b->file && fread(to, 1, n, b->file) != n) {
        b->failed = 1;
    }
}

/* Returns whether everything was read, or written. */
static int close_bytes(bytes *b) {
    if (b->file && fclose(b->file) != 0)
        b->failed = 1;
    return !b->failed;
}

/* --- packing --------------------------------------------------------------------------------- */

/* Copies n numbers as whole numbers; returns 0 if one of them is none. */
static int whole_part(const ldp_shared *array, size_t from, size_t n, uint64_t *whole) {
    if (array->how != LDP_SUM_WHOLE)
        return ldp_whole_numbers(array->at + from, n, whole);
    memcpy(whole, array->at + from, n * sizeof *whole);
    return 1;
}

static int width_of(const ldp_shared *array) {
    uint64_t whole[PART];
    int width = 1;
    for (size_t i = 0; i < array->n; i += PART) {
        const size_t n = rc_message_part_at(array, i);
        if (!whole_part(array, i, n, whole))
            return WHOLE_WIDTH;
        const int width_here = ldp_bytes_width(whole, n);
        width = width_here > width ? width_here : width;
    }
    return width;
}

/* Packs a part; returns 0 if it needs more bytes per number. */
static int put_part(const ldp_shared *array, size_t from, size_t n, int width, bytes *to) {
    uint64_t whole[PART];
    unsigned char packed[PART * WHOLE_WIDTH];
    if (width == WHOLE_WIDTH)
        memcpy(whole, array->at + from, n * sizeof *whole);
    else if (!whole_part(array, from, n, whole) || ldp_bytes_width(whole, n) > width)
        return 0;
    ldp_to_bytes(whole, n, width, packed);
    put(to, packed, n * (size_t)width);
    return 1;
}

static void get_part(const ldp_shared *array, size_t n, int width, bytes *from, double *number) {
    uint64_t whole[PART] = {0};
    unsigned char packed[PART * WHOLE_WIDTH] = {0};
    rc_message_get(from, packed, n * (size_t)width);
    ldp_from_bytes(packed, n, width, whole);
    if (array->how == LDP_SUM_WHOLE || width == WHOLE_WIDTH)
        memcpy(number, whole, n * sizeof *number);
    else
        for (size_t i = 0; i < n; i++)
            number[i] = (double)whole[i];
}

/* --- messages -------------------------------------------------------------------------------- */

/* A name among `files`, or R_BlankString if there are none. */
SEXP rc_file(SEXP files, R_xlen_t i) {
    if (Rf_isNull(files))
        return R_BlankString;
    rc_require(TYPEOF(files) == STRSXP && Rf_xlength(files) > i, "files");
    return STRING_ELT(files, i);
}

static SEXP file_of(SEXP message) {
    return rc_file(Rf_getAttrib(message, Rf_install("file")), 0);
}

static size_t size_of(const ldp_shared *arrays, const int *widths, int n_arrays) {
    size_t size = 0;
    for (int i = 0; i < n_arrays; i++)
        size += arrays[i].n * (size_t)widths[i];
    return size;
}

/* A message for arrays of these shapes, to be filled; or, if a file is named, the empty vector that
 * goes with it. */
static SEXP new_message(const ldp_shared *arrays, const int *widths, int n_arrays, SEXP file) {
    const int has_file = LENGTH(file) > 0;
    const size_t size = has_file ? 0 : size_of(arrays, widths, n_arrays);
    SEXP how = PROTECT(Rf_allocVector(INTSXP, n_arrays));
    SEXP n = PROTECT(Rf_allocVector(REALSXP, n_arrays));
    SEXP width = PROTECT(Rf_allocVector(INTSXP, n_arrays));
    SEXP message = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    for (int i = 0; i < n_arrays; i++) {
        INTEGER(how)[i] = (int)arrays[i].how;
        REAL(n)[i] = (double)arrays[i].n;
        INTEGER(width)[i] = widths[i];
    }
    Rf_setAttrib(message, Rf_install("how"), how);
    Rf_setAttrib(message, Rf_install("n"), n);
    Rf_setAttrib(message, Rf_install("width"), width);
    if (has_file)
        Rf_setAttrib(message, Rf_install("file"), PROTECT(Rf_ScalarString(file)));
    UNPROTECT(4 + has_file);
    return message;
}

static void put_arrays(const ldp_shared *arrays, const int *widths, int n_arrays, bytes *to) {
    for (int i = 0; i < n_arrays; i++)
        for (size_t from = 0; from < arrays[i].n; from += PART)
            put_part(&arrays[i], from, rc_message_part_at(&arrays[i], from), widths[i], to);
}

/* `file`: the name of a file for a large message, or R_BlankString. If it cannot be written
 * completely, as when the disk is full, the bytes are in the message itself. */
SEXP rc_pack_message(const ldp_shared *arrays, int n_arrays, SEXP file) {
    int widths[LDP_MOST_SHARED];
    for (int i = 0; i < n_arrays; i++)
        widths[i] = width_of(&arrays[i]);
    if (LENGTH(file) > 0 && size_of(arrays, widths, n_arrays) >= LEAST_IN_FILE) {
        bytes to = in_file(file, 1);
        put_arrays(arrays, widths, n_arrays, &to);
        if (close_bytes(&to))
            return new_message(arrays, widths, n_arrays, file);
    }
    SEXP message = PROTECT(new_message(arrays, widths, n_arrays, R_BlankString));
    bytes to = in_memory(message);
    put_arrays(arrays, widths, n_arrays, &to);
    UNPROTECT(1);
    return message;
}

/* The shapes of the arrays in a message; returns their number. */
static int read_shapes(SEXP message, ldp_shared *arrays) {
    SEXP how = Rf_getAttrib(message, Rf_install("how"));
    SEXP width = Rf_getAttrib(message, Rf_install("width"));
    const R_xlen_t n_arrays = Rf_xlength(how);
    double size = 0;
    rc_require(TYPEOF(message) == RAWSXP && n_arrays <= LDP_MOST_SHARED, "message");
    rc_integers(how, (size_t)n_arrays, LDP_SUM, LDP_LARGEST, "message");
    rc_integers(width, (size_t)n_arrays, 1, WHOLE_WIDTH, "message");
    const double *const n = rc_numbers(Rf_getAttrib(message, Rf_install("n")), (size_t)n_arrays,
                                       RC_NOT_NEGATIVE, "message");
    for (R_xlen_t i = 0; i < n_arrays; i++) {
        arrays[i] = (ldp_shared){(ldp_combine)INTEGER_RO(how)[i], (size_t)n[i], NULL};
        size += n[i] * INTEGER_RO(width)[i];
    }
    if (LENGTH(file_of(message)) == 0)
        rc_require(Rf_xlength(message) <= size && Rf_xlength(message) >= size, "message");
    return (int)n_arrays;
}

/* The widths of the arrays in a message, which must have these shapes. */
static const int *check_shapes(SEXP message, const ldp_shared *arrays, int n_arrays) {
    ldp_shared shapes[LDP_MOST_SHARED];
    rc_require(read_shapes(message, shapes) == n_arrays, "message");
    for (int i = 0; i < n_arrays; i++)
        rc_require(shapes[i].n == arrays[i].n && shapes[i].how == arrays[i].how, "message");
    return INTEGER_RO(Rf_getAttrib(message, Rf_install("width")));
}

static bytes bytes_of(SEXP message) {
    SEXP file = file_of(message);
    return LENGTH(file) > 0 ? in_file(file, 0) : in_memory(message);
}

static void require_read(int is_complete) {
    if (!is_complete)
        Rf_error("a file with a message of another process cannot be read");
}

/* Replaces arrays by those of a message, which must have the same shapes. */
void rc_unpack_message(const ldp_shared *arrays, int n_arrays, SEXP message) {
    const int *const width = check_shapes(message, arrays, n_arrays);
    bytes from = bytes_of(message);
    for (int i = 0; i < n_arrays; i++)
        for (size_t j = 0; j < arrays[i].n; j += PART)
            get_part(&arrays[i], rc_message_part_at(&arrays[i], j), width[i], &from,
                     arrays[i].at + j);
    require_read(close_bytes(&from));
}

/* --- combining ------------------------------------------------------------------------------- */

static void combine(ldp_combine how, size_t n, double *sum, const double *term) {
    if (how == LDP_SUM_WHOLE)
        ldp_fixed_join(n, (const int64_t *)(const void *)term, (int64_t *)(void *)sum);
    else
        for (size_t i = 0; i < n; i++)
            sum[i] = how == LDP_SUM ? sum[i] + term[i] : fmax(sum[i], term[i]);
}

/* One of several messages, whose arrays are read one after another. */
typedef struct reader {
    const int *width; /* one per array */
    bytes from;
} reader;

/* Combines the next array of all messages, a part at a time. Returns 0 if a number needs more than
 * `width` bytes. */
static int combine_array(ldp_shared array, int i, reader *readers, R_xlen_t n_readers, int width,
                         bytes *to) {
    double sum[PART], term[PART];
    for (size_t from = 0; from < array.n; from += PART) {
        const size_t n = rc_message_part_at(&array, from);
        get_part(&array, n, readers[0].width[i], &readers[0].from, sum);
        for (R_xlen_t m = 1; m < n_readers; m++) {
            get_part(&array, n, readers[m].width[i], &readers[m].from, term);
            combine(array.how, n, sum, term);
        }
        if (!put_part(&(ldp_shared){array.how, n, sum}, 0, n, width, to))
            return 0;
    }
    return 1;
}

/* Combines all arrays. Returns the number of the first one that needs more bytes per number, or
 * that of all arrays. */
static int combine_arrays(const ldp_shared *arrays, const int *widths, int n_arrays, SEXP messages,
                          bytes *to) {
    const R_xlen_t n = Rf_xlength(messages);
    reader *const readers = rc_room((size_t)n, sizeof *readers);
    int done = 0, is_complete = 1;
    for (R_xlen_t m = 0; m < n; m++)
        readers[m].width = check_shapes(VECTOR_ELT(messages, m), arrays, n_arrays);
    for (R_xlen_t m = 0; m < n; m++)
        readers[m].from = bytes_of(VECTOR_ELT(messages, m));
    while (done < n_arrays && combine_array(arrays[done], done, readers, n, widths[done], to))
        done++;
    for (R_xlen_t m = 0; m < n; m++)
        is_complete &= close_bytes(&readers[m].from);
    if (!is_complete)
        close_bytes(to);
    require_read(is_complete);
    return done;
}

/* One message, of the messages of several processes about the same chain. `file`: as in
 * rc_pack_message. It is tried first with the widths that the messages have, which are seldom too
 * small. */
SEXP rc_combine_messages(SEXP messages, SEXP file) {
    rc_require(TYPEOF(messages) == VECSXP && Rf_xlength(messages) > 0, "message");
    ldp_shared arrays[LDP_MOST_SHARED];
    int widths[LDP_MOST_SHARED] = {0};
    const int n_arrays = read_shapes(VECTOR_ELT(messages, 0), arrays);
    for (R_xlen_t m = 0; m < Rf_xlength(messages); m++) {
        const int *const width = check_shapes(VECTOR_ELT(messages, m), arrays, n_arrays);
        for (int i = 0; i < n_arrays; i++)
            widths[i] = width[i] > widths[i] ? width[i] : widths[i];
    }
    SEXP name = rc_file(file, 0);
    for (;;) {
        if (size_of(arrays, widths, n_arrays) < LEAST_IN_FILE)
            name = R_BlankString;
        SEXP combined = PROTECT(new_message(arrays, widths, n_arrays, name));
        bytes to = LENGTH(name) > 0 ? in_file(name, 1) : in_memory(combined);
        const int done = combine_arrays(arrays, widths, n_arrays, messages, &to);
        const int is_written = close_bytes(&to);
        UNPROTECT(1);
        if (done < n_arrays)
            widths[done]++;
        else if (!is_written)
            name = R_BlankString;
        else
            return combined;
    }
}
