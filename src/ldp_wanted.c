#include "ldp_wanted.h"
#include "ldp_codes.h"

void ldp_wanted_begin(ldp_wanted *wanted, const ldp_cells *cells, const ldp_visitor *visitor,
                      int d) {
    wanted->first = visitor->column ? 0 : cells->active.start[d];
    wanted->n = wanted->from = 0;
}

static int next_named(ldp_wanted *wanted, const ldp_visitor *visitor, int d) {
    int n = 0;
    for (; n < LDP_FEW; n++) {
        const int v = visitor->column(visitor->state, d, wanted->first + (size_t)n);
        if (v == LDP_NO_COLUMN)
            break;
        wanted->columns[n] = v;
    }
    wanted->column = wanted->columns;
    wanted->y_tilde = NULL;
    return n;
}

static int next_listed(ldp_wanted *wanted, const ldp_cells *cells, int d) {
    const size_t left = cells->active.start[d + 1] - wanted->first;
    wanted->column = cells->active.index + wanted->first;
    wanted->y_tilde = cells->y_tilde + wanted->first;
    return left < LDP_FEW ? (int)left : LDP_FEW;
}

static int next_coded(ldp_wanted *wanted, const ldp_cells *cells, int d) {
    wanted->column = wanted->columns;
    wanted->y_tilde = wanted->releases;
    return ldp_codes_next(cells, d, &wanted->from, wanted->columns, wanted->releases);
}

int ldp_wanted_next(ldp_wanted *wanted, const ldp_cells *cells, const ldp_visitor *visitor, int d) {
    wanted->first += (size_t)wanted->n;
    if (visitor->column)
        wanted->n = next_named(wanted, visitor, d);
    else if (cells->code && !cells->protection)
        wanted->n = next_coded(wanted, cells, d);
    else
        wanted->n = next_listed(wanted, cells, d);
    return wanted->n;
}
