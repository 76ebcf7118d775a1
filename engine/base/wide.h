/* Vectors of fixed width (vector extensions of GCC and Clang) and operations on them. The compiler
 * translates them to instructions of the target. Each lane is computed by itself, so results have
 * the same bits on all machines. base/wide_avx.h has the operations with special AVX
 * instructions. */
#ifndef KG_BASE_WIDE_H
#define KG_BASE_WIDE_H

/* In plain C17 (KUGEL_PORTABLE) a vector is an array, and KG_EACH(n) a loop over its lanes. Both
 * compile `KG_EACH(4) statement`: there KG_L(v) is the vector, or its lane in the loop, and
 * kg_double4_lane the type of what is computed from it. Comparisons are -1 or 0 in each lane of a
 * vector, but 1 or 0 in the loop: bit 0 says if they hold, also after &, | and ~. KG_MASK makes
 * them lanes of -1 or 0. KG_AT(v, k) is lane k outside of such statements. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(KUGEL_PORTABLE)
#define KG_HAS_SSE2 1
#include <emmintrin.h>
#endif

#include "base/dispatch.h"

#ifdef KUGEL_PORTABLE
#define KG_VECTOR(name, type, lanes)                                                               \
    typedef struct name {                                                                          \
        type at[lanes];                                                                            \
    } name;                                                                                        \
    typedef type name##_lane;
#define KG_EACH(n) for (int kg_lane_ = 0; kg_lane_ < (n); ++kg_lane_)
#define KG_L(v) ((v).at[kg_lane_])
#define KG_AT(v, k) ((v).at[k])
#define KG_MASK(is) (-((is)&1))
#define KG_CHOOSE(vector, mask, which, yes, no) ((which)&1 ? (yes) : (no))
#define KG_CONVERT(vector, x) ((vector##_lane)(x))
#define KG_ABSOLUTE4(x) fabs(x)
/* The vector at an address that need not be aligned. */
#define KG_LOAD(vector, address) ((address)[kg_lane_])
#else
#define KG_VECTOR(name, type, lanes)                                                               \
    typedef type name __attribute__((vector_size(sizeof(type) * (lanes))));                        \
    typedef name name##_lane;                                                                      \
    typedef type name##_unaligned                                                                  \
        __attribute__((vector_size(sizeof(type) * (lanes)), aligned(sizeof(type)), may_alias));
#define KG_EACH(n)
#define KG_L(v) (v)
#define KG_AT(v, k) ((v)[k])
#define KG_MASK(is) (is)
#define KG_CHOOSE(vector, mask, which, yes, no)                                                    \
    ((vector)(((which) & (mask)(yes)) | (~(which) & (mask)(no))))
#define KG_CONVERT(vector, x) __builtin_convertvector(x, vector)
#define KG_ABSOLUTE4(x) ((kg_double4)((kg_mask4)(x)&INT64_MAX))
/* A load of the whole vector: memcpy may store it in halves, and the next load would stall. */
#define KG_LOAD(vector, address) (*(const vector##_unaligned *)(const void *)(address))
#endif

KG_VECTOR(kg_double4, double, 4)
KG_VECTOR(kg_mask4, int64_t, 4)
KG_VECTOR(kg_float4, float, 4)
KG_VECTOR(kg_mask4f, int32_t, 4)
KG_VECTOR(kg_float8, float, 8)
KG_VECTOR(kg_mask8, int32_t, 8)

/* Four rows of four become four columns. */
KG_INLINE void kg_transpose4(const kg_double4 *const row[4], kg_double4 out[4])
{
#ifdef KUGEL_PORTABLE
    for (int k = 0; k < 16; ++k) out[k / 4].at[k % 4] = row[k % 4]->at[k / 4];
#else
    kg_double4 a = __builtin_shufflevector(*row[0], *row[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(*row[0], *row[1], 1, 5, 3, 7);
    kg_double4 c = __builtin_shufflevector(*row[2], *row[3], 0, 4, 2, 6),
               d = __builtin_shufflevector(*row[2], *row[3], 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
}

/* A word whose bit k is set if lane k of a comparison is true. */
KG_INLINE uint32_t kg_movemask4(const kg_mask4 *mask)
{
#ifdef KG_HAS_SSE2
    const double *halves = (const double *)mask;
    return (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves)) |
           (uint32_t)_mm_movemask_pd(_mm_loadu_pd(halves + 2)) << 2;
#else
    return (uint32_t)((KG_AT(*mask, 0) & 1) | (KG_AT(*mask, 1) & 2) | (KG_AT(*mask, 2) & 4) |
                      (KG_AT(*mask, 3) & 8));
#endif
}

KG_INLINE uint32_t kg_movemask4f(const kg_mask4f *mask)
{
#ifdef KG_HAS_SSE2
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(const void *)mask));
#else
    return (uint32_t)((KG_AT(*mask, 0) & 1) | (KG_AT(*mask, 1) & 2) | (KG_AT(*mask, 2) & 4) |
                      (KG_AT(*mask, 3) & 8));
#endif
}

KG_INLINE uint32_t kg_movemask8(const kg_mask8 *mask)
{
#ifdef KG_HAS_SSE2
    const float *halves = (const float *)mask;
    return (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves)) |
           (uint32_t)_mm_movemask_ps(_mm_loadu_ps(halves + 4)) << 4;
#else
    uint32_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= ((uint32_t)KG_AT(*mask, k) & 1u) << k;
    return bits;
#endif
}

#endif
