#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "rc.h"

/* clang-format off */
#define ENTRY(name, n) {#name, (DL_FUNC)(void (*)(void))&name, n}

static const R_CallMethodDef entries[] = {
    ENTRY(rc_privatize, 3),
    ENTRY(rc_privatize_clamped, 5),
    ENTRY(rc_density, 3),
    ENTRY(rc_release_density, 5),
    ENTRY(rc_derivatives, 6),
    ENTRY(rc_saturated, 4),
    ENTRY(rc_information, 4),
    ENTRY(rc_truth, 7),
    ENTRY(rc_probability, 4),
    ENTRY(rc_quantile, 4),
    ENTRY(rc_draw, 3),
    ENTRY(rc_function, 2),
    ENTRY(rc_mechanism, 9),
    ENTRY(rc_mechanism_derivatives, 7),
    ENTRY(rc_code_cells, 3),
    ENTRY(rc_make_cells, 5),
    ENTRY(rc_read_entries, 7),
    ENTRY(rc_write_entries, 3),
    ENTRY(rc_read_lines, 5),
    ENTRY(rc_checksums, 1),
    ENTRY(rc_is_regular, 1),
    ENTRY(rc_topics_gibbs, 8),
    ENTRY(rc_topics_documents, 6),
    ENTRY(rc_blocks_gibbs, 9),
    ENTRY(rc_tensor_gibbs, 8),
    ENTRY(rc_topics_shard, 8),
    ENTRY(rc_tensor_shard, 8),
    ENTRY(rc_shard_advance, 1),
    ENTRY(rc_shard_read, 2),
    ENTRY(rc_combine_messages, 2),
    ENTRY(rc_send_at_once, 1),
    ENTRY(rc_shard_write, 2),
    ENTRY(rc_shard_answers, 1),
    ENTRY(rc_open_cells, 1),
    ENTRY(rc_quick_count, 1),
    ENTRY(rc_quick_rows, 2),
    ENTRY(rc_transpose_lists, 2),
    ENTRY(rc_threads, 0),
    ENTRY(rc_store, 3),
    ENTRY(rc_topics_cavi, 9),
    ENTRY(rc_blocks_cavi, 10),
    ENTRY(rc_tensor_cavi, 9),
    ENTRY(rc_topics_svi, 8),
    ENTRY(rc_lda_add, 4),
    ENTRY(rc_lda_score, 4),
    ENTRY(rc_lda_shorten, 2),
    ENTRY(rc_moments_first, 1),
    ENTRY(rc_moments_times, 4),
    ENTRY(rc_moments_pairs, 3),
    ENTRY(rc_moments_whitened, 4),
    ENTRY(rc_packed_times, 2),
    ENTRY(rc_tensor_power, 4),
    ENTRY(rc_perturb, 4),
    ENTRY(rc_set_levels, 2),
    ENTRY(rc_get_levels, 1),
    {NULL, NULL, 0},
};
/* clang-format on */

void attribute_visible R_init_ldpcounts(DllInfo *dll) {
    R_registerRoutines(dll, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);
    R_forceSymbols(dll, TRUE);
}
