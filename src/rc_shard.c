/* Chains whose rows are a shard: other processes have the other rows. They stop wherever arrays
 * must be combined over all shards (ldp_chain.h). Each process runs
 *
 *     rc_shard_advance     until all chains have stopped or finished
 *     rc_shard_read        for each chain a message with its arrays, or NULL if it has finished
 *     rc_shard_write       the combined arrays, with which the chains continue
 *
 * until all chains have finished. The messages of all processes are combined by rc_shard_combine,
 * in one of them or in each. */
#include <math.h>
#include <string.h>

#include "ldp_bytes.h"
#include "rc.h"

typedef struct request {
    const rc_model *model;
    SEXP cells, answers;
    rc_asked asked;
} request;

static void *open_shard(void *asked) {
    const request *const r = asked;
    const rc_data *const data = rc_decode_data(r->cells);
    rc_require(data->n_quick > 0, "quick");
    return rc_new_team(r->model, data, r->asked, r->answers);
}

enum { ANSWERS, KEPT_ALIVE = 4 };

SEXP rc_open_shard(const rc_model *model, SEXP cells, rc_asked asked) {
    request r = {model, cells, PROTECT(rc_new_answers(asked)), asked};
    SEXP alive = PROTECT(Rf_allocVector(VECSXP, KEPT_ALIVE));
    SET_VECTOR_ELT(alive, ANSWERS, r.answers);
    SET_VECTOR_ELT(alive, 1, cells);
    SET_VECTOR_ELT(alive, 2, asked.chains);
    SET_VECTOR_ELT(alive, 3, asked.keep);
    SEXP pointer = rc_keep_memory(open_shard, &r, alive);
    UNPROTECT(2);
    return pointer;
}

static rc_team *team_of(SEXP pointer) {
    rc_require(TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer), "shard");
    return R_ExternalPtrAddr(pointer);
}

/* A chain that is about to combine arrays, or NULL if it has finished. */
static ldp_chain *stopped_chain(const rc_team *team, int i) {
    ldp_chain *const chain = rc_team_chain(team, i);
    return chain->n_shared > 0 ? chain : NULL;
}

static int goes_on(const ldp_chain *chain) {
    return chain->n_shared == 0 && chain->sweep < chain->n_sweeps;
}

static int is_idle(const rc_team *team) {
    for (int i = 0; i < rc_team_chains(team); i++)
        if (goes_on(rc_team_chain(team, i)))
            return 0;
    return 1;
}

/* Longer than rc_run, which checks for interrupts after each step: a return costs a message. */
enum { STEPS = 10 };

/* Continues all chains for a while. Returns whether all of them have stopped or finished. */
SEXP rc_shard_advance(SEXP pointer) {
    rc_team *const team = team_of(pointer);
    for (int i = 0; i < STEPS && !is_idle(team); i++)
        rc_advance_team(team);
    return Rf_ScalarLogical(is_idle(team));
}

/* --- messages ---
 *
 * A message is a raw vector with the arrays, one after another, each packed to `width` bytes per
 * number (ldp_bytes.h). A width of 8 is that of doubles, or of 64-bit integers; doubles in fewer
 * bytes are whole numbers. The attributes are `how` each array is combined, `n`, the number of its
 * numbers, and `width`. */

/* Arrays are packed in parts, which need little memory. */
enum { PART = 1024, WHOLE_WIDTH = sizeof(uint64_t) };

static size_t part_at(const ldp_shared *array, size_t from) {
    return array->n - from < PART ? array->n - from : PART;
}

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
        const size_t n = part_at(array, i);
        if (!whole_part(array, i, n, whole))
            return WHOLE_WIDTH;
        const int width_here = ldp_bytes_width(whole, n);
        width = width_here > width ? width_here : width;
    }
    return width;
}

static void pack_array(const ldp_shared *array, int width, unsigned char *to) {
    uint64_t whole[PART];
    for (size_t i = 0; i < array->n; i += PART) {
        const size_t n = part_at(array, i);
        if (width == WHOLE_WIDTH)
            memcpy(whole, array->at + i, n * sizeof *whole);
        else
            whole_part(array, i, n, whole);
        ldp_to_bytes(whole, n, width, to + i * (size_t)width);
    }
}

static void combine(ldp_combine how, size_t n, double *sum, const double *term) {
    for (size_t i = 0; i < n; i++) {
        if (how == LDP_SUM_WHOLE) {
            uint64_t x, y;
            memcpy(&x, &sum[i], sizeof x);
            memcpy(&y, &term[i], sizeof y);
            x += y;
            memcpy(&sum[i], &x, sizeof x);
        } else {
            sum[i] = how == LDP_SUM ? sum[i] + term[i] : fmax(sum[i], term[i]);
        }
    }
}

