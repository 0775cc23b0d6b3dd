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

#include "rc.h"

typedef struct request {
    const rc_model *model;
    SEXP cells, answers;
    rc_asked asked;
} request;

static void *open_shard(void *data) {
    const request *const r = data;
    const int *const n_quick =
        rc_integers(rc_element(r->cells, "quick"), 1, 1, LDP_QUICK_ROWS, "quick");
    return rc_new_team(r->model, rc_decode_data(r->cells), r->asked, r->answers, *n_quick);
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

/* Continues all chains for a while. Returns whether all of them have stopped or finished. */
SEXP rc_shard_advance(SEXP pointer) {
    rc_team *const team = team_of(pointer);
    int is_idle = 1;
    rc_advance_team(team);
    for (int i = 0; i < rc_team_chains(team); i++)
        is_idle &= !goes_on(rc_team_chain(team, i));
    return Rf_ScalarLogical(is_idle);
}

static size_t message_size(const ldp_chain *chain) {
    size_t n = 0;
    for (int i = 0; i < chain->n_shared; i++)
        n += chain->shared[i].n;
    return n * sizeof(double);
}

/* A message is a raw vector of all arrays, one after another. Its attributes `how` and `n` say how
 * each is combined, and how many numbers of 64 bits it has. */
static SEXP new_message(const ldp_chain *chain) {
    SEXP how = PROTECT(Rf_allocVector(INTSXP, chain->n_shared));
    SEXP n = PROTECT(Rf_allocVector(REALSXP, chain->n_shared));
    for (int i = 0; i < chain->n_shared; i++) {
        INTEGER(how)[i] = (int)chain->shared[i].how;
        REAL(n)[i] = (double)chain->shared[i].n;
    }
    SEXP message = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)message_size(chain)));
    Rf_setAttrib(message, Rf_install("how"), how);
    Rf_setAttrib(message, Rf_install("n"), n);
    UNPROTECT(3);
    return message;
}

/* The messages of all chains. */
SEXP rc_shard_read(SEXP pointer) {
    rc_team *const team = team_of(pointer);
    const int n = rc_team_chains(team);
    SEXP messages = PROTECT(Rf_allocVector(VECSXP, n));
    for (int c = 0; c < n; c++) {
        const ldp_chain *const chain = stopped_chain(team, c);
        if (!chain)
            continue;
        SET_VECTOR_ELT(messages, c, new_message(chain));
        unsigned char *to = RAW(VECTOR_ELT(messages, c));
        for (int i = 0; i < chain->n_shared; i++) {
            const size_t size = chain->shared[i].n * sizeof(double);
            memcpy(to, chain->shared[i].at, size);
            to += size;
        }
    }
    UNPROTECT(1);
    return messages;
}

static void add_double(unsigned char *to, const unsigned char *from, int is_sum) {
    double x, y;
    memcpy(&x, to, sizeof x);
    memcpy(&y, from, sizeof y);
    x = is_sum ? x + y : fmax(x, y);
    memcpy(to, &x, sizeof x);
}

static void add_whole(unsigned char *to, const unsigned char *from) {
    int64_t x, y;
    memcpy(&x, to, sizeof x);
    memcpy(&y, from, sizeof y);
    x += y;
    memcpy(to, &x, sizeof x);
}

static void add_message(SEXP to, SEXP from) {
    const SEXP how = Rf_getAttrib(to, Rf_install("how")), n = Rf_getAttrib(to, Rf_install("n"));
    unsigned char *sum = RAW(to);
    const unsigned char *term = RAW_RO(from);
    for (int i = 0; i < Rf_xlength(how); i++)
        for (double j = 0; j < REAL_RO(n)[i]; j++) {
            if (INTEGER_RO(how)[i] == LDP_SUM_WHOLE)
                add_whole(sum, term);
            else
                add_double(sum, term, INTEGER_RO(how)[i] == LDP_SUM);
            sum += sizeof(double);
            term += sizeof(double);
        }
}

static void require_message(SEXP message) {
    const SEXP how = Rf_getAttrib(message, Rf_install("how"));
    const SEXP n = Rf_getAttrib(message, Rf_install("n"));
    double size = 0;
    rc_require(TYPEOF(message) == RAWSXP && TYPEOF(how) == INTSXP, "message");
    rc_numbers(n, (size_t)Rf_xlength(how), RC_NOT_NEGATIVE, "message");
    for (int i = 0; i < Rf_xlength(how); i++)
        size += REAL_RO(n)[i] * sizeof(double);
    rc_require(Rf_xlength(message) <= size && Rf_xlength(message) >= size, "message");
}

