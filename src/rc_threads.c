#include "rc.h"

/* How many threads the system allows. */
SEXP rc_threads(void) {
    return Rf_ScalarInteger(ldp_team_most());
}
