/* Files. */
#include <sys/stat.h>

#include "rc.h"

/* Is `file` a regular file, through links too? Reading from a pipe or a device might never end. */
SEXP rc_is_regular(SEXP file) {
    rc_require(TYPEOF(file) == STRSXP && Rf_xlength(file) == 1, "file");
    struct stat of;
    const char *const name = Rf_translateChar(STRING_ELT(file, 0));
    return Rf_ScalarLogical(stat(name, &of) == 0 && (of.st_mode & S_IFMT) == S_IFREG);
}
