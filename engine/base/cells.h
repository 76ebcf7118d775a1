/* Hash tables: hashes of whole numbers, and cells in space with octaves of sizes.
 * Cost: a few operations each. */
#ifndef KG_BASE_CELLS_H
#define KG_BASE_CELLS_H

#include "base/bytes.h"
#include "base/vec.h"

/* The exponent e of a positive normal number in [2^(e - 1), 2^e). */
static inline int kg_exponent_of(double x) { return (int)(kg_double_to_bits(x) >> 52) - 1022; }

/* The greatest whole number that is at most x. Cells beyond +-2^52 share the last coordinates. */
static inline double kg_cell_of(double x)
{
    static const double last = 0x1p52;
    if (!(kg_abs(x) < last)) return x < 0 ? -last : last;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

/* A hash of three whole numbers and of `kind`. */
static inline uint32_t kg_hash3(uint32_t kind, int64_t a, int64_t b, int64_t c)
{
    const int64_t words[3] = {a, b, c};
    uint64_t hash = kind;
    for (int k = 0; k < 3; ++k)
        hash = (hash ^ (uint64_t)words[k]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return (uint32_t)(hash >> 16);
}

static inline uint32_t kg_hash_cell(int exponent, const double cell[3])
{
    return kg_hash3((uint32_t)exponent, (int64_t)cell[0], (int64_t)cell[1], (int64_t)cell[2]);
}

#endif
