#include "rc.h"

int rc_n_threads(SEXP threads) {
    return rc_integers(threads, 1, 1, 4096, "threads")[0];
}

/* The number of threads that the system allows. */
SEXP rc_threads(void) {
    return Rf_ScalarInteger(ldp_team_most());
}
