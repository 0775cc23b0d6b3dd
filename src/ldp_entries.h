/* Reads the cells of a release file: lines of row, column and count. */
#ifndef LDP_ENTRIES_H
#define LDP_ENTRIES_H

#include <stddef.h>

/* What is wrong with a line: it is not three numbers (the count may be NA); its row or column is
 * not one of the release; its count is not one that the mechanism can release. */
typedef enum ldp_entry_problem {
    LDP_ENTRY_GOOD,
    LDP_ENTRY_FORM,
    LDP_ENTRY_ROW,
    LDP_ENTRY_COLUMN,
    LDP_ENTRY_COUNT
} ldp_entry_problem;

typedef struct ldp_entries {
    size_t n; /* lines that were read */
    size_t used; /* their bytes */
    ldp_entry_problem problem; /* of the line after them, which is the last one looked at */
} ldp_entries;

/* What counts may be: whole numbers of at most 2^53; or any finite numbers, and -INFINITY where a
 * count is hidden. */
typedef enum ldp_entry_kind { LDP_ENTRY_WHOLE, LDP_ENTRY_ANY } ldp_entry_kind;

/* Reads at most `most` lines from n_bytes of text. Numbers are separated by blanks or tabs, and a
 * line may end with a carriage return. Rows are from 1 to `rows`, columns from 1 to `columns`. A
 * count that is NA is stored as NAN. A line at the end of the text that lacks its line feed is not
 * read. */
ldp_entries ldp_entries_read(const char *text, size_t n_bytes, int rows, int columns,
                             ldp_entry_kind kind, size_t most, int *row, int *column,
                             double *count);

/* How neighbouring cells follow each other: in ascending order of rows and columns; of rows only;
 * or neither. */
typedef enum ldp_entry_order {
    LDP_ENTRIES_SORTED,
    LDP_ENTRIES_BY_ROWS,
    LDP_ENTRIES_MIXED
} ldp_entry_order;

typedef struct ldp_informative {
    size_t n; /* cells that were kept */
    ldp_entry_order order; /* of all cells */
} ldp_informative;

/* Keeps those of n cells that are positive or missing, and moves them to the front; adds the
 * absolute values of negative counts to size_below, by rows. last[0] and last[1]: the row and the
 * column of the cell before the first (0 if there is none); on return, those of the last cell. */
ldp_informative ldp_entries_reduce(size_t n, int *row, int *column, double *count, int *last,
                                   double *size_below);

#endif