/* Combines an array with a packed one of the same shape, or replaces it if `is_new`. */
static void take_array(ldp_shared *array, const unsigned char *packed, int width, int is_new) {
    uint64_t whole[PART];
    double number[PART];
    for (size_t i = 0; i < array->n; i += PART) {
        const size_t n = part_at(array, i);
        ldp_from_bytes(packed + i * (size_t)width, n, width, whole);
        if (array->how == LDP_SUM_WHOLE || width == WHOLE_WIDTH)
            memcpy(number, whole, n * sizeof *number);
        else
            for (size_t j = 0; j < n; j++)
                number[j] = (double)whole[j];
        if (is_new)
            memcpy(array->at + i, number, n * sizeof *number);
        else
            combine(array->how, n, array->at + i, number);
    }
}

static SEXP new_message(const ldp_shared *arrays, int n_arrays) {
    SEXP how = PROTECT(Rf_allocVector(INTSXP, n_arrays));
    SEXP n = PROTECT(Rf_allocVector(REALSXP, n_arrays));
    SEXP width = PROTECT(Rf_allocVector(INTSXP, n_arrays));
    size_t size = 0;
    for (int i = 0; i < n_arrays; i++) {
        INTEGER(how)[i] = (int)arrays[i].how;
        REAL(n)[i] = (double)arrays[i].n;
        INTEGER(width)[i] = width_of(&arrays[i]);
        size += arrays[i].n * (size_t)INTEGER(width)[i];
    }
    SEXP message = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    unsigned char *to = RAW(message);
    for (int i = 0; i < n_arrays; i++) {
        pack_array(&arrays[i], INTEGER(width)[i], to);
        to += arrays[i].n * (size_t)INTEGER(width)[i];
    }
    Rf_setAttrib(message, Rf_install("how"), how);
    Rf_setAttrib(message, Rf_install("n"), n);
    Rf_setAttrib(message, Rf_install("width"), width);
    UNPROTECT(4);
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
    rc_require(Rf_xlength(message) <= size && Rf_xlength(message) >= size, "message");
    return (int)n_arrays;
}

/* Combines arrays with those of a message, which must have the same shapes, or replaces them. */
static void take_message(ldp_shared *arrays, int n_arrays, SEXP message, int is_new) {
    ldp_shared shapes[LDP_MOST_SHARED];
    rc_require(read_shapes(message, shapes) == n_arrays, "message");
    const int *const width = INTEGER_RO(Rf_getAttrib(message, Rf_install("width")));
    const unsigned char *packed = RAW_RO(message);
    for (int i = 0; i < n_arrays; i++) {
        rc_require(shapes[i].n == arrays[i].n && shapes[i].how == arrays[i].how, "message");
        take_array(&arrays[i], packed, width[i], is_new);
        packed += arrays[i].n * (size_t)width[i];
    }
}

/* Memory for the arrays of a message; returns their number. */
static int new_arrays(SEXP message, ldp_shared *arrays) {
    const int n_arrays = read_shapes(message, arrays);
    for (int i = 0; i < n_arrays; i++)
        arrays[i].at = rc_doubles(arrays[i].n);
    return n_arrays;
}

/* The messages of all chains. */
SEXP rc_shard_read(SEXP pointer) {
    rc_team *const team = team_of(pointer);
    const int n = rc_team_chains(team);
    SEXP messages = PROTECT(Rf_allocVector(VECSXP, n));
    for (int c = 0; c < n; c++) {
        const ldp_chain *const chain = stopped_chain(team, c);
        if (chain)
            SET_VECTOR_ELT(messages, c, new_message(chain->shared, chain->n_shared));
    }
    UNPROTECT(1);
    return messages;
}

/* One message, of the messages of several processes about the same chain. */
SEXP rc_shard_combine(SEXP messages) {
    rc_require(TYPEOF(messages) == VECSXP && Rf_xlength(messages) > 0, "message");
    ldp_shared arrays[LDP_MOST_SHARED];
    const int n_arrays = new_arrays(VECTOR_ELT(messages, 0), arrays);
    for (R_xlen_t i = 0; i < Rf_xlength(messages); i++)
        take_message(arrays, n_arrays, VECTOR_ELT(messages, i), i == 0);
    return new_message(arrays, n_arrays);
}

