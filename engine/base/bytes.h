/* Numbers as little-endian bytes of fixed width, which are equal on every target. */
#ifndef KG_BASE_BYTES_H
#define KG_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

/* Number of bits that are set; __builtin_popcount can call libgcc. */
static inline uint32_t kg_count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) ++count;
    return count;
}

enum { KG_IS_BIG_ENDIAN = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline uint64_t kg_little_endian64(uint64_t x)
{
    return KG_IS_BIG_ENDIAN ? kg_swap_bytes64(x) : x;
}

static inline uint32_t kg_little_endian32(uint32_t x)
{
    return KG_IS_BIG_ENDIAN ? kg_swap_bytes32(x) : x;
}

static inline void kg_put32(uint8_t *to, uint32_t x)
{
    x = kg_little_endian32(x);
    memcpy(to, &x, sizeof x);
}

static inline void kg_put64(uint8_t *to, uint64_t x)
{
    x = kg_little_endian64(x);
    memcpy(to, &x, sizeof x);
}

static inline uint32_t kg_get32(const uint8_t *from)
{
    uint32_t x;
    memcpy(&x, from, sizeof x);
    return kg_little_endian32(x);
}

static inline uint64_t kg_get64(const uint8_t *from)
{
    uint64_t x;
    memcpy(&x, from, sizeof x);
    return kg_little_endian64(x);
}

/* Write the low `item` bytes of x: 1, 4 or 8. kg_get reads them. */
static inline void kg_put(uint8_t *to, uint64_t x, size_t item)
{
    if (item == 8) kg_put64(to, x);
    else if (item == 4) kg_put32(to, (uint32_t)x);
    else *to = (uint8_t)x;
}

static inline uint64_t kg_get(const uint8_t *from, size_t item)
{
    return item == 8 ? kg_get64(from) : item == 4 ? kg_get32(from) : *from;
}

/* Zigzag encoding of a signed difference d of items of 1, 4 or 8 bytes: differences of small
 * magnitude and either sign become small numbers. */
static inline uint64_t kg_zigzag(uint64_t d, size_t item)
{
    int shift = 64 - 8 * (int)item; /* moves the sign bit to the top */
    int64_t s = (int64_t)(d << shift);
    return ((uint64_t)s << 1 ^ (uint64_t)(s >> 63)) >> shift;
}

/* The inverse of kg_zigzag. */
static inline uint64_t kg_unzigzag(uint64_t z) { return z >> 1 ^ (uint64_t) - (int64_t)(z & 1); }

static inline uint64_t kg_double_to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double kg_double_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^exponent, for exponents of normal numbers: -1022 to 1023. */
static inline double kg_power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bits of x, with -0 as +0, so that equal numbers have equal bits. */
static inline uint64_t kg_canonical_bits(double x) { return kg_double_to_bits(x + 0.0); }

#endif
