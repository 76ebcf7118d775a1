/* Vectors of fixed width (vector extensions of GCC and Clang) and operations on them. The compiler
 * translates them to instructions of the target. Each lane is computed by itself, so results have
 * the same bits on all machines. base/wide_avx.h has the operations with special AVX
 * instructions. */
#ifndef KG_BASE_WIDE_H
#define KG_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/dispatch.h"

typedef double kg_double4 __attribute__((vector_size(32)));
typedef int64_t kg_mask4 __attribute__((vector_size(32)));
typedef float kg_float4 __attribute__((vector_size(16)));
typedef int32_t kg_mask4f __attribute__((vector_size(16)));
typedef float kg_float8 __attribute__((vector_size(32)));
typedef int32_t kg_mask8 __attribute__((vector_size(32)));

/* Vector types for unaligned memory. They replace memcpy, which may store a vector in halves: a
 * load of the whole vector then stalls. */
typedef float kg_float8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));
typedef float kg_float4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

/* Four rows of four become four columns. */
KG_INLINE void kg_transpose4(const kg_double4 *const row[4], kg_double4 out[4])
{
    kg_double4 a = __builtin_shufflevector(*row[0], *row[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(*row[0], *row[1], 1, 5, 3, 7);
    kg_double4 c = __builtin_shufflevector(*row[2], *row[3], 0, 4, 2, 6),
               d = __builtin_shufflevector(*row[2], *row[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* A word whose bit k is set if lane k of a comparison is true. */
KG_INLINE uint32_t kg_movemask4(const kg_mask4 *mask)
{
#if defined(__SSE2__)
    const double *halves = (const double *)mask;
    return (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves)) |
           (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves + 2)) << 2;
#else
    return (uint32_t)(((*mask)[0] & 1) | ((*mask)[1] & 2) | ((*mask)[2] & 4) | ((*mask)[3] & 8));
#endif
}

KG_INLINE uint32_t kg_movemask4f(const kg_mask4f *mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(const void *)mask));
#else
    return (uint32_t)(((*mask)[0] & 1) | ((*mask)[1] & 2) | ((*mask)[2] & 4) | ((*mask)[3] & 8));
#endif
}

KG_INLINE uint32_t kg_movemask8(const kg_mask8 *mask)
{
#if defined(__SSE2__)
    const float *halves = (const float *)mask;
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves)) |
           (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves + 4)) << 4;
#else
    uint32_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= ((uint32_t)(*mask)[k] & 1u) << k;
    return bits;
#endif
}

#endif
