/* Reads numbers of binary files, integers and floats of either byte order, as doubles. */
#ifndef RUNNER_BINARY_H
#define RUNNER_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kind as in NumPy: 'i' and 'u' have 1, 2, 4 or 8 bytes, 'f' has 4 or 8, 'b' has 1. */
typedef struct number_type {
    char kind;
    uint8_t size;
    bool big_endian;
} number_type;

/* Whole numbers above 2^53 are rounded. */
double binary_number(const void *at, number_type type);
uint64_t binary_u64(const void *at); /* little-endian */
uint32_t binary_u32(const void *at);

#endif
