/* Chains whose rows are a shard: other processes have the other rows. They stop wherever arrays
 * must be combined over all shards (ldp_chain.h). Each process runs
 *
 *     rc_shard_advance     until all chains have stopped or finished
 *     rc_shard_read        for each chain a message with its arrays, or NULL if it has finished
 *     rc_shard_write       the combined arrays, with which the chains continue
 *
 * until all chains have finished. The messages of all processes are combined (rc_message.c) in one
 * of them or in each. */
#include "rc.h"
#include "rc_message.h"

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

/* The messages of all chains. `files`: where large ones may be written, one name per chain, or
 * NULL. */
SEXP rc_shard_read(SEXP pointer, SEXP files) {
    rc_team *const team = team_of(pointer);
    const int n = rc_team_chains(team);
    SEXP messages = PROTECT(Rf_allocVector(VECSXP, n));
    for (int c = 0; c < n; c++) {
        const ldp_chain *const chain = stopped_chain(team, c);
        if (chain)
            SET_VECTOR_ELT(messages, c,
                           rc_pack_message(chain->shared, chain->n_shared, rc_file(files, c)));
    }
    UNPROTECT(1);
    return messages;
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
        rc_unpack_message(chain->shared, chain->n_shared, VECTOR_ELT(messages, c));
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
