/* Sums of numbers >= 0 whose order does not matter: each number is split into a whole multiple of a
 * power of two and a fraction of 32 bits, and integers are added. In: the size that the sum is
 * compared with, then the numbers. Out: the sum, as precise as a double, up to 256 times that size;
 * for larger sums a number of at least that. */
#ifndef KG_BASE_EXACT_SUM_H
#define KG_BASE_EXACT_SUM_H

#include "base/bytes.h"

typedef struct kg_exact_sum {
    double scale;    /* multiples of the power of two in 1 */
    uint64_t wholes; /* at most KG_EXACT_SUM_MOST */
    uint64_t parts;  /* in units of 2^-32; 2^32 numbers fit */
} kg_exact_sum;

#define KG_EXACT_SUM_MOST 0x1p57

/* `size` > 0: what the sum is compared with. */
static inline kg_exact_sum kg_exact_sum_begin(double size)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    double power = kg_double_from_bits(kg_double_to_bits(size) & exponent);
    return (kg_exact_sum){.scale = 0x1p48 / power};
}

static inline void kg_exact_sum_add(kg_exact_sum *sum, double x)
{
    double scaled = x * sum->scale;
    if (!(scaled < KG_EXACT_SUM_MOST)) scaled = KG_EXACT_SUM_MOST;
    uint64_t whole = (uint64_t)scaled;
    sum->parts += (uint64_t)((scaled - (double)whole) * 0x1p32);
    sum->wholes += whole;
    if (sum->wholes > (uint64_t)KG_EXACT_SUM_MOST) sum->wholes = (uint64_t)KG_EXACT_SUM_MOST;
}

static inline double kg_exact_sum_value(const kg_exact_sum *sum)
{
    return ((double)sum->wholes + (double)sum->parts * 0x1p-32) / sum->scale;
}

#endif
