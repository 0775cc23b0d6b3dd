/* Messages between processes that have shards of the same table. */
#ifndef RC_MESSAGE_H
#define RC_MESSAGE_H

#include <Rinternals.h>

#include "ldp_kernel.h"

/* `file`: the name of a file for a large message, or R_BlankString. */
SEXP rc_pack_message(const ldp_shared *arrays, int n_arrays, SEXP file);

/* Replaces arrays by those of a message, which must have the same shapes. */
void rc_unpack_message(const ldp_shared *arrays, int n_arrays, SEXP message);

/* Name i of some files, or R_BlankString if `files` is NULL. */
SEXP rc_file(SEXP files, R_xlen_t i);

#endif
