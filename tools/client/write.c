/* Writes a release file; its format is in ?write_release. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "client.h"

/* A label, with \\, \n, \r and \t in place of these characters. */
static void put_label(FILE *out, const char *label) {
    for (; *label; label++) {
        const char *const found = strchr("\\\\\nn\rr\tt", *label);
        if (found && (*label == '\\' || *label < ' ')) {
            fputc('\\', out);
            fputc(found[1], out);
        } else {
            fputc(*label, out);
        }
    }
    fputc('\n', out);
}

static void put_labels(FILE *out, const char *key, char **labels, size_t n) {
    if (!labels)
        return;
    fprintf(out, "%s:\n", key);
    for (size_t i = 0; i < n; i++)
        put_label(out, labels[i]);
}

static void put_release(FILE *out, table data, level in_force, const int64_t *released) {
    const size_t n = data.D * data.V;
    size_t listed = 0;
    int fits = 1;
    for (size_t i = 0; i < n; i++) {
        listed += data.missing[i] || released[i] != 0;
        fits = fits && released[i] <= INT_MAX && released[i] > INT_MIN;
    }
    fputs("ldpcounts-release 1\n", out);
    put_words(out, in_force);
    fprintf(out, "mechanism: two-sided geometric\nrows: %zu\ncolumns: %zu\n", data.D, data.V);
    fprintf(out, "alpha: %.17g\nepsilon: %.17g\nprecision: %.17g\n", in_force.alpha,
            in_force.epsilon, in_force.precision);
    fprintf(out, "s: %" PRIu64 "\nt: %" PRIu64 "\n", in_force.rate.s, in_force.rate.t);
    fprintf(out, "rng: secure\nclamped: no\ndirected: yes\nstorage: dense %s\n",
            fits ? "integer" : "double");
    put_labels(out, "row_labels", data.labels, data.D);
    put_labels(out, "column_labels", data.items, data.V);
    fprintf(out, "cells: %zu\n", listed);
    for (size_t d = 0; d < data.D; d++)
        for (size_t v = 0; v < data.V; v++) {
            const size_t i = v * data.D + d;
            if (data.missing[i])
                fprintf(out, "%zu %zu NA\n", d + 1, v + 1);
            else if (released[i] != 0)
                fprintf(out, "%zu %zu %" PRId64 "\n", d + 1, v + 1, released[i]);
        }
    fputs("end\n", out);
}

void write_release(const char *file, int overwrite, table data, level in_force,
                   const int64_t *released) {
    FILE *const out = create_file(file);
    put_release(out, data, in_force, released);
    finish_file(out, file, overwrite);
}