/* Processes that can only add up doubles, as MPI can (MPI_Allreduce), combine these numbers
 * instead: list(sum, largest), where an integer is two numbers, its upper and its lower 32 bits.
 * Their sums are exact for up to 2^20 processes. */
static R_xlen_t count_numbers(const ldp_shared *arrays, int n_arrays, int is_largest) {
    size_t sum = 0;
    for (int i = 0; i < n_arrays; i++)
        if ((arrays[i].how == LDP_LARGEST) == is_largest)
            sum += arrays[i].n * (arrays[i].how == LDP_SUM_WHOLE ? 2 : 1);
    return (R_xlen_t)sum;
}

static const int64_t UPPER = (int64_t)1 << 32;

SEXP rc_shard_numbers(SEXP message) {
    static const char *const names[] = {"sum", "largest", ""};
    ldp_shared arrays[LDP_MOST_SHARED];
    const int n_arrays = new_arrays(message, arrays);
    take_message(arrays, n_arrays, message, 1);
    SEXP numbers = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    for (int i = 0; i < 2; i++)
        SET_VECTOR_ELT(numbers, i, Rf_allocVector(REALSXP, count_numbers(arrays, n_arrays, i)));
    double *sum = REAL(VECTOR_ELT(numbers, 0)), *largest = REAL(VECTOR_ELT(numbers, 1));
    for (int i = 0; i < n_arrays; i++)
        for (size_t j = 0; j < arrays[i].n; j++) {
            if (arrays[i].how == LDP_SUM_WHOLE) {
                int64_t whole;
                memcpy(&whole, &arrays[i].at[j], sizeof whole);
                const int64_t lower = (int64_t)((uint64_t)whole & 0xffffffff);
                *sum++ = (double)((whole - lower) / UPPER);
                *sum++ = (double)lower;
            } else {
                *(arrays[i].how == LDP_SUM ? sum++ : largest++) = arrays[i].at[j];
            }
        }
    UNPROTECT(1);
    return numbers;
}

/* The message that has the combined numbers; `like`: a message to the same chain. */
SEXP rc_shard_message(SEXP like, SEXP numbers) {
    ldp_shared arrays[LDP_MOST_SHARED];
    const int n_arrays = new_arrays(like, arrays);
    const size_t n_sums = (size_t)count_numbers(arrays, n_arrays, 0);
    const size_t n_largest = (size_t)count_numbers(arrays, n_arrays, 1);
    const double *sum = rc_numbers(rc_element(numbers, "sum"), n_sums, RC_ANY, "message");
    const double *largest =
        rc_numbers(rc_element(numbers, "largest"), n_largest, RC_ANY, "message");
    for (int i = 0; i < n_arrays; i++)
        for (size_t j = 0; j < arrays[i].n; j++) {
            if (arrays[i].how == LDP_SUM_WHOLE) {
                const int64_t whole = (int64_t)sum[0] * UPPER + (int64_t)sum[1];
                memcpy(&arrays[i].at[j], &whole, sizeof whole);
                sum += 2;
            } else {
                arrays[i].at[j] = *(arrays[i].how == LDP_SUM ? sum++ : largest++);
            }
        }
    return new_message(arrays, n_arrays);
}

/* Replaces the arrays by the combined ones, after which the chains can continue. */
SEXP rc_shard_write(SEXP pointer, SEXP messages) {
    rc_team *const team = team_of(pointer);
    rc_require(TYPEOF(messages) == VECSXP && Rf_xlength(messages) == rc_team_chains(team),
               "message");
    for (int c = 0; c < rc_team_chains(team); c++) {
        ldp_chain *const chain = stopped_chain(team, c);
        rc_require(Rf_isNull(VECTOR_ELT(messages, c)) == !chain, "message");
        if (!chain)
            continue;
        take_message(chain->shared, chain->n_shared, VECTOR_ELT(messages, c), 1);
        ldp_chain_resume(chain);
    }
    return R_NilValue;
}

/* The answers of rc_run, when all chains have finished. */
SEXP rc_shard_answers(SEXP pointer) {
    rc_team *const team = team_of(pointer);
    SEXP answers = VECTOR_ELT(CAR(R_ExternalPtrProtected(pointer)), ANSWERS);
    for (int c = 0; c < rc_team_chains(team); c++)
        rc_require(rc_team_chain(team, c)->sweep == rc_team_chain(team, c)->n_sweeps, "shard");
    rc_finish_answers(team, answers);
    return answers;
}