/* One message, of the messages of several processes about the same chain. */
SEXP rc_shard_combine(SEXP messages) {
    rc_require(TYPEOF(messages) == VECSXP && Rf_xlength(messages) > 0, "message");
    SEXP sum = PROTECT(Rf_duplicate(VECTOR_ELT(messages, 0)));
    require_message(sum);
    for (R_xlen_t i = 1; i < Rf_xlength(messages); i++) {
        require_message(VECTOR_ELT(messages, i));
        rc_require(Rf_xlength(VECTOR_ELT(messages, i)) == Rf_xlength(sum), "message");
        add_message(sum, VECTOR_ELT(messages, i));
    }
    UNPROTECT(1);
    return sum;
}

/* Processes that can only add up doubles, as MPI can (MPI_Allreduce), combine these numbers
 * instead: list(sum, largest), where an integer is two numbers, its upper and its lower 32 bits.
 * Their sums are exact for up to 2^20 processes. */
static R_xlen_t count_numbers(SEXP message, int is_largest) {
    const SEXP how = Rf_getAttrib(message, Rf_install("how"));
    const SEXP n = Rf_getAttrib(message, Rf_install("n"));
    R_xlen_t sum = 0;
    for (int i = 0; i < Rf_xlength(how); i++)
        if ((INTEGER_RO(how)[i] == LDP_LARGEST) == is_largest)
            sum += (R_xlen_t)REAL_RO(n)[i] * (INTEGER_RO(how)[i] == LDP_SUM_WHOLE ? 2 : 1);
    return sum;
}

SEXP rc_shard_numbers(SEXP message) {
    static const char *const names[] = {"sum", "largest", ""};
    require_message(message);
    const SEXP how = Rf_getAttrib(message, Rf_install("how"));
    const SEXP n = Rf_getAttrib(message, Rf_install("n"));
    SEXP numbers = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    for (int i = 0; i < 2; i++)
        SET_VECTOR_ELT(numbers, i, Rf_allocVector(REALSXP, count_numbers(message, i)));
    double *sum = REAL(VECTOR_ELT(numbers, 0)), *largest = REAL(VECTOR_ELT(numbers, 1));
    const unsigned char *from = RAW_RO(message);
    for (int i = 0; i < Rf_xlength(how); i++)
        for (double j = 0; j < REAL_RO(n)[i]; j++, from += sizeof(double)) {
            int64_t whole;
            if (INTEGER_RO(how)[i] == LDP_SUM_WHOLE) {
                memcpy(&whole, from, sizeof whole);
                const int64_t lower = (int64_t)((uint64_t)whole & 0xffffffff);
                *sum++ = (double)((whole - lower) / ((int64_t)1 << 32));
                *sum++ = (double)lower;
            } else {
                memcpy(INTEGER_RO(how)[i] == LDP_SUM ? sum++ : largest++, from, sizeof(double));
            }
        }
    UNPROTECT(1);
    return numbers;
}

/* The message that has the combined numbers; `like`: a message to the same chain. */
SEXP rc_shard_message(SEXP like, SEXP numbers) {
    SEXP message = PROTECT(Rf_duplicate(like));
    require_message(message);
    const SEXP how = Rf_getAttrib(message, Rf_install("how"));
    const SEXP n = Rf_getAttrib(message, Rf_install("n"));
    const double *sum = rc_numbers(rc_element(numbers, "sum"), (size_t)count_numbers(message, 0),
                                   RC_ANY, "message");
    const double *largest = rc_numbers(rc_element(numbers, "largest"),
                                       (size_t)count_numbers(message, 1), RC_ANY, "message");
    unsigned char *to = RAW(message);
    for (int i = 0; i < Rf_xlength(how); i++)
        for (double j = 0; j < REAL_RO(n)[i]; j++, to += sizeof(double)) {
            if (INTEGER_RO(how)[i] == LDP_SUM_WHOLE) {
                const int64_t whole = (int64_t)sum[0] * ((int64_t)1 << 32) + (int64_t)sum[1];
                memcpy(to, &whole, sizeof whole);
                sum += 2;
            } else {
                memcpy(to, INTEGER_RO(how)[i] == LDP_SUM ? sum++ : largest++, sizeof(double));
            }
        }
    UNPROTECT(1);
    return message;
}

static void take_message(ldp_chain *chain, SEXP message) {
    rc_require(TYPEOF(message) == RAWSXP && (size_t)Rf_xlength(message) == message_size(chain),
               "message");
    const unsigned char *from = RAW_RO(message);
    for (int i = 0; i < chain->n_shared; i++) {
        const size_t n = chain->shared[i].n * sizeof(double);
        memcpy(chain->shared[i].at, from, n);
        from += n;
    }
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
        take_message(chain, VECTOR_ELT(messages, c));
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
