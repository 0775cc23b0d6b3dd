#include "rc.h"

/* The number of threads that the system allows. */
SEXP rc_threads(void) {
    return Rf_ScalarInteger(ldp_team_most());
}
