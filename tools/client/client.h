/* The command line client: a CSV file of true counts becomes a release file. Without R; the noise
 * is that of the package (src/ldp_secure.c).
 *
 * csv.c reads the file, level.c computes the noise level, as R/release-levels.R does, write.c
 * writes the release, as R/release-file.R does, to a file of files.c, and main.c has the options.
 * No message shows a count. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ldp_secure.h"

enum { CLIENT_DATA = 1, CLIENT_USAGE = 2, CLIENT_NO_ENTROPY = 3 }; /* exit codes */

/* Prints "ldp-privatize: " and the message, and ends the program with this exit code. */
#if defined(__MINGW32__) /* which compiles with __USE_MINGW_ANSI_STDIO */
__attribute__((noreturn, format(gnu_printf, 2, 3)))
#elif defined(__GNUC__)
__attribute__((noreturn, format(printf, 2, 3)))
#endif
void fail(int code, const char *format, ...);

/* calloc() that ends the program when there is no memory, or when n * size is too large. */
void *room(size_t n, size_t size);

int file_exists(const char *file);

/* Is it a file or a link, and no folder, pipe or device? */
int is_replaceable(const char *file);

/* Do both names lead to the same file, also through links? */
int is_same_file(const char *a, const char *b);

/* A new file with a name that nobody can guess, beside `file`. A signal removes it. */
FILE *create_file(const char *file);

/* Gives the file from create_file() its name, now that all has been written. */
void finish_file(FILE *out, const char *file, int overwrite);

/* Counts by columns, D rows and V columns; 0 where `missing`. */
typedef struct table {
    size_t D, V;
    char **items; /* V names */
    char **labels; /* D labels of rows, or NULL */
    int *counts;
    unsigned char *missing;
} table;

/* `id`: the name of the column with labels, or NULL. `keep`: missing counts are allowed. */
table read_csv(const char *file, char separator, const char *id, int keep);

typedef struct level {
    double epsilon, precision, alpha; /* in force */
    ldp_rate rate;
} level;

/* Ends the program if epsilon or precision is out of range. */
level noise_level(double epsilon, double precision);

/* Comments of a release file that say what is protected, each line with "# ". */
void put_words(FILE *out, level in_force);

void write_release(const char *file, int overwrite, table data, level in_force,
                   const int64_t *released);

#endif
