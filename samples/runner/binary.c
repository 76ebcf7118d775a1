/* See binary.h. */
#include "binary.h"

#include <string.h>

/* The bits of `size` bytes. */
static uint64_t bits_of(const unsigned char *at, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; ++k)
        bits |= (uint64_t)at[big_endian ? size - 1 - k : k] << (8 * k);
    return bits;
}

static double integer_value(uint64_t bits, number_type type)
{
    unsigned unused = 64 - 8u * type.size;
    if (type.kind != 'i') return (double)bits;
    return (double)((int64_t)(bits << unused) >> unused); /* extend the sign */
}

double binary_number(const void *at, number_type type)
{
    uint64_t bits = bits_of(at, type.size, type.big_endian);
    if (type.kind != 'f') return integer_value(bits, type);
    double wide;
    float narrow;
    uint32_t half = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &half, sizeof narrow);
    return type.size == 4 ? (double)narrow : wide;
}

uint64_t binary_u64(const void *at) { return bits_of(at, 8, false); }
uint32_t binary_u32(const void *at) { return (uint32_t)bits_of(at, 4, false); }
