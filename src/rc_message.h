/* Messages between processes that have shards of the same table. */
#ifndef RC_MESSAGE_H
#define RC_MESSAGE_H

#include <Rinternals.h>

#include "ldp_kernel.h"

SEXP rc_pack_message(const ldp_shared *arrays, int n_arrays, SEXP file);
void rc_unpack_message(const ldp_shared *arrays, int n_arrays, SEXP message);
SEXP rc_file(SEXP files, R_xlen_t i);

#endif
