/* Whole numbers in as few bytes as hold the largest of them, for messages between processes. */
#ifndef LDP_BYTES_H
#define LDP_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Copies n doubles as whole numbers, and returns 1; or returns 0 if one of them is not a whole
 * number from 0 to 2^53. */
int ldp_whole_numbers(const double *x, size_t n, uint64_t *whole);

/* How many bytes hold each of n numbers: 1 to 8. */
int ldp_bytes_width(const uint64_t *x, size_t n);

/* To and from n numbers of `width` bytes each, the lowest first. */
void ldp_to_bytes(const uint64_t *x, size_t n, int width, unsigned char *packed);
void ldp_from_bytes(const unsigned char *packed, size_t n, int width, uint64_t *x);

#endif
